import { fireEvent, screen, waitFor, within } from "@testing-library/preact";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import widget from "../src/index";
import { brokenStore, smallStore, wideStore } from "../src/mock/data";
import { FakeModel } from "../src/mock/model";
import { type Host, mountWidget, pass } from "./host";

let host: Host;
let errors: ReturnType<typeof vi.spyOn>;
beforeEach(() => {
  errors = vi.spyOn(console, "error");
});
afterEach(() => {
  host?.close();
  vi.useRealTimers();
  expect(errors.mock.calls).toEqual([]);
});

const tab = (name: string) => screen.getByRole("tab", { name });

describe("header", () => {
  test("says source, format, nodes, verdicts and which metadata are shown", async () => {
    host = await mountWidget(smallStore());
    const status = await screen.findByRole("status");
    await waitFor(() =>
      expect(status.isConnected && screen.getByRole("status").textContent).toContain("20 nodes"),
    );
    const text = screen.getByRole("status").textContent;
    for (const part of ["2 errors", "1 warning", "3 not evaluated"]) expect(text).toContain(part);
    expect(screen.getByText("Zarr v3")).toBeTruthy();
    expect(screen.getByText("stored documents")).toBeTruthy();
    expect(screen.getByRole("button", { name: /NZ-1.0.*does not conform/ })).toBeTruthy();
  });

  test("shows the walk, stops it and lets it go on", async () => {
    host = await mountWidget(smallStore(), {}, (kernel) => {
      kernel.progress = { ...kernel.progress, phase: "walk", nodes: 5, message: "5 of 20 nodes read" };
    });
    const bar = await screen.findByRole("progressbar");
    expect(bar.getAttribute("aria-valuenow")).toBe("25");
    fireEvent.click(screen.getByRole("button", { name: "Stop the walk" }));
    fireEvent.click(await screen.findByRole("button", { name: "Resume" }));
    await screen.findByRole("progressbar");
    expect(host.requests("walk").map(({ params }) => params.action)).toEqual(["cancel", "resume"]);
  });
});

describe("tabs", () => {
  test("have exactly their names, and the trait follows them", async () => {
    host = await mountWidget(smallStore());
    await screen.findByRole("tablist");
    expect(screen.getAllByRole("tab").map((one) => one.getAttribute("aria-label"))).toEqual([
      "Plot",
      "Dimensions",
      "Findings",
      "Metadata",
      "netCDF",
      "Code",
    ]);
    fireEvent.click(tab("Dimensions"));
    await waitFor(() => expect(tab("Dimensions").getAttribute("aria-selected")).toBe("true"));
    expect(host.model.saved).toEqual([{ panel: "dimensions" }]);
    fireEvent.keyDown(tab("Dimensions"), { key: "ArrowRight" });
    await waitFor(() => expect(host.model.get("panel")).toBe("findings"));
    host.model.fromPython("panel", "code");
    await waitFor(() => expect(tab("Code").getAttribute("aria-selected")).toBe("true"));
    expect(host.model.saved).toHaveLength(2);
  });
});

