import { describe, expect, test } from "vitest";
import { readOptions } from "../../../client/session";
import { axis, picture } from "../../../mock/picture";
import { sceneOf } from "../../../plots";
import { reading } from "./Hover";

/** A picture of 3 × 2 points: 1 2 NaN / −9999 0 6, the first of the second row being a fill value. */

const options = readOptions({});

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
    expect(reading(scene, 0, 0).rows.at(-1)).toEqual(["date", "2001-07-03"]);
    expect(reading(scene, 1, 0).rows[0]?.[0]).toBe("lat");
  });

  test("indices count the elements that decimation left out", () => {
    const thin = picture({ x: axis({ label: "col", start: 100, step: 4, size: 3, length: 112 }) });
    const thinScene = sceneOf(thin.picture, thin.buffers, options);
    expect(thinScene && reading(thinScene, 2, 0).rows[1]).toEqual(["col", "[108]"]);
  });
});
