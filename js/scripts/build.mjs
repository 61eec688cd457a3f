// Builds widget.js, widget.css and the extension of JupyterLab into the Python package; with --watch keeps doing so; with --serve
// serves dev/index.html, the explorer on a kernel in memory.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import * as esbuild from "esbuild";
import { minify } from "terser";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
/** Bytes of script and style sheet together, each compressed by gzip. */
const BUDGET = 75_000;
/** What repeats packs better: statements are not joined, and constants stay on the right of a comparison. */
const COMPRESS = {
  passes: 2,
  // Reading `signal.value` alone, only to be told of changes, would be left out: architecture.test.ts.
  pure_getters: true,
  inline: 1,
  sequences: false,
  lhs_constants: false,
  unsafe: true,
  unsafe_arrows: true,
  unsafe_comps: true,
  // Number(x) as +x.
  unsafe_math: true,
};
/** Members of our own objects that no message, host or style sheet knows: they get short names. */
const MEMBERS = new RegExp(
  `^(${[
    "setOptions|indexAt|placeOf|wantColormaps|takeScan|spotlight|arrivals|resendAll|openError|canOpen",
    "foreground|settled|revision|titleOf|onChoose|onAction|onRetry|onActive|describe|chosen|keyed|sentAt|resend",
    "savedPage|scans|onIndex|amend|expandSiblings|answerKey|wander|leftOut|upright|colorOf|columnOf|spanOf|lookup",
    "reachable|cellOf|drawer|parentOf|movable|onDimension|onWidth|thumbnail|health|stepped|linearUpTo|curved|inks",
    "session|onClose|current|scene|client|peek|onRows|onWhole|wanted|sections|trail|stale|corner|field|paper|paint|brief|rowOf|norm",
    "isOpen|pressed|pixels|wrong|onShow|nameOf|probe|circle|onWant|onSide|onEvent|rowAt|zoomed|loader|onStop|geometry",
    "options|icon|ink|onSelect|pages|parent|forget|tree|pace|speed|slider|controls|active|wait|expand|collapse|loading|asked|drawn|stage|edges|goto|keep|said|moved|answer|tables|busy|codes|dark|places|answered|pans|again",
    "look|context|ratio|loop|want|hear|accent|unitOf|center|wide|rest|win|uid|lut|image|flat|range|formats|flush|subscribe|track",
    // Of Preact: there are no components with them.
    "Provider|contextType|diffed|shouldComponentUpdate|getDerivedStateFrom(Props|Error)|getChildContext|getSnapshotBeforeUpdate",
    "component(Will|Did)(Unmount|ReceiveProps|Update|Mount|Catch)|debounceRendering|vnode|setState|forceUpdate",
  ].join("|")})$`,
);
const TERSER = {
  module: true,
  ecma: 2022,
  compress: COMPRESS,
  mangle: { properties: { regex: MEMBERS, builtins: true } },
};
/** Modules that come first in the script: gzip looks back 32 KiB, and what they say is said again in what follows. */
const FIRST = ["panels/plot/loader", "ui/base/theme", "plots/map/curvilinear"];
const CLASS = /nzx-[a-z0-9-]*/g;
const flags = new Set(process.argv.slice(2));

/**
 * Short names for the classes of a style sheet, except those that a script puts together ("nzx-is-" + impact), and for
 * its own properties of three letters or more: in a script "--i" counts down.
 */
