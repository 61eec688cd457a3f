import type { PictureOptions } from "../../client/session";
import { degreesText } from "./axis";
import { type Paper, rgb } from "./draw";
import type { Frame } from "./layout";
import type { Scene } from "./scene";
import { placeIn } from "./zoom";

/** Coastlines and a graticule: x and y of points, NaN after each line. */
export interface Earth {
  coastlines: ArrayLike<number> | null;
  graticule: ArrayLike<number> | null;
  /** Directions from the middle of the Earth to points spread evenly over the picture. */
  places: ArrayLike<number> | null;
}

/** Draws coastlines and the graticule, as far as they are wanted. */
export function drawEarth(
  { context, inks: { background, foreground } }: Paper,
  scene: Scene,
  { left, top, width, height }: Frame,
  options: PictureOptions,
): void {
  const { earth, picture } = scene;
  if (earth === null) return;
  const place = (x: number, y: number) =>
    [left + placeIn(scene, 0, x) * width, top + placeIn(scene, 1, y) * height] as const;
  context.save();
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
  const stroke = (line: ArrayLike<number>, wide: number, style: string) => {
    context.lineWidth = wide;
    context.strokeStyle = style;
    context.beginPath();
    let drawn = false;
    for (let at = 0; at < line.length; at += 2) {
      const [x, y] = place(line[at] as number, line[at + 1] as number);
      if (drawn) context.lineTo(x, y);
      else context.moveTo(x, y);
      drawn = Number.isFinite(x + y);
    }
    context.stroke();
  };
  if (options.graticule && earth.graticule) {
    stroke(earth.graticule, 1, rgb(foreground, 0.4));
    context.fillStyle = rgb(foreground);
    context.strokeStyle = rgb(background, 0.7);
    context.lineWidth = 3;
    for (const { x, y, text } of picture.earth?.labels ?? []) {
      const at = place(x, y);
      context.strokeText(text, ...at);
      context.fillText(text, ...at);
    }
  }
  // Dark on light, so that it is seen on every colour.
  if (options.coastlines && earth.coastlines) {
    stroke(earth.coastlines, 2.5, rgb(background, 0.6));
    stroke(earth.coastlines, 1, rgb(foreground));
  }
  context.restore();
}

/** What a point of a projected map is in degrees; its place between 0 and 1, from the first point to the last. */
export function degreesAt(places: ArrayLike<number>, x: number, y: number): string | null {
  const size = Math.round(Math.sqrt(places.length / 3));
  const cell = (part: number) => Math.min(size - 2, Math.floor(part * (size - 1)));
  const [i, j] = [cell(x), cell(y)];
  const [u, v] = [x * (size - 1) - i, y * (size - 1) - j];
  const [a = 0, b = 0, c = 0] = [0, 1, 2].map((side) => {
    const at = (side * size + j) * size + i;
    const row = (from: number) => (places[from] as number) * (1 - u) + (places[from + 1] as number) * u;
    return row(at) * (1 - v) + row(at + size) * v;
  });
  const turn = 180 / Math.PI;
  const latitude = Math.atan2(c, Math.hypot(a, b)) * turn;
  if (Number.isNaN(latitude)) return null;
  const short = (value: number) => Number(value.toFixed(2));
  return `${degreesText(short(latitude), "NS")} ${degreesText(short(Math.atan2(b, a) * turn), "EW")}`;
}
