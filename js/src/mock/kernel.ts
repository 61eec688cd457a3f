import type {
  ActResult,
  Axis,
  Finding,
  FindingsResult,
  Event as KernelEvent,
  Methods,
  NodeResult,
  NodeRow,
  PictureParams,
  PictureResult,
  Progress,
  ScanResult,
  StateCount,
  Summary,
  Thumbnail,
} from "../client/protocol.gen";
import { cdlOf, dimensionsOf, documentsOf, type MockNode, type MockStore, noImpacts, row } from "./data";
import type { FakeModel } from "./model";
import { type Blocks, pagesOf } from "./pages";

export type Method = keyof Methods;
type Params<M extends Method> = Required<Methods[M]["params"]>;

export class Refusal extends Error {
  readonly code: "not_found" | "bad_request" | "unreadable" | "internal";
  constructor(code: Refusal["code"], message: string) {
    super(message);
    this.code = code;
  }
}

const STATE_NAMES: StateCount["state"][] = [
  "value",
  "fill",
  "nan",
  "inf",
  "neg_inf",
  "absent",
  "unreadable",
  "storage_fill",
  "unread",
  "invalid",
];

/** A session in memory that answers as the kernel would. */
export class MockKernel {
  readonly store: MockStore;
  readonly model: FakeModel;
  /** Milliseconds until a reply, for all methods or by method. */
  delay: number;
  readonly delays: Partial<Record<Method, number>> = {};
  /** Methods that fail, with their message. */
  readonly failing = new Map<Method, string>();
  /** Methods that are never answered. */
  readonly silent = new Set<Method | "all">();
  readonly cancelled = new Set<number>();
  /** Sees every reply and event before it leaves. */
  onReply: ((method: string, message: unknown) => void) | null = null;
  progress: Progress;
  /** How many unfinished pictures come before each finished one. */
  partials = 0;
  /** Milliseconds from the last of them to the finished one. */
  partialPause = 0;
  /** Milliseconds between the steps of going through all values; 0: only `step` moves it. */
  scanStep = 0;
  /** What going through all of an array takes. */
  scanBytes = 0;
  metadata: Summary["metadata"] = "documents";
  /** What pages consist of, and what actions do, by name. */
  mode: Summary["mode"] = "r";
  readers = ["xarray", "zarr-python", "netCDF-C"];
  readonly edits: Summary["edits"] = { steps: 0, shown: false, serial: 0 };
  readonly pages: Record<string, Blocks>;
  actions: Record<
    string,
    (path: string, params: Record<string, unknown>, buffers: DataView[]) => Partial<ActResult>
  > = {};

  #path: unknown;
  readonly #views = new Map<unknown, unknown>();
  readonly #scans = new Map<string, ScanResult>();
  readonly #working = new Set<number>();
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();

  constructor(store: MockStore, model: FakeModel, { delay = 0 }: { delay?: number } = {}) {
    this.store = store;
    this.pages = pagesOf(store);
    this.model = model;
    this.delay = delay;
    const nodes = this.#nodeCount();
    this.progress = {
      phase: "done",
      nodes,
      total: nodes,
      message: "all nodes read",
      requests: nodes,
      bytes_read: nodes * 700,
    };
    model.onSend = (message) => this.#hear(message as never);
    this.#path = model.get("path");
    model.onSave = (traits) => {
      this.tellTraits(traits);
      if ("path" in traits) this.#changeView(traits.path);
    };
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.model.onSend = null;
    this.model.onSave = null;
  }

