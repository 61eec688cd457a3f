import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/preact";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { kindsStore, smallStore } from "../src/mock/data";
import { Bars } from "../src/panels/Bars";
import { type Host, mountWidget } from "./host";

let host: Host;
let errors: ReturnType<typeof vi.spyOn>;
beforeEach(() => {
  errors = vi.spyOn(console, "error");
});
afterEach(() => {
  host?.close();
  vi.unstubAllGlobals();
  expect(errors.mock.calls).toEqual([]);
});

const at = (name: string, traits: Record<string, unknown> = {}) =>
  mountWidget(kindsStore(), { path: `/k/${name}`, ...traits });
const params = () => host.requests("picture").at(-1)?.params;
const legend = () => screen.getByRole("group", { name: "Legend" }).textContent;

test("the mask has four positions; differences are counted both ways", async () => {
  host = await mountWidget(smallStore(), { path: "/forecast/sst" });
  const mask = await screen.findByRole("radiogroup", { name: "Mask" });
  const names = within(mask).getAllByRole("radio");
  expect(names.map((one) => one.textContent)).toEqual(["NZ", "storage fill", "raw", "differences"]);
  fireEvent.click(within(mask).getByRole("radio", { name: "differences" }));
  await waitFor(() => expect(legend()).toMatch(/masked by NZ only[\d\u202f]+/));
  expect(host.model.get("view")).toMatchObject({ mask: "differences" });
  expect(host.requests("picture")).toHaveLength(1);
});

describe("kinds", () => {
  test("are chosen where there is more than one; a histogram has bars that can be walked", async () => {
    host = await at("packed");
    const kind = await screen.findByRole("combobox", { name: "Kind" });
    fireEvent.change(kind, { target: { value: "histogram" } });
    const bars = await screen.findByRole("application", { name: /^Counts/ });
    expect(params()?.kind).toBe("histogram");
    expect(bars.querySelectorAll("rect")).toHaveLength(20);
    const heights = () => [...bars.querySelectorAll("rect")].map((one) => Number(one.getAttribute("height")));
    const before = heights();
    fireEvent.click(screen.getByRole("checkbox", { name: "log" }));
    await waitFor(() => expect(heights()).not.toEqual(before));
    expect(screen.queryByRole("radiogroup", { name: "Mask" })).toBeNull();
    fireEvent.keyDown(bars, { key: "ArrowRight" });
    await waitFor(() => expect(bars.textContent).toMatch(/from 273\.\d+ to 274\.\d+ K/));
    fireEvent.click(screen.getByRole("checkbox", { name: "CF decoded" }));
    await waitFor(() => expect(bars.textContent).toMatch(/from 3 to 122/));
  });

  test("a histogram of what is stored with a negative scale_factor grows to the right", () => {
    const buffers = [
      [0, 1, 2],
      [7, 1],
    ].map((numbers) => new DataView(Float64Array.from(numbers).buffer));
    const histogram = { edges_buffer: 0, counts_buffer: 1, of: "a" };
    const packing = { scale: -10, offset: 0, units: "K", text: "" };
    const { container, unmount } = render(
      <Bars {...{ histogram, buffers, packing }} log={false} label="" units="K" />,
    );
    const [first, second] = [...container.querySelectorAll("rect")].map((bar) =>
      Number(bar.getAttribute("x")),
    );
    expect(first).toBeLessThan(second as number);
    fireEvent.keyDown(screen.getByRole("application"), { key: "ArrowRight" });
    expect(container.querySelector("output")?.textContent).toBe("1 from -20 to -10 K");
    unmount();
  });

  test("of complex numbers a part is chosen", async () => {
    host = await at("complex");
    const part = await screen.findByRole("combobox", { name: "Part" });
    expect((part as HTMLSelectElement).value).toBe("magnitude");
    fireEvent.change(part, { target: { value: "phase" } });
    await waitFor(() => expect(params()?.part).toBe("phase"));
    await waitFor(() => expect((part as HTMLSelectElement).value).toBe("phase"));
  });

  test("images have no limits and no colormap", async () => {
    host = await at("photo");
    await screen.findByRole("img", { name: /^\/k\/photo/ });
    expect(screen.queryByRole("combobox", { name: "Colormap" })).toBeNull();
    expect(screen.queryByRole("textbox", { name: "Low" })).toBeNull();
    expect(screen.getByRole("combobox", { name: "Kind" })).toBeTruthy();
  });

  test("categories have a legend with counts instead of a colormap", async () => {
    host = await at("flags");
    const found = await screen.findByRole("group", { name: "Categories" });
    expect(found.textContent).toMatch(/clear\d+low cloud\d+<b>fog<\/b>\d+other values\d+/);
    expect(found.querySelector("b")).toBeNull();
    expect(screen.queryByRole("combobox", { name: "Colormap" })).toBeNull();
    expect(legend()).toContain("_FillValue");
  });

  test("strings are a table", async () => {
    host = await at("names");
    const table = await screen.findByRole("table", { name: /Oslo/ });
    const rows = within(table).getAllByRole("row");
    expect(rows.map((one) => one.textContent)).toEqual([
      "indexnames",
      "0Oslo",
      "1",
      "2<b>Tromsø</b>",
      "3(missing)",
    ]);
  });
});

