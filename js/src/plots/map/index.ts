import type { PlotKind } from "../kind";
import { paint } from "./paint";

/** Two dimensions in colours: of numbers by a colormap, of categories each its own. */
export const map: PlotKind = {
  name: "map",
  title: "Map",
  look: { flat: true, paint },
  controls: ({ categories }) =>
    categories.length > 0 ? ["mask", "grid", "zoom"] : ["mask", "colormap", "limits", "log", "grid", "zoom"],
};

/** The same of one dimension, whose cells lie anywhere. */
export const cells: PlotKind = { ...map, name: "cells", title: "Map of cells" };
