import { expect, test } from "vitest";
import { example } from "../mock/recordings";
import { ownIndex } from "./own-index";

test("of the index an array takes what is its own and within its length", () => {
  const { row } = example("small", "node", "/forecast/sst");
  const array = { ...row, shape: [10, 4, 5], dimension_names: ["time", null, "x"] };
  expect(ownIndex(array, { time: 99, dim_1: 2, depth: 3, x: -2 })).toEqual({ time: 9, dim_1: 2, x: -2 });
  expect(ownIndex(null, { time: 1 })).toEqual({});
});
