import { useMemo, useRef } from "preact/hooks";
import { useCall } from "../../../client/calls";
import type { Answer } from "../../../client/client";
import { useView } from "../../../client/view";
import { colorTable, gradientOf } from "../../../plots/shared/colormap";
import { floats } from "../../../plots/shared/field";
import { airy } from "../../../plots/shared/layout";
import { categoryColor } from "../../../plots/shared/paint";
import { BOTTOM, LEFT, Levels, TOP, useProbe } from "../../../plots/shared/probe";
import { niceTicks } from "../../../plots/shared/ticks";
import { useSize } from "../../../ui/layout/size";
import { Waiting } from "../../../ui/problem/Waiting";
import { Select } from "../../../ui/select/Select";
import { compact, counted, px } from "../../../ui/text/format";
import { Quiet } from "../../../ui/text/Quiet";
import { visible } from "../../../ui/text/text";
import { Below } from "./Columns";
import "./columns.css";

const AXES = ["x", "y", "color"] as const;
const LABELS = ["Horizontal axis", "Vertical axis", "Colour"];
/** Categories that the legend names. */
const NAMED = 24;

/** Two columns against each other, in the colours of a third. */
export function Scatter({ path }: { path: string }) {
  const { session } = useView();
  const { mask, decoded, dimension, x, y, color, colormap } = session.options.value;
  const view = { mask, decoded, dimension, x, y, color, colormap };
  const call = useCall(session.client, "scatter", { path, view }, { keep: true });
  const found = call.answer?.value;
  if (!call.answer || !found || call.error) return <Waiting call={call} whole />;
  const numbers = found.columns.flatMap(({ name, numeric }) => (numeric ? [name] : []));
  const names = [numbers, numbers, ["", ...found.columns.map(({ name }) => name)]];
  return (
    <>
      <div class="nzx-toolbar">
        {AXES.map((axis, nth) => (
          <span key={axis} class="nzx-check">
            {["x", "y", "colour"][nth]}
            <Select
              label={LABELS[nth] as string}
              value={found.shown[nth] ?? ""}
              names={names[nth] as string[]}
              titleOf={(name) => name || "none"}
              onChange={(name) => session.setOptions({ [axis]: name })}
            />
          </span>
        ))}
      </div>
      <Points answer={call.answer} />
      <Below path={path} dimensions={[]} dimension="" note={found.note} />
    </>
  );
}

