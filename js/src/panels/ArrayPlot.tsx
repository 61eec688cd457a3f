import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { bytes, compact, grouped, plural, px, shortest } from "../format";
import { AxisGeometry, axisNumbers } from "../picture/axis";
import { draw, type Frame, frameOf, type Paper, type Scene, sceneOf } from "../picture/draw";
import { type CellState, countStates, ONLY_NZ, STATE_NAMES, STATES } from "../picture/field";
import { PictureLoader, type Shown } from "../picture/loader";
import { categoryColor, categoryShades, GREYS, lutOf, paintSwatch, tilesOf } from "../picture/paint";
import { extent, windowAround, windowOf } from "../picture/zoom";
import type { ChunkError, NodeRow, PictureParams, PictureResult, ReadFacts, Slider } from "../protocol.gen";
import type { Mask } from "../session";
import { lines, visible, visibleLines } from "../text";
import { type Size, useSize, useView } from "../ui/hooks";
import { Icon } from "../ui/icons";
import { Button, Choice, IconButton, Problem, Quiet } from "../ui/parts";
import { Bars } from "./Bars";
import { colorTable } from "./colormap";
import { Export } from "./Export";
import { ownIndex } from "./index-of";
import { Statistics } from "./Statistics";

const FALLBACK: Size = { width: 640, height: 360, round: 0 };
const MASKS: readonly { value: Mask; label: string; title: string }[] = [
  { value: "nz", label: "NZ", title: "Missing is what the convention says: _FillValue and its kin" },
  { value: "storage", label: "storage fill", title: "Missing is what equals the fill_value of the storage" },
  { value: "raw", label: "raw", title: "Nothing is masked: numbers as they are stored" },
  {
    value: "differences",
    label: "differences",
    title: "Where one of NZ and storage fill masks and the other does not",
  },
];

/** The picture of an array and what goes with it. */
export function ArrayPlot({ row }: { row: NodeRow }) {
  const { session } = useView();
  const stage = useRef<HTMLDivElement>(null);
  const size = useSize(stage);
  const loader = useMemo(() => new PictureLoader(session.client), [session]);
  const [whole, setWhole] = useState<string | null>(null);
  const [counted, setCounted] = useState(false);
  const settled = session.settled.value;
  const options = session.options.value;

  useEffect(() => () => loader.close(), [loader]);
  useEffect(() => session.wantColormaps(), [session]);

  const { width, height } = requested(size.width ? size : FALLBACK);
  const index = ownIndex(row, session.index.value);
  const { window, kind, part } = options;
  const slice = JSON.stringify([row.path, index, window]);
  const everything = whole === slice;
  const params: PictureParams = { path: row.path, index, width, height, everything };
  if (Object.keys(window).length > 0) params.window = window;
  if (kind !== "auto") params.kind = kind as PictureParams["kind"];
  if (part !== "") params.part = part as PictureParams["part"];
  const key = JSON.stringify(params);
  // `key` stands for the params.
  useLayoutEffect(() => loader.want(params), [loader, key]);
  // Coordinates that the check of values has proved change the axes.
  const seen = useRef(settled);
  useEffect(() => {
    if (seen.current !== settled) loader.retry();
    seen.current = settled;
  }, [settled, loader]);

  const shown = loader.shown.value;
  const error = loader.error.value;
  const stale = loader.loading.value;
  const picture = shown?.picture ?? null;
  const scene = useMemo(
    () => (shown ? sceneOf(shown.picture, shown.buffers, options) : null),
    [shown, options],
  );
  const setIndex = (dimension: string, to: number) =>
    session.index.set({ ...session.index.peek(), [dimension]: to }, 80);
  // What has come of the picture that is wanted is not old.
  const old = stale && !(shown?.partial && JSON.stringify(shown.params) === key);

  return (
    <div class="nzx-plot">
      {picture && <Controls picture={picture} scene={scene} zoomed={params.window !== undefined} />}
      {picture &&
        [picture.message, picture.overview].map(
          (note) =>
            note && (
              <p key={note} class="nzx-note nzx-plot-message">
                <Icon name="info" /> {visible(note)}
              </p>
            ),
        )}
      {error && <Problem onRetry={() => loader.retry()}>{visible(error.message)}</Problem>}
      <div class={`nzx-stage ${old ? "nzx-stale" : ""}`} ref={stage} aria-busy={stale}>
        {shown && <Stage shown={shown} scene={scene} size={size.width ? size : FALLBACK} />}
        <PictureWait loader={loader} />
      </div>
      {picture && (
        <Sliders sliders={picture.sliders} index={index} onIndex={setIndex} loading={stale} row={row} />
      )}
      {shown && (
        <Foot
          picture={shown.picture}
          scene={scene}
          whole={everything}
          onWhole={() => setWhole(slice)}
          loading={stale}
        >
          <Button
            aria-expanded={counted}
            title="Reads every chunk of the array; it can be stopped"
            onClick={() => setCounted(!counted)}
          >
            Whole array statistics
          </Button>
          <Export path={row.path} index={index} />
        </Foot>
      )}
      {counted && <Statistics path={row.path} units={picture?.units ?? null} />}
    </div>
  );
}

