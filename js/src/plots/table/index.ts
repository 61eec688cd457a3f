import type { PlotKind } from "../kind";
import { Table } from "./Table";

/** Every number, in rows and columns. */
export const table: PlotKind = {
  name: "table",
  title: "Table",
  look: { flat: true, paint() {} },
  View: Table,
  controls: () => ["mask"],
};
