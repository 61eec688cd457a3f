import type { Category } from "../../client/protocol.gen";
import type { Inks, Rgb } from "../../ui/base/theme";
import { clamp } from "../../ui/text/format";
import { type Field, type Norm, placer } from "./field";

const TILE = 24;
const pack = ([r, g, b]: Rgb): number => ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
export const unpacked = (color: number): Rgb => [color & 255, (color >> 8) & 255, (color >> 16) & 255];
const mix = (a: Rgb, b: Rgb, part: number): Rgb =>
  a.map((from, at) => Math.round(from + ((b[at] as number) - from) * part)) as unknown as Rgb;

interface Pattern {
  paper: Rgb;
  ink: Rgb;
  drawn(x: number, y: number): boolean;
}

const rising = (period: number, width: number) => (x: number, y: number) => (x + y) % period < width;
const falling = (period: number, width: number) => (x: number, y: number) => (x - y + TILE) % period < width;

/** How each state other than `value` looks: never by colour alone. */
function patterns({ dark, background, foreground }: Inks): (Pattern | null)[] {
  const grey = mix(background, foreground, dark ? 0.22 : 0.16);
  const line = mix(background, foreground, dark ? 0.42 : 0.38);
  const red: Rgb = dark ? [240, 100, 90] : [200, 30, 30];
  const warm: Rgb = dark ? [200, 130, 220] : [150, 60, 170];
  const cold: Rgb = dark ? [90, 180, 220] : [20, 110, 170];
  const amber: Rgb = dark ? [225, 175, 90] : [184, 134, 43];
  const cross = (period: number, width: number) => {
    const [up, down] = [rising(period, width), falling(period, width)];
    return (x: number, y: number) => up(x, y) || down(x, y);
  };
  return [
    null,
    { paper: grey, ink: line, drawn: rising(6, 1.5) },
    {
      paper: mix(background, foreground, 0.06),
      ink: mix(background, foreground, 0.6),
      drawn: (x, y) => x % 4 < 1 && (y + (x % 8 < 4 ? 0 : 2)) % 4 < 1,
    },
    { paper: mix(background, warm, 0.3), ink: warm, drawn: (x) => x % 6 < 2 },
    { paper: mix(background, cold, 0.3), ink: cold, drawn: (_, y) => y % 6 < 2 },
    { paper: mix(background, foreground, 0.04), ink: mix(background, foreground, 0.25), drawn: cross(8, 1) },
    { paper: mix(background, red, 0.25), ink: red, drawn: cross(6, 1.5) },
    { paper: grey, ink: line, drawn: falling(6, 1.5) },
    {
      paper: background,
      ink: mix(background, foreground, 0.2),
      drawn: (x, y) => x % 12 < 1.5 && y % 12 < 1.5,
    },
    {
      paper: mix(background, amber, 0.2),
      ink: amber,
      drawn: (x, y) => x % 6 < 1 || y % 6 < 1,
    },
    { paper: grey, ink: line, drawn: (_, y) => y % 6 < 1.5 },
    { paper: [214, 0, 110], ink: [255, 150, 205], drawn: rising(8, 2) },
    { paper: [235, 120, 0], ink: [255, 214, 120], drawn: falling(8, 2) },
  ];
}

/** A repeating tile of each state's pattern; `ratio` is the number of device pixels for one of CSS. */
export interface Tiles {
  side: number;
  pixels: (Uint32Array | null)[];
}

export function tilesOf(inks: Inks, ratio: number): Tiles {
  const scale = Math.max(1, Math.round(ratio));
  const side = TILE * scale;
  const pixels = patterns(inks).map((pattern) => {
    if (pattern === null) return null;
    const [paper, ink] = [pack(pattern.paper), pack(pattern.ink)];
    return Uint32Array.from({ length: side * side }, (_, at) =>
      pattern.drawn((at % side) / scale, Math.floor(at / side) / scale) ? ink : paper,
    );
  });
  return { side, pixels };
}

/** A colormap as packed colours: 256 of them, or as many of each level as 256 have room for. */
export function lutOf(table: Uint8Array, levels?: number | null): Uint32Array {
  const each = levels ? Math.floor(256 / levels) : 1;
  return Uint32Array.from({ length: levels ? each * levels : 256 }, (_, nth) => {
    const at = 3 * (levels ? Math.round((Math.floor(nth / each) * 255) / (levels - 1)) : nth);
    return pack([table[at] ?? 0, table[at + 1] ?? 0, table[at + 2] ?? 0]);
  });
}

