import type { Methods } from "../client/protocol.gen";
import { type Recorded as Answer, nearest as nearestOf } from "../saved/nearest";
import broken from "./recorded/broken.json";
import hostile from "./recorded/hostile.json";
import kinds from "./recorded/kinds.json";
import sample from "./recorded/sample.json";
import small from "./recorded/small.json";
import wide from "./recorded/wide.json";

export type Method = keyof Methods;
export type Params = Record<string, unknown>;

/** What was asked of a real kernel, and what it said; made by `make recordings`. */
export interface Recorded extends Answer {
  error?: { code: string; message: string; retry: boolean };
}

interface Recording {
  protocol: number;
  buffers: string[];
  messages: (Omit<Recorded, "buffers"> & { buffers?: number[] })[];
}

const FILES = { broken, hostile, kinds, sample, small, wide };
export type StoreName = keyof typeof FILES;

/** In the order of its names, and without the size of a picture: how large it was recorded is up to who recorded it. */
function canonical(value: unknown, top = false): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const sorted = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  const kept = sorted.filter(
    ([name, inner]) => inner !== undefined && !(top && (name === "width" || name === "height")),
  );
  return kept.map(([name, inner]) => [name, canonical(inner)]);
}

const keyOf = (method: string, params: Params) => JSON.stringify([method, canonical(params, true)]);

const known = new Map<string, Map<string, Recorded>>();

function recordingOf(store: StoreName): Map<string, Recorded> {
  const before = known.get(store);
  if (before) return before;
  const { messages, buffers } = FILES[store] as unknown as Recording;
  const all = new Map<string, Recorded>();
  for (const one of messages) {
    const own = one.buffers?.map((at) => buffers[at] as string);
    all.set(keyOf(one.method, one.params), { ...one, buffers: own });
  }
  known.set(store, all);
  return all;
}

/** While recordings are made the real kernel is asked, see `tests/record_messages.py`. */
export const kernel: { ask: ((store: StoreName, method: Method, params: Params) => Recorded) | null } = {
  ask: null,
};

/** Colormaps are the same for all stores. */
const holderOf = (store: StoreName, method: Method): StoreName => (method === "colormaps" ? "small" : store);

/** What the kernel said to a question. */
export function recorded(asked: StoreName, method: Method, params: Params): Recorded | undefined {
  const store = holderOf(asked, method);
  return kernel.ask?.(store, method, params) ?? recordingOf(store).get(keyOf(method, params));
}

/** What it said to the question that is most like another one: for the dev page, on which anything may be asked. */
export function nearest(asked: StoreName, method: Method, params: Params): Recorded | undefined {
  return nearestOf(recordingOf(holderOf(asked, method)).values(), method, params) ?? undefined;
}

/** One of the answers about a node, for unit tests to start from. */
export function example<M extends Method>(store: StoreName, method: M, path: string): Methods[M]["result"] {
  const found = nearest(store, method, { path });
  if (!found?.result) throw new Error(`no ${method} of ${path} was recorded`);
  return structuredClone(found.result) as Methods[M]["result"];
}