  /** What belongs to one array comes back with it. */
  #changeView(path: unknown): void {
    const view = this.model.get("view") as Record<string, unknown>;
    this.#views.set(this.#path, view);
    this.#path = path;
    const { mask = "nz", grid = false, decoded = true } = view;
    const next = { ...(this.#views.get(path) as object), mask, grid, decoded };
    this.model.fromPython("view", next);
    this.tellTraits({ view: next });
  }

  /** Sends the summary unasked. */
  announce(progress?: Partial<Progress>): void {
    this.progress = { ...this.progress, ...progress };
    this.#tell({ event: "summary", summary: this.summary() });
  }

  /** Says unasked that a page says something else now. */
  tellPage(page: string): void {
    this.#tell({ event: "page", page });
  }

  /** How far an animation is. */
  tellFrames(done: number, of: number): void {
    this.#tell({ event: "frames", frames: [done, of] });
  }

  /** Confirms traits, or says what another page has set. */
  tellTraits(traits: Record<string, unknown>): void {
    this.#tell({ event: "traits", traits });
  }

  /** A walk that goes on by itself, for the dev page. */
  walk(seconds = 8): void {
    const total = this.#nodeCount();
    this.progress = {
      phase: "walk",
      nodes: 0,
      total,
      message: "reading the hierarchy",
      requests: 0,
      bytes_read: 0,
    };
    const timer = setInterval(() => {
      if (this.progress.phase !== "walk") return;
      const nodes = Math.min(total, this.progress.nodes + Math.max(1, Math.ceil(total / seconds / 5)));
      const phase = nodes >= total ? "done" : "walk";
      this.announce({
        phase,
        nodes,
        requests: nodes,
        bytes_read: nodes * 700,
        message: `${nodes} of ${total} nodes read`,
      });
      if (phase === "done") clearInterval(timer);
    }, 200);
  }

  summary(): Summary {
    const root = this.#node("/").row;
    return {
      source: this.store.name,
      store: this.store.name.startsWith("s3:")
        ? "object store"
        : this.store.name.startsWith("http")
          ? "web server"
          : "folder",
      zarr_format: 3,
      listable: !this.store.name.startsWith("http"),
      metadata: this.metadata,
      nodes: this.progress.nodes,
      counts: root.counts,
      not_evaluated: this.store.notEvaluated.length,
      conforms: {
        "NZ-1.0": root.counts.error > 0 ? false : this.store.notEvaluated.length > 0 ? null : true,
      },
      progress: this.progress,
      root,
      edits: { ...this.edits },
      mode: this.mode,
      readers: this.readers.map((reader) => ({
        reader,
        opens: reader === "netCDF-C" ? null : reader !== "xarray" || root.impacts.blocks === 0,
        blocked_by: reader === "xarray" && root.impacts.blocks > 0 ? ["NZ-DIM-010"] : [],
        misled_by: [],
        reason: reader === "netCDF-C" ? "few builds of netCDF-C read Zarr v3" : "",
      })),
      steps: new Set(
        this.store.findings.filter(({ impact }) => impact === "distance").map(({ rule }) => rule),
      ).size,
    };
  }

  #hear(message: { kind: string; id: number; method?: Method; params?: Record<string, unknown> }): void {
    if (message.kind === "cancel") {
      this.cancelled.add(message.id);
      return;
    }
    if (message.kind === "shown") return;
    const method = message.method as Method;
    if (method !== "lost") this.#working.add(message.id);
    if (this.silent.has(method) || this.silent.has("all")) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#working.delete(message.id);
      this.#answer(message.id, method, message.params ?? {});
    }, this.delays[method] ?? this.delay);
    this.#timers.add(timer);
  }

  /** Goes through one more quarter of an array, and says so. */
  step(path: string): void {
    const scan = this.#scans.get(path);
    if (scan?.phase !== "running") return;
    const done = Math.min(scan.chunks_total, scan.chunks_done + scan.chunks_total / 4);
    const over = done === scan.chunks_total;
    this.#scans.set(path, {
      ...scan,
      phase: over ? "done" : "running",
      chunks_done: done,
      message: "",
      count: done * 100,
      minimum: 1.5,
      maximum: 9 + done,
      mean: 4.25,
      std: 0.5,
      states: [
        { state: "value", code: 0, count: done * 100 },
        { state: "fill", code: 1, count: 7 },
      ],
      errors: over ? [{ chunk: "c/0/1", message: "zstd: the frame is cut short" }] : [],
      seconds: 2.5,
    });
    const buffers: DataView[] = [];
    this.#tell({ event: "scan", scan: this.#scan(path, buffers) }, buffers);
    if (this.scanStep > 0 && !over) setTimeout(() => this.step(path), this.scanStep);
  }

  /** Forgets what was found by going through arrays, as the kernel does when they are read again. */
  forgetScans(): void {
    this.#scans.clear();
  }

  #tell(told: Partial<KernelEvent>, buffers: DataView[] = []): void {
    const event = {
      kind: "event",
      summary: null,
      scan: null,
      page: null,
      traits: null,
      frames: null,
      ...told,
    };
    this.onReply?.("event", event);
    this.model.receive(event, buffers);
  }

  #scan(path: string, buffers: DataView[]): ScanResult {
    const scan = this.#scans.get(path);
    if (!scan) {
      const nothing = {
        dates: [],
        count: 0,
        minimum: null,
        maximum: null,
        mean: null,
        std: null,
        seconds: 0,
      };
      const rest = { states: [], histogram: null, errors: [], message: "" };
      return {
        path,
        phase: "none",
        chunks_done: 0,
        chunks_total: 48,
        whole_bytes: this.scanBytes,
        ...nothing,
        ...rest,
      };
    }
    const bell = Array.from({ length: 24 }, (_, at) => Math.round(4000 * Math.exp(-(((at - 10) / 5) ** 2))));
    return scan.count === 0
      ? scan
      : { ...scan, histogram: histogramOf(bell, 1.5, 21, "the whole array", buffers) };
  }

  #answer(id: number, method: Method, params: Record<string, unknown>): void {
    const buffers: DataView[] = [];
    let reply: Record<string, unknown>;
    const failing = this.failing.get(method);
    if (this.cancelled.has(id)) {
      reply = { ok: false, result: null, error: { code: "cancelled", message: "cancelled", retry: false } };
    } else if (failing !== undefined) {
      reply = { ok: false, result: null, error: { code: "unreadable", message: failing, retry: true } };
    } else {
      try {
        reply = { ok: true, result: this.result(method, params, buffers), error: null };
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        reply = {
          ok: false,
          result: null,
          error: { code: error.code, message: error.message, retry: false },
        };
      }
    }
    const result = reply.result as PictureResult;
    if (method === "picture" && reply.ok && result.states_buffer !== null) {
      for (let part = 1; part <= this.partials; part++) this.#partial(id, part, result, buffers);
    }
    const message = { kind: "reply", id, ...reply };
    const send = () => {
      this.onReply?.(method, message);
      this.model.receive(message, buffers);
    };
    if (method === "picture" && this.partials > 0 && this.partialPause > 0) {
      this.#timers.add(setTimeout(send, this.partialPause));
    } else send();
  }

  /** What is replied; a reason to refuse is thrown. */
  result(method: Method, params: Record<string, unknown>, buffers: DataView[]): unknown {
    const make = this.#methods[method] as (params: never, buffers: DataView[]) => unknown;
    return make.call(this, params as never, buffers);
  }

  /** A picture of which the first rows are there. */
  #partial(id: number, part: number, result: PictureResult, buffers: DataView[]): void {
    const own = [...buffers];
    const view = own[result.states_buffer ?? 0] as DataView;
    const states = new Uint8Array(view.buffer, view.byteOffset, view.byteLength).slice();
    states.fill(8, Math.floor((states.length * part) / (this.partials + 1)));
    own[result.states_buffer ?? 0] = new DataView(states.buffer);
    const read = result.read && {
      ...result.read,
      chunks_read: part,
      chunks_total: this.partials + 1,
      complete: false,
    };
    const message = {
      kind: "partial",
      id,
      result: { ...result, read, label: `${result.label}, not finished` },
    };
    this.onReply?.("partial", message);
    this.model.receive(message, own);
  }

  #nodeCount(): number {
    let count = this.store.nodes.size;
    for (const node of this.store.nodes.values()) count += node.many?.total ?? 0;
    return count;
  }

  /** What a group says of itself, and the groups in it. */
  #inside(node: MockNode): Omit<NodeResult, "row" | "title" | "arrays" | "arrays_total"> {
    const groups = node.children.map((child) => this.#node(child)).filter(({ row }) => row.kind === "group");
    return {
      groups: groups.map((group) => {
        const inside = group.children.map((child) => this.#node(child));
        const arrays = inside.filter(({ row }) => row.kind === "array").map(({ row }) => row);
        return {
          row: group.row,
          groups: inside.length - arrays.length,
          arrays: arrays.length,
          inside: arrays.slice(0, 4),
        };
      }),
      groups_total: groups.length,
      dimensions: [...dimensionsOf(this.store, node.row.path)].map(([name, lengths]) => ({
        name,
        lengths: [...lengths.keys()],
      })),
      about: node.attributes.flatMap(({ name, value }) =>
        name === "institution" || name === "summary" ? [{ name, text: String(value) }] : [],
      ),
      attributes_total: node.attributes.length,
    };
  }

  #node(path: string): MockNode {
    const node = this.store.nodes.get(path);
    if (node) return node;
    const parent = this.store.nodes.get(path.slice(0, path.lastIndexOf("/")) || "/");
    const position = Number(/_(\d+)$/.exec(path)?.[1] ?? Number.NaN);
    if (parent?.many && position >= 0 && position < parent.many.total) {
      const found = parent.many.row(position);
      return {
        row: found,
        children: [],
        attributes: [],
        document: JSON.stringify({ zarr_format: 3, node_type: "array", shape: found.shape }, null, 2),
        source: { kind: "map", value: ([j = 0, i = 0]) => Math.sin((i + position) / 3) * Math.cos(j / 2) },
      };
    }
    throw new Refusal("not_found", `there is no node ${path}`);
  }

  #children(path: string, offset: number, limit: number): { total: number; rows: NodeRow[] } {
    const node = this.#node(path);
    if (node.many) {
      const { total, row: make } = node.many;
      const count = Math.max(0, Math.min(limit, total - offset));
      return { total, rows: Array.from({ length: count }, (_, at) => make(offset + at)) };
    }
    const rows = node.children.map((child) => this.#node(child).row);
    return { total: rows.length, rows: rows.slice(offset, offset + limit) };
  }

  readonly #methods: { [M in Method]: (params: Params<M>, buffers: DataView[]) => Methods[M]["result"] } = {
    open: () => this.summary(),
    lost: ({ ids }) => ({ ids: ids.filter((id) => !this.#working.has(id)) }),
    locate: ({ dimension, value, index }) => {
      if (value === "+1 month") return { index: index + 124 };
      for (const [path, coordinate] of this.store.coordinates) {
        if (!path.endsWith(`/${dimension}`)) continue;
        const length = this.#node(path).row.shape?.[0] ?? 0;
        for (let index = 0; index < length; index++) {
          const label = coordinate.label?.(index) ?? String(coordinate.at(index));
          if (label.startsWith(value)) return { index };
        }
      }
      throw new Refusal("bad_request", `${dimension} has no '${value}'`);
    },
    complete: ({ value }) => ({
      labels: ["2020-01-04 00:00", "2020-01-04 06:00"].filter((one) => one.startsWith(value)),
    }),
    series_file: ({ path, dimension, format }, buffers) => {
      const bytes = new TextEncoder().encode(`${path} along ${dimension}`);
      const file_buffer = buffers.push(new DataView(bytes.buffer)) - 1;
      return { name: `series.${format}`, media_type: "text/csv", file_buffer };
    },
    animate: ({ path, dimension, format }, buffers) => {
      const bytes = new TextEncoder().encode(`${path} along ${dimension}`);
      const file_buffer = buffers.push(new DataView(bytes.buffer)) - 1;
      return { name: `film.${format}`, media_type: `image/${format}`, file_buffer };
    },
    set: ({ traits }) => {
      this.tellTraits(traits);
      return { traits };
    },
    children: ({ path, offset = 0, limit = 200 }) => ({
      path,
      offset,
      problem: null,
      ...this.#children(path, offset, limit),
    }),
    rows: ({ paths }) => ({ rows: paths.map((path) => this.#node(path).row) }),
    reveal: ({ path }) => {
      this.#node(path);
      const parts = path.split("/").filter(Boolean);
      const steps = parts.map((_, at) => {
        const here = `/${parts.slice(0, at + 1).join("/")}`;
        const parent = this.#node(`/${parts.slice(0, at).join("/")}`);
        const position = parent.many ? Number(/_(\d+)$/.exec(here)?.[1]) : parent.children.indexOf(here);
        return { row: this.#node(here).row, position };
      });
      return { steps };
    },
    search: ({ query, offset = 0, limit = 200 }) => {
      const words = query.toLowerCase().split(/\s+/);
      const fits = (path: string) => words.every((word) => path.toLowerCase().includes(word));
      const rows = [...this.store.nodes.values()]
        .filter((node) => node.row.path !== "/" && fits(node.row.path))
        .map((node) => node.row);
      for (const node of this.store.nodes.values()) {
        for (let at = 0; node.many && at < Math.min(node.many.total, 5000); at++) {
          const found = node.many.row(at);
          if (fits(found.path)) rows.push(found);
        }
      }
      const complete = this.progress.phase !== "walk";
      return { query, offset, total: rows.length, complete, rows: rows.slice(offset, offset + limit) };
    },
    node: ({ path }) => {
      const node = this.#node(path);
      const { shape, data_type, dimension_names } = node.row;
      const dims = (shape ?? []).map((length, at) => `${dimension_names?.[at] ?? "–"} ${length}`).join(", ");
      const arrays = node.many
        ? this.#children(path, 0, 60).rows
        : node.children
            .map((child) => this.#node(child))
            .filter((child) => child.source)
            .map((child) => child.row);
      return {
        row: node.row,
        title: shape
          ? `${data_type} (${dims})`
          : `group of ${node.many?.total ?? node.children.length} nodes`,
        arrays,
        arrays_total: node.many?.total ?? arrays.length,
        ...this.#inside(node),
      };
    },
    findings: ({
      path,
      below = true,
      offset = 0,
      limit = 200,
      order = "impact",
      impacts = [],
      symptom = null,
    }): FindingsResult => {
      const inside = (other: string) =>
        other === path || (below && (path === "/" || other.startsWith(`${path}/`)));
      const all = this.store.findings.filter((finding) => inside(finding.path));
      const wanted = all.filter(({ impact }) => impacts.length === 0 || impacts.includes(impact));
      const meant = noImpacts();
      for (const { impact } of all) meant[impact] += 1;
      const rank = ({ impact }: Finding) => Object.keys(meant).indexOf(impact);
      const cause = this.store.symptoms[symptom ?? ""];
      const aside = ({ rule }: Finding) => cause !== undefined && !cause.includes(rule);
      const keyOf = (finding: Finding) =>
        aside(finding) ? "other" : order === "rule" ? finding.rule : finding.impact;
      if (order !== "node") wanted.sort((a, b) => rank(a) - rank(b) || a.rule.localeCompare(b.rule));
      wanted.sort((a, b) => Number(aside(a)) - Number(aside(b)));
      const groups = new Map<string, FindingsResult["groups"][number]>();
      for (const finding of order === "node" ? [] : wanted) {
        const key = keyOf(finding);
        const group = groups.get(key) ?? { key, impact: finding.impact, count: 0 };
        groups.set(key, { ...group, count: group.count + 1 });
      }
      const open = this.store.notEvaluated.filter((item) => inside(item.path));
      const findings = wanted.slice(offset, offset + limit);
      const count = (severity: string) => all.filter((finding) => finding.severity === severity).length;
      const named = new Set((order === "rule" ? wanted : findings).map(({ rule }) => rule));
      return {
        path,
        below,
        offset,
        total: wanted.length,
        groups: [...groups.values()],
        counts: {
          error: count("error"),
          warning: count("warning"),
          info: count("info"),
          complete: this.progress.phase === "done",
        },
        impacts: meant,
        findings,
        rules: Object.fromEntries(
          [...named].map((id) => {
            const { title = id, source = "" } = this.store.rules[id] ?? {};
            return [id, { title, source }];
          }),
        ),
        not_evaluated: open.length,
        symptoms: Object.entries(this.store.symptoms)
          .map(([text, rules]) => ({
            key: text,
            text,
            words: rules,
            count: all.filter(({ rule }) => rules.includes(rule)).length,
          }))
          .sort((a, b) => Number(!a.count) - Number(!b.count)),
        causes: cause === undefined ? null : wanted.filter((one) => !aside(one)).length,
      };
    },
    document: ({ path, pointer }) => ({
      path,
      documents: documentsOf(this.store, this.#node(path).row.path, pointer),
    }),
    picture: (params, buffers) => this.#picture(params, buffers),
    thumbnails: ({ paths, width = 160, height = 100 }, buffers) => ({
      thumbnails: paths.map((path) => this.#thumbnail(path, width, height, buffers)),
    }),
    netcdf: ({ path }) => {
      const node = this.#node(path);
      const arrays =
        node.row.kind === "array" ? [path] : node.children.filter((child) => this.#node(child).source);
      const documents = [path, ...arrays.filter((one) => one !== path)]
        .slice(0, 12)
        .flatMap((one) => documentsOf(this.store, one).slice(0, 1));
      return { path, cdl: cdlOf(this.store, path), documents };
    },
    colormaps: (_, buffers) => {
      const names = ["viridis", "magma", "RdBu", "gray"];
      const tables = new Uint8Array(names.length * 768);
      names.forEach((name, nth) => {
        for (let at = 0; at < 256; at++) tables.set(colorOf(name, at / 255), nth * 768 + at * 3);
      });
      return { names, tables_buffer: buffers.push(new DataView(tables.buffer)) - 1, diverging: ["RdBu"] };
    },
    lines: ({ path, dimension, width = 800 }, buffers) => {
      const all = this.#node(path).children.map((child) => this.#node(child));
      const flat = all.filter(({ row: { shape }, source }) => shape?.length === 1 && source?.kind === "line");
      const dimensions = [...new Set(flat.map((node) => node.row.dimension_names?.[0] ?? "dim_0"))];
      const chosen = dimension ?? dimensions[0] ?? "";
      const group = flat.filter((node) => node.row.dimension_names?.[0] === chosen);
      const x = this.#axis(path, chosen, 0, group[0]?.row.shape?.[0] ?? 0, width, buffers, null, null);
      const lines = group.map(({ row: { path: one, name }, source }) => {
        const places = Array.from({ length: x.size }, (_, at) => [at * x.step]);
        const values = Float64Array.from(places, (place) => source?.value(place) ?? 0);
        const states = Uint8Array.from(places, (place) => source?.state?.(place) ?? 0);
        const units = source?.units ?? null;
        const values_buffer = buffers.push(new DataView(values.buffer)) - 1;
        return {
          path: one,
          label: name,
          units,
          values_buffer,
          states_buffer: buffers.push(new DataView(states.buffer)) - 1,
        };
      });
      return { path, dimension: chosen, dimensions, x, lines, message: null };
    },
    series: ({ path, dimension, pins, index = {}, width = 800 }, buffers) => {
      const { row, source } = this.#node(path);
      const names = (row.dimension_names ?? []).map((name, at) => name ?? `dim_${at}`);
      const along = names.indexOf(dimension);
      const x = this.#axis(
        path.slice(0, path.lastIndexOf("/")),
        dimension,
        along,
        row.shape?.[along] ?? 0,
        2 * width,
        buffers,
        null,
        null,
      );
      const lines = pins.map((pin) => {
        const place = names.map((name) => pin[name] ?? index[name] ?? 0);
        const places = Array.from({ length: x.size }, (_, at) => place.with(along, at * x.step));
        const values = Float64Array.from(places, (one) => source?.value(one) ?? 0);
        const states = Uint8Array.from(places, (one) => source?.state?.(one) ?? 0);
        return {
          path,
          label: names.flatMap((name) => (name in pin ? [`${name} ${pin[name]}`] : [])).join(", "),
          units: source?.units ?? null,
          values_buffer: buffers.push(new DataView(values.buffer)) - 1,
          states_buffer: buffers.push(new DataView(states.buffer)) - 1,
        };
      });
      return { path, dimension, dimensions: names, x, lines, message: null };
    },
    scan: ({ path, action }, buffers) => {
      this.#node(path);
      const before = this.#scan(path, []);
      if (action === "start" && before.phase !== "done") {
        this.#scans.set(path, { ...before, phase: "running" });
        if (this.scanStep > 0) setTimeout(() => this.step(path), this.scanStep);
      } else if (action === "cancel")
        this.#scans.set(path, { ...before, phase: "cancelled", message: "stopped" });
      return this.#scan(path, buffers);
    },
    export: ({ path, format }, buffers) => {
      const bytes = new TextEncoder().encode(`${path} as ${format}`);
      const media_type = { png: "image/png", svg: "image/svg+xml", csv: "text/csv", npy: "", nc: "" }[format];
      const name = `${this.#node(path).row.name}.${format}`;
      return {
        name,
        media_type: media_type || "application/octet-stream",
        file_buffer: buffers.push(new DataView(bytes.buffer)) - 1,
      };
    },
    retry: ({ path }) => ({ row: this.#node(path).row }),
    page: ({ name, path, params }) => {
      const blocks = this.pages[name];
      if (!blocks) throw new Refusal("bad_request", `there is no page ${name}`);
      return { name, path, blocks: blocks(path, params) };
    },
    act: ({ name, path, params }, buffers) => {
      const nothing = { message: null, path: null, panel: null, file: null, media_type: null };
      return { ...nothing, file_buffer: null, ...this.actions[name]?.(path, params, buffers) };
    },
    walk: ({ action }) => {
      this.progress = { ...this.progress, phase: action === "cancel" ? "cancelled" : "walk" };
      return { progress: this.progress };
    },
  };

  #axis(
    group: string,
    name: string | null,
    dim: number,
    length: number,
    most: number,
    buffers: DataView[],
    chunk: number | null,
    window: number[] | null | undefined,
  ): Axis {
    const [start, end] = [window?.[0] ?? 0, Math.min(length, window?.[1] ?? length)];
    const step = Math.max(1, Math.ceil((end - start) / Math.max(1, most)));
    const size = Math.ceil((end - start) / step);
    const coordinate =
      name === null ? undefined : this.store.coordinates.get(`${group === "/" ? "" : group}/${name}`);
    const base = { label: name ?? `dim_${dim}`, start, step, size, length, chunk };
    if (!coordinate)
      return {
        ...base,
        kind: "index",
        decreasing: false,
        downwards: true,
        units: null,
        coordinates_buffer: null,
        labels: null,
      };
    const values = Float64Array.from({ length: size }, (_, at) => coordinate.at(start + at * step));
    const label = coordinate.label;
    return {
      ...base,
      kind: coordinate.kind,
      decreasing: size > 1 && (values[1] as number) < (values[0] as number),
      downwards: false,
      units: coordinate.units,
      coordinates_buffer:
        coordinate.kind === "category" ? null : buffers.push(new DataView(values.buffer)) - 1,
      labels: label ? Array.from({ length: size }, (_, at) => label(start + at * step)) : null,
    };
  }

  #picture(
    {
      path,
      index = {},
      width = 800,
      height = 500,
      everything = false,
      window = {},
      kind = "auto",
      part = null,
      reduce = {},
    }: PictureParams,
    buffers: DataView[],
  ): PictureResult {
    const node = this.#node(path);
    const { shape, dimension_names: names, name, data_type, state, problem } = node.row;
    const { source } = node;
    const group = path.slice(0, path.lastIndexOf("/")) || "/";
    const result: PictureResult = {
      kind: "none",
      path,
      title: name,
      label: `${path}: no picture`,
      message: null,
      data_type,
      units: source?.units ?? null,
      x: null,
      y: null,
      sliders: [],
      values_type: null,
      values_buffer: null,
      states_buffer: null,
      storage_states_buffer: null,
      states: [],
      low: null,
      high: null,
      ranges: {},
      colormap: "viridis",
      signed: false,
      text: null,
      fill: null,
      storage_fill: "0.0",
      fill_source: "_FillValue",
      hidden_by_xarray: 0,
      read: null,
      errors: [],
      kinds: [],
      parts: [],
      part: null,
      image_buffer: null,
      histogram: null,
      categories: [],
      dates: [],
      packing: null,
      valid_low: null,
      valid_high: null,
      curvilinear: null,
      aspect: null,
      earth: null,
      overview: null,
    };
    if (!source || !shape || state !== "ok") return { ...result, message: problem ?? "nothing to draw" };
    if (source.kind === "text" || source.kind === "scalar") {
      const states: StateCount[] = source.kind === "scalar" ? [{ state: "value", code: 0, count: 1 }] : [];
      const along = source.kind === "text" && shape.length === 1;
      return {
        ...result,
        kind: source.kind,
        label: `${path}: ${source.text}`,
        text: source.text ?? null,
        x: along ? this.#axis(group, names?.[0] ?? null, 0, shape[0] ?? 0, 200, buffers, null, null) : null,
        states,
      };
    }
    const two = source.kind === "map";
    const rank = shape.length;
    const budget = everything ? 1e9 : 1;
    const fixed = shape.slice(0, two ? rank - 2 : rank - 1).map((length, axis) => {
      const at = index[names?.[axis] ?? `dim_${axis}`] ?? index[`dim_${axis}`] ?? 0;
      return Math.max(0, Math.min(length - 1, at < 0 ? at + length : at));
    });
    const x = this.#axis(
      group,
      names?.[rank - 1] ?? null,
      rank - 1,
      shape[rank - 1] ?? 1,
      Math.min(width, 1e6) * budget,
      buffers,
      source.chunks?.at(-1) ?? null,
      window[names?.[rank - 1] ?? `dim_${rank - 1}`],
    );
    const y = two
      ? this.#axis(
          group,
          names?.[rank - 2] ?? null,
          rank - 2,
          shape[rank - 2] ?? 1,
          height * budget,
          buffers,
          source.chunks?.at(-2) ?? null,
          window[names?.[rank - 2] ?? `dim_${rank - 2}`],
        )
      : null;
    const count = x.size * (y?.size ?? 1);
    const values = new Float32Array(count);
    const states = new Uint8Array(count);
    const storage = new Uint8Array(count);
    const colors = new Uint8ClampedArray(count * 4);
    const [xs, ys] = [new Float32Array(count), new Float32Array(count)];
    const counts = new Array<number>(10).fill(0);
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let at = 0; at < count; at++) {
      const i = x.start + (at % x.size) * x.step;
      const j = y ? y.start + Math.floor(at / x.size) * y.step : 0;
      const place = y ? [...fixed, j, i] : [...fixed, i];
      if (source.color) colors.set([...source.color(place), 255], at * 4);
      if (source.place) {
        const [lon, lat] = source.place(j, i);
        xs[at] = ((lon + 180) % 360) - 180;
        ys[at] = lat;
      }
      const value = Math.fround(source.value(place));
      const given = source.state?.(place) ?? 0;
      values[at] =
        [value, value, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, 0, 0][given] ??
        value;
      states[at] = given;
      storage[at] = given === 1 ? 0 : given;
      if (given === 0 && value === 0) storage[at] = 7;
      counts[given] = (counts[given] ?? 0) + 1;
      if (given === 0) {
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    }
    const add = (array: Float32Array | Uint8Array | Uint8ClampedArray) => {
      // Not aligned, as buffers of a message are not.
      const bytes = new Uint8Array(array.byteLength + 3);
      bytes.set(new Uint8Array(array.buffer), 3);
      return buffers.push(new DataView(bytes.buffer, 3, array.byteLength)) - 1;
    };
    const sliders = fixed.map((at, axis) => {
      const dimension = names?.[axis] ?? `dim_${axis}`;
      const coordinate = this.store.coordinates.get(`${group === "/" ? "" : group}/${dimension}`);
      const label = coordinate ? (coordinate.label?.(at) ?? String(coordinate.at(at))) : String(at);
      return {
        dimension,
        axis,
        length: shape[axis] ?? 1,
        index: at,
        label,
        units: coordinate?.kind === "number" ? coordinate.units : null,
        method: reduce[dimension] ?? null,
        whole_bytes: 1e6,
        cached: [
          [
            Math.floor(at / (source.chunks?.[axis] ?? 1)) * (source.chunks?.[axis] ?? 1),
            Math.min(
              shape[axis] ?? 1,
              (Math.floor(at / (source.chunks?.[axis] ?? 1)) + 1) * (source.chunks?.[axis] ?? 1),
            ),
          ],
        ],
      };
    });
    const decimated = x.step > 1 || (y?.step ?? 1) > 1;
    const slice = sliders.map(({ dimension, label }) => `${dimension} ${label}`).join(", ");
    const unreadable = counts[6] ?? 0;
    const usual = source.color ? "image" : source.kind;
    const shown = kind === "auto" ? usual : kind;
    const bins = new Array<number>(20).fill(0);
    for (const [at, value] of values.entries()) {
      const bin = Math.min(19, Math.floor(((value - low) / (high - low || 1)) * 20));
      if (states[at] === 0) bins[bin] = (bins[bin] ?? 0) + 1;
    }
    const numbers = {
      image_buffer: shown === "image" ? add(colors) : null,
      histogram: shown === "histogram" ? histogramOf(bins, low, high, "the points shown", buffers) : null,
      kinds: [usual, ...(source.color ? ["map"] : []), "histogram", "table"],
      parts: source.parts ?? [],
      part: source.parts ? (part ?? source.parts[0] ?? null) : null,
      categories: source.categories ?? [],
      dates: [],
      packing: source.packing ?? null,
      valid_low: source.valid?.[0] ?? null,
      valid_high: source.valid?.[1] ?? null,
      curvilinear: source.place
        ? {
            x_label: "lon",
            y_label: "lat",
            x_buffer: add(xs),
            y_buffer: add(ys),
            x_units: "degrees_east",
            y_units: "degrees_north",
            limits: [-180, 180, -90, 90],
            aspect: 2,
          }
        : null,
      overview: x.step > 2 ? `read from an overview, ${x.step} times smaller` : null,
    };
    return {
      ...result,
      ...numbers,
      kind: shown,
      title: `${name}${slice ? ` at ${slice}` : ""}`,
      label: `${path}${slice ? `, ${slice}` : ""}: ${low.toPrecision(4)} to ${high.toPrecision(4)}${source.units ? ` ${source.units}` : ""}`,
      x,
      y,
      sliders,
      values_type: "float32",
      values_buffer: add(values),
      states_buffer: add(states),
      storage_states_buffer: add(storage),
      states: counts.flatMap((n, code) =>
        n > 0 ? [{ state: STATE_NAMES[code] ?? "value", code, count: n }] : [],
      ),
      low: low <= high ? low : null,
      high: low <= high ? high : null,
      fill: node.attributes.some((one) => one.name === "_FillValue") ? "−9999 (number)" : null,
      read: {
        decoded_bytes: count * 4,
        whole_bytes: count * 4 * x.step * (y?.step ?? 1),
        chunks_read: 12,
        chunks_total: 48,
        decimated,
        complete: unreadable === 0,
        note: `read 12 of 48 chunks, ${((count * 4) / 1048576).toFixed(1)} MiB decoded${decimated ? `, every ${x.step}th value` : ""}`,
      },
      errors: unreadable > 0 ? [{ chunk: "c/2/1/2", message: "zstd: the frame is cut short" }] : [],
    };
  }

  #thumbnail(path: string, width: number, height: number, buffers: DataView[]): Thumbnail {
    const own: DataView[] = [];
    const picture = this.#picture({ path, width, height }, own);
    if (picture.values_buffer === null || picture.kind === "none") {
      return {
        path,
        width,
        height,
        image_buffer: null,
        kind: "none",
        colormap: "",
        label: picture.text ? (picture.text.split("\n")[0] ?? "") : "no picture",
      };
    }
    const [nx, ny] = [picture.x?.size ?? 1, picture.y?.size ?? 1];
    const values = own[picture.values_buffer] as DataView;
    const states = own[picture.states_buffer ?? 0] as DataView;
    const [low, high] = [picture.low ?? 0, picture.high ?? 1];
    const bytes = new Uint8Array(width * height);
    for (let py = 0; py < height; py++) {
      for (let px = 0; px < width; px++) {
        const i = Math.floor((px * nx) / width);
        const j = picture.kind === "map" ? Math.floor((py * ny) / height) : 0;
        const at = j * nx + i;
        if (states.getUint8(at) !== 0) continue;
        const part = (values.getFloat32(at * 4, true) - low) / (high - low || 1);
        if (picture.kind === "map") bytes[py * width + px] = 1 + Math.round(part * 254);
        else if (Math.abs(py - (height - 4) * (1 - part) - 2) < 1) bytes[py * width + px] = 255;
      }
    }
    return {
      path,
      width,
      height,
      image_buffer: buffers.push(new DataView(bytes.buffer)) - 1,
      colormap: picture.colormap,
      kind: picture.kind === "map" ? "map" : "line",
      label: picture.label,
    };
  }
}

function histogramOf(counts: number[], low: number, high: number, of: string, buffers: DataView[]) {
  const edges = Float64Array.from(
    { length: counts.length + 1 },
    (_, at) => low + ((high - low) * at) / counts.length,
  );
  const edges_buffer = buffers.push(new DataView(edges.buffer)) - 1;
  const counts_buffer = buffers.push(new DataView(Float64Array.from(counts).buffer)) - 1;
  return { edges_buffer, counts_buffer, of };
}

/** Rough likenesses of matplotlib's colormaps. */
function colorOf(name: string, at: number): [number, number, number] {
  const stops: Record<string, number[][]> = {
    viridis: [
      [68, 1, 84],
      [59, 82, 139],
      [33, 145, 140],
      [94, 201, 98],
      [253, 231, 37],
    ],
    magma: [
      [0, 0, 4],
      [81, 18, 124],
      [183, 55, 121],
      [252, 137, 97],
      [252, 253, 191],
    ],
    RdBu: [
      [178, 24, 43],
      [244, 165, 130],
      [247, 247, 247],
      [146, 197, 222],
      [33, 102, 172],
    ],
    gray: [
      [0, 0, 0],
      [255, 255, 255],
    ],
  };
  const list = stops[name] ?? [];
  const place = at * (list.length - 1);
  const from = Math.min(list.length - 2, Math.floor(place));
  const [a = [], b = []] = [list[from], list[from + 1]];
  return [0, 1, 2].map((c) => Math.round((a[c] ?? 0) + ((b[c] ?? 0) - (a[c] ?? 0)) * (place - from))) as [
    number,
    number,
    number,
  ];
}

export { row };
