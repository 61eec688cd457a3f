import { describe, expect, test } from "vitest";
import type { StateCount } from "../../client/protocol.gen";
import { readOptions } from "../../client/session";
import { axis, picture } from "../../mock/picture";
import small from "../../mock/recorded/small.json";
import { reading } from "../../panels/plot/stage/Hover";
import { sceneOf } from "..";
import { AxisGeometry } from "./axis";
import { countStates, type Field, fieldOf, histogram, masked, normOf, place, rangeOf, STATES } from "./field";
import { frameOf } from "./layout";
import {
  categoryColor,
  categoryLut,
  categoryShades,
  faded,
  GREYS,
  lutOf,
  paintMap,
  runs,
  shades,
  tilesOf,
  unpacked,
} from "./paint";

/** A picture of 3 × 2 points: 1 2 NaN / −9999 0 6, the first of the second row being a fill value. */

const options = readOptions({});

describe("states", () => {
  const made = picture();
  const field = fieldOf(made.picture, made.buffers);
  if (field === null) throw new Error("no field");

  test("values are read from buffers that are not aligned", () => {
    expect([...field.values]).toEqual([1, 2, Number.NaN, -9999, 0, 6]);
  });

  test("integers that floats do not hold are read as they are", () => {
    const big = [2n ** 63n - 1n, 2n ** 53n + 1n, 0n, -9999n, 5n, 6n];
    const values = big.map(Number);
    const rest = big.map((number, at) => Number(number - BigInt(values[at] ?? 0)));
    const buffers = [Float64Array.from(values), Float32Array.from(rest)].map(
      (one) => new DataView(one.buffer),
    );
    const { picture: found } = picture({ values_type: "float64", rest_buffer: 1, states_buffer: null });
    const scene = sceneOf(found, buffers, options);
    expect(scene && [0, 1, 2].map((x) => reading(scene, x, 0).value)).toEqual(big.slice(0, 3).map(String));
  });

  test("each mask hides what it says", () => {
    expect([...masked(field, "nz")]).toEqual([0, 0, 2, 1, 0, 0]);
    expect([...masked(field, "storage")]).toEqual([0, 0, 2, 0, 7, 0]);
    expect([...masked(field, "raw")]).toEqual([0, 0, 2, 0, 0, 0]);
  });

  test("raw keeps what is no mask: absent and unreadable chunks, and a fill value of NaN is NaN", () => {
    const odd = {
      ...field,
      values: Float32Array.from([Number.NaN, 0, 0, Number.POSITIVE_INFINITY, 5, 5]),
      states: Uint8Array.from([1, 5, 6, 1, 7, 0]),
    };
    expect([...masked(odd, "raw")]).toEqual([2, 5, 6, 3, 0, 0]);
  });

  test("states stand in the order of the codes that the kernel sends", () => {
    const { messages } = small as unknown as { messages: { result?: { states?: StateCount[] } }[] };
    const counted = messages.flatMap(({ result }) => result?.states ?? []);
    expect(counted.length).toBeGreaterThan(10);
    for (const { state, code } of counted) expect(STATES[code]).toBe(state);
    const inks = { dark: false, background: [255, 255, 255], foreground: [0, 0, 0] } as const;
    expect(tilesOf(inks, 1).pixels).toHaveLength(STATES.length);
  });

  test("without states the numbers speak for themselves", () => {
    const bare = picture({ states_buffer: null, storage_states_buffer: null });
    expect([...(fieldOf(bare.picture, bare.buffers)?.states ?? [])]).toEqual([0, 0, 2, 0, 0, 0]);
  });

  test("buffers that do not fit make no field", () => {
    expect(fieldOf(picture({ values_buffer: 9 }).picture, made.buffers)).toBeNull();
    expect(fieldOf(picture({ x: axis({ size: 300 }) }).picture, made.buffers)).toBeNull();
  });

  test("counts and ranges are those of the mask", () => {
    expect(countStates(masked(field, "nz"))).toEqual([
      { state: "value", count: 4 },
      { state: "fill", count: 1 },
      { state: "nan", count: 1 },
    ]);
    expect(rangeOf(field, masked(field, "nz"))).toEqual([0, 6]);
    expect(rangeOf(field, masked(field, "raw"))).toEqual([-9999, 6]);
    expect(rangeOf(field, masked(field, "nz"), true)).toEqual([1, 6]);
    expect(rangeOf(field, Uint8Array.from([2, 2, 2, 1, 1, 1]))).toBeNull();
  });

  test("limits that were set win, and a logarithm starts above zero", () => {
    const states = masked(field, "nz");
    expect(normOf(field, states, { limits: "held", low: null, high: null, scale: "linear" })).toEqual({
      low: 0,
      high: 6,
      scale: "linear",
    });
    expect(normOf(field, states, { limits: "held", low: 2, high: null, scale: "linear" })).toEqual({
      low: 2,
      high: 6,
      scale: "linear",
    });
    expect(normOf(field, states, { limits: "held", low: 9, high: 3, scale: "linear" })).toEqual({
      low: 3,
      high: 9,
      scale: "linear",
    });
    expect(normOf(field, states, { limits: "held", low: -5, high: null, scale: "log" })).toEqual({
      low: 0.006,
      high: 6,
      scale: "log",
    });
    expect(normOf(field, states, { limits: "frame", low: null, high: null, scale: "log" })?.low).toBe(1);
    expect(normOf(field, Uint8Array.from([1, 1, 1, 1, 1, 1]), options)).toBeNull();
  });

  test("limits that the kernel knows hold; zero is in the middle of what has a sign; heights grow with what is shown", () => {
    const states = masked(field, "nz");
    const ends = (...rest: [(readonly number[])?, boolean?, boolean?]) => {
      const norm = normOf(field, states, options, ...rest);
      return [norm?.low, norm?.high];
    };
    expect(ends([2, 3])).toEqual([2, 3]);
    expect(ends([-2, 3], true)).toEqual([-3, 3]);
    expect(ends([-4, 3], true)).toEqual([-4, 4]);
    expect(ends([2, 30], false, false)).toEqual([0, 30]);
  });

  test("a value lies between its limits", () => {
    expect(place({ low: 0, high: 10, scale: "linear" }, 5)).toBe(0.5);
    expect(place({ low: 0, high: 10, scale: "linear" }, -1)).toBe(0);
    expect(place({ low: 0, high: 10, scale: "linear" }, 11)).toBe(1);
    expect(place({ low: 1, high: 100, scale: "log" }, 10)).toBeCloseTo(0.5);
    expect(place({ low: 3, high: 3, scale: "linear" }, 3)).toBe(0.5);
    const both = { low: -1000, high: 1000, scale: "symlog" } as const;
    expect([-1000, 0, 1000].map((value) => place(both, value))).toEqual([0, 0.5, 1]);
    // matplotlib.colors.SymLogNorm(1, vmin=-1000, vmax=1000)(10)
    expect(place(both, 10)).toBeCloseTo(0.75676, 4);
    expect(histogram(field, masked(field, "nz"), { low: 0, high: 6, scale: "linear" }, 3)).toEqual([2, 1, 1]);
  });
});

