import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { FakeModel } from "../mock/model";
import { asView, Client, DOUBT_AFTER, LOST_AFTER, PING_AFTER, RequestError, SLOW_AFTER } from "./client";

let model: FakeModel;
let client: Client;

beforeEach(() => {
  vi.useFakeTimers();
  model = new FakeModel();
  client = new Client(model, 1);
});
afterEach(() => {
  client.close();
  vi.useRealTimers();
});

const reply = (id: number, result: unknown, buffers: DataView[] = []) =>
  model.receive({ kind: "reply", id, ok: true, result, error: null }, buffers);

describe("requests", () => {
  test("of two tabs, which hear each other's replies, are not mistaken for one another", async () => {
    const one = new Client(model);
    const other = new Client(model);
    void one.request("node", { path: "/a" }).catch(() => {});
    const [mine] = model.sent.slice(-1);
    const answer = other.request("node", { path: "/b" });
    const [theirs] = model.sent.slice(-1);
    expect(theirs?.id).not.toBe(mine?.id);
    reply(mine?.id as number, "for one");
    reply(theirs?.id as number, "for the other");
    expect(await answer).toBe("for the other");
    one.close();
    other.close();
  });

  test("have numbers of their own, and each gets its own reply", async () => {
    const one = client.request("node", { path: "/a" });
    const two = client.request("node", { path: "/b" });
    expect(model.sent.map(({ id }) => id)).toEqual([1, 2]);
    reply(2, "second");
    reply(1, "first");
    expect(await one).toBe("first");
    expect(await two).toBe("second");
  });

  test("that fail say why", async () => {
    const answer = client.request("node", { path: "/a" });
    model.receive({
      kind: "reply",
      id: 1,
      ok: false,
      result: null,
      error: { code: "not_found", message: "gone", retry: true },
    });
    const error = await answer.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RequestError);
    expect(error).toMatchObject({ code: "not_found", message: "gone", retry: true });
  });

  test("are cancelled with the number they have", async () => {
    const abort = new AbortController();
    const answer = client.request("picture", { path: "/a" }, abort.signal);
    abort.abort();
    await expect(answer).rejects.toMatchObject({ code: "cancelled" });
    expect(model.sent.at(-1)).toEqual({ kind: "cancel", id: 1 });
    reply(1, "too late");
    expect(client.size).toBe(0);
  });

  test("already aborted are not sent", async () => {
    await expect(client.request("open", {}, AbortSignal.abort())).rejects.toMatchObject({
      code: "cancelled",
    });
    expect(model.sent).toEqual([]);
  });

  test("of a closed client are refused and cancelled", async () => {
    const answer = client.request("open", {});
    client.close();
    await expect(answer).rejects.toMatchObject({ code: "closed" });
    expect(model.sent.at(-1)).toEqual({ kind: "cancel", id: 1 });
    expect(model.listeners).toBe(0);
    await expect(client.request("open", {})).rejects.toMatchObject({ code: "closed" });
  });

  test("survive a model that cannot send", () => {
    model.onSend = () => {
      throw new Error("no comm");
    };
    client.request("open", {}).catch(() => {});
    expect(client.size).toBe(1);
  });
});

