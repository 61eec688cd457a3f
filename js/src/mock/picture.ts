import type { Axis, PictureResult } from "../client/protocol.gen";

/** An axis of four points. */
export const axis = (change: Partial<Axis>): Axis => ({
  label: "x",
  kind: "index",
  start: 0,
  step: 1,
  size: 4,
  length: 4,
  decreasing: false,
  downwards: !/number|time/.test(change.kind ?? ""),
  units: null,
  coordinates_buffer: null,
  labels: null,
  chunk: null,
  ...change,
});

/** A picture of three by two points, as a message and its buffers. */
export function picture(change: Partial<PictureResult> = {}): {
  picture: PictureResult;
  buffers: DataView[];
} {
  const values = Float32Array.from([1, 2, Number.NaN, -9999, 0, 6]);
  const shifted = new Uint8Array(25);
  shifted.set(new Uint8Array(values.buffer), 1);
  const buffers = [
    new DataView(shifted.buffer, 1, 24),
    new DataView(Uint8Array.from([0, 0, 2, 1, 0, 0]).buffer),
    new DataView(Uint8Array.from([0, 0, 2, 0, 7, 0]).buffer),
    new DataView(Float64Array.from([50, 40]).buffer),
    new DataView(Float64Array.from([10, 20, 30]).buffer),
  ];
  const base: PictureResult = {
    kind: "map",
    path: "/a",
    title: "a",
    label: "/a",
    message: null,
    data_type: "float32",
    units: "K",
    x: axis({ label: "lon", kind: "number", size: 3, length: 3, coordinates_buffer: 4 }),
    y: axis({ label: "lat", kind: "number", size: 2, length: 2, coordinates_buffer: 3, decreasing: true }),
    sliders: [
      {
        dimension: "time",
        axis: 0,
        length: 9,
        index: 4,
        label: "2020-01-05",
        units: null,
        cached: [],
        method: null,
        whole_bytes: 0,
      },
    ],
    values_type: "float32",
    values_buffer: 0,
    states_buffer: 1,
    storage_states_buffer: 2,
    states: [],
    low: 0,
    high: 6,
    ranges: {},
    colormap: "viridis",
    signed: false,
    text: null,
    fill: "-9999",
    storage_fill: "0",
    fill_source: "_FillValue",
    hidden_by_xarray: 0,
    read: null,
    errors: [],
    kinds: [],
    parts: [],
    part: null,
    image_buffer: null,
    histogram: null,
    categories: [],
    dates: [],
    packing: null,
    valid_low: null,
    valid_high: null,
    curvilinear: null,
    aspect: null,
    earth: null,
    overview: null,
    ...change,
  };
  return { picture: base, buffers };
}