describe("orientation", () => {
  test("decreasing latitudes: the first row is the top one", () => {
    const lat = new AxisGeometry(
      axis({ kind: "number", decreasing: true, size: 3 }),
      Float64Array.from([60, 50, 40]),
      true,
    );
    expect([0, 1, 2].map((at) => lat.center(at))).toEqual([
      expect.closeTo(1 / 6),
      0.5,
      expect.closeTo(5 / 6),
    ]);
    expect([...lat.lookup(3)]).toEqual([0, 1, 2]);
  });

  test("coordinates that are too uneven to be drawn by their size are named evenly", () => {
    const depths = Float64Array.from([5, 10, 20, 50, 100, 200, 500, 2000]);
    const depth = new AxisGeometry(axis({ kind: "number", size: 8, downwards: true }), depths, true);
    expect(depth.ticks(4).map(({ label }) => label)).toEqual(["5", "20", "100", "500"]);
    const places = depth.ticks(4).map(({ at }) => at);
    expect(Math.max(...places) - Math.min(...places)).toBeCloseTo(6 / 8);
  });

  test("increasing latitudes: the first row is the bottom one", () => {
    const lat = new AxisGeometry(axis({ kind: "number", size: 3 }), Float64Array.from([40, 50, 60]), true);
    expect([...lat.lookup(3)]).toEqual([2, 1, 0]);
  });

  test("the same without coordinates, by what the axis says", () => {
    expect([...new AxisGeometry(axis({ kind: "number", size: 3 }), null, true).lookup(3)]).toEqual([2, 1, 0]);
    expect([
      ...new AxisGeometry(axis({ kind: "number", size: 3, decreasing: true }), null, true).lookup(3),
    ]).toEqual([0, 1, 2]);
  });

  test("bare indices: row 0 at the top, column 0 at the left", () => {
    expect([...new AxisGeometry(axis({}), null, true).lookup(4)]).toEqual([0, 1, 2, 3]);
    expect([...new AxisGeometry(axis({}), null, false).lookup(4)]).toEqual([0, 1, 2, 3]);
    expect([
      ...new AxisGeometry(axis({ kind: "category", labels: ["a", "b", "c", "d"] }), null, true).lookup(4),
    ]).toEqual([0, 1, 2, 3]);
  });

  test("longitudes that fall grow to the right all the same", () => {
    expect([
      ...new AxisGeometry(
        axis({ kind: "number", size: 3, decreasing: true }),
        Float64Array.from([30, 20, 10]),
        false,
      ).lookup(3),
    ]).toEqual([2, 1, 0]);
  });

  test("uneven coordinates take the room they span", () => {
    const uneven = new AxisGeometry(axis({ kind: "number", size: 3 }), Float64Array.from([0, 1, 4]), false);
    expect(uneven.true).toBe(true);
    const columns = [...uneven.lookup(60)];
    expect(columns.filter((at) => at === 2).length).toBeGreaterThan(
      2 * columns.filter((at) => at === 0).length,
    );
  });

  test("coordinates in disorder, or with gaps no pixel could show, are placed by number", () => {
    for (const values of [
      [0, 2, 1],
      [0, Number.NaN, 2],
      [0, 1, 1000],
      [1, 1, 1],
    ]) {
      expect(new AxisGeometry(axis({ kind: "number", size: 3 }), Float64Array.from(values), false).true).toBe(
        false,
      );
    }
  });

  test("levels have the same width, and the first and the last colour", () => {
    const lut = lutOf(GREYS, 10);
    expect([lut.length, new Set(lut).size]).toEqual([250, 10]);
    expect([lut[0], lut[24], lut[249]]).toEqual([lutOf(GREYS)[0], lutOf(GREYS)[0], lutOf(GREYS)[255]]);
    const made = picture();
    const few = {
      ...(fieldOf(made.picture, made.buffers) as Field),
      values: Float32Array.from([0, 0.59, 0.61, 3, 5.41, 6]),
    };
    const shade = shades(few, new Uint8Array(6), { low: 0, high: 6, scale: "linear" }, lut.length);
    expect([...shade].map((at) => Math.floor(at / 25))).toEqual([0, 0, 1, 5, 9, 9]);
  });

  test("a picture is painted the right way up, each state in its own pattern", () => {
    const made = picture();
    const scene = sceneOf(made.picture, made.buffers, options);
    if (scene === null) throw new Error("no scene");
    const inks = { dark: false, background: [255, 255, 255], foreground: [0, 0, 0] } as const;
    const [lut, tiles] = [lutOf(GREYS), tilesOf(inks, 1)];
    const target = new Uint32Array(60 * 40);
    paintMap(
      target,
      scene.points(60, 40),
      60,
      scene.states,
      shades(scene.field, scene.states, scene.norm, 256),
      lut,
      tiles,
    );
    const at = (x: number, y: number) => target[y * 60 + x];
    expect(at(5, 5)).toBe(lut[Math.floor((1 / 6) * 256)]);
    expect(at(55, 35)).toBe(lut[255]);
    expect(at(25, 35)).toBe(lut[0]);
    const block = (x0: number, y0: number) =>
      new Set(Array.from({ length: 144 }, (_, n) => at(x0 + (n % 12), y0 + Math.floor(n / 12))));
    expect(block(2, 22).size).toBe(2);
    expect(block(42, 2).size).toBe(2);
    expect(block(2, 22)).not.toEqual(block(42, 2));
  });

  test("all patterns differ by shape, not only by colour", () => {
    const tiles = tilesOf({ dark: true, background: [20, 20, 20], foreground: [230, 230, 230] }, 2);
    const shapes = tiles.pixels
      .slice(1)
      .map((tile) => [...(tile ?? [])].map((pixel) => (pixel === tile?.[0] ? 1 : 0)).join(""));
    const inverse = shapes.map((shape) => shape.replace(/[01]/g, (digit) => (digit === "1" ? "0" : "1")));
    for (const [at, shape] of shapes.entries()) {
      // An unreadable chunk shares the cross-hatch with an absent one, at another width.
      expect([...shapes.slice(0, at), ...inverse.slice(0, at)]).not.toContain(shape);
    }
  });

  test("a line is broken where points are missing", () => {
    expect(runs(Uint8Array.from([0, 0, 1, 0, 2, 2, 0, 0]), 8)).toEqual([
      [0, 1],
      [3, 3],
      [6, 7],
    ]);
    expect(runs(Uint8Array.from([1, 1]), 2)).toEqual([]);
  });
});

