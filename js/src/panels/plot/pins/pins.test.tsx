import { act, fireEvent, screen, waitFor, within } from "@testing-library/preact";
import { expect, test } from "vitest";
import { readOptions } from "../../../client/session";
import { type Host, mountWidget } from "../../../mock/host";
import { axis, picture } from "../../../mock/picture";
import { sceneOf } from "../../../plots";
import { isDrawn, moved, placeOf } from "./points";

let host: Host;
const pins = () => host.model.get("pins");

test("a click pins a point, which has its value, its series and its number on the map", async () => {
  host = await mountWidget("small", { path: "/forecast/temp" });
  const canvas = await screen.findByRole("img", { name: / of \/forecast\/temp / });
  await screen.findByRole("application", { name: /Enter pins/ });
  const click = (clientX: number, clientY: number) => {
    for (const type of ["pointerdown", "pointerup"])
      fireEvent(canvas, new MouseEvent(type, { clientX, clientY, button: 0, bubbles: true }));
  };
  // The listeners come a frame after the picture.
  await waitFor(() => {
    click(200, 100);
    expect(pins()).toHaveLength(1);
  });
  const [pin] = pins() as Record<string, number>[];
  expect(Object.keys(pin ?? {}).sort()).toEqual(["lat", "lon"]);
  const list = await screen.findByRole("list", { name: "Pins" });
  expect(within(list).getAllByRole("listitem")).toHaveLength(1);
  await screen.findByRole("img", { name: "Series of time" });
  const asked = () => host.requests("series").filter(({ params }) => params.dimension === "time");
  expect(asked().map(({ params }) => params.pins)).toEqual([[pin]]);
  expect(host.el.querySelectorAll(".nzx-pin-mark")).toHaveLength(1);
  fireEvent.click(screen.getAllByRole("button", { name: ".csv" })[0] as HTMLElement);
  await waitFor(() =>
    expect(host.requests("series_file")[0]?.params).toMatchObject({
      dimension: "time",
      pins: [pin],
      format: "csv",
    }),
  );
  // The line does not move with the slider, so it is not asked for again.
  fireEvent.click(screen.getByRole("button", { name: "Next time" }));
  await waitFor(() => expect(host.model.get("index")).toEqual({ time: 1 }));
  await screen.findByRole("img", { name: "Series of level" });
  expect(asked()).toHaveLength(1);
  fireEvent.click(within(list).getByRole("button", { name: "Remove pin 1" }));
  await waitFor(() => expect(pins()).toEqual([]));
  expect(screen.queryByRole("list", { name: "Pins" })).toBeNull();
});

test("of a point without values there is a sentence, and no empty picture", async () => {
  host = await mountWidget("small", { path: "/forecast/temp", pins: [{ lat: 3, lon: 4 }] }, (kernel) => {
    const about = {
      path: "/forecast/temp",
      dimension: "time",
      dimensions: ["time"],
      message: "no value along it",
    };
    kernel.answers.series = () => ({ ...about, x: axis({ label: "time" }), lines: [] });
  });
  expect(await screen.findAllByText("no value along it")).not.toHaveLength(0);
  expect(screen.queryByRole("img", { name: /^Series of/ })).toBeNull();
});

test("the keyboard pins where the crosshair is, moves the pin, and takes it away", async () => {
  host = await mountWidget("small");
  host.model.fromPython("path", "/forecast/temp");
  const values = await screen.findByRole("application", { name: /^Values/ });
  fireEvent.keyDown(values, { key: "Enter" });
  expect(pins() ?? []).toEqual([]);
  fireEvent.keyDown(values, { key: "ArrowRight" });
  fireEvent.keyDown(values, { key: "Enter" });
  await waitFor(() => expect(pins()).toHaveLength(1));
  const [pin] = pins() as [{ lat: number; lon: number }];
  fireEvent.keyDown(values, { key: "ArrowRight", altKey: true });
  const beside = { ...pin, lon: pin.lon + 1 };
  await waitFor(() => expect(pins()).toEqual([beside]));
  await waitFor(() => expect(host.requests("series").at(-1)?.params.pins).toEqual([beside]));
  fireEvent.keyDown(values, { key: "ArrowLeft" });
  // There is no pin that could come along.
  fireEvent.keyDown(values, { key: "ArrowLeft", altKey: true });
  fireEvent.keyDown(values, { key: "ArrowRight" });
  fireEvent.keyDown(values, { key: "ArrowRight" });
  // In the picture Alt and an arrow do not lead back to what was selected before.
  expect(host.model.get("path")).toBe("/forecast/temp");
  // Other keys with Alt belong to the browser.
  for (const key of ["Enter", "+"]) fireEvent.keyDown(values, { key, altKey: true });
  expect(host.model.get("view")).toEqual({});
  expect(pins()).toEqual([beside]);
  fireEvent.keyDown(values, { key: "Enter" });
  await waitFor(() => expect(pins()).toEqual([]));
});

