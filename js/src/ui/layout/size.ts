import { useLayoutEffect, useRef, useState } from "preact/hooks";

export interface Size {
  width: number;
  height: number;
  /** Grows each time the element comes back after it was hidden or detached: a canvas must be drawn anew. */
  round: number;
}

/** The size of an element's content, following it; while it is hidden, the size it had. */
export function useSize(ref: { current: Element | null }): Size {
  const [size, setSize] = useState<Size>({ width: 0, height: 0, round: 0 });
  const hidden = useRef(false);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const read = () => {
      const { clientWidth: width, clientHeight: height } = element;
      if (width === 0 || height === 0) {
        hidden.current = true;
        return;
      }
      const back = hidden.current;
      hidden.current = false;
      setSize((before) =>
        before.width === width && before.height === height && !back
          ? before
          : { width, height, round: before.round + (back ? 1 : 0) },
      );
    };
    read();
    const observer = new ResizeObserver(read);
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref]);
  return size;
}
