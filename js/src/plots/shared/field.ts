import type { PictureResult, StateCount } from "../../client/protocol.gen";
import type { Limits, Mask, Scale } from "../../client/session";

/** `unread` is a point in a chunk that was left out to keep to the budget or has not come yet. */
export type CellState = StateCount["state"] | "only_nz" | "only_storage";

/** The states in the order of their codes in messages; `value` is 0. */
export const STATE_NAMES: Record<CellState, string> = {
  value: "values",
  fill: "_FillValue",
  nan: "NaN",
  inf: "+Inf",
  neg_inf: "−Inf",
  absent: "absent chunk",
  unreadable: "unreadable chunk",
  storage_fill: "storage fill_value",
  unread: "not read",
  invalid: "outside valid range",
  missing_value: "missing_value",
  only_nz: "masked by NZ only",
  only_storage: "masked by storage fill only",
};

export const STATES = Object.keys(STATE_NAMES) as readonly CellState[];

const [VALUE, FILL, NAN, INF, NEG_INF, STORAGE_FILL, INVALID] = [0, 1, 2, 3, 4, 7, 9] as const;
export const [ONLY_NZ, ONLY_STORAGE] = [11, 12] as const;

export interface Field {
  nx: number;
  ny: number;
  type: "float32" | "float64";
  values: Float32Array | Float64Array;
  /** State of each point under NZ, as an index into `STATES`. */
  states: Uint8Array;
  /** The same if the storage fill value were the mask. */
  storage: Uint8Array;
  /** What integers are more than `values`, which are the nearest floats. */
  rest?: Float32Array | Float64Array | undefined;
  /** As stored, where `values` are decoded. */
  stored?: Float32Array | Float64Array;
}

/** Bytes of a buffer as typed array; a copy where the host's buffer is not aligned. */
function typed<T>(
  view: DataView,
  of: { new (buffer: ArrayBufferLike, at: number, n: number): T },
  size: number,
): T {
  const count = Math.floor(view.byteLength / size);
  if (view.byteOffset % size === 0) return new of(view.buffer, view.byteOffset, count);
  return new of(view.buffer.slice(view.byteOffset, view.byteOffset + count * size), 0, count);
}

export function floats(view: DataView, type: "float32" | "float64"): Float32Array | Float64Array {
  return type === "float32" ? typed(view, Float32Array, 4) : typed(view, Float64Array, 8);
}

export function uint32s(view: DataView): Uint32Array {
  return typed(view, Uint32Array, 4);
}

export function uint8s(view: DataView): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

/** The state that a bare number has by itself. */
function plain(value: number): number {
  if (Number.isNaN(value)) return NAN;
  if (value === Number.POSITIVE_INFINITY) return INF;
  return value === -Number.POSITIVE_INFINITY ? NEG_INF : VALUE;
}

/** The numbers of a picture, or null where it has none or the buffers do not fit it. */
export function fieldOf(picture: PictureResult, buffers: readonly DataView[]): Field | null {
  const nx = picture.x?.size ?? 1;
  const image = picture.kind === "image";
  const ny = picture.y?.size ?? 1;
  const view = buffers[picture.values_buffer ?? -1];
  const type = picture.values_type ?? "float32";
  // Colours are not numbers.
  const values = image ? new Float32Array(nx * ny) : view && floats(view, type);
  if (!values || values.length < nx * ny) return null;
  const codes = (at: number | null): Uint8Array | null => {
    const found = at === null ? undefined : buffers[at];
    return found && found.byteLength >= nx * ny ? uint8s(found) : null;
  };
  const states = codes(picture.states_buffer) ?? Uint8Array.from(values, plain);
  const rest = buffers[picture.rest_buffer ?? -1];
  return {
    nx,
    ny,
    type,
    values,
    rest: rest && floats(rest, "float32"),
    states,
    storage: codes(picture.storage_states_buffer) ?? states,
  };
}

/** Whether CF has another say than NZ in which values are masked. */
export const masksAsCf = ({ valid_low, valid_high, missing_value }: PictureResult): boolean =>
  (valid_low ?? valid_high ?? missing_value) !== null;

/** Scale, offset, missing_value and valid range of CF, for the eye only. */
export function decoded(field: Field, picture: PictureResult, cf: boolean, mask: Mask): Field {
  const { packing, valid_low: low, valid_high: high } = picture;
  const { values: stored } = field;
  const range = masksAsCf(picture);
  const on = cf && mask !== "raw";
  if (!range && !(cf && packing)) return field;
  const valid = (codes: Uint8Array) =>
    codes.map((code, at) => {
      if (code !== VALUE && (on || code < INVALID)) return code;
      const value = stored[at] as number;
      return on && (value < (low ?? value) || value > (high ?? value)) ? INVALID : plain(value);
    });
  const changed = range ? { ...field, states: valid(field.states), storage: valid(field.storage) } : field;
  if (!cf || packing === null) return changed;
  const values = Float64Array.from(stored, (value) => value * packing.scale + packing.offset);
  return { ...changed, type: "float64", values, stored };
}

