import { describe, expect, test } from "vitest";
import { row } from "../src/mock/data";
import { costOf } from "../src/panels/ArrayPlot";
import { cellAt, reading } from "../src/panels/Hover";
import { ownIndex } from "../src/panels/index-of";
import { AxisGeometry } from "../src/picture/axis";
import { curvedOf, splat } from "../src/picture/curvilinear";
import { aspect, frameOf, sceneOf } from "../src/picture/draw";
import {
  countStates,
  decoded,
  fieldOf,
  histogram,
  masked,
  normOf,
  place,
  rangeOf,
} from "../src/picture/field";
import { categoryShades, faded, GREYS, lutOf, paintMap, runs, shades, tilesOf } from "../src/picture/paint";
import { indexTicks, labelTicks, logTicks, niceTicks } from "../src/picture/ticks";
import { windowAround, windowOf } from "../src/picture/zoom";
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
    dates: [],
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
    scene.picture.dates = ["2001-07-03"];
    expect(reading(scene, 0, 0).rows[0]).toEqual(["date", "2001-07-03"]);
    expect(reading(scene, 1, 0).rows[0]?.[0]).toBe("lat");
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

  test("numbers that lie closer than digits tell share a tick", () => {
    expect(labels(niceTicks(1 - 1e-16, 1 + 2e-16, 6))).toEqual(["1.000000000000"]);
    const large = niceTicks(2 ** 53, 2 ** 53 + 12, 3);
    expect(new Set(labels(large)).size).toBe(large.length);
    for (const { value } of large) expect(value).toBeGreaterThanOrEqual(2 ** 53);
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

describe("differences of masks", () => {
  test("are struck out, each way by itself, and counted", () => {
    const made = picture();
    const scene = sceneOf(made.picture, made.buffers, readOptions({ mask: "differences" }));
    expect([...(scene?.states ?? [])]).toEqual([0, 0, 2, 10, 11, 0]);
    expect(countStates(scene?.states ?? new Uint8Array()).slice(-2)).toEqual([
      { state: "only_nz", count: 1 },
      { state: "only_storage", count: 1 },
    ]);
    // What both mask, each for its own reason, is no difference.
    const both = { ...made.picture, storage_states_buffer: 1 };
    const same = sceneOf(both, made.buffers, readOptions({ mask: "differences" }));
    expect([...(same?.states ?? [])]).toEqual([0, 0, 2, 1, 0, 0]);
  });

  test("other colours fall back towards the paper", () => {
    const inks = { dark: false, background: [255, 255, 255], foreground: [0, 0, 0] } as const;
    const [black] = faded(Uint32Array.from([0xff000000]), inks);
    expect((black ?? 0) & 255).toBeGreaterThan(150);
  });
});

describe("CF display", () => {
  const packing = { scale: -0.5, offset: 10, units: "degC", text: "" };

  test("values, limits, units and hover are decoded; what is stored is told too", () => {
    const made = picture({ packing, units: null });
    const scene = sceneOf(made.picture, made.buffers, readOptions({}));
    if (!scene) throw new Error("no scene");
    expect([...scene.field.values].slice(0, 2)).toEqual([9.5, 9]);
    expect(scene.norm).toMatchObject({ low: 7, high: 10 });
    expect([scene.picture.low, scene.picture.high, scene.picture.units]).toEqual([7, 10, "degC"]);
    const { value, rows } = reading(scene, 1, 0);
    expect(value).toBe("9");
    expect(rows.at(-1)).toEqual(["stored", "2"]);
    const plain = sceneOf(made.picture, made.buffers, readOptions({ decoded: false }));
    expect([plain?.field.values[1], plain?.picture.units, plain?.norm?.high]).toEqual([2, null, 6]);
  });

  test("what is outside of the valid range is invalid, unless nothing is masked or CF is off", () => {
    const made = picture({ valid_low: 0, valid_high: 1 });
    const field = fieldOf(made.picture, made.buffers);
    if (!field) throw new Error("no field");
    expect([...decoded(field, made.picture, true, "nz").states]).toEqual([0, 9, 2, 1, 0, 9]);
    expect([...decoded(field, made.picture, true, "raw").states]).toEqual([0, 0, 2, 1, 0, 0]);
    expect([...decoded(field, made.picture, false, "nz").states]).toEqual([0, 0, 2, 1, 0, 0]);
    const marked = { ...field, states: Uint8Array.from([9, 9, 2, 1, 9, 9]) };
    expect([...decoded(marked, made.picture, false, "nz").states]).toEqual([0, 0, 2, 1, 0, 0]);
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
    { value: 0, label: "clear" },
    { value: 6, label: "fog" },
  ];
  expect([...categoryShades([6, 0, 2], categories)]).toEqual([1, 0, 255]);
  const made = picture({ categories });
  const scene = sceneOf(made.picture, made.buffers, options);
  if (!scene) throw new Error("no scene");
  expect(reading(scene, 2, 1)).toMatchObject({ value: "fog", state: "value" });
  expect(frameOf(scene, 600, 400, (text) => text.length * 6).bar).toBeNull();
});

describe("two-dimensional coordinates", () => {
  const of = (xs: number[], ys: number[]) => ({
    curved: curvedOf(
      { x_label: "lon", y_label: "lat", x_buffer: 0, y_buffer: 1, x_units: "degrees_east", y_units: null },
      xs,
      ys,
      3,
      2,
    ),
  });

  test("each pixel takes the nearest point; the outermost reach half a cell further", () => {
    const { curved } = of([10, 20, 30, 10, 20, 30], [5, 5, 5, 0, 0, 0]);
    if (!curved) throw new Error("no coordinates");
    expect([curved.low, curved.high]).toEqual([
      [5, -2.5],
      [35, 7.5],
    ]);
    expect([...splat(curved, 3, 2, 6, 4)]).toEqual([
      0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 3, 3, 4, 4, 5, 5,
    ]);
  });

  test("a grid across the date line stays together and smears nowhere", () => {
    const { curved } = of([170, 180, -170, 170, 180, -170], [5, 5, 5, 0, 0, 0]);
    if (!curved) throw new Error("no coordinates");
    expect(curved.high[0] - curved.low[0]).toBe(30);
    expect([...splat(curved, 3, 2, 6, 2)]).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
  });

  test("round the globe, cells at the cut appear on its two sides and not between", () => {
    const xs = Array.from({ length: 36 }, (_, at) => ((at * 10 + 185) % 360) - 180);
    const both = [...xs, ...xs];
    const ys = both.map((_, at) => (at < 36 ? 10 : 0));
    const curved = curvedOf(
      { x_label: "lon", y_label: "lat", x_buffer: 0, y_buffer: 1, x_units: "degrees_east", y_units: null },
      both,
      ys,
      36,
      2,
    );
    if (!curved) throw new Error("no coordinates");
    expect([curved.low[0], curved.high[0]]).toEqual([-180, 180]);
    const points = splat(curved, 36, 2, 36, 1);
    for (const [column, point] of points.entries()) {
      const lon = -175 + column * 10;
      expect(both[point]).toBeCloseTo(lon > 175 ? lon - 360 : lon);
    }
  });

  test("points without coordinates and jumps of the grid leave gaps", () => {
    const { curved } = of([10, Number.NaN, 30, 10, 20, 30], [5, 5, 5, 0, 0, 0]);
    if (!curved) throw new Error("no coordinates");
    const points = splat(curved, 3, 2, 6, 4);
    expect(points.includes(1)).toBe(false);
    expect(points.includes(-1)).toBe(true);
    const torn = of([10, 20, 170, 10, 20, 170], [5, 5, 5, 0, 0, 0]).curved;
    if (!torn) throw new Error("no coordinates");
    // Between 20 and 170 degrees there is nothing.
    const row = [...splat(torn, 3, 2, 190, 2)].slice(50, 148);
    expect(new Set(row)).toEqual(new Set([-1]));
  });

  test("the pointer finds the nearest point, and a rectangle the part of the array below it", () => {
    const made = picture({
      curvilinear: { x_label: "lon", y_label: "lat", x_buffer: 5, y_buffer: 6, x_units: null, y_units: null },
    });
    made.buffers.push(
      new DataView(Float32Array.from([1, 2, 3, 1, 2, 3]).buffer),
      new DataView(Float32Array.from([5, 5, 5, 9, 9, 9]).buffer),
    );
    const scene = sceneOf(made.picture, made.buffers, readOptions({ curvilinear: true }));
    if (!scene) throw new Error("no scene");
    // The second row lies above, for its latitude is larger.
    expect(cellAt(scene, { x: 0.9, y: 0.1 }, 60, 40)).toEqual({ x: 2, y: 1 });
    expect(reading(scene, 2, 1).rows.slice(0, 2)).toEqual([
      ["lat", "9 "],
      ["lon", "3 "],
    ]);
    expect(windowOf(scene, { x: 0.4, y: 0.1 }, { x: 0.9, y: 0.3 }, 60, 40)).toEqual({
      lon: [1, 3],
      lat: [1, 2],
    });
    const flat = sceneOf(made.picture, made.buffers, options);
    expect(flat?.curved).toBeNull();
  });
});

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
    expect(windowOf(scene, { x: 0.75, y: 0.5 }, { x: 0.25, y: 0.25 }, 100, 100)).toEqual({
      x: [28, 52],
      y: [2, 6],
    });
    // A dimension that is shown whole is not named.
    expect(windowOf(scene, { x: 0.25, y: 0 }, { x: 0.75, y: 1 }, 100, 100)).toEqual({ x: [28, 52] });
  });

  test("zooming in and out keeps to the array and to its point", () => {
    const near = windowAround(scene, { x: [20, 60] }, { x: 5, y: 2 }, 0.5);
    expect(near).toEqual({ x: [31, 51], y: [3, 8] });
    expect(windowAround(scene, { x: [20, 60] }, { x: 0, y: 0 }, 4)).toEqual({});
    expect(windowAround(scene, { x: [0, 3] }, { x: 0, y: 0 }, 0.1).x).toHaveLength(2);
  });
});

test("what a picture cost is said in a line", () => {
  const read = { decoded_bytes: 2 ** 20, whole_bytes: 0, chunks_total: 1, decimated: false, note: "" };
  const { picture: made } = picture();
  expect(costOf(made, { ...read, chunks_read: 1, complete: true })).toBe("1 chunk read · 1.0 MiB decoded");
  expect(costOf(made, { ...read, chunks_read: 1, complete: true, decoded_bytes: 0 })).toBe(
    "1 chunk read · from memory",
  );
  const wide = { ...made, x: axis({ step: 6 }), y: axis({ step: 2 }) };
  expect(costOf(wide, { ...read, chunks_read: 3, chunks_total: 9, complete: false })).toBe(
    "3 of 9 chunks read · 1.0 MiB decoded · 1 point in 12 shown · some left out",
  );
});
