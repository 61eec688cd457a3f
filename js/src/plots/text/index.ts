import type { PlotKind } from "../kind";
import { Text } from "./Text";

/** Values that are no numbers: a table along their dimension, or one text. */
export const text: PlotKind = { name: "text", title: "Text", View: Text, controls: () => [] };
