import { visible } from "../../ui/text/text";
import { type AxisGeometry, nameOf } from "./axis";
import { mark, type Paper, rgb, write } from "./draw";
import { type Norm, placer } from "./field";
import { type Frame, heightTicks, unitsOf } from "./layout";
import type { Scene } from "./scene";

export function drawAxes({ context, inks }: Paper, scene: Scene, frame: Frame): void {
  const { left, top, width, height } = frame;
  const { picture, x, y, range } = scene;
  const name = nameOf(picture.y, unitsOf(scene));
  // Of a line one of the two has the values.
  const levels = (long: number, at: (part: number) => number = (part) => part) =>
    heightTicks(scene, long).map(({ value, label }) => ({ at: at(placer(range as Norm)(value)), label }));
  context.strokeStyle = rgb(inks.foreground, 0.45);
  context.fillStyle = rgb(inks.foreground, 0.85);
  context.strokeRect(left - 0.5, top - 0.5, width + 1, height + 1);
  context.textBaseline = "top";
  context.textAlign = "center";
  const widest = Math.max(20, ...x.ticks(4).map(({ label }) => context.measureText(visible(label)).width));
  let end = -Number.POSITIVE_INFINITY;
  const along = picture.x ? x.ticks(Math.max(2, Math.floor(width / (widest + 26)))) : levels(width / 2);
  for (const { at, label } of along.sort((a, b) => a.at - b.at)) {
    if (at < -0.001 || at > 1.001) continue;
    const px = left + at * width;
    mark(context, px, top + height, px, top + height + 4);
    const text = visible(label);
    const half = context.measureText(text).width / 2;
    // The last one does not reach under what is beside.
    const middle = Math.min(px, left + width + 10 - half);
    if (middle - half < end + 6) continue;
    context.fillText(text, middle, top + height + 6);
    end = middle + half;
  }
  write(context, nameOf(picture.x, unitsOf(scene)), left + width / 2, top + height + 23, width + left);
  context.textAlign = "right";
  context.textBaseline = "middle";
  const down = picture.y ? y.ticks(Math.max(2, Math.floor(height / 36))) : levels(height, (part) => 1 - part);
  let before = -Number.POSITIVE_INFINITY;
  for (const { at, label } of down.sort((a, b) => a.at - b.at)) {
    const py = top + at * height;
    if (at < -0.001 || at > 1.001 || py - before < 11) continue;
    before = py;
    mark(context, left - 4, py, left, py);
    context.fillText(visible(label), left - 7, py, left - (name ? 26 : 9));
  }
  context.save();
  context.translate(10, top + height / 2);
  context.rotate(-Math.PI / 2);
  context.textAlign = "center";
  write(context, name, 0, 0, height + 2 * top);
  context.restore();
}

/** Borders of cells where they are large enough, and of chunks. */
export function drawGrid({ context, inks }: Paper, scene: Scene, frame: Frame): void {
  const { left, top, width, height } = frame;
  const lines = (geometry: AxisGeometry, long: number, paint: (at: number) => void) => {
    const { axis, size } = geometry;
    if (!axis) return;
    const { chunk } = axis;
    const number = (index: number) =>
      typeof chunk === "number" ? Math.floor(index / chunk) : chunk?.filter((begin) => begin <= index).length;
    for (let at = 0; at <= size; at++) {
      const index = axis.start + at * axis.step;
      const border = chunk !== 0 && number(index) !== number(index - axis.step);
      if (!border && long / size < 8) continue;
      context.strokeStyle = rgb(inks.foreground, border ? 0.7 : 0.2);
      context.setLineDash(border ? [4, 3] : []);
      paint(geometry.places[2 * at] as number);
    }
    context.setLineDash([]);
  };
  lines(scene.x, width, (at) => mark(context, left + at * width, top, left + at * width, top + height));
  lines(scene.y, height, (at) => mark(context, left, top + at * height, left + width, top + at * height));
}
