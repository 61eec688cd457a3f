import { useRef } from "preact/hooks";
import "./splitter.css";

/** The least width of the tree, in pixels. */
const NARROWEST = 160;

/** The border between tree and panel, to be dragged or moved with the arrow keys. */
export function Splitter({ width, onWidth }: { width: number; onWidth: (width: number) => void }) {
  const ref = useRef<HTMLDivElement>(null);
  // Until it is moved, the style sheet gives the tree its width.
  const now = () => ref.current?.previousElementSibling?.clientWidth ?? 0;
  const most = () => Math.max(NARROWEST, (ref.current?.parentElement?.clientWidth ?? 900) * 0.7);
  const set = (value: number) => onWidth(Math.round(Math.max(NARROWEST, Math.min(most(), value))));
  const drag = (event: PointerEvent) => {
    const element = ref.current;
    if (event.button !== 0 || !element) return;
    event.preventDefault();
    const [from, before] = [event.clientX, now()];
    element.setPointerCapture?.(event.pointerId);
    const move = (next: PointerEvent) => set(before + next.clientX - from);
    const end = () => {
      element.removeEventListener("pointermove", move);
      element.removeEventListener("pointerup", end);
      element.removeEventListener("pointercancel", end);
    };
    element.addEventListener("pointermove", move);
    element.addEventListener("pointerup", end);
    element.addEventListener("pointercancel", end);
  };
  const key = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -20, ArrowRight: 20 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    set(now() + by);
  };
  return (
    <div
      ref={ref}
      class="nzx-splitter"
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the tree"
      aria-valuenow={width || 270}
      tabIndex={0}
      onPointerDown={drag}
      onKeyDown={key}
      onDblClick={() => onWidth(0)}
    />
  );
}