describe("differences of masks", () => {
  test("are struck out, each way by itself, and counted", () => {
    const made = picture();
    const scene = sceneOf(made.picture, made.buffers, readOptions({ mask: "differences" }));
    expect([...(scene?.states ?? [])]).toEqual([0, 0, 2, 11, 12, 0]);
    expect(countStates(scene?.states ?? new Uint8Array()).slice(-2)).toEqual([
      { state: "only_nz", count: 1 },
      { state: "only_storage", count: 1 },
    ]);
    // What both mask, each for its own reason, is no difference.
    const both = { ...made.picture, storage_states_buffer: 1 };
    const same = sceneOf(both, made.buffers, readOptions({ mask: "differences" }));
    expect([...(same?.states ?? [])]).toEqual([0, 0, 2, 1, 0, 0]);
  });

  test("are none of what values are made of, which was masked before", () => {
    const made = picture({ derived: true });
    const scene = sceneOf(made.picture, made.buffers, readOptions({ mask: "differences" }));
    expect([scene?.mask, ...(scene?.states ?? [])]).toEqual(["nz", 0, 0, 2, 1, 0, 0]);
  });

  test("other colours fall back towards the paper", () => {
    const inks = { dark: false, background: [255, 255, 255], foreground: [0, 0, 0] } as const;
    const [black] = faded(Uint32Array.from([0xff000000]), inks);
    expect((black ?? 0) & 255).toBeGreaterThan(150);
  });
});

