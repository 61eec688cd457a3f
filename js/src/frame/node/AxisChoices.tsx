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

/** What makes a dimension one that can be dragged to an axis. */
export const dragged = (name: string) => ({
  draggable: true,
  onDragStart: (event: DragEvent) => event.dataTransfer?.setData("text", name),
});

/** Which dimensions the picture shows along its axes. Where one takes the other's place, they change places. */
export function AxisChoices({ axes, row }: { axes: Axes; row: NodeRow }) {
  const { session } = useView();
  const { x: asked, y: other } = session.options.value;
  // What was chosen last, also while the picture is on its way: arrow keys go on from there.
  const x = asked || axes.x;
  const y = axes.y && (other || axes.y);
  const now = { x, y };
  const all = choices(row);
  const names = all.map(({ name }) => name);
  const titleOf = (name: string) => `${name} ${grouped(all.find((one) => one.name === name)?.length ?? 0)}`;
  // The other axis takes the place of the one that is chosen.
  const choose = (axis: "x" | "y", to: string) => {
    const next = { x, y: y ?? "", [axis]: to };
    if (next.x === next.y) next[axis === "x" ? "y" : "x"] = now[axis] ?? "";
    const { [to]: _, ...reduce } = session.options.peek().reduce;
    session.setOptions({ ...next, reduce, window: {} });
  };
  return (
    <>
      {(["x", "y"] as const).map((axis) => {
        const value = now[axis];
        // What is over it lets go of no name yet.
        const drop = (event: DragEvent) => {
          event.preventDefault();
          const name = String(event.dataTransfer?.getData("text"));
          if (names.includes(name)) choose(axis, name);
        };
        return (
          value !== null && (
            <li key={axis} class="nzx-axis" {...dragged(value)} onDragOver={drop} onDrop={drop}>
              {axis}
              <Select
                label={axis === "x" ? "Horizontal axis" : "Vertical axis"}
                value={value}
                names={names}
                titleOf={titleOf}
                onChange={(to) => choose(axis, to)}
              />
            </li>
          )
        );
      })}
    </>
  );
}
