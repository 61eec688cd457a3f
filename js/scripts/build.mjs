// Builds widget.js and widget.css into the Python package; with --watch keeps doing so; with --dev
// serves dev/index.html, the explorer on a mock kernel.
import { existsSync, readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const BUDGET = 150 * 1024;
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
  await esbuild.build(widget);
  let total = 0;
  for (const name of ["widget.js", "widget.css"]) {
    const file = at(`../../nz_explorer/widget/static/${name}`);
    if (!existsSync(file)) throw new Error(`${name} was not written`);
    total += statSync(file).size;
    console.log(`${name.padEnd(11)} ${(statSync(file).size / 1024).toFixed(1)} kB`);
  }
  console.log(`${"together".padEnd(11)} ${(total / 1024).toFixed(1)} kB of ${BUDGET / 1024} kB`);
  const text = readFileSync(at("../../nz_explorer/widget/static/widget.js"), "utf8");
  if (/https?:\/\/(?!www\.w3\.org\/)/.test(text)) throw new Error("the bundle names an external host");
  if (total > BUDGET) throw new Error("the bundle is over its budget");
}