function Points({ answer }: { answer: Answer<"scatter"> }) {
  const { session, inks } = useView();
  const ref = useRef<HTMLDivElement>(null);
  const size = useSize(ref);
  const { labels, categories, colormap, points_buffers, start, step, shown } = answer.value;
  const [xs, ys, shades] = useMemo(
    () => points_buffers.map((at) => floats(answer.buffers[at] as DataView, "float64")),
    [answer],
  ) as [Float64Array, Float64Array, Float64Array | undefined];
  const [width, height] = [(size.width || 640) - LEFT - 14, (size.height || 300) - TOP - BOTTOM];
  const colormaps = session.colormaps.value;
  useMemo(() => session.wantColormaps(colormap), [colormap]);
  const table = colorTable(colormaps, colormap);
  const dark = inks.value?.dark ?? false;
  const [across, up, tone] = useMemo(() => [xs, ys, shades ?? []].map(spanOf), [answer]) as [
    Span,
    Span,
    Span,
  ];
  const place = (at: number) =>
    [LEFT + across.part(xs[at] as number) * width, TOP + (1 - up.part(ys[at] as number)) * height] as const;
  const colorOf = (shade: number) => {
    if (categories.length > 0 || !shades) return `rgb(${categoryColor(shade, dark)})`;
    return table ? `rgb(${table.subarray(shade * 3, shade * 3 + 3)})` : "currentColor";
  };
  const paths = useMemo(() => {
    // A path for each colour: points are dashes of no length, with round ends.
    const found = new Map<number, string>();
    xs.forEach((value, at) => {
      if (Number.isNaN(value)) return;
      const of = shades?.[at] ?? 0;
      const shade = categories.length > 0 || !shades ? of : tone.shade(of);
      const [left, top] = place(at);
      found.set(shade, `${found.get(shade) ?? ""}M${left.toFixed(1)},${top.toFixed(1)}h0`);
    });
    return [...found];
  }, [answer, width, height]);
  const { at, probe } = useProbe("Points: arrow keys go through the rows", xs.length, (left, top) => {
    let [nearest, best] = [null as number | null, 400];
    for (let at = 0; at < xs.length; at++) {
      const [x, y] = place(at);
      const far = (x - left) ** 2 + (y - top) ** 2;
      if (far < best) [nearest, best] = [at, far];
    }
    return nearest;
  });
  const ticks = (span: Span, count: number) => niceTicks(span.low, span.high, Math.max(2, count));
  const value = (nth: number, at: number) => {
    const number = [xs, ys, shades][nth]?.[at] ?? Number.NaN;
    return (nth === 2 && categories[number]) || (Number.isNaN(number) ? "–" : compact(number, 7));
  };
  return (
    <>
      <div class="nzx-stage nzx-lines nzx-points" ref={ref} {...probe}>
        <svg width="100%" height="100%" role="img" aria-label={labels.map(visible).join(", ")}>
          <Levels
            width={width}
            ticks={ticks(up, height / 40).map(({ value, label }) => ({
              label,
              y: TOP + (1 - up.part(value)) * height,
            }))}
          />
          {ticks(across, width / 80).map(({ value, label }) => (
            <text
              key={value}
              x={LEFT + across.part(value) * width}
              y={TOP + height + 16}
              text-anchor="middle"
            >
              {label}
            </text>
          ))}
          <text x={LEFT + width / 2} y={TOP + height + 34} text-anchor="middle">
            {visible(labels[0] ?? "")}
          </text>
          {paths.map(([shade, d]) => (
            <path key={shade} stroke={colorOf(shade)} d={d} />
          ))}
          <text x={LEFT + 6} y={TOP + 12}>
            {visible(labels[1] ?? "")}
          </text>
          {at !== null && !Number.isNaN(xs[at]) && (
            <path class="nzx-lines-cross" d={`M${place(at)}m-7,0h14m-7,-7v14`} />
          )}
        </svg>
        {at !== null && (
          <div class="nzx-readout" aria-live="polite" style={{ top: px(TOP + 6), right: px(22) }}>
            [{counted(start + at * step)}]
            <table>
              <tbody>
                {shown.map((name, nth) => (
                  <tr key={nth}>
                    <th scope="row">{visible(name)}</th>
                    <td>{visible(value(nth, at))}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </div>
      {shades && (
        <div class="nzx-toolbar">
          {categories.length > 0
            ? categories.slice(0, NAMED).map((name, nth) => (
                <span key={name} class="nzx-check">
                  <span class="nzx-swatch nzx-flat" style={{ background: colorOf(nth) }} />
                  {visible(name)}
                </span>
              ))
            : tone.low <= tone.high && (
                <>
                  {compact(tone.low, 5)}
                  <span class="nzx-bar nzx-gap" style={{ background: gradientOf(table) }} />
                  {compact(tone.high, 5)} <Quiet>{visible(labels[2] ?? "")}</Quiet>
                </>
              )}
          {categories.length > NAMED && <Quiet>and {counted(categories.length - NAMED)} more</Quiet>}
        </div>
      )}
    </>
  );
}

type Span = ReturnType<typeof spanOf>;

/** From where to where numbers go, and where one lies between. */
function spanOf(numbers: ArrayLike<number>) {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers[at] as number;
    if (Number.isFinite(number)) [low, high] = [Math.min(low, number), Math.max(high, number)];
  }
  const { low: from, high: to } = airy({ low, high });
  return {
    low,
    high,
    part: (value: number) => (value - from) / (to - from),
    /** The number of its colour. */
    shade: (value: number) => Math.min(255, Math.floor(((value - low) / (high - low || 1)) * 256)),
  };
}
