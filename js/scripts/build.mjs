// Builds widget.js and widget.css into the Python package; with --watch keeps doing so; with --dev
// serves dev/index.html, the explorer on a mock kernel.
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { shortNames } from "./names.mjs";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
/** Bytes of script and style sheet together. */
const BUDGET = 150_000;
const flags = new Set(process.argv.slice(2));

const common = {
  bundle: true,
  format: "esm",
  target: "es2022",
  jsx: "transform",
  jsxFactory: "h",
  jsxFragment: "Fragment",
  inject: [at("./jsx.mjs")],
  tsconfigRaw: {},
  // Written as 1/0.
  charset: "utf8",
  define: { "Number.POSITIVE_INFINITY": "Infinity", "Number.NaN": "NaN" },
  legalComments: "none",
  logLevel: "warning",
};

const widget = {
  ...common,
  entryPoints: [
    { in: at("../src/index.ts"), out: "widget" },
    { in: at("../src/style.css"), out: "widget" },
  ],
  outdir: at("../../nz_explorer/widget/static"),
  minify: true,
};

if (flags.has("--serve")) {
  const context = await esbuild.context({
    ...common,
    entryPoints: [
      { in: at("../dev/main.ts"), out: "main" },
      { in: at("../src/style.css"), out: "widget" },
    ],
    outdir: at("../dev/out"),
    sourcemap: "inline",
    write: false,
  });
  const { port } = await context.serve({ servedir: at("../dev"), host: "127.0.0.1", port: 8765 });
  console.log(`http://127.0.0.1:${port}/`);
} else if (flags.has("--watch")) {
  const context = await esbuild.context({ ...widget, minify: false, logLevel: "info" });
  await context.watch();
} else {
  const { outputFiles } = await esbuild.build({ ...widget, write: false });
  const textOf = (kind) => outputFiles.find(({ path }) => path.endsWith(kind)).text;
  const [script, style] = shortNames(textOf(".js"), textOf(".css"));
  if (/https?:\/\/(?!www\.w3\.org\/)/.test(script)) throw new Error("the bundle names an external host");
  mkdirSync(widget.outdir, { recursive: true });
  let total = 0;
  for (const [name, text] of Object.entries({ "widget.js": script, "widget.css": style })) {
    const bytes = Buffer.from(text);
    writeFileSync(`${widget.outdir}/${name}`, bytes);
    total += bytes.length;
    console.log(`${name.padEnd(11)} ${bytes.length} bytes`);
  }
  console.log(`${"together".padEnd(11)} ${total} bytes of ${BUDGET}`);
  if (total > BUDGET) throw new Error("the bundle is over its budget");
}
