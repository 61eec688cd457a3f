import { describe, expect, test } from "vitest";
import widget from "./index";
import { type Host, mountWidget } from "./mock/host";
import { FakeModel } from "./mock/model";

let host: Host;

describe("views", () => {
  test("two views of one model share selection; a closed one leaves nothing behind", async () => {
    const model = new FakeModel();
    const { initialize, render } = widget();
    const stop = initialize({ model });
    const [a, b] = [document.createElement("div"), document.createElement("div")];
    document.body.append(a, b);
    const [closeA, closeB] = [render({ model, el: a }), render({ model, el: b })];
    expect(model.sent.filter(({ method }) => method === "open")).toHaveLength(1);
    closeA();
    expect(a.childElementCount).toBe(0);
    expect(b.childElementCount).toBe(1);
    closeB();
    stop();
    expect(model.listeners).toBe(0);
  });

  test("the kernel is told of the first view, and when the last one is gone", async () => {
    const model = new FakeModel();
    const { initialize, render } = widget();
    const stop = initialize({ model });
    const shown = () => model.sent.flatMap((one) => (one.kind === "shown" ? [one.shown] : []));
    const [closeA, closeB] = [0, 1].map(() => render({ model, el: document.createElement("div") }));
    expect(shown()).toEqual([true]);
    closeA?.();
    expect(shown()).toEqual([true]);
    closeB?.();
    expect(shown()).toEqual([true, false]);
    stop();
  });

  test("a host that does not call initialize works too", async () => {
    const model = new FakeModel();
    const el = document.createElement("div");
    const close = widget().render({ model, el });
    expect(model.sent).toEqual([
      { kind: "request", id: expect.any(Number), method: "open", params: {} },
      { kind: "shown", page: expect.any(String), shown: true },
    ]);
    close();
    expect(model.listeners).toBe(0);
  });

  test("keys of the host's notebook are kept away", async () => {
    host = await mountWidget("small");
    expect(host.el.querySelector(".nzx")?.hasAttribute("data-lm-suppress-shortcuts")).toBe(true);
  });
});
