import { describe, expect, test } from "vitest";
import { readOptions } from "../../client/session";
import { axis, picture } from "../../mock/picture";
import { sceneOf } from "..";
import { namesOf } from "./layout";
import { centerOf, isZoomed, pointOnLine, windowAround, windowMoved, windowOf } from "./zoom";

/** A picture of 3 × 2 points: 1 2 NaN / −9999 0 6, the first of the second row being a fill value. */

const options = readOptions({});

describe("windows", () => {
  const made = picture({
    x: axis({ label: "x", size: 10, step: 4, start: 20, length: 100 }),
    y: axis({ label: "y", size: 5, step: 2, start: 0, length: 10 }),
    values_buffer: 5,
    states_buffer: null,
    storage_states_buffer: null,
  });
  made.buffers.push(new DataView(new Float32Array(50).buffer));
  const scene = sceneOf(made.picture, made.buffers, options);
  if (!scene) throw new Error("no scene");

  test("a rectangle is a range of array indices, of decimated points too", () => {
    expect(windowOf(scene, { x: 0.75, y: 0.5 }, { x: 0.25, y: 0.25 })).toEqual({
      x: [28, 52],
      y: [2, 6],
    });
    // A dimension that is shown whole is not named.
    expect(windowOf(scene, { x: 0.25, y: 0 }, { x: 0.75, y: 1 })).toEqual({ x: [28, 52] });
  });

  test("zooming in and out keeps to the array and to its point", () => {
    const near = windowAround(scene, { x: [20, 60] }, { x: 5, y: 2 }, 0.5);
    expect(near).toEqual({ x: [31, 51], y: [3, 8] });
    expect(windowAround(scene, { x: [20, 60] }, { x: 0, y: 0 }, 4)).toEqual({});
    expect(windowAround(scene, { x: [0, 3] }, { x: 0, y: 0 }, 0.1).x).toHaveLength(2);
  });

  test("a profile is cut along its depths, whatever the width of the rectangle", () => {
    const depth = axis({ label: "depth", kind: "number", size: 6, length: 6, downwards: true });
    const { picture: profile, buffers } = picture({ kind: "line", x: null, y: depth });
    const upright = sceneOf(profile, buffers, options);
    expect(upright && windowOf(upright, { x: 0.4, y: 0.1 }, { x: 0.5, y: 0.4 })).toEqual({ depth: [0, 3] });
    expect(upright && windowAround(upright, {}, { x: 0, y: 0 }, 0.5)).toEqual({ depth: [0, 3] });
  });

  test("the nearest of several lines is pointed at, where its value is; profiles go from the top down", () => {
    const lines = (downwards: boolean) => {
      const x = axis({ label: "depth", kind: "number", size: 3, length: 3, downwards });
      const made = picture({ kind: "lines", x, y: axis({ label: "station", size: 2, length: 2 }) });
      const scene = sceneOf(made.picture, made.buffers, options);
      if (!scene) throw new Error("no scene");
      return scene;
    };
    // The lines are 1 2 – and – 0 6.
    const level = lines(false);
    expect(namesOf(level)).toEqual(["[0]", "[1]"]);
    expect(pointOnLine(level, { x: 0.5, y: 0.6 })).toEqual({ x: 1, y: 0 });
    expect(pointOnLine(level, { x: 0.5, y: 0.9 })).toEqual({ x: 1, y: 1 });
    expect(centerOf(level, { x: 2, y: 1 }).y).toBeLessThan(0.1);
    expect(windowOf(level, { x: 0, y: 0.4 }, { x: 0.5, y: 0.5 })).toEqual({ depth: [0, 2] });
    const upright = lines(true);
    expect(pointOnLine(upright, { x: 0.9, y: 0.9 })).toEqual({ x: 2, y: 1 });
    const { x, y } = centerOf(upright, { x: 2, y: 1 });
    expect(x).toBeGreaterThan(0.9);
    expect(y).toBeCloseTo(5 / 6);
    expect(windowOf(upright, { x: 0.4, y: 0 }, { x: 0.5, y: 0.5 })).toEqual({ depth: [0, 2] });
  });

  test("the part of the rows that lines are of stays, until what is zoomed out is whole", () => {
    const x = axis({ label: "time", size: 3, length: 3 });
    const made = picture({ kind: "lines", x, y: axis({ label: "station", size: 2, length: 9 }) });
    const lines = sceneOf(made.picture, made.buffers, options);
    if (!lines) throw new Error("no scene");
    const rows = { station: [4, 6] as [number, number] };
    const part = { ...rows, time: [0, 2] as [number, number] };
    expect(windowOf(lines, { x: 0, y: 0.4 }, { x: 0.5, y: 0.5 }, rows)).toEqual(part);
    expect(windowAround(lines, rows, { x: 0, y: 0 }, 0.7)).toEqual(part);
    expect(windowMoved(lines, part, { x: 0.5, y: 0 }, { x: 0, y: 0 })).toEqual({ ...rows, time: [1, 3] });
    expect([isZoomed(lines, part), isZoomed(lines, rows)]).toEqual([true, false]);
    expect(windowAround(lines, part, { x: 0, y: 0 }, 2)).toEqual(rows);
    expect(windowAround(lines, rows, { x: 0, y: 0 }, 2)).toEqual({});
  });
});
