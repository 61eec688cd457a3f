import { type Component, options } from "preact";
import { useEffect } from "preact/hooks";

/** Values that draw anew what has read them: as much of signals as is needed here. */

export interface ReadonlySignal<T> {
  readonly value: T;
  peek(): T;
  /** Calls at once and after each change; returns what ends that. */
  subscribe(listener: (value: T) => void): () => void;
}

export interface Signal<T> extends ReadonlySignal<T> {
  value: T;
}

/** What reads at the moment: where it is told of, and what it has read. */
interface Reader {
  tell(): void;
  read: Set<Set<() => void>>;
}

let reader: Reader | null = null;

function forget({ read, tell }: Reader): void {
  for (const listeners of read) listeners.delete(tell);
  read.clear();
}

export function signal<T>(first: T): Signal<T> {
  let now = first;
  const listeners = new Set<() => void>();
  return {
    get value() {
      if (reader) {
        listeners.add(reader.tell);
        reader.read.add(listeners);
      }
      return now;
    },
    set value(next) {
      if (Object.is(next, now)) return;
      now = next;
      for (const tell of [...listeners]) tell();
    },
    peek: () => now,
    subscribe(listener) {
      const tell = () => listener(now);
      listeners.add(tell);
      tell();
      return () => void listeners.delete(tell);
    },
  };
}

/** Runs what reads signals, and again when they have changed, until the component goes. */
export function useSignalEffect(run: () => void): void {
  useEffect(() => {
    let open = true;
    let waits = false;
    const go = () => {
      waits = false;
      forget(own);
      if (!open) return;
      const before = reader;
      reader = own;
      try {
        run();
      } finally {
        reader = before;
      }
    };
    const own: Reader = {
      read: new Set(),
      tell: () => {
        if (!waits) queueMicrotask(go);
        waits = true;
      },
    };
    go();
    return () => {
      open = false;
      forget(own);
    };
  }, []);
}

// Preact's own hooks go by these names: before a render, before and after a node, and when one goes.
const readers = new WeakMap<Component, Reader>();
type Hooks = Record<string, ((node: { __c?: Component }, ...rest: unknown[]) => void) | undefined>;
const hook = (name: string, also: (component: Component | undefined) => void) => {
  const hooks = options as unknown as Hooks;
  const before = hooks[name];
  hooks[name] = (node, ...rest) => {
    also(node.__c);
    before?.(node, ...rest);
  };
};
const stop = () => {
  reader = null;
};
hook("__r", (component) => {
  if (!component) return;
  let own = readers.get(component);
  if (own) forget(own);
  else {
    own = { tell: () => component.forceUpdate(), read: new Set() };
    readers.set(component, own);
  }
  reader = own;
});
hook("__b", stop);
hook("diffed", stop);
hook("__e", stop);
hook("unmount", (component) => {
  const own = component && readers.get(component);
  if (own) forget(own);
});