test("the focus of a button that is taken away with its pin goes to that of the next pin", async () => {
  host = await mountWidget("small", {
    path: "/forecast/temp",
    pins: [
      { lat: 3, lon: 4 },
      { lat: 1, lon: 2 },
    ],
  });
  const first = await screen.findByRole("button", { name: "Remove pin 2" });
  first.focus();
  fireEvent.click(first);
  await waitFor(() => expect(pins()).toHaveLength(1));
  await waitFor(() =>
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "Remove pin 1" })),
  );
});

test("a pin is not moved onto another one", () => {
  const [a, b, c] = [{ lon: 1 }, { lon: 2 }, { lon: 3 }];
  expect(moved([a, b], a, c)).toEqual([c, b]);
  expect(moved([a, b], a, { lon: 2 })).toEqual([a, b]);
});

test("pins of another array stand where this one has their dimensions", async () => {
  host = await mountWidget("small", {
    path: "/forecast/temp",
    pins: [{ lat: 3, lon: 4 }, { depth: 1 }],
  });
  const list = await screen.findByRole("list", { name: "Pins" });
  const [first, second] = within(list).getAllByRole("listitem");
  expect(first?.textContent).not.toContain("not in");
  expect(second?.textContent).toMatch(/depth\s\[1\]not shown/);
});

test("pins of which a picture has no place do not open the list of them", async () => {
  host = await mountWidget("small", { path: "/forecast/temp", pins: [{ depth: 1 }] });
  // It waits for whoever wants to remove them.
  const button = await screen.findByRole("button", { name: "Pins" });
  await screen.findByRole("combobox", { name: "Horizontal axis" });
  await act(async () => {});
  expect(screen.queryByRole("list", { name: "Pins" })).toBeNull();
  fireEvent.click(button);
  expect((await screen.findByRole("list", { name: "Pins" })).textContent).toContain("not shown");
});

test("a thinned picture has a mark for a pin, but only for some pins the value", () => {
  const thin = picture({ x: axis({ label: "col", start: 100, step: 4, size: 3, length: 112 }) });
  const scene = sceneOf(thin.picture, thin.buffers, readOptions({}));
  if (scene === null) throw new Error("no scene");
  const drawn = (pin: Record<string, number>) => {
    const place = placeOf(scene, pin);
    return place && isDrawn(scene, place, pin);
  };
  expect(drawn({ lat: 1, col: 104 })).toBe(true);
  expect(drawn({ lat: 1, col: 105 })).toBe(false);
  expect(drawn({ lat: 1, col: 200 })).toBeNull();
  // Pinned at another time than that of the picture.
  expect(drawn({ lat: 1, col: 104, time: 3 })).toBe(false);
});

test("pins do not take the room of two pictures", async () => {
  const traits = { index: { time: 3 }, view: { against: { time: 0, show: "both" } } };
  host = await mountWidget("small", { path: "/forecast/temp", pins: [{ lat: 3, lon: 4 }], ...traits });
  await waitFor(() => expect(screen.getAllByRole("application", { name: /^Values/ })).toHaveLength(2));
  // The axes are chosen from once the picture's effects have run.
  await screen.findByRole("combobox", { name: "Horizontal axis" });
  await act(async () => {});
  expect(screen.queryByRole("list", { name: "Pins" })).toBeNull();
});
