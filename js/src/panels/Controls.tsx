import { useMemo, useState } from "preact/hooks";
import { compact } from "../format";
import type { Scene } from "../picture/draw";
import { windowAround } from "../picture/zoom";
import type { PictureResult } from "../protocol.gen";
import type { Mask } from "../session";
import { visible } from "../text";
import { useView } from "../ui/hooks";
import { Button, Choice } from "../ui/parts";

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

/** Colours, limits and mask: all done here, without asking the kernel. */
export function Controls({
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
        <span class="nzx-zoom">
          <Limit
            label="Low"
            value={options.low}
            auto={limitText(scene, "low")}
            onChange={(low) => session.setOptions({ low }, 80)}
          />
          <Limit
            label="High"
            value={options.high}
            auto={limitText(scene, "high")}
            onChange={(high) => session.setOptions({ high }, 80)}
          />
          <Button
            disabled={auto}
            title="Limits as the data give them"
            onClick={() => session.setOptions({ low: null, high: null })}
          >
            Auto
          </Button>
        </span>
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

/** A limit, in digits enough to tell it from the other one. */
function limitText({ norm }: Scene, end: "low" | "high"): string {
  if (norm === null) return "";
  const ratio = Math.max(Math.abs(norm.low), Math.abs(norm.high)) / (norm.high - norm.low);
  return compact(norm[end], Math.min(15, 5 + Math.max(0, Math.floor(Math.log10(ratio)))));
}

interface SelectProps {
  label: string;
  value: string;
  names: readonly string[];
  onChange: (value: string) => void;
}

export function Select({ label, value, names, onChange }: SelectProps) {
  // The names stay the same while everything around them changes.
  const choices = useMemo(
    () =>
      names.map((name) => (
        <option key={name} value={name}>
          {visible(name)}
        </option>
      )),
    [names],
  );
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
        {choices}
      </select>
    </label>
  );
}

interface LimitProps {
  label: string;
  value: number | null;
  auto: string;
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
        size={Math.max(8, auto.length)}
        placeholder={auto}
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