/** The drawing area in device pixels, in steps, so that a moved border does not ask for a new picture. */
function requested(size: { width: number; height: number }): { width: number; height: number } {
  const ratio = Math.min(2, globalThis.devicePixelRatio || 1);
  const step = (length: number, least: number) => Math.max(least, Math.ceil(length / 100) * 100) * ratio;
  return { width: Math.round(step(size.width - 130, 200)), height: Math.round(step(size.height - 50, 100)) };
}

function PictureWait({ loader }: { loader: PictureLoader }) {
  const loading = loader.loading.value;
  const wait = loader.wait.value;
  const shown = loader.shown.value;
  if (!loading) return null;
  if (shown?.partial && shown.picture.read && wait !== "lost") {
    const { chunks_read: read, chunks_total: total } = shown.picture.read;
    return (
      <div class="nzx-stage-note nzx-wait">
        {grouped(read)} of {plural(total, "chunk")}…
      </div>
    );
  }
  if (wait === "lost") {
    return (
      <div class="nzx-stage-note">
        <Problem onRetry={() => loader.retry()}>No answer from the kernel.</Problem>
      </div>
    );
  }
  const text = { waiting: "Reading…", slow: "The kernel is busy; waiting…", working: "Still reading…" }[wait];
  return <div class={`nzx-stage-note nzx-wait ${wait === "waiting" ? "" : "nzx-is-warning"}`}>{text}</div>;
}

interface StageProps {
  shown: Shown;
  scene: Scene | null;
  size: Size;
}

function Stage({ shown, scene, size }: StageProps) {
  const { session, inks } = useView();
  const { picture } = shown;
  const options = session.options.value;
  const colormaps = session.colormaps.value;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [frame, setFrame] = useState<Frame | null>(null);
  const ink = inks.value;

  // Before the browser paints, not after: what arrived is on screen one frame sooner.
  useLayoutEffect(() => {
    const element = canvas.current;
    if (element === null || scene === null) return;
    const ratio = globalThis.devicePixelRatio || 1;
    const style = getComputedStyle(element);
    const font = `11px ${style.fontFamily || "sans-serif"}`;
    const context = element.getContext("2d");
    if (context) context.font = font;
    const measure = (text: string) => context?.measureText(text).width ?? text.length * 6;
    const next = frameOf(scene, size.width, size.height, measure);
    setFrame((before) => (JSON.stringify(before) === JSON.stringify(next) ? before : next));
    const [w, h] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
    if (element.width !== w) element.width = w;
    if (element.height !== h) element.height = h;
    if (context === null || ink === null) return;
    const lut = lutOf(colorTable(colormaps, options.colormap) ?? GREYS);
    const paper: Paper = { context, ratio, inks: ink, lut, font, accent: style.color || "steelblue" };
    draw(paper, scene, next, options);
  }, [scene, size.width, size.height, size.round, options, colormaps, ink]);

  if (picture.kind === "scalar") {
    return (
      <div class="nzx-scalar" role="img" aria-label={visible(picture.label)}>
        <strong>{visible(picture.text ?? "")}</strong>
        {picture.units && <Quiet>{visible(picture.units)}</Quiet>}
        {picture.states.map(({ state }) => state !== "value" && <StateChip key={state} state={state} />)}
      </div>
    );
  }
  if (picture.kind === "histogram" && picture.histogram) {
    const packing = options.decoded ? picture.packing : null;
    return (
      <Bars
        histogram={picture.histogram}
        buffers={shown.buffers}
        log={options.log}
        label={picture.label}
        units={packing ? packing.units : picture.units}
        packing={packing}
      />
    );
  }
  if (picture.kind === "text") return <Text shown={shown} />;
  if (scene === null) {
    if (picture.kind === "none" && picture.message) return null;
    return <p class="nzx-note nzx-pad">{visible(picture.label || "There is no picture of this.")}</p>;
  }
  return (
    <>
      <canvas
        ref={canvas}
        class="nzx-canvas"
        role="img"
        aria-label={visible(picture.label)}
        style={{ width: px(size.width), height: px(size.height) }}
      />
      {frame && <Hover scene={scene} frame={frame} stage={size} canvas={canvas} />}
    </>
  );
}

