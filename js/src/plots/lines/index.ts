import type { PlotKind } from "../kind";
import { Lines } from "./Lines";

/** Values along one dimension, a line for each index of another. */
export const lines: PlotKind = {
  name: "lines",
  title: "Lines",
  look: { flat: false, paint() {} },
  View: Lines,
  controls: () => ["mask", "limits"],
};
