import { describe, expect, test } from "vitest";
import { readOptions } from "../../client/session";
import { axis, picture } from "../../mock/picture";
import { sceneOf } from "..";
import { place } from "./field";
import { barTicks, frameOf, heightTicks, isStacked, unitsOf, valueTicks } from "./layout";

/** A picture of 3 × 2 points: 1 2 NaN / −9999 0 6, the first of the second row being a fill value. */

const options = readOptions({});

describe("layout", () => {
  const measure = (text: string) => text.length * 6;

  test("a picture has the shape that the kernel gives it", () => {
    const made = picture({
      aspect: 2,
      x: axis({ kind: "number", units: "°E", size: 3, coordinates_buffer: 4 }),
      y: axis({ kind: "number", units: "°N", size: 2, coordinates_buffer: 3, decreasing: true }),
    });
    const scene = sceneOf(made.picture, made.buffers, options);
    const frame = scene && frameOf(scene, 900, 300, measure);
    expect((frame?.width ?? 0) / (frame?.height ?? 1)).toBeCloseTo(2, 1);
    // Also where there is much more room at its sides.
    const high = sceneOf({ ...made.picture, aspect: 0.7 }, made.buffers, options);
    const low = high && frameOf(high, 900, 150, measure);
    expect((low?.width ?? 0) / (low?.height ?? 1)).toBeCloseTo(0.7, 1);
    // And where it is a strip for that.
    const wide = sceneOf({ ...made.picture, aspect: 5 }, made.buffers, options);
    const strip = wide && frameOf(wide, 400, 300, measure);
    expect((strip?.width ?? 0) / (strip?.height ?? 1)).toBeCloseTo(5, 0);
    expect(strip?.height).toBeLessThan(60);
    expect(strip?.bar?.height).toBeGreaterThan(50);
  });

  test("two maps stand as they are larger, whatever is no map side by side", () => {
    const stacked = (change: object, width: number, height: number) => {
      const made = picture(change);
      const scene = sceneOf(made.picture, made.buffers, options);
      return scene && isStacked(scene, { width, height });
    };
    expect(stacked({ aspect: 2 }, 900, 700)).toBe(true);
    expect(stacked({ aspect: 2 }, 900, 300)).toBe(false);
    expect(stacked({ aspect: 0.5 }, 900, 700)).toBe(false);
    expect(stacked({ aspect: null }, 900, 700)).toBe(false);
    expect(stacked({ aspect: 2, kind: "line", y: null }, 900, 700)).toBe(false);
  });

  test("the colour bar of times has dates, at values of which they are known", () => {
    const made = picture({ dates: ["2001-01-02", "2001-01-03", "", "", "2001-01-01", "2001-01-07"] });
    const scene = sceneOf(made.picture, made.buffers, options);
    const ticks = scene?.norm ? barTicks(scene, scene.norm, 200) : [];
    expect(ticks[0]).toEqual({ value: 0, label: "2001-01-01" });
    expect(ticks.at(-1)).toEqual({ value: 6, label: "2001-01-07" });
    // So has the axis of a line, which then has no units beside it.
    const line = scene && heightTicks({ ...scene, range: scene.norm }, 200);
    expect(line?.map(({ label }) => label)).toEqual(ticks.map(({ label }) => label));
    expect(scene && unitsOf(scene)).toBe("");
  });

  test("of dates those are on the colour bar at which a day or a month begins, where they are near", () => {
    const dates = Array.from({ length: 48 }, (_, at) => {
      const day = 30 + Math.floor(at / 4);
      const month = day > 31 ? "02" : "01";
      return `2001-${month}-${String(day > 31 ? day - 31 : day).padStart(2, "0")} ${String((at % 4) * 6).padStart(2, "0")}:00`;
    });
    const values = Float32Array.from(dates, (_, at) => at);
    const scene = { field: { values }, picture: { dates } } as never;
    const labels = barTicks(scene, { low: 0, high: 47, scale: "linear" }, 200).map(({ label }) => label);
    expect(labels.length).toBeGreaterThan(2);
    expect(labels).toContain("2001-02-01 00:00");
    for (const label of labels) expect(label).toMatch(/ 00:00$/);
  });

  test("numbers of a symmetric logarithm do not stand on each other", () => {
    const norm = { low: -78.5, high: 78.5, scale: "symlog" } as const;
    const at = valueTicks(norm, 116).map(({ value }) => place(norm, value) * 116);
    expect(at.length).toBeGreaterThan(2);
    for (const one of at) expect(at.filter((other) => Math.abs(other - one) < 11)).toHaveLength(1);
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
