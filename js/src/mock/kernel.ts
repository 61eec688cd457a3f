import type {
  ActResult,
  Event as KernelEvent,
  Methods,
  NodeRow,
  PictureResult,
  Progress,
  ScanResult,
  Summary,
  Thumbnail,
} from "../client/protocol.gen";
import { decode } from "../saved/nearest";
import type { FakeModel } from "./model";
import { type Method, nearest, type Params, type Recorded, recorded, type StoreName } from "./recordings";

type Result<M extends Method> = Methods[M]["result"];
/** What a test answers itself, made of what was recorded. */
export type OwnAnswer<M extends Method> = (
  params: Required<Methods[M]["params"]>,
  recorded: (change?: Params) => Result<M>,
  buffers: DataView[],
) => Result<M>;

/** The state of what was not read, in a picture that is not finished. */
const UNREAD = 8;

const HOW_TO_RECORD = "not recorded, see js/README.md: python tests/record_messages.py --tests src/…";

class Refusal extends Error {
  readonly error: NonNullable<Recorded["error"]>;
  constructor(error: NonNullable<Recorded["error"]>) {
    super(error.message);
    this.error = error;
  }
}

/**
 * A kernel that plays back what a real one said of a store. When it answers, and whether, is up to the test; what it
 * says, where a test needs something special, is made of what was recorded by `answers`.
 */
export class RecordedKernel {
  readonly store: StoreName;
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
  /** What was asked and not recorded. */
  readonly missing: string[] = [];
  /** The summary that was recorded, to be changed. */
  readonly summary: Summary;
  readonly answers: { [M in Method]?: OwnAnswer<M> } = {};
  /** What comes of the buttons of pages, by name. */
  actions: Record<string, (path: string, params: Params, buffers: DataView[]) => Partial<ActResult>> = {};
  /** How many unfinished pictures come before each finished one. */
  partials = 0;
  /** Milliseconds from the last of them to the finished one. */
  partialPause = 0;
  /** Milliseconds between the steps of going through all values; 0: only `step` moves it. */
  scanStep = 0;

  #path: unknown;
  readonly #find: typeof recorded;
  readonly #views = new Map<unknown, unknown>();
  /** How many quarters of an array were gone through, and how that goes on. */
  readonly #scans = new Map<string, { quarters: number; phase: ScanResult["phase"] }>();
  readonly #working = new Set<number>();
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();

  constructor(store: StoreName, model: FakeModel, { delay = 0, loose = false } = {}) {
    this.store = store;
    this.model = model;
    this.delay = delay;
    this.#find = loose ? nearest : recorded;
    this.summary = structuredClone(this.#recorded("open", {}, []));
    model.onSend = (message) => this.#hear(message as never);
    this.#path = model.get("path");
    model.onSave = (traits) => {
      this.tellTraits(traits);
      if ("path" in traits) this.#changeView(traits.path);
    };
  }

  /** Whether everything that was asked has been answered. */
  get idle(): boolean {
    return this.#working.size === 0;
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.model.onSend = null;
    this.model.onSave = null;
  }

  /** All that is shared, which a real kernel says in reply, also where nothing is set. */
  #traits(): Params {
    const names = ["path", "index", "view", "panel", "bookmarks", "pins"];
    return Object.fromEntries(names.map((name) => [name, this.model.get(name)]));
  }

