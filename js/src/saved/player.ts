/**
 * A saved page: the explorer without a kernel, with the answers that a kernel gave when the page was written.
 * `nz_explorer/widget/saved_page.py` writes it.
 */
import type { NodeRow, SearchResult } from "../client/protocol.gen";
import widget, { type Model } from "../index";
import { decode, nearest, type Recorded } from "./nearest";

interface Saved {
  traits: Record<string, unknown>;
  answers: Recorded[];
}

type Callback = (...args: never[]) => void;
type Params = Record<string, unknown>;

class SavedKernel implements Model {
  readonly #saved: Saved;
  readonly #listeners = new Map<string, Set<Callback>>();

  constructor(saved: Saved) {
    this.#saved = saved;
  }

  get(name: string): unknown {
    return this.#saved.traits[name];
  }

  set(name: string, value: unknown): void {
    this.#saved.traits[name] = value;
    this.#emit(`change:${name}`);
  }

  save_changes(): void {
    const event = { kind: "event", event: "traits", summary: null, scan: null, page: null, frames: null };
    this.#emit("msg:custom", { ...event, traits: { ...this.#saved.traits } }, []);
  }

  on(event: string, callback: Callback): void {
    this.#listeners.set(event, (this.#listeners.get(event) ?? new Set()).add(callback));
  }

  off(event: string, callback?: Callback): void {
    if (callback) this.#listeners.get(event)?.delete(callback);
    else this.#listeners.delete(event);
  }

  send(message: unknown): void {
    const { kind, id, method, params } = message as {
      kind: string;
      id: number;
      method: string;
      params: Params;
    };
    if (kind !== "request") return;
    setTimeout(() => {
      const buffers: DataView[] = [];
      const found = this.#answer(method, params);
      for (const text of found?.buffers ?? []) buffers.push(decode(text));
      const error = found
        ? (found.error ?? null)
        : {
            code: "not_found",
            message: "This page was saved without it. Open the store to see it.",
            retry: false,
          };
      const ok = error === null;
      this.#emit("msg:custom", { kind: "reply", id, ok, result: ok ? found?.result : null, error }, buffers);
    });
  }

  #answer(method: string, params: Params): Recorded | null {
    const answer = (result: unknown): Recorded => ({ method, params, result });
    switch (method) {
      case "lost":
        return answer({ ids: [] });
      case "set":
        Object.assign(this.#saved.traits, params.traits);
        return answer({ traits: this.#saved.traits });
      case "rows":
        return answer({ rows: this.#rows.filter(({ path }) => (params.paths as string[]).includes(path)) });
      case "search":
        return answer(this.#search(params));
      case "thumbnails":
        return this.#thumbnails(params);
    }
    return nearest(this.#saved.answers, method, params);
  }

  get #rows(): NodeRow[] {
    return this.#saved.answers.flatMap(({ method, result }) =>
      method === "node" && result ? [(result as { row: NodeRow }).row] : [],
    );
  }

  /** Nodes by name, path, long name or units; the kernel has more ways to search. */
  #search({ query, offset, limit }: Params): SearchResult {
    const words = String(query).toLowerCase().split(/\s+/).filter(Boolean);
    const found = this.#rows.filter((row) => {
      const text =
        `${row.path} ${row.label ?? ""} ${row.units ?? ""} is:${row.role} is:${row.kind}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
    const start = Number(offset ?? 0);
    const rows = found.slice(start, start + Number(limit ?? 200));
    return { query: String(query), offset: start, total: found.length, complete: true, rows };
  }

  #thumbnails({ paths }: Params): Recorded {
    const buffers: string[] = [];
    const thumbnails = (paths as string[]).map((path) => {
      for (const { method, result, buffers: own } of this.#saved.answers) {
        if (method !== "thumbnails" || !result) continue;
        type Thumbnail = { path: string; image_buffer: number | null };
        const one = (result as { thumbnails: Thumbnail[] }).thumbnails.find((each) => each.path === path);
        const image = own?.[one?.image_buffer ?? -1];
        if (one) return { ...one, image_buffer: image ? buffers.push(image) - 1 : null };
      }
      return {
        path,
        image_buffer: null,
        kind: "none",
        colormap: "",
        label: "not saved",
        width: 1,
        height: 1,
      };
    });
    return { method: "thumbnails", params: {}, result: { thumbnails }, buffers };
  }

  #emit(event: string, ...args: unknown[]): void {
    for (const listener of [...(this.#listeners.get(event) ?? [])]) listener(...(args as never[]));
  }
}

const saved: Saved = JSON.parse(document.getElementById("nz-answers")?.textContent ?? "");
const el = document.getElementById("nz-explorer") as HTMLElement;
el.replaceChildren();
const model = new SavedKernel(saved);
const { initialize, render } = widget();
initialize({ model });
render({ model, el });
