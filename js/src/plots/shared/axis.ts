import type { Axis } from "../../client/protocol.gen";
import { clamp, compact } from "../../ui/text/format";
import { visible } from "../../ui/text/text";
import { floats } from "./field";
import { indexTicks, labelTicks, niceTicks } from "./ticks";

/** The coordinates of an axis among the buffers of its picture. */
export function axisNumbers(axis: Axis | null, buffers: readonly DataView[]): Float64Array | null {
  const view = buffers[axis?.coordinates_buffer ?? -1];
  return view ? (floats(view, "float64") as Float64Array) : null;
}

/** What stands along an axis: its name, with its units where its labels do not have them. */
export function nameOf(axis: Axis | null, units?: string | null): string {
  if (!axis) return visible(units ?? "");
  // "60° N" needs no name.
  if (hemispheres(axis)) return "";
  return visible(axis.units && axis.kind !== "time" ? `${axis.label} (${axis.units})` : axis.label);
}

/** The letters that degrees have on both sides of zero, where an axis is one of latitudes or longitudes. */
export const hemispheres = ({ units }: { units?: string | null }): "NS" | "EW" | null =>
  units === "°N" ? "NS" : units === "°E" ? "EW" : null;

/** "60° N", "75° W", "0°". */
export function degreesText(value: number, sides: "NS" | "EW", digits = 10): string {
  const turned = sides === "EW" ? ((((value + 180) % 360) + 360) % 360) - 180 : value;
  const exact = +Math.abs(turned).toPrecision(digits);
  // A metre is what degrees are good for: 0.0000076 is a zero that was computed.
  const size = exact < 1e-5 ? 0 : +exact.toFixed(5);
  const side = size === 0 || (sides === "EW" && size === 180) ? "" : ` ${sides[turned > 0 ? 0 : 1]}`;
  return `${size}°${side}`;
}

/** A tick at a place between 0 (left or top) and 1 (right or bottom). */
export interface AxisTick {
  at: number;
  label: string;
}

/**
 * Where the points of an axis lie on the screen. Coordinates grow to the right and upwards (depths downwards)
 * whichever way they are stored; bare indices grow to the right and downwards, as rows of a matrix do, or northwards.
 */
export class AxisGeometry {
  readonly size: number;
  readonly axis: Axis | null;
  readonly coordinates: Float64Array | null;
  /** Where cells begin, points lie and cells end, by turns: 2 size + 1 places, of which 0 is left or top. */
  readonly places: Float64Array;
  /** Whether places follow the coordinates; if not, points are evenly spaced. */
  readonly true: boolean;

  constructor(axis: Axis | null, coordinates: Float64Array | null, vertical: boolean) {
    this.axis = axis;
    this.size = Math.max(1, axis?.size ?? 1);
    this.coordinates = coordinates !== null && coordinates.length >= this.size ? coordinates : null;
    const measured = axis !== null && (axis.kind === "number" || axis.kind === "time");
    const real = measured ? placesOf(this.coordinates, this.size) : null;
    this.true = real !== null;
    const places = real ?? Float64Array.from({ length: 2 * this.size + 1 }, (_, at) => at / 2 / this.size);
    // Places by coordinate already grow with it; places by number follow the order of storage.
    const backwards = real === null && measured && axis.decreasing;
    const turned = backwards !== (vertical && axis?.downwards === false);
    this.places = turned ? places.map((place) => 1 - place) : places;
  }

  /** Where a point lies: at its coordinate, which need not be in the middle of its cell. */
  center(index: number): number {
    return this.places[2 * index + 1] as number;
  }

