import type { PictureResult } from "../protocol.gen";
import type { PictureOptions } from "../session";
import { visible } from "../text";
import { AxisGeometry, axisNumbers, nameOf } from "./axis";
import { type Curved, curvedOf, splat, straight } from "./curvilinear";
import {
  decoded,
  type Field,
  fieldOf,
  floats,
  histogram,
  masked,
  type Norm,
  normOf,
  ONLY_NZ,
  place,
  uint32s,
} from "./field";
import {
  categoryLut,
  categoryShades,
  faded,
  type Inks,
  paintMap,
  pointsOf,
  runs,
  shades,
  stateInk,
  type Tiles,
  tilesOf,
} from "./paint";
import { logTicks, niceTicks, type Tick } from "./ticks";

/** A picture made ready: its numbers under the mask, its limits and where its points lie. */
export interface Scene {
  picture: PictureResult;
  field: Field;
  states: Uint8Array;
  norm: Norm | null;
  /** What the vertical axis of a line plot spans. */
  range: Norm | null;
  x: AxisGeometry;
  y: AxisGeometry;
  /** The axes along which the array is stored: others than `x` and `y` where it is drawn on coordinates. */
  grid: { x: AxisGeometry; y: AxisGeometry };
  curved: Curved | null;
  /** The colour of each point of an image. */
  image: Uint32Array | null;
  /** Whether the vertical axis is one of the array, not that of values. */
  flat: boolean;
  /** The point at each pixel, -1 where there is none. */
  points(width: number, height: number): Int32Array;
}

export function sceneOf(
  picture: PictureResult,
  buffers: readonly DataView[],
  options: PictureOptions,
): Scene | null {
  const flat = picture.kind === "map" || picture.kind === "image";
  if (!flat && picture.kind !== "line") return null;
  const read = fieldOf(picture, buffers);
  if (read === null) return null;
  const field = decoded(read, picture, options.decoded, options.mask);
  const states = masked(field, options.mask);
  const geometry = (axis: PictureResult["x"], vertical: boolean) =>
    new AxisGeometry(axis, axisNumbers(axis, buffers), vertical);
  const grid = { x: geometry(picture.x, false), y: geometry(picture.y, true) };
  const norm = normOf(field, states, options);
  const { curvilinear, packing } = picture;
  const packed = options.decoded ? packing : null;
  const [xs, ys] = [curvilinear?.x_buffer, curvilinear?.y_buffer].map((at) => {
    const view = buffers[at ?? -1];
    return view && view.byteLength >= states.length * 4 ? floats(view, "float32") : null;
  });
  const curved =
    curvilinear && options.curvilinear && xs && ys ? curvedOf(curvilinear, xs, ys, field.nx, field.ny) : null;
  const { x, y } =
    curvilinear && curved
      ? {
          x: straight(curvilinear.x_label, curvilinear.x_units, curved.low[0], curved.high[0], false),
          y: straight(curvilinear.y_label, curvilinear.y_units, curved.low[1], curved.high[1], true),
        }
      : grid;
  let held: { width: number; height: number; points: Int32Array } | null = null;
  const colors = picture.kind === "image" && picture.image_buffer !== null && buffers[picture.image_buffer];
  const ends = [picture.low, picture.high].map((end) =>
    end !== null && packed ? end * packed.scale + packed.offset : end,
  );
  if (packed && packed.scale < 0) ends.reverse();
  return {
    picture: {
      ...picture,
      x: x.axis,
      y: y.axis,
      units: packed ? packed.units : picture.units,
      low: ends[0] ?? null,
      high: ends[1] ?? null,
    },
    field,
    states,
    norm: picture.kind === "image" ? null : norm,
    range: norm && !flat ? airy(norm, options) : norm,
    x,
    y,
    grid,
    curved,
    image: colors ? uint32s(colors) : null,
    flat,
    points: (width, height) => {
      if (held?.width !== width || held.height !== height) {
        const { nx, ny } = field;
        const points = curved
          ? splat(curved, nx, ny, width, height)
          : pointsOf(x.lookup(width), y.lookup(height), nx);
        held = { width, height, points };
      }
      return held.points;
    },
  };
}

