import { act, render } from "@testing-library/preact";
import { useRef } from "preact/hooks";
import { expect, test } from "vitest";
import { useWindow, type Window } from "./window";

let win: Window;

function List({ count }: { count: number }) {
  const ref = useRef<HTMLDivElement>(null);
  win = useWindow(ref, count, 24);
  return <div ref={ref} />;
}

test("lines begin at the top of a list that has become shorter than what was scrolled to", async () => {
  const { rerender } = render(<List count={1000} />);
  await act(() => win.show(900));
  expect(win.start).toBeGreaterThan(800);
  expect(win.top).toBe(win.start * 24);
  rerender(<List count={10} />);
  expect([win.start, win.end, win.top]).toEqual([0, 10, 0]);
});
