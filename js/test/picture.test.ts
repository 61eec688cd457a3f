import { describe, expect, test } from "vitest";
import { row } from "../src/mock/data";
import { reading } from "../src/panels/ArrayPlot";
import { ownIndex } from "../src/panels/index-of";
import { AxisGeometry } from "../src/picture/axis";
import { aspect, frameOf, sceneOf } from "../src/picture/draw";
import { countStates, fieldOf, histogram, masked, normOf, place, rangeOf } from "../src/picture/field";
import { GREYS, lutOf, paintMap, runs, shades, tilesOf } from "../src/picture/paint";
import { indexTicks, labelTicks, logTicks, niceTicks } from "../src/picture/ticks";
import type { Axis, PictureResult } from "../src/protocol.gen";
import { readOptions } from "../src/session";

const axis = (change: Partial<Axis>): Axis => ({
  label: "x",
  kind: "index",
  start: 0,
  step: 1,
  size: 4,
  length: 4,
  decreasing: false,
  units: null,
  coordinates_buffer: null,
  labels: null,
  chunk: null,
  ...change,
});

/** A picture of 3 × 2 points: 1 2 NaN / −9999 0 6, the first of the second row being a fill value. */
function picture(change: Partial<PictureResult> = {}): { picture: PictureResult; buffers: DataView[] } {
  const values = Float32Array.from([1, 2, Number.NaN, -9999, 0, 6]);
  const shifted = new Uint8Array(25);
  shifted.set(new Uint8Array(values.buffer), 1);
  const buffers = [
    new DataView(shifted.buffer, 1, 24),
    new DataView(Uint8Array.from([0, 0, 2, 1, 0, 0]).buffer),
    new DataView(Uint8Array.from([0, 0, 2, 0, 7, 0]).buffer),
    new DataView(Float64Array.from([50, 40]).buffer),
    new DataView(Float64Array.from([10, 20, 30]).buffer),
  ];
  const base: PictureResult = {
    kind: "map",
    path: "/a",
    title: "a",
    label: "/a",
    message: null,
    data_type: "float32",
    units: "K",
    x: axis({ label: "lon", kind: "number", size: 3, length: 3, coordinates_buffer: 4 }),
    y: axis({ label: "lat", kind: "number", size: 2, length: 2, coordinates_buffer: 3, decreasing: true }),
    sliders: [{ dimension: "time", axis: 0, length: 9, index: 4, label: "2020-01-05", units: null }],
    values_type: "float32",
    values_buffer: 0,
    states_buffer: 1,
    storage_states_buffer: 2,
    states: [],
    low: 0,
    high: 6,
    text: null,
    fill: "-9999",
    storage_fill: "0",
    read: null,
    errors: [],
    kinds: [],
    parts: [],
    part: null,
    image_buffer: null,
    histogram: null,
    categories: [],
    packing: null,
    valid_low: null,
    valid_high: null,
    curvilinear: null,
    overview: null,
    ...change,
  };
  return { picture: base, buffers };
}

const options = readOptions({});

