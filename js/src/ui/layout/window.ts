import { useEffect, useState } from "preact/hooks";
import { clamp } from "../text/format";
import { useSize } from "./size";

/** Browsers give up on elements higher than some ten million pixels; longer lists scroll in proportion. */
const HIGHEST = 8_000_000;

const FALLBACK_HEIGHT = 480;

const MOST_ROWS = 96;

export interface Window {
  start: number;
  end: number;
  /** Height of the scrolled content. */
  height: number;
  /** Where the first line of the window stands. */
  top: number;
  /** Scrolls as little as needed to show a line. */
  show(index: number, where?: "nearest" | "center"): void;
}

/** The lines of a long list, or the columns of a wide table, that are on screen, and a few beside them. */
export function useWindow(
  ref: { current: HTMLElement | null },
  count: number,
  rowHeight: number,
  across = false,
): Window {
  const measured = useSize(ref)[across ? "width" : "height"];
  const side = across ? "scrollLeft" : "scrollTop";
  const [scroll, setScroll] = useState(0);
  const viewport = measured || FALLBACK_HEIGHT;
  const full = count * rowHeight;
  const height = Math.min(full, HIGHEST);
  const ratio = full > height && height > viewport ? (full - viewport) / (height - viewport) : 1;

  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    // Where lines are as high as they seem, only another first line draws them anew.
    const step = ratio === 1 ? rowHeight : 1;
    const read = () => setScroll(Math.floor(element[side] / step) * step);
    element.addEventListener("scroll", read, { passive: true });
    return () => element.removeEventListener("scroll", read);
  }, [ref, ratio, rowHeight]);

  // What was asked for before the list had its height may lie beyond its end.
  const scrolled = clamp(scroll, height - viewport);
  const at = scrolled * ratio;
  const visible = Math.ceil(viewport / rowHeight) + 1;
  const margin = clamp(Math.floor((MOST_ROWS - visible) / 2), 12);
  const start = Math.max(0, Math.floor(at / rowHeight) - margin);
  const end = Math.min(count, start + Math.min(MOST_ROWS, visible + margin * 2));

  const show = (index: number, where: "nearest" | "center" = "nearest") => {
    const element = ref.current;
    if (!element) return;
    const top = index * rowHeight;
    let to = element[side] * ratio;
    if (where === "center" && (top < to || top + rowHeight > to + viewport)) to = top - viewport / 2;
    else if (top < to) to = top;
    else if (top + rowHeight > to + viewport) to = top + rowHeight - viewport;
    else return;
    element[side] = Math.max(0, to / ratio);
    setScroll(Math.max(0, to / ratio));
  };
  return { start, end, height, top: start * rowHeight - at + scrolled, show };
}
