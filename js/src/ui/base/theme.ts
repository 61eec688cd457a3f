import { useEffect, useState } from "preact/hooks";

export type Rgb = readonly [number, number, number];

/** Colours of a picture that follow the theme. */
export interface Inks {
  dark: boolean;
  background: Rgb;
  foreground: Rgb;
}

/** A computed colour and how opaque it is; computed styles are `rgb(…)` or, for mixed colours, `color(srgb …)`. */
function parseColor(text: string): [Rgb, number] {
  const [r, g, b, a = 1] = text.match(/-?[\d.]+(e-?\d+)?/g)?.map(Number) ?? [];
  const most = { rgb: 1, "color(srgb": 255 }[text.match(/^(rgb|color.srgb)/)?.[0] ?? ""];
  return most && b !== undefined
    ? [[(r as number) * most, (g as number) * most, b * most], a]
    : [[30, 30, 30], 0];
}

const bright = ([r, g, b]: Rgb) => 0.299 * r + 0.587 * g + 0.114 * b;

/** The colours in force at an element. */
function inksOf(el: Element): Inks {
  const style = getComputedStyle(el);
  const [color, alpha] = parseColor(style.backgroundColor);
  const [foreground] = parseColor(style.color);
  const background: Rgb = alpha > 0.5 ? color : bright(foreground) < 128 ? [255, 255, 255] : [20, 20, 24];
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