/** Where things stand, in CSS pixels. */
export interface Frame {
  left: number;
  top: number;
  width: number;
  height: number;
  /** The colorbar, for maps. */
  bar: { left: number; top: number; width: number; height: number } | null;
}

const BAR = 12;
const HISTOGRAM = 28;
const GAP = 14;

export type Measure = (text: string) => number;

/** How much wider than high the picture should be, where its axes measure the same thing; else null. */
export function aspect(scene: Scene): number | null {
  const { x, y } = scene.picture;
  if (x === null || y === null) return null;
  if (x.kind === "index" && y.kind === "index") {
    const ratio = (x.size * x.step) / (y.size * y.step);
    return ratio >= 1 / 4 && ratio <= 4 ? ratio : null;
  }
  const family = (units: string | null) =>
    units && /^degrees?_?(north|east|N|E)?$/i.test(units) ? "degrees" : units;
  if (x.kind !== "number" || y.kind !== "number" || !x.units || family(x.units) !== family(y.units))
    return null;
  if (!scene.x.true || !scene.y.true) return null;
  const span = (axis: AxisGeometry) =>
    Math.abs((axis.coordinates?.[axis.size - 1] ?? 0) - (axis.coordinates?.[0] ?? 0));
  const ratio = span(scene.x) / span(scene.y);
  return ratio >= 1 / 5 && ratio <= 5 ? ratio : null;
}

function valueTicks(norm: Norm, height: number): Tick[] {
  const count = Math.max(2, Math.floor(height / 38));
  return norm.log ? logTicks(norm.low, norm.high, count) : niceTicks(norm.low, norm.high, count);
}

/** Ticks of a line's vertical axis: its categories, if it has any. */
function heightTicks({ range, picture: { categories } }: Scene, height: number): Tick[] {
  if (range === null) return [];
  const inside = categories.filter(({ value }) => value >= range.low && value <= range.high);
  return inside.length > 0 && inside.length <= height / 12 ? inside : valueTicks(range, height);
}

/** The range of a line's vertical axis: the range of values with a little air, but not beyond limits. */
export function airy(
  { low, high, log = false }: { low: number; high: number; log?: boolean },
  limits: { low?: number | null; high?: number | null } = {},
): Norm {
  if (log && high > low) return { low: low / 1.15, high: high * 1.15, log };
  const air = high === low ? Math.abs(low) * 0.1 || 1 : (high - low) * 0.05;
  const fixed = (limit: number | null | undefined) => high > low && limit != null;
  return {
    low: fixed(limits.low) ? low : low - air,
    high: fixed(limits.high) ? high : high + air,
    log: false,
  };
}

export function frameOf(scene: Scene, width: number, height: number, measure: Measure): Frame {
  const bottom = 40;
  const top = 10;
  const tall = Math.max(20, height - top - bottom);
  const { flat } = scene;
  const labels = flat ? scene.y.ticks(Math.max(2, Math.floor(tall / 36))) : heightTicks(scene, tall);
  const widest = Math.max(16, ...labels.map(({ label }) => measure(visible(label))));
  const left = Math.min(width * 0.35, widest + 32);
  const barred = flat && scene.picture.categories.length === 0 && scene.norm !== null;
  const barLabels = scene.norm
    ? Math.max(0, ...valueTicks(scene.norm, tall).map(({ label }) => measure(label)))
    : 0;
  const right = barred ? GAP + BAR + HISTOGRAM + barLabels + 26 : 14;
  let [w, h] = [Math.max(20, width - left - right), tall];
  const ratio = flat ? aspect(scene) : null;
  if (ratio !== null) {
    const [wide, high] = [Math.min(w, h * ratio), Math.min(h, w / ratio)];
    // Thin strips are stretched: better seen than true.
    if (wide >= w * 0.25 && high >= h * 0.25) [w, h] = [wide, high];
  }
  [w, h] = [Math.round(w), Math.round(h)];
  const at = { left: Math.round(left), top, width: w, height: h };
  const bar = barred ? { left: at.left + w + GAP, top, width: BAR, height: h } : null;
  return { ...at, bar };
}

