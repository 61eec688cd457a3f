import { useEffect, useMemo, useRef } from "preact/hooks";
import { grouped, plural } from "../format";
import type { Scene } from "../picture/draw";
import { type CellState, STATE_NAMES } from "../picture/field";
import { categoryColor, categoryShades, paintSwatch, tilesOf } from "../picture/paint";
import type { ChunkError } from "../protocol.gen";
import { visible } from "../text";
import { useView } from "../ui/hooks";
import { Icon } from "../ui/icons";
import { Quiet } from "../ui/parts";

/** A cell state with its pattern. */
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