describe("plot", () => {
  test("is an image that says array, slice and range", async () => {
    host = await mountWidget(smallStore(), { path: "/forecast/sst" });
    const image = await screen.findByRole("img", { name: /^\/forecast\/sst, time 2020-01-01 00:00: \d+/ });
    expect(image.tagName).toBe("CANVAS");
    const legend = screen.getByRole("group", { name: "Legend" });
    for (const state of ["_FillValue", "NaN", "+Inf", "−Inf", "absent chunk"])
      expect(legend.textContent).toContain(state);
    expect(screen.getByText(/^12 of 48 chunks read · /)).toBeTruthy();
  });

  test("a slider for each other dimension sets the index and fetches the slice", async () => {
    host = await mountWidget(smallStore(), { path: "/forecast/temp" });
    const time = await screen.findByRole("slider", { name: "time" });
    expect(screen.getByRole("slider", { name: "level" })).toBeTruthy();
    fireEvent.input(time, { target: { value: "12" } });
    await screen.findByRole("img", { name: /time 2020-01-04 00:00, level 1000/ });
    await waitFor(() => expect(host.model.get("index")).toEqual({ time: 12 }));
    expect(host.requests("picture").at(-1)?.params.index).toEqual({ time: 12 });
    await waitFor(() => expect(time.getAttribute("aria-valuetext")).toBe("2020-01-04 00:00, 13 of 240"));
    fireEvent.click(screen.getByRole("button", { name: "Next time" }));
    await waitFor(() => expect(host.model.get("index")).toEqual({ time: 13 }));
  });

  test("Python moves the slider", async () => {
    host = await mountWidget(smallStore(), { path: "/forecast/temp" });
    await screen.findByRole("slider", { name: "time" });
    host.model.fromPython("index", { time: 100, level: 2 });
    await screen.findByRole("img", { name: /time 2020-01-26 00:00, level 500/ });
    expect((screen.getByRole("slider", { name: "level" }) as HTMLInputElement).value).toBe("2");
    expect(host.model.saved).toEqual([]);
  });

  test("mask, colormap, limits, log and grid cost no round trip and are told to Python", async () => {
    host = await mountWidget(smallStore(), { path: "/forecast/sst" });
    await screen.findByRole("option", { name: "magma" });
    await screen.findByRole("radio", { name: "raw" });
    const before = host.requests("picture").length;
    fireEvent.click(screen.getByRole("radio", { name: "raw" }));
    fireEvent.change(screen.getByRole("combobox", { name: "Colormap" }), { target: { value: "magma" } });
    fireEvent.input(screen.getByRole("textbox", { name: "Low" }), { target: { value: "280" } });
    fireEvent.keyDown(screen.getByRole("textbox", { name: "Low" }), { key: "Enter" });
    fireEvent.click(screen.getByRole("checkbox", { name: "log" }));
    fireEvent.click(screen.getByRole("checkbox", { name: "grid" }));
    await waitFor(() =>
      expect(host.model.get("view")).toMatchObject({
        mask: "raw",
        colormap: "magma",
        low: 280,
        log: true,
        grid: true,
      }),
    );
    await waitFor(() =>
      expect(screen.getByRole("group", { name: "Legend" }).textContent).not.toContain("_FillValue"),
    );
    fireEvent.click(screen.getByRole("button", { name: "Auto" }));
    await waitFor(() => expect(host.model.get("view")).toMatchObject({ low: null }));
    expect(host.requests("picture").length).toBe(before);
    expect(host.requests("colormaps")).toHaveLength(1);
  });

  test("limits belong to one array: choosing another forgets them", async () => {
    host = await mountWidget(smallStore(), { path: "/forecast/sst", view: { low: 1, high: 2 } });
    fireEvent.click(await screen.findByRole("treeitem", { name: "precip" }));
    await waitFor(() => expect(host.model.get("view")).toMatchObject({ low: null, high: null }));
  });

  test("the crosshair is moved by keys and reads out what lies there", async () => {
    host = await mountWidget(smallStore(), { path: "/images/tiny" });
    const stage = await screen.findByRole("application");
    expect(stage.style.width).toMatch(/^\d+px$/);
    fireEvent.keyDown(stage, { key: "ArrowRight" });
    fireEvent.keyDown(stage, { key: "ArrowUp" });
    const readout = await waitFor(() => host.el.querySelector(".nzx-readout") as HTMLElement);
    await waitFor(() => expect(readout.textContent).toContain("row[2]"));
    expect(readout.textContent).toContain("column[5]");
    expect(readout.querySelector("[data-state]")?.getAttribute("data-state")).toBe("absent");
  });

  test("unread chunks are said, and everything can be read", async () => {
    host = await mountWidget(smallStore(), { path: "/forecast/sst", index: { time: 200 } });
    await screen.findByText(/1 chunk could not be read/);
    expect(screen.getByText(/Reading all of it takes \S+ \SiB in \S+ chunks/)).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Read everything" }));
    await waitFor(() => expect(host.requests("picture").at(-1)?.params.everything).toBe(true));
  });

  test("reading everything can be stopped", async () => {
    host = await mountWidget(smallStore(), { path: "/forecast/sst", index: { time: 200 } });
    const read = await screen.findByRole("button", { name: "Read everything" });
    host.kernel.partials = 2;
    host.kernel.partialPause = 60_000;
    fireEvent.click(read);
    fireEvent.click(await screen.findByRole("button", { name: "Stop" }));
    await waitFor(() => expect(host.requests("picture").at(-1)?.params.everything).toBe(false));
  });

  test("scalars, texts and arrays without a picture", async () => {
    host = await mountWidget(brokenStore(), { path: "/forecast/reference_time" });
    await waitFor(() => expect(screen.getByRole("img").textContent).toContain("2020-01-01 00:00"));
    host.model.fromPython("path", "/forecast/station");
    await screen.findByText(/Reykjavík/);
    host.model.fromPython("path", "/broken/future");
    await waitFor(() =>
      expect(screen.getAllByText(/codec "quantum" is not known/).length).toBeGreaterThan(1),
    );
  });

  test("a failed picture says why and is fetched again", async () => {
    host = await mountWidget(smallStore(), { path: "/forecast/sst" }, (kernel) =>
      kernel.failing.set("picture", "503"),
    );
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("503");
    host.kernel.failing.clear();
    fireEvent.click(within(alert).getByRole("button", { name: "Retry" }));
    await screen.findByRole("img", { name: /^\/forecast\/sst/ });
    expect(screen.queryByRole("alert")).toBeNull();
  });

  test("the old picture stays until the next is there", async () => {
    host = await mountWidget(smallStore(), { path: "/forecast/temp" });
    const slider = await screen.findByRole("slider", { name: "time" });
    // What comes within a fifth of a second needs no sign of waiting.
    host.kernel.delays.picture = 600;
    fireEvent.input(slider, { target: { value: "3" } });
    expect(host.el.querySelector(".nzx-stale")).toBeNull();
    await waitFor(() => expect(host.el.querySelector(".nzx-stale")).not.toBeNull());
    expect(screen.getByRole("img", { name: /2020-01-01/ })).toBeTruthy();
    await screen.findByRole("img", { name: /2020-01-01 18:00/ });
    await waitFor(() => expect(host.el.querySelector(".nzx-stale")).toBeNull());
  });

  test("while a slider moves fast, slow pictures are cancelled and the last one wins", async () => {
    // By the test's own clock: how often is asked depends on how long the moves take.
    vi.useFakeTimers();
    host = await mountWidget(smallStore(), { path: "/forecast/temp" });
    await pass(500);
    const slider = screen.getByRole("slider", { name: "time" });
    host.kernel.delays.picture = 400;
    const before = host.requests("picture").length;
    for (let at = 1; at <= 30; at++) fireEvent.input(slider, { target: { value: String(at) } });
    await pass(1000);
    screen.getByRole("img", { name: /2020-01-08 12:00/ });
    expect(host.requests("picture").length - before).toBeLessThanOrEqual(3);
    expect(host.model.sent.some(({ kind }) => kind === "cancel")).toBe(true);
    expect(host.requests("picture").at(-1)?.params.index).toEqual({ time: 30 });
  });

  test("a group shows its arrays as small pictures, in batches", async () => {
    host = await mountWidget(smallStore(), { path: "/forecast" });
    const list = await screen.findByRole("list", { name: "Arrays" });
    await within(list).findByRole("img", { name: /^\/forecast\/temp/ });
    expect(host.requests("thumbnails").length).toBeGreaterThan(1);
    fireEvent.click(within(list).getByRole("button", { name: /precip/ }));
    await waitFor(() => expect(host.model.get("path")).toBe("/forecast/precip"));
  });
});