export interface Paper {
  context: CanvasRenderingContext2D;
  ratio: number;
  inks: Inks;
  lut: Uint32Array;
  font: string;
  accent: string;
}

const rgb = (color: readonly number[], alpha = 1) => `rgba(${color.map(Math.round).join(",")},${alpha})`;

/** Draws a scene. */
export function draw(paper: Paper, scene: Scene, frame: Frame, options: PictureOptions): void {
  const { context, ratio } = paper;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, context.canvas.width, context.canvas.height);
  if (scene.flat) drawMap(paper, scene, frame, options.mask === "differences");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.font = paper.font;
  context.lineWidth = 1;
  if (!scene.flat) drawLine(paper, scene, frame);
  if (options.grid && scene.curved === null) drawGrid(paper, scene, frame);
  drawAxes(paper, scene, frame);
  if (frame.bar && scene.norm) drawBar(paper, scene, frame.bar, scene.norm);
}

function drawMap({ context, ratio, inks, lut }: Paper, scene: Scene, frame: Frame, fade: boolean): void {
  const [left, top] = [Math.round(frame.left * ratio), Math.round(frame.top * ratio)];
  const [width, height] = [Math.round(frame.width * ratio), Math.round(frame.height * ratio)];
  if (width < 1 || height < 1) return;
  const image = context.createImageData(width, height);
  const { field, states, norm, picture } = scene;
  const { categories } = picture;
  const many = categories.length > 0;
  const tiles = tilesOf(inks, ratio);
  const colors = scene.image ?? (many ? categoryLut(inks.dark) : lut);
  if (fade) tiles.pixels = tiles.pixels.map((tile, at) => (tile && at < ONLY_NZ ? faded(tile, inks) : tile));
  paintMap(
    new Uint32Array(image.data.buffer),
    scene.points(width, height),
    width,
    states,
    scene.image
      ? null
      : many
        ? categoryShades(field.stored ?? field.values, categories)
        : shades(field, states, norm),
    fade ? faded(colors, inks) : colors,
    tiles,
  );
  context.putImageData(image, left, top);
}

function drawLine(paper: Paper, scene: Scene, frame: Frame): void {
  const { context, accent, inks } = paper;
  const { field, states, range } = scene;
  const px = (at: number) => frame.left + scene.x.center(at) * frame.width;
  context.save();
  context.beginPath();
  context.rect(frame.left, frame.top, frame.width, frame.height);
  context.clip();
  strip(paper, scene, frame);
  if (range !== null) {
    const py = (value: number) => frame.top + (1 - unclamped(range, value)) * frame.height;
    context.strokeStyle = rgb(inks.foreground, 0.1);
    for (const tick of heightTicks(scene, frame.height)) {
      const y = Math.round(py(tick.value)) + 0.5;
      context.beginPath();
      context.moveTo(frame.left, y);
      context.lineTo(frame.left + frame.width, y);
      context.stroke();
    }
    context.strokeStyle = accent;
    context.fillStyle = accent;
    context.lineWidth = 1.5;
    context.lineJoin = "round";
    const dots = field.nx <= frame.width / 8;
    for (const [first, last] of runs(states, field.nx)) {
      context.beginPath();
      for (let at = first; at <= last; at++) context.lineTo(px(at), py(field.values[at] as number));
      context.stroke();
      if (!dots && first !== last) continue;
      for (let at = first; at <= last; at++) {
        context.beginPath();
        context.arc(px(at), py(field.values[at] as number), 2.2, 0, Math.PI * 2);
        context.fill();
      }
    }
  }
  context.restore();
}

