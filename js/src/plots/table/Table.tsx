import { useRef } from "preact/hooks";
import { CopyButton } from "../../ui/button/CopyButton";
import { useWindow } from "../../ui/layout/window";
import { px } from "../../ui/text/format";
import { visible } from "../../ui/text/text";
import type { ViewProps } from "../kind";
import type { AxisGeometry } from "../shared/axis";
import { STATE_NAMES, STATES } from "../shared/field";
import type { Scene } from "../shared/scene";
import { valueText } from "../shared/value";
import "./table.css";

const [WIDTH, HEIGHT] = [136, 24];

/** What a cell holds: its value, or why there is none. */
const cellText = (scene: Scene, at: number): string => {
  const state = STATES[scene.states[at] ?? 0] ?? "value";
  return visible(state === "value" ? valueText(scene, at) : STATE_NAMES[state]);
};

/** What a row or a column is called. */
function nameOf(geometry: AxisGeometry, at: number): string {
  const { index, coordinate } = geometry.describe(at);
  return visible(coordinate ?? `[${index}]`);
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);

/** The whole table, as spreadsheets take it. */
function tabbed(scene: Scene, rows: AxisGeometry, columns: AxisGeometry | null): string {
  const { nx } = scene.field;
  const head = columns ? [corner(rows, columns), ...range(0, nx).map((at) => nameOf(columns, at))] : [];
  const lines = range(0, rows.size).map((row) => [
    nameOf(rows, row),
    ...(columns ? range(row * nx, (row + 1) * nx) : [row]).map((at) => cellText(scene, at)),
  ]);
  return [head, ...lines].map((line) => line.join("\t")).join("\n");
}

const corner = (rows: AxisGeometry, columns: AxisGeometry | null) =>
  visible([rows.axis?.label, columns?.axis?.label].filter(Boolean).join(" \\ "));

/** Every value, in rows and columns with their coordinates; only those that are seen are there. */
export function Table({ picture, scene }: ViewProps) {
  const ref = useRef<HTMLDivElement>(null);
  const columns = picture.y === null ? null : (scene?.grid.x ?? null);
  const rows = columns ? scene?.grid.y : scene?.grid.x;
  const [many, wide] = [rows?.size ?? 0, columns?.size ?? 1];
  const down = useWindow(ref, many, HEIGHT);
  const right = useWindow(ref, wide, WIDTH, true);
  if (!scene || !rows) return null;
  const shown = range(right.start, right.end);
  return (
    <div class="nzx-values" ref={ref} tabIndex={0}>
      <div
        style={{
          height: px(down.height + HEIGHT),
          width: px(right.height + WIDTH),
          padding: `${px(down.top)} 0 0 ${px(right.top)}`,
        }}
      >
        <table aria-label={visible(picture.label)} aria-rowcount={many} aria-colcount={wide}>
          <thead>
            <tr>
              <th>
                {corner(rows, columns)}
                <CopyButton label="Copy the table" text={() => tabbed(scene, rows, columns)} />
              </th>
              {shown.map((at) => (
                <th key={at} scope="col">
                  {columns ? nameOf(columns, at) : visible(picture.title)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {range(down.start, down.end).map((row) => (
              <tr key={row} aria-rowindex={row + 1}>
                <th scope="row" title={nameOf(rows, row)}>
                  {nameOf(rows, row)}
                </th>
                {shown.map((column) => {
                  const at = columns ? row * wide + column : row;
                  return (
                    <td key={column} data-state={STATES[scene.states[at] ?? 0]} title={cellText(scene, at)}>
                      {cellText(scene, at)}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
