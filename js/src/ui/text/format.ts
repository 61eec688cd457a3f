/** Numbers, sizes and counts as people read them. */
import type { NodeRow } from "../../client/protocol.gen";

/** A number not below zero and not above another one. */
export const clamp = (value: number, most = 1): number => Math.max(0, Math.min(most, value));

/** The whole numbers from one up to another, which is left out. */
export const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at);

/** A length as style sheets write it. */
export const px = (length: number): string => `${length}px`;

/** A count of things: "5 721" with a narrow no-break space. */
export const counted = (value: number): string => value.toFixed(0).replace(/\B(?=(\d{3})+$)/g, "\u202f");

/** A length or a number of things, grouped where it has five digits: "1440", "10 200". */
export const grouped = (value: number): string => (value < 1e4 ? value.toFixed(0) : counted(value));

/** "1 error", "3 errors". */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** What lies in a group; nothing where that is not known, as it cannot be listed. */
export function contentsText(groups: number, arrays: number, { problem }: NodeRow): string {
  const parts = [groups && plural(groups, "group"), arrays && plural(arrays, "array")];
  return parts.filter(Boolean).join(", ") || (problem ? "" : "empty");
}

/** Bytes with a binary unit. */
export function bytes(count: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let [at, value] = [0, count];
  for (; value >= 1024 && at < 5; at++) value /= 1024;
  return `${value.toFixed(at && value < 10 ? 1 : 0)} ${units[at]}`;
}

/** What reading something takes, before it is read. */
export const costText = (what: string, size: number, chunks: number): string =>
  `${what} takes ${bytes(size)} in ${plural(chunks, "chunk")}`;

/** The shortest decimal that gives the number back: 7.1, not 7.09999990463, for a float32. */
export function shortest(value: number, type: "float32" | "float64" | null): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "Inf" : "-Inf";
  if (Object.is(value, -0)) return "-0";
  let shown = value;
  if (type === "float32") {
    for (let digits = 9; digits; digits--) {
      const short = Number(value.toPrecision(digits));
      if (Math.fround(short) === value) shown = short;
    }
  }
  // 1e20, where JavaScript writes all 21 digits of it
  return Math.abs(shown) < 1e16 ? String(shown) : shown.toExponential().replace("+", "");
}

/** The same where the type is not known: what a float32 can hold is written as one; what is computed has seven digits. */
export const numberText = (value: number): string =>
  Math.fround(value) === value ? shortest(value, "float32") : shortest(+value.toPrecision(7), null);

/** A number for labels: at most `digits` significant ones, no trailing zeros. */
export function compact(value: number, digits = 5): string {
  if (value === 0) return "0";
  if (!Number.isFinite(value)) return shortest(value, null);
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) {
    return value.toExponential(digits - 1).replace(/\.?0*e\+?/, "e");
  }
  return String(Number(value.toPrecision(digits)));
}

/** A number to be compared: at most `digits` significant ones, and what a float32 holds in no more than its own. */
export function precise(value: number, digits: number): string {
  const [exact, text] = [shortest(value, "float32"), compact(value, digits)];
  return exact.length < text.length ? exact : text;
}

/** "240 × 721 × 1440" */
export function shapeText(shape: readonly number[] | null): string {
  if (!shape) return "";
  return shape.length === 0 ? "scalar" : shape.map(grouped).join(" × ");
}