describe("dimensions", () => {
  test("are a table with links", async () => {
    host = await mountWidget(smallStore(), { path: "/forecast", panel: "dimensions" });
    const table = await screen.findByRole("table", { name: "Dimensions" });
    const lat = within(table).getByRole("row", { name: /^lat/ });
    expect(lat.textContent).toContain("181");
    fireEvent.click(within(lat).getByRole("button", { name: "sst" }));
    await waitFor(() => expect(host.model.get("path")).toBe("/forecast/sst"));
  });

  test("a conflict stands out", async () => {
    host = await mountWidget(smallStore(), { path: "/analysis", panel: "dimensions" });
    const table = await screen.findByRole("table", { name: "Dimensions" });
    const x = within(table).getByRole("row", { name: /x/ });
    expect(x.className).toContain("nzx-is-error");
    expect(x.textContent).toContain("4, 5");
  });
});

describe("findings", () => {
  test("are list items with their rule, and open to everything known of it", async () => {
    host = await mountWidget(smallStore(), { panel: "findings" });
    const list = await screen.findByRole("list", { name: "Findings" });
    const items = within(list).getAllByRole("listitem");
    expect(items.map((one) => one.getAttribute("data-rule"))).toEqual([
      "NZ-DIM-010",
      "NZ-DIM-010",
      "NZ-ATTR-004",
    ]);
    for (const one of items) expect(one.textContent).toContain(one.getAttribute("data-rule"));
    const second = items[1] as HTMLElement;
    fireEvent.click(within(second).getByRole("button", { expanded: false }));
    await waitFor(() => expect(second.textContent).toContain("what NZ-DIM-010 says"));
    const [own] = host.requests("page").filter(({ params }) => params.name === "finding");
    expect(own?.params).toMatchObject({ path: "/analysis/y", params: { pointer: "/dimension_names/0" } });
    const links = within(second).getAllByRole("button", { name: "/analysis/y" });
    fireEvent.click(links.at(-1) as HTMLElement);
    await waitFor(() => expect(host.model.get("path")).toBe("/analysis/y"));
  });

  test("are filtered by severity and grouped by rule, node or severity", async () => {
    host = await mountWidget(smallStore(), { panel: "findings" });
    const list = await screen.findByRole("list", { name: "Findings" });
    fireEvent.click(screen.getByRole("button", { name: /^2 errors/ }));
    await waitFor(() => expect(within(list).getAllByRole("listitem")).toHaveLength(1));
    fireEvent.click(screen.getByRole("button", { name: /^2 errors/ }));
    fireEvent.click(screen.getByRole("radio", { name: "By node" }));
    await waitFor(() => expect(within(list).getByRole("button", { name: "/forecast/temp" })).toBeTruthy());
    fireEvent.click(screen.getByRole("radio", { name: "By severity" }));
    await waitFor(() => expect(within(list).getByText("warnings")).toBeTruthy());
  });

  test("show me goes to the lines", async () => {
    host = await mountWidget(smallStore(), { panel: "findings" });
    fireEvent.click(await screen.findByRole("button", { name: "Show me: NZ-ATTR-004 in /forecast/temp" }));
    const code = await screen.findByRole("region", { name: "Document forecast/temp/zarr.json" });
    expect(host.model.get("path")).toBe("/forecast/temp");
    expect(host.model.get("panel")).toBe("metadata");
    await waitFor(() =>
      expect(code.querySelector(".nzx-mark-light")?.textContent).toContain('"_FillValue": -9999'),
    );
  });

  test("none found is not called conformance", async () => {
    host = await mountWidget(smallStore(), { path: "/forecast/sst", panel: "findings" });
    await screen.findByText("No findings.");
    const open = screen.getByText("Not evaluated: 1").closest("details");
    expect(open?.textContent).toContain("NZ-VAL-001");
    expect(open?.textContent).toContain("cost: 96 MiB");
  });

  test("are asked for again when the walk has found more", async () => {
    const store = smallStore();
    host = await mountWidget(store, { panel: "findings" }, (kernel) => {
      kernel.progress = { ...kernel.progress, phase: "walk" };
    });
    const list = await screen.findByRole("list", { name: "Findings" });
    const [first] = store.findings;
    if (first) store.findings.push({ ...first, path: "/images" });
    host.kernel.announce({ phase: "done" });
    await waitFor(() => expect(within(list).getAllByRole("listitem")).toHaveLength(4));
  });
});

