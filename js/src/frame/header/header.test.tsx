import { fireEvent, screen, waitFor, within } from "@testing-library/preact";
import { describe, expect, test } from "vitest";
import { noImpacts, smallStore } from "../../mock/data";
import { type Host, mountWidget } from "../../mock/host";

let host: Host;

describe("header", () => {
  test("says source, format, nodes, verdicts and which metadata are shown", async () => {
    host = await mountWidget(smallStore());
    await waitFor(() => expect(screen.getByRole("status").textContent).toContain("20 nodes"));
    const text = screen.getByRole("status").textContent;
    for (const part of ["2 errors", "1 warning", "3 not evaluated"]) expect(text).toContain(part);
    expect(screen.getByText("folder · Zarr v3")).toBeTruthy();
    expect(screen.getByRole("button", { name: /NZ-1.0.*does not conform/ })).toBeTruthy();
  });

  test("tells what readers will make of it, and what findings mean for them", async () => {
    host = await mountWidget(smallStore(), { panel: "code" });
    await screen.findByRole("tree");
    const readers = within(screen.getByRole("group", { name: "Readers" }));
    expect(readers.getByRole("button", { name: "xarray: cannot open everything, NZ-DIM-010" })).toBeTruthy();
    expect(readers.getByRole("button", { name: "zarr-python: no problem found" })).toBeTruthy();
    const counts = within(screen.getByRole("group", { name: "Findings by impact" }));
    fireEvent.click(counts.getByRole("button", { name: /^2 findings keep a reader/ }));
    await waitFor(() => expect(host.model.get("panel")).toBe("findings"));
    fireEvent.click(readers.getByRole("button", { name: /^xarray/ }));
    await screen.findByRole("dialog", { name: "Readers" });
  });

  test("a dataset that does not declare NZ is so many steps from it, and nothing of that is an alarm", async () => {
    const store = smallStore();
    store.findings.length = 0;
    for (const rule of ["NZ-DECL-001", "NZ-DIM-001", "NZ-DIM-001"])
      store.findings.push({
        rule,
        level: "MUST",
        severity: "error",
        impact: "distance",
        path: "/",
        pointer: "",
        message: rule,
      });
    for (const { row } of store.nodes.values()) row.impacts = { ...noImpacts(), distance: 3 };
    host = await mountWidget(store);
    const steps = await screen.findByRole("button", { name: "2 steps from NZ-1.0: does not conform" });
    expect(steps.className).not.toMatch(/blocks|values|convention/);
    expect(screen.getByRole("tree").querySelector("[data-impact]")).toBeNull();
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

test("of many readers those that something is wrong for have chips, and a button leads to the others", async () => {
  host = await mountWidget(smallStore(), {}, (kernel) => {
    kernel.readers = [...Array.from({ length: 9 }, (_, at) => `reader ${at}`), ...kernel.readers];
  });
  const readers = within(await screen.findByRole("group", { name: "Readers" }));
  const shown = readers.getAllByRole("button").map(({ textContent }) => textContent);
  expect([shown.length, shown[0], shown.at(-1)]).toEqual([4, "xarray", "+9"]);
  fireEvent.click(readers.getByRole("button", { name: /more readers$/ }));
  await screen.findByRole("dialog", { name: "Readers" });
});
