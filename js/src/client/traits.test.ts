import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FakeModel } from "../mock/model";
import { readIndex, readOptions, readPanel, readPath } from "./session";
import { CONFIRM_MS, same, Trait } from "./traits";

const never = () => new Promise<unknown>(() => {});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("what Python sets is followed and never written back", () => {
  const model = new FakeModel({ path: "/a" });
  const trait = new Trait(model, "path", readPath, never);
  expect(trait.value).toBe("/a");
  model.fromPython("path", "/b");
  vi.runAllTimers();
  expect(trait.value).toBe("/b");
  expect(model.saved).toEqual([]);
});

test("what a person does is shown at once and saved once after the delay", () => {
  const model = new FakeModel();
  const trait = new Trait(model, "index", readIndex, never);
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
  const trait = new Trait(model, "index", readIndex, never);
  trait.set({ time: 3 });
  trait.set({ time: 7 }, 80);
  trait.hear({ time: 3 });
  trait.hear({ time: 3 });
  expect(trait.value).toEqual({ time: 7 });
  vi.runAllTimers();
  expect(model.get("index")).toEqual({ time: 7 });
});

test("what Python sets after a key was pressed is not overwritten by what still waits to be sent", () => {
  const model = new FakeModel({ index: { time: 0 } });
  const trait = new Trait(model, "index", readIndex, never);
  trait.set({ time: 1 }, 300);
  model.fromPython("index", { time: 20 });
  expect(trait.value).toEqual({ time: 20 });
  vi.runAllTimers();
  expect(trait.value).toEqual({ time: 20 });
  expect(model.saved).toEqual([]);
});

test("setting what is already there saves nothing", () => {
  const model = new FakeModel({ index: { time: 1 } });
  const trait = new Trait(model, "index", readIndex, never);
  trait.set({ time: 1 });
  expect(model.saved).toEqual([]);
});

test("closing writes what waits and stops listening", () => {
  const model = new FakeModel();
  const trait = new Trait(model, "index", readIndex, never);
  trait.set({ time: 2 }, 80);
  trait.close();
  expect(model.saved).toEqual([{ index: { time: 2 } }]);
  model.fromPython("index", { time: 9 });
  expect(trait.value).toEqual({ time: 2 });
});

test("traits of the wrong form are read as their defaults", () => {
  expect(readPath(null)).toBe("/");
  expect(readIndex({ a: 1, b: "x", c: 1.5 })).toEqual({ a: 1 });
  expect(readPanel(7)).toBe("");
  expect(readOptions({ cf: false, coordinates: false })).toMatchObject({
    decoded: false,
    curvilinear: false,
  });
  expect(readOptions({ mask: "nonsense", low: "x", log: 1, theirs: 3 })).toEqual({
    mask: "nz",
    colormap: "",
    reverse: false,
    levels: null,
    limits: "held",
    low: null,
    high: null,
    log: 1,
    scale: "linear",
    grid: false,
    decoded: true,
    curvilinear: true,
    coastlines: true,
    graticule: false,
    window: {},
    x: "",
    y: "",
    kind: "auto",
    part: "",
    reduce: {},
    against: {},
    theirs: 3,
  });
});

test("values are compared by what they say", () => {
  expect(same({ a: [1, { b: null }] }, { a: [1, { b: null }] })).toBe(true);
  expect(same({ a: 1 }, { b: 1 })).toBe(false);
  expect(same({ a: undefined }, { b: 1 })).toBe(false);
  expect(same([1, 2], [1])).toBe(false);
});

test("what is confirmed is not said again, by the change event or by a message", () => {
  for (const confirm of ["event", "message"]) {
    const model = new FakeModel();
    const tell = vi.fn(never);
    const trait = new Trait(model, "path", readPath, tell);
    trait.set("/a");
    if (confirm === "event") model.fromPython("path", "/a");
    else trait.hear("/a");
    vi.advanceTimersByTime(CONFIRM_MS * 2);
    expect(tell).not.toHaveBeenCalled();
    trait.hear("/b"); // what another page has set
    expect(trait.value).toBe("/b");
    trait.set("/a");
    expect(model.saved.length + tell.mock.calls.length).toBeGreaterThan(0);
  }
});

test("what is not confirmed is told directly, as is all that follows; what the kernel answers holds", async () => {
  const model = new FakeModel();
  const answers: ((raw: unknown) => void)[] = [];
  const told: unknown[] = [];
  const trait = new Trait(model, "index", readIndex, (name, value) => {
    told.push({ [name]: value });
    return new Promise((resolve) => answers.push(resolve));
  });
  trait.set({ time: 1 });
  model.fromPython("index", { time: 0 }); // the host restores what the kernel has
  expect(trait.value).toEqual({ time: 1 });
  vi.advanceTimersByTime(CONFIRM_MS);
  trait.set({ time: 2 });
  expect(told).toEqual([{ index: { time: 1 } }, { index: { time: 2 } }]);
  expect(model.saved).toEqual([{ index: { time: 1 } }]);
  answers[0]?.({ time: 1 });
  await vi.runAllTimersAsync();
  expect(trait.value).toEqual({ time: 2 });
  answers[1]?.({ time: 3 });
  await vi.runAllTimersAsync();
  expect(trait.value).toEqual({ time: 3 });
});

test("what the kernel refuses stays shown, and what it has later is followed", async () => {
  const model = new FakeModel();
  const trait = new Trait(model, "path", readPath, () => Promise.reject(new Error("no such node")));
  trait.set("/gone");
  await vi.advanceTimersByTimeAsync(CONFIRM_MS);
  expect(trait.value).toBe("/gone");
  trait.hear("/b");
  expect(trait.value).toBe("/b");
});

test("what the host restores is shown, and asked for: it may be older than what was confirmed", async () => {
  const model = new FakeModel({ path: "/" });
  const ask = vi.fn((_: string, value: unknown) => Promise.resolve(value ?? "/analysis"));
  const trait = new Trait(model, "path", readPath, ask);
  trait.set("/analysis");
  trait.hear("/analysis");
  model.fromPython("path", "/ocean"); // of a request made before
  expect(trait.value).toBe("/ocean");
  await vi.runAllTimersAsync();
  expect(ask.mock.calls).toEqual([["path", undefined]]);
  expect(trait.value).toBe("/analysis");
  expect(model.saved).toHaveLength(1);
});

test("what Python sets and confirms is not asked for", () => {
  const model = new FakeModel({ path: "/" });
  const ask = vi.fn(never);
  const trait = new Trait(model, "path", readPath, ask);
  model.fromPython("path", "/a");
  trait.hear("/a");
  trait.hear("/b"); // the model may come after the message
  model.fromPython("path", "/b");
  vi.runAllTimers();
  expect(ask).not.toHaveBeenCalled();
});
