import { Component, Fragment, type FunctionComponent, options } from "preact";
import { useLayoutEffect } from "preact/hooks";

// What this front end uses of signals, in a twentieth of what @preact/signals takes in the bundle: values that are
// read in effects and components, which run again when one of them changes.

interface Reader {
  again(): void;
  /** What it has read. */
  from: Set<Signal<never>>;
}

let reading: Reader | null = null;

/** Runs something while `reader` takes note of what it reads. */
function noting<T>(reader: Reader | null, run: () => T): T {
  const outer = reading;
  reading = reader;
  try {
    return run();
  } finally {
    reading = outer;
  }
}

/** A value that tells who has read it when it is another. */
export class Signal<T> {
  readonly readers = new Set<Reader>();
  #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    if (reading) {
      this.readers.add(reading);
      reading.from.add(this as unknown as Signal<never>);
    }
    return this.#value;
  }

  set value(next: T) {
    if (next === this.#value) return;
    this.#value = next;
    const failed: unknown[] = [];
    for (const reader of [...this.readers]) {
      try {
        // One that runs may have stopped others.
        if (this.readers.has(reader)) reader.again();
      } catch (error) {
        failed.push(error);
      }
    }
    if (failed.length > 0) throw failed[0];
  }

  peek(): T {
    return this.#value;
  }

  /** Calls a listener now and after each change, until the function that is returned is called. */
  subscribe(listener: (value: T) => void): () => void {
    return effect(() => {
      const { value } = this;
      noting(null, () => listener(value));
    });
  }
}

export type ReadonlySignal<T> = Pick<Signal<T>, "peek" | "subscribe"> & { readonly value: T };

export const signal = <T>(value: T): Signal<T> => new Signal(value);

/** Runs something now, and again when a signal changes that it has read, until the function that is returned is called. */
export function effect(run: () => void): () => void {
  const stop = () => {
    for (const one of reader.from) one.readers.delete(reader);
    reader.from.clear();
  };
  const reader: Reader = {
    from: new Set(),
    again() {
      stop();
      noting(reader, run);
    },
  };
  reader.again();
  return stop;
}

type Tracked = Component & { stop?: () => void };

const tracking = new Map<unknown, FunctionComponent>();

/** Returns a component that is rendered again when a signal changes that it has read. */
function tracked(component: FunctionComponent): FunctionComponent {
  let made = tracking.get(component);
  if (!made) {
    made = function (this: Tracked, ...given: Parameters<FunctionComponent>) {
      let rendered: ReturnType<FunctionComponent>;
      let again = false;
      this.stop?.();
      this.stop = effect(() => {
        if (again) this.setState({});
        else rendered = component.apply(this, given);
        again = true;
      });
      useLayoutEffect(() => () => this.stop?.(), []);
      return rendered;
    };
    tracking.set(component, made);
    tracking.set(made, made);
  }
  return made;
}

const before = options.vnode;
options.vnode = (vnode) => {
  const { type } = vnode as { type: unknown };
  if (typeof type === "function" && type !== Fragment)
    (vnode as { type: unknown }).type = tracked(type as FunctionComponent);
  before?.(vnode);
};

/** Components with the same properties as before are not rendered again. */
Component.prototype.shouldComponentUpdate = function (props: object, state) {
  const [now, next] = [Object.entries(this.props), Object.entries(props)];
  return (
    state !== this.state ||
    now.length !== next.length ||
    next.some(([name, value]) => (this.props as Record<string, unknown>)[name] !== value)
  );
};
