import { describe, expect, test } from "vitest";
import { readOptions } from "../../client/session";
import { picture } from "../../mock/picture";
import { reading } from "../../panels/plot/stage/Hover";
import { sceneOf } from "..";
import { decoded, fieldOf } from "./field";

/** A picture of 3 × 2 points: 1 2 NaN / −9999 0 6, the first of the second row being a fill value. */

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
    expect([...decoded(field, made.picture, true, "storage").storage]).toEqual([0, 9, 2, 9, 7, 9]);
    const marked = { ...field, states: Uint8Array.from([9, 9, 2, 1, 9, 9]) };
    expect([...decoded(marked, made.picture, false, "nz").states]).toEqual([0, 0, 2, 1, 0, 0]);
  });

  test("what equals missing_value is missing, unless nothing is masked or CF is off", () => {
    const made = picture({ missing_value: "6" });
    made.buffers[1] = new DataView(Uint8Array.from([0, 0, 2, 1, 0, 10]).buffer);
    const found = (decoded: boolean, mask: "nz" | "raw") =>
      sceneOf(made.picture, made.buffers, readOptions({ decoded, mask }));
    expect([...(found(true, "nz")?.states ?? [])]).toEqual([0, 0, 2, 1, 0, 10]);
    expect(found(true, "nz")?.norm?.high).toBe(2);
    for (const [cf, mask] of [
      [false, "nz"],
      [true, "raw"],
    ] as const)
      expect(found(cf, mask)?.states[5]).toBe(0);
  });
});