test("CF decoding is on where there is packing, and switching it asks nothing", async () => {
  host = await at("packed");
  const box = (await screen.findByRole("checkbox", { name: "CF decoded" })) as HTMLInputElement;
  expect(box.checked).toBe(true);
  const low = screen.getByRole("textbox", { name: "Low" }) as HTMLInputElement;
  expect(low.placeholder).toBe("273.18");
  expect(low.size).toBe(8);
  expect(legend()).toContain("outside valid range100");
  host.model.fromPython("view", { low: 280 });
  await waitFor(() => expect(low.value).toBe("280"));
  fireEvent.click(box);
  await waitFor(() => expect(low.placeholder).toBe("3"));
  expect(low.value).toBe("");
  expect(legend()).not.toContain("outside");
  expect(host.requests("picture")).toHaveLength(1);
});

test("a map is drawn on its coordinates without asking for more", async () => {
  host = await at("curved");
  fireEvent.click(await screen.findByRole("checkbox", { name: "on coordinates" }));
  await waitFor(() => expect(host.model.get("view")).toMatchObject({ curvilinear: true }));
  expect(host.requests("picture")).toHaveLength(1);
});

describe("zoom", () => {
  test("by keys reads the finer window; reset and another array show all", async () => {
    host = await mountWidget(smallStore(), { path: "/forecast/temp" });
    const values = await screen.findByRole("application", { name: /^Values/ });
    fireEvent.keyDown(values, { key: "+" });
    await waitFor(() => expect(params()?.window).toEqual({ lat: [45, 136], lon: [90, 270] }));
    fireEvent.click(screen.getByRole("button", { name: "Next time" }));
    await waitFor(() =>
      expect(params()).toMatchObject({ index: { time: 1 }, window: { lat: [45, 136], lon: [90, 270] } }),
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

  test("by a rectangle", async () => {
    host = await mountWidget(smallStore(), { path: "/forecast/temp" });
    const canvas = await screen.findByRole("img", { name: /^\/forecast\/temp/ });
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
    host = await mountWidget(smallStore(), { path: "/forecast/temp" });
    const canvas = await screen.findByRole("img", { name: /^\/forecast\/temp/ });
    await screen.findByRole("application", { name: /^Values/ });
    for (const type of ["pointerdown", "pointerup"])
      canvas.dispatchEvent(new MouseEvent(type, { clientX: 200, clientY: 100, button: 0 }));
    expect(host.model.get("view")).toEqual({});
  });
});

test("an unfinished picture is painted, with a note, until the finished one comes", async () => {
  host = await mountWidget(kindsStore(), { path: "/k/curved" }, (kernel) => {
    kernel.partials = 2;
    kernel.partialPause = 600;
  });
  await screen.findByText("2 of 3 chunks…");
  await screen.findByRole("img", { name: /^\/k\/curved: .*, not finished$/ });
  expect(legend()).toMatch(/not read\d+/);
  const stage = host.el.querySelector(".nzx-stage");
  expect(stage?.getAttribute("aria-busy")).toBe("true");
  expect(stage?.classList).not.toContain("nzx-stale");
  await screen.findByRole("img", { name: /^\/k\/curved: [^,]*$/ });
  await waitFor(() => expect(stage?.getAttribute("aria-busy")).toBe("false"));
  expect(legend()).not.toContain("not read");
  expect(screen.queryByText(/of 3 chunks…/)).toBeNull();
});

test("the whole array is gone through on demand, stopped and resumed", async () => {
  host = await at("packed");
  fireEvent.click(await screen.findByRole("button", { name: "Whole array statistics" }));
  const section = await screen.findByRole("region", { name: "Statistics" });
  await within(section).findByRole("progressbar");
  expect(host.requests("scan").map((one) => one.params.action)).toEqual(["status", "start"]);
  expect(within(section).queryByRole("row", { name: /^mean/ })).toBeNull(); // nothing is known yet
  act(() => host.kernel.step("/k/packed"));
  await waitFor(() => expect(section.textContent).toContain("12 of 48 chunks"));
  // What is counted is stored: 273.15 + 0.01 × 4.25 is meant.
  expect(within(section).getByRole("row", { name: /mean 273\.1925 K/ })).toBeTruthy();
  fireEvent.click(screen.getByRole("checkbox", { name: "CF decoded" }));
  await within(section).findByRole("row", { name: "mean 4.25" });
  fireEvent.click(within(section).getByRole("button", { name: "Stop" }));
  fireEvent.click(await within(section).findByRole("button", { name: "Resume" }));
  await within(section).findByRole("progressbar");
  for (let step = 0; step < 3; step++) act(() => host.kernel.step("/k/packed"));
  await waitFor(() => expect(section.textContent).toContain("48 of 48 chunks · 2.5 s"));
  expect(within(section).queryByRole("progressbar")).toBeNull();
  expect(section.textContent).toContain("1 chunk could not be read");
  expect(within(section).getByRole("row", { name: /_FillValue 7/ })).toBeTruthy();
  expect(within(section).getByRole("img", { name: "Histogram of the whole array" })).toBeTruthy();
});

test("what statistics of a large array take is said before they begin", async () => {
  host = await at("packed");
  host.kernel.scanBytes = 3.5 * 2 ** 30;
  fireEvent.click(await screen.findByRole("button", { name: "Whole array statistics" }));
  const section = await screen.findByRole("region", { name: "Statistics" });
  expect(section.textContent).toContain("takes 3.5 GiB in 48 chunks");
  expect(within(section).queryByRole("progressbar")).toBeNull();
  fireEvent.click(within(section).getByRole("button", { name: "Start" }));
  await within(section).findByRole("progressbar");
  expect(host.requests("scan").map((one) => one.params.action)).toEqual(["status", "start"]);
});

test("a slice is saved as a file without going anywhere, and path and code are copied", async () => {
  const saved: { name: string; href: string }[] = [];
  const blobs: Blob[] = [];
  URL.createObjectURL = (blob) => `blob:${blobs.push(blob as Blob)}`;
  URL.revokeObjectURL = () => {};
  const click = vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (
    this: HTMLAnchorElement,
  ) {
    saved.push({ name: this.download, href: this.href });
  });
  const written: string[] = [];
  vi.stubGlobal("navigator", {
    ...navigator,
    clipboard: { writeText: async (text: string) => void written.push(text) },
  });
  host = await mountWidget(smallStore(), {
    path: "/forecast/temp",
    index: { time: 3 },
    view: { mask: "raw" },
  });
  const button = await screen.findByRole("button", { name: "Export" });
  const choose = async (name: string) => {
    fireEvent.click(button);
    fireEvent.click(within(await screen.findByRole("menu")).getByRole("menuitem", { name }));
  };
  await choose("CSV table");
  await waitFor(() => expect(saved).toEqual([{ name: "temp.csv", href: "blob:1" }]));
  expect(blobs[0]?.type).toBe("text/csv");
  expect(host.requests("export")[0]?.params).toMatchObject({
    path: "/forecast/temp",
    format: "csv",
    index: { time: 3 },
    view: { mask: "raw" },
  });
  await choose("Copy path");
  await waitFor(() => expect(written).toEqual(["/forecast/temp"]));
  await choose("Copy code");
  await waitFor(() => expect(written[1]).toContain("time=3"));
  fireEvent.click(button);
  const menu = await screen.findByRole("menu");
  await waitFor(() => expect(document.activeElement?.textContent).toBe("PNG image"));
  fireEvent.keyDown(document.activeElement as Element, { key: "ArrowUp" });
  expect(document.activeElement?.textContent).toBe("Copy code");
  fireEvent.keyDown(menu, { key: "Escape" });
  await waitFor(() => expect(screen.queryByRole("menu")).toBeNull());
  click.mockRestore();
});

test("the lines of a group stand together, broken at gaps, each to be left out", async () => {
  host = await mountWidget(kindsStore(), { path: "/k" });
  fireEvent.click(await screen.findByRole("radio", { name: "lines" }));
  const plot = await screen.findByRole("img", { name: "speed, gust, pressure along step" });
  expect(screen.getByText("units differ: each on its own scale")).toBeTruthy();
  const [speed] = plot.querySelectorAll("path");
  // Gaps at 20 to 25 and at 27 leave the point 26 alone.
  expect(speed?.getAttribute("d")?.match(/M/g)).toHaveLength(3);
  expect(speed?.getAttribute("d")).toMatch(/m-2,0h4M/);
  fireEvent.click(screen.getByRole("checkbox", { name: /pressure/ }));
  await screen.findByRole("img", { name: "speed, gust along step" });
  expect(screen.queryByText(/units differ/)).toBeNull();
  const values = screen.getByRole("application", { name: /along the lines/ });
  for (let step = 0; step < 22; step++) fireEvent.keyDown(values, { key: "ArrowRight" });
  await waitFor(() => expect(values.textContent).toMatch(/\[21\]speed_FillValuegust\d/));
});

test("combinations that mean nothing here are left to the host", async () => {
  host = await mountWidget(smallStore());
  const root = host.el.querySelector(".nzx") as HTMLElement;
  const search = await screen.findByRole("searchbox");
  const kept = () => [root, search].some((one) => one.hasAttribute("data-lm-suppress-shortcuts"));
  fireEvent.focusIn(search);
  fireEvent.keyDown(search, { key: "s", ctrlKey: true });
  expect(kept()).toBe(false);
  fireEvent.keyDown(search, { key: "d" });
  expect(kept()).toBe(true);
  fireEvent.keyDown(search, { key: "a", ctrlKey: true });
  expect(kept()).toBe(true);
});