  /** The point at a place between 0 and 1. */
  indexAt(place: number): number {
    const { places, size } = this;
    const rising = (places[2 * size] as number) > (places[0] as number);
    let low = 0;
    let high = size - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      const edge = places[2 * middle] as number;
      if (rising ? edge <= place : edge > place) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The point of each of `pixels` pixels. */
  lookup(pixels: number): Int32Array {
    return Int32Array.from({ length: pixels }, (_, at) => this.indexAt((at + 0.5) / pixels));
  }

  /** The place of a fraction of a point number; 0.5 is the middle of the first point. */
  placeOf(position: number): number {
    const at = clamp(Math.floor(2 * position), 2 * this.size - 1);
    const [from, to] = [this.places[at] as number, this.places[at + 1] as number];
    return from + (to - from) * (2 * position - at);
  }

  ticks(count: number): AxisTick[] {
    const { axis, coordinates, size } = this;
    if (!axis) return [];
    const named = axis.kind === "time" || axis.kind === "category" ? axis.labels : null;
    const dates = named && axis.ticks.find(({ length }) => length <= Math.max(2, count));
    if (dates) return dates.map(({ index, label }) => ({ at: this.center(index), label }));
    const sides = hemispheres(axis);
    const numbers = axis.kind === "index" ? null : coordinates;
    // Numbers that are told by equal steps would all be at the end of depths that grow ever faster.
    const labels =
      named ??
      (!this.true &&
        numbers &&
        Array.from(numbers, (value) =>
          sides ? degreesText(value, sides, 6) : compact(value).replace("-", "−"),
        ));
    if (labels) {
      const ticks = labelTicks(labels.slice(0, size), count);
      return ticks.map(({ value, label }) => ({ at: this.center(value), label }));
    }
    if (numbers) {
      const [first, last] = [numbers[0] as number, numbers[size - 1] as number];
      const degrees = /^°[NE]?$/.test(axis.units ?? "");
      const [from, to] = [this.center(0), this.center(size - 1)];
      return niceTicks(first, last, count, degrees).map(({ value, label }) => ({
        at: from + ((to - from) * (value - first)) / (last - first),
        label: sides ? degreesText(value, sides) : label,
      }));
    }
    const ticks = indexTicks(axis.start, axis.start + (size - 1) * axis.step, count);
    return ticks.map(({ value, label }) => ({
      at: this.placeOf((value - axis.start) / axis.step + 0.5),
      label,
    }));
  }

  /** What a point is called: its coordinate, else its index. */
  describe(index: number): { index: number; coordinate: string | null } {
    const { axis, coordinates } = this;
    const value = coordinates?.[index];
    return {
      index: axis ? axis.start + index * axis.step : index,
      coordinate: axis?.labels?.[index] ?? (axis && value !== undefined ? coordinateText(value, axis) : null),
    };
  }
}

/** What a point of an axis is called where one stands for all of them, as in the head of a row. */
export function pointName(geometry: AxisGeometry, at: number): string {
  const { index, coordinate } = geometry.describe(at);
  return visible(coordinate ?? `[${index}]`);
}

/** A coordinate with its units; nothing where it is missing. */
export function coordinateText(value: number, axis: { units?: string | null }, most?: number): string {
  if (Number.isNaN(value)) return "";
  const sides = hemispheres(axis);
  const digits = most ?? (sides ? 8 : 10);
  const number = Number(value.toPrecision(digits));
  // 270 is 90° W, and both are said.
  const other = sides === "EW" && (value > 180 || value < -180) ? ` (${number})` : "";
  return sides ? degreesText(value, sides, digits) + other : `${number}${axis.units ? ` ${axis.units}` : ""}`;
}

/** Coordinates and, half-way between them, boundaries of cells, from 0 to 1; null where places by number are better. */
function placesOf(values: Float64Array | null, size: number): Float64Array | null {
  if (!values || size < 2) return null;
  const places = new Float64Array(2 * size + 1);
  const sign = Math.sign((values[1] as number) - (values[0] as number));
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (let at = 0; at < size; at++) {
    const here = values[at] as number;
    const before = values[at - 1] as number;
    const gap = (here - before) * sign;
    if (at > 0 && !(gap > 0)) return null;
    places[2 * at] = (before + here) / 2;
    places[2 * at + 1] = here;
    // The first has none.
    least = Math.min(least, gap || least);
    most = Math.max(most, gap || most);
  }
  // A grid so uneven that some cells would be thinner than a pixel is drawn by number.
  if (most > least * 20) return null;
  // The first and the last cell are as wide on both sides.
  places[0] = 2 * (values[0] as number) - (places[2] as number);
  places[2 * size] = 2 * (values[size - 1] as number) - (places[2 * size - 2] as number);
  const [one, other] = [places[0], places[2 * size] as number];
  return places.map((place) => (place - Math.min(one, other)) / Math.abs(other - one));
}
