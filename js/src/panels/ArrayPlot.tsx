import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { bytes, compact, grouped, plural, px, shortest } from "../format";
import { draw, type Frame, frameOf, type Paper, type Scene, sceneOf } from "../picture/draw";
import { type CellState, countStates, STATE_NAMES, STATES } from "../picture/field";
import { PictureLoader, type Shown } from "../picture/loader";
import { GREYS, lutOf, paintSwatch, tilesOf } from "../picture/paint";
import type { NodeResult, NodeRow, PictureParams, PictureResult, Slider } from "../protocol.gen";
import type { Mask } from "../session";
import { visible, visibleLines } from "../text";
import { type Size, useSize, useView } from "../ui/hooks";
import { Icon } from "../ui/icons";
import { Choice, IconButton, Problem } from "../ui/parts";
import { colorTable } from "./colormap";
import { ownIndex } from "./index-of";

const FALLBACK: Size = { width: 640, height: 360, round: 0 };
const MASKS: readonly { value: Mask; label: string; title: string }[] = [
  { value: "nz", label: "NZ", title: "Missing is what the convention says: _FillValue and its kin" },
  { value: "storage", label: "storage fill", title: "Missing is what equals the fill_value of the storage" },
  { value: "raw", label: "raw", title: "Nothing is masked: numbers as they are stored" },
];

/** The picture of an array and what goes with it. */
export function ArrayPlot({ row, node }: { row: NodeRow; node: NodeResult | null }) {
  const { session } = useView();
  const stage = useRef<HTMLDivElement>(null);
  const size = useSize(stage);
  const loader = useMemo(() => new PictureLoader(session.client), [session]);
  const [whole, setWhole] = useState<string | null>(null);
  const settled = session.settled.value;

  useEffect(() => () => loader.close(), [loader]);
  useEffect(() => session.wantColormaps(), [session]);

  const { width, height } = requested(size.width ? size : FALLBACK);
  const index = ownIndex(row, session.index.value);
  const slice = JSON.stringify([row.path, index]);
  const everything = whole === slice;
  const params: PictureParams = { path: row.path, index, width, height, everything };
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
  const options = session.options.value;
  const scene = useMemo(
    () => (shown ? sceneOf(shown.picture, shown.buffers, options) : null),
    [shown, options],
  );
  const setIndex = (dimension: string, to: number) =>
    session.index.set({ ...session.index.peek(), [dimension]: to }, 80);

  return (
    <div class="nzx-plot">
      {picture && (picture.kind === "map" || picture.kind === "line") && (
        <Controls picture={picture} scene={scene} />
      )}
      {picture?.message && (
        <p class="nzx-note nzx-plot-message">
          <Icon name="info" /> {visible(picture.message)}
        </p>
      )}
      {error && <Problem onRetry={() => loader.retry()}>{visible(error.message)}</Problem>}
      <div class={`nzx-stage ${stale ? "nzx-stale" : ""}`} ref={stage} aria-busy={stale}>
        {shown && (
          <Stage shown={shown} scene={scene} size={size.width ? size : FALLBACK} row={row} node={node} />
        )}
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
        />
      )}
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
  if (!loading) return null;
  if (wait === "lost") {
    return (
      <div class="nzx-stage-note">
        <Problem onRetry={() => loader.retry()}>No answer from the kernel.</Problem>
      </div>
    );
  }
  const text = { waiting: "Reading…", slow: "The kernel is busy; waiting…", working: "Still reading…" }[wait];
  return <div class={`nzx-stage-note nzx-wait ${wait === "waiting" ? "" : "nzx-slow"}`}>{text}</div>;
}

interface StageProps {
  shown: Shown;
  scene: Scene | null;
  size: Size;
  row: NodeRow;
  node: NodeResult | null;
}

function Stage({ shown, scene, size, row, node }: StageProps) {
  const { session, inks } = useView();
  const { picture } = shown;
  const options = session.options.value;
  const colormaps = session.colormaps.value;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [frame, setFrame] = useState<Frame | null>(null);
  const ink = inks.value;
  const chunks = useMemo(() => chunkSides(picture, row, node), [picture, row, node]);

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
    draw(paper, scene, next, options, chunks);
  }, [scene, size.width, size.height, size.round, options, colormaps, ink, chunks]);

  if (picture.kind === "scalar") {
    return (
      <div class="nzx-scalar" role="img" aria-label={visible(picture.label)}>
        <strong>{visible(picture.text ?? "")}</strong>
        {picture.units && <span class="nzx-quiet">{visible(picture.units)}</span>}
        {picture.states.map(({ state }) => state !== "value" && <StateChip key={state} state={state} />)}
      </div>
    );
  }
  if (picture.kind === "text") {
    return (
      // It scrolls.
      <pre class="nzx-text" role="img" aria-label={visible(picture.label)} tabIndex={0}>
        {visibleLines(picture.text ?? "")}
      </pre>
    );
  }
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

