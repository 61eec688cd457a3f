import type { PictureOptions } from "../../client/session";
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
  const on = [graticule, coastlines, x.edges, y.edges, [...background, ...foreground, ...size]];
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
    if (options.graticule)
      for (const { x, y, text } of picture.earth?.labels ?? []) {
        paper.strokeText(text, ...place(x, y));
        paper.fillText(text, ...place(x, y));
      }
    return canvas;
  });
  const device = (at: number) => Math.round(at * ratio) / ratio;
  context.drawImage(layer, device(left), device(top), device(width), device(height));
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