describe("waiting", () => {
  test("a request is slow after 1.5 s and lost after 20 s of silence", () => {
    const call = client.call("node", { path: "/a" });
    vi.advanceTimersByTime(SLOW_AFTER - 300);
    expect(call.wait.value).toBe("waiting");
    vi.advanceTimersByTime(600);
    expect(call.wait.value).toBe("slow");
    expect(client.health.value).toBe("slow");
    vi.advanceTimersByTime(LOST_AFTER);
    expect(call.wait.value).toBe("lost");
    expect(client.health.value).toBe("lost");
  });

  test("a kernel that answers other things is alive, however long one request takes", () => {
    const call = client.call("picture", { path: "/a" });
    for (let at = 0; at < 12; at++) {
      vi.advanceTimersByTime(5000);
      const ping = model.sent.filter(({ method }) => method === "lost").at(-1);
      if (ping) reply(ping.id, { ids: [] });
    }
    expect(model.sent.some(({ method }) => method === "lost")).toBe(true);
    expect(model.sent.filter(({ method }) => method === "picture")).toHaveLength(1);
    expect(call.wait.value).toBe("working");
  });

  test("a request that the kernel has not heard, or whose reply got lost, is sent again", async () => {
    const call = client.call("node", { path: "/a" });
    const other = client.call("picture", { path: "/a" });
    const [first, second] = model.sent.map(({ id }) => id);
    vi.advanceTimersByTime(PING_AFTER + 300); // nor did the question arrive
    vi.advanceTimersByTime(PING_AFTER + 300);
    const asked = model.sent.filter(({ method }) => method === "lost");
    expect(asked.map(({ params }) => params)).toEqual([{ ids: [first, second] }, { ids: [first, second] }]);
    reply(asked.at(-1)?.id as number, { ids: [first] });
    const again = model.sent.at(-1);
    expect(again).toMatchObject({ method: "node", params: { path: "/a" } });
    reply(again?.id as number, { title: "a" });
    await expect(call.answer).resolves.toMatchObject({ value: { title: "a" } });
    expect(other.wait.value).toBe("working");
  });

  test("where the host says that the connection has changed, the kernel is asked at once", () => {
    model.connectionChanged();
    expect(model.sent.at(-1)?.method).toBe("open");
    vi.advanceTimersByTime(DOUBT_AFTER - 500);
    expect(client.health.value).toBe("slow");
    vi.advanceTimersByTime(1000);
    expect(client.health.value).toBe("lost");
    reply(model.sent.at(-1)?.id as number, {});
    expect(client.health.value).toBe("waiting");
    client.call("node", { path: "/a" });
    vi.advanceTimersByTime(LOST_AFTER - 500);
    expect(client.health.value).toBe("slow");
  });

  test("a late reply is still taken", async () => {
    const call = client.call("node", { path: "/a" });
    vi.advanceTimersByTime(LOST_AFTER + 1000);
    reply(1, "late");
    expect((await call.answer).value).toBe("late");
    expect(client.health.value).toBe("waiting");
  });

  test("sending again cancels the old number and keeps the promise", async () => {
    const call = client.call("node", { path: "/a" });
    vi.advanceTimersByTime(LOST_AFTER + 1000);
    call.resend();
    const last = model.sent.filter(({ method }) => method === "node").at(-1);
    expect(model.sent).toContainEqual({ kind: "cancel", id: 1 });
    expect(last?.id).not.toBe(1);
    expect(call.wait.value).toBe("waiting");
    reply(1, "old");
    reply(last?.id ?? 0, "new");
    expect((await call.answer).value).toBe("new");
  });

  test("nothing ticks when nothing is on its way", async () => {
    const answer = client.request("open", {});
    reply(1, {});
    await answer;
    expect(vi.getTimerCount()).toBe(0);
  });
});

test("buffers are seen at their own bytes, whatever the host made of them", async () => {
  const bytes = Uint8Array.from([9, 9, 9, 1, 2, 3, 9]);
  const whole = asView(bytes.buffer);
  const view = asView(new DataView(bytes.buffer, 3, 3));
  const part = asView(bytes.subarray(3, 6));
  expect(whole.byteLength).toBe(7);
  for (const one of [view, part]) {
    expect(one.byteLength).toBe(3);
    expect(one.getUint8(0)).toBe(1);
  }
  const call = client.call("colormaps", {});
  reply(1, {}, [new DataView(bytes.buffer, 3, 2)]);
  expect((await call.answer).buffers[0]?.getUint8(1)).toBe(2);
});

test("events reach their listener, and messages of no kind do no harm", () => {
  const heard = vi.fn();
  client.onEvent = heard;
  model.receive({ kind: "event", event: "summary", summary: {} });
  model.receive("nonsense");
  model.receive({ kind: "reply", id: 99, ok: true, result: null, error: null });
  expect(heard).toHaveBeenCalledOnce();
  expect(client.answered.value).toBe(true);
});
