import type { Model } from "../index";
import type { Comm, Message } from "./jupyter";

type Callback = (...args: never[]) => void;

/** A comm of ipywidgets' protocol as the model that anywidget gives its widgets. */
export class CommModel implements Model {
  readonly #comm: Comm;
  readonly #traits: Record<string, unknown>;
  readonly #changed = new Set<string>();
  readonly #listeners = new Map<string, Set<Callback>>();

  constructor(comm: Comm, state: Record<string, unknown>) {
    this.#comm = comm;
    this.#traits = { ...state };
    comm.onMsg = (message) => this.#receive(message);
  }

  get(name: string): unknown {
    return this.#traits[name];
  }

  set(name: string, value: unknown): void {
    this.#traits[name] = value;
    this.#changed.add(name);
    this.#emit(`change:${name}`);
  }

  save_changes(): void {
    const state = Object.fromEntries([...this.#changed].map((name) => [name, this.#traits[name]]));
    this.#changed.clear();
    if (Object.keys(state).length > 0) this.#comm.send({ method: "update", state, buffer_paths: [] });
  }

  send(content: unknown, _callbacks?: unknown, buffers?: ArrayBuffer[] | ArrayBufferView[]): void {
    this.#comm.send({ method: "custom", content }, {}, buffers ?? []);
  }

  on(event: string, callback: Callback): void {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners.add(callback));
  }

  off(event: string, callback?: Callback): void {
    if (callback) this.#listeners.get(event)?.delete(callback);
    else this.#listeners.delete(event);
  }

  #receive({ content, buffers }: Message): void {
    const data = content.data as { method: string; state?: Record<string, unknown>; content?: unknown };
    if (data.method === "custom") this.#emit("msg:custom", data.content, (buffers ?? []).map(view));
    else
      for (const [name, value] of Object.entries(data.state ?? {})) {
        this.#traits[name] = value;
        this.#emit(`change:${name}`);
      }
  }

  #emit(event: string, ...args: unknown[]): void {
    for (const listener of [...(this.#listeners.get(event) ?? [])]) listener(...(args as never[]));
  }
}

/** JupyterLab gives some buffers as such, others as views. */
function view(buffer: ArrayBuffer | ArrayBufferView): DataView {
  return buffer instanceof ArrayBuffer
    ? new DataView(buffer)
    : new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}
