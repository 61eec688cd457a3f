import type { PlotKind } from "../kind";
import { paint } from "./paint";

/** Values along one dimension. */
export const line: PlotKind = {
  name: "line",
  title: "Line",
  look: { flat: false, paint },
  controls: () => ["mask", "limits", "log", "grid", "zoom"],
};
