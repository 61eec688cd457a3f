import type { Axis } from "../../client/protocol.gen";
import type { Window } from "../../client/session";
import type { AxisGeometry } from "./axis";
import type { Scene } from "./scene";

export interface Place {
  x: number;
  y: number;
}

/** A rectangle between two places of a picture, 0 to 1; of a line its whole height. */
export function extent([a, b]: readonly [Place, Place], line: boolean) {
  return {
    x0: Math.min(a.x, b.x),
    x1: Math.max(a.x, b.x),
    y0: line ? 0 : Math.min(a.y, b.y),
    y1: line ? 1 : Math.max(a.y, b.y),
  };
}

/** The axes of a scene that can be cut. */
const axesOf = ({ grid, look }: Scene): AxisGeometry[] => (look.flat ? [grid.x, grid.y] : [grid.x]);

/** Adds a part of a dimension to a window, unless it is all of it. */
function put(window: Window, { label, length }: Axis, from: number, to: number): void {
  const [first, end] = [Math.max(0, from), Math.min(length, to)];
  if (first > 0 || end < length) window[label] = [first, end];
}

/** The window that a rectangle drawn on a picture stands for, null where nothing lies in it. */
export function windowOf(scene: Scene, a: Place, b: Place, width: number, height: number): Window | null {
  const { x0, x1, y0, y1 } = extent([a, b], !scene.look.flat);
  const { nx } = scene.field;
  let low = [scene.x.indexAt(x0), scene.y.indexAt(y0)];
  let high = [scene.x.indexAt(x1 - 1e-9), scene.y.indexAt(y1 - 1e-9)];
  if (scene.curved) {
    low = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    high = [-1, -1];
    const [w, h] = [Math.round(width), Math.round(height)];
    const points = scene.points(w, h);
    for (let row = Math.floor(y0 * h); row < y1 * h; row++) {
      for (let column = Math.floor(x0 * w); column < x1 * w; column++) {
        const at = points[row * w + column] ?? -1;
        if (at < 0) continue;
        [at % nx, Math.floor(at / nx)].forEach((index, axis) => {
          low[axis] = Math.min(low[axis] as number, index);
          high[axis] = Math.max(high[axis] as number, index);
        });
      }
    }
    if ((high[0] as number) < 0) return null;
  }
  const window: Window = {};
  axesOf(scene).forEach(({ axis }, at) => {
    if (axis === null) return;
    const [one, other] = [low[at] as number, high[at] as number];
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
  const window: Window = {};
  axesOf(scene).forEach(({ axis }, at) => {
    if (axis === null) return;
    const [from, to] = before[axis.label] ?? [0, axis.length];
    const [first, span] = [from ?? 0, (to ?? axis.length) - (from ?? 0)];
    const middle = axis.start + ((at === 0 ? around.x : around.y) + 0.5) * axis.step;
    const next = Math.min(axis.length, Math.max(Math.min(2, axis.length), Math.round(span * by)));
    const wanted = Math.round(middle - ((middle - first) / span) * next);
    const start = Math.max(0, Math.min(axis.length - next, wanted));
    put(window, axis, start, start + next);
  });
  return window;
}
