import { type Paper, rgb } from "../shared/draw";
import { placer } from "../shared/field";
import { type Frame, heightTicks, namesOf } from "../shared/layout";
import { categoryColor, runs, stamp, stateInk, tilesOf } from "../shared/paint";
import type { Scene } from "../shared/scene";

/** The height of the name of a line. */
const NAME = 16;

/** Where a line has its points: from left to right, a profile from the top down. */
const sideOf = ({ x, y }: Scene, { width, height }: Frame) => {
  const upright = !x.axis;
  return { upright, axis: upright ? y : x, long: upright ? height : width };
};

/** Lines between neighbours that are values, on the levels of the axis of values. */
export function paint(paper: Paper, scene: Scene, frame: Frame): void {
  const { context, accent, inks, ratio } = paper;
  const { field, states, range } = scene;
  const { left, top, width, height } = frame;
  const { upright, axis, long } = sideOf(scene, frame);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.save();
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
  const many = scene.picture.kind === "lines";
  if (!many) strip(paper, scene, frame);
  if (range !== null) {
    const placed = placer(range);
    const place = (along: number, value: number): [number, number] =>
      upright
        ? [left + placed(value) * width, top + along * height]
        : [left + along * width, top + (1 - placed(value)) * height];
    context.strokeStyle = rgb(inks.foreground, 0.1);
    for (const { value } of heightTicks(scene, upright ? width / 2 : height)) {
      context.beginPath();
      for (const end of [0, 1]) {
        const [x, y] = place(end, value).map(Math.round) as [number, number];
        context.lineTo(x + 0.5, y + 0.5);
      }
      context.stroke();
    }
    context.lineWidth = 1.5;
    context.lineJoin = "round";
    const { size } = axis;
    const dots = size <= long / 8;
    for (let row = 0; row * size < states.length; row++) {
      const from = row * size;
      const point = (at: number) => place(axis.center(at), field.values[from + at] as number);
      context.strokeStyle = context.fillStyle = many ? rgb(categoryColor(row, inks.dark)) : accent;
      for (const [first, last] of runs(states.subarray(from), size)) {
        context.beginPath();
        for (let at = first; at <= last; at++) context.lineTo(...point(at));
        context.stroke();
        if (!dots && first !== last) continue;
        for (let at = first; at <= last; at++) {
          context.beginPath();
          context.arc(...point(at), 2.2, 0, Math.PI * 2);
          context.fill();
        }
      }
    }
  }
  context.restore();
  // Beside the lines their names, of many as many as can be read.
  namesOf(scene).forEach((name, row, names) => {
    if (row % Math.ceil((names.length * 12) / height)) return;
    const at = top + (row + 0.5) * Math.min(NAME, height / names.length);
    context.fillStyle = rgb(categoryColor(row, inks.dark));
    context.fillRect(left + width + 12, at - 1, 14, 3);
    context.fillStyle = rgb(inks.foreground, 0.85);
    context.textBaseline = "middle";
    context.textAlign = "left";
    context.fillText(name, left + width + 32, at);
  });
}

/** Along a line plot: which points are missing, and how; a pixel shows the last that falls on it. */
function strip({ context, inks, ratio }: Paper, scene: Scene, frame: Frame): void {
  const { states } = scene;
  const { upright, axis, long } = sideOf(scene, frame);
  const tiles = tilesOf(inks, ratio);
  const columns = new Uint8Array(long);
  for (let at = 0; at < axis.size; at++) {
    const state = states[at] as number;
    if (state === 0) continue;
    const [a, b] = [axis.places[2 * at] as number, axis.places[2 * at + 2] as number];
    const first = Math.min(long - 1, Math.floor(Math.min(a, b) * long + 1e-6));
    columns.fill(state, first, Math.max(first + 1, Math.round(Math.max(a, b) * long)));
  }
  for (let at = 0; at < columns.length; at++) {
    const state = columns[at] as number;
    if (state === 0) continue;
    const from = at;
    while (columns[at + 1] === state) at++;
    const wide = at + 1 - from;
    const { left, top, width, height } = frame;
    context.fillStyle = stateInk(inks, state);
    context.globalAlpha = 0.12;
    const part = (deep: number): [number, number, number, number] =>
      upright ? [left, top + from, deep, wide] : [left + from, top + height - deep, wide, deep];
    context.fillRect(...part(upright ? width : height));
    context.globalAlpha = 1;
    const [x, y, w, h] = part(8).map((one) => Math.max(1, Math.round(one * ratio)));
    stamp(context, tiles, state, [x, y, w, h] as [number, number, number, number]);
  }
}
