import type {
  Category,
  CdlSpan,
  Counts,
  DocumentText,
  Finding,
  Impacts,
  NodeRow,
  Packing,
} from "../client/protocol.gen";

/** Hierarchies for the mock kernel: what a real one would tell of a realistic dataset. */

export interface Source {
  kind: "map" | "line" | "scalar" | "text" | "none";
  /** The stored value at full-resolution indices. */
  value(index: number[]): number;
  /** The state, by its number in the protocol's list; null for what the value says itself. */
  state?(index: number[]): number | null;
  units?: string;
  text?: string;
  chunks?: number[];
  /** Red, green and blue, each 0 to 255. */
  color?(index: number[]): number[];
  categories?: Category[];
  packing?: Packing;
  valid?: [number, number];
  parts?: string[];
  /** Longitude and latitude of a point. */
  place?(j: number, i: number): [number, number];
}

export interface Coordinate {
  kind: "number" | "time" | "category";
  units: string | null;
  at(index: number): number;
  label?(index: number): string;
}

export interface Attribute {
  name: string;
  /** As JSON. */
  value: string;
  pointer: string;
}

export interface Rule {
  title: string;
  source: string;
  level: string;
  severity: Finding["severity"];
}

export interface MockNode {
  row: NodeRow;
  /** Children in order; a function where they are made on demand. */
  children: string[];
  many?: { total: number; row(position: number): NodeRow };
  source?: Source;
  attributes: Attribute[];
  document: string;
  consolidated?: string;
}

export interface MockStore {
  name: string;
  nodes: Map<string, MockNode>;
  coordinates: Map<string, Coordinate>;
  findings: Finding[];
  notEvaluated: { rule: string; path: string; reason: string }[];
  rules: Record<string, Rule>;
  /** The rules that may be why, by what people notice. */
  symptoms: Record<string, string[]>;
}

export const noImpacts = (): Impacts => ({ blocks: 0, values: 0, convention: 0, distance: 0, advice: 0 });

const none = (): Counts => ({ error: 0, warning: 0, info: 0, complete: true });

export function row(path: string, change: Partial<NodeRow> = {}): NodeRow {
  return {
    path,
    name: path === "/" ? "/" : path.slice(path.lastIndexOf("/") + 1),
    kind: "group",
    state: "ok",
    problem: null,
    has_children: null,
    shape: null,
    data_type: null,
    dimension_names: null,
    role: null,
    direction: null,
    counts: none(),
    impacts: noImpacts(),
    label: null,
    units: null,
    ...change,
  };
}

export function emptyStore(name: string): MockStore {
  const store: MockStore = {
    name,
    nodes: new Map(),
    coordinates: new Map(),
    findings: [],
    notEvaluated: [],
    rules: { ...RULES },
    symptoms: {
      "a codec is not available": ["Z3-CODEC-001"],
      "attributes are lost": ["NZ-ATTR-004"],
      "xarray cannot open it": ["NZ-DIM-010"],
    },
  };
  addGroup(store, "/");
  return store;
}

function put(store: MockStore, node: MockNode): MockNode {
  const { path } = node.row;
  store.nodes.set(path, node);
  if (path !== "/") {
    const parent = path.slice(0, path.lastIndexOf("/")) || "/";
    const above = store.nodes.get(parent);
    above?.children.push(path);
    if (above) above.row.has_children = true;
  }
  return node;
}

const attribute = (name: string, value: unknown): Attribute => ({
  name,
  value: JSON.stringify(value),
  pointer: `/attributes/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`,
});

function addGroup(
  store: MockStore,
  path: string,
  { attributes = {}, change = {} }: { attributes?: Record<string, unknown>; change?: Partial<NodeRow> } = {},
): MockNode {
  return put(store, {
    row: row(path, { has_children: false, ...change }),
    children: [],
    attributes: Object.entries(attributes).map(([name, value]) => attribute(name, value)),
    document: JSON.stringify({ zarr_format: 3, node_type: "group", attributes }, null, 2),
  });
}

