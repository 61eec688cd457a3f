import { type ReadonlySignal, type Signal, signal } from "./signals";

/** The part of anywidget's model that holds traits. */
export interface Traits {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  on(event: string, callback: (...args: never[]) => void): void;
  off(event: string, callback?: (...args: never[]) => void): void;
}

/** Whether two JSON values are the same. */
export function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const [left, right] = [Object.entries(a), Object.entries(b)];
  return (
    left.length === right.length &&
    left.every(([key, value]) => key in b && same(value, (b as Record<string, unknown>)[key]))
  );
}

/** Tells the kernel by a message of ours what a trait is; null where the model's own way can be relied on. */
export type Tell = (name: string, value: unknown) => Promise<unknown> | null;

/** What was saved within these milliseconds before a connection broke may be lost. */
export const LATELY = 10_000;

/**
 * A synced trait as a signal. What a person does is shown at once and written to the kernel when that has been
 * quiet for `delay`: a slider on its way must not keep the kernel busy. What Python does arrives by the change
 * event. Change events never write, so that nothing echoes.
 */
export class Trait<T> {
  readonly #model: Traits;
  readonly #name: string;
  readonly #read: (raw: unknown) => T;
  readonly #tell: Tell;
  readonly #signal: Signal<T>;
  readonly #listener: () => void;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #savedAt = Number.NEGATIVE_INFINITY;
  /** How many values the kernel was told and has not confirmed. */
  #told = 0;

  constructor(model: Traits, name: string, read: (raw: unknown) => T, tell: Tell = () => null) {
    this.#model = model;
    this.#name = name;
    this.#read = read;
    this.#tell = tell;
    this.#signal = signal(read(model.get(name)));
    this.#listener = () => {
      if (this.#timer !== null || this.#told > 0) return; // a person is moving it; theirs is newer
      const value = this.#read(this.#model.get(this.#name));
      if (!same(value, this.#signal.peek())) this.#signal.value = value;
    };
    model.on(`change:${name}`, this.#listener);
  }

  get signal(): ReadonlySignal<T> {
    return this.#signal;
  }

  get value(): T {
    return this.#signal.value;
  }

  peek(): T {
    return this.#signal.peek();
  }

  set(value: T, delay = 0): void {
    if (!same(value, this.#signal.peek())) this.#signal.value = value;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = delay > 0 ? setTimeout(() => this.flush(), delay) : null;
    if (delay <= 0) this.flush(true);
  }

  /** Writes now what still waits to be written. */
  flush(force = false): void {
    if (this.#timer === null && !force) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    const value = this.#signal.peek();
    if (!same(this.#model.get(this.#name), value)) {
      this.#model.set(this.#name, value);
      this.#save(value);
    }
    this.#timer = null;
  }

  /** Saves again what was saved just before the connection broke. */
  saveAgain(): void {
    if (Date.now() - this.#savedAt < LATELY) this.#save(this.#signal.peek());
  }

  #save(value: T): void {
    this.#savedAt = Date.now();
    const taken = this.#tell(this.#name, value);
    if (taken === null) {
      this.#model.save_changes();
      return;
    }
    this.#told += 1;
    const then = () => {
      this.#told -= 1;
      this.#listener();
    };
    taken.then(then, then);
  }

  close(): void {
    this.flush();
    this.#model.off(`change:${this.#name}`, this.#listener);
  }
}
