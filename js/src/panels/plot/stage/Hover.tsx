import "../../../plots/shared/readout.css";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Window } from "../../../client/session";
import { useView } from "../../../client/view";
import { degreesAt } from "../../../plots/shared/earth";
import { type CellState, STATES } from "../../../plots/shared/field";
import type { Frame } from "../../../plots/shared/layout";
import { StateChip } from "../../../plots/shared/StateChip";
import type { Scene } from "../../../plots/shared/scene";
import { isMade, valueText } from "../../../plots/shared/value";
import {
  centerOf,
  extent,
  isZoomed,
  type Place as Point,
  pointOnLine,
  windowAround,
  windowMoved,
  windowOf,
} from "../../../plots/shared/zoom";
import { clamp, px, shortest } from "../../../ui/text/format";
import { visible } from "../../../ui/text/text";
import { axesOf, moved, pinnable, pinOf, placeOf, toggled } from "../pins/points";

const inside = ({ x, y }: Point) => x >= 0 && x < 1 && y >= 0 && y < 1;

interface HoverProps {
  scene: Scene;
  frame: Frame;
  stage: { width: number; height: number };
  canvas: { current: HTMLCanvasElement | null };
}

/** The crosshair, what lies under it, and the part to be drawn larger; moved by pointer or keys. */
export function Hover({ scene, frame, stage, canvas }: HoverProps) {
  const { session } = useView();
  const focus = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<(Point & { keyed: boolean }) | null>(null);
  const [band, setBand] = useState<readonly [Point, Point] | null>(null);
  // Where a rectangle begins that keys draw.
  const [corner, setCorner] = useState<Point | null>(null);
  // What the pointer holds: the picture as it was when pressed, which others replace while it is moved.
  const held = useRef<{ from: Point; pans: boolean; moved: boolean; scene: Scene; window: Window } | null>(
    null,
  );
  const lines = useRef<{ from: number; at: Point } | null>(null);
  const { left, top, width, height } = frame;
  const { nx, ny } = scene.field;
  const before = useRef(scene);
  // Of a picture with other points, as after a pin that takes room, the crosshair of the keys stays at its place, if
  // that is in it.
  useLayoutEffect(() => {
    const same = (point: Point) => {
      const to = placeOf(scene, pinOf(before.current, point));
      // What lies past the edge comes into view with the part that is on its way.
      const waits = scene.picture.states === before.current.picture.states;
      return to && (waits || inside(centerOf(scene, to))) ? { ...to, keyed: true } : null;
    };
    if (at?.keyed) setAt(same(at));
    setCorner((corner) => corner && same(corner));
    before.current = scene;
  }, [scene]);
  const { grid } = scene;
  const zoom = (by: number, around: Point) =>
    session.setOptions({ window: windowAround(scene, session.options.peek().window, around, by) }, 60);
  const zoomTo = (from: Point, to: Point) =>
    session.setOptions({ window: windowOf(scene, from, to, session.options.peek().window) });
  const reset = () => session.setOptions({ window: {} });
  const pin = (point: Point) => {
    if (pinnable(scene)) session.pins.set(toggled(session.pins.peek(), pinOf(scene, point)));
  };
  const cell = (point: Point) => {
    const ratio = globalThis.devicePixelRatio || 1;
    return inside(point) ? cellAt(scene, point, Math.round(width * ratio), Math.round(height * ratio)) : null;
  };
  // Cells in any order have no neighbours by number: the next one in the picture, pixel by pixel, that is further on, along
  // the line that the first step was on.
  const unordered = scene.curved && ny < 2;
  const beside = (from: Point, [right, down]: readonly [number, number]): Point => {
    const [middle, line] = [centerOf(scene, from), lines.current];
    const kept = line?.from === from.x ? line.at : middle;
    const at = right ? { x: middle.x, y: kept.y } : { x: kept.x, y: middle.y };
    for (let far = 1; far < width; far++) {
      const found = cell({ x: at.x + (right * far) / width, y: at.y + (down * far) / height });
      const to = found && centerOf(scene, found);
      if (to && right * (to.x - at.x) + down * (to.y - at.y) > 0) {
        lines.current = { from: found.x, at: right ? { x: to.x, y: at.y } : { x: at.x, y: to.y } };
        return found;
      }
    }
    return from;
  };
  // The picture itself is pointed at; what takes the focus lies over it and lets the pointer through.
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const place = (event: MouseEvent): Point => {
      const box = element.getBoundingClientRect();
      return {
        x: (event.clientX - box.left - left) / width,
        y: (event.clientY - box.top - top) / height,
      };
    };
    const point = (event: PointerEvent) => {
      const here = place(event);
      const hold = held.current;
      if (hold) {
        const { from, pans } = hold;
        const to = { x: clamp(here.x), y: clamp(here.y) };
        const far = (side: "x" | "y", long: number) =>
          scene[side].axis ? Math.abs(to[side] - from[side]) * long : 0;
        hold.moved ||= Math.max(far("x", width), far("y", height)) > 5;
        if (!hold.moved) return;
        if (pans) session.setOptions({ window: windowMoved(hold.scene, hold.window, from, to) }, 30);
        else setBand([from, to]);
        return setAt(null);
      }
      const found = cell(here);
      setAt((before) => {
        if (!found) return before?.keyed ? before : null;
        const there = before?.x === found.x && before.y === found.y && !before.keyed;
        return there ? before : { ...found, keyed: false };
      });
    };
    const leave = () => setAt((before) => (before?.keyed ? before : null));
    const press = (event: PointerEvent) => {
      focus.current?.focus({ preventScroll: true });
      const here = place(event);
      if (event.button !== 0 || event.pointerType === "touch" || !inside(here)) return;
      const { window } = session.options.peek();
      // Of a whole picture there is nothing more to be seen by moving it.
      const pans = !event.shiftKey && isZoomed(scene, window);
      held.current = { from: here, pans, moved: false, scene, window };
      element.setPointerCapture?.(event.pointerId);
    };
    const release = (event: PointerEvent) => {
      const hold = held.current;
      const here = place(event);
      const found = hold && !hold.moved ? cell(here) : null;
      if (found) pin(found);
      if (hold?.moved && !hold.pans) zoomTo(hold.from, { x: clamp(here.x), y: clamp(here.y) });
      drop();
    };
    const drop = () => {
      held.current = null;
      setBand(null);
    };
    const wheel = (event: WheelEvent) => {
      const held = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
      const found = held && cell(place(event));
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
  }, [canvas, scene, left, top, width, height]);
  const key = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey) return;
    const far = event.shiftKey ? 10 : 1;
    const right = scene.grid.x.center(nx - 1) >= scene.grid.x.center(0) ? far : -far;
    const down = scene.grid.y.center(ny - 1) >= scene.grid.y.center(0) ? far : -far;
    const ways: Record<string, [number, number]> = {
      ArrowRight: [1, 0],
      ArrowLeft: [-1, 0],
      ArrowDown: [0, 1],
      ArrowUp: [0, -1],
    };
    const way = ways[event.key];
    // Along profiles one goes up and down.
    const step =
      way && (scene.y === grid.x ? [way[1] * right, way[0] * down] : [way[0] * right, way[1] * down]);
    if (event.altKey && !step) return;
    const from = at ?? (unordered ? cell({ x: 0.5, y: 0.5 }) : null) ?? { x: nx >> 1, y: ny >> 1 };
    const by = { "+": 0.5, "=": 0.5, "-": 2, "0": 0 }[event.key];
    if (event.key === "Enter" && at) {
      if (corner) zoomTo(centerOf(scene, corner), centerOf(scene, at));
      else pin(at);
    }
    if (event.key === "Escape") corner || at ? setAt(null) : reset();
    // A rectangle ends with either of them.
    if (/^(Enter|Escape)$/.test(event.key)) setCorner(null);
    if (event.key === "b") {
      setAt({ ...from, keyed: true });
      setCorner(from);
    }
    if (by !== undefined) {
      event.preventDefault();
      if (by) zoom(by, from);
      else reset();
    }
    if (!way || !step) return;
    event.preventDefault();
    let [x, y] = [from.x + (step[0] as number), from.y + (step[1] as number)];
    if (unordered) {
      ({ x, y } = from);
      for (let count = 0; count < far; count++) ({ x, y } = beside({ x, y }, way));
    }
    const to = { x: clamp(x, nx - 1), y: clamp(y, ny - 1), keyed: true };
    // Past the edge of a part the part goes along.
    const { window } = session.options.peek();
    const stays = x === from.x && y === from.y;
    if ((stays || x !== to.x || y !== to.y || !inside(centerOf(scene, to))) && isZoomed(scene, window)) {
      const next = { x: 0.5 - way[0] / 4, y: 0.5 - way[1] / 4 };
      session.setOptions({ window: windowMoved(scene, window, { x: 0.5, y: 0.5 }, next) }, 60);
    }
    // With Alt a pin that is there comes along.
    if (event.altKey) session.pins.set(moved(session.pins.peek(), pinOf(scene, from), pinOf(scene, to)));
    setAt(to);
  };
  const there = at !== null && at.x < nx && at.y < ny ? at : null;
  const middle = there ? centerOf(scene, there) : { x: 0, y: 0 };
  const here = inside(middle) ? there : null;
  const atX = left + middle.x * width;
  const atY = top + middle.y * height;
  const drawn = band ?? (here && corner && ([centerOf(scene, corner), middle] as const));
  const box = drawn && extent(drawn, scene);
  return (
    <>
      {/* The readout below speaks */}
      <div
        class="nzx-hover"
        role="application"
        aria-label="Values: arrows move the crosshair, with Alt the pin, Enter pins, B begins a box, +, -, 0 zoom"
        tabIndex={0}
        style={rectangle(left, top, width, height)}
        ref={focus}
        onKeyDown={key}
        onBlur={() => setAt(null)}
      />
      {box && (
        <span
          class="nzx-band"
          style={rectangle(
            left + box.x[0] * width,
            top + box.y[0] * height,
            (box.x[1] - box.x[0]) * width,
            (box.y[1] - box.y[0]) * height,
          )}
        />
      )}
      {here && !band && (
        <>
          <span class="nzx-cross" style={rectangle(atX, top, 1, height)} />
          <span class="nzx-cross" style={rectangle(left, atY, width, 1)} />
          <Readout scene={scene} x={here.x} y={here.y} atX={atX} atY={atY} stage={stage} />
        </>
      )}
    </>
  );
}