function addArray(
  store: MockStore,
  path: string,
  shape: number[],
  dimensions: (string | null)[],
  source: Source,
  {
    attributes = {},
    change = {},
    dtype = "float32",
  }: { attributes?: Record<string, unknown>; change?: Partial<NodeRow>; dtype?: string } = {},
): MockNode {
  const document = {
    zarr_format: 3,
    node_type: "array",
    shape,
    data_type: dtype,
    chunk_grid: { name: "regular", configuration: { chunk_shape: source.chunks ?? shape } },
    chunk_key_encoding: { name: "default", configuration: { separator: "/" } },
    fill_value: 0.0,
    codecs: [
      { name: "bytes", configuration: { endian: "little" } },
      { name: "zstd", configuration: { level: 5, checksum: false } },
    ],
    attributes,
    dimension_names: dimensions,
  };
  return put(store, {
    row: row(path, {
      kind: "array",
      has_children: false,
      shape,
      data_type: dtype,
      dimension_names: dimensions,
      role: shape.length === 0 ? "scalar" : "data",
      ...change,
    }),
    children: [],
    source,
    attributes: Object.entries(attributes).map(([name, value]) => attribute(name, value)),
    document: JSON.stringify(document, null, 2),
  });
}

const rule = (severity: Rule["severity"], level: string, source: string, title: string): Rule => ({
  title,
  source,
  level,
  severity,
});

const RULES: Record<string, Rule> = {
  "NZ-DIM-010": rule("error", "MUST", "NZ-1.0, Dimension", "A dimension has one length"),
  "NZ-ATTR-004": rule("warning", "SHOULD", "NZ-1.0, Attributes", "_FillValue has the type of its array"),
  "NZ-JSON-001": rule("error", "MUST", "Zarr v3, Metadata", "A metadata document is JSON"),
};

const IMPACT_OF = { error: "blocks", warning: "convention", info: "advice" } as const;

function addFinding(
  store: MockStore,
  finding: Partial<Finding> & { rule: string; path: string; message: string },
): void {
  const rule = store.rules[finding.rule];
  const severity = rule?.severity ?? "error";
  const impact = finding.impact ?? IMPACT_OF[severity];
  store.findings.push({
    level: rule?.level ?? "MUST",
    severity,
    pointer: "",
    ...finding,
    impact,
  });
  for (let path = finding.path; ; path = path.slice(0, path.lastIndexOf("/")) || "/") {
    const node = store.nodes.get(path);
    if (node) {
      node.row.counts[severity] += 1;
      node.row.impacts[impact] += 1;
    }
    if (path === "/") break;
  }
}

/** Smooth noise that is the same every time. */
function waves(x: number, y: number, t: number): number {
  return (
    Math.sin(x * 3.1 + t * 0.35) * Math.cos(y * 2.3 - t * 0.2) +
    0.45 * Math.sin(x * 9.7 - y * 5.1 + t * 0.5) +
    0.2 * Math.cos(x * 23 + y * 17) +
    0.08 * Math.sin(x * 61 - y * 47 + t)
  );
}

const land = (x: number, y: number) =>
  Math.sin(x * 5 + 1) * Math.cos(y * 4) + 0.5 * Math.sin(x * 11 - y * 7) + 0.25 * Math.cos(x * 19 + y * 13) >
  0.45;

const iso = (hours: number) =>
  new Date(Date.UTC(2020, 0, 1) + hours * 3_600_000).toISOString().slice(0, 16).replace("T", " ");

