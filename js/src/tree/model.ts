import { type Client, RequestError } from "../client/client";
import type { NodeRow } from "../client/protocol.gen";
import { signal } from "../client/signals";
import { same } from "../client/traits";

export const PAGE = 200;

/** A line of the tree as it is drawn. */
export type Item =
  | { kind: "row"; index: number; level: number; row: NodeRow; position: number; size: number; open: boolean }
  | { kind: "pending"; index: number; level: number; parent: string; position: number; size: number }
  | { kind: "note"; index: number; level: number; parent: string; text: string; error: RequestError | null };

/** A group that is or was expanded, with those pages of its children that have been read. */
interface Branch {
  path: string;
  /** Paths of expanded children by their position. */
  open: Map<number, string>;
  total: number | null;
  pages: Map<number, NodeRow[]>;
  /** Pages on their way; `keep` where the way to a node needs it, whatever is on screen. */
  loading: Map<number, { abort: AbortController; done: Promise<void>; keep: boolean }>;
  error: RequestError | null;
  problem: string | null;
}

interface Spot {
  parent: string | null;
  position: number;
}

/**
 * The tree of one view: which groups are expanded and which pages of children are here. Nothing is ever
 * laid out whole; `items` gives the lines of a window and `load` reads the pages it needs.
 */
export class TreeModel {
  /** Grows with every change that can be seen. */
  readonly version = signal(0);

  readonly #client: Client;
  readonly #branches = new Map<string, Branch>();
  readonly #rows = new Map<string, NodeRow>();
  readonly #spots = new Map<string, Spot>();
  #rootOpen = false;
  #closed = false;

  constructor(client: Client) {
    this.#client = client;
  }

  setRoot(row: NodeRow): void {
    const before = this.#rows.get("/");
    if (same(before, row)) return;
    this.#place(null, 0, row);
    if (before === undefined && row.has_children !== false && row.kind !== "array") this.expand("/");
    this.#changed();
  }

  row(path: string): NodeRow | undefined {
    return this.#rows.get(path);
  }

