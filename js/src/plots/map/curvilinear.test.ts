import { describe, expect, test } from "vitest";
import { readOptions } from "../../client/session";
import { axis, picture } from "../../mock/picture";
import { cellAt, reading } from "../../panels/plot/stage/Hover";
import { sceneOf } from "..";
import { centerOf, windowAround, windowOf } from "../shared/zoom";
import { curvedOf, splat } from "./curvilinear";

/** A picture of 3 × 2 points: 1 2 NaN / −9999 0 6, the first of the second row being a fill value. */

const options = readOptions({});

describe("two-dimensional coordinates", () => {
  const grid = {
    ...{ x_label: "lon", y_label: "lat", x_buffer: 0, y_buffer: 1 },
    ...{ x_units: "°E", y_units: null, turn: 360, nearest_buffer: null, columns: 0, aspect: null },
  };
  const beside = {
    ...{ down: true, across: true, buffer: null, units: null, texts: [] as string[] },
    type: "float64",
  } as const;
  const of = (xs: number[], ys: number[], limits: number[]) => curvedOf({ ...grid, limits }, xs, ys);

  test("each pixel takes the nearest point; the outermost reach half a cell further", () => {
    const curved = of([10, 20, 30, 10, 20, 30], [5, 5, 5, 0, 0, 0], [5, 35, -2.5, 7.5]);
    expect([...splat(curved, 3, 2, 6, 4)]).toEqual([
      0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 3, 3, 4, 4, 5, 5,
    ]);
  });

  test("a box across the cut of the circle is drawn whole", () => {
    const xs = Array.from({ length: 36 }, (_, at) => at * 10 - 175);
    const both = [...xs, ...xs];
    const ys = both.map((_, at) => (at < 36 ? 10 : 0));
    const curved = of(both, ys, [160, 200, -5, 15]);
    const points = splat(curved, 36, 2, 4, 1);
    expect([...points].map((point) => both[point])).toEqual([165, 175, -175, -165]);
  });

  test("a grid across the date line stays together and smears nowhere", () => {
    const curved = of([170, 180, -170, 170, 180, -170], [5, 5, 5, 0, 0, 0], [165, 195, -2.5, 7.5]);
    expect([...splat(curved, 3, 2, 6, 2)]).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
  });

  test("round the globe, cells at the cut appear on its two sides and not between", () => {
    const xs = Array.from({ length: 36 }, (_, at) => ((at * 10 + 185) % 360) - 180);
    const both = [...xs, ...xs];
    const ys = both.map((_, at) => (at < 36 ? 10 : 0));
    const curved = of(both, ys, [-180, 180, -5, 15]);
    const points = splat(curved, 36, 2, 36, 1);
    for (const [column, point] of points.entries()) {
      const lon = -175 + column * 10;
      expect(both[point]).toBeCloseTo(lon > 175 ? lon - 360 : lon);
    }
  });

  test("points without coordinates and jumps of the grid leave gaps", () => {
    const curved = of([10, Number.NaN, 30, 10, 20, 30], [5, 5, 5, 0, 0, 0], [5, 35, -2.5, 7.5]);
    const points = splat(curved, 3, 2, 6, 4);
    expect(points.includes(1)).toBe(false);
    expect(points.includes(-1)).toBe(true);
    const torn = of([10, 20, 170, 10, 20, 170], [5, 5, 5, 0, 0, 0], [-30, 210, -2.5, 7.5]);
    // Between 20 and 170 degrees there is nothing.
    const row = [...splat(torn, 3, 2, 190, 2)].slice(50, 148);
    expect(new Set(row)).toEqual(new Set([-1]));
  });

  test("the pointer finds the nearest point, and a rectangle the part of the array below it", () => {
    const made = picture({
      curvilinear: { ...grid, x_buffer: 5, y_buffer: 6, x_units: null, limits: [0.5, 3.5, 3, 11] },
      point_coordinates: [
        { ...beside, label: "lat", buffer: 6, type: "float32" },
        { ...beside, label: "lon", buffer: 5, type: "float32" },
        { ...beside, label: "valid", across: false, texts: ["", "2020-01-02"] },
        { ...beside, label: "far", down: false, buffer: 7, units: "°E" },
      ],
    });
    const far = Float64Array.of(0, 270, Number.NaN);
    made.buffers.push(
      new DataView(Float32Array.from([1, 2, 3, 1, 2, 3]).buffer),
      new DataView(Float32Array.from([5, 5, 5, 9, 9, 9]).buffer),
      new DataView(far.buffer),
    );
    const scene = sceneOf(made.picture, made.buffers, options);
    if (!scene) throw new Error("no scene");
    // The second row lies above, for its latitude is larger.
    expect(cellAt(scene, { x: 0.9, y: 0.1 }, 60, 40)).toEqual({ x: 2, y: 1 });
    // What is missing is left out.
    expect(reading(scene, 2, 1).rows.slice(0, 4)).toEqual([
      ["lat", "9"],
      ["lon", "3"],
      ["valid", "2020-01-02"],
      ["lat", "40  [1]"],
    ]);
    expect(reading(scene, 1, 0).rows.slice(1, 3)).toEqual([
      ["lon", "2"],
      ["far", "90° W (270)"],
    ]);
    // On coordinates it is their range; the kernel cuts the picture there.
    const window = { lon: [1.7, 3.2], lat: [8.6, 10.2] };
    const [from, to] = [
      { x: 0.4, y: 0.1 },
      { x: 0.9, y: 0.3 },
    ];
    expect(windowOf(scene, from, to)).toEqual(window);
    expect(windowAround(scene, {}, { x: 1, y: 1 }, 0.5)).toEqual({ lon: [1.25, 2.75], lat: [6, 10] });
    expect(windowAround(scene, {}, { x: 1, y: 1 }, 2)).toEqual({});
    const flat = sceneOf(made.picture, made.buffers, readOptions({ curvilinear: false }));
    expect(flat?.curved).toBeNull();
    // On straight axes these come first.
    expect(flat && reading(flat, 2, 1).rows.map(([name]) => name)).toEqual([
      "lat",
      "lon",
      "lat",
      "lon",
      "valid",
      "time",
    ]);
  });

  test("cells lie where the kernel found them, whatever their order, and stay there without 2-D coordinates", () => {
    const made = picture({
      kind: "cells",
      x: axis({ label: "cell", size: 6, length: 6 }),
      y: null,
      curvilinear: {
        ...grid,
        x_buffer: 5,
        y_buffer: 6,
        limits: [0, 40, -10, 10],
        nearest_buffer: 7,
        columns: 4,
      },
    });
    made.buffers.push(
      new DataView(Float32Array.from([35, 5, 15, 25, 5, 35]).buffer),
      new DataView(Float32Array.from([5, 5, -5, -5, -5, -5]).buffer),
      new DataView(Int32Array.from([1, -1, -1, 0, 4, 2, 3, 5]).buffer),
    );
    for (const curvilinear of [true, false]) {
      const scene = sceneOf(made.picture, made.buffers, { ...options, curvilinear });
      if (!scene) throw new Error("no scene");
      expect([...scene.points(8, 2)]).toEqual([1, 1, -1, -1, -1, -1, 0, 0, 4, 4, 2, 2, 3, 3, 5, 5]);
      expect(cellAt(scene, { x: 0.9, y: 0.1 }, 80, 40)).toEqual({ x: 0, y: 0 });
      expect(centerOf(scene, { x: 0, y: 0 })).toEqual({ x: 0.875, y: 0.25 });
      expect(windowOf(scene, { x: 0, y: 0 }, { x: 0.5, y: 0.5 })).toEqual({ lon: [0, 20], lat: [0, 10] });
      expect(windowAround(scene, {}, { x: 0, y: 0 }, 2)).toEqual({});
    }
  });
});
