import { useMemo } from "preact/hooks";
import { visible } from "../../ui/text/text";
import type { ViewProps } from "../kind";
import { range } from "../table/Sheet";
import { nameOf } from "../table/Table";
import { Chart, useLineColor } from "./Chart";

/** The rows of an array as lines in one plot, each with a colour and its coordinate. */
export function Lines({ picture, buffers, scene }: ViewProps) {
  const colorOf = useLineColor();
  const lines = useMemo(() => {
    if (!scene) return [];
    const { nx, ny, values } = scene.field;
    return range(0, ny).map((nth) => {
      const [from, to] = [nth * nx, nth * nx + nx];
      return {
        label: nameOf(scene.grid.y, nth),
        units: picture.units,
        numbers: values.subarray(from, to),
        codes: scene.states.subarray(from, to),
        low: 0,
        high: 0,
        nth,
      };
    });
  }, [scene]);
  if (!picture.x) return null;
  return (
    <div class="nzx-column">
      <Chart
        answer={{ value: { x: picture.x }, buffers }}
        {...{ lines, colorOf }}
        label={visible(picture.label)}
        span={scene?.range ?? null}
      />
      <div class="nzx-toolbar">
        {lines.map(({ nth, label }) => (
          <span key={nth} class="nzx-check">
            <span class="nzx-swatch nzx-flat" style={{ background: colorOf(nth) }} />
            {label}
          </span>
        ))}
      </div>
    </div>
  );
}