/** A forecast on a grid, with everything that can be said of a node somewhere. */
export function smallStore(): MockStore {
  const store = emptyStore("/data/era5-sample.zarr");
  const nodes = store.nodes;
  (nodes.get("/") as MockNode).attributes.push(
    ...Object.entries({
      title: "A sample of a reanalysis",
      Conventions: "NZ-1.0",
      history: "2026-10-02 made for the mock",
    }).map(([name, value]) => attribute(name, value)),
  );
  addGroup(store, "/forecast", { attributes: { institution: "nowhere" } });
  const axis = (
    path: string,
    length: number,
    coordinate: Coordinate,
    direction: "increasing" | "decreasing",
    dtype = "float64",
  ) => {
    store.coordinates.set(path, coordinate);
    const name = path.slice(path.lastIndexOf("/") + 1);
    addArray(
      store,
      path,
      [length],
      [name],
      { kind: "line", value: ([i = 0]) => coordinate.at(i), units: coordinate.units ?? "" },
      {
        attributes: { units: coordinate.units ?? "", standard_name: name },
        change: { role: "coordinate", direction },
        dtype,
      },
    );
  };
  axis(
    "/forecast/time",
    240,
    { kind: "time", units: "hours since 2020-01-01", at: (i) => i * 6, label: (i) => iso(i * 6) },
    "increasing",
    "int64",
  );
  axis(
    "/forecast/level",
    5,
    { kind: "number", units: "hPa", at: (i) => [1000, 850, 500, 250, 100][i] ?? 0 },
    "decreasing",
  );
  axis("/forecast/lat", 181, { kind: "number", units: "degrees_north", at: (i) => 90 - i }, "decreasing");
  axis("/forecast/lon", 360, { kind: "number", units: "degrees_east", at: (i) => i }, "increasing");
  const grid = { chunks: [60, 1, 61, 90] };
  addArray(
    store,
    "/forecast/temp",
    [240, 5, 181, 360],
    ["time", "level", "lat", "lon"],
    {
      ...grid,
      kind: "map",
      units: "K",
      value: ([t = 0, l = 0, j = 0, i = 0]) =>
        288 - l * 14 - 34 * (Math.abs(j - 90) / 90) ** 2 + 5 * waves(i / 57, j / 57, t),
    },
    {
      attributes: { units: "K", long_name: "air temperature", _FillValue: -9999.0, valid_range: [150, 350] },
    },
  );
  addArray(
    store,
    "/forecast/sst",
    [240, 181, 360],
    ["time", "lat", "lon"],
    {
      chunks: [60, 61, 90],
      kind: "map",
      units: "K",
      value: ([t = 0, j = 0, i = 0]) =>
        land(i / 57, j / 57) ? -9999 : 301 - 28 * (Math.abs(j - 90) / 90) ** 2 + 2 * waves(i / 57, j / 57, t),
      state: ([t = 0, j = 0, i = 0]) => {
        if (j >= 61 && j < 122 && i >= 180 && i < 270) return t < 120 ? 5 : 6;
        if (land(i / 57, j / 57)) return 1;
        if (Math.hypot(i - 60, (j - 150) * 1.2) < 14) return 2;
        if (Math.hypot(i - 110, j - 150) < 9) return 3;
        return Math.hypot(i - 140, j - 150) < 9 ? 4 : 0;
      },
    },
    { attributes: { units: "K", long_name: "sea surface temperature", _FillValue: -9999.0 } },
  );
  addArray(
    store,
    "/forecast/precip",
    [240, 181, 360],
    ["time", "lat", "lon"],
    {
      kind: "map",
      chunks: [60, 61, 90],
      units: "mm h-1",
      value: ([t = 0, j = 0, i = 0]) => Math.max(0, Math.exp(2.4 * waves(i / 57, j / 57, t) - 1.5) - 0.3),
    },
    { attributes: { units: "mm h-1" } },
  );
  addArray(
    store,
    "/forecast/mean_temp",
    [240],
    ["time"],
    {
      kind: "line",
      units: "K",
      value: ([t = 0]) => 284 + 4 * Math.sin(t / 18) + Math.sin(t / 2.2),
      state: ([t = 0]) => (t > 60 && t < 78 ? 1 : t === 120 || t === 122 ? 2 : t > 180 && t < 200 ? 5 : 0),
    },
    { attributes: { units: "K" } },
  );
  addArray(
    store,
    "/forecast/reference_time",
    [],
    [],
    { kind: "scalar", value: () => 1577836800, text: "2020-01-01 00:00", units: "hours since 2020-01-01" },
    { dtype: "int64" },
  );
  addArray(
    store,
    "/forecast/station",
    [6],
    ["station"],
    {
      kind: "text",
      value: () => 0,
      text: "0  Zürich\n1  Reykjavík\n2  München\n3  القاهرة\n4  東京\n5  São Paulo",
    },
    { dtype: "string" },
  );
  addGroup(store, "/analysis");
  addArray(
    store,
    "/analysis/x",
    [4],
    ["x"],
    { kind: "line", value: ([i = 0]) => i },
    { change: { role: "candidate" } },
  );
  addArray(store, "/analysis/y", [5], ["x"], { kind: "line", value: ([i = 0]) => i * i });
  addArray(
    store,
    "/analysis/area",
    [4],
    ["x"],
    { kind: "line", value: ([i = 0]) => i * 7 },
    { change: { role: "auxiliary" } },
  );
  addGroup(store, "/images");
  addArray(
    store,
    "/images/photo",
    [480, 640],
    [null, null],
    {
      kind: "map",
      value: ([j = 0, i = 0]) =>
        Math.floor(128 + 90 * waves(i / 160, j / 160, 2) * (j < 40 && i < 120 ? 0 : 1)),
      chunks: [128, 128],
    },
    { dtype: "uint8" },
  );
  addArray(
    store,
    "/images/tiny",
    [6, 9],
    ["row", "column"],
    {
      kind: "map",
      value: ([j = 0, i = 0]) => j * 9 + i,
      state: ([j = 0, i = 0]) => (i >= 1 && i <= 7 && j === 2 ? i : 0),
      chunks: [3, 3],
    },
    { dtype: "int32" },
  );
  addGroup(store, "/empty");
  addFinding(store, {
    rule: "NZ-DIM-010",
    path: "/analysis",
    message: "dimension x is 4 long in x, area and 5 long in y",
  });
  addFinding(store, {
    rule: "NZ-DIM-010",
    path: "/analysis/y",
    pointer: "/dimension_names/0",
    message: 'dimension "x" has length 5 here and 4 in /analysis/x',
  });
  addFinding(store, {
    rule: "NZ-ATTR-004",
    path: "/forecast/temp",
    pointer: "/attributes/_FillValue",
    message: "_FillValue -9999 lies outside of valid_range",
  });
  store.notEvaluated.push(
    { rule: "NZ-CONS-003", path: "/", reason: "the store cannot be listed cheaply" },
    { rule: "NZ-VAL-001", path: "/forecast/sst", reason: "cost: 96 MiB would have to be read" },
    { rule: "NZ-VAL-001", path: "/forecast/temp", reason: "cost: 298 MiB would have to be read" },
  );
  const temp = nodes.get("/forecast/temp") as MockNode;
  temp.consolidated = temp.document.replace('"units": "K"', '"units": "degC"');
  return store;
}