function shortNames(sheet, script) {
  const composed = `${sheet} ${script}`.match(/nzx-[a-z-]*-(?=\$\{|[\]"'`])/g) ?? [];
  const whole = [...new Set(sheet.match(CLASS))].filter(
    (name) => !composed.some((start) => name.startsWith(start)),
  );
  const used = (name) => `${sheet} ${script}`.split(name).length;
  const short = (names, nth) =>
    new Map(names.sort((a, b) => used(b) - used(a)).map((name, n) => [name, nth(n)]));
  // Not "nzx", which is the class of the root.
  const names = short(whole, (n) => `nz${(n < 33 ? n : n + 1).toString(36)}`);
  const own = [...new Set(sheet.match(/(?<=[{;\s])--(?!nzx|jp|vscode)[a-z-]{3,}(?=:)/g))];
  const properties = short(own, (n) => `--${n}`);
  return (text) =>
    text
      .replace(CLASS, (name) => names.get(name) ?? name)
      .replace(/--[a-z][a-z-]*/g, (name) => properties.get(name) ?? name);
}

/** A style sheet without the spaces that esbuild leaves in values. */
const tight = (sheet) => sheet.replace(/(--[\w-]+:) | ?([,/]) /g, "$1$2");

const common = {
  bundle: true,
  format: "esm",
  target: "es2022",
  jsx: "transform",
  jsxFactory: "createElement",
  jsxFragment: "Fragment",
  inject: [at("./jsx.js")],
  // It would say how JSX is meant otherwise.
  tsconfigRaw: {},
  // Written as 1/0; the others are asked of numbers only.
  define: {
    "Number.POSITIVE_INFINITY": "Infinity",
    "Number.NaN": "NaN",
    "Number.isNaN": "isNaN",
    "Number.parseInt": "parseInt",
    "Number.parseFloat": "parseFloat",
  },
  charset: "utf8",
  legalComments: "none",
  logLevel: "warning",
};

const widget = {
  ...common,
  // The style sheets that the components import become widget.css.
  entryPoints: [{ in: at("../src/index.ts"), out: "widget" }],
  outdir: at("../../nz_explorer/widget/static"),
  minify: true,
};

/** What esbuild makes of an entry point, the file with an ending. */
async function bundled(options, ending) {
  const { outputFiles } = await esbuild.build({ ...options, write: false });
  return outputFiles.find(({ path }) => path.endsWith(ending)).text;
}

/** The explorer of a saved page: the front end and what answers it, as one script without a module. */
async function buildSavedPage(short) {
  const { outputFiles } = await esbuild.build({
    ...common,
    format: "iife",
    entryPoints: [{ in: at("../src/saved/player.ts"), out: "saved" }],
    outdir: widget.outdir,
    minify: true,
    write: false,
  });
  const script = outputFiles.find(({ path }) => path.endsWith(".js"));
  writeFileSync(script.path, short(script.text));
}

/** JupyterLab's extension: a script and what JupyterLab reads about it. */
async function buildExtension() {
  const folder = at("../../nz_explorer/lab/labextensions/nz-explorer");
  const { outputFiles } = await esbuild.build({
    ...common,
    format: "iife",
    entryPoints: [at("../src/lab/remote_entry.ts")],
    inject: [],
    minify: true,
    write: false,
  });
  const script = outputFiles[0].contents;
  // Browsers keep what has the same name.
  const name = `remoteEntry.${createHash("sha256").update(script).digest("hex").slice(0, 16)}.js`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(`${folder}/static`, { recursive: true });
  writeFileSync(`${folder}/static/${name}`, script);
  const { version, license } = JSON.parse(readFileSync(at("../package.json"), "utf8"));
  const jupyterlab = { extension: true, _build: { load: `static/${name}`, extension: "./extension" } };
  writeFileSync(
    `${folder}/package.json`,
    `${JSON.stringify({ name: "nz-explorer", version, license, jupyterlab }, null, 2)}\n`,
  );
}

if (flags.has("--serve")) {
  const context = await esbuild.context({
    ...common,
    entryPoints: [{ in: at("../dev/main.ts"), out: "main" }],
    outdir: at("../dev/out"),
    sourcemap: "inline",
    write: false,
  });
  const port = Number(process.env.PORT ?? 8765);
  await context.serve({ servedir: at("../dev"), host: "127.0.0.1", port });
  console.log(`http://127.0.0.1:${port}/`);
} else if (flags.has("--watch")) {
  const context = await esbuild.context({ ...widget, minify: false, logLevel: "info" });
  await context.watch();
} else {
  // The rules of a style sheet stay in the order of the components.
  const sheet = await bundled(widget, ".css");
  const script = await bundled(
    {
      ...widget,
      entryPoints: [],
      stdin: {
        contents: [...FIRST.map((name) => `import "./${name}";`), 'export { default } from "./index";'].join(
          "\n",
        ),
        resolveDir: at("../src"),
      },
    },
    ".js",
  );
  if (/https?:\/\/(?!www\.w3\.org\/)/.test(script)) throw new Error("the bundle names an external host");
  const short = shortNames(sheet, script);
  // Terser makes of what esbuild has joined 3 % less.
  const files = { "widget.js": (await minify(script, TERSER)).code, "widget.css": tight(sheet) };
  mkdirSync(widget.outdir, { recursive: true });
  let total = 0;
  for (const [name, text] of Object.entries(files)) {
    const contents = Buffer.from(short(text));
    const packed = gzipSync(contents, { level: 9 }).length;
    writeFileSync(`${widget.outdir}/${name}`, contents);
    total += packed;
    console.log(`${name.padEnd(11)} ${contents.length} bytes, ${packed} compressed`);
  }
  await buildExtension();
  await buildSavedPage(short);
  console.log(`${"together".padEnd(11)} ${total} of ${BUDGET} compressed`);
  if (total > BUDGET) throw new Error("the bundle is over its budget");
}
