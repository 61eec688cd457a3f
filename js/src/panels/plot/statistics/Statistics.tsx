import { useEffect, useState } from "preact/hooks";
import { RequestError } from "../../../client/client";
import type { Packing, ScanParams } from "../../../client/protocol.gen";
import { useView } from "../../../client/view";
import { Bars } from "../../../plots/histogram/Bars";
import { StateChip } from "../../../plots/shared/StateChip";
import { Button } from "../../../ui/button/Button";
import { Problem } from "../../../ui/problem/Problem";
import { Progress } from "../../../ui/progress/Progress";
import { costText, grouped, precise } from "../../../ui/text/format";
import { visible } from "../../../ui/text/text";
import { ChunkErrors } from "../legend/Legend";
import "./statistics.css";

/** What is gone through without asking: as many decoded bytes as a picture may take. */
const UNASKED = 2 ** 26;

interface Props {
  path: string;
  units: string | null;
  /** How the stored numbers, which are counted, are decoded. */
  packing: Packing | null;
}

/** Minimum, maximum and so on of a whole array, found by going through all of it. */
export function Statistics({ path, units, packing }: Props) {
  const { session } = useView();
  const [problem, setProblem] = useState<RequestError | null>(null);
  const [log, setLog] = useState(false);
  const found = session.scans.value[path];
  const serial = session.summary.value?.edits.serial;
  const ask = async (action: ScanParams["action"]) => {
    setProblem(null);
    const asked = session.summary.peek()?.edits.serial;
    try {
      const { value, buffers } = await session.client.call("scan", { path, action }).answer;
      // Events may have brought more while the reply was on its way.
      const now = session.scans.peek()[path]?.scan;
      const late =
        (now?.phase === "done" && value.phase === "running") ||
        session.summary.peek()?.edits.serial !== asked;
      if (!late) session.takeScan(value, buffers);
      return value;
    } catch (error) {
      if (error instanceof RequestError && !error.cancelled) setProblem(error);
      return null;
    }
  };
  useEffect(() => {
    void ask("status").then((scan) => {
      if (scan?.phase === "none" && scan.whole_bytes <= UNASKED) void ask("start");
    });
  }, [path, serial]);
  if (problem) return <Problem onRetry={() => void ask("start")}>{visible(problem.message)}</Problem>;
  if (!found) return <p class="nzx-wait nzx-pad">Asking…</p>;
  const { scan, buffers } = found;
  const { phase, chunks_done: done, chunks_total: total } = scan;
  const { scale, offset } = packing ?? { scale: 1, offset: 0 };
  const meant = (value: number | null) => (value === null ? null : value * scale + offset);
  const [low, high] = [meant(scan.minimum), meant(scan.maximum)];
  const numbers: [string, number | null][] = [
    ["min", scale < 0 ? high : low],
    ["max", scale < 0 ? low : high],
    ["mean", meant(scan.mean)],
    ["std", scan.std && scan.std * Math.abs(scale)],
  ];
  return (
    <section class="nzx-scan" aria-label="Statistics">
      <div class="nzx-scan-state">
        {phase === "running" && (
          <>
            <Progress part={total > 0 ? done / total : 0} label="Reading the whole array" />
            <Button onClick={() => void ask("cancel")}>Stop</Button>
          </>
        )}
        <span class={phase === "failed" ? "nzx-is-error" : "nzx-quiet"}>
          {phase === "none"
            ? costText("Reading all of it", scan.whole_bytes, total)
            : visible(scan.message) || `${grouped(done)} of ${grouped(total)} chunks`}
          {phase === "done" && ` · ${scan.seconds.toFixed(1)} s`}
        </span>
        {phase === "done" && low !== null && Object.keys(session.options.value.against).length === 0 && (
          <Button onClick={() => session.setOptions({ limits: "whole", low: null, high: null })}>
            Use as limits
          </Button>
        )}
        {phase !== "running" && phase !== "done" && (
          <Button onClick={() => void ask("start")}>{done > 0 ? "Resume" : "Start"}</Button>
        )}
      </div>
      {phase !== "none" && (
        <>
          <table class="nzx-table">
            <tbody>
              {numbers.map(
                ([name, value], nth) =>
                  // Texts have none of them.
                  value !== null && (
                    <tr key={name}>
                      <th scope="row">{name}</th>
                      <td>{scan.dates[nth] ?? `${precise(value, 9)} ${visible(units ?? "")}`}</td>
                    </tr>
                  ),
              )}
            </tbody>
          </table>
          {/* Names of states are long, and numbers with their units too. */}
          <table class="nzx-table">
            <tbody>
              {scan.states
                .filter(({ count }) => count > 0)
                .map(({ state, count }) => (
                  <tr key={state}>
                    <th scope="row">
                      <StateChip state={state} />
                    </th>
                    <td>{grouped(count)}</td>
                  </tr>
                ))}
            </tbody>
          </table>
          {scan.histogram && (
            <div class="nzx-scan-bars">
              <label class="nzx-check">
                <input type="checkbox" checked={log} onChange={() => setLog(!log)} /> log counts
              </label>
              <Bars
                histogram={scan.histogram}
                buffers={buffers}
                log={log}
                units={units}
                packing={packing}
                label={`Histogram of ${scan.histogram.of}`}
              />
            </div>
          )}
        </>
      )}
      <ChunkErrors errors={scan.errors} />
    </section>
  );
}