test("images have the colours that came, and the hover tells them", () => {
  const made = picture({ kind: "image", values_buffer: null, values_type: null, image_buffer: 5 });
  made.buffers.push(
    new DataView(Uint8Array.from({ length: 24 }, (_, at) => (at % 4 === 3 ? 255 : at)).buffer),
  );
  const scene = sceneOf(made.picture, made.buffers, options);
  if (!scene) throw new Error("no scene");
  expect(scene.norm).toBeNull();
  expect(reading(scene, 1, 0).value).toBe("RGB 4, 5, 6");
  const target = new Uint32Array(6);
  const tiles = tilesOf({ dark: false, background: [255, 255, 255], foreground: [0, 0, 0] }, 1);
  paintMap(target, scene.points(3, 2), 3, scene.states, null, scene.image ?? target, tiles);
  // Row 0 has the higher latitude.
  expect((target[1] ?? 0) & 0xffffff).toBe(4 | (5 << 8) | (6 << 16));
});

test("categories have a number of their own, and what is none of them another", () => {
  const categories = [
    { value: 0, label: "clear", color: "#01020380" },
    { value: 6, label: "fog", color: null },
  ];
  expect([...categoryShades([6, 0, 2], categories)]).toEqual([1, 0, 2]);
  // Red, green, blue and opacity, one after the other; what is none of them is grey.
  const [given, own, none] = categoryLut(categories, false);
  expect([given, none]).toEqual([0x80030201, 0xff808080]);
  expect(unpacked(own as number)).toEqual(categoryColor(1, false));
  const made = picture({ categories });
  const scene = sceneOf(made.picture, made.buffers, options);
  if (!scene) throw new Error("no scene");
  expect(reading(scene, 2, 1)).toMatchObject({ value: "fog", state: "value" });
  expect(frameOf(scene, 600, 400, (text) => text.length * 6).bar).toBeNull();
});
