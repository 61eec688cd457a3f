import type { PictureOptions } from "../../client/session";
import { CopyButton } from "../../ui/button/CopyButton";
import { visible } from "../../ui/text/text";
import type { ViewProps } from "../kind";
import { type AxisGeometry, pointName } from "../shared/axis";
import { STATE_NAMES, STATES } from "../shared/field";
import type { Scene } from "../shared/scene";
import { valueText } from "../shared/value";
import { range, Sheet } from "./Sheet";

/** What a cell holds: its value, or why there is none. */
const cellText = (scene: Scene, { decoded }: PictureOptions, at: number): string => {
  const state = STATES[scene.states[at] ?? 0] ?? "value";
  return visible(
    state === "value" ? (decoded && scene.picture.dates[at]) || valueText(scene, at) : STATE_NAMES[state],
  );
};

/** The whole table, as spreadsheets take it. */
function tabbed(
  scene: Scene,
  options: PictureOptions,
  rows: AxisGeometry,
  columns: AxisGeometry | null,
): string {
  const { nx } = scene.field;
  const head = columns ? [corner(rows, columns), ...range(0, nx).map((at) => pointName(columns, at))] : [];
  const lines = range(0, rows.size).map((row) => [
    pointName(rows, row),
    ...(columns ? range(row * nx, (row + 1) * nx) : [row]).map((at) => cellText(scene, options, at)),
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
  return (
    <Sheet
      label={visible(picture.label)}
      many={rows.size}
      wide={wide}
      corner={
        <>
          {corner(rows, columns)}
          <CopyButton label="Copy the table" text={() => tabbed(scene, options, rows, columns)} />
        </>
      }
      columnOf={(at) => (columns ? pointName(columns, at) : visible(picture.title))}
      rowOf={(at) => pointName(rows, at)}
      cellOf={(row, column) => {
        const at = row * wide + column;
        return { text: cellText(scene, options, at), state: STATES[scene.states[at] ?? 0] };
      }}
    />
  );
}
