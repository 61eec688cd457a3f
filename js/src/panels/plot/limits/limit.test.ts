import { expect, test } from "vitest";
import { limitText } from "./Limit";

test.each([
  [289.00100708007812, 289, "289.001"], // a float32 has its own digits
  [1.23456, 0, "1.2346"],
  [100.00000123, 100.00000122, "100.00000123"], // as many as it takes to tell them apart
  [2e9, 0, "2e9"],
  [0.1 + 0.2, 0, "0.3"],
])("a limit of %d above %d is %s", (high, low, text) => {
  expect(limitText({ low, high, scale: "linear" } as never, "high")).toBe(text);
});
