import { fireEvent, screen, waitFor, within } from "@testing-library/preact";
import { describe, expect, test } from "vitest";
import { smallStore } from "../../mock/data";
import { type Host, mountWidget } from "../../mock/host";

let host: Host;

const rulesIn = (list: HTMLElement) =>
  within(list)
    .getAllByRole("listitem")
    .map((one) => one.getAttribute("data-rule"));
const itemAt = (list: HTMLElement, index: number) =>
  list.querySelector(`[data-index="${index}"]`) as HTMLElement;

describe("findings", () => {
  test("are list items with their rule; the one that is chosen is shown with everything known of it", async () => {
    host = await mountWidget(smallStore(), { panel: "findings" });
    const list = await screen.findByRole("list", { name: "Findings" });
    await waitFor(() => expect(rulesIn(list)).toEqual(["NZ-DIM-010", "NZ-DIM-010", "NZ-ATTR-004"]));
    for (const one of within(list).getAllByRole("listitem"))
      expect(one.textContent).toContain(one.getAttribute("data-rule"));
    const detail = screen.getByRole("region", { name: "Finding" });
    fireEvent.click(within(itemAt(list, 1)).getByRole("button"));
    await waitFor(() => expect(detail.textContent).toContain("what NZ-DIM-010 says"));
    expect(within(itemAt(list, 1)).getByRole("button").getAttribute("aria-current")).toBe("true");
    const asked = host.requests("page").filter(({ params }) => params.name === "finding");
    expect(asked.at(-1)?.params).toMatchObject({
      path: "/analysis/y",
      params: { pointer: "/dimension_names/0" },
    });
    fireEvent.click(within(detail).getAllByRole("button", { name: "/analysis/y" }).at(-1) as HTMLElement);
    await waitFor(() => expect(host.model.get("path")).toBe("/analysis/y"));
  });

  test("a symptom is chosen by keyboard: what causes it comes first, the rest is quiet", async () => {
    host = await mountWidget(smallStore(), { panel: "findings" });
    const list = () => screen.getByRole("list", { name: "Findings" });
    await screen.findByRole("list", { name: "Findings" });
    await waitFor(() => expect(rulesIn(list())).toHaveLength(3));
    const box = screen.getByRole("combobox", { name: "What do you see?" });
    const press = (key: string) => fireEvent.keyDown(box, { key });
    const options = () => screen.queryAllByRole("option", { name: /not available|lost|cannot open/ });
    press("ArrowDown");
    // Those that something here causes come first.
    expect(options().map((one) => one.getAttribute("aria-selected"))).toEqual(["true", "false", "false"]);
    expect(options()[2]?.textContent).toBe("a codec is not available–");
    fireEvent.input(box, { target: { value: "attr-004" } });
    expect(options().map(({ textContent }) => textContent)).toEqual(["attributes are lost1"]);
    press("Enter");
    await waitFor(() => expect(rulesIn(list())[0]).toBe("NZ-ATTR-004"));
    expect(screen.getByText("1 of 3")).toBeTruthy();
    expect(itemAt(list(), 0).className).not.toContain("nzx-aside");
    expect(itemAt(list(), 1).className).toContain("nzx-aside");
    expect(within(list()).getByText("Other findings")).toBeTruthy();
    expect(options()).toHaveLength(0);
    press("Backspace");
    await waitFor(() => expect(rulesIn(list())[0]).toBe("NZ-DIM-010"));
    fireEvent.input(box, { target: { value: "codec" } });
    press("Enter");
    await screen.findByText("nothing found");
    // What was not evaluated may be why; no finding is it.
    await screen.findByRole("region", { name: "About the findings" });
    expect(list().querySelector("[aria-current]")).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "Remove: a codec is not available" }));
    await waitFor(() => expect(screen.queryByText("nothing found")).toBeNull());
  });

  test("are filtered by impact, and ordered by impact, rule or node", async () => {
    host = await mountWidget(smallStore(), { panel: "findings" });
    const list = await screen.findByRole("list", { name: "Findings" });
    await waitFor(() => expect(rulesIn(list)).toHaveLength(3));
    expect(within(list).getByText("Blocks a reader")).toBeTruthy();
    fireEvent.click(screen.getByRole("combobox", { name: "What do you see?" }));
    fireEvent.click(screen.getByRole("option", { name: /^only: Breaks a convention/ }));
    const findings = () => screen.getByRole("list", { name: "Findings" });
    await waitFor(() => expect(rulesIn(findings())).toEqual(["NZ-ATTR-004"]));
    fireEvent.click(screen.getByRole("button", { name: "Remove: Breaks a convention" }));
    fireEvent.change(screen.getByRole("combobox", { name: "Order" }), { target: { value: "rule" } });
    const { title } = host.kernel.store.rules["NZ-DIM-010"] ?? {};
    await waitFor(() => expect(within(findings()).getByText(title as string)).toBeTruthy());
    fireEvent.change(screen.getByRole("combobox", { name: "Order" }), { target: { value: "node" } });
    await waitFor(() => expect(findings().querySelectorAll(".nzx-group-head")).toHaveLength(0));
    expect(rulesIn(findings())).toHaveLength(3);
  });

  test("the arrow keys go from one to the next, and the detail follows", async () => {
    host = await mountWidget(smallStore(), { panel: "findings" });
    const list = await screen.findByRole("list", { name: "Findings" });
    await waitFor(() => expect(rulesIn(list)).toHaveLength(3));
    within(itemAt(list, 0)).getByRole("button").focus();
    fireEvent.keyDown(document.activeElement as Element, { key: "ArrowDown" });
    await waitFor(() => expect(document.activeElement).toBe(within(itemAt(list, 1)).getByRole("button")));
    fireEvent.keyDown(document.activeElement as Element, { key: "End" });
    await waitFor(() => expect(document.activeElement).toBe(within(itemAt(list, 2)).getByRole("button")));
    const detail = screen.getByRole("region", { name: "Finding" });
    await waitFor(() => expect(detail.querySelector("code")?.textContent).toBe("NZ-ATTR-004"));
    fireEvent.keyDown(document.activeElement as Element, { key: "Home" });
    await waitFor(() => expect(document.activeElement).toBe(within(itemAt(list, 0)).getByRole("button")));
  });

  test("of ten thousand only those are laid out and asked for that are looked at", async () => {
    const store = smallStore();
    const [first] = store.findings;
    if (first)
      store.findings = Array.from({ length: 10_000 }, (_, at) => ({ ...first, message: `message ${at}` }));
    host = await mountWidget(store, { panel: "findings" });
    const list = await screen.findByRole("list", { name: "Findings" });
    await waitFor(() => expect(list.textContent).toContain("message 0"));
    expect(within(list).getAllByRole("listitem").length).toBeLessThan(60);
    within(itemAt(list, 0)).getByRole("button").focus();
    fireEvent.keyDown(document.activeElement as Element, { key: "End" });
    await waitFor(() => expect(itemAt(list, 9999).textContent).toContain("message 9999"));
    expect(host.requests("findings").length).toBeLessThan(6);
    for (const { params } of host.requests("findings")) expect(params.limit).toBeLessThanOrEqual(100);
  });

  test("the conventions, and what was not evaluated, are the last lines of the list", async () => {
    host = await mountWidget(smallStore(), { panel: "conventions" });
    await screen.findByRole("heading", { name: "Conventions" });
    const conventions = screen.getByRole("button", { name: "Conventions" });
    expect(conventions.getAttribute("aria-pressed")).toBe("true");
    const list = screen.getByRole("list", { name: "Findings" });
    fireEvent.click(within(itemAt(list, 0)).getByRole("button"));
    await waitFor(() => expect(conventions.getAttribute("aria-pressed")).toBe("false"));
    expect(host.model.get("panel")).toBe("findings");
    fireEvent.click(conventions);
    await waitFor(() => expect(host.model.get("panel")).toBe("conventions"));
  });

  test("the report is a menu", async () => {
    host = await mountWidget(smallStore(), { panel: "findings" });
    fireEvent.click(await screen.findByRole("button", { name: "Report" }));
    fireEvent.click(await screen.findByRole("menuitem", { name: "Compare with another store" }));
    await waitFor(() => expect(host.model.get("panel")).toBe("comparison"));
  });

  test("show me goes to the lines", async () => {
    host = await mountWidget(smallStore(), { panel: "findings" });
    const list = await screen.findByRole("list", { name: "Findings" });
    await waitFor(() => expect(rulesIn(list)).toHaveLength(3));
    fireEvent.click(within(itemAt(list, 2)).getByRole("button"));
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
