import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Answer, Call, RequestError, Wait } from "../../client/client";
import type { Finding, FindingsParams, FindingsResult } from "../../client/protocol.gen";
import type { Session } from "../../client/session";
import type { ReadonlySignal } from "../../client/signals";

export type Group = FindingsResult["groups"][number];

/** Findings are asked for by the page; so many at once. */
export const PAGE = 100;
/** The list is laid out in units of this height: a heading takes one, a finding two. */
export const UNIT = 25;

/** A line of the list. */
export interface Line {
  /** Where it begins, in units. */
  at: number;
  /** The number of the finding; null for a heading. */
  index: number | null;
  group: Group | null;
}

/** Where the findings of each group begin: in units, and as numbers of findings. */
export class Layout {
  readonly units: number;
  readonly #starts: { unit: number; first: number; group: Group | null; count: number }[] = [];

  constructor(groups: readonly Group[], total: number) {
    let unit = 0;
    let first = 0;
    const all = groups.length > 0 ? groups : [null];
    for (const group of all) {
      const count = group?.count ?? total;
      this.#starts.push({ unit, first, group, count });
      unit += (group ? 1 : 0) + 2 * count;
      first += count;
    }
    this.units = unit;
  }

  /** Where a finding begins, in units. */
  unitOf(index: number): number {
    const start = this.#starts.findLast(({ first }) => first <= index) ?? this.#starts[0];
    if (!start) return 0;
    return start.unit + (start.group ? 1 : 0) + 2 * (index - start.first);
  }

  /** The lines between two units, those that reach into them included. */
  lines(from: number, to: number): Line[] {
    const lines: Line[] = [];
    for (const { unit, first, group, count } of this.#starts) {
      const inside = unit + (group ? 1 : 0);
      if (unit >= to) break;
      if (inside + 2 * count <= from) continue;
      if (group && unit >= from) lines.push({ at: unit, index: null, group });
      const start = Math.max(0, Math.floor((from - inside) / 2));
      const end = Math.min(count, Math.ceil((to - inside) / 2));
      for (let number = start; number < end; number++)
        lines.push({ at: inside + 2 * number, index: first + number, group });
    }
    return lines;
  }
}

export interface FindingsList {
  /** The newest page: what it says of all findings. Null until there is one. */
  result: FindingsResult | null;
  error: RequestError | null;
  loading: boolean;
  /** How the newest request is doing. */
  wait: ReadonlySignal<Wait> | null;
  rules: FindingsResult["rules"];
  at(index: number): Finding | undefined;
  /** The number that a finding has now: the one it had, else one among what was looked at. */
  find(finding: Finding | null, index: number): number | null;
  /** Asks for what is looked at and not there yet. */
  want(from: number, to: number): void;
  retry(): void;
}

const isSame = (a: Finding, b: Finding): boolean =>
  a.rule === b.rule && a.path === b.path && a.pointer === b.pointer && a.message === b.message;

type Question = Omit<FindingsParams, "offset" | "limit">;

/** Pages of findings, as far as they were looked at; all are asked for again when `version` changes. */
export function useFindings(session: Session, question: Question, version: number): FindingsList {
  const key = JSON.stringify(question);
  const [, redraw] = useState(0);
  const state = useRef({
    key: "",
    pages: new Map<number, readonly Finding[]>(),
    stale: new Set<number>(),
    asked: new Map<number, AbortController>(),
    result: null as FindingsResult | null,
    rules: {} as FindingsResult["rules"],
    error: null as RequestError | null,
    call: null as Call<"findings"> | null,
    wanted: [0, 1] as [number, number],
  }).current;

  const ask = useCallback(
    (page: number) => {
      if (state.asked.has(page) || (state.pages.has(page) && !state.stale.has(page))) return;
      const abort = new AbortController();
      state.asked.set(page, abort);
      const params = { ...(JSON.parse(key) as Question), offset: page * PAGE, limit: PAGE };
      const call = session.client.call("findings", params, abort.signal);
      state.call = call;
      call.answer.then(
        ({ value }: Answer<"findings">) => {
          if (abort.signal.aborted) return;
          state.asked.delete(page);
          state.stale.delete(page);
          state.pages.set(page, value.findings);
          state.result = value;
          state.rules = { ...state.rules, ...value.rules };
          state.error = null;
          redraw((before) => before + 1);
        },
        (error: RequestError) => {
          if (abort.signal.aborted) return;
          state.asked.delete(page);
          state.error = error;
          redraw((before) => before + 1);
        },
      );
    },
    [key, session.client, state],
  );

  const askWanted = useCallback(() => {
    const [from, to] = state.wanted;
    for (let page = Math.floor(from / PAGE); page * PAGE < Math.max(to, 1); page++) ask(page);
  }, [ask, state]);

  const drop = () => {
    for (const abort of state.asked.values()) abort.abort();
    state.asked.clear();
  };
  // Another question starts anew; the same one, asked again, keeps what it has until the answer is there.
  useEffect(() => {
    drop();
    if (state.key !== key) {
      state.key = key;
      state.pages.clear();
      state.stale.clear();
      state.wanted = [0, 1];
      state.error = null;
    } else state.stale = new Set(state.pages.keys());
    askWanted();
    redraw((before) => before + 1);
  }, [key, version, askWanted, state]);
  useEffect(() => drop, [state]);

  const current = state.key === key && state.pages.size > 0;
  const at = (index: number) =>
    current ? state.pages.get(Math.floor(index / PAGE))?.[index % PAGE] : undefined;
  return {
    result: current ? state.result : null,
    error: state.error,
    loading: state.asked.size > 0 || state.key !== key,
    wait: state.asked.size > 0 ? (state.call?.wait ?? null) : null,
    rules: state.rules,
    at,
    find: (finding, index) => {
      if (!current || finding === null) return null;
      const there = at(index);
      if (there === undefined || isSame(there, finding)) return index;
      for (const [page, findings] of state.pages) {
        const found = findings.findIndex((one) => isSame(one, finding));
        if (found >= 0) return page * PAGE + found;
      }
      return null;
    },
    want: (from, to) => {
      state.wanted = [from, to];
      askWanted();
    },
    retry: () => {
      state.error = null;
      if (state.asked.size > 0) state.call?.resend();
      else askWanted();
      redraw((before) => before + 1);
    },
  };
}
