import { fireEvent, screen, waitFor } from "@testing-library/preact";
import { describe, expect, test } from "vitest";
import { type Host, mountWidget } from "../../../mock/host";

let host: Host;
const params = () => host.requests("picture").at(-1)?.params;

describe("zoom", () => {
  test("by keys reads the finer window; reset and another array show all", async () => {
    host = await mountWidget("small", { path: "/forecast/temp" });
    const values = await screen.findByRole("application", { name: /^Values/ });
    fireEvent.keyDown(values, { key: "+" });
    await waitFor(() => expect(params()?.window).toEqual({ lat: [3, 8], lon: [5, 14] }));
    fireEvent.click(screen.getByRole("button", { name: "Next time" }));
    await waitFor(() =>
      expect(params()).toMatchObject({ index: { time: 1 }, window: { lat: [3, 8], lon: [5, 14] } }),
    );
    fireEvent.click(screen.getByRole("button", { name: "Reset zoom" }));
    await waitFor(() => expect(params()?.window).toBeUndefined());
    fireEvent.click(screen.getByRole("button", { name: "Zoom in" }));
    await waitFor(() => expect(params()?.window).toBeTruthy());
    host.model.fromPython("path", "/forecast/sst");
    await waitFor(() => expect(params()?.path).toBe("/forecast/sst"));
    await waitFor(() => expect(params()?.window).toBeUndefined());
    expect(host.model.get("view")).toMatchObject({ window: {} });
  });

  test("the crosshair of the keys stays at its point when a part is shown", async () => {
    host = await mountWidget("small", { path: "/forecast/temp" });
    const values = await screen.findByRole("application", { name: /^Values/ });
    for (const key of ["ArrowRight", "ArrowRight", "ArrowUp"]) fireEvent.keyDown(values, { key });
    const readout = () =>
      [...host.el.querySelectorAll(".nzx-readout tr")].slice(0, 2).map(({ textContent }) => textContent);
    await waitFor(() => expect(readout()).toHaveLength(2));
    const before = readout();
    fireEvent.click(screen.getByRole("button", { name: "Zoom in" }));
    await waitFor(() => expect(params()?.window).toBeTruthy());
    await waitFor(() =>
      expect(host.el.querySelector("[aria-busy]")?.getAttribute("aria-busy")).toBe("false"),
    );
    expect(readout()).toEqual(before);
  });

  test("the crosshair of the keys goes where a part is shown that does not have its point", async () => {
    host = await mountWidget("small", { path: "/forecast/temp" });
    const values = await screen.findByRole("application", { name: /^Values/ });
    for (let at = 0; at < 3; at++) fireEvent.keyDown(values, { key: "ArrowLeft", shiftKey: true });
    const readout = () => host.el.querySelector(".nzx-readout");
    await waitFor(() => expect(readout()?.textContent).toMatch(/lon.*\[0\]/));
    fireEvent.click(screen.getByRole("button", { name: "Zoom in" }));
    await waitFor(() => expect(params()?.window).toBeTruthy());
    await waitFor(() =>
      expect(host.el.querySelector("[aria-busy]")?.getAttribute("aria-busy")).toBe("false"),
    );
    expect(readout()).toBeNull();
    // From the middle, as at first.
    fireEvent.keyDown(values, { key: "ArrowRight" });
    await waitFor(() => expect(readout()?.textContent).toMatch(/lon.*\[10\]/));
  });

  test("by a rectangle of keys, which Enter shows and Escape takes back; past its edge the part goes along", async () => {
    host = await mountWidget("small", { path: "/forecast/temp" });
    const values = await screen.findByRole("application", { name: /B begins a box/ });
    const press = (...keys: string[]) => {
      for (const key of keys) fireEvent.keyDown(values, { key });
    };
    const band = () => host.el.querySelector(".nzx-band");
    press("b", "ArrowRight", "ArrowDown");
    await waitFor(() => expect(band()).toBeTruthy());
    press("Escape");
    await waitFor(() => expect(band()).toBeNull());
    expect(host.model.get("view")).toEqual({});
    press("b", "ArrowRight", "ArrowRight", "ArrowDown", "Enter");
    await waitFor(() => expect(params()?.window).toEqual({ lat: [5, 7], lon: [9, 12] }));
    expect(band()).toBeNull();
    expect(host.model.get("pins") ?? []).toEqual([]);
    await waitFor(() => expect(host.el.querySelector("[aria-busy=true]")).toBeNull());
    press("ArrowRight");
    await waitFor(() => expect(params()?.window).toEqual({ lat: [5, 7], lon: [10, 13] }));
  });

  test("by a rectangle", async () => {
    host = await mountWidget("small", { path: "/forecast/temp" });
    const canvas = await screen.findByRole("img", { name: / of \/forecast\/temp / });
    const place = (type: string, clientX: number, clientY: number) =>
      fireEvent(canvas, new MouseEvent(type, { clientX, clientY, button: 0, bubbles: true }));
    await screen.findByRole("application", { name: /^Values/ });
    // The listeners come a frame after the picture.
    await waitFor(() => {
      place("pointerdown", 150, 80);
      place("pointermove", 300, 160);
      expect(host.el.querySelector(".nzx-band")).toBeTruthy();
    });
    place("pointerup", 300, 160);
    await waitFor(() => expect(Object.keys((params()?.window as object) ?? {})).toEqual(["lon", "lat"]));
    expect(host.el.querySelector(".nzx-band")).toBeNull();
  });

  test("a click alone does not zoom", async () => {
    host = await mountWidget("small", { path: "/forecast/temp" });
    const canvas = await screen.findByRole("img", { name: / of \/forecast\/temp / });
    await screen.findByRole("application", { name: /^Values/ });
    for (const type of ["pointerdown", "pointerup"])
      canvas.dispatchEvent(new MouseEvent(type, { clientX: 200, clientY: 100, button: 0 }));
    expect(host.model.get("view")).toEqual({});
  });
});
