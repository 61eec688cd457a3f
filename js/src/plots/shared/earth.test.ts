import { expect, test } from "vitest";
import { degreesAt } from "./earth";

test("degrees between the places that are known follow the Earth's curve, also near the rim of a disc", () => {
  const size = 65;
  const places = new Float32Array(3 * size * size);
  // The Earth from very far away, above 0° N 0° E.
  for (let j = 0; j < size; j++)
    for (let i = 0; i < size; i++) {
      const [x, y] = [(2 * i) / (size - 1) - 1, 1 - (2 * j) / (size - 1)];
      const all = [Math.sqrt(1 - x * x - y * y), x, y];
      for (const [side, one] of all.entries()) places[(side * size + j) * size + i] = one;
    }
  const at = (x: number, y: number) => degreesAt(places, (x + 1) / 2, (1 - y) / 2);
  // sin 50° = 0.76604; on the equator x is the sine of the longitude
  expect(at(0.76604, 0)).toBe("0° 50° E");
  expect(at(0, -0.89879)).toBe("64° S 0°");
  expect(at(-0.42262, 0.76604)).toBe("50° N 41.11° W");
  expect(at(0.9, 0.9)).toBeNull();
});
