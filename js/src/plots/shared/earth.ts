import type { PictureOptions } from "../../client/session";
import { clamp } from "../../ui/text/format";
import { degreesText } from "./axis";
import { type Paper, rgb } from "./draw";
import { held } from "./held";
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

const layerHeld = held<OffscreenCanvas>();

/** Draws coastlines and the graticule, as far as they are wanted. */
export function drawEarth(
  { context, ratio, font, inks: { background, foreground } }: Paper,
  scene: Scene,
  { left, top, width, height }: Frame,
  options: PictureOptions,
): void {
  const { earth, picture, curved, x, y } = scene;
  if (earth === null) return;
  const wanted = (name: "graticule" | "coastlines") => (options[name] && earth[name]) || [];
  const [graticule, coastlines] = [wanted("graticule"), wanted("coastlines")];
  const size = [width, height, ratio, ...(curved ? [...curved.low, ...curved.high] : [])];
  const on = [graticule, coastlines, x.places, y.places, [...background, ...foreground, ...size]];
  const layer = layerHeld(on, () => {
    const place = (x: number, y: number) =>
      [placeIn(scene, 0, x) * width, placeIn(scene, 1, y) * height] as const;
    const canvas = new OffscreenCanvas(Math.round(width * ratio), Math.round(height * ratio));
    const paper = canvas.getContext("2d") as OffscreenCanvasRenderingContext2D;
    paper.scale(ratio, ratio);
    const stroke = (line: ArrayLike<number>, wide: number, style: string) => {
      paper.lineWidth = wide;
      paper.strokeStyle = style;
      paper.beginPath();
      let drawn = false;
      for (let at = 0; at < line.length; at += 2) {
        const [x, y] = place(line[at] as number, line[at + 1] as number);
        if (drawn) paper.lineTo(x, y);
        else paper.moveTo(x, y);
        drawn = Number.isFinite(x + y);
      }
      paper.stroke();
    };
    stroke(graticule, 1, rgb(foreground, 0.4));
    // Dark on light, so that it is seen on every colour.
    stroke(coastlines, 2.5, rgb(background, 0.6));
    stroke(coastlines, 1, rgb(foreground));
    paper.font = font;
    paper.fillStyle = rgb(foreground);
    paper.strokeStyle = rgb(background, 0.7);
    paper.lineWidth = 3;
    const names: (readonly [number, number])[] = [];
    if (options.graticule)
      for (const { x, y, text } of picture.earth?.labels ?? []) {
        const at = place(x, y);
        // About as wide as three figures, a degree and a letter.
        if (names.some((other) => Math.abs(other[0] - at[0]) < 44 && Math.abs(other[1] - at[1]) < 14))
          continue;
        names.push(at);
        paper.strokeText(text, ...at);
        paper.fillText(text, ...at);
      }
    return canvas;
  });
  const device = (at: number) => Math.round(at * ratio) / ratio;
  context.drawImage(layer, device(left), device(top), device(width), device(height));
}

/** The first of the four places around a part of a side, and what each counts for on the cubic through them. */
function along(part: number, size: number): [number, number[]] {
  const at = part * (size - 1);
  const first = clamp(Math.floor(at) - 1, size - 4);
  const four = [0, 1, 2, 3];
  const weight = (n: number) =>
    four.reduce((made, m) => (m === n ? made : (made * (at - first - m)) / (n - m)), 1);
  return [first, four.map(weight)];
}

/** What a point of a projected map is in degrees; its place between 0 and 1, from the first point to the last. */
export function degreesAt(places: ArrayLike<number>, x: number, y: number): string | null {
  const size = Math.round(Math.sqrt(places.length / 3));
  const [i, u] = along(x, size);
  const [j, v] = along(y, size);
  const [a, b, c] = [0, 1, 2].map((side) => {
    const sum = (weights: number[], of: (n: number) => number) =>
      weights.reduce((sum, weight, n) => sum + weight * of(n), 0);
    return sum(v, (n) => sum(u, (m) => places[(side * size + j + n) * size + i + m] as number));
  }) as [number, number, number];
  const text = (up: number, along: number, ends: "NS" | "EW") =>
    degreesText(Number(((Math.atan2(up, along) * 180) / Math.PI).toFixed(2)), ends);
  return Number.isNaN(a) ? null : `${text(c, Math.hypot(a, b), "NS")} ${text(b, a, "EW")}`;
}
