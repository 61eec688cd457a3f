import { useState } from "preact/hooks";
import { useView } from "../../../client/view";
import type { Norm } from "../../../plots/shared/field";
import { type Bar, LIMIT, unitsOf } from "../../../plots/shared/layout";
import type { Scene } from "../../../plots/shared/scene";
import { IconButton } from "../../../ui/button/Button";
import { precise, px } from "../../../ui/text/format";
import { visible } from "../../../ui/text/text";
import "./limit.css";

type End = "low" | "high";

/** A limit in digits enough to differ from the other one. */
export function limitText(norm: Norm | null, end: End): string {
  if (!norm) return "";
  const ratio = Math.max(Math.abs(norm.low), Math.abs(norm.high)) / (norm.high - norm.low);
  return precise(norm[end], Math.min(15, 5 + Math.max(0, Math.floor(Math.log10(ratio)))));
}

/** A limit to be typed; while it is empty it follows the data. */
export function Limit({ end, norm }: { end: End; norm: Norm | null }) {
  const { session } = useView();
  const value = session.options.value[end];
  const [text, setText] = useState<string | null>(null);
  const number = Number(text?.replace("−", "-"));
  const empty = text?.trim() === "";
  const commit = () => {
    if (text === null) return;
    if (empty || Number.isFinite(number)) session.setOptions({ [end]: empty ? null : number }, 80);
    setText(null);
  };
  const name = end === "low" ? "Low" : "High";
  return (
    <input
      type="text"
      class="nzx-box nzx-limit"
      inputMode="decimal"
      aria-label={name}
      aria-invalid={text !== null && !empty && !Number.isFinite(number)}
      title={`${name} limit; if empty, that of the data`}
      placeholder={limitText(norm, end)}
      value={text ?? (value === null ? "" : precise(value, 9))}
      onInput={(event) => setText(event.currentTarget.value)}
      onChange={commit}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === "Enter") commit();
        if (event.key === "Escape") setText(null);
      }}
    />
  );
}

/** The limits at the ends of the colour bar, and the way back to those of the data. */
export function BarLimits({ bar, scene }: { bar: Bar; scene: Scene }) {
  const { session } = useView();
  const { low, high } = session.options.value;
  const place = (top: number) => ({ left: px(bar.left), top: px(top), width: px(LIMIT.width) });
  const below = bar.top + bar.height + LIMIT.gap;
  return (
    <>
      <span class="nzx-bar-limit" style={place(bar.top - LIMIT.gap - LIMIT.height)}>
        <Limit end="high" norm={scene.norm} />
        {bar.brief && <span class="nzx-bar-units">{visible(unitsOf(scene))}</span>}
      </span>
      <span class="nzx-bar-limit" style={place(below)}>
        <Limit end="low" norm={scene.norm} />
        {(low !== null || high !== null) && (
          <IconButton
            icon="undo"
            label="Auto"
            onClick={() => session.setOptions({ low: null, high: null })}
          />
        )}
      </span>
    </>
  );
}
