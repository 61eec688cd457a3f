import type { NodeRow } from "../../client/protocol.gen";
import type { Axes } from "../../client/session";
import { useView } from "../../client/view";
import { Select } from "../../ui/select/Select";
import { grouped } from "../../ui/text/format";

/** A name for an axis that is unique in the array: that of its dimension, else its number. */
export function labelOfAxis(row: NodeRow, axis: number): string {
  const names = row.dimension_names ?? [];
  const name = names[axis];
  return name && names.indexOf(name) === names.lastIndexOf(name) ? name : `dim_${axis}`;
}

/** The dimensions that can stand along an axis: those with more than one index. */
export function choices(row: NodeRow): { name: string; length: number }[] {
  return (row.kind === "array" ? (row.shape ?? []) : [])
    .map((length, at) => ({ name: labelOfAxis(row, at), length }))
    .filter(({ length }) => length > 1);
}

/** Which dimensions the picture shows along its axes. Where one takes the other's place, they change places. */
export function AxisChoices({ axes, row }: { axes: Axes; row: NodeRow }) {
  const { session } = useView();
  const { x, y } = axes;
  const all = choices(row);
  const names = all.map(({ name }) => name);
  const titleOf = (name: string) => `${name} ${grouped(all.find((one) => one.name === name)?.length ?? 0)}`;
  const choose = (change: { x: string; y: string }) => session.setOptions({ ...change, window: {} });
  return (
    <>
      <li class="nzx-axis">
        x
        <Select
          label="Horizontal axis"
          value={x}
          names={names}
          titleOf={titleOf}
          onChange={(to) => choose({ x: to, y: y === null ? "" : to === y ? x : y })}
        />
      </li>
      {y !== null && (
        <li class="nzx-axis">
          y
          <Select
            label="Vertical axis"
            value={y}
            names={names}
            titleOf={titleOf}
            onChange={(to) => choose({ y: to, x: to === x ? y : x })}
          />
        </li>
      )}
    </>
  );
}
