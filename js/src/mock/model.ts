/** A stand-in for anywidget's model: traits, change events and custom messages, as Jupyter's has them. */
type Callback = (...args: never[]) => void;

export class FakeModel {
  /** Every message that the browser sent. */
  readonly sent: {
    kind: string;
    id: number;
    method?: string;
    params?: Record<string, unknown>;
    shown?: boolean;
  }[] = [];
  /** Every save, with the traits that it saved. */
  readonly saved: Record<string, unknown>[] = [];
  onSend: ((message: unknown) => void) | null = null;
  onSave: ((traits: Record<string, unknown>) => void) | null = null;

  readonly #traits = new Map<string, unknown>();
  readonly #changed = new Set<string>();
  readonly #listeners = new Map<string, Set<Callback>>();

  constructor(traits: Record<string, unknown> = {}) {
    const first = { path: "/", index: {}, view: {}, panel: "plot", ...traits };
    for (const [name, value] of Object.entries(first)) this.#traits.set(name, value);
  }

  get(name: string): unknown {
    return this.#traits.get(name);
  }

  set(name: string, value: unknown): void {
    if (JSON.stringify(this.#traits.get(name)) === JSON.stringify(value)) return;
    this.#traits.set(name, value);
    this.#changed.add(name);
    this.#emit(`change:${name}`);
  }

  save_changes(): void {
    if (this.#changed.size === 0) return;
    const traits = Object.fromEntries([...this.#changed].map((name) => [name, this.#traits.get(name)]));
    this.#changed.clear();
    this.saved.push(traits);
    this.onSave?.(traits);
  }

  /** What Python does when it sets a trait. */
  fromPython(name: string, value: unknown): void {
    this.#traits.set(name, value);
    this.#emit(`change:${name}`);
  }

  /** What ipywidgets says when the connection is lost or found again. */
  connectionChanged(): void {
    this.#emit("comm_live_update");
  }

  on(event: string, callback: Callback): void {
    const listeners = this.#listeners.get(event) ?? new Set();
    listeners.add(callback);
    this.#listeners.set(event, listeners);
  }

  off(event: string, callback?: Callback): void {
    if (callback) this.#listeners.get(event)?.delete(callback);
    else this.#listeners.delete(event);
  }

  get listeners(): number {
    return [...this.#listeners.values()].reduce((sum, set) => sum + set.size, 0);
  }

  send(message: unknown): void {
    // A comm carries JSON: what is sent cannot be changed afterwards.
    const copy = JSON.parse(JSON.stringify(message));
    this.sent.push(copy);
    this.onSend?.(copy);
  }

  /** What the kernel sends. */
  receive(message: unknown, buffers: DataView[] = []): void {
    for (const listener of [...(this.#listeners.get("msg:custom") ?? [])]) {
      (listener as (message: unknown, buffers: DataView[]) => void)(
        JSON.parse(JSON.stringify(message)),
        buffers,
      );
    }
  }

  #emit(event: string): void {
    for (const listener of [...(this.#listeners.get(event) ?? [])]) (listener as () => void)();
  }
}
