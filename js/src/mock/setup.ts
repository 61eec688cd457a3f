import { cleanup, configure } from "@testing-library/preact";
import { afterAll, afterEach, beforeEach, expect, vi } from "vitest";
import { closeAll } from "./host";

// A page of a hundred rows takes its time in jsdom.
configure({ asyncUtilTimeout: 8000 });

let errors: ReturnType<typeof vi.spyOn>;
beforeEach(() => {
  errors = vi.spyOn(console, "error");
});

afterEach(() => {
  closeAll();
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  expect(errors.mock.calls).toEqual([]);
  document.body.replaceChildren();
});

// jsdom has no canvas and says so on every call; the explorer takes null for "no drawing".
HTMLCanvasElement.prototype.getContext = (() => null) as typeof HTMLCanvasElement.prototype.getContext;

// Preact runs the effects of its last drawing a few frames later: the page must still be there.
afterAll(() => new Promise((done) => setTimeout(done, 150)));
