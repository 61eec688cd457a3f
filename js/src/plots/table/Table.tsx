import { CopyButton } from "../../ui/button/CopyButton";
import { range } from "../../ui/text/format";
import { visible } from "../../ui/text/text";
import type { ViewProps } from "../kind";
import { type AxisGeometry, pointName } from "../shared/axis";
import { STATE_NAMES, STATES } from "../shared/field";
import { valueText } from "../shared/value";
import { Sheet } from "./Sheet";

/** The whole table, as spreadsheets take it. */
function tabbed(textOf: (at: number) => string, rows: AxisGeometry, columns: AxisGeometry | null): string {
  const all = columns ? range(0, columns.size) : [0];
  const head = columns ? [corner(rows, columns), ...all.map((at) => pointName(columns, at))] : [];
  const lines = range(0, rows.size).map((row) => [
    pointName(rows, row),
    ...all.map((at) => textOf(row * all.length + at)),
  ]);
  return [head, ...lines].map((line) => line.join("\t")).join("\n");
}

const corner = (rows: AxisGeometry, columns: AxisGeometry | null) =>
  visible([rows.axis?.label, columns?.axis?.label].filter(Boolean).join(" \\ "));

/** Every value, in rows and columns with their coordinates. */
export function Table({ picture, scene, options }: ViewProps) {
  const columns = picture.y === null ? null : (scene?.grid.x ?? null);
  const rows = columns ? scene?.grid.y : scene?.grid.x;
  if (!scene || !rows) return null;
  const wide = columns?.size ?? 1;
  const stateOf = (at: number) => STATES[scene.states[at] ?? 0] ?? "value";
  /** What a cell holds: its value, a date where it is one, or why there is none. */
  const textOf = (at: number) => {
    const date = options.decoded && picture.dates[at];
    return visible(stateOf(at) === "value" ? date || valueText(scene, at) : STATE_NAMES[stateOf(at)]);
  };
  return (
    <Sheet
      label={visible(picture.label)}
      many={rows.size}
      wide={wide}
      corner={
        <>
          {corner(rows, columns)}
          <CopyButton label="Copy the table" text={() => tabbed(textOf, rows, columns)} />
        </>
      }
      columnOf={(at) => (columns ? pointName(columns, at) : visible(picture.title))}
      rowOf={(at) => pointName(rows, at)}
      cellOf={(row, column) => {
        const at = row * wide + column;
        return { text: textOf(at), state: stateOf(at) };
      }}
    />
  );
}
