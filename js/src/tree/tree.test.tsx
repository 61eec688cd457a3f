import { fireEvent, screen, waitFor, within } from "@testing-library/preact";
import { expect, test, vi } from "vitest";
import { CONFIRM_MS } from "../client/traits";
import { type Host, mountWidget, pass } from "../mock/host";
import { multiply } from "../mock/many";

let host: Host;

const tree = () => screen.getByRole("tree", { name: "Groups and arrays" });
const item = (name: string) => within(tree()).getByRole("treeitem", { name });
const names = () =>
  within(tree())
    .getAllByRole("treeitem")
    .map((one) => one.getAttribute("aria-label"));
const key = (name: string) => fireEvent.keyDown(tree(), { key: name });
const active = () =>
  document.getElementById(tree().getAttribute("aria-activedescendant") ?? "")?.getAttribute("data-path");

test("shows the root and its children; treeitems say name, level, place and state", async () => {
  host = await mountWidget("small");
  await waitFor(() => item("forecast"));
  expect(names()).toEqual(["/", "analysis", "empty", "forecast", "images"]);
  const forecast = item("forecast");
  expect(forecast.getAttribute("aria-level")).toBe("2");
  expect(forecast.getAttribute("aria-setsize")).toBe("4");
  expect(forecast.getAttribute("aria-posinset")).toBe("3");
  expect(forecast.getAttribute("aria-expanded")).toBe("false");
  expect(forecast.getAttribute("aria-description")).toBe(
    "group, 3 findings keep a reader from opening or reading something, " +
      "1 finding makes a reader give wrong or missing values, " +
      "1 finding breaks Zarr or a convention that the dataset declares",
  );
  expect(item("/").getAttribute("aria-selected")).toBe("true");
  expect(item("/").getAttribute("aria-expanded")).toBe("true");
});

test("a click selects, expands and tells Python", async () => {
  host = await mountWidget("small");
  await waitFor(() => item("forecast"));
  fireEvent.click(item("forecast"));
  await waitFor(() => item("temp"));
  expect(host.model.get("path")).toBe("/forecast");
  expect(host.model.saved).toContainEqual({ path: "/forecast" });
  expect(item("forecast").getAttribute("aria-selected")).toBe("true");
  expect(item("forecast").getAttribute("aria-expanded")).toBe("true");
  expect(host.requests("children").map(({ params }) => params.path)).toEqual(["/", "/forecast"]);
});

test("where the host has lost what was selected, Python is told all the same, and heard", async () => {
  vi.useFakeTimers();
  host = await mountWidget("small");
  await pass(500);
  host.model.onSave = null;
  fireEvent.click(item("forecast"));
  // What another page sets before the kernel has confirmed this is the older of both.
  await pass(CONFIRM_MS + 100);
  expect(host.requests("set").map(({ params }) => params.traits)).toEqual([{ path: "/forecast" }]);
  host.kernel.tellTraits({ path: "/images", unknown: 1 });
  await pass(500);
  expect(item("images").getAttribute("aria-selected")).toBe("true");
});

test("when Python sets the path the tree opens, selects and nothing is written back", async () => {
  host = await mountWidget("small");
  await waitFor(() => item("forecast"));
  host.model.fromPython("path", "/forecast/temp");
  await waitFor(() => expect(item("temp").getAttribute("aria-selected")).toBe("true"));
  expect(item("forecast").getAttribute("aria-expanded")).toBe("true");
  await waitFor(() => expect(active()).toBe("/forecast/temp"));
  expect(host.model.saved).toEqual([]);
});

test("a path that is not there is said, and the tree stays", async () => {
  host = await mountWidget("small", { path: "/nowhere" });
  await waitFor(() => expect(screen.getAllByText(/there is no node at \/nowhere/).length).toBeGreaterThan(0));
  expect(names()).toContain("forecast");
});

test("the keyboard moves, opens, closes and selects", async () => {
  host = await mountWidget("small");
  await waitFor(() => item("forecast"));
  key("ArrowDown");
  await waitFor(() => expect(active()).toBe("/analysis"));
  key("ArrowRight");
  await waitFor(() => item("area"));
  key("ArrowRight");
  await waitFor(() => expect(active()).toBe("/analysis/area"));
  key("Enter");
  await waitFor(() => expect(host.model.get("path")).toBe("/analysis/area"));
  key("ArrowLeft");
  await waitFor(() => expect(active()).toBe("/analysis"));
  key("ArrowLeft");
  await waitFor(() => expect(names()).not.toContain("area"));
  key("End");
  await waitFor(() => expect(active()).toBe("/images"));
  key("Home");
  await waitFor(() => expect(active()).toBe("/"));
  for (const letter of "im") fireEvent.keyDown(tree(), { key: letter });
  await waitFor(() => expect(active()).toBe("/images"));
  key("*");
  await waitFor(() => item("temp"));
  expect(item("analysis").getAttribute("aria-expanded")).toBe("true");
});

