import { useEffect, useRef, useState } from "preact/hooks";
import { useCall } from "../../../client/calls";
import type { NodeRow, PictureResult } from "../../../client/protocol.gen";
import type { Against, Limits, Mask, Pace, PictureOptions, Scale } from "../../../client/session";
import { useView } from "../../../client/view";
import { kindOf, titleOf } from "../../../plots";
import type { Control } from "../../../plots/kind";
import { colorTable, gradientOf } from "../../../plots/shared/colormap";
import { masksAsCf, type Norm } from "../../../plots/shared/field";
import type { Scene } from "../../../plots/shared/scene";
import { windowAround } from "../../../plots/shared/zoom";
import { Button, IconButton } from "../../../ui/button/Button";
import { Menu } from "../../../ui/menu/Menu";
import { Select } from "../../../ui/select/Select";
import { visible } from "../../../ui/text/text";
import { Limit } from "../limits/Limit";
import { dated } from "../sliders/Sliders";
import "./toolbar.css";

const MASKS: Record<Mask, string> = {
  nz: "what NZ says",
  storage: "the storage fill_value",
  raw: "nothing, as stored",
  differences: "NZ versus storage",
};
const MASK_NAMES = Object.keys(MASKS);
const maskTitle = (mask: string) => MASKS[mask as Mask];

const LIMITS: Record<Limits, string> = {
  held: "held",
  frame: "each slice",
  whole: "whole array",
  robust: "2–98 %",
};
const LIMIT_NAMES = Object.keys(LIMITS);
export const SCALES = ["linear", "log", "symlog"];
const STEPS = ["one", "month", "year"];
const SPEEDS = ["2", "5", "12", "25"];
const LEVELS = ["continuous", "5", "8", "10", "12", "16", "20"];

