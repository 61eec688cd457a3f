import { useRef } from "preact/hooks";
import type { Histogram, Packing } from "../../client/protocol.gen";
import { useSize } from "../../ui/layout/size";
import { compact, grouped, px, range } from "../../ui/text/format";
import { visible } from "../../ui/text/text";
import { floats } from "../shared/field";
import { BOTTOM, LEFT, Levels, TOP, useProbe } from "../shared/probe";
import { niceTicks } from "../shared/ticks";
import "./bars.css";

interface Props {
  histogram: Histogram;
  buffers: readonly DataView[];
  log: boolean;
  label: string;
  units: string | null;
  packing?: Packing | null;
}

/** A histogram as bars, their heights by logarithm on request. */
export function Bars({ histogram, buffers, log, label, units, packing }: Props) {
  const ref = useRef<HTMLDivElement>(null);
  const size = useSize(ref);
  const numbers = (buffer: number) => {
    const view = buffers[buffer];
    return view ? [...floats(view, "float64")] : [];
  };
  const counts = numbers(histogram.counts_buffer);
  const edges = numbers(histogram.edges_buffer).map((edge) =>
    packing ? edge * packing.scale + packing.offset : edge,
  );
  if (packing && packing.scale < 0) for (const each of [counts, edges]) each.reverse();
  const [low, high] = [edges[0] ?? 0, edges[counts.length] ?? 1];
  const [width, height] = [(size.width || 640) - LEFT - 14, (size.height || 240) - TOP - BOTTOM];
  const most = Math.max(1, ...counts);
  const tall = (count: number) =>
    (log ? Math.log10(count + 1) / Math.log10(most + 1) : count / most) * height;
  const place = (value: number) => LEFT + (high === low ? 0.5 : (value - low) / (high - low)) * width;
  const heights = log
    ? range(0, Math.log10(most) + 1).map((power) => 10 ** power)
    : niceTicks(0, most, Math.max(2, height / 40)).map(({ value }) => value);
  const { at, probe } = useProbe("Counts: arrow keys move through the bars", counts.length, (px) => {
    const part = (px - LEFT) / width;
    return part >= 0 && part < 1 ? Math.floor(part * counts.length) : null;
  });
  const unit = units ? ` ${visible(units)}` : "";
  return (
    <div class="nzx-bars" ref={ref} {...probe}>
      <svg width="100%" height="100%" role="img" aria-label={visible(label)}>
        <Levels
          width={width}
          ticks={heights.map((count) => ({ label: compact(count), y: TOP + height - tall(count) }))}
        />
        {counts.map((count, bin) => {
          const [a, b] = [place(edges[bin] ?? 0), place(edges[bin + 1] ?? 0)];
          return (
            <rect
              key={bin}
              class={bin === at ? "nzx-active" : undefined}
              x={Math.min(a, b)}
              width={Math.max(0.5, Math.abs(b - a) - 0.5)}
              y={TOP + height - (count > 0 ? Math.max(1, tall(count)) : 0)}
              height={count > 0 ? Math.max(1, tall(count)) : 0}
            />
          );
        })}
        {niceTicks(low, high, Math.max(2, width / 80)).map(({ value, label: text }) => (
          <text key={text} x={place(value)} y={TOP + height + 15} text-anchor="middle">
            {text}
          </text>
        ))}
        <text x={LEFT + width / 2} y={TOP + height + 30} text-anchor="middle">
          {visible(units ?? "")}
        </text>
      </svg>
      {at !== null && (
        <output class="nzx-readout" style={{ top: px(4), right: px(8) }} aria-live="polite">
          <strong>{grouped(counts[at] ?? 0)}</strong> from {compact(edges[at] ?? 0)} to{" "}
          {compact(edges[at + 1] ?? 0)}
          {unit}
        </output>
      )}
    </div>
  );
}
