import { createContext } from "preact";
import { useCallback, useContext, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Answer, Call, Client, Method, RequestError, Wait } from "../client";
import type { Inks } from "../picture/paint";
import type { Methods } from "../protocol.gen";
import type { Panel, Session } from "../session";
import type { ReadonlySignal, Signal } from "../signals";
import type { TreeModel } from "../tree/model";

/** What the parts of one view share. */
export interface View {
  session: Session;
  tree: TreeModel;
  /** Makes the ids of elements differ from those of other views. */
  uid: string;
  inks: Signal<Inks | null>;
  /** What `Show me` asked to see. */
  spotlight: Signal<{ path: string; pointer: string; rule: string } | null>;
  goto(path: string, panel?: Panel): void;
}

export const ViewContext = createContext<View | null>(null);

export function useView(): View {
  const view = useContext(ViewContext);
  if (view === null) throw new Error("outside of a view");
  return view;
}

export interface CallState<M extends Method> {
  /** The last answer; of an earlier question while `loading`, if that may be shown. */
  answer: Answer<M> | null;
  error: RequestError | null;
  loading: boolean;
  wait: ReadonlySignal<Wait> | null;
  retry(): void;
}

interface Held<M extends Method> {
  key: string;
  answer: Answer<M> | null;
  answerKey: string;
  error: RequestError | null;
  call: Call<M> | null;
}

/**
 * Asks the kernel and asks again when the question or `version` changes. An answer is kept on the screen
 * while the same question is asked again, and while another one is if `keep` says so.
 */
export function useCall<M extends Method>(
  client: Client,
  method: M,
  params: Methods[M]["params"] | null,
  { version = 0, keep = false }: { version?: number | string; keep?: boolean } = {},
): CallState<M> {
  const key = params === null ? "" : JSON.stringify([method, params]);
  const [held, setHeld] = useState<Held<M>>({
    key: "",
    answer: null,
    answerKey: "",
    error: null,
    call: null,
  });
  const [round, setRound] = useState(0);
  // `key` stands for method and params.
  useEffect(() => {
    if (params === null) return;
    const abort = new AbortController();
    const call = client.call(method, params, abort.signal);
    setHeld((before) => ({ ...before, key, error: null, call }));
    call.answer.then(
      (answer) => setHeld({ key, answer, answerKey: key, error: null, call: null }),
      (error: RequestError) => {
        if (!abort.signal.aborted) setHeld((before) => ({ ...before, key, error, call: null }));
      },
    );
    return () => abort.abort();
  }, [client, key, version, round]);
  const retry = useCallback(() => setRound((before) => before + 1), []);
  const current = held.key === key;
  return {
    answer: held.answerKey === key || keep ? held.answer : null,
    error: current ? held.error : null,
    loading: params !== null && (!current || held.call !== null),
    wait: held.call?.wait ?? null,
    retry: held.call ? held.call.resend : retry,
  };
}

export interface Size {
  width: number;
  height: number;
  /** Grows each time the element comes back after it was hidden or detached: a canvas must be drawn anew. */
  round: number;
}

/** The size of an element's content, following it; while it is hidden, the size it had. */
export function useSize(ref: { current: Element | null }): Size {
  const [size, setSize] = useState<Size>({ width: 0, height: 0, round: 0 });
  const hidden = useRef(false);
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const read = () => {
      const { clientWidth: width, clientHeight: height } = element;
      if (width === 0 || height === 0) {
        hidden.current = true;
        return;
      }
      const back = hidden.current;
      hidden.current = false;
      setSize((before) =>
        before.width === width && before.height === height && !back
          ? before
          : { width, height, round: before.round + (back ? 1 : 0) },
      );
    };
    read();
    if (typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(read);
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref]);
  return size;
}

/** Browsers give up on elements higher than some ten million pixels; longer lists scroll in proportion. */
const HIGHEST = 8_000_000;
const FALLBACK_HEIGHT = 480;
const MOST_ROWS = 96;

export interface Window {
  start: number;
  end: number;
  /** Height of the scrolled content. */
  height: number;
  /** Where the first line of the window stands. */
  top: number;
  /** Scrolls as little as needed to show a line. */
  show(index: number, where?: "nearest" | "center"): void;
}

/** The lines of a long list that are on screen, and a few beside them. */
export function useWindow(ref: { current: HTMLElement | null }, count: number, rowHeight: number): Window {
  const { height: measured } = useSize(ref);
  const [scroll, setScroll] = useState(0);
  const viewport = measured || FALLBACK_HEIGHT;
  const full = count * rowHeight;
  const height = Math.min(full, HIGHEST);
  const ratio = full > height && height > viewport ? (full - viewport) / (height - viewport) : 1;

  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    // Where lines are as high as they seem, only another first line draws them anew.
    const step = ratio === 1 ? rowHeight : 1;
    const read = () => setScroll(Math.floor(element.scrollTop / step) * step);
    element.addEventListener("scroll", read, { passive: true });
    return () => element.removeEventListener("scroll", read);
  }, [ref, ratio, rowHeight]);

  const at = Math.max(0, Math.min(scroll * ratio, Math.max(0, full - viewport)));
  const visible = Math.ceil(viewport / rowHeight) + 1;
  const margin = Math.max(0, Math.min(12, Math.floor((MOST_ROWS - visible) / 2)));
  const start = Math.max(0, Math.floor(at / rowHeight) - margin);
  const end = Math.min(count, start + Math.min(MOST_ROWS, visible + margin * 2));

  const show = (index: number, where: "nearest" | "center" = "nearest") => {
    const element = ref.current;
    if (element === null) return;
    const top = index * rowHeight;
    let to = element.scrollTop * ratio;
    if (where === "center" && (top < to || top + rowHeight > to + viewport)) to = top - viewport / 2;
    else if (top < to) to = top;
    else if (top + rowHeight > to + viewport) to = top + rowHeight - viewport;
    else return;
    element.scrollTop = Math.max(0, to / ratio);
    setScroll(Math.max(0, to / ratio));
  };
  return { start, end, height, top: start * rowHeight - at + scroll, show };
}

/** A value that follows another when that has been quiet for a while. */
export function useQuiet<T>(value: T, delay: number): T {
  const [quiet, setQuiet] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setQuiet(value), delay);
    return () => clearTimeout(timer);
  }, [value, delay]);
  return quiet;
}