/** Along the foot of a line plot: which points are missing, and how; a pixel shows the last that falls on it. */
function strip({ context, inks, ratio }: Paper, scene: Scene, frame: Frame): void {
  const { states, x } = scene;
  const tiles = tilesOf(inks, ratio);
  const high = 8;
  const columns = new Uint8Array(frame.width);
  for (let at = 0; at < scene.field.nx; at++) {
    const state = states[at] as number;
    if (state === 0) continue;
    const [a, b] = [x.edges[at] as number, x.edges[at + 1] as number];
    const first = Math.min(frame.width - 1, Math.floor(Math.min(a, b) * frame.width + 1e-6));
    columns.fill(state, first, Math.max(first + 1, Math.round(Math.max(a, b) * frame.width)));
  }
  for (let at = 0; at < columns.length; at++) {
    const state = columns[at] as number;
    if (state === 0) continue;
    const left = frame.left + at;
    let wide = 1;
    while (columns[at + 1] === state) [at, wide] = [at + 1, wide + 1];
    context.fillStyle = stateInk(inks, state);
    context.globalAlpha = 0.12;
    context.fillRect(left, frame.top, wide, frame.height);
    context.globalAlpha = 1;
    stamp(context, tiles, state, left, frame.top + frame.height - high, wide, high, ratio);
  }
}

function stamp(
  context: CanvasRenderingContext2D,
  tiles: Tiles,
  state: number,
  left: number,
  top: number,
  width: number,
  height: number,
  ratio: number,
): void {
  const tile = tiles.pixels[state];
  const [w, h] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
  if (!tile) return;
  const [x0, y0] = [Math.round(left * ratio), Math.round(top * ratio)];
  const image = context.createImageData(w, h);
  const pixels = new Uint32Array(image.data.buffer);
  for (let at = 0; at < pixels.length; at++) {
    const [x, y] = [(x0 + (at % w)) % tiles.side, (y0 + Math.floor(at / w)) % tiles.side];
    pixels[at] = tile[y * tiles.side + x] as number;
  }
  context.putImageData(image, x0, y0);
}

function unclamped(norm: Norm, value: number): number {
  if (norm.log)
    return (
      (Math.log(Math.max(value, 1e-300)) - Math.log(norm.low)) / (Math.log(norm.high) - Math.log(norm.low))
    );
  return norm.high === norm.low ? 0.5 : (value - norm.low) / (norm.high - norm.low);
}

function drawAxes({ context, inks }: Paper, scene: Scene, frame: Frame): void {
  const { left, top, width, height } = frame;
  const { picture, x, y } = scene;
  context.strokeStyle = rgb(inks.foreground, 0.45);
  context.fillStyle = rgb(inks.foreground, 0.85);
  context.strokeRect(left - 0.5, top - 0.5, width + 1, height + 1);
  context.textBaseline = "top";
  context.textAlign = "center";
  const widest = Math.max(20, ...x.ticks(4).map(({ label }) => context.measureText(visible(label)).width));
  let end = -Number.POSITIVE_INFINITY;
  for (const { at, label } of x
    .ticks(Math.max(2, Math.floor(width / (widest + 26))))
    .sort((a, b) => a.at - b.at)) {
    if (at < -0.001 || at > 1.001) continue;
    const px = left + at * width;
    mark(context, px, top + height, px, top + height + 4);
    const text = visible(label);
    const half = context.measureText(text).width / 2;
    if (px - half < end + 6) continue;
    context.fillText(text, px, top + height + 6);
    end = px + half;
  }
  context.fillText(nameOf(picture.x), left + width / 2, top + height + 23, width);
  context.textAlign = "right";
  context.textBaseline = "middle";
  if (scene.flat) {
    let before = -Number.POSITIVE_INFINITY;
    for (const { at, label } of y.ticks(Math.max(2, Math.floor(height / 36))).sort((a, b) => a.at - b.at)) {
      const py = top + at * height;
      if (at < -0.001 || at > 1.001 || py - before < 12) continue;
      before = py;
      mark(context, left - 4, py, left, py);
      context.fillText(visible(label), left - 7, py, left - 26);
    }
  } else if (scene.range) {
    for (const { value, label } of heightTicks(scene, height)) {
      const at = 1 - unclamped(scene.range, value);
      mark(context, left - 4, top + at * height, left, top + at * height);
      context.fillText(visible(label), left - 7, top + at * height, left - 26);
    }
  }
  context.save();
  context.translate(10, top + height / 2);
  context.rotate(-Math.PI / 2);
  context.textAlign = "center";
  context.fillText(scene.flat ? nameOf(picture.y) : visible(picture.units ?? ""), 0, 0, height);
  context.restore();
}

