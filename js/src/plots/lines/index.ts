import type { PlotKind } from "../kind";
import { line } from "../line";

/** Values along one dimension, a line for each index of another. */
export const lines: PlotKind = { ...line, name: "lines", title: "Lines" };
