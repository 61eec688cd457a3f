import type { Colormaps } from "../../client/session";

/** The table of a colormap by name, or of it reversed; of the first one where that name is not known. */
export function colorTable(colormaps: Colormaps | null, name: string, reverse = false): Uint8Array | null {
  if (colormaps === null || colormaps.names.length === 0) return null;
  const at = Math.max(0, colormaps.names.indexOf(name));
  const table = colormaps.tables.subarray(at * 768, at * 768 + 768);
  return reverse ? table.map((_, nth) => table[765 - nth + 2 * (nth % 3)] as number) : table;
}

/** A colormap as style sheets write it, for a swatch. */
export function gradientOf(table: Uint8Array | null): string | undefined {
  if (!table) return undefined;
  const stops = [0, 51, 102, 153, 204, 255].map(
    (at) => `rgb(${table.subarray(at * 3, at * 3 + 3).join(",")})`,
  );
  return `linear-gradient(90deg, ${stops.join(", ")})`;
}
