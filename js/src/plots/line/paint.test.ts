import { expect, test } from "vitest";
import type { Paper } from "../shared/draw";
import type { Frame } from "../shared/layout";
import type { Scene } from "../shared/scene";
import { paint } from "./paint";

/** The names that stand beside so many lines, and how high. */
function namesBeside(count: number, height: number): [string, number][] {
  const written: [string, number][] = [];
  const context = new Proxy({} as CanvasRenderingContext2D, {
    get: (_, name) =>
      name === "fillText" ? (text: string, _x: number, y: number) => written.push([text, y]) : () => {},
    set: () => true,
  });
  const y = { size: count, describe: (at: number) => ({ index: at, coordinate: `${at}° N` }) };
  const scene = {
    picture: { kind: "lines", y: {} },
    states: [],
    range: null,
    x: { axis: {} },
    y,
    grid: { y },
  };
  paint(
    { context, inks: { foreground: [0, 0, 0], dark: false }, ratio: 1 } as unknown as Paper,
    scene as unknown as Scene,
    { left: 0, top: 0, width: 400, height } as Frame,
  );
  return written;
}

test("beside many lines stand as many names as can be read", () => {
  expect(namesBeside(10, 145).map(([name]) => name)).toHaveLength(10);
  const some = namesBeside(37, 145);
  expect(some.length).toBeGreaterThan(8);
  const gaps = some.slice(1).map(([, at], nth) => at - (some[nth]?.[1] as number));
  expect(Math.min(...gaps)).toBeGreaterThan(11);
});
