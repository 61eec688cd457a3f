import type { PlotKind } from "../kind";
import { paint } from "../map/paint";

/** Two dimensions and one of bands: each point has a colour of its own. */
export const image: PlotKind = {
  name: "image",
  title: "Image",
  look: { flat: true, paint },
  controls: () => ["mask", "grid", "zoom"],
};