/** Grey from dark to light, until the colormaps are here. */
export const GREYS = Uint8Array.from(
  { length: 768 },
  (_, at) => 30 + Math.round((Math.floor(at / 3) * 205) / 255),
);

/** The number of the colour of each point among `colors`; of no meaning where the state is not `value`. */
export function shades(field: Field, states: Uint8Array, norm: Norm | null, colors: number): Uint8Array {
  const out = new Uint8Array(states.length);
  if (!norm) return out;
  const { values } = field;
  const placed = placer(norm);
  for (let at = 0; at < out.length; at++)
    if (states[at] === 0) out[at] = clamp(placed(values[at] as number) * colors, colors - 1);
  return out;
}

/** The point that lies at each pixel, of axes that are straight. */
export function pointsOf(
  columns: Int32Array | Float64Array,
  rows: Int32Array | Float64Array,
  nx: number,
): Int32Array {
  const points = new Int32Array(columns.length * rows.length);
  let out = 0;
  for (const row of rows) for (const column of columns) points[out++] = row * nx + column;
  return points;
}

/** Paints a map: each pixel takes the point that lies there, if any. `shade` null: `lut` has a colour per point. */
export function paintMap(
  target: Uint32Array,
  points: Int32Array,
  width: number,
  states: Uint8Array,
  shade: Uint8Array | Uint16Array | null,
  lut: Uint32Array,
  { side, pixels }: Tiles,
): void {
  for (let out = 0; out < points.length; out++) {
    const at = points[out] as number;
    if (at < 0) continue;
    const state = states[at] as number;
    const tile = state === 0 ? null : (pixels[state] ?? null);
    target[out] = !tile
      ? (lut[shade ? (shade[at] as number) : at] as number)
      : (tile[(Math.floor(out / width) % side) * side + ((out % width) % side)] as number);
  }
}

/** Colours that fall behind what is struck out among them. */
export function faded(colors: Uint32Array, { background }: Inks): Uint32Array {
  // What is clear stays so.
  return colors.map((color) => color >>> 24 && pack(mix(unpacked(color), background, 0.72)));
}

/** Colours of categories, different in hue and lightness. */
export function categoryColor(at: number, dark: boolean): Rgb {
  const hue = (210 + at * 137.5) % 360;
  const light = (dark ? 0.62 : 0.48) + ((at % 3) - 1) * 0.13;
  const reach = 0.58 * Math.min(light, 1 - light);
  return [0, 8, 4].map((n) => {
    const k = (n + hue / 30) % 12;
    return Math.round(255 * (light - reach * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  }) as unknown as Rgb;
}

/** The colour of each category, given or not; the last is for values that are none. */
export function categoryLut(categories: readonly Category[], dark: boolean): Uint32Array {
  const lut = Uint32Array.from([...categories, null], (one, at) =>
    pack(one ? categoryColor(at, dark) : [128, 128, 128]),
  );
  categories.forEach(({ color }, at) => {
    if (color) new DataView(lut.buffer).setUint32(4 * at, Number.parseInt(color.slice(1), 16));
  });
  return lut;
}

/** The number of the category of each point; that of no other where a value is none of them. */
export function categoryShades(values: ArrayLike<number>, categories: readonly Category[]): Uint16Array {
  const of = new Map(categories.map(({ value }, at) => [value, at]));
  return Uint16Array.from(values, (value) => of.get(value) ?? categories.length);
}

/** Fills a rectangle, in device pixels, with the pattern of a state. */
export function stamp(
  context: CanvasRenderingContext2D,
  { side, pixels }: Tiles,
  state: number,
  [left, top, width, height]: readonly [number, number, number, number],
): void {
  const tile = pixels[state];
  if (!tile) return;
  const image = context.createImageData(width, height);
  new Uint32Array(image.data.buffer).forEach((_, at, target) => {
    const [x, y] = [left + (at % width), top + Math.floor(at / width)];
    target[at] = tile[(y % side) * side + (x % side)] as number;
  });
  context.putImageData(image, left, top);
}

/** Runs of neighbouring points that are values, as [first, last]: where a line is not broken. */
export function runs(states: Uint8Array, size: number): [number, number][] {
  const out: [number, number][] = [];
  let first = -1;
  for (let at = 0; at <= size; at++) {
    const good = at < size && states[at] === 0;
    if (good && first < 0) first = at;
    if (!good && first >= 0) {
      out.push([first, at - 1]);
      first = -1;
    }
  }
  return out;
}

/** The colour of a state's pattern, for what is too small to show one. */
export function stateInk(inks: Inks, state: number): string {
  const pattern = patterns(inks)[state];
  return pattern ? `rgb(${pattern.ink.join(",")})` : "transparent";
}