describe("metadata", () => {
  test("marks lines and differences, and shows attributes with their types", async () => {
    host = await mountWidget(smallStore(), { path: "/forecast/temp", panel: "metadata" });
    const code = await screen.findByRole("region", { name: "Document forecast/temp/zarr.json" });
    expect(code.querySelector(".nzx-mark-warning")?.textContent).toContain("_FillValue");
    expect(code.querySelector(".nzx-mark-differs")?.textContent).toContain('"units": "K"');
    expect(code.querySelector(".nzx-t-key")?.textContent).toBe('"zarr_format"');
    fireEvent.click(screen.getByRole("radio", { name: "As consolidated" }));
    await waitFor(() => expect(code.textContent).toContain("degC"));
    const table = screen.getByRole("table", { name: "Attributes" });
    expect(within(table).getByRole("row", { name: /_FillValue -9999/ })).toBeTruthy();
  });

  test("shows a document that is not JSON", async () => {
    host = await mountWidget(brokenStore(), { path: "/broken/not_json", panel: "metadata" });
    const code = await screen.findByRole("region", { name: "Document broken/not_json/zarr.json" });
    expect(code.querySelectorAll("[data-line]")).toHaveLength(3);
  });

  test("lays out only a part of a long document", async () => {
    const store = smallStore();
    const node = store.nodes.get("/forecast/temp");
    if (node)
      node.document = JSON.stringify(
        Array.from({ length: 20_000 }, (_, at) => at),
        null,
        1,
      );
    host = await mountWidget(store, { path: "/forecast/temp", panel: "metadata" });
    const code = await screen.findByRole("region", { name: "Document forecast/temp/zarr.json" });
    expect(code.querySelectorAll("[data-line]").length).toBeLessThan(120);
  });
});