  /** What belongs to one array comes back with it. */
  #changeView(path: unknown): void {
    const view = this.model.get("view") as Params;
    this.#views.set(this.#path, view);
    this.#path = path;
    const { mask = "nz", grid = false, decoded = true } = view;
    const next = { ...(this.#views.get(path) as object), mask, grid, decoded };
    this.model.fromPython("view", next);
    this.tellTraits({ view: next });
  }

  /** Sends the summary unasked. */
  announce(progress: Partial<Progress> = {}): void {
    Object.assign(this.summary.progress, progress);
    this.#tell({ event: "summary", summary: structuredClone(this.summary) });
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
  tellTraits(traits: Params): void {
    this.#tell({ event: "traits", traits });
  }

  /** A walk that is not at its end. */
  walking(nodes = 0): void {
    const { progress } = this.summary;
    const message = `${nodes} of ${progress.total} nodes read`;
    Object.assign(progress, { phase: "walk", nodes, message });
  }

  #hear(message: { kind: string; id: number; method?: Method; params?: Params }): void {
    if (message.kind === "cancel") {
      this.cancelled.add(message.id);
      return;
    }
    if (message.kind === "shown") return;
    const method = message.method as Method;
    if (method !== "lost") this.#working.add(message.id);
    if (this.silent.has(method) || this.silent.has("all")) return;
    this.#after(this.delays[method] ?? this.delay, () => {
      this.#working.delete(message.id);
      this.#answer(message.id, method, message.params ?? {});
    });
  }

  #after(milliseconds: number, then: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      then();
    }, milliseconds);
    this.#timers.add(timer);
  }

  #answer(id: number, method: Method, params: Params): void {
    const buffers: DataView[] = [];
    let [result, error]: [unknown, Recorded["error"] | null] = [null, null];
    const failing = this.failing.get(method);
    if (this.cancelled.has(id)) error = { code: "cancelled", message: "cancelled", retry: false };
    else if (failing !== undefined) error = { code: "unreadable", message: failing, retry: true };
    else {
      try {
        result = this.#result(method, params, buffers);
      } catch (refusal) {
        if (!(refusal instanceof Refusal)) throw refusal;
        error = refusal.error;
      }
    }
    const message = { kind: "reply", id, ok: error === null, result, error };
    const send = () => {
      this.onReply?.(method, message);
      this.model.receive(message, buffers);
    };
    const picture = result as PictureResult;
    const parts = method === "picture" && picture?.states_buffer != null ? this.partials : 0;
    for (let part = 1; part <= parts; part++) this.#partial(id, part, picture, buffers);
    if (parts > 0 && this.partialPause > 0) this.#after(this.partialPause, send);
    else send();
  }

  #result(method: Method, params: Params, buffers: DataView[]): unknown {
    const own = this.answers[method] as OwnAnswer<Method> | undefined;
    const usual = (change: Params = {}) => this.#usual(method, { ...params, ...change }, buffers);
    return own ? own(params as never, usual as never, buffers) : usual();
  }

  /** What is about this conversation is answered here; all else was recorded. */
  #usual(method: Method, params: Params, buffers: DataView[]): unknown {
    const path = params.path as string;
    const nothing = { message: null, path: null, panel: null, file: null, media_type: null };
    switch (method) {
      case "open":
        return structuredClone(this.summary);
      case "lost":
        return { ids: (params.ids as number[]).filter((id) => !this.#working.has(id)) };
      case "set":
        this.tellTraits(params.traits as Params);
        return { traits: { ...this.#traits(), ...(params.traits as Params) } };
      case "walk":
        this.summary.progress.phase = params.action === "cancel" ? "cancelled" : "walk";
        return { progress: { ...this.summary.progress } };
      case "act":
        return {
          ...nothing,
          file_buffer: null,
          ...this.actions[params.name as string]?.(path, params.params as Params, buffers),
        };
      case "scan":
        return this.#control(path, params.action as string, buffers);
      case "rows":
        return { rows: (params.paths as string[]).map((one) => this.#row(one)) };
      case "retry":
        return { row: this.#row(path) };
      case "thumbnails":
        return { thumbnails: (params.paths as string[]).map((one) => this.#thumbnail(one, params, buffers)) };
      default:
        return this.#recorded(method, params, buffers);
    }
  }

  #recorded<M extends Method>(method: M, params: Params, buffers: DataView[]): Result<M> {
    const found = this.#find(this.store, method, params);
    if (found === undefined) {
      const question = `${method} ${JSON.stringify(params)} of ${this.store}: ${HOW_TO_RECORD}`;
      this.missing.push(question);
      throw new Refusal({ code: "internal", message: question, retry: false });
    }
    if (found.error) throw new Refusal(found.error);
    // Of each message the buffers are counted from 0.
    buffers.push(...(found.buffers ?? []).map(decode));
    return structuredClone(found.result) as Result<M>;
  }

  #row(path: string): NodeRow {
    return (this.#result("node", { path }, []) as Result<"node">).row;
  }

  #thumbnail(path: string, params: Params, buffers: DataView[]): Thumbnail {
    const own: DataView[] = [];
    const { thumbnails } = this.#recorded("thumbnails", { ...params, paths: [path] }, own);
    const [one] = thumbnails as [Thumbnail];
    const image = own[one.image_buffer ?? -1];
    return { ...one, image_buffer: image ? buffers.push(image) - 1 : null };
  }

  #tell(told: Partial<KernelEvent>, buffers: DataView[] = []): void {
    const nothing = { summary: null, scan: null, page: null, traits: null, frames: null };
    const event = { kind: "event", ...nothing, ...told };
    this.onReply?.("event", event);
    this.model.receive(event, buffers);
  }

  /** A picture of which the first rows are there. */
  #partial(id: number, part: number, result: PictureResult, buffers: DataView[]): void {
    const own = [...buffers];
    const at = result.states_buffer as number;
    const states = new Uint8Array((own[at] as DataView).buffer.slice(0));
    states.fill(UNREAD, Math.floor((states.length * part) / (this.partials + 1)));
    own[at] = new DataView(states.buffer);
    const progress = { chunks_read: part, chunks_total: this.partials + 1, complete: false };
    const read = result.read && { ...result.read, ...progress };
    const label = `${result.label}, not finished`;
    const message = { kind: "partial", id, result: { ...result, read, label } };
    this.onReply?.("partial", message);
    this.model.receive(message, own);
  }

  #control(path: string, action: string, buffers: DataView[]): ScanResult {
    const before = this.#scans.get(path) ?? { quarters: 0, phase: "none" };
    if (action === "start" && before.phase !== "done") {
      this.#scans.set(path, { ...before, phase: "running" });
      if (this.scanStep > 0) this.#after(this.scanStep, () => this.step(path));
    } else if (action === "cancel") this.#scans.set(path, { ...before, phase: "cancelled" });
    return this.#scan(path, buffers);
  }

  /** What is found of an array before its last quarter is what is found in the end. */
  #scan(path: string, buffers: DataView[]): ScanResult {
    const { quarters, phase } = this.#scans.get(path) ?? { quarters: 0, phase: "none" };
    if (quarters === 0) {
      const found = this.#recorded("scan", { path, action: "status" }, buffers);
      return phase === "none" ? found : { ...found, phase };
    }
    const found = this.#recorded("scan", { path, action: "start" }, buffers);
    if (phase === "done") return found;
    const chunks_done = Math.ceil((found.chunks_total * quarters) / 4);
    return { ...found, phase, chunks_done, message: `${chunks_done} of ${found.chunks_total} chunks` };
  }

  /** Goes through one more quarter of an array, and says so. */
  step(path: string): void {
    const scan = this.#scans.get(path);
    if (scan?.phase !== "running") return;
    const quarters = scan.quarters + 1;
    this.#scans.set(path, { quarters, phase: quarters === 4 ? "done" : "running" });
    const buffers: DataView[] = [];
    this.#tell({ event: "scan", scan: this.#scan(path, buffers) }, buffers);
    if (this.scanStep > 0 && quarters < 4) this.#after(this.scanStep, () => this.step(path));
  }

  /** Forgets what was found by going through arrays, as the kernel does when they are read again. */
  forgetScans(): void {
    this.#scans.clear();
  }
}
