import { useMemo, useRef } from "preact/hooks";
import type { Answer } from "../../client/client";
import type { Axis } from "../../client/protocol.gen";
import { useView } from "../../client/view";
import { useSize } from "../../ui/layout/size";
import { numberText, px } from "../../ui/text/format";
import { visible } from "../../ui/text/text";
import { AxisGeometry, axisNumbers, nameOf } from "../shared/axis";
import { floats, STATE_NAMES, STATES, uint8s } from "../shared/field";
import { airy } from "../shared/layout";
import { categoryColor, runs } from "../shared/paint";
import { BOTTOM, LEFT, Levels, TOP, useProbe } from "../shared/probe";
import { niceTicks } from "../shared/ticks";
import "./lines.css";

const RIGHT = 14;

/** A line with its numbers, and the lowest and the highest that are no missing values. */
export interface Line {
  label: string;
  units: string | null;
  numbers: ArrayLike<number>;
  codes: Uint8Array;
  low: number;
  high: number;
  nth: number;
}

/** The lines of an answer, read from its buffers. */
export function linesOf(answer: Answer<"lines" | "series">) {
  return answer.value.lines.flatMap((line) => {
    const [values, states] = [answer.buffers[line.values_buffer], answer.buffers[line.states_buffer]];
    if (!values || !states) return [];
    const numbers = floats(values, "float64");
    const codes = uint8s(states);
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    numbers.forEach((value, index) => {
      if (codes[index] === 0) [low, high] = [Math.min(low, value), Math.max(high, value)];
    });
    return [{ ...line, numbers, codes, low, high }];
  });
}

interface ChartProps {
  answer: { value: { x: Axis }; buffers: readonly DataView[] };
  /** Those to be drawn. */
  lines: Line[];
  /** The name of the picture. */
  label: string;
  colorOf: (nth: number) => string;
  /** An index that is marked along the dimension, whose name stands above. */
  mark?: number;
}

/** The colours of lines, and of what belongs to them, on light or dark paper. */
export function useLineColor(): (nth: number) => string {
  const dark = useView().inks.value?.dark ?? false;
  return (nth) => `rgb(${categoryColor(nth, dark)})`;
}

/** Lines along one dimension. Different units have nothing to do with each other's heights. */
export function Chart({ answer, lines: shown, label, colorOf, mark }: ChartProps) {
  const ref = useRef<HTMLDivElement>(null);
  const size = useSize(ref);
  const { x: axis } = answer.value;
  // A profile has its depths on the left.
  const upright = axis.kind === "number" && axis.downwards;
  const x = useMemo(() => new AxisGeometry(axis, axisNumbers(axis, answer.buffers), upright), [answer]);
  const together = sameUnits(shown);
  const low = Math.min(...shown.map((line) => line.low));
  const high = Math.max(...shown.map((line) => line.high));
  const [width, height] = [
    (size.width || 640) - LEFT - RIGHT,
    (size.height || 300) - TOP - (mark === undefined ? BOTTOM : 22),
  ];
  const partOf = (line: { low: number; high: number }) => {
    const { low: from, high: to } = airy(together ? { low, high } : line);
    return (value: number) => (value - from) / (to - from);
  };
  const place = (along: number, part: number) =>
    upright ? [LEFT + part * width, TOP + along * height] : [LEFT + along * width, TOP + (1 - part) * height];
  // The pointer on its way draws anew what it is over; the lines stay.
  const paths = useMemo(
    () =>
      shown.map((line) => {
        const part = partOf(line);
        return runs(line.codes, axis.size)
          .map(([first, last]) => {
            let path = "";
            for (let index = first; index <= last; index++) {
              const at = place(x.center(index), part(line.numbers[index] as number));
              path += `${index === first ? "M" : "L"}${at.map((one) => one.toFixed(1))}`;
            }
            // A point alone is a dash.
            return first === last ? `${path}m-2,0h4` : path;
          })
          .join("");
      }),
    [shown, width, height],
  );
  const { at, probe } = useProbe("Values: arrow keys move along the lines", axis.size, (px, py) => {
    const place = upright ? (py - TOP) / height : (px - LEFT) / width;
    return place >= 0 && place < 1 ? x.indexAt(place) : null;
  });
  const values =
    together && low <= high
      ? niceTicks(low, high, Math.max(2, upright ? width / 80 : height / 40)).map(({ value, label }) => ({
          label,
          at: partOf({ low, high })(value),
        }))
      : [];
  // No label reaches into the one before it, nor out of the picture.
  let end = -LEFT;
  const along = x
    .ticks(upright ? Math.max(1, height / 40) : Math.max(3, width / 70))
    .filter(({ at, label }) => {
      const wide = 7 * label.length;
      const from = at * width - wide * (at < 0.1 ? 0 : at > 0.9 ? 1 : 0.5);
      const fits = upright || from > end;
      if (fits) end = from + wide;
      return fits;
    });
  const across = (kind: string, index: number) => {
    const [[x1, y1], [x2, y2]] = [place(x.center(index), 0), place(x.center(index), 1)] as [
      number[],
      number[],
    ];
    return <line class={kind} {...{ x1, x2, y1, y2 }} />;
  };
  const here = at === null ? null : x.describe(at);
  const marked = mark === undefined ? null : pointAt(axis, mark);
  return (
    <div class="nzx-stage nzx-lines" ref={ref} {...probe}>
      <svg width="100%" height="100%" role="img" aria-label={label}>
        <rect
          class="nzx-lines-frame"
          x={LEFT}
          y={TOP}
          width={Math.max(0, width)}
          height={Math.max(0, height)}
        />
        <Levels
          width={width}
          ticks={(upright ? along : values).map(({ at, label }) => ({
            label: visible(label),
            y: TOP + (upright ? at : 1 - at) * height,
          }))}
        />
        {(upright ? values : along).map(({ at: place, label }) => (
          <text key={place} x={LEFT + place * width} y={TOP + height + 16} text-anchor={anchor(place)}>
            {visible(label)}
          </text>
        ))}
        <text x={LEFT + width / 2} y={TOP + height + 34} text-anchor="middle">
          {!upright && mark === undefined && nameOf(axis)}
        </text>
        {shown.map((line, nth) => (
          <path key={line.nth} stroke={colorOf(line.nth)} d={paths[nth]} />
        ))}
        {marked !== null && across("nzx-lines-mark", marked)}
        {at !== null && across("nzx-lines-cross", at)}
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
                  <tr key={line.nth}>
                    <th scope="row">{visible(line.label)}</th>
                    <td>
                      {state === "value"
                        ? `${numberText(line.numbers[at] ?? Number.NaN)} ${visible(line.units ?? "")}`
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
  );
}

/** Labels at the ends of an axis do not reach beyond them. */
const anchor = (place: number) => (place < 0.1 ? "start" : place > 0.9 ? "end" : "middle");

/** Whether lines can share a scale. */
export const sameUnits = (lines: Line[]): boolean => new Set(lines.map(({ units }) => units)).size <= 1;

/** The point of an axis at an index, or the one next to it; null beyond its ends. */
export function pointAt({ start, step, size }: Axis, index: number): number | null {
  const at = Math.round((index - start) / step);
  return at >= 0 && at < size ? at : null;
}
