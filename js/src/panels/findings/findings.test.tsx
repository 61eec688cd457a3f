import { fireEvent, screen, waitFor, within } from "@testing-library/preact";
import { describe, expect, test } from "vitest";
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
    host = await mountWidget("small", { panel: "findings" });
    const list = await screen.findByRole("list", { name: "Findings" });
    await waitFor(() =>
      expect(rulesIn(list)).toEqual([
        "NZ-DIM-001",
        "NZ-DIM-010",
        ...["NZ-FILL-006", "NZ-FILL-006", "NZ-FILL-006"],
        "NZ-COORD-002",
        "NZ-SCAL-001",
        ...["NZ-FILL-007", "NZ-FILL-007", "NZ-FILL-007"],
      ]),
    );
    for (const one of within(list).getAllByRole("listitem"))
      expect(one.textContent).toContain(one.getAttribute("data-rule"));
    const detail = screen.getByRole("region", { name: "Finding" });
    fireEvent.click(within(itemAt(list, 1)).getByRole("button"));
    await waitFor(() => expect(detail.textContent).toContain("Two lengths break it."));
    expect(within(itemAt(list, 1)).getByRole("button").getAttribute("aria-current")).toBe("true");
    const asked = host.requests("page").filter(({ params }) => params.name === "finding");
    expect(asked.at(-1)?.params).toMatchObject({
      path: "/analysis",
      params: { pointer: "/dimension_names/0" },
    });
    fireEvent.click(within(detail).getAllByRole("button", { name: "/analysis/y" }).at(-1) as HTMLElement);
    await waitFor(() => expect(host.model.get("path")).toBe("/analysis/y"));
  });

  test("a symptom is chosen by keyboard: what causes it comes first, the rest is quiet", async () => {
    host = await mountWidget("small", { panel: "findings" });
    const list = () => screen.getByRole("list", { name: "Findings" });
    await screen.findByRole("list", { name: "Findings" });
    await waitFor(() => expect(rulesIn(list())).toHaveLength(10));
    const box = screen.getByRole("combobox", { name: "What do you see?" });
    const press = (key: string) => fireEvent.keyDown(box, { key });
    const options = () => within(screen.getByRole("listbox")).queryAllByRole("option");
    press("ArrowDown");
    // Those that something here causes come first.
    const texts = options().map(({ textContent }) => textContent);
    expect(texts[0]).toBe("xarray cannot open it5");
    expect(texts.indexOf("a codec is not available–")).toBeGreaterThan(
      texts.indexOf("selecting by a coordinate fails or gives several rows1"),
    );
    expect(
      options()
        .map((one) => one.getAttribute("aria-selected"))
        .slice(0, 2),
    ).toEqual(["true", "false"]);
    fireEvent.input(box, { target: { value: "invalidindexerror" } });
    expect(options().map(({ textContent }) => textContent)).toEqual([
      "selecting by a coordinate fails or gives several rows1",
    ]);
    // A message that is pasted whole leads to what it is about.
    const pasted = "Traceback …\nInvalidIndexError: Reindexing only valid with uniquely valued Index objects";
    fireEvent.input(box, { target: { value: pasted } });
    expect(options().map(({ textContent }) => textContent)[0]).toBe(
      "selecting by a coordinate fails or gives several rows1",
    );
    press("Enter");
    await waitFor(() => expect(rulesIn(list())[0]).toBe("NZ-COORD-002"));
    expect(screen.getByText("1 of 10")).toBeTruthy();
    expect(itemAt(list(), 0).className).not.toContain("nzx-aside");
    expect(itemAt(list(), 1).className).toContain("nzx-aside");
    expect(within(list()).getByText("Other findings")).toBeTruthy();
    expect(screen.queryByRole("listbox")).toBeNull();
    press("Backspace");
    await waitFor(() => expect(rulesIn(list())[0]).toBe("NZ-DIM-001"));
    fireEvent.input(box, { target: { value: "a codec is not" } });
    press("Enter");
    await screen.findByText("nothing found");
    // What was not evaluated may be why; no finding is it.
    const about = await screen.findByRole("region", { name: "About the findings" });
    const open = (await within(about).findByText(/^Not evaluated: \d/)).closest("details");
    for (const part of ["Z3-CHUNK-001", "cost"]) expect(open?.textContent).toContain(part);
    expect(list().querySelector("[aria-current]")).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "Remove: a codec is not available" }));
    await waitFor(() => expect(screen.queryByText("nothing found")).toBeNull());
  });

  test("are filtered by impact, and ordered by impact, rule or node", async () => {
    host = await mountWidget("small", { panel: "findings" });
    const list = await screen.findByRole("list", { name: "Findings" });
    await waitFor(() => expect(rulesIn(list)).toHaveLength(10));
    expect(within(list).getByText("Blocks a reader")).toBeTruthy();
    fireEvent.click(screen.getByRole("combobox", { name: "What do you see?" }));
    fireEvent.click(screen.getByRole("option", { name: /^only: Breaks a convention/ }));
    const findings = () => screen.getByRole("list", { name: "Findings" });
    await waitFor(() => expect(rulesIn(findings())).toEqual(["NZ-SCAL-001"]));
    fireEvent.click(screen.getByRole("button", { name: "Remove: Breaks a convention" }));
    fireEvent.change(screen.getByRole("combobox", { name: "Order" }), { target: { value: "rule" } });
    const title = "A dimension has one length in a group";
    await waitFor(() => expect(within(findings()).getByText(title)).toBeTruthy());
    fireEvent.change(screen.getByRole("combobox", { name: "Order" }), { target: { value: "node" } });
    await waitFor(() => expect(findings().querySelectorAll(".nzx-group-head")).toHaveLength(0));
    expect(rulesIn(findings())).toHaveLength(10);
  });

  test("the arrow keys go from one to the next, and the detail follows", async () => {
    host = await mountWidget("small", { panel: "findings" });
    const list = await screen.findByRole("list", { name: "Findings" });
    await waitFor(() => expect(rulesIn(list)).toHaveLength(10));
    within(itemAt(list, 0)).getByRole("button").focus();
    fireEvent.keyDown(document.activeElement as Element, { key: "ArrowDown" });
    await waitFor(() => expect(document.activeElement).toBe(within(itemAt(list, 1)).getByRole("button")));
    fireEvent.keyDown(document.activeElement as Element, { key: "End" });
    await waitFor(() => expect(document.activeElement).toBe(within(itemAt(list, 9)).getByRole("button")));
    const detail = screen.getByRole("region", { name: "Finding" });
    await waitFor(() => expect(detail.querySelector("code")?.textContent).toBe("NZ-FILL-007"));
    fireEvent.keyDown(document.activeElement as Element, { key: "Home" });
    await waitFor(() => expect(document.activeElement).toBe(within(itemAt(list, 0)).getByRole("button")));
  });

  test("of ten thousand only those are laid out and asked for that are looked at", async () => {
    host = await mountWidget("small", { panel: "findings" }, (kernel) => {
      kernel.answers.findings = ({ offset, limit }, recorded) => {
        const found = recorded({ offset: 0 });
        const [first] = found.findings as [(typeof found.findings)[number]];
        const findings = Array.from({ length: limit }, (_, at) => ({
          ...first,
          message: `message ${offset + at}`,
        }));
        const groups = found.groups.slice(0, 1).map((group) => ({ ...group, count: 10_000 }));
        return { ...found, offset, total: 10_000, groups, findings };
      };
    });
    const list = await screen.findByRole("list", { name: "Findings" });
    await waitFor(() => expect(list.textContent).toContain("Message 0"));
    expect(within(list).getAllByRole("listitem").length).toBeLessThan(60);
    within(itemAt(list, 0)).getByRole("button").focus();
    fireEvent.keyDown(document.activeElement as Element, { key: "End" });
    await waitFor(() => expect(itemAt(list, 9999).textContent).toContain("Message 9999"));
    expect(host.requests("findings").length).toBeLessThan(6);
    for (const { params } of host.requests("findings")) expect(params.limit).toBeLessThanOrEqual(100);
  });

  test("the conventions, and what was not evaluated, are the last lines of the list", async () => {
    host = await mountWidget("small", { panel: "conventions" });
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
    host = await mountWidget("small", { panel: "findings" });
    fireEvent.click(await screen.findByRole("button", { name: "Report" }));
    fireEvent.click(await screen.findByRole("menuitem", { name: "Compare with another store" }));
    await waitFor(() => expect(host.model.get("panel")).toBe("comparison"));
  });

  test("show me goes to the lines", async () => {
    host = await mountWidget("small", { panel: "findings" });
    const list = await screen.findByRole("list", { name: "Findings" });
    await waitFor(() => expect(rulesIn(list)).toHaveLength(10));
    fireEvent.click(within(itemAt(list, 4)).getByRole("button"));
    fireEvent.click(await screen.findByRole("button", { name: "Show me: NZ-FILL-006 in /forecast/temp" }));
    const code = await screen.findByRole("region", { name: "Document forecast/temp/zarr.json" });
    expect(host.model.get("path")).toBe("/forecast/temp");
    expect(host.model.get("panel")).toBe("metadata");
    await waitFor(() =>
      expect(code.querySelector(".nzx-mark-light")?.textContent).toContain('"_FillValue": -9999'),
    );
  });

  test("none found is not called conformance", async () => {
    host = await mountWidget("small", { path: "/forecast/precip", panel: "findings" });
    await screen.findByText("No findings.");
    expect(screen.getByText(/The absence of findings is not conformance/)).toBeTruthy();
    expect(screen.getByText(/The chunks of data variables were not all read/)).toBeTruthy();
  });

  test("are asked for again when the walk has found more", async () => {
    host = await mountWidget("small", { panel: "findings" }, (kernel) => {
      kernel.walking();
      kernel.answers.findings = (_, recorded) => {
        const found = recorded();
        const last = found.groups.at(-1) as (typeof found.groups)[number];
        const groups = [...found.groups.slice(0, -1), { ...last, count: last.count - 1 }];
        return { ...found, groups, total: found.total - 1, findings: found.findings.slice(0, -1) };
      };
    });
    const list = await screen.findByRole("list", { name: "Findings" });
    await waitFor(() => expect(within(list).getAllByRole("listitem")).toHaveLength(9));
    delete host.kernel.answers.findings;
    host.kernel.announce({ phase: "done" });
    await waitFor(() => expect(within(list).getAllByRole("listitem")).toHaveLength(10));
    // The one that is chosen is explained beside the list.
    await waitFor(() => expect(host.el.querySelector(".nzx-one .nzx-page")).not.toBeNull());
  });
});
