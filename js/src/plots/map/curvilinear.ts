import type { Curvilinear } from "../../client/protocol.gen";
import { clamp } from "../../ui/text/format";
import { AxisGeometry } from "../shared/axis";
import { pointsOf } from "../shared/paint";

/** Two-dimensional coordinates of the points of a map. */
export interface Curved {
  x: Float64Array;
  y: Float64Array;
  /** Length of a circle that x runs on; 0 where it does not. */
  circle: number;
  /** How much wider than high a map of them should be. */
  aspect: number | null;
  low: [number, number];
  high: [number, number];
}

/** A longitude counted from another one. */
const turned = (value: number, from: number) => ((((value - from) % 360) + 360) % 360) + from;

export function curvedOf(
  { turn: circle, limits, aspect }: Curvilinear,
  xs: ArrayLike<number>,
  ys: ArrayLike<number>,
): Curved {
  const [west, east, south, north] = limits as [number, number, number, number];
  const y = Float64Array.from(ys);
  const x = Float64Array.from(xs, (value, at) =>
    Number.isFinite(value + (y[at] as number)) ? (circle ? turned(value, west) : value) : Number.NaN,
  );
  return { x, y, circle, aspect, low: [west, south], high: [east, north] };
}

/** A straight axis over a span of coordinates, for ticks and places. */
export function straight(
  label: string,
  units: string | null,
  low: number,
  high: number,
  vertical: boolean,
): AxisGeometry {
  const size = 720;
  const coordinates = Float64Array.from(
    { length: size },
    (_, at) => low + ((at + 0.5) / size) * (high - low),
  );
  return new AxisGeometry(
    {
      label,
      units,
      kind: "number",
      start: 0,
      step: 1,
      size,
      length: size,
      decreasing: false,
      downwards: false,
      coordinates_buffer: null,
      labels: null,
      ticks: [],
      chunk: null,
    },
    coordinates,
    vertical,
  );
}

/** The cell at each pixel, from a picture of cells of another size. */
export function sampled(cells: DataView, columns: number, width: number, height: number): Int32Array {
  const spread = (size: number, all: number) =>
    Int32Array.from({ length: size }, (_, at) => ((at + 0.5) / size) * all);
  const rows = spread(height, cells.byteLength / 4 / columns);
  return pointsOf(spread(width, columns), rows, columns).map((at) => cells.getInt32(4 * at, true));
}

/**
 * The point at each pixel, -1 where there is none. Between the middles of four neighbours each pixel takes the
 * nearest of them; the outermost points reach as far out as in. What would reach across the map is left out.
 */
export function splat(curved: Curved, nx: number, ny: number, width: number, height: number): Int32Array {
  const points = new Int32Array(width * height).fill(-1);
  const { x, y, circle, low, high } = curved;
  const [sx, sy] = [width / (high[0] - low[0]), height / (high[1] - low[1])];
  const wrap = (delta: number) => (circle ? delta - circle * Math.round(delta / circle) : delta);
  // Places of a point and of those just outside of the grid, relative to an origin.
  const px = new Float64Array(4);
  const py = new Float64Array(4);
  const id = new Int32Array(4);
  const triangle = (a: number, b: number, c: number, move: number) => {
    const [ax, ay] = [(px[a] as number) + move, py[a] as number];
    const [bx, by] = [(px[b] as number) + move - ax, (py[b] as number) - ay];
    const [cx, cy] = [(px[c] as number) + move - ax, (py[c] as number) - ay];
    const area = bx * cy - by * cx;
    if (Math.abs(area) < 1e-12) return;
    const x0 = Math.max(0, Math.ceil(ax + Math.min(0, bx, cx) - 0.5));
    const x1 = Math.min(width - 1, Math.floor(ax + Math.max(0, bx, cx) - 0.5));
    const y0 = Math.max(0, Math.ceil(ay + Math.min(0, by, cy) - 0.5));
    const y1 = Math.min(height - 1, Math.floor(ay + Math.max(0, by, cy) - 0.5));
    for (let row = y0; row <= y1; row++) {
      for (let column = x0; column <= x1; column++) {
        const [dx, dy] = [column + 0.5 - ax, row + 0.5 - ay];
        const u = (dx * cy - dy * cx) / area;
        const v = (bx * dy - by * dx) / area;
        if (u < -1e-9 || v < -1e-9 || u + v > 1 + 1e-9) continue;
        // In this triangle b and c are the neighbours of a along x and y; the fourth is beyond both.
        const far = u > 0.5 ? b : v > 0.5 ? c : a;
        const at = id[far] as number;
        if (at >= 0) points[row * width + column] = at;
      }
    }
  };
  for (let j = -1; j < ny; j++) {
    for (let i = -1; i < nx; i++) {
      const origin = clamp(j, ny - 1) * nx + clamp(i, nx - 1);
      const x0 = x[origin] as number;
      let [left, right] = [Number.POSITIVE_INFINITY, -Number.POSITIVE_INFINITY];
      for (let corner = 0; corner < 4; corner++) {
        const [ci, cj] = [i + (corner & 1), j + (corner >> 1)];
        const [ki, kj] = [clamp(ci, nx - 1), clamp(cj, ny - 1)];
        const at = kj * nx + ki;
        let cx = x0 + wrap((x[at] as number) - x0);
        let cy = y[at] as number;
        if (ki !== ci || kj !== cj) {
          // Beyond the border: as far out as the next one is in.
          const inner = clamp(2 * kj - cj, ny - 1) * nx + clamp(2 * ki - ci, nx - 1);
          cx += wrap((x[at] as number) - (x[inner] as number));
          cy += (y[at] as number) - (y[inner] as number);
        }
        id[corner] = ki === ci && kj === cj ? at : -1;
        px[corner] = (cx - low[0]) * sx;
        py[corner] = (high[1] - cy) * sy;
        left = Math.min(left, cx);
        right = Math.max(right, cx);
      }
      // A point without a place, or a jump of the grid such as its seam.
      if (!(right - left < (circle ? circle / 3 : Number.POSITIVE_INFINITY))) continue;
      for (const turn of circle ? [-1, 0, 1] : [0]) {
        const move = turn * circle * sx;
        if ((right - low[0]) * sx + move < 0 || (left - low[0]) * sx + move > width) continue;
        triangle(0, 1, 2, move);
        triangle(3, 2, 1, move);
      }
    }
  }
  return points;
}
