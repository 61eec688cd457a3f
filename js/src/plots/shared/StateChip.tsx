import { useEffect, useRef } from "preact/hooks";
import { useView } from "../../client/view";
import { type CellState, STATE_NAMES, STATES } from "./field";
import { stamp, tilesOf } from "./paint";
import "./state.css";

/** A cell state with its pattern. */
export function StateChip({ state }: { state: CellState }) {
  return (
    <span class="nzx-state" data-state={state}>
      {state !== "value" && <Swatch state={state} />}
      {STATE_NAMES[state]}
    </span>
  );
}

export function Swatch({ state }: { state: CellState }) {
  const { inks } = useView();
  const ref = useRef<HTMLCanvasElement>(null);
  const ink = inks.value;
  useEffect(() => {
    const ratio = Math.max(1, Math.round(globalThis.devicePixelRatio || 1));
    const context = ref.current?.getContext("2d");
    if (!context || !ink || !ref.current) return;
    const [width, height] = [18 * ratio, 12 * ratio];
    ref.current.width = width;
    ref.current.height = height;
    stamp(context, tilesOf(ink, ratio), STATES.indexOf(state), [0, 0, width, height]);
  }, [state, ink]);
  return <canvas class="nzx-swatch" ref={ref} />;
}
