import { useCallback, useEffect, useState } from "preact/hooks";
import type { Answer, Call, Client, Method, RequestError, Wait } from "./client";
import type { Methods } from "./protocol.gen";
import type { ReadonlySignal } from "./signals";

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
  const key = params ? JSON.stringify([method, params]) : "";
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
    if (!params) return;
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
