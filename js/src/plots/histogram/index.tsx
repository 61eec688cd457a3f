import type { PlotKind, ViewProps } from "../kind";
import { Bars } from "./Bars";

function View({ picture, buffers, options }: ViewProps) {
  if (picture.histogram === null) return null;
  const packing = options.decoded ? picture.packing : null;
  return (
    <Bars
      histogram={picture.histogram}
      buffers={buffers}
      log={options.scale === "log"}
      label={picture.label}
      units={packing ? packing.units : picture.units}
      packing={packing}
    />
  );
}

/** How often values fall in each part of their range. */
export const histogram: PlotKind = { name: "histogram", title: "Histogram", View, controls: () => ["log"] };