/**
 * The states under one of the masks. Raw masks nothing: what is a fill value is a number again, and NaN
 * where the fill value is NaN. That a chunk is absent or unreadable is no mask and stays.
 */
export function masked(field: Field, mask: Mask): Uint8Array {
  if (mask === "nz") return field.states;
  if (mask === "storage") return field.storage;
  if (mask === "differences") {
    return field.states.map((state, at) => {
      const other = field.storage[at] as number;
      if ((state === VALUE) === (other === VALUE)) return state;
      return state === VALUE ? ONLY_STORAGE : ONLY_NZ;
    });
  }
  return field.states.map((state, at) =>
    state === FILL || state === STORAGE_FILL || state === VALUE
      ? plain(field.values[at] ?? Number.NaN)
      : state,
  );
}

export function countStates(states: Uint8Array): { state: CellState; count: number }[] {
  const counts = new Uint32Array(256);
  for (let at = 0; at < states.length; at++) (counts[states[at] as number] as number)++;
  return STATES.map((state, at) => ({ state, count: counts[at] as number })).filter(({ count }) => count > 0);
}

/** Smallest and largest value that is not masked; for a logarithm of the positive ones only. */
export function rangeOf(field: Field, states: Uint8Array, log = false): [number, number] | null {
  let low = Number.POSITIVE_INFINITY;
  let high = -Number.POSITIVE_INFINITY;
  for (let at = 0; at < states.length; at++) {
    const value = field.values[at] as number;
    if (states[at] !== VALUE || (log && !(value > 0))) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : null;
}

/** Limits and how a value lies between them. */
export interface Norm {
  low: number;
  high: number;
  scale: Scale;
}

interface Wanted {
  limits: Limits;
  low: number | null;
  high: number | null;
  scale: Scale;
}

/**
 * The limits in force: what a person typed, else what the kernel knows, else the range of what is shown. Those of
 * colours may have zero in their middle; those of a vertical axis grow with what is shown.
 */
export function normOf(
  field: Field,
  states: Uint8Array,
  options: Wanted,
  known?: readonly number[],
  centred = false,
  flat = true,
): Norm | null {
  const { scale } = options;
  const log = scale === "log";
  const ends = [...(known ?? []), ...((!(known && flat) && rangeOf(field, states, log)) || [])];
  let [low, high] = [Math.min(...ends), Math.max(...ends)];
  if (centred && !log) {
    high = Math.max(-low, high);
    low = -high;
  }
  low = options.low ?? low;
  high = options.high ?? high;
  if (!Number.isFinite(low) || !Number.isFinite(high)) return null;
  if (low > high) [low, high] = [high, low];
  if (log) {
    if (high <= 0) high = 1;
    if (low <= 0) low = high / 1000;
  }
  return { low, high, scale };
}

/** Up to which value a symmetric logarithm is linear. */
export const linearUpTo = ({ low, high }: Norm): number =>
  Math.max(Math.abs(low), Math.abs(high)) / 1000 || 1;

/** Gives where values lie between the limits; those beyond are below 0 and above 1. */
export function placer(norm: Norm): (value: number) => number {
  const { low, high, scale } = norm;
  if (high === low) return () => 0.5;
  const near = linearUpTo(norm);
  const bend = {
    linear: (value: number) => value,
    log: (value: number) => Math.log(Math.max(value, 1e-300)),
    // As matplotlib has it.
    symlog: (value: number) => {
      const size = Math.abs(value) / near;
      return Math.sign(value) * (size > 1 ? 10 / 9 + Math.log10(size) : (size * 10) / 9);
    },
  }[scale];
  const [from, span] = [bend(low), bend(high) - bend(low)];
  return (value) => (bend(value) - from) / span;
}

/** Where a value lies between the limits, 0 to 1; below and above are cut. */
export function place(norm: Norm, value: number): number {
  const at = placer(norm)(value);
  return at > 0 ? Math.min(at, 1) : 0;
}

/** How often values fall in each part of the range of limits. */
export function histogram(field: Field, states: Uint8Array, norm: Norm, bins: number): number[] {
  const counts = new Uint32Array(bins);
  const { values } = field;
  const { low, high } = norm;
  const placed = placer(norm);
  for (let at = 0; at < states.length; at++) {
    const value = values[at] as number;
    if (states[at] !== VALUE || value < low || value > high) continue;
    const bin = Math.floor(placed(value) * bins);
    (counts[Math.min(bins - 1, bin)] as number)++;
  }
  return [...counts];
}
