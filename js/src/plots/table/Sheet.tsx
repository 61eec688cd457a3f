import type { ComponentChild } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useSize } from "../../ui/layout/size";
import { useWindow } from "../../ui/layout/window";
import { px, range } from "../../ui/text/format";
import "./table.css";

/** As wide as the digits of a float64. */
const [NARROW, HEIGHT] = [152, 24];

interface Props {
  label: string;
  /** How many rows and columns there are. */
  many: number;
  wide: number;
  corner: ComponentChild;
  columnOf(at: number): string;
  rowOf(at: number): string;
  /** What a cell says, and its state. */
  cellOf(row: number, column: number): { text: string; state: string | undefined };
  /** Told which rows are seen. */
  onRows?(start: number): void;
}

/** Rows and columns of cells; only those that are seen are there. */
export function Sheet({ label, many, wide, corner, columnOf, rowOf, cellOf, onRows }: Props) {
  const ref = useRef<HTMLDivElement>(null);
  // Few columns have the room that there is: nothing is cut that needs not be.
  const cell = Math.max(NARROW, Math.floor((useSize(ref).width - 16) / (wide + 1)));
  const down = useWindow(ref, many, HEIGHT);
  const right = useWindow(ref, wide, cell, true);
  useEffect(() => onRows?.(down.start), [onRows, down.start]);
  const shown = range(right.start, right.end);
  return (
    <div class="nzx-values" ref={ref} role="group" aria-label={label} tabIndex={0}>
      <div
        style={{
          height: px(down.height + HEIGHT),
          width: px(right.height + cell),
          "--cell": px(cell),
          padding: `${px(down.top)} 0 0 ${px(right.top)}`,
        }}
      >
        <table aria-label={label} aria-rowcount={many} aria-colcount={wide}>
          <thead>
            <tr>
              <th>{corner}</th>
              {shown.map((at) => (
                <th key={at} scope="col" title={columnOf(at)}>
                  {columnOf(at)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {range(down.start, down.end).map((row) => (
              <tr key={row} aria-rowindex={row + 1}>
                <th scope="row" title={rowOf(row)}>
                  {rowOf(row)}
                </th>
                {shown.map((column) => {
                  const { text, state } = cellOf(row, column);
                  return (
                    <td key={column} data-state={state} title={text}>
                      {text}
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
