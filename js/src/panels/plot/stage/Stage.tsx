import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useView } from "../../../client/view";
import { kindOf } from "../../../plots";
import { colorTable } from "../../../plots/shared/colormap";
import { draw, type Paper } from "../../../plots/shared/draw";
import { type Frame, frameOf } from "../../../plots/shared/layout";
import { GREYS, lutOf } from "../../../plots/shared/paint";
import type { Scene } from "../../../plots/shared/scene";
import type { Size } from "../../../ui/layout/size";
import { Blank } from "../../../ui/problem/Blank";
import { px } from "../../../ui/text/format";
import { sentence, visible } from "../../../ui/text/text";
import { BarLimits } from "../limits/Limit";
import type { Shown } from "../loader";
import { PinMarks } from "../pins/PinMarks";
import { Hover } from "./Hover";
import "./stage.css";

interface StageProps {
  shown: Shown;
  scene: Scene | null;
  size: Size;
}

/** The picture itself, whatever kind it is. */
export function Stage({ shown, scene, size }: StageProps) {
  const { session, inks, goto } = useView();
  const { picture } = shown;
  const options = session.options.value;
  const colormaps = session.colormaps.value;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [frame, setFrame] = useState<Frame | null>(null);
  const ink = inks.value;

  // Before the browser paints, not after: what arrived is on screen one frame sooner.
  useLayoutEffect(() => {
    const element = canvas.current;
    if (!element || !scene) return;
    const ratio = globalThis.devicePixelRatio || 1;
    const style = getComputedStyle(element);
    const font = `11px ${style.fontFamily || "sans-serif"}`;
    const context = element.getContext("2d");
    if (context) context.font = font;
    const measure = (text: string) => context?.measureText(text).width ?? 0;
    const next = frameOf(scene, size.width, size.height, measure);
    setFrame((before) => (JSON.stringify(before) === JSON.stringify(next) ? before : next));
    const [w, h] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
    if (element.width !== w) element.width = w;
    if (element.height !== h) element.height = h;
    if (!context || !ink) return;
    const { colormap, reverse, levels } = options;
    const lut = lutOf(colorTable(colormaps, colormap || picture.colormap, reverse) ?? GREYS, levels);
    const paper: Paper = { context, ratio, inks: ink, lut, font, accent: style.color || "steelblue" };
    draw(paper, scene, next, options);
  }, [scene, size.width, size.height, size.round, options, colormaps, ink]);

  const View = kindOf(picture)?.View;
  if (View) return <View picture={picture} buffers={shown.buffers} options={options} scene={scene} />;
  if (!scene) {
    const minus = Object.keys(options.against).length > 0;
    return (
      <Blank
        icon="info"
        action={minus ? "Show A alone" : "See the findings"}
        onAction={() => (minus ? session.setOptions({ against: {} }) : goto(picture.path, "findings"))}
      >
        {sentence(visible(picture.message || picture.label))}
      </Blank>
    );
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
      {frame && <PinMarks scene={scene} frame={frame} />}
      {frame && <Hover scene={scene} frame={frame} stage={size} canvas={canvas} />}
      {frame?.bar && <BarLimits bar={frame.bar} scene={scene} />}
    </>
  );
}