test("a second arrow to the right waits for the children instead of going to the sibling", async () => {
  host = await mountWidget("small");
  await waitFor(() => item("forecast"));
  key("ArrowDown");
  await waitFor(() => expect(active()).toBe("/analysis"));
  key("ArrowRight");
  key("ArrowRight");
  await waitFor(() => expect(active()).toBe("/analysis/area"));
});

test("back and forth, by button and by key, along what was selected by anyone", async () => {
  host = await mountWidget("small");
  await waitFor(() => item("forecast"));
  const [back, forward] = ["Back", "Forward"].map((name) => screen.getByRole("button", { name })) as [
    HTMLElement,
    HTMLElement,
  ];
  const cannot = () => [back, forward].map((button) => button.getAttribute("aria-disabled") === "true");
  expect(cannot()).toEqual([true, true]);
  fireEvent.click(item("analysis"));
  host.model.fromPython("path", "/forecast/temp");
  await waitFor(() => expect(cannot()).toEqual([false, true]));
  fireEvent.click(back);
  await waitFor(() => expect(host.model.get("path")).toBe("/analysis"));
  fireEvent.keyDown(tree(), { key: "ArrowLeft", altKey: true });
  await waitFor(() => expect(host.model.get("path")).toBe("/"));
  await waitFor(() => expect(cannot()).toEqual([true, false]));
  fireEvent.click(forward);
  await waitFor(() => expect(host.model.get("path")).toBe("/analysis"));
  fireEvent.click(item("images"));
  await waitFor(() => expect(cannot()).toEqual([false, true]));
});

test("a bookmark is kept in a trait", async () => {
  host = await mountWidget("small", { bookmarks: ["/images"] });
  const mark = await screen.findByRole("button", { name: "Bookmark" });
  expect(mark.getAttribute("aria-pressed")).toBe("false");
  fireEvent.click(mark);
  expect(host.model.get("bookmarks")).toEqual(["/images", "/"]);
  host.model.fromPython("bookmarks", ["/images"]);
  await waitFor(() => expect(mark.getAttribute("aria-pressed")).toBe("false"));
});

test("filters are words of the search", async () => {
  host = await mountWidget("small");
  const box = await screen.findByRole<HTMLInputElement>("searchbox", { name: "Search" });
  fireEvent.input(box, { target: { value: "temp" } });
  fireEvent.click(screen.getByRole("button", { name: "findings" }));
  await waitFor(() => expect(host.requests("search").at(-1)?.params.query).toBe("is:finding temp"));
  fireEvent.click(screen.getByRole("button", { name: "findings" }));
  await waitFor(() => expect(box.value).toBe("temp"));
});

test("of 100 000 siblings at most 100 are in the page, and only the pages looked at are read", async () => {
  host = await mountWidget("wide", { path: "/many" }, (kernel) => multiply(kernel, 100_000));
  await waitFor(() => item("many"));
  fireEvent.click(
    within(item("many")).getByText("many").previousElementSibling?.previousElementSibling as Element,
  );
  await waitFor(() => item("var_000000"));
  expect(names().length).toBeLessThanOrEqual(100);
  expect(item("var_000003").getAttribute("aria-setsize")).toBe("100000");
  expect(tree().querySelector<HTMLElement>(".nzx-tree-space")?.style.height).toBe(`${100_004 * 24}px`);
  // Expanding scrolls its row into view a moment later; whoever scrolls meanwhile goes on scrolling.
  await waitFor(() => {
    tree().scrollTop = 24 * 50_000;
    fireEvent.scroll(tree());
    item("var_050010");
  });
  expect(names().length).toBeLessThanOrEqual(100);
  expect(names()).not.toContain("var_000000");
  const offsets = host
    .requests("children")
    .filter(({ params }) => params.path === "/many")
    .map(({ params }) => params.offset);
  expect(offsets.length).toBeLessThanOrEqual(4);
  expect(offsets).toContain(49_800);
});

test("however high the view is, at most 100 rows are in the page", async () => {
  vi.spyOn(Element.prototype, "clientHeight", "get").mockReturnValue(2000);
  vi.spyOn(Element.prototype, "clientWidth", "get").mockReturnValue(400);
  host = await mountWidget("wide", { path: "/many/var_000500" }, (kernel) => multiply(kernel, 1000));
  await waitFor(() => item("var_000500"));
  expect(names().length).toBeGreaterThan(80);
  expect(names().length).toBeLessThanOrEqual(100);
});

