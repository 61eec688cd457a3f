import { range } from "../../ui/text/format";
import { visible } from "../../ui/text/text";
import { nameOf, pointName } from "./axis";
import { linearUpTo, type Norm, place } from "./field";
import type { Scene } from "./scene";
import { logTicks, niceTicks, symlogTicks, type Tick } from "./ticks";

/** Where things stand, in CSS pixels. */
export interface Frame {
  left: number;
  top: number;
  width: number;
  height: number;
  /** The colour bar, for maps; above and below it there is room for its limits. */
  bar: Bar | null;
}

export interface Bar {
  left: number;
  top: number;
  width: number;
  height: number;
  /** Whether the units stand beside the upper limit; else they run along the ticks. */
  brief: boolean;
}

const BAR = 14;
export const HISTOGRAM = 28;
const GAP = 12;
/** A limit at an end of the colour bar: its width and height, and the room between it and the bar. */
export const LIMIT = { width: 68, height: 22, gap: 9 };
/** The widest units that stand beside a limit. */
const BRIEF = 30;

export type Measure = (text: string) => number;

export function valueTicks(norm: Norm, height: number): Tick[] {
  const count = Math.max(3, Math.floor(height / 38));
  const { low, high, scale } = norm;
  const ticks =
    scale === "symlog"
      ? symlogTicks(low, high, linearUpTo(norm), count)
      : (scale === "log" ? logTicks : niceTicks)(low, high, count);
  // The numbers of a logarithm may stand on each other: the first ones stay.
  const taken: number[] = [];
  return ticks.filter(({ value }) => {
    const at = place(norm, value) * height;
    return taken.every((other) => Math.abs(other - at) > 11) && taken.push(at);
  });
}

/** How the first moments of days, months and years end: the longer, the rounder a date is. */
const ROUND = /((-01)?-01)?( 00:00)?$/;

/** Ticks of the colour bar; of times they are at values whose dates are known, at round ones where such lie near. */
export function barTicks({ field, picture: { dates } }: Scene, norm: Norm, height: number): Tick[] {
  const ticks = valueTicks(norm, height);
  if (dates.length === 0) return ticks;
  const step = (norm.high - norm.low) / ticks.length;
  const found = ticks.map(({ value }) => {
    const away = (at: number) => {
      const far = Math.abs((field.values[at] as number) - value) / step;
      const rounder = far < 0.75 ? 2 ** (ROUND.exec(dates[at] as string)?.[0].length ?? 0) : 1;
      return dates[at] ? (far + 0.25) / rounder : Infinity;
    };
    return dates.reduce((best, _, at) => (away(at) < away(best) ? at : best), 0);
  });
  return [...new Set(found)].map((at) => ({ value: field.values[at] as number, label: dates[at] as string }));
}

/** Ticks of a line's vertical axis: its categories or dates, if it has any. */
export function heightTicks(scene: Scene, height: number): Tick[] {
  const { range } = scene;
  if (range === null) return [];
  const { categories } = scene.picture;
  const inside = categories.filter(({ value }) => value >= range.low && value <= range.high);
  return inside.length > 0 && inside.length <= height / 12 ? inside : barTicks(scene, range, height);
}

/** The units that the numbers on the scale of values have; dates have none. */
export const unitsOf = ({ picture: { dates, units } }: Scene): string => (dates[0] ? "" : (units ?? ""));

/** The range of a line's vertical axis: the range of values with a little air, but not beyond limits. */
export function airy(
  { low, high, scale = "linear" }: Pick<Norm, "low" | "high"> & Partial<Norm>,
  limits: { low?: number | null; high?: number | null } = {},
): Norm {
  const air = high === low ? Math.abs(low) * 0.1 || 1 : (high - low) * 0.05;
  const fixed = (limit: number | null | undefined) => high > low && limit != null;
  const log = scale === "log";
  return {
    low: fixed(limits.low) ? low : log ? low / 1.15 : low - air,
    high: fixed(limits.high) ? high : log ? high * 1.15 : high + air,
    scale,
  };
}

/** What several lines are called, beside them. */
export const namesOf = ({ picture: { kind }, grid: { y } }: Scene): string[] =>
  kind === "lines" ? range(0, y.size).map((at) => pointName(y, at)) : [];

/** How much wider than high a map is, where its axes measure the same thing. */
const aspectOf = ({ look, curved, picture }: Scene): number | null =>
  look.flat ? (curved ?? picture).aspect : null;

/** Whether two maps are larger one above the other than side by side; around each are its axes, names and legend. */
export function isStacked(scene: Scene, { width, height }: { width: number; height: number }): boolean {
  const wide = (w: number, h: number) => Math.min(w - 120, (h - 100) * (aspectOf(scene) ?? 0));
  return wide(width / 2, height) < wide(width, height / 2);
}

export function frameOf(scene: Scene, width: number, height: number, measure: Measure): Frame {
  const { flat } = scene.look;
  const { x, y } = scene.picture;
  const units = unitsOf(scene);
  const bottom = nameOf(x, units) ? 40 : 24;
  const top = 6;
  const tall = Math.max(20, height - top - bottom);
  const labels = y ? scene.y.ticks(Math.max(2, Math.floor(tall / 36))) : heightTicks(scene, tall);
  const widest = Math.max(16, ...labels.map(({ label }) => measure(visible(label))));
  const left = Math.min(width * 0.35, widest + (nameOf(y, units) ? 32 : 14));
  // Two pictures beside each other share the bar of the second.
  const { categories, beside: second } = scene.picture;
  const barred = flat && categories.length === 0 && scene.norm !== null && !second;
  const barLabels = scene.norm
    ? Math.max(0, ...barTicks(scene, scene.norm, tall).map(({ label }) => measure(label)))
    : 0;
  const wide = measure(visible(units));
  const brief = wide <= BRIEF;
  const beside = BAR + HISTOGRAM + barLabels + (brief ? 0 : 18);
  const names = namesOf(scene).map(measure);
  const named = names.length && 26 + Math.max(...names);
  const right = barred ? GAP + Math.max(beside, LIMIT.width + (brief ? wide + 4 : 0)) + 8 : 14 + named;
  const room = Math.max(20, width - left - right);
  const ratio = aspectOf(scene);
  const [w, h] = (ratio ? [Math.min(room, tall * ratio), Math.min(tall, room / ratio)] : [room, tall]).map(
    Math.round,
  ) as [number, number];
  const at = { left: Math.round(left), top, width: w, height: h };
  // Beside a strip it is higher, for its limits.
  const long = Math.max(h, Math.min(tall, 120));
  const end = long > 3 * LIMIT.height ? LIMIT.height + LIMIT.gap : 0;
  const bar = { left: at.left + w + GAP, top: top + end, width: BAR, height: long - 2 * end, brief };
  return { ...at, bar: barred ? bar : null };
}