describe("states", () => {
  const made = picture();
  const field = fieldOf(made.picture, made.buffers);
  if (field === null) throw new Error("no field");

  test("values are read from buffers that are not aligned", () => {
    expect([...field.values]).toEqual([1, 2, Number.NaN, -9999, 0, 6]);
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

  test("codes of the message are translated by its own table", () => {
    const other = picture({
      states: [
        { state: "fill", code: 200, count: 1 },
        { state: "nan", code: 3, count: 1 },
      ],
    });
    other.buffers[1] = new DataView(Uint8Array.from([0, 0, 3, 200, 0, 0]).buffer);
    expect([...(fieldOf(other.picture, other.buffers)?.states ?? [])]).toEqual([0, 0, 2, 1, 0, 0]);
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
    expect(normOf(field, states, { low: null, high: null, log: false })).toEqual({
      low: 0,
      high: 6,
      log: false,
    });
    expect(normOf(field, states, { low: 2, high: null, log: false })).toEqual({
      low: 2,
      high: 6,
      log: false,
    });
    expect(normOf(field, states, { low: 9, high: 3, log: false })).toEqual({ low: 3, high: 9, log: false });
    expect(normOf(field, states, { low: -5, high: null, log: true })).toEqual({ low: 1, high: 6, log: true });
    expect(normOf(field, Uint8Array.from([1, 1, 1, 1, 1, 1]), options)).toBeNull();
  });

  test("a value lies between its limits", () => {
    expect(place({ low: 0, high: 10, log: false }, 5)).toBe(0.5);
    expect(place({ low: 0, high: 10, log: false }, -1)).toBe(0);
    expect(place({ low: 0, high: 10, log: false }, 11)).toBe(1);
    expect(place({ low: 1, high: 100, log: true }, 10)).toBeCloseTo(0.5);
    expect(place({ low: 3, high: 3, log: false }, 3)).toBe(0.5);
    expect(histogram(field, masked(field, "nz"), { low: 0, high: 6, log: false }, 3)).toEqual([2, 1, 1]);
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
      shades(scene.field, scene.states, scene.norm),
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

describe("what lies under the pointer", () => {
  const made = picture();
  const scene = sceneOf(made.picture, made.buffers, options);
  if (scene === null) throw new Error("no scene");

  test("index, coordinates, stored value and state", () => {
    expect(reading(scene, 0, 1)).toEqual({
      rows: [
        ["lat", "40  [1]"],
        ["lon", "10  [0]"],
        ["time", "2020-01-05  [4]"],
      ],
      value: "-9999",
      state: "fill",
    });
    expect(reading(scene, 2, 0)).toMatchObject({ value: "NaN", state: "nan" });
  });

  test("indices count the elements that decimation left out", () => {
    const thin = picture({ x: axis({ label: "col", start: 100, step: 4, size: 3, length: 112 }) });
    const thinScene = sceneOf(thin.picture, thin.buffers, options);
    expect(thinScene && reading(thinScene, 2, 0).rows[1]).toEqual(["col", "[108]"]);
  });
});

describe("ticks", () => {
  const labels = (ticks: { label: string }[]) => ticks.map(({ label }) => label);

  test("numbers that people like", () => {
    expect(labels(niceTicks(0, 10, 5))).toEqual(["0", "2", "4", "6", "8", "10"]);
    expect(labels(niceTicks(0.1, 0.35, 5))).toEqual(["0.10", "0.15", "0.20", "0.25", "0.30", "0.35"]);
    expect(labels(niceTicks(-1, 1, 4))).toEqual(["−1.0", "−0.5", "0", "0.5", "1.0"]);
    expect(labels(niceTicks(90, -90, 6, true))).toEqual(["−90", "−60", "−30", "0", "30", "60", "90"]);
    expect(labels(niceTicks(2e9, 4e9, 4))).toEqual(["2e9", "2.5e9", "3e9", "3.5e9", "4e9"]);
    expect(niceTicks(5, 5, 4)).toHaveLength(1);
    expect(niceTicks(Number.NaN, 1, 4)).toEqual([]);
  });

  test("indices are whole", () => {
    expect(labels(indexTicks(0, 3, 10))).toEqual(["0", "1", "2", "3"]);
    expect(labels(indexTicks(0, 479, 5))).toEqual(["0", "100", "200", "300", "400"]);
  });

  test("powers of ten for logarithms", () => {
    expect(labels(logTicks(1, 1000, 4))).toEqual(["1", "10", "100", "1000"]);
    expect(labels(logTicks(1, 100, 8))).toEqual(["1", "2", "5", "10", "20", "50", "100"]);
  });

  test("dates where days, months and years begin", () => {
    const hourly = Array.from({ length: 240 }, (_, at) =>
      new Date(Date.UTC(2020, 0, 1, at * 6)).toISOString().slice(0, 16),
    );
    const ticks = labelTicks(hourly, 6);
    expect(labels(ticks)[0]).toBe("2020-01-01");
    expect(ticks.length).toBeLessThanOrEqual(7);
    for (const { value } of ticks) expect(hourly[value]).toMatch(/T00:00$/);
    const monthly = Array.from(
      { length: 36 },
      (_, at) => `${2019 + Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, "0")}`,
    );
    expect(labels(labelTicks(monthly, 8))).toEqual([
      "2019-01",
      "2019-07",
      "2020-01",
      "2020-07",
      "2021-01",
      "2021-07",
    ]);
    const minutes = ["2020-01-01 00:00", "2020-01-01 00:30", "2020-01-01 01:00", "2020-01-01 01:30"];
    expect(labels(labelTicks(minutes, 4))).toEqual(["2020-01-01 00:00", "00:30", "01:00", "01:30"]);
  });

  test("other labels evenly", () => {
    expect(labels(labelTicks(["a", "b", "c", "d", "e", "f"], 3))).toEqual(["a", "c", "e"]);
  });

  test("lie where their coordinate lies", () => {
    const lat = new AxisGeometry(
      axis({ kind: "number", units: "degrees_north", decreasing: true, size: 181 }),
      Float64Array.from({ length: 181 }, (_, at) => 90 - at),
      true,
    );
    const ticks = lat.ticks(7);
    const zero = ticks.find(({ label }) => label === "0");
    const north = ticks.find(({ label }) => label === "60");
    expect(zero?.at).toBeCloseTo(0.5);
    expect(north?.at ?? 1).toBeLessThan(0.5);
  });
});

describe("layout", () => {
  const measure = (text: string) => text.length * 6;

  test("degrees by degrees keeps its shape, other pictures fill the room", () => {
    const made = picture({
      x: axis({ kind: "number", units: "degrees_east", size: 3, coordinates_buffer: 4 }),
      y: axis({ kind: "number", units: "degrees_north", size: 2, coordinates_buffer: 3, decreasing: true }),
    });
    const scene = sceneOf(made.picture, made.buffers, options);
    expect(scene && aspect(scene)).toBe(2);
    const frame = scene && frameOf(scene, 900, 300, measure);
    expect((frame?.width ?? 0) / (frame?.height ?? 1)).toBeCloseTo(2, 1);
    const plain = picture();
    const other = sceneOf(plain.picture, plain.buffers, options);
    expect(other && aspect(other)).toBeNull();
  });

  test("nothing is larger than its room", () => {
    const made = picture();
    const scene = sceneOf(made.picture, made.buffers, options);
    for (const [width, height] of [
      [900, 400],
      [300, 200],
      [120, 80],
    ] as const) {
      const frame = scene && frameOf(scene, width, height, measure);
      expect(frame && frame.left + frame.width).toBeLessThanOrEqual(width);
      expect(frame?.width).toBeGreaterThan(0);
    }
  });
});

test("of the index an array takes what is its own and within its length", () => {
  const array = row("/a", { kind: "array", shape: [10, 4, 5], dimension_names: ["time", null, "x"] });
  expect(ownIndex(array, { time: 99, dim_1: 2, depth: 3, x: -2 })).toEqual({ time: 9, dim_1: 2, x: -2 });
  expect(ownIndex(null, { time: 1 })).toEqual({});
});