/** Chunk sides along the axes of a picture, from the facts about the array. */
export function chunkSides(
  picture: PictureResult,
  row: NodeRow,
  node: NodeResult | null,
): { x: number | null; y: number | null } {
  const fact = node?.facts.find(({ label }) => /^(inner )?chunks?( shape)?$/i.test(label));
  // "60 × 121 × 240, 6.6 MiB each": what follows the comma is not of interest.
  const lengths = fact?.text.split(",")[0] ?? "";
  const sides = lengths.split(/[×x]/).map((part) => Number(part.replace(/\D/g, "")));
  const side = (label: string | undefined, axis: number): number | null => {
    if (row.shape === null || sides.length !== row.shape.length) return null;
    const at = label === undefined ? -1 : (row.dimension_names?.indexOf(label) ?? -1);
    return sides[at >= 0 ? at : axis] || null;
  };
  const rank = row.shape?.length ?? 0;
  return { x: side(picture.x?.label, rank - 1), y: side(picture.y?.label, rank - 2) };
}

interface HoverProps {
  scene: Scene;
  frame: Frame;
  stage: { width: number; height: number };
  canvas: { current: HTMLCanvasElement | null };
}

/** The crosshair and what lies under it; moved by pointer or arrow keys. */
function Hover({ scene, frame, stage, canvas }: HoverProps) {
  const focus = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<{ x: number; y: number; keyed: boolean } | null>(null);
  const { left, top, width, height } = frame;
  const { nx, ny } = scene.field;
  const line = scene.picture.kind === "line";
  // The picture itself is pointed at; what takes the focus lies over it and lets the pointer through.
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return;
    const point = (event: PointerEvent) => {
      const box = element.getBoundingClientRect();
      const x = (event.clientX - box.left - left) / width;
      const y = (event.clientY - box.top - top) / height;
      if (x < 0 || x >= 1 || y < 0 || y >= 1) setAt((before) => (before?.keyed ? before : null));
      else setAt({ x: scene.x.indexAt(x), y: line ? 0 : scene.y.indexAt(y), keyed: false });
    };
    const leave = () => setAt((before) => (before?.keyed ? before : null));
    const press = () => focus.current?.focus({ preventScroll: true });
    element.addEventListener("pointermove", point);
    element.addEventListener("pointerleave", leave);
    element.addEventListener("pointerdown", press);
    return () => {
      element.removeEventListener("pointermove", point);
      element.removeEventListener("pointerleave", leave);
      element.removeEventListener("pointerdown", press);
    };
  }, [canvas, scene, left, top, width, height, line]);
  const key = (event: KeyboardEvent) => {
    const far = event.shiftKey ? 10 : 1;
    const right = scene.x.center(nx - 1) >= scene.x.center(0) ? far : -far;
    const down = scene.y.center(ny - 1) >= scene.y.center(0) ? far : -far;
    const steps: Record<string, [number, number]> = {
      ArrowRight: [right, 0],
      ArrowLeft: [-right, 0],
      ArrowDown: [0, down],
      ArrowUp: [0, -down],
    };
    const step = steps[event.key];
    if (event.key === "Escape") setAt(null);
    if (step === undefined || (line && step[0] === 0)) return;
    event.preventDefault();
    const from = at ?? { x: Math.floor(nx / 2), y: Math.floor(ny / 2) };
    const clamp = (value: number, size: number) => Math.max(0, Math.min(size - 1, value));
    setAt({ x: clamp(from.x + step[0], nx), y: clamp(from.y + step[1], ny), keyed: true });
  };
  const here = at !== null && at.x < nx && at.y < ny ? at : null;
  const atX = here ? left + scene.x.center(here.x) * width : 0;
  const atY = here && !line ? top + scene.y.center(here.y) * height : 0;
  return (
    <>
      {/* The readout below speaks */}
      <div
        class="nzx-hover"
        role="application"
        aria-label="Values: arrow keys move the crosshair"
        tabIndex={0}
        style={{ left: px(left), top: px(top), width: px(width), height: px(height) }}
        ref={focus}
        onKeyDown={key}
        onBlur={() => setAt(null)}
      />
      {here && (
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

/** What is known of one point, as text. */
export function reading(
  scene: Scene,
  x: number,
  y: number,
): { rows: [string, string][]; value: string; state: CellState } {
  const { picture, field, states } = scene;
  const at = y * field.nx + x;
  const rows: [string, string][] = [];
  for (const [axis, geometry, index] of [
    [picture.y, scene.y, y],
    [picture.x, scene.x, x],
  ] as const) {
    if (axis === null || (axis === picture.y && picture.kind === "line")) continue;
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
  const stored =
    state === "absent" || state === "unreadable" || state === "unread"
      ? ""
      : shortest(field.values[at] ?? Number.NaN, field.type);
  return { rows, value: stored, state };
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
            <strong>{value}</strong> {units && state === "value" && visible(units)}
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

function StateChip({ state, count, detail }: { state: CellState; count?: number; detail?: string | null }) {
  return (
    <span class="nzx-state" data-state={state}>
      {state !== "value" && <Swatch state={state} />}
      <span>
        {STATE_NAMES[state]}
        {detail ? ` ${visible(detail)}` : ""}
      </span>
      {count !== undefined && <span class="nzx-quiet">{grouped(count)}</span>}
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
function Controls({ picture, scene }: { picture: PictureResult; scene: Scene | null }) {
  const { session } = useView();
  const options = session.options.value;
  const colormaps = session.colormaps.value;
  const names = colormaps?.names ?? [];
  const current = names.includes(options.colormap) ? options.colormap : (names[0] ?? "");
  const auto = options.low === null && options.high === null;
  return (
    <div class="nzx-toolbar nzx-plot-tools">
      <Choice
        label="Mask"
        value={options.mask}
        options={MASKS}
        onChange={(mask) => session.setOptions({ mask })}
      />
      {picture.kind === "map" && (
        <label class="nzx-field">
          <span class="nzx-hidden">Colormap</span>
          <select
            aria-label="Colormap"
            title="Colormap"
            value={current}
            disabled={names.length === 0}
            onChange={(event) => session.setOptions({ colormap: event.currentTarget.value })}
          >
            {names.length === 0 && <option value="">…</option>}
            {names.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      <Limit
        label="Low"
        value={options.low}
        auto={scene?.norm?.low ?? null}
        onChange={(low) => session.setOptions({ low }, 80)}
      />
      <Limit
        label="High"
        value={options.high}
        auto={scene?.norm?.high ?? null}
        onChange={(high) => session.setOptions({ high }, 80)}
      />
      <button
        type="button"
        class="nzx-button"
        disabled={auto}
        title="Limits as the data give them"
        onClick={() => session.setOptions({ low: null, high: null })}
      >
        Auto
      </button>
      <label class="nzx-check">
        <input
          type="checkbox"
          checked={options.log}
          onChange={(event) => session.setOptions({ log: event.currentTarget.checked })}
        />{" "}
        log
      </label>
      <label class="nzx-check">
        <input
          type="checkbox"
          checked={options.grid}
          onChange={(event) => session.setOptions({ grid: event.currentTarget.checked })}
        />{" "}
        grid
      </label>
    </div>
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

interface FootProps {
  picture: PictureResult;
  scene: Scene | null;
  whole: boolean;
  onWhole: () => void;
  loading: boolean;
}

/** The legend of states, and what was read for the picture. */
function Foot({ picture, scene, whole, onWhole, loading }: FootProps) {
  const { session } = useView();
  const options = session.options.value;
  const states = useMemo(
    () => (scene ? countStates(scene.states) : picture.states.filter(({ count }) => count > 0)),
    [scene, picture],
  );
  const { read, errors } = picture;
  const fills: Partial<Record<CellState, string | null>> = {
    fill: picture.fill,
    storage_fill: picture.storage_fill,
  };
  return (
    <div class="nzx-foot">
      {states.length > 0 && (
        <div class="nzx-legend" role="group" aria-label="Legend">
          {states.map(({ state, count }) => (
            <StateChip key={state} state={state} count={count} detail={fills[state]} />
          ))}
          {picture.fill !== null &&
            options.mask === "nz" &&
            !states.some(({ state }) => state === "fill") && (
              <span class="nzx-quiet">_FillValue {visible(picture.fill)}</span>
            )}
        </div>
      )}
      {read && (
        <div class="nzx-read">
          <span
            class="nzx-quiet"
            title={`${plural(read.chunks_read, "chunk")} of ${grouped(read.chunks_total)}, ${bytes(read.decoded_bytes)} decoded`}
          >
            {visible(read.note)}
          </span>
          {(read.decimated || !read.complete) && !whole && (
            <button type="button" class="nzx-button" disabled={loading} onClick={onWhole}>
              Read everything ({bytes(read.whole_bytes)})
            </button>
          )}
        </div>
      )}
      {errors.length > 0 && (
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
      )}
    </div>
  );
}
