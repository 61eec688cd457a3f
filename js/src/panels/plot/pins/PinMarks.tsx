import { useView } from "../../../client/view";
import { useLineColor } from "../../../plots/lines/Chart";
import type { Frame } from "../../../plots/shared/layout";
import type { Scene } from "../../../plots/shared/scene";
import { centerOf } from "../../../plots/shared/zoom";
import { px } from "../../../ui/text/format";
import { pinnable, placeOf } from "./points";
import "./pins.css";

/** The pinned points on the picture, where they lie in it. */
export function PinMarks({ scene, frame }: { scene: Scene; frame: Frame }) {
  const { session } = useView();
  const colorOf = useLineColor();
  if (!pinnable(scene)) return null;
  return (
    <>
      {session.pins.value.map((pin, nth) => {
        const place = placeOf(scene, pin);
        if (!place) return null;
        const { x, y } = centerOf(scene, place);
        // A box on 2-D coordinates cuts what was read for it.
        if (x < 0 || x > 1 || y < 0 || y > 1) return null;
        return (
          <span
            key={JSON.stringify(pin)}
            class="nzx-pin nzx-pin-mark"
            aria-hidden="true"
            style={{
              left: px(frame.left + x * frame.width),
              top: px(frame.top + y * frame.height),
              background: colorOf(nth),
            }}
          >
            {nth + 1}
          </span>
        );
      })}
    </>
  );
}
