import type { PictureResult } from "../../client/protocol.gen";
import type { Mask, PictureOptions } from "../../client/session";
import { type Curved, curvedOf, sampled, splat, straight } from "../map/curvilinear";
import { AxisGeometry, axisNumbers, coordinateText } from "./axis";
import type { Paper } from "./draw";
import type { Earth } from "./earth";
import { decoded, type Field, fieldOf, floats, masked, type Norm, normOf, uint32s } from "./field";
import { held } from "./held";
import { airy, type Frame } from "./layout";
import { pointsOf } from "./paint";

/** How a kind of picture looks on a canvas. */
export interface Look {
  /** Whether the vertical axis is one of the array, not that of values. */
  flat: boolean;
  /** Paints the numbers; axes, grid and colour bar come after. */
  paint(paper: Paper, scene: Scene, frame: Frame, options: PictureOptions): void;
}

/** A picture made ready: its numbers under the mask, its limits and where its points lie. */
export interface Scene {
  picture: PictureResult;
  look: Look;
  /** What counts as missing. */
  mask: Mask;
  field: Field;
  states: Uint8Array;
  norm: Norm | null;
  /** How many of the values have no logarithm, where one is wanted. */
  leftOut: number;
  /** What the vertical axis of a line plot spans. */
  range: Norm | null;
  x: AxisGeometry;
  y: AxisGeometry;
  /**
   * The axes along which the array is stored: others than `x` and `y` where it is drawn on coordinates, or where its
   * rows are lines on one axis of values.
   */
  grid: { x: AxisGeometry; y: AxisGeometry };
  curved: Curved | null;
  /** What its auxiliary coordinates are at a point. */
  beside(x: number, y: number): [string, string][];
  /** What is laid over it. */
  earth: Earth | null;
  /** The colour of each point of an image. */
  image: Uint32Array | null;
  /** The point at each pixel, -1 where there is none. */
  points(width: number, height: number): Int32Array;
}

/** They take megabytes, and are the same for most pictures that follow each other. */
const pointsHeld = held<Int32Array>();

export function makeScene(
  picture: PictureResult,
  buffers: readonly DataView[],
  options: PictureOptions,
  look: Look,
  diverging = true,
): Scene | null {
  const read = fieldOf(picture, buffers);
  if (read === null) return null;
  // What values are made of was masked before.
  const mask = picture.derived ? "nz" : options.mask;
  const field = decoded(read, picture, options.decoded, mask);
  const states = masked(field, mask);
  const geometry = (axis: PictureResult["x"], vertical: boolean) =>
    new AxisGeometry(axis, axisNumbers(axis, buffers), vertical);
  const rows = picture.kind === "lines";
  // Of profiles the depths are on the left.
  const upright = rows && picture.x?.kind === "number" && picture.x.downwards;
  const grid = { x: geometry(picture.x, upright), y: geometry(picture.y, !rows) };
  const { curvilinear, packing, earth } = picture;
  const packed = options.decoded ? packing : null;
  const meant = (end: number) => (packed ? end * packed.scale + packed.offset : end);
  const known = (picture.ranges[options.limits] ?? picture.ranges.frame)?.map(meant);
  const centred = picture.signed && look.flat && diverging;
  const norm = normOf(field, states, options, known, centred, look.flat);
  const lines = (at: number | null | undefined) => {
    const view = buffers[at ?? -1];
    return view ? floats(view, "float32") : null;
  };
  const [xs, ys] = [lines(curvilinear?.x_buffer), lines(curvilinear?.y_buffer)];
  const nearest = buffers[curvilinear?.nearest_buffer ?? -1];
  const curved =
    curvilinear && (options.curvilinear || nearest) && xs && ys ? curvedOf(curvilinear, xs, ys) : null;
  const { x, y } =
    curvilinear && curved
      ? {
          x: straight(curvilinear.x_label, curvilinear.x_units, curved.low[0], curved.high[0], false),
          y: straight(curvilinear.y_label, curvilinear.y_units, curved.low[1], curved.high[1], true),
        }
      : rows
        ? { x: upright ? geometry(null, false) : grid.x, y: upright ? grid.x : geometry(null, true) }
        : grid;
  const colors = picture.kind === "image" && buffers[picture.image_buffer ?? -1];
  const ends = [picture.low, picture.high].map((end) => (end === null ? null : meant(end)));
  if (packed && packed.scale < 0) ends.reverse();
  return {
    look,
    mask,
    picture: {
      ...picture,
      x: x.axis,
      y: y.axis,
      units: packed ? packed.units : picture.units,
      low: ends[0] ?? null,
      high: ends[1] ?? null,
    },
    field,
    states,
    leftOut:
      options.scale === "log"
        ? states.filter((state, at) => !state && !((field.values[at] ?? 0) > 0)).length
        : 0,
    norm: picture.kind === "image" ? null : norm,
    range: norm && !look.flat ? airy(norm, options) : norm,
    x,
    y,
    grid,
    curved,
    beside: (x, y) =>
      picture.point_coordinates.map(({ label, down, across, buffer, type, units, texts }) => {
        const at = (down ? y : 0) * (across ? field.nx : 1) + (across ? x : 0);
        // An array of a buffer that lies askew would be a copy, whenever the pointer moves.
        const view = buffers[buffer ?? -1] as DataView;
        const bits = type === "float32" ? 32 : 64;
        const value = () => view[`getFloat${bits}`]((bits / 8) * at, true);
        // Fewer digits than float32 has: it is not exact to the last.
        return [label, texts[at] ?? coordinateText(value(), { units }, bits < 64 ? 7 : undefined)];
      }),
    earth:
      earth && !curvilinear === !curved
        ? {
            coastlines: lines(earth.coastlines_buffer),
            graticule: lines(earth.graticule_buffer),
            places: lines(earth.places_buffer),
          }
        : null,
    image: colors ? uint32s(colors) : null,
    points: (width, height) => {
      const { nx, ny } = field;
      const [columns, rows] = curved ? [curved.x, curved.y] : [x.lookup(width), y.lookup(height)];
      const size = curved ? [curved.circle, ...curved.low, ...curved.high, width, height] : [];
      const on = [columns, rows, [nx, ...size]];
      return pointsHeld(on, () =>
        curved
          ? nearest && curvilinear
            ? sampled(nearest, curvilinear.columns, width, height)
            : splat(curved, nx, ny, width, height)
          : pointsOf(columns, rows, nx),
      );
    },
  };
}