/** The style of what stands at a place of the stage, in pixels. */
const rectangle = (left: number, top: number, width: number, height: number) => ({
  left: px(left),
  top: px(top),
  width: px(width),
  height: px(height),
});

/** The point at a place between 0 and 1; on coordinates the nearest within a few pixels. */
export function cellAt(scene: Scene, { x, y }: Point, width: number, height: number): Point | null {
  const { nx } = scene.field;
  if (!scene.look.flat) return pointOnLine(scene, { x, y });
  if (!scene.curved) return { x: scene.x.indexAt(x), y: scene.y.indexAt(y) };
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

/** A coordinate and its index, or the index alone. */
const numbered = (text: string | null, index: number) =>
  text === null || text === `${index}` ? `[${index}]` : `${text}  [${index}]`;

/** What is known of one point, as text. */
export function reading(
  scene: Scene,
  x: number,
  y: number,
): { rows: [string, string][]; value: string; state: CellState } {
  const { picture, field } = scene;
  const at = y * field.nx + x;
  const beside = scene.beside(x, y).filter(([, text]) => text);
  const axes = axesOf(scene).map(([side, { label }]): [string, string] => {
    const { index, coordinate } = scene.grid[side].describe({ x, y }[side]);
    return [label, numbered(coordinate, index)];
  });
  // First where it is drawn.
  const rows = scene.curved ? [...beside, ...axes] : [...axes, ...beside];
  const place = scene.earth?.places && degreesAt(scene.earth.places, x / (field.nx - 1), y / (field.ny - 1));
  if (place) rows.push(["", place]);
  for (const { dimension, method, label, index } of picture.sliders)
    rows.push([dimension, method === null ? numbered(label, index) : label]);
  for (const text of picture.aside) rows.push(text.split(/ (.*)/) as [string, string]);
  const state = STATES[scene.states[at] ?? 0] ?? "value";
  if (/^(absent|unread)/.test(state)) return { rows, value: "", state };
  const date = picture.dates[at];
  if (date) rows.push(["date", date]);
  const value = valueText(scene, at);
  const numbers = field.stored ?? field.values;
  const number = numbers[at] as number;
  const stored = shortest(number, numbers instanceof Float32Array ? "float32" : "float64");
  if (!scene.image && !isMade(scene, number) && stored !== value) rows.push(["stored", stored]);
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
  const { name, units } = scene.picture;
  const { width, height } = stage;
  // Above or below the pointer; where that is all the room there is, also across it.
  const place = {
    [atX > width / 2 ? "right" : "left"]: px(12 + Math.max(-12, Math.min(atX, width - atX, width - 312))),
    [atY > height / 2 ? "bottom" : "top"]: px(
      12 + Math.max(-12, Math.min(atY, height - atY, height - 76 - 16 * rows.length)),
    ),
  };
  return (
    <div class="nzx-readout" style={place} aria-live="polite">
      {visible(name)}
      <div class="nzx-readout-value">
        {value && <strong>{visible(value)}</strong>} {value && units && state === "value" && visible(units)}
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