/** Values that are no numbers: a table along their dimension, or one text. */
function Text({ shown: { picture, buffers } }: { shown: Shown }) {
  // Rows run along the first of two dimensions.
  const x = picture.y ?? picture.x;
  if (x === null) {
    return (
      // It scrolls.
      <pre class="nzx-text" role="img" aria-label={visible(picture.label)} tabIndex={0}>
        {visibleLines(picture.text ?? "")}
      </pre>
    );
  }
  const along = new AxisGeometry(x, axisNumbers(x, buffers), false);
  const named = x.kind !== "index";
  return (
    <div class="nzx-text" tabIndex={0}>
      <table class="nzx-table" aria-label={visible(picture.label)}>
        <thead>
          <tr>
            <th scope="col">index</th>
            {named && <th scope="col">{visible(x.label)}</th>}
            <th scope="col">{visible(picture.title)}</th>
          </tr>
        </thead>
        <tbody>
          {lines(picture.text ?? "").map((line, at) => {
            const { index, coordinate } = along.describe(at);
            return (
              <tr key={index}>
                <td class="nzx-number nzx-quiet">{index}</td>
                {named && <td>{visible(coordinate ?? "")}</td>}
                <td class="nzx-cell">{visible(line.replace(/^ *\d+ {2}/, ""))}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

interface HoverProps {
  scene: Scene;
  frame: Frame;
  stage: { width: number; height: number };
  canvas: { current: HTMLCanvasElement | null };
}

type Point = { x: number; y: number };

/** The crosshair, what lies under it, and the part to be drawn larger; moved by pointer or keys. */
function Hover({ scene, frame, stage, canvas }: HoverProps) {
  const { session } = useView();
  const focus = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<(Point & { keyed: boolean }) | null>(null);
  const [band, setBand] = useState<readonly [Point, Point] | null>(null);
  const { left, top, width, height } = frame;
  const { nx, ny } = scene.field;
  const line = !scene.flat;
  const zoom = (by: number, around: Point) =>
    session.setOptions({ window: windowAround(scene, session.options.peek().window, around, by) }, 60);
  const reset = () => session.setOptions({ window: {} });
  // The picture itself is pointed at; what takes the focus lies over it and lets the pointer through.
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return;
    const ratio = globalThis.devicePixelRatio || 1;
    let from: Point | null = null;
    let drawn: readonly [Point, Point] | null = null;
    const draws = (next: typeof drawn) => {
      drawn = next;
      setBand(next);
    };
    const place = (event: MouseEvent): Point => {
      const box = element.getBoundingClientRect();
      return {
        x: (event.clientX - box.left - left) / width,
        y: (event.clientY - box.top - top) / height,
      };
    };
    const inside = ({ x, y }: Point) => x >= 0 && x < 1 && y >= 0 && y < 1;
    const cell = (point: Point) =>
      inside(point) ? cellAt(scene, point, Math.round(width * ratio), Math.round(height * ratio)) : null;
    const point = (event: PointerEvent) => {
      const here = place(event);
      if (from) {
        const [x, y] = [Math.max(0, Math.min(1, here.x)), Math.max(0, Math.min(1, here.y))];
        const moved = Math.max(Math.abs(x - from.x) * width, line ? 0 : Math.abs(y - from.y) * height) > 5;
        draws(moved ? [from, { x, y }] : null);
      }
      const found = cell(here);
      setAt((before) => (found ? { ...found, keyed: false } : before?.keyed ? before : null));
    };
    const leave = () => setAt((before) => (before?.keyed ? before : null));
    const press = (event: PointerEvent) => {
      focus.current?.focus({ preventScroll: true });
      const here = place(event);
      if (event.button !== 0 || event.pointerType === "touch" || !inside(here)) return;
      from = here;
      element.setPointerCapture?.(event.pointerId);
    };
    const release = () => {
      const window = drawn && windowOf(scene, drawn[0], drawn[1], width * ratio, height * ratio);
      if (window) session.setOptions({ window });
      drop();
    };
    const drop = () => {
      from = null;
      draws(null);
    };
    const wheel = (event: WheelEvent) => {
      const here = place(event);
      if (!(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)) return;
      const found = cell(here);
      if (!found) return;
      event.preventDefault();
      zoom((event.deltaY || event.deltaX) < 0 ? 0.7 : 1 / 0.7, found);
    };
    const stop = new AbortController();
    const on = <K extends keyof HTMLElementEventMap>(
      type: K,
      listener: (event: HTMLElementEventMap[K]) => void,
    ) => element.addEventListener(type, listener, { signal: stop.signal, passive: false });
    on("pointermove", point);
    on("pointerleave", leave);
    on("pointerdown", press);
    on("pointerup", release);
    on("pointercancel", drop);
    on("wheel", wheel);
    on("dblclick", reset);
    return () => stop.abort();
  }, [canvas, scene, left, top, width, height, line]);
  const key = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const far = event.shiftKey ? 10 : 1;
    const right = scene.grid.x.center(nx - 1) >= scene.grid.x.center(0) ? far : -far;
    const down = scene.grid.y.center(ny - 1) >= scene.grid.y.center(0) ? far : -far;
    const steps: Record<string, [number, number]> = {
      ArrowRight: [right, 0],
      ArrowLeft: [-right, 0],
      ArrowDown: [0, down],
      ArrowUp: [0, -down],
    };
    const step = steps[event.key];
    const from = at ?? { x: Math.floor(nx / 2), y: Math.floor(ny / 2) };
    const by = { "+": 0.5, "=": 0.5, "-": 2, "0": 0 }[event.key];
    if (event.key === "Escape") at ? setAt(null) : reset();
    if (by !== undefined) {
      event.preventDefault();
      if (by === 0) reset();
      else zoom(by, from);
    }
    if (step === undefined || (line && step[0] === 0)) return;
    event.preventDefault();
    const clamp = (value: number, size: number) => Math.max(0, Math.min(size - 1, value));
    setAt({ x: clamp(from.x + step[0], nx), y: clamp(from.y + step[1], ny), keyed: true });
  };
  const here = at !== null && at.x < nx && at.y < ny ? at : null;
  const middle = here ? centerOf(scene, here) : { x: 0, y: 0 };
  const atX = left + middle.x * width;
  const atY = line ? 0 : top + middle.y * height;
  const box = band && extent(band, line);
  return (
    <>
      {/* The readout below speaks */}
      <div
        class="nzx-hover"
        role="application"
        aria-label="Values: arrow keys move the crosshair, + and - zoom, 0 shows all"
        tabIndex={0}
        style={{ left: px(left), top: px(top), width: px(width), height: px(height) }}
        ref={focus}
        onKeyDown={key}
        onBlur={() => setAt(null)}
      />
      {box && (
        <span
          class="nzx-band"
          style={{
            left: px(left + box.x0 * width),
            top: px(top + box.y0 * height),
            width: px((box.x1 - box.x0) * width),
            height: px((box.y1 - box.y0) * height),
          }}
        />
      )}
      {here && !box && (
        <>
          <span class="nzx-cross" style={{ left: px(atX), top: px(top), width: px(1), height: px(height) }} />
          {!line && (
            <span
              class="nzx-cross"
              style={{ left: px(left), top: px(atY), width: px(width), height: px(1) }}
            />
          )}
          <Readout scene={scene} x={here.x} y={here.y} atX={atX} atY={line ? top + 12 : atY} stage={stage} />
        </>
      )}
    </>
  );
}

/** The point at a place between 0 and 1; on coordinates the nearest within a few pixels. */
export function cellAt(scene: Scene, { x, y }: Point, width: number, height: number): Point | null {
  const { nx } = scene.field;
  if (!scene.curved) return { x: scene.x.indexAt(x), y: scene.flat ? scene.y.indexAt(y) : 0 };
  const points = scene.points(width, height);
  const [column, row] = [Math.floor(x * width), Math.floor(y * height)];
  for (let reach = 0; reach < 6; reach++) {
    for (let dy = -reach; dy <= reach; dy++) {
      for (let dx = -reach; dx <= reach; dx += Math.abs(dy) === reach ? 1 : 2 * reach || 1) {
        const [cx, cy] = [column + dx, row + dy];
        const at = cx >= 0 && cx < width && cy >= 0 && cy < height ? points[cy * width + cx] : -1;
        if (at !== undefined && at >= 0) return { x: at % nx, y: Math.floor(at / nx) };
      }
    }
  }
  return null;
}

/** Where the middle of a point is drawn, between 0 and 1. */
function centerOf(scene: Scene, { x, y }: Point): Point {
  const { curved } = scene;
  if (!curved) return { x: scene.x.center(x), y: scene.y.center(y) };
  const at = y * scene.field.nx + x;
  const part = (axis: 0 | 1, value = 0) =>
    (value - curved.low[axis]) / (curved.high[axis] - curved.low[axis]);
  return { x: part(0, curved.x[at]), y: 1 - part(1, curved.y[at]) };
}

/** What is known of one point, as text. */
export function reading(
  scene: Scene,
  x: number,
  y: number,
): { rows: [string, string][]; value: string; state: CellState } {
  const { picture, field, states, curved } = scene;
  const at = y * field.nx + x;
  const rows: [string, string][] = [];
  if (curved) {
    for (const [axis, values] of [
      [picture.y, curved.y],
      [picture.x, curved.x],
    ] as const)
      rows.push([axis?.label ?? "", `${Number((values[at] ?? 0).toPrecision(7))} ${axis?.units ?? ""}`]);
  }
  for (const [geometry, index] of [
    [scene.grid.y, y],
    [scene.grid.x, x],
  ] as const) {
    const { axis } = geometry;
    if (axis === null || (geometry === scene.grid.y && !scene.flat)) continue;
    const { index: number, coordinate } = geometry.describe(index);
    rows.push([axis.label, coordinate === null ? `[${number}]` : `${coordinate}  [${number}]`]);
  }
  for (const slider of picture.sliders) {
    rows.push([
      slider.dimension,
      slider.label === String(slider.index) ? `[${slider.index}]` : `${slider.label}  [${slider.index}]`,
    ]);
  }
  const state = STATES[states[at] ?? 0] ?? "value";
  if (state === "absent" || state === "unreadable" || state === "unread") return { rows, value: "", state };
  const number = field.values[at] ?? Number.NaN;
  if (scene.image) {
    const color = scene.image[at] ?? 0;
    const bands = [0, 8, 16, 24].map((shift) => (color >>> shift) & 255);
    if (bands[3] === 255) bands.pop();
    return { rows, value: `${bands.length === 4 ? "RGBA" : "RGB"} ${bands.join(", ")}`, state };
  }
  const { stored } = field;
  if (stored) {
    const raw = stored[at] ?? Number.NaN;
    rows.push(["stored", shortest(raw, stored instanceof Float32Array ? "float32" : "float64")]);
    return { rows, value: shortest(Number(number.toPrecision(9)), "float64"), state };
  }
  const value = shortest(number, field.type);
  const category = picture.categories.find((one) => one.value === number);
  if (category && category.label !== value) {
    rows.push(["stored", value]);
    return { rows, value: category.label, state };
  }
  return { rows, value, state };
}

interface ReadoutProps {
  scene: Scene;
  x: number;
  y: number;
  atX: number;
  atY: number;
  stage: { width: number; height: number };
}

function Readout({ scene, x, y, atX, atY, stage }: ReadoutProps) {
  const { rows, value, state } = reading(scene, x, y);
  const units = scene.picture.units;
  const place = {
    ...(atX > stage.width / 2 ? { right: px(stage.width - atX + 12) } : { left: px(atX + 12) }),
    ...(atY > stage.height / 2 ? { bottom: px(stage.height - atY + 12) } : { top: px(atY + 12) }),
  };
  return (
    <div class="nzx-readout" style={place} aria-live="polite">
      <div class="nzx-readout-value">
        {value !== "" && (
          <>
            <strong>{visible(value)}</strong> {units && state === "value" && visible(units)}
          </>
        )}
        {state !== "value" && <StateChip state={state} />}
      </div>
      <table>
        <tbody>
          {rows.map(([name, text]) => (
            <tr key={name}>
              <th scope="row">{visible(name)}</th>
              <td>{visible(text)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function StateChip({
  state,
  count,
  detail,
}: {
  state: CellState;
  count?: number;
  detail?: string | null;
}) {
  return (
    <span class="nzx-state" data-state={state}>
      {state !== "value" && <Swatch state={state} />}
      <span>
        {STATE_NAMES[state]}
        {detail ? ` ${visible(detail)}` : ""}
      </span>
      {count !== undefined && <Quiet>{grouped(count)}</Quiet>}
    </span>
  );
}

function Swatch({ state }: { state: CellState }) {
  const { inks } = useView();
  const ref = useRef<HTMLCanvasElement>(null);
  const ink = inks.value;
  useEffect(() => {
    const ratio = Math.max(1, Math.round(globalThis.devicePixelRatio || 1));
    const context = ref.current?.getContext("2d");
    if (!context || ink === null || ref.current === null) return;
    const [width, height] = [18 * ratio, 12 * ratio];
    ref.current.width = width;
    ref.current.height = height;
    const image = context.createImageData(width, height);
    paintSwatch(new Uint32Array(image.data.buffer), width, tilesOf(ink, ratio), state);
    context.putImageData(image, 0, 0);
  }, [state, ink]);
  return <canvas class="nzx-swatch" ref={ref} />;
}

/** Colours, limits and mask: all done here, without asking the kernel. */
function Controls({
  picture,
  scene,
  zoomed,
}: {
  picture: PictureResult;
  scene: Scene | null;
  zoomed: boolean;
}) {
  const { session } = useView();
  const options = session.options.value;
  const colormaps = session.colormaps.value;
  const names = colormaps?.names ?? [];
  const current = names.includes(options.colormap) ? options.colormap : (names[0] ?? "");
  const auto = options.low === null && options.high === null;
  const { kind, kinds, parts, packing, categories } = picture;
  const numbers = scene !== null && scene.image === null;
  const colored = numbers && kind === "map" && categories.length === 0;
  const cf = packing !== null || picture.valid_low !== null || picture.valid_high !== null;
  const middle = { x: Math.floor((scene?.field.nx ?? 0) / 2), y: Math.floor((scene?.field.ny ?? 0) / 2) };
  const check = (label: string, name: "decoded" | "curvilinear" | "log" | "grid", title?: string) => (
    <label class="nzx-check" title={title}>
      <input
        type="checkbox"
        checked={options[name]}
        onChange={(event) =>
          session.setOptions({
            [name]: event.currentTarget.checked,
            // Limits were of the other numbers.
            ...(name === "decoded" && { low: null, high: null }),
          })
        }
      />{" "}
      {label}
    </label>
  );
  const zoom = (by: number) =>
    scene && session.setOptions({ window: windowAround(scene, options.window, middle, by) });
  if (scene === null && kind !== "histogram" && kinds.length < 2 && parts.length < 2) return null;
  return (
    <div class="nzx-toolbar nzx-plot-tools">
      {scene && (
        <Choice
          label="Mask"
          value={options.mask}
          options={MASKS}
          onChange={(mask) => session.setOptions({ mask })}
        />
      )}
      {kinds.length > 1 && (
        <Select
          label="Kind"
          value={kind}
          names={kinds}
          onChange={(next) => session.setOptions({ kind: next })}
        />
      )}
      {parts.length > 1 && (
        <Select
          label="Part"
          value={picture.part ?? ""}
          names={parts}
          onChange={(part) => session.setOptions({ part, low: null, high: null })}
        />
      )}
      {colored && (
        <Select
          label="Colormap"
          value={current}
          names={names}
          onChange={(colormap) => session.setOptions({ colormap })}
        />
      )}
      {numbers && (colored || kind === "line") && (
        <>
          <Limit
            label="Low"
            value={options.low}
            auto={scene.norm?.low ?? null}
            onChange={(low) => session.setOptions({ low }, 80)}
          />
          <Limit
            label="High"
            value={options.high}
            auto={scene.norm?.high ?? null}
            onChange={(high) => session.setOptions({ high }, 80)}
          />
          <Button
            disabled={auto}
            title="Limits as the data give them"
            onClick={() => session.setOptions({ low: null, high: null })}
          >
            Auto
          </Button>
        </>
      )}
      {cf &&
        check(
          "CF decoded",
          "decoded",
          packing ? visible(packing.text) : "Masks what is outside of valid_range",
        )}
      {picture.curvilinear && check("on coordinates", "curvilinear")}
      {(colored || kind === "line" || kind === "histogram") && check("log", "log")}
      {scene && check("grid", "grid")}
      {scene && (
        <span class="nzx-zoom">
          <Button aria-label="Zoom in" title="Zoom in: drag, + or Ctrl+wheel" onClick={() => zoom(0.5)}>
            +
          </Button>
          <Button aria-label="Zoom out" disabled={!zoomed} onClick={() => zoom(2)}>
            −
          </Button>
          {zoomed && <Button onClick={() => session.setOptions({ window: {} })}>Reset zoom</Button>}
        </span>
      )}
    </div>
  );
}

interface SelectProps {
  label: string;
  value: string;
  names: readonly string[];
  onChange: (value: string) => void;
}

export function Select({ label, value, names, onChange }: SelectProps) {
  return (
    <label class="nzx-field">
      <select
        aria-label={label}
        title={label}
        value={value}
        disabled={names.length === 0}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {names.length === 0 && <option value="">…</option>}
        {names.map((name) => (
          <option key={name} value={name}>
            {visible(name)}
          </option>
        ))}
      </select>
    </label>
  );
}

interface LimitProps {
  label: string;
  value: number | null;
  auto: number | null;
  onChange: (value: number | null) => void;
}

function Limit({ label, value, auto, onChange }: LimitProps) {
  const [text, setText] = useState<string | null>(null);
  const shown = text ?? (value === null ? "" : String(value));
  const bad = text !== null && text.trim() !== "" && !Number.isFinite(Number(text));
  const commit = () => {
    if (text === null) return;
    if (text.trim() === "") onChange(null);
    else if (Number.isFinite(Number(text))) onChange(Number(text));
    setText(null);
  };
  return (
    <label class="nzx-field">
      <span>{label}</span>
      <input
        type="text"
        inputMode="decimal"
        aria-label={label}
        aria-invalid={bad}
        size={8}
        placeholder={auto === null ? "" : compact(auto)}
        value={shown}
        onInput={(event) => setText(event.currentTarget.value)}
        onChange={commit}
        onBlur={commit}
        onKeyDown={(event) => {
          if (event.key === "Enter") commit();
          if (event.key === "Escape") setText(null);
        }}
      />
    </label>
  );
}

interface SlidersProps {
  sliders: readonly Slider[];
  index: Record<string, number>;
  onIndex: (dimension: string, to: number) => void;
  loading: boolean;
  row: NodeRow;
}

function Sliders({ sliders, index, onIndex, loading }: SlidersProps) {
  const [playing, setPlaying] = useState<string | null>(null);
  const live = useRef({ sliders, index, loading });
  live.current = { sliders, index, loading };

  // The next step only when the last has been drawn.
  useEffect(() => {
    if (playing === null) return;
    const timer = setInterval(() => {
      const now = live.current;
      const slider = now.sliders.find(({ dimension }) => dimension === playing);
      if (slider === undefined || now.loading) return;
      onIndex(playing, (at(slider, now.index) + 1) % slider.length);
    }, 220);
    return () => clearInterval(timer);
  }, [playing, onIndex]);

  const movable = sliders.filter(({ length }) => length > 1);
  if (movable.length === 0) return null;
  return (
    <div class="nzx-sliders">
      {movable.map((slider) => {
        const { dimension, length } = slider;
        const now = at(slider, index);
        const label = now === slider.index ? slider.label : `[${now}]`;
        const text = `${visible(label)}${slider.units && now === slider.index ? ` ${visible(slider.units)}` : ""}`;
        return (
          <div class="nzx-slider" key={dimension}>
            <span class="nzx-slider-name" title={visible(dimension)}>
              {visible(dimension)}
            </span>
            <IconButton
              icon="previous"
              label={`Previous ${visible(dimension)}`}
              disabled={now <= 0}
              onClick={() => onIndex(dimension, now - 1)}
            />
            <input
              type="range"
              min={0}
              max={length - 1}
              step={1}
              value={now}
              aria-label={visible(dimension)}
              aria-valuetext={`${text}, ${now + 1} of ${length}`}
              onInput={(event) => {
                setPlaying(null);
                onIndex(dimension, Number(event.currentTarget.value));
              }}
            />
            <IconButton
              icon="next"
              label={`Next ${visible(dimension)}`}
              disabled={now >= length - 1}
              onClick={() => onIndex(dimension, now + 1)}
            />
            <IconButton
              icon={playing === dimension ? "pause" : "play"}
              label={`${playing === dimension ? "Stop" : "Play"} ${visible(dimension)}`}
              pressed={playing === dimension}
              onClick={() => setPlaying(playing === dimension ? null : dimension)}
            />
            <output class="nzx-slider-label" title={text}>
              {text}
            </output>
            <span class="nzx-quiet nzx-slider-count">
              {grouped(now)}/{grouped(length)}
            </span>
          </div>
        );
      })}
    </div>
  );
}

/** Where a slider stands: as set, else as the picture has it. */
function at(slider: Slider, index: Record<string, number>): number {
  const set = index[slider.dimension];
  if (set === undefined) return slider.index;
  return set < 0 ? set + slider.length : Math.min(set, slider.length - 1);
}

/** What was read for a picture, in a line. */
export function costOf({ x, y }: PictureResult, read: ReadFacts): string {
  const { chunks_read: some, chunks_total: all, decoded_bytes: size } = read;
  // Of lines the extremes are shown, which the kernel says itself.
  const step = y ? y.step * (x?.step ?? 1) : 1;
  const parts = [
    `${some === all ? "" : `${grouped(some)} of `}${plural(all, "chunk")} read`,
    size > 0 ? `${bytes(size)} decoded` : some > 0 && "from memory",
    step > 1 && `1 point in ${grouped(step)} shown`,
    !read.complete && "some left out",
  ];
  return parts.filter(Boolean).join(" · ");
}

interface FootProps {
  picture: PictureResult;
  scene: Scene | null;
  whole: boolean;
  onWhole: () => void;
  loading: boolean;
  children: ComponentChildren;
}

/** The legend of states, and what was read for the picture. */
function Foot({ picture, scene, whole, onWhole, loading, children }: FootProps) {
  const { session } = useView();
  const options = session.options.value;
  const states = useMemo(
    () =>
      scene
        ? countStates(scene.states)
        : picture.states.filter(({ count, state }) => count > 0 && state !== "storage_fill"),
    [scene, picture],
  );
  const { read, errors } = picture;
  const fills: Partial<Record<CellState, string | null>> = {
    fill: picture.fill,
    storage_fill: picture.storage_fill,
  };
  return (
    <div class="nzx-foot">
      {scene && picture.categories.length > 0 && <Categories scene={scene} />}
      {states.length > 0 && (
        <div class="nzx-legend" role="group" aria-label="Legend">
          {states.map(({ state, count }) => (
            <StateChip key={state} state={state} count={count} detail={fills[state]} />
          ))}
          {picture.fill !== null &&
            options.mask === "nz" &&
            !states.some(({ state }) => state === "fill") && (
              <Quiet>_FillValue {visible(picture.fill)}</Quiet>
            )}
          {options.mask === "differences" && scene && !scene.states.some((state) => state >= ONLY_NZ) && (
            <Quiet>NZ and storage fill mask the same cells here</Quiet>
          )}
        </div>
      )}
      <div class="nzx-read">
        {read && (
          <span class="nzx-quiet" title={visible(read.note)}>
            {costOf(picture, read)}
          </span>
        )}
        {read && (read.decimated || !read.complete) && !whole && (
          <Button
            disabled={loading}
            title={`Decodes ${bytes(read.whole_bytes)}, ${bytes(read.decoded_bytes)} so far`}
            onClick={onWhole}
          >
            Read everything ({bytes(read.whole_bytes)})
          </Button>
        )}
        <span class="nzx-gap" />
        {children}
      </div>
      <ChunkErrors errors={errors} />
    </div>
  );
}

export function ChunkErrors({ errors }: { errors: readonly ChunkError[] }) {
  if (errors.length === 0) return null;
  return (
    <details class="nzx-chunk-errors">
      <summary>
        <Icon name="warning" /> {plural(errors.length, "chunk")} could not be read
      </summary>
      <ul>
        {errors.map(({ chunk, message }) => (
          <li key={chunk}>
            <code>{visible(chunk)}</code> {visible(message)}
          </li>
        ))}
      </ul>
    </details>
  );
}

const MOST_CATEGORIES = 40;

/** The colours of values that stand for something. */
function Categories({ scene }: { scene: Scene }) {
  const { inks } = useView();
  const { picture, field, states } = scene;
  const { categories } = picture;
  const counts = useMemo(() => {
    const found = new Uint32Array(256);
    categoryShades(field.stored ?? field.values, categories).forEach((shade, at) => {
      if (states[at] === 0) (found[shade] as number)++;
    });
    return found;
  }, [scene]);
  const chip = (label: string, at: number) => (
    <span key={at} class="nzx-state">
      {scene.flat && (
        <span
          class="nzx-swatch nzx-flat"
          style={{ background: `rgb(${categoryColor(at, inks.value?.dark ?? false)})` }}
        />
      )}
      <span>{visible(label)}</span>
      <Quiet>{grouped(counts[at] ?? 0)}</Quiet>
    </span>
  );
  return (
    <div class="nzx-legend" role="group" aria-label="Categories">
      {categories.slice(0, MOST_CATEGORIES).map(({ label }, at) => chip(label, at))}
      {categories.length > MOST_CATEGORIES && (
        <Quiet>and {grouped(categories.length - MOST_CATEGORIES)} more</Quiet>
      )}
      {(counts[255] ?? 0) > 0 && chip("other values", 255)}
    </div>
  );
}
