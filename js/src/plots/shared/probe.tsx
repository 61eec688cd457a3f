import type { TargetedPointerEvent } from "preact";
import { useState } from "preact/hooks";
import { clamp } from "../../ui/text/format";
import "./readout.css";

export const [LEFT, BOTTOM, TOP] = [62, 38, 10];

/** A place among `count` that pointer and arrow keys move. */
export function useProbe(label: string, count: number, indexAt: (px: number, py: number) => number | null) {
  const [at, setAt] = useState<number | null>(null);
  const clear = () => setAt(null);
  return {
    at: at !== null && at < count ? at : null,
    probe: {
      role: "application",
      "aria-label": label,
      tabIndex: 0,
      onKeyDown: (event: KeyboardEvent) => {
        const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (step === undefined) return;
        event.preventDefault();
        setAt(clamp((at ?? -1) + step, count - 1));
      },
      onBlur: clear,
      onPointerMove: ({ currentTarget, clientX, clientY }: TargetedPointerEvent<HTMLElement>) => {
        const { left, top } = currentTarget.getBoundingClientRect();
        setAt(indexAt(clientX - left, clientY - top));
      },
      onPointerLeave: clear,
    },
  } as const;
}

/** Levels of a vertical axis, across the plot. */
export function Levels({ ticks, width }: { ticks: { label: string; y: number }[]; width: number }) {
  return (
    <>
      {ticks.map(({ label, y }) => (
        <g key={label} class="nzx-bars-line">
          <line x1={LEFT} x2={LEFT + width} y1={y} y2={y} />
          <text x={LEFT - 6} y={y + 4} text-anchor="end">
            {label}
          </text>
        </g>
      ))}
    </>
  );
}
