import type { Axis } from "../../client/protocol.gen";
import type { Window } from "../../client/session";
import { clamp } from "../../ui/text/format";
import type { AxisGeometry } from "./axis";
import { placer } from "./field";
import type { Scene } from "./scene";

export interface Place {
  x: number;
  y: number;
}

type Side = "x" | "y";
/** From where to where a rectangle goes along either side of a picture, 0 to 1. */
type Box = Record<Side, readonly [number, number]>;

/** A rectangle between two places of a picture; of a line all of its axis of values. */
export function extent([a, b]: readonly [Place, Place], scene: Scene): Box {
  const ends = (side: Side): [number, number] =>
    scene[side].axis ? [Math.min(a[side], b[side]), Math.max(a[side], b[side])] : [0, 1];
  return { x: ends("x"), y: ends("y") };
}

/** Whether a window cuts a dimension that is on an axis; of lines it may cut only that of the rows. */
export const isZoomed = ({ x, y }: Scene, window: Window): boolean =>
  [x, y].some(({ axis }) => axis && window[axis.label]);

/** The window before with other parts of the dimensions on the axes; all of a dimension is none. */
function windowOfParts(
  scene: Scene,
  before: Window,
  part: (axis: Axis, side: Side, geometry: AxisGeometry) => readonly [number, number] | null,
): Window {
  const window = { ...before };
  for (const side of ["x", "y"] as const) {
    const { axis } = scene[side];
    if (!axis) continue;
    delete window[axis.label];
    const found = part(axis, side, scene[side]);
    if (!found) continue;
    const [first, end] = [Math.max(0, found[0]), Math.min(axis.length, found[1])];
    if (first > 0 || end < axis.length) window[axis.label] = [first, end];
  }
  return window;
}

/** The range of coordinates along a part of either side, 0 to 1, of a picture that is drawn on them. */
function boxOf({ x, y, curved }: Scene, part: (side: Side) => readonly [number, number]): Window {
  const [[left, right], [top, bottom]] = [part("x"), part("y")];
  const between = (axis: 0 | 1, at: number) => {
    const [low, high] = [curved?.low[axis] ?? 0, curved?.high[axis] ?? 1];
    return Number((low + at * (high - low)).toPrecision(6));
  };
  return {
    [x.axis?.label ?? ""]: [between(0, left), between(0, right)],
    [y.axis?.label ?? ""]: [between(1, 1 - bottom), between(1, 1 - top)],
  };
}

/** The window that a rectangle drawn on a picture stands for. */
export function windowOf(scene: Scene, a: Place, b: Place, before: Window = {}): Window {
  const box = extent([a, b], scene);
  if (scene.curved) return boxOf(scene, (side) => box[side]);
  return windowOfParts(scene, before, ({ start, step }, side, geometry) => {
    const [one, other] = [geometry.indexAt(box[side][0]), geometry.indexAt(box[side][1] - 1e-9)];
    return [start + Math.min(one, other) * step, start + (Math.max(one, other) + 1) * step];
  });
}

/** The window made `by` times as large around a point of the picture. */
export function windowAround(scene: Scene, before: Window, around: Place, by: number): Window {
  const { curved, grid } = scene;
  if (curved) {
    // Cells that lie anywhere are read from all of their dimension for a part of the map, too.
    const all = [grid.x, grid.y].every(({ axis }) =>
      axis ? axis.size * axis.step >= axis.length : !isZoomed(scene, before),
    );
    const center = centerOf(scene, around);
    // Beyond all of it there is nothing.
    if (by > 1 && all) return {};
    return boxOf(scene, (side) => [center[side] * (1 - by), center[side] + (1 - center[side]) * by]);
  }
  // Where the axes show all of theirs, the rows of lines are left to show.
  if (by > 1 && !isZoomed(scene, before)) return {};
  return windowOfParts(scene, before, ({ label, length, start, step }, _, geometry) => {
    const [from, to] = before[label] ?? [];
    const first = from ?? 0;
    const span = (to ?? length) - first;
    const middle = start + (indexOn(scene, geometry, around) + 0.5) * step;
    const next = Math.min(length, Math.max(Math.min(2, length), Math.round(span * by)));
    const wanted = Math.round(middle - ((middle - first) / span) * next);
    const begin = clamp(wanted, length - next);
    return [begin, begin + next];
  });
}

/** The window moved with a point of the picture from one place to another. */
export function windowMoved(scene: Scene, before: Window, from: Place, to: Place): Window {
  const away = (side: Side) => from[side] - to[side];
  if (scene.curved) return boxOf(scene, (side) => [away(side), 1 + away(side)]);
  return windowOfParts(scene, before, ({ label, length, step }, side, geometry) => {
    const [first, end] = before[label] ?? [];
    if (first === undefined || end === undefined) return null;
    const by = (geometry.indexAt(from[side]) - geometry.indexAt(to[side])) * step;
    const start = clamp(first + by, length - (end - first));
    return [start, start + end - first];
  });
}

/** Where something is drawn, between 0 and 1: a point of an axis, 0.5 the first; on coordinates one of these. */
export function placeIn({ curved, x, y }: Scene, axis: 0 | 1, value = 0): number {
  if (!curved) return (axis ? y : x).placeOf(value);
  const part = (value - curved.low[axis]) / (curved.high[axis] - curved.low[axis]);
  return axis ? 1 - part : part;
}

/** Where a point stands along an axis that is drawn. */
const indexOn = ({ grid }: Scene, geometry: AxisGeometry, at: Place): number =>
  geometry === grid.x ? at.x : at.y;

/** Where the middle of a point is drawn, between 0 and 1; of a line where its value is, a missing one at the foot. */
export function centerOf(scene: Scene, at: Place): Place {
  const { curved, field, states, range, x, y } = scene;
  const point = at.y * field.nx + at.x;
  const value = range && !states[point] ? clamp(placer(range)(field.values[point] as number), 0.999) : 0;
  const along = (axis: 0 | 1, geometry: AxisGeometry) =>
    placeIn(scene, axis, indexOn(scene, geometry, at) + 0.5);
  if (curved) return { x: placeIn(scene, 0, curved.x[point]), y: placeIn(scene, 1, curved.y[point]) };
  return { x: x.axis ? along(0, x) : value, y: y.axis ? along(1, y) : 0.999 - value };
}

/** The point of a line at a place between 0 and 1: of several lines that of the nearest one. */
export function pointOnLine(scene: Scene, place: Place): Place {
  const side = scene.x.axis ? "x" : "y";
  const along = scene[side].indexAt(place[side]);
  const other = side === "x" ? "y" : "x";
  const { grid, field } = scene;
  const points = Array.from({ length: scene[side] === grid.x ? field.ny : 1 }, (_, row) =>
    scene[side] === grid.x ? { x: along, y: row } : { x: 0, y: along },
  );
  const away = (point: Place) => Math.abs(centerOf(scene, point)[other] - place[other]);
  return points.reduce((best, point) => (away(point) < away(best) ? point : best));
}