/** How the picture is drawn: all but its kind and part is done here, without asking the kernel. */
export function Toolbar({
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
  const { kind, kinds, parts } = picture;
  const controls = kindOf(picture)?.controls(picture) ?? [];
  const has = (control: Control) => (scene !== null || control === "log") && controls.includes(control);
  const middle = { x: (scene?.field.nx ?? 0) >> 1, y: (scene?.field.ny ?? 0) >> 1 };
  const zoom = (by: number) =>
    scene && session.setOptions({ window: windowAround(scene, options.window, middle, by) });
  const movable = picture.sliders.filter(({ length }) => length > 1);
  const { against } = options;
  const minus = Object.keys(against).length > 0;
  // What was stepped last minus where it begins; from there minus its end.
  const steps = movable.filter(({ method }) => method === null);
  const step = steps.find(({ dimension }) => dimension === session.stepped) ?? steps[0];
  const subtract = (against: Against) => session.setOptions({ against, low: null, high: null });
  const bar = useRef<HTMLDivElement>(null);
  /** The button that was pressed is gone: what stands in its place takes the focus. Colours were of other numbers. */
  const swap = (against: Against, next: string) => {
    session.setOptions({ colormap: "", reverse: false });
    subtract(against);
    setTimeout(() => bar.current?.querySelector<HTMLElement>(next)?.focus());
  };
  const { path } = picture;
  const group = path.slice(0, path.lastIndexOf("/")) || "/";
  // Who has no other place may have another array.
  const around = useCall(session.client, "node", minus || !step ? { path: group } : null);
  const others = around.answer ? alike(around.answer.value.arrays, path) : [];
  const begin = (): Against =>
    step ? { [step.dimension]: step.index ? 0 : step.length - 1 } : { path: others[0] as string };
  if (!scene && !minus && controls.length === 0 && kinds.length < 2 && parts.length < 2) return null;
  return (
    <div class="nzx-plot-tools" ref={bar} role="toolbar" aria-label="Picture">
      {kinds.length > 1 && (
        <Select
          label="Kind"
          value={kinds.includes(kind) ? kind : (kinds[0] as string)}
          names={kinds}
          titleOf={titleOf}
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
      {has("colormap") && (
        <span class="nzx-colormap">
          <span
            class="nzx-swatch nzx-flat"
            style={{
              background: gradientOf(
                colorTable(colormaps, options.colormap || picture.colormap, options.reverse),
              ),
            }}
          />
          <Select
            label="Colormap"
            value={options.colormap || picture.colormap}
            names={names}
            onChange={(colormap) => session.setOptions({ colormap })}
          />
        </span>
      )}
      {scene?.norm && has("limits") && <LimitModes norm={zoomed ? null : scene.norm} />}
      {scene && has("limits") && !scene.look.flat && (
        <span class="nzx-colormap">
          <Limit end="low" norm={scene.norm} /> – <Limit end="high" norm={scene.norm} />
        </span>
      )}
      {has("zoom") && (
        <span class="nzx-zoom">
          <IconButton icon="plus" label="Zoom in" onClick={() => zoom(0.5)} />
          <IconButton icon="minus" label="Zoom out" disabled={!zoomed} onClick={() => zoom(2)} />
        </span>
      )}
      {scene?.earth?.coastlines && (
        <IconButton
          icon="globe"
          label="Coastlines"
          pressed={options.coastlines}
          onClick={() => session.setOptions({ coastlines: !options.coastlines })}
        />
      )}
      {minus ? (
        <span class="nzx-zoom">
          <Sides />
          {others[0] && !against.store && (
            <Select
              label="B"
              value={String(against.path ?? path)}
              names={[path, ...others]}
              titleOf={(name) => name.slice(name.lastIndexOf("/") + 1)}
              onChange={(name) => subtract(name === path ? begin() : { path: name })}
            />
          )}
          <IconButton icon="cross" label="No difference" onClick={() => swap({}, "[title^=Sub]")} />
        </span>
      ) : (
        (step || others[0]) && (
          <Button title="Subtract another one" onClick={() => swap(begin(), "[aria-label=Show]")}>
            A − B
          </Button>
        )
      )}
      <span class="nzx-gap" />
      <More {...{ picture, scene, has, movable }} />
    </div>
  );
}

/** The arrays beside one that can be subtracted from it: of its dimensions and units. */
function alike(rows: NodeRow[], path: string): string[] {
  const sort = (row?: NodeRow) => String(row && [row.shape, row.dimension_names, row.units, row.role]);
  const own = sort(rows.find((row) => row.path === path));
  return rows.filter((row) => row.path !== path && sort(row) === own).map((row) => row.path);
}

/** Where limits come from, and whether they stay: those in force; of a part those of the whole that were first there. */
function LimitModes({ norm }: { norm: Norm | null }) {
  const { session } = useView();
  const { limits, low, high } = session.options.value;
  const locked = limits === "held" || limits === "whole" || (low !== null && high !== null);
  const change = (next: Limits) => {
    const { low = null, high = null } = (next === "held" && norm) || {};
    session.setOptions({ limits: next, low, high });
  };
  return (
    <span class="nzx-colormap">
      <Select
        label="Limits"
        value={limits}
        names={LIMIT_NAMES}
        titleOf={(name) => LIMITS[name as Limits]}
        onChange={(name) => change(name as Limits)}
      />
      <IconButton
        icon="lock"
        label="Hold the limits"
        pressed={locked}
        onClick={() => change(locked ? "frame" : "held")}
      />
    </span>
  );
}

const SIDES = ["A − B", "A", "B", "A | B", "A ⇄ B"];
const SHOWN = ["", "a", "b", "both", "a"];

/** Whether a difference is shown or what it is made of: one, the other, both, or both in turn. */
function Sides() {
  const { session } = useView();
  const [turns, setTurns] = useState(false);
  const show = SHOWN.indexOf(String(session.options.value.against.show ?? ""));
  const choose = (show: number) =>
    session.setOptions({
      against: { ...session.options.peek().against, show: SHOWN[show] as string },
      low: null,
      high: null,
    });
  useEffect(() => {
    if (!turns) return;
    const timer = setInterval(() => choose(session.options.peek().against.show === "a" ? 2 : 1), 700);
    return () => clearInterval(timer);
  }, [turns]);
  return (
    <Select
      label="Show"
      value={SIDES[turns ? 4 : show] ?? ""}
      names={SIDES}
      onChange={(name) => {
        setTurns(name === SIDES[4]);
        choose(SIDES.indexOf(name));
      }}
    />
  );
}

/** What is rarely changed. */
function More({
  picture,
  scene,
  has,
  movable,
}: {
  picture: PictureResult;
  scene: Scene | null;
  has: (control: Control) => boolean;
  /** Sliders that go anywhere. */
  movable: PictureResult["sliders"];
}) {
  const { session } = useView();
  const { packing, curvilinear } = picture;
  const decodes = packing || masksAsCf(picture);
  if (!decodes && !has("log") && !has("mask") && movable.length === 0) return null;
  const options = session.options.value;
  const set = (change: Partial<PictureOptions>) => session.setOptions(change);
  const pace = session.pace.value;
  const play = (change: Partial<Pace>) => {
    session.pace.value = { ...pace, ...change };
  };
  const select = (
    label: string,
    value: string,
    names: readonly string[],
    onChange: (name: string) => void,
    titleOf?: (name: string) => string,
  ) => (
    // biome-ignore lint/a11y/noLabelWithoutControl: Select is one
    <label class="nzx-menu-item">
      {label}
      <Select {...{ label, value, names, onChange, titleOf }} />
    </label>
  );
  const check = (label: string, checked: boolean, onChange: (on: boolean) => void, title?: string) => (
    <label class="nzx-menu-item" title={title}>
      <span>
        <input
          type="checkbox"
          checked={checked}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        {label}
      </span>
    </label>
  );
  return (
    <Menu label="More" icon="more" kind="group">
      {() => (
        <>
          {has("log") &&
            select(
              "Scale",
              options.scale,
              picture.kind === "histogram" ? SCALES.slice(0, 2) : SCALES,
              (name) => set({ scale: name as Scale }),
            )}
          {has("colormap") && (
            <>
              {select("Levels", String(options.levels ?? LEVELS[0]), LEVELS, (name) =>
                set({ levels: Number(name) || null }),
              )}
              {check("Reverse the colours", options.reverse, (reverse) => set({ reverse }))}
            </>
          )}
          {has("mask") &&
            (picture.derived ? (
              <p class="nzx-menu-item">Missing is {MASKS.nz}: values are computed</p>
            ) : (
              select("Missing is", options.mask, MASK_NAMES, (mask) => set({ mask: mask as Mask }), maskTitle)
            ))}
          {decodes &&
            check(
              packing ? "Apply scale and offset" : "Mask as CF says",
              options.decoded,
              // Limits were of the other numbers.
              (decoded) => set({ decoded, low: null, high: null }),
              packing ? visible(packing.text) : undefined,
            )}
          {curvilinear?.columns === 0 &&
            check("Draw on 2-D coordinates", options.curvilinear, (curvilinear) => set({ curvilinear }))}
          {scene?.earth?.coastlines &&
            check("Graticule", options.graticule, (graticule) => set({ graticule }))}
          {picture.earth?.why && <p class="nzx-menu-item">{visible(picture.earth.why)}</p>}
          {has("grid") && check("Borders of cells and chunks", options.grid, (grid) => set({ grid }))}
          {movable.length > 0 && (
            <>
              {movable.some(dated) && select("Sliders step by", pace.step, STEPS, (step) => play({ step }))}
              {select("Frames per second", String(pace.speed), SPEEDS, (name) =>
                play({ speed: Number(name) }),
              )}
              {check("Play in a loop", pace.loop, (loop) => play({ loop }))}
            </>
          )}
        </>
      )}
    </Menu>
  );
}
