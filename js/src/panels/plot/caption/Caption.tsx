import type { PictureResult, Slider } from "../../../client/protocol.gen";
import { useView } from "../../../client/view";
import { type AxisGeometry, degreesText, hemispheres } from "../../../plots/shared/axis";
import type { Scene } from "../../../plots/shared/scene";
import { visible } from "../../../ui/text/text";
import "./caption.css";

/** "16 August 2024, 06:00" for "2024-08-16 06:00"; other labels as they are. */
export function dateText(label: string): string {
  const [, year, month, day, clock] =
    /^(\d{4})-(0[1-9]|1[0-2])-(\d\d)(?:[ T](\d\d:\d\d(?::\d\d)?))?$/.exec(label) ?? [];
  if (!month) return label;
  const name = new Date(2000, Number(month) - 1).toLocaleString("en", { month: "long" });
  return `${Number(day)} ${name} ${year}${clock && clock !== "00:00" ? `, ${clock}` : ""}`;
}

/** Where a picture lies along a dimension that is not drawn: "5 m", a date, or "member 3" where a number alone says little. */
function placeOf({ dimension, index, label, units, method }: Slider): string {
  if (method !== null) return `${label} over ${dimension}`;
  const text = dateText(label);
  if (text !== label) return text;
  const sides = hemispheres({ units });
  if (sides) return `${dimension} ${degreesText(Number(label), sides, 6)}`;
  // Of which axis plain degrees are nobody could tell.
  if (units) return `${/^degrees?$/.test(units) ? `${dimension} ` : ""}${label} ${units}`;
  if (label === String(index)) return `${dimension} [${label}]`;
  return /^[-\d]/.test(label) ? `${dimension} ${label}` : label;
}

/** The title of a picture: date and level; the name of the array where all of it is shown. */
export function captionOf({ sliders, aside, path }: PictureResult): string {
  const places = sliders.length > 0 ? sliders.map(placeOf) : aside;
  return visible(places.length > 0 ? places.join(", ") : path.slice(path.lastIndexOf("/") + 1));
}

/** What a part of an axis spans. */
function spanOf(geometry: AxisGeometry): string {
  const { axis, size } = geometry;
  if (axis === null) return "";
  const end = (at: number) => {
    const { index, coordinate } = geometry.describe(at);
    return coordinate ?? `[${index}]`;
  };
  return visible(`${axis.label} ${end(0)} … ${end(size - 1)}`);
}

export function Caption({ picture, scene }: { picture: PictureResult; scene: Scene | null }) {
  const { session } = useView();
  const { window } = session.options.value;
  const cut = [scene?.grid.x, scene?.grid.y].filter((one) => one?.axis && one.axis.label in window);
  const title = captionOf(picture);
  const aside = picture.sliders.length > 0 ? visible(picture.aside.join(", ")) : "";
  return (
    <div class="nzx-caption">
      <h3 class="nzx-cut" title={title}>
        {title}
      </h3>
      <span class="nzx-quiet nzx-tiny nzx-cut nzx-caption-window" title={aside}>
        {aside}
      </span>
      {Object.keys(window).length > 0 && (
        <>
          <span class="nzx-quiet nzx-tiny nzx-cut nzx-caption-window">
            {cut.map((one) => one && spanOf(one)).join(", ")}
          </span>
          <button type="button" class="nzx-link nzx-tiny" onClick={() => session.setOptions({ window: {} })}>
            Reset zoom
          </button>
        </>
      )}
    </div>
  );
}
