import { expect, test } from "vitest";
import { readOptions } from "../../../client/session";
import { axis, picture } from "../../../mock/picture";
import { sceneOf } from "../../../plots";
import { costOf, frameOf } from "./Foot";

/** A picture of 3 × 2 points: 1 2 NaN / −9999 0 6, the first of the second row being a fill value. */

test("what a picture cost is said in a line", () => {
  const read = { decoded_bytes: 2 ** 20, whole_bytes: 0, chunks_total: 1, decimated: false, note: "" };
  const { picture: made } = picture();
  expect(costOf(made, { ...read, chunks_read: 1, complete: true })).toBe("1 chunk read · 1.0 MiB decoded");
  expect(costOf(made, { ...read, chunks_read: 1, complete: true, decoded_bytes: 0 })).toBe(
    "1 chunk read · from memory",
  );
  const wide = { ...made, x: axis({ step: 6 }), y: axis({ step: 2 }) };
  expect(costOf(wide, { ...read, chunks_read: 3, chunks_total: 9, complete: false })).toBe(
    "1 in 12 points shown · some left out · 3 of 9 chunks read · 1.0 MiB decoded",
  );
});

test("of a thinned line, whose extremes are shown, there is no mean", () => {
  const frame = (change: Parameters<typeof picture>[0]) => {
    const made = picture(change);
    const scene = sceneOf(made.picture, made.buffers, readOptions({}));
    return scene && frameOf(scene);
  };
  expect(frame({})).toEqual({ min: 0, max: 6, mean: 2.25 });
  expect(frame({ kind: "line", y: null, x: axis({ size: 6, step: 1 }) })).toHaveProperty("mean");
  expect(Object.keys(frame({ kind: "line", y: null, x: axis({ size: 6, step: 2 }) }) ?? {})).toEqual([
    "min",
    "max",
  ]);
});

test("a mean that is zero but for how numbers are rounded is zero", () => {
  const frame = (values: number[]) => {
    const scene = { picture: picture().picture, field: { values }, states: values.map(() => 0) };
    return frameOf(scene as never)?.mean;
  };
  expect(frame([0.3, -0.1, -0.2])).toBe(0);
  expect(frame([1, 1 + 1e-9, -2])).not.toBe(0);
});
