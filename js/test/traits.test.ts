import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FakeModel } from "../src/mock/model";
import { readIndex, readOptions, readPanel, readPath } from "../src/session";
import { LATELY, same, Trait } from "../src/traits";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("what Python sets is followed and never written back", () => {
  const model = new FakeModel({ path: "/a" });
  const trait = new Trait(model, "path", readPath);
  expect(trait.value).toBe("/a");
  model.fromPython("path", "/b");
  vi.runAllTimers();
  expect(trait.value).toBe("/b");
  expect(model.saved).toEqual([]);
});

test("what a person does is shown at once and saved once after the delay", () => {
  const model = new FakeModel();
  const trait = new Trait(model, "index", readIndex);
  for (let at = 1; at <= 5; at++) trait.set({ time: at }, 80);
  expect(trait.value).toEqual({ time: 5 });
  expect(model.saved).toEqual([]);
  vi.advanceTimersByTime(100);
  expect(model.saved).toEqual([{ index: { time: 5 } }]);
  vi.runAllTimers();
  expect(model.saved).toHaveLength(1);
});

test("while a person moves it, an echo of an older value does not throw it back", () => {
  const model = new FakeModel();
  const trait = new Trait(model, "index", readIndex);
  trait.set({ time: 7 }, 80);
  model.fromPython("index", { time: 3 });
  expect(trait.value).toEqual({ time: 7 });
  vi.runAllTimers();
  expect(model.get("index")).toEqual({ time: 7 });
});

test("setting what is already there saves nothing", () => {
  const model = new FakeModel({ index: { time: 1 } });
  const trait = new Trait(model, "index", readIndex);
  trait.set({ time: 1 });
  expect(model.saved).toEqual([]);
});

test("closing writes what waits and stops listening", () => {
  const model = new FakeModel();
  const trait = new Trait(model, "index", readIndex);
  trait.set({ time: 2 }, 80);
  trait.close();
  expect(model.saved).toEqual([{ index: { time: 2 } }]);
  model.fromPython("index", { time: 9 });
  expect(trait.value).toEqual({ time: 2 });
});

test("traits of the wrong form are read as their defaults", () => {
  expect(readPath(null)).toBe("/");
  expect(readIndex({ a: 1, b: "x", c: 1.5 })).toEqual({ a: 1 });
  expect(readPanel("nonsense")).toBe("plot");
  expect(readOptions({ mask: "nonsense", low: "x", log: 1, theirs: 3 })).toEqual({
    mask: "nz",
    colormap: "",
    low: null,
    high: null,
    log: false,
    grid: false,
    decoded: true,
    curvilinear: false,
    window: {},
    kind: "auto",
    part: "",
    theirs: 3,
  });
});

test("values are compared by what they say", () => {
  expect(same({ a: [1, { b: null }] }, { a: [1, { b: null }] })).toBe(true);
  expect(same({ a: 1 }, { b: 1 })).toBe(false);
  expect(same({ a: undefined }, { b: 1 })).toBe(false);
  expect(same([1, 2], [1])).toBe(false);
});

test("what the kernel is told directly is not saved by the model, and holds until it has answered", async () => {
  const model = new FakeModel();
  const answers: (() => void)[] = [];
  const told: unknown[] = [];
  const tell = (name: string, value: unknown) => {
    told.push([name, value]);
    return new Promise((resolve) => answers.push(() => resolve(null)));
  };
  const trait = new Trait(model, "index", readIndex, tell);
  trait.set({ time: 1 });
  trait.set({ time: 2 });
  expect(told).toEqual([
    ["index", { time: 1 }],
    ["index", { time: 2 }],
  ]);
  expect(model.saved).toEqual([]);
  model.fromPython("index", { time: 1 });
  expect(trait.value).toEqual({ time: 2 });
  answers[0]?.();
  model.fromPython("index", { time: 3 });
  answers[1]?.();
  await vi.runAllTimersAsync();
  expect(trait.value).toEqual({ time: 3 });
});

test("what was saved just before the connection broke is saved again, what is older is not", () => {
  const model = new FakeModel();
  const told: unknown[] = [];
  let broken = false;
  const tell = (_: string, value: unknown) => (broken ? Promise.resolve(told.push(value)) : null);
  const [path, panel] = [
    new Trait(model, "path", readPath, tell),
    new Trait(model, "panel", readPanel, tell),
  ];
  panel.set("findings");
  vi.advanceTimersByTime(LATELY);
  path.set("/a");
  broken = true;
  panel.saveAgain();
  path.saveAgain();
  expect(told).toEqual(["/a"]);
});
