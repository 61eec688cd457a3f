import type { Axis, PictureResult } from "../client/protocol.gen";
import { example } from "./recordings";

const recorded = example("small", "picture", "/forecast/sst");

/** An axis of four points. */
export const axis = (change: Partial<Axis>): Axis => ({
  ...(recorded.x as Axis),
  label: "x",
  kind: "index",
  size: 4,
  length: 4,
  downwards: !/number|time/.test(change.kind ?? ""),
  units: null,
  coordinates_buffer: null,
  chunk: null,
  ...change,
});

/** A recorded picture that is made to have three by two points, as a message and its buffers. */
export function picture(change: Partial<PictureResult> = {}): {
  picture: PictureResult;
  buffers: DataView[];
} {
  const values = Float32Array.from([1, 2, Number.NaN, -9999, 0, 6]);
  // Not aligned, as buffers of a message are not.
  const shifted = new Uint8Array(25);
  shifted.set(new Uint8Array(values.buffer), 1);
  const buffers = [
    new DataView(shifted.buffer, 1, 24),
    new DataView(Uint8Array.from([0, 0, 2, 1, 0, 0]).buffer),
    new DataView(Uint8Array.from([0, 0, 2, 0, 7, 0]).buffer),
    new DataView(Float64Array.from([50, 40]).buffer),
    new DataView(Float64Array.from([10, 20, 30]).buffer),
  ];
  const sliders = recorded.sliders.map((one) => ({ ...one, length: 9, index: 4, label: "2020-01-05" }));
  return {
    picture: {
      ...structuredClone(recorded),
      x: axis({ label: "lon", kind: "number", size: 3, length: 3, coordinates_buffer: 4 }),
      y: axis({ label: "lat", kind: "number", size: 2, length: 2, coordinates_buffer: 3, decreasing: true }),
      sliders,
      values_buffer: 0,
      states_buffer: 1,
      storage_states_buffer: 2,
      states: [],
      low: 0,
      high: 6,
      ranges: {},
      earth: null,
      ...change,
    },
    buffers,
  };
}
