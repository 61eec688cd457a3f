import type { Paper } from "../shared/draw";
import { ONLY_NZ } from "../shared/field";
import type { Frame } from "../shared/layout";
import { categoryLut, categoryShades, faded, paintMap, shades, tilesOf } from "../shared/paint";
import type { Scene } from "../shared/scene";

/** Of the picture before: megabytes that need not be found, and given back, for every step of a slider. */
let image: ImageData | undefined;

/** Each pixel takes the colour or the pattern of the point that lies there. */
export function paint({ context, ratio, inks, lut }: Paper, scene: Scene, frame: Frame): void {
  const fade = scene.mask === "differences";
  const [left, top] = [Math.round(frame.left * ratio), Math.round(frame.top * ratio)];
  const [width, height] = [Math.round(frame.width * ratio), Math.round(frame.height * ratio)];
  if (width < 1 || height < 1) return;
  if (image?.width !== width || image.height !== height) image = context.createImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer).fill(0);
  const { field, states, norm, picture } = scene;
  const { categories } = picture;
  const many = categories.length > 0;
  const tiles = tilesOf(inks, ratio);
  const colors = scene.image ?? (many ? categoryLut(categories, inks.dark) : lut);
  if (fade) tiles.pixels = tiles.pixels.map((tile, at) => (tile && at < ONLY_NZ ? faded(tile, inks) : tile));
  paintMap(
    pixels,
    scene.points(width, height),
    width,
    states,
    scene.image
      ? null
      : many
        ? categoryShades(field.stored ?? field.values, categories)
        : shades(field, states, norm, lut.length),
    fade ? faded(colors, inks) : colors,
    tiles,
  );
  context.putImageData(image, left, top);
}
