import { visible } from "../../ui/text/text";
import { mark, type Paper, rgb, write } from "./draw";
import { histogram, type Norm, place } from "./field";
import { type Bar, barTicks, HISTOGRAM, unitsOf } from "./layout";
import { unpacked } from "./paint";
import type { Scene } from "./scene";

export function drawBar({ context, lut, inks }: Paper, scene: Scene, bar: Bar, norm: Norm): void {
  const { left, top, width, height } = bar;
  const fill = (nth: number) => {
    context.fillStyle = rgb(unpacked(lut.at(nth) as number));
  };
  for (let at = 0; at < height; at++) {
    fill(Math.floor((1 - at / Math.max(1, height - 1)) * (lut.length - 0.001)));
    context.fillRect(left, top + at, width, 1.5);
  }
  // Where values lie beyond the limits the bar has a point.
  const { low, high } = scene.picture;
  const tip = (at: number, to: number, color: number) => {
    fill(color);
    context.beginPath();
    context.moveTo(left, at);
    context.lineTo(left + width, at);
    context.lineTo(left + width / 2, to);
    context.fill();
  };
  if (low !== null && low < norm.low) tip(top + height, top + height + 7, 0);
  if (high !== null && high > norm.high) tip(top, top - 7, -1);
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
  const ticks = barTicks(scene, norm, height);
  for (const { value, label } of ticks) {
    const y = top + (1 - place(norm, value)) * height;
    mark(context, x, y, x + 3, y);
    context.fillText(label, x + HISTOGRAM, y);
  }
  if (!bar.brief) {
    context.save();
    context.translate(
      x + HISTOGRAM + 8 + Math.max(...ticks.map(({ label }) => context.measureText(label).width), 0),
      top + height / 2,
    );
    context.rotate(-Math.PI / 2);
    context.textAlign = "center";
    write(context, visible(unitsOf(scene)), 0, 4, height);
    context.restore();
  }
}