/** Arrays that are drawn in other ways than as maps and lines of plain numbers. */
export function kindsStore(): MockStore {
  const store = emptyStore("/data/kinds.zarr");
  addGroup(store, "/k");
  const two = (name: string, source: Partial<Source>, attributes: Record<string, unknown> = {}) =>
    addArray(
      store,
      `/k/${name}`,
      [40, 60],
      ["y", "x"],
      { kind: "map", chunks: [20, 20], value: ([j = 0, i = 0]) => waves(i / 12, j / 12, 1), ...source },
      { attributes },
    );
  two(
    "packed",
    {
      value: ([j = 0, i = 0]) => j * 60 + i,
      packing: { scale: 0.01, offset: 273.15, units: "K", text: "stored × 0.01 + 273.15" },
      valid: [0, 2299],
      state: ([j = 0, i = 0]) => (j === 0 && i < 3 ? 1 : 0),
    },
    { _FillValue: -9999 },
  );
  two("flags", {
    value: ([j = 0, i = 0]) => Math.floor((i + j) / 20) % 4,
    state: ([j = 0, i = 0]) => (Math.hypot(i - 30, j - 20) < 6 ? 1 : 0),
    categories: [
      { value: 0, label: "clear" },
      { value: 1, label: "low cloud" },
      { value: 2, label: "<b>fog</b>" },
    ],
  });
  two("complex", { units: "Pa", parts: ["magnitude", "phase", "real", "imaginary"] });
  two("photo", { color: ([j = 0, i = 0]) => [i * 4, j * 6, 90] });
  two("curved", {
    units: "degC",
    state: ([j = 0, i = 0]) => (i >= 20 && i < 26 && j >= 10 && j < 20 ? 1 : 0),
    place: (j, i) => [150 + i + 0.4 * j, -20 + j + 6 * Math.sin(i / 15)],
  });
  for (const [name, units, gap] of [
    ["speed", "m s-1", 20],
    ["gust", "m s-1", 44],
    ["pressure", "hPa", 70],
  ] as const) {
    addArray(store, `/k/${name}`, [90], ["step"], {
      kind: "line",
      units,
      value: ([i = 0]) => (units === "hPa" ? 1000 : 8) + 3 * Math.sin(i / 9 + gap) + (i === 33 ? 9 : 0),
      state: ([i = 0]) => (i >= gap && i < gap + 6 ? 1 : i === gap + 7 ? 2 : 0),
    });
  }
  addArray(store, "/k/names", [4], ["station"], {
    kind: "text",
    text: "0  Oslo\n1\n2  <b>Tromsø</b>\n3  (missing)",
    value: () => 0,
  });
  return store;
}

