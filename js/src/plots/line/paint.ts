import { type Paper, rgb } from "../shared/draw";
import { placer } from "../shared/field";
import { type Frame, heightTicks } from "../shared/layout";
import { runs, stamp, stateInk, tilesOf } from "../shared/paint";
import type { Scene } from "../shared/scene";

/** Lines between neighbours that are values, on the levels of the vertical axis. */
export function paint(paper: Paper, scene: Scene, frame: Frame): void {
  const { context, accent, inks, ratio } = paper;
  const { field, states, range } = scene;
  const px = (at: number) => frame.left + scene.x.center(at) * frame.width;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.save();
  context.beginPath();
  context.rect(frame.left, frame.top, frame.width, frame.height);
  context.clip();
  strip(paper, scene, frame);
  if (range !== null) {
    const placed = placer(range);
    const py = (value: number) => frame.top + (1 - placed(value)) * frame.height;
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
    const [x, y] = [left, frame.top + frame.height - high].map((at) => Math.round(at * ratio)) as [
      number,
      number,
    ];
    stamp(context, tiles, state, [x, y, Math.max(1, Math.round(wide * ratio)), Math.round(high * ratio)]);
  }
}
