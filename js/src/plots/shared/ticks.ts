/** Ticks at numbers that people like, and their labels. */

export interface Tick {
  value: number;
  label: string;
}

/** The step of 1, 2, 2.5 or 5 times a power of ten that gives about `count` ticks. */
function niceStep(span: number, count: number): number {
  const rough = span / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const part = rough / power;
  const nice = part <= 1 ? 1 : part <= 2 ? 2 : part <= 2.5 ? 2.5 : part <= 5 ? 5 : 10;
  return nice * power;
}

/** The fewest digits with which a number is written that differs from another by next to nothing of a step. */
function digitsOf(write: (digits: number) => string, value: number, step: number): number {
  let digits = 0;
  while (digits < 12 && Math.abs(Number(write(digits)) - value) > step * 1e-6) digits++;
  return digits;
}

/**
 * Labels of evenly spaced numbers: just enough decimals, a power of ten where the largest is far from 1, unless
 * nearly all digits are wanted, as of the metres of a projected grid.
 */
export function label(value: number, step: number, size = Math.abs(value)): string {
  if (value === 0) return "0";
  const text =
    (size >= 1e6 && (step * 1e3 > size || size > 1e9)) || (size < 1e-4 && step < 1e-4)
      ? value.toExponential(digitsOf((digits) => value.toExponential(digits), value, step)).replace("e+", "e")
      : value.toFixed(digitsOf((digits) => step.toFixed(digits), step, step));
  return text.replaceAll("-", "−");
}

/** Steps of degrees that divide a circle. */
const DEGREES = [1, 2, 5, 10, 15, 30, 45, 60, 90, 120, 180];

export function niceTicks(low: number, high: number, count: number, degrees = false): Tick[] {
  if (!(Number.isFinite(low) && Number.isFinite(high))) return [];
  if (low === high) return [{ value: low, label: label(low, Math.abs(low) / 1000 || 1) }];
  if (low > high) return niceTicks(high, low, count, degrees);
  const round = degrees ? DEGREES.find((each) => each * count >= high - low) : undefined;
  // Of a narrow band few multiples of 5 or 15 would be seen.
  const whole = round !== undefined && round > 1 && (high - low) / round >= Math.min(2, count - 1);
  const step = whole ? round : niceStep(high - low, count);
  const ticks: Tick[] = [];
  const first = Math.ceil(low / step - 1e-9);
  for (let nth = 0; nth < 100; nth++) {
    const value = (first + nth) * step;
    if (value > high + step * 1e-9) break;
    const text = label(value, step, Math.max(Math.abs(low), Math.abs(high)));
    // Numbers that lie closer than their digits show share one tick.
    if (ticks.at(-1)?.label !== text) ticks.push({ value, label: text });
  }
  // One number alone says nothing of a scale.
  return ticks.length < 2 && count < 9 ? niceTicks(low, high, count * 2, degrees) : ticks;
}

/** Whole numbers only, for array indices. */
export function indexTicks(low: number, high: number, count: number): Tick[] {
  const step = Math.max(1, Math.ceil(niceStep(Math.max(1, high - low), count)));
  const ticks: Tick[] = [];
  for (let at = Math.ceil(low / step) * step; at <= high; at += step)
    ticks.push({ value: at, label: String(at) });
  return ticks;
}

/** Powers of ten, with 2 and 5 between them where there is room. */
export function logTicks(low: number, high: number, count: number): Tick[] {
  const first = Math.floor(Math.log10(low));
  const last = Math.ceil(Math.log10(high));
  const skip = Math.max(1, Math.ceil((last - first) / count));
  const parts = (last - first) * 3 <= count ? [1, 2, 5] : [1];
  const ticks: Tick[] = [];
  for (let power = first; power <= last; power += skip) {
    for (const part of parts) {
      const value = Number((part * 10 ** power).toPrecision(6));
      if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) {
        ticks.push({
          value,
          label: power >= -3 && power < 5 ? String(value) : `${part}e${power}`.replace("-", "−"),
        });
      }
    }
  }
  return ticks.length >= 2 ? ticks : niceTicks(low, high, count);
}

/** Zero, and powers of ten on both sides of it, from where the scale is no longer linear; from zero outwards. */
export function symlogTicks(low: number, high: number, near: number, count: number): Tick[] {
  const up = logTicks(near, Math.max(-low, high), count / (low < 0 && high > 0 ? 2 : 1));
  return [
    { value: 0, label: "0" },
    ...up.flatMap((tick) => [tick, { value: -tick.value, label: `−${tick.label}` }]),
  ].filter(({ value }) => value >= low && value <= high);
}

/** Some of many labels, evenly; `value` is the number of the label. */
export function labelTicks(labels: readonly string[], count: number): Tick[] {
  const step = Math.max(1, Math.ceil(labels.length / Math.max(2, Math.floor(count))));
  return labels.flatMap((label, value) => (value % step ? [] : { value, label }));
}
