import type { CallState } from "../../client/calls";
import type { Method } from "../../client/client";
import { sentence, visible } from "../text/text";
import { Blank, RETRY } from "./Blank";
import { Problem } from "./Problem";

/** What a panel shows while its answer is on its way, late or an error. Nothing once it is there. */
export function Waiting<M extends Method>({
  call,
  what = "Reading…",
  whole,
}: {
  call: CallState<M>;
  what?: string;
  /** Whether it stands in the place of a panel. */
  whole?: boolean;
}) {
  const wait = call.wait?.value ?? "waiting";
  const problem =
    call.error !== null
      ? sentence(visible(call.error.message))
      : call.loading && wait === "lost"
        ? "No answer from the kernel."
        : null;
  if (problem !== null)
    return whole ? (
      <Blank wrong action={RETRY} onAction={call.retry}>
        {problem}
      </Blank>
    ) : (
      <Problem onRetry={call.retry}>{problem}</Problem>
    );
  if (!call.loading) return null;
  if (wait === "slow") return <p class="nzx-wait nzx-is-warning">The kernel is busy; waiting…</p>;
  if (wait === "working") return <p class="nzx-wait nzx-is-warning">{what} The kernel is still at it.</p>;
  return call.answer === null ? <p class="nzx-wait">{what}</p> : null;
}
