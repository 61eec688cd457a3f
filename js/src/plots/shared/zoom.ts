import type { Axis } from "../../client/protocol.gen";
import type { Window } from "../../client/session";
import { clamp } from "../../ui/text/format";
import type { AxisGeometry } from "./axis";
import type { Scene } from "./scene";

export interface Place {
  x: number;
  y: number;
}

/** A rectangle between two places of a picture, 0 to 1; of a line all of its axis of values. */
export function extent([a, b]: readonly [Place, Place], { grid }: Scene) {
  const ends = (along: "x" | "y") =>
    grid[along].axis ? [Math.min(a[along], b[along]), Math.max(a[along], b[along])] : [0, 1];
  const [[x0, x1], [y0, y1]] = [ends("x"), ends("y")] as [[number, number], [number, number]];
  return { x0, x1, y0, y1 };
}

/** The axes of a scene that can be cut. */
const axesOf = ({ grid }: Scene): AxisGeometry[] => [grid.x, grid.y];

/** Adds a part of a dimension to a window, unless it is all of it. */
function put(window: Window, { label, length }: Axis, from: number, to: number): void {
  const [first, end] = [Math.max(0, from), Math.min(length, to)];
  if (first > 0 || end < length) window[label] = [first, end];
}

/** The range of coordinates between two places of a picture that is drawn on them. */
function boxOf({ x, y, curved }: Scene, { x0, x1, y0, y1 }: ReturnType<typeof extent>): Window {
  const between = (axis: 0 | 1, at: number) => {
    const [low, high] = [curved?.low[axis] ?? 0, curved?.high[axis] ?? 1];
    return Number((low + at * (high - low)).toPrecision(6));
  };
  return {
    [x.axis?.label ?? ""]: [between(0, x0), between(0, x1)],
    [y.axis?.label ?? ""]: [between(1, 1 - y1), between(1, 1 - y0)],
  };
}

/** The window that a rectangle drawn on a picture stands for. */
export function windowOf(scene: Scene, a: Place, b: Place): Window {
  const box = extent([a, b], scene);
  if (scene.curved) return boxOf(scene, box);
  const window: Window = {};
  axesOf(scene).forEach((geometry, at) => {
    const { axis } = geometry;
    if (axis === null) return;
    const [from, to] = at === 0 ? [box.x0, box.x1] : [box.y0, box.y1];
    const [one, other] = [geometry.indexAt(from), geometry.indexAt(to - 1e-9)];
    put(
      window,
      axis,
      axis.start + Math.min(one, other) * axis.step,
      axis.start + (Math.max(one, other) + 1) * axis.step,
    );
  });
  return window;
}

/** The window made `by` times as large around a point of the picture. */
export function windowAround(scene: Scene, before: Window, around: Place, by: number): Window {
  if (scene.curved) {
    const all = axesOf(scene).every(({ axis }) => axis && axis.size * axis.step >= axis.length);
    const { x, y } = centerOf(scene, around);
    // Beyond all of it there is nothing.
    return by > 1 && all
      ? {}
      : boxOf(scene, { x0: x - x * by, x1: x + (1 - x) * by, y0: y - y * by, y1: y + (1 - y) * by });
  }
  const window: Window = {};
  axesOf(scene).forEach(({ axis }, at) => {
    if (axis === null) return;
    const [from, to] = before[axis.label] ?? [0, axis.length];
    const [first, span] = [from ?? 0, (to ?? axis.length) - (from ?? 0)];
    const middle = axis.start + ((at === 0 ? around.x : around.y) + 0.5) * axis.step;
    const next = Math.min(axis.length, Math.max(Math.min(2, axis.length), Math.round(span * by)));
    const wanted = Math.round(middle - ((middle - first) / span) * next);
    const start = clamp(wanted, axis.length - next);
    put(window, axis, start, start + next);
  });
  return window;
}

/** The window moved with a point of the picture from one place to another. */
export function windowMoved(scene: Scene, before: Window, from: Place, to: Place): Window {
  if (scene.curved) {
    const [x, y] = [from.x - to.x, from.y - to.y];
    return boxOf(scene, { x0: x, x1: 1 + x, y0: y, y1: 1 + y });
  }
  const window: Window = {};
  axesOf(scene).forEach((geometry, at) => {
    const { axis } = geometry;
    const [first, end] = before[axis?.label ?? ""] ?? [];
    if (axis === null || first === undefined || end === undefined) return;
    const [one, other] = at === 0 ? [from.x, to.x] : [from.y, to.y];
    const by = (geometry.indexAt(one) - geometry.indexAt(other)) * axis.step;
    const start = clamp(first + by, axis.length - (end - first));
    put(window, axis, start, start + end - first);
  });
  return window;
}

/** Where something is drawn, between 0 and 1: a point of an axis, 0.5 the first; on coordinates one of these. */
export function placeIn({ curved, x, y }: Scene, axis: 0 | 1, value = 0): number {
  if (!curved) return (axis ? y : x).placeOf(value);
  const part = (value - curved.low[axis]) / (curved.high[axis] - curved.low[axis]);
  return axis ? 1 - part : part;
}

/** Where the middle of a point is drawn, between 0 and 1. */
export function centerOf(scene: Scene, at: Place): Place {
  const { curved, field } = scene;
  const point = at.y * field.nx + at.x;
  return {
    x: placeIn(scene, 0, curved ? curved.x[point] : at.x + 0.5),
    y: placeIn(scene, 1, curved ? curved.y[point] : at.y + 0.5),
  };
}