/** Nodes that no reader opens. */
export function brokenStore(): MockStore {
  const store = smallStore();
  store.name = "s3://bucket/broken.zarr";
  addGroup(store, "/broken");
  const broken = (
    name: string,
    state: NodeRow["state"],
    problem: string,
    document: string,
    kind: NodeRow["kind"] = "unknown",
  ) =>
    put(store, {
      row: row(`/broken/${name}`, { kind, state, problem, has_children: false }),
      children: [],
      attributes: [],
      document,
    });
  broken(
    "not_json",
    "malformed",
    "zarr.json is not JSON: line 3, column 1: expected a member name",
    '{\n  "zarr_format": 3,\n  }',
  );
  broken("gone", "missing", "the consolidated metadata name it, the store has no document for it", "");
  broken("secret", "unreadable", "zarr.json cannot be read: access denied", "");
  broken(
    "future",
    "unsupported",
    'the codec "quantum" is not known',
    '{"zarr_format":3,"node_type":"array","codecs":[{"name":"quantum"}]}',
    "array",
  );
  addFinding(store, {
    rule: "NZ-JSON-001",
    path: "/broken/not_json",
    message: "zarr.json is not JSON: line 3, column 1: expected a member name",
  });
  return store;
}

export const HOSTILE = [
  '<img src=x onerror="globalThis.hacked=1">',
  "evil\u202etxt.exe",
  "line\nbreak\u0007",
  "long_".repeat(80),
  "مرحبا 2020",
  "z\u0335\u0321a\u0337l\u0334g\u0335o",
  "__proto__",
  "constructor",
  "🌍 earth & <b>co</b>",
];

/** Names that strangers might give. */
export function hostileStore(): MockStore {
  const store = emptyStore("/tmp/<script>alert(1)</script>\u202e.zarr");
  for (const name of HOSTILE) {
    const array = addArray(
      store,
      `/${name.replaceAll("/", "")}`,
      [10, 12],
      [name, name],
      {
        kind: "map",
        value: ([j = 0, i = 0]) => i * j,
        units: name,
      },
      { attributes: { [name]: name, units: name } },
    );
    array.row.problem = name;
  }
  return store;
}

/** A group with so many arrays that no page could hold them. */
export function wideStore(total = 100_000): MockStore {
  const store = emptyStore("https://example.test/wide.zarr");
  addGroup(store, "/first");
  addArray(store, "/first/a", [30], ["x"], { kind: "line", value: ([i = 0]) => i });
  const many = addGroup(store, "/many", { change: { has_children: true } });
  many.many = {
    total,
    row: (position) =>
      row(`/many/var_${String(position).padStart(6, "0")}`, {
        kind: "array",
        shape: [12, 20],
        data_type: "float32",
        dimension_names: ["y", "x"],
        role: "data",
        has_children: false,
        counts: { ...none(), error: position % 1000 === 7 ? 1 : 0 },
        impacts: { ...noImpacts(), blocks: position % 1000 === 7 ? 1 : 0 },
      }),
  };
  addGroup(store, "/zlast");
  return store;
}