  /** Takes newer rows for nodes that are already here. */
  update(rows: readonly NodeRow[]): void {
    let changed = false;
    for (const row of rows) {
      const spot = this.#spots.get(row.path);
      if (!spot || same(this.#rows.get(row.path), row)) continue;
      this.#place(spot.parent, spot.position, row);
      changed = true;
    }
    if (changed) this.#changed();
  }

  isOpen(path: string): boolean {
    if (path === "/") return this.#rootOpen;
    const spot = this.#spots.get(path);
    if (!spot?.parent) return false;
    return this.#branches.get(spot.parent)?.open.get(spot.position) === path;
  }

  canOpen(row: NodeRow): boolean {
    return row.kind !== "array" && row.has_children !== false;
  }

  expand(path: string): void {
    const spot = this.#spots.get(path);
    if (!spot) return;
    if (!spot.parent) this.#rootOpen = true;
    else this.#branches.get(spot.parent)?.open.set(spot.position, path);
    const branch = this.#branch(path);
    if (branch.total === null && branch.error === null) void this.#page(branch, 0);
    this.#changed();
  }

  collapse(path: string): void {
    const spot = this.#spots.get(path);
    if (!spot) return;
    if (!spot.parent) this.#rootOpen = false;
    else this.#branches.get(spot.parent)?.open.delete(spot.position);
    this.#changed();
  }

  toggle(path: string): void {
    if (this.isOpen(path)) this.collapse(path);
    else this.expand(path);
  }

  /** Expands the siblings of a node that are here, at most fifty of them. */
  expandSiblings(path: string): void {
    const parent = this.#spots.get(path)?.parent;
    if (parent === undefined || parent === null) {
      this.expand(path);
      return;
    }
    let left = 50;
    for (const page of this.#branches.get(parent)?.pages.values() ?? []) {
      for (const row of page) {
        if (left > 0 && this.canOpen(row) && !this.isOpen(row.path)) {
          this.expand(row.path);
          left -= 1;
        }
      }
    }
  }

  /** Number of lines. */
  count(): number {
    if (!this.#rows.has("/")) return 0;
    return 1 + (this.#rootOpen ? this.#size(this.#branch("/")) : 0);
  }

  /** Lines `start` up to but not including `end`. */
  items(start: number, end: number): Item[] {
    const root = this.#rows.get("/");
    if (root === undefined) return [];
    const out: Item[] = [];
    if (start <= 0 && end > 0) {
      out.push({ kind: "row", index: 0, level: 1, row: root, position: 0, size: 1, open: this.#rootOpen });
    }
    if (this.#rootOpen) this.#walk(this.#branch("/"), 2, 1, Math.max(0, start), end, out);
    return out;
  }

  /** The line of a node, or null where it is not in the expanded part. */
  indexOf(path: string): number | null {
    const spot = this.#spots.get(path);
    if (!spot) return null;
    if (!spot.parent) return 0;
    if (!this.isOpen(spot.parent)) return null;
    const above = this.indexOf(spot.parent);
    const branch = this.#branches.get(spot.parent);
    if (above === null || !branch) return null;
    let index = above + 1 + spot.position;
    for (const [position, child] of branch.open) {
      if (position < spot.position) index += this.#size(this.#branch(child));
    }
    return index;
  }

  parentOf(path: string): string | null {
    return this.#spots.get(path)?.parent ?? null;
  }

  /** Waits for the first children of a group. */
  first(path: string): Promise<void> {
    return this.#page(this.#branch(path), 0);
  }

  /** Reads the pages that some lines need and gives up those on their way that none needs. */
  load(items: readonly Item[]): Promise<void>[] {
    const wanted = new Set<string>();
    const waits: Promise<void>[] = [];
    for (const item of items) {
      if (item.kind !== "pending") continue;
      const page = Math.floor(item.position / PAGE);
      const key = `${page} ${item.parent}`;
      if (wanted.has(key)) continue;
      wanted.add(key);
      const branch = this.#branch(item.parent);
      if (branch.error === null) waits.push(this.#page(branch, page));
    }
    for (const branch of this.#branches.values()) {
      for (const [page, { abort, keep }] of branch.loading) {
        if (branch.total !== null && !keep && !wanted.has(`${page} ${branch.path}`)) abort.abort();
      }
    }
    return waits;
  }

  /** Asks again for rows, after findings have changed. */
  async refresh(paths: readonly string[]): Promise<void> {
    if (paths.length === 0) return;
    try {
      this.update((await this.#client.request("rows", { paths: [...paths] })).rows);
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
    }
  }

  /** Expands all groups on the way to a node; true when the node is now a line of the tree. */
  async reveal(path: string, abort: AbortSignal): Promise<boolean> {
    if (path !== "/" && this.indexOf(path) === null) {
      const { steps } = await this.#client.request("reveal", { path }, abort);
      let parent = "/";
      const waits: Promise<void>[] = [];
      for (const { row, position } of steps) {
        this.#place(parent, position, row);
        const branch = this.#branch(parent);
        waits.push(this.#page(branch, Math.floor(position / PAGE), true));
        if (parent === "/") this.#rootOpen = true;
        else {
          const spot = this.#spots.get(parent);
          if (spot && spot.parent !== null) this.#branches.get(spot.parent)?.open.set(spot.position, parent);
        }
        parent = row.path;
      }
      this.#changed();
      await Promise.all(waits);
    }
    return this.indexOf(path) !== null;
  }

  /** Forgets what was read below a node, and what was not readable. */
  forget(path: string): void {
    for (const [at, branch] of this.#branches) {
      if (at !== path && !at.startsWith(path === "/" ? "/" : `${path}/`)) continue;
      for (const { abort } of branch.loading.values()) abort.abort();
      branch.loading.clear();
      branch.pages.clear();
      branch.total = null;
      branch.error = null;
      branch.problem = null;
      if (at === path) branch.open.clear();
      else this.#branches.delete(at);
    }
    if (this.isOpen(path)) void this.#page(this.#branch(path), 0);
    this.#changed();
  }

  close(): void {
    this.#closed = true;
    for (const branch of this.#branches.values()) {
      for (const { abort } of branch.loading.values()) abort.abort();
    }
  }

  #branch(path: string): Branch {
    let branch = this.#branches.get(path);
    if (!branch) {
      branch = {
        path,
        open: new Map(),
        total: null,
        pages: new Map(),
        loading: new Map(),
        error: null,
        problem: null,
      };
      this.#branches.set(path, branch);
    }
    return branch;
  }

  #place(parent: string | null, position: number, row: NodeRow): void {
    this.#rows.set(row.path, row);
    this.#spots.set(row.path, { parent, position });
    const branch = parent === null ? undefined : this.#branches.get(parent);
    const page = branch?.pages.get(Math.floor(position / PAGE));
    if (page) page[position % PAGE] = row;
  }

  #page(branch: Branch, page: number, keep = false): Promise<void> {
    if (branch.pages.has(page)) return Promise.resolve();
    const running = branch.loading.get(page);
    if (running && !running.abort.signal.aborted) {
      running.keep ||= keep;
      return running.done;
    }
    const abort = new AbortController();
    const done = this.#read(branch, page, abort).finally(() => {
      if (branch.loading.get(page)?.abort === abort) branch.loading.delete(page);
    });
    branch.loading.set(page, { abort, done, keep });
    return done;
  }

  async #read(branch: Branch, page: number, abort: AbortController): Promise<void> {
    try {
      const params = { path: branch.path, offset: page * PAGE, limit: PAGE };
      const result = await this.#client.request("children", params, abort.signal);
      if (abort.signal.aborted || this.#closed) return;
      branch.total = result.total;
      branch.problem = result.problem;
      branch.error = null;
      branch.pages.set(page, result.rows);
      result.rows.forEach((row, at) => {
        this.#place(branch.path, page * PAGE + at, row);
      });
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      if (error.cancelled) return;
      branch.error = error;
    }
    this.#changed();
  }

  #size(branch: Branch): number {
    if (branch.total === null || branch.total === 0) return 1;
    let size = branch.total + (branch.problem === null ? 0 : 1);
    for (const child of branch.open.values()) size += this.#size(this.#branch(child));
    return size;
  }

  #walk(branch: Branch, level: number, base: number, start: number, end: number, out: Item[]): void {
    if (base >= end) return;
    const total = branch.total ?? 0;
    const note = (index: number, text: string) => {
      if (index >= start && index < end) {
        out.push({ kind: "note", index, level, parent: branch.path, text, error: branch.error });
      }
    };
    if (total === 0) {
      if (branch.error) note(base, branch.error.message);
      else note(base, branch.problem ?? (branch.total === null ? "Reading…" : "Nothing in here"));
      return;
    }
    let index = base;
    let position = 0;
    const stops = [...branch.open.keys()].sort((a, b) => a - b);
    if (stops.at(-1) !== total - 1) stops.push(total - 1);
    for (const stop of stops) {
      const count = stop - position + 1;
      for (let at = Math.max(0, start - index); at < Math.min(count, end - index); at++) {
        out.push(this.#item(branch, level, index + at, position + at, total));
      }
      index += count;
      position = stop + 1;
      const child = branch.open.get(stop);
      if (child !== undefined) {
        const inner = this.#branch(child);
        const size = this.#size(inner);
        if (index + size > start) this.#walk(inner, level + 1, index, start, end, out);
        index += size;
      }
      if (index >= end) return;
    }
    if (branch.problem !== null) note(index, branch.problem);
  }

  #item(branch: Branch, level: number, index: number, position: number, size: number): Item {
    const row = branch.pages.get(Math.floor(position / PAGE))?.[position % PAGE];
    if (!row && branch.error !== null) {
      return {
        kind: "note",
        index,
        level,
        parent: branch.path,
        text: branch.error.message,
        error: branch.error,
      };
    }
    if (!row) return { kind: "pending", index, level, parent: branch.path, position, size };
    return { kind: "row", index, level, row, position, size, open: branch.open.has(position) };
  }

  /** Renders whoever asks anew when something changes. */
  track(): number {
    return this.version.value;
  }

  #changed(): void {
    this.version.value = this.version.peek() + 1;
  }
}