describe("netCDF", () => {
  test("pointing at CDL lights the document, and the other way round", async () => {
    host = await mountWidget(smallStore(), { path: "/forecast/temp", panel: "netcdf" });
    const cdl = await screen.findByRole("region", { name: "CDL" });
    const line = [...cdl.querySelectorAll("[data-line]")].find((one) =>
      one.textContent?.includes("long_name"),
    ) as Element;
    fireEvent.mouseEnter(line);
    const code = screen.getByRole("region", { name: "Document forecast/temp/zarr.json" });
    await waitFor(() => expect(code.querySelector(".nzx-mark-light")?.textContent).toContain('"long_name"'));
    const back = [...code.querySelectorAll("[data-line]")].find((one) =>
      one.textContent?.includes('"_FillValue"'),
    ) as Element;
    fireEvent.mouseEnter(back);
    await waitFor(() => expect(cdl.querySelector(".nzx-mark-light")?.textContent).toContain("_FillValue"));
  });

  test("the keyboard walks through the document, and CDL lights up", async () => {
    host = await mountWidget(smallStore(), { path: "/forecast/temp", panel: "netcdf" });
    const cdl = await screen.findByRole("region", { name: "CDL" });
    const document = await screen.findByRole("region", { name: /^Document/ });
    const line = [...document.querySelectorAll("[data-line]")].find((one) =>
      one.textContent?.includes("_FillValue"),
    );
    for (let at = 0; at < Number(line?.getAttribute("data-line")); at++)
      fireEvent.keyDown(document, { key: "ArrowDown" });
    await waitFor(() => expect(document.querySelector(".nzx-active")).toBe(line));
    expect(cdl.querySelector(".nzx-mark-light")?.textContent).toContain("_FillValue");
    fireEvent.keyDown(document, { key: "Escape" });
    await waitFor(() => expect(cdl.querySelector(".nzx-mark-light")).toBeNull());
  });

  test("the keyboard walks through CDL", async () => {
    host = await mountWidget(smallStore(), { path: "/forecast/temp", panel: "netcdf" });
    const cdl = await screen.findByRole("region", { name: "CDL" });
    fireEvent.keyDown(cdl, { key: "ArrowDown" });
    fireEvent.keyDown(cdl, { key: "ArrowDown" });
    await waitFor(() => expect(cdl.querySelector(".nzx-active")?.getAttribute("data-line")).toBe("2"));
  });
});

