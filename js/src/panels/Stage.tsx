import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { px } from "../format";
import { AxisGeometry, axisNumbers } from "../picture/axis";
import { draw, type Frame, frameOf, type Paper, type Scene } from "../picture/draw";
import type { Shown } from "../picture/loader";
import { GREYS, lutOf } from "../picture/paint";
import { lines, visible, visibleLines } from "../text";
import { type Size, useView } from "../ui/hooks";
import { Quiet } from "../ui/parts";
import { Bars } from "./Bars";
import { colorTable } from "./colormap";
import { Hover } from "./Hover";
import { StateChip } from "./Legend";

interface StageProps {
  shown: Shown;
  scene: Scene | null;
  size: Size;
}

/** The picture itself, whatever kind it is. */
export function Stage({ shown, scene, size }: StageProps) {
  const { session, inks } = useView();
  const { picture } = shown;
  const options = session.options.value;
  const colormaps = session.colormaps.value;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [frame, setFrame] = useState<Frame | null>(null);
  const ink = inks.value;

  // Before the browser paints, not after: what arrived is on screen one frame sooner.
  useLayoutEffect(() => {
    const element = canvas.current;
    if (element === null || scene === null) return;
    const ratio = globalThis.devicePixelRatio || 1;
    const style = getComputedStyle(element);
    const font = `11px ${style.fontFamily || "sans-serif"}`;
    const context = element.getContext("2d");
    if (context) context.font = font;
    const measure = (text: string) => context?.measureText(text).width ?? text.length * 6;
    const next = frameOf(scene, size.width, size.height, measure);
    setFrame((before) => (JSON.stringify(before) === JSON.stringify(next) ? before : next));
    const [w, h] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
    if (element.width !== w) element.width = w;
    if (element.height !== h) element.height = h;
    if (context === null || ink === null) return;
    const lut = lutOf(colorTable(colormaps, options.colormap) ?? GREYS);
    const paper: Paper = { context, ratio, inks: ink, lut, font, accent: style.color || "steelblue" };
    draw(paper, scene, next, options);
  }, [scene, size.width, size.height, size.round, options, colormaps, ink]);

  if (picture.kind === "scalar") {
    return (
      <div class="nzx-scalar" role="img" aria-label={visible(picture.label)}>
        <strong>{visible(picture.text ?? "")}</strong>
        {picture.units && <Quiet>{visible(picture.units)}</Quiet>}
        {picture.states.map(({ state }) => state !== "value" && <StateChip key={state} state={state} />)}
      </div>
    );
  }
  if (picture.kind === "histogram" && picture.histogram) {
    const packing = options.decoded ? picture.packing : null;
    return (
      <Bars
        histogram={picture.histogram}
        buffers={shown.buffers}
        log={options.log}
        label={picture.label}
        units={packing ? packing.units : picture.units}
        packing={packing}
      />
    );
  }
  if (picture.kind === "text") return <Text shown={shown} />;
  if (scene === null) {
    if (picture.kind === "none" && picture.message) return null;
    return <p class="nzx-note nzx-pad">{visible(picture.label || "There is no picture of this.")}</p>;
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
      {frame && <Hover scene={scene} frame={frame} stage={size} canvas={canvas} />}
    </>
  );
}

/** Values that are no numbers: a table along their dimension, or one text. */
function Text({ shown: { picture, buffers } }: { shown: Shown }) {
  // Rows run along the first of two dimensions.
  const x = picture.y ?? picture.x;
  if (x === null) {
    return (
      // It scrolls.
      <pre class="nzx-text" role="img" aria-label={visible(picture.label)} tabIndex={0}>
        {visibleLines(picture.text ?? "")}
      </pre>
    );
  }
  const along = new AxisGeometry(x, axisNumbers(x, buffers), false);
  const named = x.kind !== "index";
  return (
    <div class="nzx-text" tabIndex={0}>
      <table class="nzx-table" aria-label={visible(picture.label)}>
        <thead>
          <tr>
            <th scope="col">index</th>
            {named && <th scope="col">{visible(x.label)}</th>}
            <th scope="col">{visible(picture.title)}</th>
          </tr>
        </thead>
        <tbody>
          {lines(picture.text ?? "").map((line, at) => {
            const { index, coordinate } = along.describe(at);
            return (
              <tr key={index}>
                <td class="nzx-number nzx-quiet">{index}</td>
                {named && <td>{visible(coordinate ?? "")}</td>}
                <td class="nzx-cell">{visible(line.replace(/^ *\d+( {2}|$)/, ""))}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
