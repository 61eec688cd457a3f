import { useMemo, useRef, useState } from "preact/hooks";
import type { Answer } from "../client";
import { px, shortest } from "../format";
import { AxisGeometry, axisNumbers, nameOf } from "../picture/axis";
import { airy } from "../picture/draw";
import { floats, STATE_NAMES, STATES, uint8s } from "../picture/field";
import { categoryColor, runs } from "../picture/paint";
import { niceTicks } from "../picture/ticks";
import { visible } from "../text";
import { useCall, useSize, useView } from "../ui/hooks";
import { Quiet, Waiting } from "../ui/parts";
import { BOTTOM, LEFT, Levels, TOP, useProbe } from "./Bars";
import { Select } from "./Controls";

const RIGHT = 14;

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
  const { inks } = useView();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const ref = useRef<HTMLDivElement>(null);
  const size = useSize(ref);
  const dark = inks.value?.dark ?? false;
  const all = useMemo(
    () =>
      answer.value.lines.flatMap((line, nth) => {
        const [values, states] = [answer.buffers[line.values_buffer], answer.buffers[line.states_buffer]];
        if (!values || !states) return [];
        const numbers = floats(values, "float64");
        const codes = uint8s(states);
        let [low, high] = [Number.POSITIVE_INFINITY, -Number.POSITIVE_INFINITY];
        numbers.forEach((value, index) => {
          if (codes[index] === 0) [low, high] = [Math.min(low, value), Math.max(high, value)];
        });
        return [{ ...line, numbers, codes, low, high, nth }];
      }),
    [answer],
  );
  const { x: axis, dimensions, message } = answer.value;
  const x = useMemo(() => new AxisGeometry(axis, axisNumbers(axis, answer.buffers), false), [answer]);
  const shown = useMemo(
    () => all.filter((line) => !hidden.has(line.path) && line.low <= line.high),
    [all, hidden],
  );
  // Different units have nothing to do with each other's heights.
  const together = new Set(shown.map(({ units }) => units)).size <= 1;
  const low = Math.min(...shown.map((line) => line.low));
  const high = Math.max(...shown.map((line) => line.high));
  const [width, height] = [(size.width || 640) - LEFT - RIGHT, (size.height || 300) - TOP - BOTTOM];
  const atX = (index: number) => LEFT + x.center(index) * width;
  const heightsOf = (line: { low: number; high: number }) => {
    const { low: from, high: to } = airy(together ? { low, high } : line);
    return (value: number) => TOP + (1 - (value - from) / (to - from)) * height;
  };
  // The pointer on its way draws anew what it is over; the lines stay.
  const paths = useMemo(
    () =>
      shown.map((line) => {
        const atY = heightsOf(line);
        return runs(line.codes, axis.size)
          .map(([first, last]) => {
            let path = "";
            for (let index = first; index <= last; index++)
              path += `${index === first ? "M" : "L"}${atX(index).toFixed(1)},${atY(line.numbers[index] as number).toFixed(1)}`;
            // A point alone is a dash.
            return first === last ? `${path}m-2,0h4` : path;
          })
          .join("");
      }),
    [shown, width, height],
  );
  const color = (nth: number) => `rgb(${categoryColor(nth, dark)})`;
  const { at, probe } = useProbe("Values: arrow keys move along the lines", axis.size, (px) => {
    const place = (px - LEFT) / width;
    return place >= 0 && place < 1 ? x.indexAt(place) : null;
  });
  const here = at === null ? null : x.describe(at);
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
            <span class="nzx-swatch nzx-flat" style={{ background: color(line.nth) }} />
            {visible(line.label)}
            {line.units && <Quiet>{visible(line.units)}</Quiet>}
          </label>
        ))}
        {!together && <Quiet>units differ: each on its own scale</Quiet>}
        {message && <Quiet>{visible(message)}</Quiet>}
      </div>
      <div class="nzx-stage nzx-lines" ref={ref} {...probe}>
        <svg
          width="100%"
          height="100%"
          role="img"
          aria-label={`${shown.map((line) => visible(line.label)).join(", ")} along ${visible(axis.label)}`}
        >
          <rect
            class="nzx-lines-frame"
            x={LEFT}
            y={TOP}
            width={Math.max(0, width)}
            height={Math.max(0, height)}
          />
          {together && low <= high && (
            <Levels
              width={width}
              ticks={niceTicks(low, high, Math.max(2, height / 40)).map(({ value, label }) => ({
                label,
                y: heightsOf({ low, high })(value),
              }))}
            />
          )}
          {x.ticks(Math.max(2, width / 110)).map(({ at: place, label }) => (
            <text key={place} x={LEFT + place * width} y={TOP + height + 16} text-anchor="middle">
              {visible(label)}
            </text>
          ))}
          <text x={LEFT + width / 2} y={TOP + height + 34} text-anchor="middle">
            {nameOf(axis)}
          </text>
          {shown.map((line, nth) => (
            <path key={line.path} stroke={color(line.nth)} d={paths[nth]} />
          ))}
          {at !== null && (
            <line class="nzx-lines-cross" x1={atX(at)} x2={atX(at)} y1={TOP} y2={TOP + height} />
          )}
        </svg>
        {at !== null && here && (
          <div
            class="nzx-readout"
            aria-live="polite"
            style={{
              top: px(TOP + 6),
              ...(x.center(at) > 0.5 ? { left: px(LEFT + 8) } : { right: px(RIGHT + 8) }),
            }}
          >
            {visible(axis.label)} {visible(here.coordinate ?? "")} [{here.index}]
            <table>
              <tbody>
                {shown.map((line) => {
                  const state = STATES[line.codes[at] ?? 0] ?? "value";
                  return (
                    <tr key={line.path}>
                      <th scope="row">{visible(line.label)}</th>
                      <td>
                        {state === "value"
                          ? `${shortest(line.numbers[at] ?? Number.NaN, "float64")} ${visible(line.units ?? "")}`
                          : STATE_NAMES[state]}
                      </td>
                    </tr>
                  );
                })}
              </tbody>
            </table>
          </div>
        )}
      </div>
    </>
  );
}
