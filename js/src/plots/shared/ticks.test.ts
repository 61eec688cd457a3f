import { describe, expect, test } from "vitest";
import type { Axis } from "../../client/protocol.gen";
import { AxisGeometry, degreesText } from "./axis";
import { indexTicks, labelTicks, logTicks, niceTicks, symlogTicks } from "./ticks";

const axis = (change: Partial<Axis>): Axis => ({
  label: "x",
  kind: "index",
  start: 0,
  step: 1,
  size: 4,
  length: 4,
  decreasing: false,
  downwards: !/number|time/.test(change.kind ?? ""),
  units: null,
  coordinates_buffer: null,
  labels: null,
  ticks: [],
  chunk: null,
  ...change,
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

  test("a narrow band of latitudes has more than one", () => {
    expect(niceTicks(-4.7, 4.7, 4, true).map(({ value }) => value)).toEqual([-2.5, 0, 2.5]);
    expect(niceTicks(-90, 90, 4, true).map(({ value }) => value)).toEqual([-90, -45, 0, 45, 90]);
  });

  test("indices are whole", () => {
    expect(labels(indexTicks(0, 3, 10))).toEqual(["0", "1", "2", "3"]);
    expect(labels(indexTicks(0, 479, 5))).toEqual(["0", "100", "200", "300", "400"]);
  });

  test("powers of ten for logarithms", () => {
    expect(labels(niceTicks(1e6, 2e6, 4))).toEqual(["1e6", "1.25e6", "1.5e6", "1.75e6", "2e6"]);
    expect(labels(symlogTicks(-100, 100, 1, 6))).toEqual(["0", "1", "−1", "10", "−10", "100", "−100"]);
    expect(labels(logTicks(1, 1000, 4))).toEqual(["1", "10", "100", "1000"]);
    expect(labels(logTicks(1, 100, 8))).toEqual(["1", "2", "5", "10", "20", "50", "100"]);
  });

  test("dates as the kernel found them, as many as there is room for", () => {
    const labels = ["2020-01-01", "2020-01-16", "2020-02-01", "2020-02-16"];
    const all = labels.map((label, index) => ({ index, label }));
    const months = [
      { index: 0, label: "2020-01" },
      { index: 2, label: "2020-02" },
    ];
    const time = new AxisGeometry(axis({ kind: "time", size: 4, labels, ticks: [all, months] }), null, false);
    expect(time.ticks(4).map(({ label }) => label)).toEqual(labels);
    expect(time.ticks(3)).toEqual([
      { at: 0.125, label: "2020-01" },
      { at: 0.625, label: "2020-02" },
    ]);
  });

  test("other labels evenly", () => {
    expect(labels(labelTicks(["a", "b", "c", "d", "e", "f"], 3))).toEqual(["a", "c", "e"]);
  });

  test("lie where their coordinate lies", () => {
    const lat = new AxisGeometry(
      axis({ kind: "number", units: "°N", decreasing: true, size: 181 }),
      Float64Array.from({ length: 181 }, (_, at) => 90 - at),
      true,
    );
    const ticks = lat.ticks(7);
    const zero = ticks.find(({ label }) => label === "0°");
    const north = ticks.find(({ label }) => label === "60° N");
    expect(zero?.at).toBeCloseTo(0.5);
    expect(north?.at ?? 1).toBeLessThan(0.5);
  });

  test("of uneven coordinates as of even ones: equal steps are as long, and points lie at their coordinates", () => {
    const depth = new AxisGeometry(
      axis({ kind: "number", units: "m", downwards: true, size: 4 }),
      Float64Array.from([5, 100, 500, 1000]),
      true,
    );
    const [low, high] = [depth.places[0] as number, depth.places[8] as number];
    expect([low, high]).toEqual([0, 1]);
    const ticks = depth.ticks(6);
    expect(labels(ticks)).toEqual(["200", "400", "600", "800", "1000"]);
    const steps = ticks.slice(1).map(({ at }, nth) => at - (ticks[nth]?.at as number));
    for (const step of steps) expect(step).toBeCloseTo(steps[0] as number);
    expect(depth.center(3)).toBeCloseTo(ticks[4]?.at as number);
    expect(depth.center(2) - depth.center(0)).toBeCloseTo(((steps[0] as number) * 495) / 200);
    // A border of cells is half-way, and what is beyond the ends goes on as before.
    expect(depth.placeOf(2)).toBeCloseTo((depth.center(1) + depth.center(2)) / 2);
    expect(depth.placeOf(-1)).toBeCloseTo(depth.placeOf(0) - (depth.placeOf(1) - depth.placeOf(0)));
  });

  test("digits that are all wanted are written", () => {
    expect(labels(niceTicks(4_998_500, 5_000_000, 4))).toEqual(["4998500", "4999000", "4999500", "5000000"]);
    expect(labels(niceTicks(-2.5e6, 2.5e6, 5))).toEqual(["−2e6", "−1e6", "0", "1e6", "2e6"]);
  });

  test("degrees of the globe have a side, whichever way longitudes are counted", () => {
    const texts = (sides: "NS" | "EW", values: number[]) => values.map((value) => degreesText(value, sides));
    expect(texts("NS", [60, 0, -7.5])).toEqual(["60° N", "0°", "7.5° S"]);
    expect(texts("EW", [0, 90, 180, 270, 359.75, -75, 360, -180])).toEqual([
      "0°",
      "90° E",
      "180°",
      "90° W",
      "0.25° W",
      "75° W",
      "0°",
      "180°",
    ]);
  });

  test("of a longitude beyond 180 the hover says both", () => {
    const lon = new AxisGeometry(
      axis({ kind: "number", units: "°E", size: 4, length: 4 }),
      Float64Array.from([0, 90.25, 180, 270]),
      false,
    );
    expect([0, 1, 2, 3].map((at) => lon.describe(at).coordinate)).toEqual([
      "0°",
      "90.25° E",
      "180°",
      "90° W (270)",
    ]);
  });
});