test("a node among 100 000 is revealed with one page of its siblings", async () => {
  host = await mountWidget("wide", { path: "/many/var_077777" }, (kernel) => multiply(kernel, 100_000));
  await waitFor(() => item("var_077777"));
  expect(item("var_077777").getAttribute("aria-posinset")).toBe("77778");
  expect(names().length).toBeLessThanOrEqual(100);
});

test("a group that cannot be listed says so in its place, with a retry that works", async () => {
  host = await mountWidget("small", {}, (kernel) => kernel.failing.set("children", "access denied"));
  await waitFor(() => screen.getByText("access denied"));
  host.kernel.failing.clear();
  fireEvent.click(screen.getByRole("button", { name: "Retry" }));
  await waitFor(() => item("forecast"));
});

test("broken nodes are nodes, marked and explained", async () => {
  host = await mountWidget("broken", { path: "/analysis/fog" });
  await waitFor(() => item("fog"));
  expect(item("fog").getAttribute("title")).toContain("its metadata lacks data_type");
  expect(item("fog").getAttribute("data-state")).toBe("malformed");
  expect(item("fog").querySelector(".nzx-icon-warning")).not.toBeNull();
  expect(screen.getByRole("button", { name: "Read again" })).toBeTruthy();
});

test("counts follow the walk for the rows on screen", async () => {
  host = await mountWidget("small", {}, (kernel) => kernel.walking());
  await waitFor(() => item("images"));
  const impacts = { blocks: 4, values: 0, convention: 0, distance: 3, advice: 2 };
  host.kernel.answers.node = ({ path }, recorded) => {
    const node = recorded();
    return path === "/images" ? { ...node, row: { ...node.row, impacts } } : node;
  };
  host.kernel.announce({ phase: "done" });
  await waitFor(() =>
    expect(item("images").getAttribute("aria-description")).toBe(
      "group, 4 findings keep a reader from opening or reading something",
    ),
  );
  expect(host.requests("rows").at(-1)?.params.paths).toContain("/images");
});

test("hostile names are text, and nothing of them becomes an element", async () => {
  host = await mountWidget("hostile");
  await waitFor(() => expect(names().length).toBe(10));
  expect(host.el.querySelector("img, script, b")).toBeNull();
  expect(["\u202e", "\u0007"].filter((char) => host.el.textContent?.includes(char))).toEqual([]);
  expect(item("evil\\u202etxt.exe")).toBeTruthy();
  expect(item("line\\nbreak\\u0007")).toBeTruthy();
  for (const panel of ["dimensions", "findings", "metadata", "netcdf", "code", "plot"]) {
    host.model.fromPython("panel", panel);
    await waitFor(() => {
      const view = host.el.querySelector(`[data-panel="${panel}"][role=tabpanel]`);
      expect(view?.textContent).toBeTruthy();
      expect(view?.querySelector(".nzx-wait")).toBeNull();
    });
    expect(host.el.querySelector("img, script, b")).toBeNull();
    expect(["\u202e", "\u0007"].filter((char) => host.el.textContent?.includes(char))).toEqual([]);
  }
  expect("hacked" in globalThis).toBe(false);
});

test("search finds by words, shows paths and goes there", async () => {
  host = await mountWidget("small");
  const box = await screen.findByRole("searchbox", { name: "Search" });
  fireEvent.input(box, { target: { value: "fore temp" } });
  const list = await screen.findByRole("listbox", { name: "Search results" });
  await waitFor(() => within(list).getByRole("option", { name: "/forecast/temp" }));
  expect(within(list).getAllByRole("option")).toHaveLength(3);
  fireEvent.keyDown(box, { key: "ArrowDown" });
  fireEvent.keyDown(box, { key: "Enter" });
  await waitFor(() => expect(host.model.get("path")).toBe("/forecast/temp"));
  fireEvent.keyDown(box, { key: "Escape" });
  await waitFor(() => expect(screen.queryByRole("listbox")).toBeNull());
  await waitFor(() => expect(item("temp").getAttribute("aria-selected")).toBe("true"));
});

test("search says that the walk still goes on", async () => {
  host = await mountWidget("small", {}, (kernel) => {
    kernel.walking();
    kernel.answers.search = (_, recorded) => ({ ...recorded(), complete: false });
  });
  fireEvent.input(await screen.findByRole("searchbox"), { target: { value: "temp" } });
  await screen.findByText(/still walking/);
});
