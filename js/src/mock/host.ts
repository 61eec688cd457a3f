import { act, fireEvent, screen } from "@testing-library/preact";
import { expect, vi } from "vitest";
import widget from "../index";
import { RecordedKernel } from "./kernel";
import { FakeModel } from "./model";
import type { StoreName } from "./recordings";
import { faults, methods } from "./schema";

/** Lets time pass, where timers are those of the test; in steps, as what arrives is drawn at the end of each. */
export async function pass(milliseconds: number): Promise<void> {
  for (let step = 0; step < 10; step++)
    await act(async () => {
      await vi.advanceTimersByTimeAsync(milliseconds / 10);
    });
}

const KINDS: Record<string, string> = { cancel: "Cancel", shown: "Shown" };

export interface Host {
  model: FakeModel;
  kernel: RecordedKernel;
  el: HTMLElement;
  requests(method: string): { id: number; params: Record<string, unknown> }[];
  close(): void;
}

const mounted: Host[] = [];

/** Takes down what a test has mounted. */
export function closeAll(): void {
  for (const host of mounted.splice(0)) host.close();
}

/** Mounts the widget as anywidget would, on a recorded store by its name; every message of either side is held to the schema. */
export async function mountWidget(
  store: StoreName,
  traits: Record<string, unknown> = {},
  prepare?: (kernel: RecordedKernel) => void,
  model = new FakeModel(traits),
): Promise<Host> {
  const kernel = new RecordedKernel(store, model);
  const faulty: string[] = [];
  const hear = model.onSend;
  model.onSend = (message) => {
    const sent = message as { kind: string; method: string; params: unknown };
    faulty.push(faults(KINDS[sent.kind] ?? "Request", sent));
    if (sent.kind === "request") faulty.push(faults(methods[sent.method]?.params ?? "", sent.params));
    hear?.(message);
  };
  kernel.onReply = (method, message) => {
    if (method === "event") faulty.push(faults("Event", message));
    else if (method === "partial") faulty.push(faults("Partial", message));
    else {
      const reply = message as { ok: boolean; result: unknown };
      faulty.push(faults("Reply", reply));
      if (reply.ok) faulty.push(faults(methods[method]?.result ?? "", reply.result));
    }
  };
  prepare?.(kernel);
  const el = document.createElement("div");
  document.body.append(el);
  const { initialize, render } = widget();
  const parts: (() => void)[] = [];
  await act(async () => {
    parts.push(initialize({ model }));
    parts.push(render({ model, el }));
  });
  let open = true;
  const host: Host = {
    model,
    kernel,
    el,
    requests: (method) =>
      model.sent.filter((message) => message.kind === "request" && message.method === method) as never,
    close: () => {
      if (!open) return;
      open = false;
      for (const part of parts.reverse()) part();
      kernel.stop();
      expect(faulty.filter(Boolean)).toEqual([]);
      expect(kernel.missing).toEqual([]);
    },
  };
  mounted.push(host);
  return host;
}

/** One of the rarer settings of the picture, behind "⋯". */
export async function more(role: "checkbox" | "combobox", name: string): Promise<HTMLElement> {
  const button = await screen.findByRole("button", { name: "More" });
  if (button.getAttribute("aria-expanded") !== "true") fireEvent.click(button);
  return screen.findByRole(role, { name });
}