/** The dimensions of a group: by name and length the arrays that have it so. */
export function dimensionsOf(store: MockStore, group: string): Map<string, Map<number, string[]>> {
  const found = new Map<string, Map<number, string[]>>();
  for (const path of store.nodes.get(group)?.children ?? []) {
    const node = store.nodes.get(path);
    node?.row.dimension_names?.forEach((name, at) => {
      if (name === null) return;
      const lengths = found.get(name) ?? new Map<number, string[]>();
      const length = node.row.shape?.[at] ?? 0;
      lengths.set(length, [...(lengths.get(length) ?? []), path]);
      found.set(name, lengths);
    });
  }
  return found;
}

/** CDL of a group or array. */
export function cdlOf(store: MockStore, path: string): CdlSpan[] {
  const span = (text: string, change: Partial<CdlSpan> = {}): CdlSpan => ({
    text,
    path: null,
    key: null,
    pointer: null,
    first_line: null,
    last_line: null,
    ...change,
  });
  const node = store.nodes.get(path);
  const out: CdlSpan[] = [
    span(`netcdf ${store.name.slice(store.name.lastIndexOf("/") + 1)} {`, { path: "/" }),
  ];
  const arrays =
    node?.row.kind === "array"
      ? [path]
      : (node?.children ?? []).filter((one) => store.nodes.get(one)?.source);
  const group = node?.row.kind === "array" ? path.slice(0, path.lastIndexOf("/")) || "/" : path;
  out.push(span("dimensions:"));
  for (const [name, lengths] of dimensionsOf(store, group))
    out.push(span(`\t${name} = ${[...lengths.keys()][0]} ;`));
  out.push(span("variables:"));
  for (const one of arrays) {
    const array = store.nodes.get(one);
    if (!array) continue;
    const key = `${one.slice(1)}/zarr.json`;
    const lines = array.document.split("\n");
    const at = (word: string) => lines.findIndex((line) => line.includes(word)) + 1 || 1;
    const type =
      { float32: "float", float64: "double", int64: "int64", int32: "int", uint8: "ubyte" }[
        array.row.data_type ?? ""
      ] ?? "string";
    const dims = (array.row.dimension_names ?? []).join(", ");
    out.push(
      span(`\t${type} ${array.row.name}${dims ? `(${dims})` : ""} ;`, {
        path: one,
        key,
        pointer: "/data_type",
        first_line: at('"shape"'),
        last_line: at('"data_type"'),
      }),
    );
    for (const { name, value, pointer } of array.attributes) {
      const line = at(JSON.stringify(name));
      out.push(
        span(`\t\t${array.row.name}:${name} = ${value} ;`, {
          path: one,
          key,
          pointer,
          first_line: line,
          last_line: line,
        }),
      );
    }
  }
  out.push(span("}"));
  return out;
}

export function documentsOf(store: MockStore, path: string, pointer: string | null = null): DocumentText[] {
  const node = store.nodes.get(path);
  if (!node || node.document === "") return [];
  const key = `${path === "/" ? "" : `${path.slice(1)}/`}zarr.json`;
  const lines = node.document.split("\n");
  const lineOf = (to: string) => {
    const word = to.split("/").findLast((part) => !/^\d+$/.test(part)) ?? "";
    return lines.findIndex((text) => text.includes(`"${word}"`)) + 1 || 1;
  };
  const placeOf = (to: string) => ({ pointer: to, first_line: lineOf(to), last_line: lineOf(to) });
  const marks = store.findings
    .filter((finding) => finding.path === path && finding.pointer !== "")
    .map((finding) => {
      const line = lineOf(finding.pointer);
      return {
        first_line: line,
        last_line: line,
        rule: finding.rule,
        impact: finding.impact,
        message: finding.message,
      };
    });
  const base = { key, cut: false, problem: node.row.state === "malformed" ? node.row.problem : null };
  const differs = node.consolidated ? [placeOf("/attributes/units")] : [];
  const stored: DocumentText = {
    ...base,
    origin: "stored",
    text: node.document,
    size: node.document.length,
    marks,
    differs,
    place: pointer === null ? null : placeOf(pointer),
  };
  if (!node.consolidated) return [stored];
  return [stored, { ...stored, origin: "consolidated", text: node.consolidated, marks: [] }];
}
