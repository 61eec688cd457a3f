import { fireEvent, screen, waitFor, within } from "@testing-library/preact";
import { describe, expect, test, vi } from "vitest";
import { type Host, more, mountWidget, pass } from "../../mock/host";
import type { RecordedKernel } from "../../mock/kernel";
import { multiply } from "../../mock/many";

let host: Host;

/** Has pictures be of an array that is too large to be read unasked. */
function inPart(kernel: RecordedKernel): void {
  kernel.answers.picture = ({ everything = false }, recorded) => {
    const picture = recorded({ everything: undefined });
    if (everything || !picture.read) return picture;
    const size = { whole_bytes: 5 * 2 ** 30, chunks_total: 48, complete: false };
    return { ...picture, read: { ...picture.read, ...size } };
  };
}

describe("plot", () => {
  test("is an image that says array, slice and range", async () => {
    host = await mountWidget("small", { path: "/forecast/sst" });
    const image = await screen.findByRole("img", {
      name: /^map of \/forecast\/sst .* at time 2020-01-01; values from 270\.\d+ to 303\.\d+ K; .* chunk not in the store$/,
    });
    expect(image.tagName).toBe("CANVAS");
    const legend = screen.getByRole("group", { name: "Legend" });
    for (const state of ["_FillValue", "NaN", "+Inf", "−Inf", "absent chunk"])
      expect(legend.textContent).toContain(state);
    expect(screen.getByText(/^4 chunks read · /)).toBeTruthy();
  });

  test("what xarray hides is shown as it does by one click, and the legend names the member that masks", async () => {
    host = await mountWidget("small", { path: "/forecast/sst" }, (kernel) => {
      const hidden = { hidden_by_xarray: 3, message: "xarray hides 3", fill_source: "fill_value" } as const;
      kernel.answers.picture = (_, recorded) => ({ ...recorded(), ...hidden });
    });
    fireEvent.click(await screen.findByRole("button", { name: "Show as xarray does" }));
    await waitFor(() => expect(host.model.get("view")).toMatchObject({ mask: "storage" }));
    fireEvent.click(await screen.findByRole("button", { name: "Show them as values" }));
    await waitFor(() =>
      expect(screen.getByRole("group", { name: "Legend" }).textContent).toMatch(/\d fill_value/),
    );
  });

  test("a slider for each other dimension sets the index and fetches the slice", async () => {
    host = await mountWidget("small", { path: "/forecast/temp" });
    const time = await screen.findByRole("slider", { name: "time" });
    expect(screen.getByRole("slider", { name: "level" })).toBeTruthy();
    fireEvent.input(time, { target: { value: "12" } });
    await screen.findByRole("img", { name: /time 2020-01-04, level 1000/ });
    await waitFor(() => expect(host.model.get("index")).toEqual({ time: 12 }));
    expect(host.requests("picture").at(-1)?.params.index).toEqual({ time: 12 });
    await waitFor(() => expect(time.getAttribute("aria-valuetext")).toBe("2020-01-04, 13 of 240"));
    fireEvent.click(screen.getByRole("button", { name: "Next time" }));
    await waitFor(() => expect(host.model.get("index")).toEqual({ time: 13 }));
  });

  test("a dimension is reduced to a number, others in the same way, and shown one by one again", async () => {
    host = await mountWidget("small", { path: "/forecast/temp" });
    const choose = async (name: string, value: string) =>
      fireEvent.change(await screen.findByRole("combobox", { name: `Reduce ${name}` }), {
        target: { value },
      });
    const reduce = () => (host.model.get("view") as Record<string, unknown>).reduce;
    await choose("time", "mean");
    await waitFor(() => expect(host.requests("picture").at(-1)?.params.reduce).toEqual({ time: "mean" }));
    await choose("level", "max");
    await waitFor(() => expect(reduce()).toEqual({ time: "max", level: "max" }));
    await choose("time", "");
    await waitFor(() => expect(reduce()).toEqual({ level: "max" }));
    // Along an axis a dimension is not reduced.
    fireEvent.change(screen.getByRole("combobox", { name: "Horizontal axis" }), {
      target: { value: "level" },
    });
    await waitFor(() => expect(reduce()).toEqual({}));
  });

  test("where the slider begins is subtracted, or what is typed, and no longer", async () => {
    host = await mountWidget("small", { path: "/forecast/temp", index: { time: 3 } });
    await screen.findByRole("slider", { name: "time" });
    const view = () => host.model.get("view") as Record<string, unknown>;
    const against = () => view().against;
    host.model.fromPython("view", { ...view(), colormap: "viridis", reverse: true });
    fireEvent.click(await screen.findByRole("button", { name: "A − B" }));
    await waitFor(() => expect(against()).toEqual({ time: 0 }));
    // It was chosen for the values; a difference gets what suits it.
    expect(view()).toMatchObject({ colormap: "", reverse: false });
    // The button is gone: what stands in its place has the focus.
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("combobox", { name: "Show" })));
    await waitFor(() => expect(host.requests("picture").at(-1)?.params.against).toEqual(against()));
    fireEvent.change(screen.getByRole("combobox", { name: "Show" }), { target: { value: "B" } });
    await waitFor(() => expect(against()).toEqual({ time: 0, show: "b" }));
    await waitFor(() => expect(host.requests("picture").at(-1)?.params.against).toEqual(against()));
    fireEvent.change(screen.getByRole("combobox", { name: "Show" }), { target: { value: "A | B" } });
    await waitFor(() =>
      expect(screen.getAllByRole("img", { name: / of \/forecast\/temp / })).toHaveLength(2),
    );
    fireEvent.change(screen.getByRole("combobox", { name: "Show" }), { target: { value: "A − B" } });
    await waitFor(() => expect(against()).toEqual({ time: 0, show: "" }));
    expect((screen.getByRole("textbox", { name: "B at time" }) as HTMLInputElement).value).toBe("2020-01-01");
    fireEvent.click(screen.getAllByRole("button", { name: "− B" })[0] as HTMLElement);
    await waitFor(() => expect(against()).toEqual({ time: 3, show: "" }));
    // What is missing was so before: the menu says why it cannot be chosen.
    fireEvent.click(screen.getByRole("button", { name: "More" }));
    await screen.findByText("Missing is what NZ says: values are computed");
    expect(screen.queryByRole("combobox", { name: "Missing is" })).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "More" }));
    fireEvent.click(screen.getByRole("button", { name: "No difference" }));
    await waitFor(() => expect(against()).toEqual({}));
  });

  test("another array of the same dimensions and units is subtracted, and the first place again", async () => {
    host = await mountWidget("small", { path: "/forecast/temp", index: { time: 3 } }, (kernel) => {
      kernel.answers.node = (_, usual) => {
        const node = usual();
        const own = node.arrays.find(({ path }) => path === "/forecast/temp");
        const beside = own ? [{ ...own, path: "/forecast/old", name: "old" }] : [];
        return { ...node, arrays: [...node.arrays, ...beside] };
      };
      kernel.answers.picture = (_, usual) => usual({ against: undefined });
    });
    const against = () => (host.model.get("view") as Record<string, unknown>).against;
    fireEvent.click(await screen.findByRole("button", { name: "A − B" }));
    const box = await screen.findByRole<HTMLSelectElement>("combobox", { name: "B" });
    expect([...box.options].map(({ text }) => text)).toEqual(["temp", "old"]);
    fireEvent.change(box, { target: { value: "/forecast/old" } });
    await waitFor(() => expect(against()).toEqual({ path: "/forecast/old" }));
    await waitFor(() => expect(host.requests("picture").at(-1)?.params.against).toEqual(against()));
    fireEvent.change(box, { target: { value: "/forecast/temp" } });
    await waitFor(() => expect(against()).toEqual({ time: 0 }));
  });

  test("what is typed at a slider goes there; what is not there is refused, and Escape takes it back", async () => {
    host = await mountWidget("small", { path: "/forecast/temp" });
    const box = (await screen.findByRole("textbox", { name: "Go to time" })) as HTMLInputElement;
    expect(box.value).toBe("2020-01-01");
    const type = (value: string) => {
      fireEvent.input(box, { target: { value } });
      fireEvent.keyDown(box, { key: "Enter" });
    };
    type("2020-01-04");
    await waitFor(() => expect(host.model.get("index")).toEqual({ time: 12 }));
    expect(host.requests("locate")[0]?.params).toEqual({
      path: "/forecast/temp",
      dimension: "time",
      value: "2020-01-04",
      index: 0,
    });
    await waitFor(() => expect(box.value).toBe("2020-01-04"));
    type("1999");
    expect((await screen.findByRole("alert")).textContent).toContain("time has no '1999'");
    expect(box.getAttribute("aria-invalid")).toBe("true");
    fireEvent.keyDown(box, { key: "Escape" });
    await waitFor(() => expect(box.value).toBe("2020-01-04"));
    expect(screen.queryByRole("alert")).toBeNull();
  });

  test("what is typed at a slider is completed, and what is typed next replaces that", async () => {
    host = await mountWidget("small", { path: "/forecast/temp" });
    const box = (await screen.findByRole("textbox", { name: "Go to time" })) as HTMLInputElement;
    fireEvent.input(box, { target: { value: "2020-01-04" } });
    await waitFor(() => expect(box.value).toBe("2020-01-04 00:00"));
    expect([box.selectionStart, box.selectionEnd]).toEqual([10, 16]);
    fireEvent.input(box, { target: { value: "2020-01-04 06" }, inputType: "insertText" });
    await waitFor(() => expect(box.value).toBe("2020-01-04 06:00"));
    fireEvent.keyDown(box, { key: "Enter" });
    await waitFor(() => expect(host.model.get("index")).toEqual({ time: 13 }));
    fireEvent.input(box, { target: { value: "2020-01" }, inputType: "deleteContentBackward" });
    expect(host.requests("complete")).toHaveLength(2);
  });

  test("a slider steps by months, and plays as fast and as long as is wanted", async () => {
    host = await mountWidget("small", { path: "/forecast/temp", index: { time: 114 } });
    const step = await more("combobox", "Sliders step by");
    fireEvent.change(step, { target: { value: "month" } });
    fireEvent.click(screen.getByRole("button", { name: "Next time" }));
    await waitFor(() => expect(host.model.get("index")).toEqual({ time: 238 }));
    fireEvent.change(await more("combobox", "Sliders step by"), { target: { value: "one" } });
    fireEvent.change(await more("combobox", "Frames per second"), { target: { value: "25" } });
    fireEvent.click(await more("checkbox", "Play in a loop"));
    fireEvent.click(screen.getByRole("button", { name: "Play time" }));
    // At the end it stops.
    await waitFor(() => expect(host.model.get("index")).toEqual({ time: 239 }));
    await screen.findByRole("button", { name: "Play time" });
    // From there it begins again.
    fireEvent.click(screen.getByRole("button", { name: "Play time" }));
    await waitFor(() => expect(host.requests("picture").at(-1)?.params.index).toMatchObject({ time: 0 }));
    fireEvent.click(screen.getByRole("button", { name: "Stop time" }));
    fireEvent.click(await more("checkbox", "Play in a loop"));
    fireEvent.click(screen.getByRole("button", { name: "Play time" }));
    await waitFor(() => expect(host.requests("picture").at(-1)?.params.index).toMatchObject({ time: 3 }));
    fireEvent.click(screen.getByRole("button", { name: "Stop time" }));
  });

  test("a step that leads nowhere says why, until the next one; its button keeps the focus", async () => {
    host = await mountWidget("small", { path: "/forecast/temp", index: { time: 239 } }, (kernel) => {
      kernel.failing.set("locate", "time begins 2020-01-01");
    });
    fireEvent.change(await more("combobox", "Sliders step by"), { target: { value: "month" } });
    const next = screen.getByRole("button", { name: "Next time" });
    next.focus();
    fireEvent.click(next);
    expect(next.getAttribute("aria-disabled")).toBe("true");
    expect((next.getRootNode() as ShadowRoot).activeElement).toBe(next);
    expect(host.requests("locate")).toEqual([]);
    fireEvent.click(screen.getByRole("button", { name: "Previous time" }));
    await waitFor(() => expect(screen.getByRole("alert").textContent).toBe("time begins 2020-01-01"));
    expect(host.model.get("index")).toEqual({ time: 239 });
    fireEvent.input(screen.getByRole("slider", { name: "time" }), { target: { value: "3" } });
    await waitFor(() => expect(screen.queryByRole("alert")).toBeNull());
  });

  test("of a line of which the extremes are shown, the legend counts all points", async () => {
    host = await mountWidget("small", { path: "/forecast/temp", view: { kind: "line" } }, (kernel) => {
      kernel.answers.picture = (_, recorded) => {
        const picture = recorded();
        const states = [
          { state: "value" as const, code: 0, count: 4473 },
          { state: "fill" as const, code: 1, count: 527 },
        ];
        return { ...picture, y: null, x: picture.x && { ...picture.x, step: 5 }, kind: "line", states };
      };
    });
    await waitFor(() =>
      expect(screen.getByRole("group", { name: "Legend" }).textContent).toMatch(/4\u202f473 values.*527/),
    );
  });

  test("the track of a slider shows what is cached, and counts from 1", async () => {
    host = await mountWidget("small", { path: "/forecast/temp", index: { time: 70 } });
    const time = await screen.findByRole("slider", { name: "time" });
    // Chunks are 60 long: what needs no further reading ends between 119 and 120.
    await waitFor(() => expect(time.style.getPropertyValue("--track")).toContain("0.5000"));
    expect(time.closest(".nzx-slider")?.textContent).toContain("71 of 240");
  });

  test("the title says date and level; of a part of the map which, and the way back", async () => {
    host = await mountWidget("small", { path: "/forecast/temp", index: { time: 31, level: 2 } });
    await screen.findByRole("heading", { name: "8 January 2020, 18:00, 500 hPa" });
    host.model.fromPython("view", { window: { lat: [0, 3] } });
    await screen.findByText("90° N … 50° N");
    fireEvent.click(screen.getByRole("button", { name: "Reset zoom" }));
    await waitFor(() => expect(host.model.get("view")).toMatchObject({ window: {} }));
  });

  test("statistics open beside the picture and close again", async () => {
    host = await mountWidget("small", { path: "/forecast/sst" });
    const button = await screen.findByRole("button", { name: "Statistics" });
    fireEvent.click(button);
    await screen.findByRole("region", { name: "Statistics" });
    fireEvent.click(screen.getByRole("button", { name: "Close statistics: whole array" }));
    await waitFor(() => expect(screen.queryByRole("region", { name: "Statistics" })).toBeNull());
    expect(button.getAttribute("aria-pressed")).toBe("false");
  });

  test("Python moves the slider", async () => {
    host = await mountWidget("small", { path: "/forecast/temp" });
    await screen.findByRole("slider", { name: "time" });
    host.model.fromPython("index", { time: 100, level: 2 });
    await screen.findByRole("img", { name: /time 2020-01-26, level 500/ });
    expect((screen.getByRole("slider", { name: "level" }) as HTMLInputElement).value).toBe("2");
    expect(host.model.saved).toEqual([]);
  });

  test("mask, colormap, limits, log and grid cost no round trip and are told to Python", async () => {
    host = await mountWidget("small", { path: "/forecast/sst" });
    await screen.findByRole("option", { name: "magma" });
    const before = host.requests("picture").length;
    fireEvent.change(await more("combobox", "Missing is"), { target: { value: "raw" } });
    fireEvent.change(screen.getByRole("combobox", { name: "Colormap" }), { target: { value: "magma" } });
    fireEvent.input(screen.getByRole("textbox", { name: "Low" }), { target: { value: "280" } });
    fireEvent.keyDown(screen.getByRole("textbox", { name: "Low" }), { key: "Enter" });
    fireEvent.change(await more("combobox", "Scale"), { target: { value: "log" } });
    fireEvent.change(await more("combobox", "Levels"), { target: { value: "10" } });
    fireEvent.click(await more("checkbox", "Reverse the colours"));
    fireEvent.click(await more("checkbox", "Borders of cells and chunks"));
    await waitFor(() =>
      expect(host.model.get("view")).toMatchObject({
        mask: "raw",
        colormap: "magma",
        low: 280,
        scale: "log",
        levels: 10,
        reverse: true,
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

  test("a limit has no more digits than there is room for", async () => {
    host = await mountWidget("small", { path: "/forecast/sst", view: { low: 51.12549784837942, high: 300 } });
    const low = await screen.findByRole<HTMLInputElement>("textbox", { name: "Low" });
    expect(low.value).toBe("51.1254978");
    fireEvent.blur(low);
    expect(host.model.get("view")).toMatchObject({ low: 51.12549784837942 });
  });

  test("limits and colormap belong to one array: the next has its own, and they come back with it", async () => {
    host = await mountWidget("small", {
      path: "/forecast/sst",
      view: { low: 1, high: 2, colormap: "magma" },
    });
    const low = async () => ((await screen.findByRole("textbox", { name: "Low" })) as HTMLInputElement).value;
    const colours = () => (screen.getByRole("combobox", { name: "Colormap" }) as HTMLSelectElement).value;
    fireEvent.click(await screen.findByRole("treeitem", { name: "precip" }));
    await waitFor(async () => expect([await low(), colours()]).toEqual(["", "viridis"]));
    fireEvent.click(await screen.findByRole("treeitem", { name: "sst" }));
    await waitFor(async () => expect([await low(), colours()]).toEqual(["1", "magma"]));
  });

  test("limits are held, and freed, by one click; the statistics open for those of the whole array", async () => {
    host = await mountWidget("small", { path: "/forecast/sst" });
    const modes = (await screen.findByRole("combobox", { name: "Limits" })) as HTMLSelectElement;
    expect(modes.value).toBe("held");
    const lock = screen.getByRole("button", { name: "Hold the limits" });
    expect(lock.getAttribute("aria-pressed")).toBe("true");
    fireEvent.click(lock);
    await waitFor(() => expect(host.model.get("view")).toMatchObject({ limits: "frame", low: null }));
    expect(lock.getAttribute("aria-pressed")).toBe("false");
    fireEvent.click(lock);
    await waitFor(() =>
      expect(host.model.get("view")).toMatchObject({ limits: "held", low: expect.any(Number) }),
    );
    fireEvent.change(modes, { target: { value: "whole" } });
    await screen.findByRole("region", { name: "Statistics" });
    expect(host.model.get("view")).toMatchObject({ limits: "whole", low: null, high: null });
  });

  test("limits are not held of a part: those of the whole picture are", async () => {
    host = await mountWidget("small", {
      path: "/forecast/sst",
      view: { limits: "frame", window: { lat: [0, 4] } },
    });
    fireEvent.click(await screen.findByRole("button", { name: "Hold the limits" }));
    await waitFor(() =>
      expect(host.model.get("view")).toMatchObject({ limits: "held", low: null, high: null }),
    );
  });

  test("the crosshair is moved by keys and reads out what lies there", async () => {
    host = await mountWidget("small", { path: "/images/tiny" });
    const stage = await screen.findByRole("application");
    expect(stage.style.width).toMatch(/^\d+px$/);
    fireEvent.keyDown(stage, { key: "ArrowRight" });
    fireEvent.keyDown(stage, { key: "ArrowUp" });
    const readout = await waitFor(() => host.el.querySelector(".nzx-readout") as HTMLElement);
    await waitFor(() => expect(readout.textContent).toContain("row[2]"));
    expect(readout.textContent).toContain("column[5]");
    expect(readout.textContent).toMatch(/^tiny/);
    expect(readout.querySelector("[data-state]")?.getAttribute("data-state")).toBe("absent");
  });

  test("unread chunks are said, and everything can be read", async () => {
    host = await mountWidget("small", { path: "/forecast/sst", index: { time: 200 } }, inPart);
    await screen.findByText(/1 chunk could not be read/);
    const read = screen.getByRole("button", { name: /^Read everything \(\S+ \SiB\)/ });
    expect(read.title).toMatch(/Reading all of it takes \S+ \SiB in \S+ chunks/);
    fireEvent.click(read);
    await waitFor(() => expect(host.requests("picture").at(-1)?.params.everything).toBe(true));
  });

  test("reading everything can be stopped", async () => {
    host = await mountWidget("small", { path: "/forecast/sst", index: { time: 200 } }, inPart);
    const read = await screen.findByRole("button", { name: /^Read everything/ });
    host.kernel.partials = 2;
    host.kernel.partialPause = 60_000;
    fireEvent.click(read);
    fireEvent.click(await screen.findByRole("button", { name: "Stop" }));
    await waitFor(() => expect(host.requests("picture").at(-1)?.params.everything).toBe(false));
  });

  test("scalars, texts and arrays without a picture", async () => {
    host = await mountWidget("small", { path: "/forecast/reference_time" });
    await waitFor(() => expect(screen.getByRole("img").textContent).toContain("2020-01-01"));
    host.model.fromPython("path", "/forecast/station");
    await screen.findByText(/Reykjavík/);
    host.close();
    host = await mountWidget("broken", { path: "/analysis/soil" });
    await waitFor(() =>
      expect(screen.getAllByText(/shape is not a list of non-negative integers/).length).toBeGreaterThan(1),
    );
    host.model.fromPython("path", "/analysis/snow");
    await screen.findByText(/the codec "wavelet9" is not available here/);
  });

  test("a failed picture says why and is fetched again", async () => {
    host = await mountWidget("small", { path: "/forecast/sst" }, (kernel) =>
      kernel.failing.set("picture", "503"),
    );
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("503");
    host.kernel.failing.clear();
    fireEvent.click(within(alert).getByRole("button", { name: "Retry" }));
    await screen.findByRole("img", { name: / of \/forecast\/sst / });
    expect(screen.queryByRole("alert")).toBeNull();
  });

  test("the old picture stays until the next is there", async () => {
    host = await mountWidget("small", { path: "/forecast/temp" });
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
    host = await mountWidget("small", { path: "/forecast/temp" });
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

  test("a group shows its data as small pictures", async () => {
    host = await mountWidget("small", { path: "/forecast" });
    const list = await screen.findByRole("list", { name: "Arrays" });
    await within(list).findByRole("img", { name: / of \/forecast\/temp / });
    fireEvent.click(within(list).getByRole("button", { name: /precip/ }));
    await waitFor(() => expect(host.model.get("path")).toBe("/forecast/precip"));
  });

  test("arrays far below are told apart by the ends of their paths", async () => {
    host = await mountWidget("small", { path: "/" }, (kernel) => {
      kernel.answers.node = (_, recorded) => {
        const group = recorded();
        const inside = ["/measurements/reflectance/r10m/b02", "/model/low/t"].map((path) => ({
          ...group.row,
          path,
          role: "data" as const,
          label: null,
        }));
        // Beside its groups there is only what all of them share.
        const arrays = [{ ...group.row, path: "/lat", name: "lat", role: "coordinate" as const }];
        return { ...group, arrays, groups: [{ row: group.row, groups: 0, arrays: 2, inside }] };
      };
    });
    const list = await screen.findByRole("list", { name: "Arrays" });
    expect(list.textContent).toContain("…/r10m/b02");
    expect(list.textContent).toContain("/model/low/t");
    expect(list.textContent).not.toContain("reflectance");
  });

  test("small pictures are asked for in batches", async () => {
    host = await mountWidget("wide", { path: "/many" }, (kernel) => multiply(kernel, 300));
    await screen.findByRole("list", { name: "Arrays" });
    await waitFor(() => expect(host.requests("thumbnails").length).toBeGreaterThan(1));
  });
});
