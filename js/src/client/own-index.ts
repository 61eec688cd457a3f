import type { NodeRow } from "./protocol.gen";

/**
 * That part of the index that speaks of an array's own dimensions, within their lengths. The rest is kept for
 * other arrays: going from one variable to another stays at the same time.
 */
export function ownIndex(row: NodeRow | null, index: Record<string, number>): Record<string, number> {
  const own: Record<string, number> = {};
  const shape = row?.shape;
  if (!row || !shape) return own;
  shape.forEach((length, axis) => {
    for (const name of [row.dimension_names?.[axis], `dim_${axis}`]) {
      const at = name === null || name === undefined ? undefined : index[name];
      if (name && at !== undefined && length > 0) own[name] = Math.max(-length, Math.min(length - 1, at));
    }
  });
  return own;
}
