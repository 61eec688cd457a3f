import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Client } from "../../client/client";
import { FakeModel } from "../../mock/model";
import { PictureLoader, REPLACE_AFTER } from "./loader";

let model: FakeModel;
let loader: PictureLoader;

beforeEach(() => {
  vi.useFakeTimers();
  model = new FakeModel();
  loader = new PictureLoader(new Client(model, 1));
});
afterEach(() => {
  loader.close();
  vi.useRealTimers();
});

const at = (time: number) => ({ path: "/a", index: { time } });
const asked = () => model.sent.filter(({ kind }) => kind === "request").map(({ params }) => params?.index);
const cancelled = () => model.sent.filter(({ kind }) => kind === "cancel").map(({ id }) => id);
const answer = async (id: number) => {
  model.receive({ kind: "reply", id, ok: true, result: { kind: "none" }, error: null });
  await vi.advanceTimersByTimeAsync(0);
};

test("a fast answer is shown in passing, and then the newest is asked for", async () => {
  loader.want(at(0));
  loader.want(at(1));
  loader.want(at(2));
  expect(asked()).toEqual([{ time: 0 }]);
  await answer(1);
  expect(loader.shown.value?.params).toEqual(at(0));
  expect(loader.loading.value).toBe(true);
  expect(asked()).toEqual([{ time: 0 }, { time: 2 }]);
  expect(cancelled()).toEqual([]);
  await answer(2);
  expect(loader.shown.value?.params).toEqual(at(2));
  expect(loader.loading.value).toBe(false);
});

test("a slow one is cancelled for the newest, and what it says too late is not shown", async () => {
  loader.want(at(0));
  loader.want(at(1));
  vi.advanceTimersByTime(REPLACE_AFTER + 10);
  expect(cancelled()).toEqual([1]);
  expect(asked()).toEqual([{ time: 0 }, { time: 1 }]);
  await answer(1);
  expect(loader.shown.value).toBeNull();
  await answer(2);
  expect(loader.shown.value?.params).toEqual(at(1));
});

test("another array does not wait for the one before", () => {
  loader.want(at(0));
  loader.want({ path: "/b", index: {} });
  expect(cancelled()).toEqual([1]);
  expect(asked()).toHaveLength(2);
});

test("the same is asked for once", async () => {
  loader.want(at(0));
  loader.want(at(0));
  await answer(1);
  loader.want(at(0));
  expect(asked()).toHaveLength(1);
});

test("going back to what is on its way lets it come", async () => {
  loader.want(at(0));
  loader.want(at(1));
  loader.want(at(0));
  vi.advanceTimersByTime(REPLACE_AFTER + 10);
  await answer(1);
  expect(cancelled()).toEqual([]);
  expect(asked()).toHaveLength(1);
  expect(loader.shown.value?.params).toEqual(at(0));
});

test("an error is kept with the picture before it, and retried", async () => {
  loader.want(at(0));
  await answer(1);
  loader.want(at(1));
  const error = { code: "unreadable", message: "503", retry: true };
  model.receive({ kind: "reply", id: 2, ok: false, result: null, error });
  await vi.advanceTimersByTimeAsync(0);
  expect(loader.error.value?.message).toBe("503");
  expect(loader.shown.value?.params).toEqual(at(0));
  loader.retry();
  await answer(3);
  expect(loader.error.value).toBeNull();
  expect(loader.shown.value?.params).toEqual(at(1));
});

test("unfinished pictures are shown as they come, and never taken for the finished one", async () => {
  const partial = (id: number, label: string) => model.receive({ kind: "partial", id, result: { label } });
  loader.want(at(0));
  partial(1, "half");
  expect(loader.shown.value).toMatchObject({ params: at(0), picture: { label: "half" }, partial: true });
  expect(loader.loading.value).toBe(true);
  // Who moves on stops it, and hears no more of it.
  loader.want(at(1));
  vi.advanceTimersByTime(REPLACE_AFTER + 10);
  expect(cancelled()).toEqual([1]);
  partial(1, "more");
  expect(loader.shown.value?.picture.label).toBe("half");
  // Coming back asks again.
  loader.want(at(0));
  vi.advanceTimersByTime(REPLACE_AFTER + 10);
  expect(asked()).toEqual([{ time: 0 }, { time: 1 }, { time: 0 }]);
  partial(3, "half again");
  await answer(3);
  expect(loader.shown.value).toMatchObject({ params: at(0), picture: { kind: "none" } });
  expect(loader.shown.value?.partial).toBeUndefined();
  expect(loader.loading.value).toBe(false);
});
