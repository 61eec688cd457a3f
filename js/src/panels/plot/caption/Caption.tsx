import type { PictureResult } from "../../../client/protocol.gen";
import { useView } from "../../../client/view";
import { type AxisGeometry, coordinateText, hemispheres, pointName } from "../../../plots/shared/axis";
import type { Scene } from "../../../plots/shared/scene";
import { visible } from "../../../ui/text/text";
import "./caption.css";

/** What a part of an axis spans, to a hundredth of it; "60° N" needs no name. */
function spanOf(geometry: AxisGeometry): string {
  const { axis, size, coordinates } = geometry;
  if (!axis) return "";
  const [first, last] = [coordinates?.[0] ?? 0, coordinates?.[size - 1] ?? 0];
  const step = 10 ** (Math.floor(Math.log10(Math.abs(last - first) || 1)) - 2);
  const end = (at: number, value: number) =>
    axis.kind === "number" && coordinates
      ? coordinateText(Math.round(value / step) * step, axis, 7)
      : pointName(geometry, at);
  return visible(`${hemispheres(axis) ? "" : `${axis.label} `}${end(0, first)} … ${end(size - 1, last)}`);
}

export function Caption({ picture, scene }: { picture: PictureResult; scene: Scene | null }) {
  const { session } = useView();
  const { window } = session.options.value;
  const cut = [scene?.x, scene?.y].filter((one) => one?.axis && one.axis.label in window);
  const title = visible(picture.caption);
  const aside = picture.sliders.length > 0 ? visible(picture.aside.join(", ")) : "";
  const part = cut.map((one) => one && spanOf(one)).join(" · ");
  const zoomed = Object.keys(window).length > 0;
  return (
    <div class="nzx-caption">
      <h3 class="nzx-cut" title={title}>
        {title}
      </h3>
      <span class="nzx-quiet nzx-tiny nzx-cut nzx-caption-window" title={aside}>
        {aside}
      </span>
      {zoomed && (
        <>
          <span class="nzx-quiet nzx-tiny nzx-cut nzx-caption-window" title={part}>
            {part}
          </span>
          <button type="button" class="nzx-link nzx-tiny" onClick={() => session.setOptions({ window: {} })}>
            Reset zoom
          </button>
        </>
      )}
    </div>
  );
}
