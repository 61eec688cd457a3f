import { useMemo } from "preact/hooks";
import type { ChunkError, PictureResult } from "../../../client/protocol.gen";
import { useView } from "../../../client/view";
import { kindOf } from "../../../plots";
import { colorTable, gradientOf } from "../../../plots/shared/colormap";
import { type CellState, countStates, ONLY_NZ, STATE_NAMES } from "../../../plots/shared/field";
import { categoryLut, categoryShades, unpacked } from "../../../plots/shared/paint";
import { Swatch } from "../../../plots/shared/StateChip";
import type { Scene } from "../../../plots/shared/scene";
import { Icon } from "../../../ui/icons/Icon";
import { counted, grouped, plural } from "../../../ui/text/format";
import { Quiet } from "../../../ui/text/Quiet";
import { visible } from "../../../ui/text/text";
import { isThinned } from "../foot/Foot";
import "./legend.css";

interface LegendProps {
  picture: PictureResult;
  scene: Scene | null;
}

/** How many of the points are values, and what the others are: of those drawn, else of all from which they were chosen. */
export function Legend({ picture, scene }: LegendProps) {
  const { session } = useView();
  const { colormap, reverse, decoded } = session.options.value;
  const states = useMemo(
    () =>
      scene && !(scene.mask === "nz" && decoded && isThinned(picture))
        ? countStates(scene.states)
        : picture.states.filter(({ count, state }) => count > 0 && state !== "storage_fill"),
    [scene, picture, decoded],
  );
  if (states.length === 0) return null;
  // Of what type it is stands in the metadata.
  const fill = picture.fill?.replace(/ \([^()]*\)$/, "") ?? null;
  const source = picture.fill_source ?? STATE_NAMES.fill;
  const details: Partial<Record<CellState, string | null>> = {
    fill,
    storage_fill: picture.storage_fill,
    missing_value: picture.missing_value,
    absent: picture.storage_fill && `reads as ${picture.storage_fill}`,
  };
  const colored = scene && kindOf(picture)?.controls(picture).includes("colormap");
  return (
    <div class="nzx-legend" role="group" aria-label="Legend">
      {states.map(({ state, count }) => (
        <span key={state} class="nzx-state" data-state={state}>
          {state !== "value" && <Swatch state={state} />}
          {state === "value" && colored && (
            <span
              class="nzx-swatch nzx-flat"
              style={{
                background: gradientOf(
                  colorTable(session.colormaps.value, colormap || picture.colormap, reverse),
                ),
              }}
            />
          )}
          <b>{counted(count)}</b>{" "}
          {state === "fill" ? source : state === "value" && count === 1 ? state : STATE_NAMES[state]}
          {details[state] && <Quiet> {visible(details[state])}</Quiet>}
        </span>
      ))}
      {fill !== null && scene?.mask === "nz" && !states.some(({ state }) => state === "fill") && (
        <span>
          <b>0</b> {source} <Quiet>{visible(fill)}</Quiet>
        </span>
      )}
      {scene?.mask === "differences" && !scene.states.some((state) => state >= ONLY_NZ) && (
        <span>NZ and storage fill mask the same cells here</span>
      )}
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
export function Categories({ scene }: { scene: Scene }) {
  const { inks } = useView();
  const { picture, field, states } = scene;
  const { categories } = picture;
  const counts = useMemo(() => {
    const found = new Uint32Array(categories.length + 1);
    categoryShades(field.stored ?? field.values, categories).forEach((shade, at) => {
      if (states[at] === 0) (found[shade] as number)++;
    });
    return found;
  }, [scene]);
  const colors = categoryLut(categories, inks.value?.dark ?? false);
  const chip = (label: string, at: number) => (
    <span key={at} class="nzx-state">
      {scene.look.flat && (
        <span
          class="nzx-swatch nzx-flat"
          style={{ background: categories[at]?.color ?? `rgb(${unpacked(colors[at] as number)})` }}
        />
      )}
      <b>{counted(counts[at] ?? 0)}</b> {visible(label)}
    </span>
  );
  return (
    <div class="nzx-legend" role="group" aria-label="Categories">
      {categories.slice(0, MOST_CATEGORIES).map(({ label }, at) => chip(label, at))}
      {categories.length > MOST_CATEGORIES && (
        <Quiet>and {grouped(categories.length - MOST_CATEGORIES)} more</Quiet>
      )}
      {(counts[categories.length] ?? 0) > 0 && chip("other values", categories.length)}
    </div>
  );
}