function mark(context: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
  context.beginPath();
  context.moveTo(Math.round(x0) + 0.5, Math.round(y0) + 0.5);
  context.lineTo(Math.round(x1) + 0.5, Math.round(y1) + 0.5);
  context.stroke();
}

function drawBar(
  { context, lut, inks }: Paper,
  scene: Scene,
  bar: NonNullable<Frame["bar"]>,
  norm: Norm,
): void {
  const { left, top, width, height } = bar;
  for (let at = 0; at < height; at++) {
    const color = lut[Math.min(255, Math.floor((1 - at / Math.max(1, height - 1)) * 255.999))] as number;
    context.fillStyle = `rgb(${color & 255},${(color >> 8) & 255},${(color >> 16) & 255})`;
    context.fillRect(left, top + at, width, 1.5);
  }
  // Where values lie beyond the limits the bar has a point.
  const { low, high } = scene.picture;
  const tip = (at: number, to: number, color: number) => {
    context.fillStyle = `rgb(${color & 255},${(color >> 8) & 255},${(color >> 16) & 255})`;
    context.beginPath();
    context.moveTo(left, at);
    context.lineTo(left + width, at);
    context.lineTo(left + width / 2, to);
    context.fill();
  };
  if (low !== null && low < norm.low) tip(top + height, top + height + 7, lut[0] as number);
  if (high !== null && high > norm.high) tip(top, top - 7, lut[255] as number);
  context.strokeStyle = rgb(inks.foreground, 0.45);
  context.strokeRect(left - 0.5, top - 0.5, width + 1, height + 1);
  context.fillStyle = rgb(inks.foreground, 0.85);
  context.textAlign = "left";
  context.textBaseline = "middle";
  const bins = Math.max(8, Math.min(48, Math.floor(height / 6)));
  const counts = histogram(scene.field, scene.states, norm, bins);
  const most = Math.max(...counts);
  const x = left + width + 1;
  context.fillStyle = rgb(inks.foreground, 0.22);
  counts.forEach((count, bin) => {
    const wide = most === 0 ? 0 : (count / most) * (HISTOGRAM - 4);
    context.fillRect(x + 1, top + height - ((bin + 1) * height) / bins, wide, Math.max(1, height / bins - 1));
  });
  context.fillStyle = rgb(inks.foreground, 0.85);
  for (const { value, label } of valueTicks(norm, height)) {
    const y = top + (1 - place(norm, value)) * height;
    mark(context, x, y, x + 3, y);
    context.fillText(label, x + HISTOGRAM, y);
  }
  if (scene.picture.units) {
    context.save();
    context.translate(
      x +
        HISTOGRAM +
        8 +
        Math.max(...valueTicks(norm, height).map(({ label }) => context.measureText(label).width), 0),
      top + height / 2,
    );
    context.rotate(-Math.PI / 2);
    context.textAlign = "center";
    context.fillText(visible(scene.picture.units), 0, 4, height);
    context.restore();
  }
}

/** Borders of cells where they are large enough, and of chunks. */
function drawGrid({ context, inks }: Paper, scene: Scene, frame: Frame): void {
  const { left, top, width, height } = frame;
  const lines = (geometry: AxisGeometry, long: number, paint: (at: number) => void) => {
    const { axis, size } = geometry;
    if (axis === null) return;
    const { chunk } = axis;
    for (let at = 0; at <= size; at++) {
      const index = axis.start + at * axis.step;
      const border =
        chunk !== null && chunk > 0 && Math.floor(index / chunk) !== Math.floor((index - axis.step) / chunk);
      if (!border && long / size < 8) continue;
      context.strokeStyle = rgb(inks.foreground, border ? 0.7 : 0.2);
      context.setLineDash(border ? [4, 3] : []);
      paint(geometry.edges[at] as number);
    }
    context.setLineDash([]);
  };
  lines(scene.x, width, (at) => mark(context, left + at * width, top, left + at * width, top + height));
  if (scene.flat) {
    lines(scene.y, height, (at) => mark(context, left, top + at * height, left + width, top + at * height));
  }
}
