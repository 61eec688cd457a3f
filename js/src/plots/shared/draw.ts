import type { PictureOptions } from "../../client/session";
import type { Inks } from "../../ui/base/theme";
import { drawAxes, drawGrid } from "./axes";
import { drawBar } from "./colorbar";
import { drawEarth } from "./earth";
import type { Frame } from "./layout";
import type { Scene } from "./scene";

export interface Paper {
  context: CanvasRenderingContext2D;
  ratio: number;
  inks: Inks;
  lut: Uint32Array;
  font: string;
  accent: string;
}

export const rgb = (color: readonly number[], alpha = 1) =>
  `rgba(${color.map(Math.round).join(",")},${alpha})`;

/** Draws a scene. */
export function draw(paper: Paper, scene: Scene, frame: Frame, options: PictureOptions): void {
  const { context, ratio } = paper;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, context.canvas.width, context.canvas.height);
  context.lineWidth = 1;
  context.font = paper.font;
  scene.look.paint(paper, scene, frame, options);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.font = paper.font;
  context.lineWidth = 1;
  if (options.grid && !scene.curved) drawGrid(paper, scene, frame);
  drawEarth(paper, scene, frame, options);
  drawAxes(paper, scene, frame);
  if (frame.bar && scene.norm) drawBar(paper, scene, frame.bar, scene.norm);
}

export function mark(
  context: CanvasRenderingContext2D,
  x0: number,
  y0: number,
  x1: number,
  y1: number,
): void {
  context.beginPath();
  context.moveTo(Math.round(x0) + 0.5, Math.round(y0) + 0.5);
  context.lineTo(Math.round(x1) + 0.5, Math.round(y1) + 0.5);
  context.stroke();
}

/** Writes a text, cut where there is no room for it. */
export function write(
  context: CanvasRenderingContext2D,
  text: string,
  x: number,
  y: number,
  room: number,
): void {
  let shown = text;
  const wide = context.measureText(text).width;
  if (wide > room) {
    const kept = Math.max(0, Math.floor((text.length * room) / wide) - 1);
    shown = `${text.slice(0, kept)}…`;
  }
  context.fillText(shown, x, y);
}