test("code follows path and index, and can be copied", async () => {
  host = await mountWidget(smallStore(), { path: "/forecast/temp", panel: "code", index: { time: 3 } });
  const block = await screen.findByRole("region", { name: "With nz_explorer: Python" });
  expect(block.textContent).toContain('h["/forecast/temp"]');
  expect(block.textContent).toContain("time=3");
  expect(host.requests("page")).toHaveLength(1);
  const written: string[] = [];
  vi.stubGlobal("navigator", {
    ...navigator,
    clipboard: { writeText: async (text: string) => void written.push(text) },
  });
  fireEvent.click(screen.getByRole("button", { name: "Copy: With zarr: Python" }));
  await waitFor(() => expect(written[0]).toContain("import zarr"));
  vi.unstubAllGlobals();
});

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

  test("a host that does not call initialize works too", async () => {
    const model = new FakeModel();
    const el = document.createElement("div");
    const close = widget().render({ model, el });
    expect(model.sent).toEqual([{ kind: "request", id: expect.any(Number), method: "open", params: {} }]);
    close();
    expect(model.listeners).toBe(0);
  });

  test("keys of the host's notebook are kept away", async () => {
    host = await mountWidget(smallStore());
    expect(host.el.querySelector(".nzx")?.hasAttribute("data-lm-suppress-shortcuts")).toBe(true);
  });
});

describe("a kernel that does not answer", () => {
  test("is waited for, then explained, then asked again", async () => {
    vi.useFakeTimers();
    host = await mountWidget(smallStore(), {}, (kernel) => kernel.silent.add("all"));
    await pass(2000);
    expect(screen.getByRole("status").textContent).toBe("The kernel is busy; waiting…");
    await pass(4000);
    expect(host.el.textContent).toContain("run the cell again");
    await pass(20_000);
    expect(screen.getByRole("status").textContent).toBe("No answer from the kernel");
    host.kernel.silent.clear();
    fireEvent.click(screen.getByRole("button", { name: "Retry" }));
    await pass(500);
    expect(screen.getByRole("tree")).toBeTruthy();
  });

  test("in the middle of work is said in the panel", async () => {
    vi.useFakeTimers();
    host = await mountWidget(wideStore(300), { path: "/first", panel: "dimensions" });
    await pass(500);
    host.kernel.silent.add("all");
    fireEvent.click(tab("Findings"));
    await pass(2500);
    expect(screen.getByRole("tabpanel").textContent).toContain("The kernel is busy; waiting…");
    await pass(25_000);
    const panel = screen.getByRole("tabpanel");
    expect(panel.textContent).toContain("No answer from the kernel");
    host.kernel.silent.clear();
    fireEvent.click(within(panel).getByRole("button", { name: "Retry" }));
    await pass(500);
    await pass(500);
    expect(screen.getByText("No findings.")).toBeTruthy();
  });
});
