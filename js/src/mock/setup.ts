import { openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { cleanup, configure } from "@testing-library/preact";
import { afterAll, afterEach, beforeEach, expect, vi } from "vitest";
import { closeAll } from "./host";
import { kernel } from "./recordings";

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

// jsdom has no layout: nothing changes its size, and all there is is in view.
class Observer {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}
class InView extends Observer {
  constructor(private seen: (entries: { isIntersecting: boolean; target: Element }[]) => void) {
    super();
  }
  override observe(target?: Element): void {
    if (target) queueMicrotask(() => this.seen([{ isIntersecting: true, target }]));
  }
}
Object.assign(globalThis, { ResizeObserver: Observer, IntersectionObserver: InView });

// Preact runs the effects of its last drawing a few frames later: the page must still be there.
afterAll(() => new Promise((done) => setTimeout(done, 150)));

// While recordings are made (`tests/record_messages.py --tests`) every question goes to the real kernel.
const folder = process.env.NZ_EXPLORER_KERNEL;
if (folder) {
  const questions = openSync(join(folder, "questions"), "w");
  const answers = openSync(join(folder, "answers"), "r");
  const part = Buffer.alloc(65_536);
  kernel.ask = (store, method, params) => {
    writeSync(questions, `${JSON.stringify([store, method, params])}\n`);
    const parts: Buffer[] = [];
    do parts.push(Buffer.from(part.subarray(0, readSync(answers, part))));
    while (parts.at(-1)?.at(-1) !== 10);
    return JSON.parse(Buffer.concat(parts).toString());
  };
}
