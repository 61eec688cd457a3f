import { fireEvent, render, screen, waitFor, within } from "@testing-library/preact";
import { describe, expect, test, vi } from "vitest";
import { type Host, more, mountWidget } from "../mock/host";
import { Bars } from "./histogram/Bars";

let host: Host;

const at = (name: string, traits: Record<string, unknown> = {}) =>
  mountWidget("kinds", { path: `/k/${name}`, ...traits });
const params = () => host.requests("picture").at(-1)?.params;
const legend = () => screen.getByRole("group", { name: "Legend" }).textContent;

describe("kinds", () => {
  test("are chosen where there is more than one; a histogram has bars that can be walked", async () => {
    host = await at("packed", { pins: [{ y: 3, x: 4 }] });
    await screen.findByRole("list", { name: "Pins" });
    const kind = await screen.findByRole("combobox", { name: "Kind" });
    fireEvent.change(kind, { target: { value: "histogram" } });
    const bars = await screen.findByRole("application", { name: /^Counts/ });
    expect(params()?.kind).toBe("histogram");
    // It says of which slice it is, but has no places for pins.
    expect(screen.getByRole("heading", { name: "y × x" })).toBeTruthy();
    expect(screen.queryByRole("list", { name: "Pins" })).toBeNull();
    expect(bars.querySelectorAll("rect")).toHaveLength(64);
    const heights = () => [...bars.querySelectorAll("rect")].map((one) => Number(one.getAttribute("height")));
    const before = heights();
    fireEvent.change(await more("combobox", "Scale"), { target: { value: "log" } });
    await waitFor(() => expect(heights()).not.toEqual(before));
    expect(screen.queryByRole("combobox", { name: "Missing is" })).toBeNull();
    fireEvent.keyDown(bars, { key: "ArrowRight" });
    await waitFor(() => expect(bars.textContent).toMatch(/from 273\.18 to 273\.2 K/));
    fireEvent.click(await more("checkbox", "Apply scale and offset"));
    await waitFor(() => expect(bars.textContent).toMatch(/from 3 to 5\.375/));
  });

  test("a table has the values that are seen, with their coordinates and states, and is copied whole", async () => {
    host = await at("packed", { view: { kind: "table" } });
    const table = await screen.findByRole("table", { name: /\/k\/packed/ });
    const rows = within(table).getAllByRole("row");
    const columns = table.getAttribute("aria-colcount");
    expect(within(table).getAllByRole("columnheader").length - 1).toBeLessThanOrEqual(Number(columns));
    expect(within(rows[1] as HTMLElement).getByRole("rowheader").textContent).not.toBe("");
    expect(rows[1]?.querySelector("td")?.textContent).toBe("_FillValue");
    expect(rows[2]?.querySelector("td")?.textContent).toMatch(/^\d+/);
    const copied: string[] = [];
    const clipboard = { writeText: async (text: string) => void copied.push(text) };
    vi.stubGlobal("navigator", { ...navigator, clipboard });
    fireEvent.click(screen.getByRole("button", { name: "Copy the table" }));
    await waitFor(() => expect(copied).toHaveLength(1));
    vi.unstubAllGlobals();
    const lines = copied[0]?.split("\n") ?? [];
    expect(lines).toHaveLength(Number(table.getAttribute("aria-rowcount")) + 1);
    expect(lines.every((line) => line.split("\t").length === Number(columns) + 1)).toBe(true);
    // The first row says how many columns there are, also where there is but one.
    host.model.fromPython("path", "/k/speed");
    fireEvent.change(await screen.findByRole("combobox", { name: "Kind" }), { target: { value: "table" } });
    const line = await screen.findByRole("table", { name: /\/k\/speed/ });
    expect(within(line).getAllByRole("columnheader")[1]?.textContent).toBe("speed");
  });

  test("lines are the rows of an array, on one axis of values, with scale, zoom and pins as a line has them", async () => {
    host = await at("packed", { view: { kind: "lines" } });
    const values = await screen.findByRole("application", { name: /^Values/ });
    const readout = () =>
      [...host.el.querySelectorAll(".nzx-readout tr")].map(({ textContent }) => textContent ?? "");
    fireEvent.keyDown(values, { key: "ArrowRight" });
    await waitFor(() => expect(readout().length).toBeGreaterThan(1));
    const [row, along] = readout();
    // Up and down are the other lines, at the same place along them.
    fireEvent.keyDown(values, { key: "ArrowDown" });
    await waitFor(() => expect(readout()[0]).not.toBe(row));
    expect(readout()[1]).toBe(along);
    fireEvent.keyDown(values, { key: "Enter" });
    const [pin] = host.model.get("pins") as Record<string, number>[];
    expect(Object.keys(pin ?? {})).toEqual(["y", "x"]);
    await waitFor(() => expect(host.el.querySelectorAll(".nzx-pin-mark")).toHaveLength(1));
    fireEvent.click(screen.getByRole("button", { name: "Zoom in" }));
    await waitFor(() => expect(Object.keys((params()?.window ?? {}) as object)).toEqual(["x"]));
    fireEvent.change(await more("combobox", "Scale"), { target: { value: "log" } });
    await waitFor(() => expect(host.model.get("view")).toMatchObject({ scale: "log" }));
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
    await screen.findByRole("img", { name: / of \/k\/photo / });
    expect(screen.queryByRole("combobox", { name: "Colormap" })).toBeNull();
    expect(screen.queryByRole("textbox", { name: "Low" })).toBeNull();
    expect(screen.getByRole("combobox", { name: "Kind" })).toBeTruthy();
  });

  test("categories have a legend with counts instead of a colormap", async () => {
    host = await mountWidget("kinds", { path: "/k/flags" }, (kernel) => {
      // As where there are more of them than a legend has room for.
      kernel.answers.picture = (_, recorded) => {
        const picture = recorded();
        return { ...picture, categories: picture.categories.slice(0, 3) };
      };
    });
    const found = await screen.findByRole("group", { name: "Categories" });
    expect(found.textContent).toMatch(/\d+ clear\d+ low_cloud\d+ <b>fog<\/b>\d+ other values/);
    expect(within(found).queryByText("fog")).toBeNull();
    expect(screen.queryByRole("combobox", { name: "Colormap" })).toBeNull();
    expect(legend()).toContain("_FillValue");
  });

  test("strings are a table", async () => {
    host = await at("names");
    const table = await screen.findByRole("table", { name: / of \/k\/names/ });
    const rows = within(table).getAllByRole("row");
    expect(rows.map((one) => one.textContent)).toEqual([
      "indexnames",
      "0Oslo",
      "1",
      "2<b>Tromsø</b>",
      "3? (_FillValue)",
    ]);
  });
});
