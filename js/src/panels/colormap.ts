import type { Colormaps } from "../session";

/** The table of a colormap by name; of the first one where that name is not known. */
export function colorTable(colormaps: Colormaps | null, name: string): Uint8Array | null {
  if (colormaps === null || colormaps.names.length === 0) return null;
  const at = Math.max(0, colormaps.names.indexOf(name));
  return colormaps.tables.subarray(at * 768, at * 768 + 768);
}
