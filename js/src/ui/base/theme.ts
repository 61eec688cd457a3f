import { useEffect, useState } from "preact/hooks";

export type Rgb = readonly [number, number, number];

/** Colours of a picture that follow the theme. */
export interface Inks {
  dark: boolean;
  background: Rgb;
  foreground: Rgb;
}

/** A computed colour as numbers; computed styles are `rgb(…)` or, for mixed colours, `color(srgb …)`. */
function parseColor(text: string): [number, number, number, number] | null {
  const numbers = text.match(/-?[\d.]+(?:e-?\d+)?%?/g)?.map((part) => Number.parseFloat(part)) ?? [];
  const [r, g, b, a = 1] = numbers;
  if (r === undefined || g === undefined || b === undefined) return null;
  if (text.startsWith("rgb")) return [r, g, b, a];
  if (text.startsWith("color(srgb")) return [r * 255, g * 255, b * 255, a];
  return null;
}

const bright = ([r, g, b]: Rgb) => 0.299 * r + 0.587 * g + 0.114 * b;

/** The colours in force at an element. */
function inksOf(el: Element): Inks {
  const style = getComputedStyle(el);
  const [r, g, b, alpha] = parseColor(style.backgroundColor) ?? [255, 255, 255, 0];
  const text = parseColor(style.color);
  const foreground: Rgb = text ? [text[0], text[1], text[2]] : [30, 30, 30];
  const light = bright(foreground) < 128;
  const background: Rgb = alpha > 0.5 ? [r, g, b] : light ? [255, 255, 255] : [20, 20, 24];
  return { dark: bright(background) < 128, background, foreground };
}

/** The inks of an element, anew whenever the host changes its theme. */
export function useInks(element: Element | null): Inks | null {
  const [inks, setInks] = useState<Inks | null>(null);
  useEffect(() => {
    if (!element) return;
    const read = () => {
      const now = inksOf(element);
      setInks((before) => (before !== null && JSON.stringify(before) === JSON.stringify(now) ? before : now));
    };
    // A host changes attributes and style sheets one after the other: look now and a little later.
    let timers: ReturnType<typeof setTimeout>[] = [];
    const changed = () => {
      for (const timer of timers) clearTimeout(timer);
      timers = [0, 120, 600].map((delay) => setTimeout(read, delay));
    };
    read();
    const observer = new MutationObserver(changed);
    const filter = {
      attributes: true,
      attributeFilter: [
        "class",
        "style",
        "theme",
        "data-jp-theme-name",
        "data-jp-theme-light",
        "data-theme",
        "data-vscode-theme-kind",
      ],
    };
    observer.observe(document.body, filter);
    observer.observe(document.documentElement, filter);
    const query = globalThis.matchMedia?.("(prefers-color-scheme: dark)");
    query?.addEventListener?.("change", changed);
    return () => {
      observer.disconnect();
      query?.removeEventListener?.("change", changed);
      for (const timer of timers) clearTimeout(timer);
    };
  }, [element]);
  return inks;
}
