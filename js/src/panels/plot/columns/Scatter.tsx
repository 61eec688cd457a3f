import { useMemo, useRef } from "preact/hooks";
import { useCall } from "../../../client/calls";
import type { Answer } from "../../../client/client";
import type { ScatterAxis } from "../../../client/protocol.gen";
import type { Scale } from "../../../client/session";
import { useView } from "../../../client/view";
import { colorTable, gradientOf } from "../../../plots/shared/colormap";
import { floats, placer, place as position } from "../../../plots/shared/field";
import { valueTicks } from "../../../plots/shared/layout";
import { categoryColor } from "../../../plots/shared/paint";
import { BOTTOM, LEFT, Levels, TOP, useProbe } from "../../../plots/shared/probe";
import { useSize } from "../../../ui/layout/size";
import { Waiting } from "../../../ui/problem/Waiting";
import { Select } from "../../../ui/select/Select";
import { compact, counted, px } from "../../../ui/text/format";
import { Quiet } from "../../../ui/text/Quiet";
import { middle, visible } from "../../../ui/text/text";
import { Limit } from "../limits/Limit";
import { SCALES } from "../toolbar/Toolbar";
import { Below } from "./Columns";
import "./columns.css";

const AXES = ["x", "y", "color"] as const;
const LABELS = ["Horizontal axis", "Vertical axis", "Colour"];
/** Categories that the legend names. */
const NAMED = 24;

/** Two columns against each other, in the colours of a third. */
export function Scatter({ path }: { path: string }) {
  const { session } = useView();
  const { mask, decoded, dimension, x, y, color, colormap, reverse, window, low, high, scale } =
    session.options.value;
  const view = { mask, decoded, dimension, x, y, color, colormap, reverse, window, low, high, scale };
  const call = useCall(session.client, "scatter", { path, view }, { keep: true });
  const found = call.answer?.value;
  if (!call.answer || !found || call.error) return <Waiting call={call} whole />;
  const all = found.columns.map(({ name }) => name);
  const values = found.axes[found.axes[2]?.ticks.length === 0 ? 2 : 1] as ScatterAxis;
  return (
    <>
      <div class="nzx-toolbar">
        {AXES.map((axis, nth) => (
          <span key={axis} class="nzx-check">
            {["x", "y", "colour"][nth]}
            <Select
              label={LABELS[nth] as string}
              value={found.shown[nth] ?? ""}
              names={nth === 2 ? ["", ...all] : all}
              titleOf={(name) => name || "none"}
              onChange={(name) => session.setOptions({ [axis]: name })}
            />
          </span>
        ))}
        {values.texts.length === 0 && (
          <>
            <span class="nzx-check">
              {values === found.axes[1] ? "y" : "colour"} from <Limit end="low" norm={values} /> to
              <Limit end="high" norm={values} />
            </span>
            <Select
              label="Scale"
              value={scale}
              names={SCALES}
              onChange={(scale) => session.setOptions({ scale: scale as Scale })}
            />
          </>
        )}
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
  const { axes, colormap, points_buffers, start, step, shown } = answer.value;
  const [x, y, tone] = axes as [ScatterAxis, ScatterAxis, ScatterAxis | undefined];
  const [xs, ys, shades] = useMemo(
    () => points_buffers.map((at) => floats(answer.buffers[at] as DataView, "float64")),
    [answer],
  ) as [Float64Array, Float64Array, Float64Array | undefined];
  const [width, height] = [(size.width || 640) - LEFT - 14, (size.height || 300) - TOP - BOTTOM];
  const colormaps = session.colormaps.value;
  useMemo(() => session.wantColormaps(colormap), [colormap]);
  const table = colorTable(colormaps, colormap);
  const dark = inks.value?.dark ?? false;
  const words = tone?.words ?? [];
  const [across, up] = [placer(x), placer(y)];
  const place = (at: number) =>
    [LEFT + across(xs[at] as number) * width, TOP + (1 - up(ys[at] as number)) * height] as const;
  const colorOf = (shade: number) => {
    if (!tone) return "var(--accent)";
    if (words[0]) return `rgb(${categoryColor(shade, dark)})`;
    return table ? `rgb(${table.subarray(shade * 3, shade * 3 + 3)})` : "currentColor";
  };
  const paths = useMemo(() => {
    // A path for each colour: points are dashes of no length, with round ends.
    const found = new Map<number, string>();
    xs.forEach((value, at) => {
      if (Number.isNaN(value)) return;
      const of = shades?.[at] ?? 0;
      const shade = words.length > 0 || !tone ? of : Math.min(255, Math.floor(position(tone, of) * 256));
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
  const ticks = (axis: ScatterAxis, long: number) =>
    axis.texts.length > 0 ? axis.ticks : valueTicks(axis, long);
  const value = (nth: number, at: number) => {
    const number = [xs, ys, shades][nth]?.[at] ?? Number.NaN;
    return Number.isNaN(number) ? "–" : (axes[nth]?.texts[at] ?? compact(number, 7));
  };
  return (
    <>
      <div class="nzx-stage nzx-lines nzx-points" ref={ref} {...probe}>
        <svg
          width="100%"
          height="100%"
          role="img"
          aria-label={axes.map(({ label }) => visible(label)).join(", ")}
        >
          <Levels
            width={width}
            ticks={ticks(y, height).map(({ value, label }) => ({
              label: middle(label, 9),
              y: TOP + (1 - up(value)) * height,
            }))}
          />
          {ticks(x, width / 2).map(({ value, label }) => (
            <text key={value} x={LEFT + across(value) * width} y={TOP + height + 16} text-anchor="middle">
              {middle(label, 14)}
            </text>
          ))}
          <text x={LEFT + width / 2} y={TOP + height + 34} text-anchor="middle">
            {visible(x.label)}
          </text>
          {paths.map(([shade, d]) => (
            <path key={shade} stroke={colorOf(shade)} d={d} />
          ))}
          <text x={LEFT + 6} y={TOP + 12}>
            {visible(y.label)}
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
      {tone && (
        <div class="nzx-toolbar">
          {words.length > 0 ? (
            words.slice(0, NAMED).map((name, nth) => (
              <span key={name} class="nzx-check">
                <span class="nzx-swatch nzx-flat" style={{ background: colorOf(nth) }} />
                {visible(name)}
              </span>
            ))
          ) : (
            <>
              {compact(tone.low)}
              <span class="nzx-bar nzx-gap" style={{ background: gradientOf(table) }} />
              {compact(tone.high)} <Quiet>{visible(tone.label)}</Quiet>
            </>
          )}
          {words.length > NAMED && <Quiet>and {counted(words.length - NAMED)} more</Quiet>}
        </div>
      )}
    </>
  );
}
