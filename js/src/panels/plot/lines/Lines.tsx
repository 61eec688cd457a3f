import { useMemo, useState } from "preact/hooks";
import { useCall } from "../../../client/calls";
import type { Answer } from "../../../client/client";
import { useView } from "../../../client/view";
import { Chart, linesOf, sameUnits, useLineColor } from "../../../plots/lines/Chart";
import { Waiting } from "../../../ui/problem/Waiting";
import { Select } from "../../../ui/select/Select";
import { Quiet } from "../../../ui/text/Quiet";
import { visible } from "../../../ui/text/text";

/** The one-dimensional arrays of a group that share a dimension, in one plot. */
export function Lines({ path }: { path: string }) {
  const { session } = useView();
  const [dimension, setDimension] = useState<string | null>(null);
  const call = useCall(session.client, "lines", { path, dimension }, { keep: true });
  if (call.answer) return <Together answer={call.answer} onDimension={setDimension} />;
  return (
    <div class="nzx-pad">
      <Waiting call={call} />
    </div>
  );
}

interface Props {
  answer: Answer<"lines">;
  onDimension: (dimension: string) => void;
}

function Together({ answer, onDimension }: Props) {
  const colorOf = useLineColor();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const all = useMemo(() => linesOf(answer), [answer]);
  const { x: axis, dimensions, message } = answer.value;
  const shown = useMemo(
    () => all.filter((line) => !hidden.has(line.path) && line.low <= line.high),
    [all, hidden],
  );
  return (
    <>
      <div class="nzx-toolbar">
        {dimensions.length > 1 && (
          <Select
            label="Dimension"
            value={answer.value.dimension}
            names={dimensions}
            onChange={onDimension}
          />
        )}
        {all.map((line) => (
          <label key={line.path} class="nzx-check">
            <input
              type="checkbox"
              checked={!hidden.has(line.path)}
              onChange={() => {
                const next = new Set(hidden);
                if (!next.delete(line.path)) next.add(line.path);
                setHidden(next);
              }}
            />
            <span class="nzx-swatch nzx-flat" style={{ background: colorOf(line.nth) }} />
            {visible(line.label)}
            {line.units && <Quiet>{visible(line.units)}</Quiet>}
          </label>
        ))}
        {!sameUnits(shown) && <Quiet>units differ: each on its own scale</Quiet>}
        {message && <Quiet>{visible(message)}</Quiet>}
      </div>
      <Chart
        answer={answer}
        lines={shown}
        colorOf={colorOf}
        label={`${shown.map((line) => visible(line.label)).join(", ")} along ${visible(axis.label)}`}
      />
    </>
  );
}
