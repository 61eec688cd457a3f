type Params = Record<string, unknown>;

/** What a kernel was asked, and what it said. */
export interface Recorded {
  method: string;
  params: Params;
  /** Not there where the kernel refused. */
  result?: unknown;
  error?: unknown;
  /** In base64. */
  buffers?: string[];
}

/** What an answer must be about, where it was asked for; … */
const FIRM = ["path", "paths", "name", "query", "below", "dimension"];
/** … of pages that are about the whole store, only which of them it is. */
const OF_STORE = new Set(["readers", "report", "changes", "conventions", "concepts", "glossary"]);

const same = (a: unknown, b: unknown) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

/** Whether a picture's index is the one that it was drawn for. */
const sameIndex = (a: unknown, b: unknown) => {
  const [left, right] = [(a ?? {}) as Record<string, number>, (b ?? {}) as Record<string, number>];
  return Object.keys({ ...left, ...right }).every((name) => (left[name] ?? 0) === (right[name] ?? 0));
};

/** Of what a kernel said the answer to the question that is most like another one; null where none is about the same. */
export function nearest<R extends Recorded>(answers: Iterable<R>, method: string, params: Params): R | null {
  let [best, most]: [R | null, number] = [null, -1];
  for (const one of answers) {
    if (one.method !== method) continue;
    const store = method === "page" && OF_STORE.has(String(params.name));
    const firm = FIRM.filter((name) => name in one.params && !(store && name === "path"));
    if (!firm.every((name) => same(one.params[name], params[name]))) continue;
    // A picture of another slice would be a wrong one.
    if (method === "picture" && !sameIndex(one.params.index, params.index)) continue;
    if (params.name === "finding" && !same(one.params.params, params.params)) continue;
    const fits = Object.keys(params).filter((name) => same(one.params[name], params[name])).length;
    if (fits > most) [best, most] = [one, fits];
  }
  return best;
}

/** A buffer of an answer. */
export function decode(text: string): DataView {
  const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  return new DataView(bytes.buffer);
}
