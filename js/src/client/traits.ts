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

/** Sends the kernel, in a message of ours, what a trait is, or nothing to ask; resolves to what it then is. */
export type Send = (name: string, value: unknown) => Promise<unknown>;

/** How long the kernel may take to confirm what the model has saved. */
export const CONFIRM_MS = 2000;

/**
 * A synced trait as a signal. What a person does is shown at once and written to the kernel when that has been
 * quiet for `delay`: a slider on its way must not keep the kernel busy. What Python does arrives by the change
 * event, or by `hear`. Neither writes, so that nothing echoes.
 *
 * What is saved must be confirmed. A model of ipywidgets whose connection has lost one message waits for its echo for
 * ever: it sends no trait any more and is deaf to those of other pages. From the first that is not confirmed the
 * kernel is therefore informed directly.
 *
 * What the model hears must be confirmed as well: after a connection was made again it is given what the kernel had at
 * some moment, which may be applied after what was confirmed since. What no message of ours says is asked for.
 */
export class Trait<T> {
  readonly #model: Traits;
  readonly #name: string;
  readonly #read: (raw: unknown) => T;
  readonly #send: Send;
  readonly #signal: Signal<T>;
  readonly #listener: () => void;
  /** What the kernel has, as far as is known. */
  #known: T;
  /** What it was sent and has not confirmed. */
  #sent: { value: T } | null = null;
  #direct = false;
  #writing = false;
  #delay: ReturnType<typeof setTimeout> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(model: Traits, name: string, read: (raw: unknown) => T, send: Send) {
    this.#model = model;
    this.#name = name;
    this.#read = read;
    this.#send = send;
    this.#known = read(model.get(name));
    this.#signal = signal(this.#known);
    this.#listener = () => {
      if (!this.#writing) this.hear(this.#model.get(this.#name), false);
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

  /**
   * Takes what the kernel has. What was sent and is not confirmed is newer; what still waits to be sent is newer than
   * an echo, and older than what somebody else has set. What is not sure is asked for unless it is confirmed.
   */
  hear(raw: unknown, sure = true): void {
    const before = this.#known;
    this.#known = this.#read(raw);
    if (this.#sent) {
      if (same(this.#sent.value, this.#known)) this.#settle();
    } else {
      if (sure) this.#settle();
      if (!same(before, this.#known)) {
        this.#drop();
        if (!sure) this.#after(() => this.#say(null));
      }
    }
    if (this.#delay || this.#sent || same(this.#known, this.#signal.peek())) return;
    this.#signal.value = this.#known;
  }

  /** Shows what the kernel is about to send. */
  show(value: T): void {
    this.#signal.value = value;
  }

  set(value: T, delay = 0): void {
    if (!same(value, this.#signal.peek())) this.#signal.value = value;
    this.#drop();
    if (delay > 0) this.#delay = setTimeout(() => this.flush(), delay);
    else this.flush(true);
  }

  /** Writes now what still waits to be written. */
  flush(force = false): void {
    if (!this.#delay && !force) return;
    this.#drop();
    const value = this.#signal.peek();
    if (same(this.#sent ? this.#sent.value : this.#known, value)) return;
    this.#settle();
    this.#sent = { value };
    this.#writing = true;
    this.#model.set(this.#name, value);
    this.#writing = false;
    if (this.#direct) this.#say(this.#sent);
    else {
      this.#model.save_changes();
      this.#after(() => {
        this.#direct = true;
        if (this.#sent) this.#say(this.#sent);
      });
    }
  }

  close(): void {
    this.flush();
    this.#settle();
    this.#model.off(`change:${this.#name}`, this.#listener);
  }

  #drop(): void {
    clearTimeout(this.#delay);
    this.#delay = undefined;
  }

  #settle(): void {
    clearTimeout(this.#timer);
    this.#sent = null;
  }

  #after(then: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(then, CONFIRM_MS);
  }

  #say(sent: { value: T } | null): void {
    const settled = (): boolean => {
      const last = this.#sent === sent;
      if (last) this.#settle();
      return last;
    };
    this.#send(this.#name, sent?.value).then((raw) => settled() && this.hear(raw), settled);
  }
}
