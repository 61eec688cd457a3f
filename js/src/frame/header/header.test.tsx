import { fireEvent, screen, waitFor, within } from "@testing-library/preact";
import { describe, expect, test } from "vitest";
import { type Host, mountWidget } from "../../mock/host";

let host: Host;

describe("header", () => {
  test("says source, format, nodes, verdicts and which metadata are shown", async () => {
    host = await mountWidget("small");
    await waitFor(() => expect(screen.getByRole("status").textContent).toContain("20 nodes"));
    const text = screen.getByRole("status").textContent;
    for (const part of ["3 errors", "1 warning", "13 not evaluated"]) expect(text).toContain(part);
    expect(screen.getByText("folder · Zarr v3")).toBeTruthy();
    expect(screen.getByRole("button", { name: /NZ-1.0.*does not conform/ })).toBeTruthy();
  });

  test("tells what readers will make of it, and what findings mean for them", async () => {
    host = await mountWidget("small", { panel: "code" });
    await screen.findByRole("tree");
    const readers = within(screen.getByRole("group", { name: "Readers" }));
    const blocked = "xarray: cannot open everything, NZ-DIM-010, NZ-FILL-006, NZ-DIM-001";
    expect(readers.getByRole("button", { name: blocked })).toBeTruthy();
    expect(readers.getByRole("button", { name: "zarr-python: no problem found" })).toBeTruthy();
    const counts = within(screen.getByRole("group", { name: "Findings by impact" }));
    fireEvent.click(counts.getByRole("button", { name: /^5 findings keep a reader/ }));
    await waitFor(() => expect(host.model.get("panel")).toBe("findings"));
    fireEvent.click(readers.getByRole("button", { name: /^xarray/ }));
    await screen.findByRole("dialog", { name: "Readers" });
  });

  test("a dataset that does not declare NZ is so many steps from it, and nothing of that is an alarm", async () => {
    host = await mountWidget("wide");
    const steps = await screen.findByRole("button", { name: "1 step from NZ-1.0: does not conform" });
    expect(steps.className).not.toMatch(/blocks|values|convention/);
    expect(screen.getByRole("tree").querySelector("[data-impact]")).toBeNull();
  });

  test("shows the walk, stops it and lets it go on", async () => {
    host = await mountWidget("small", {}, (kernel) => kernel.walking(5));
    const bar = await screen.findByRole("progressbar");
    expect(bar.getAttribute("aria-valuenow")).toBe("25");
    fireEvent.click(screen.getByRole("button", { name: "Stop the walk" }));
    fireEvent.click(await screen.findByRole("button", { name: "Resume" }));
    await screen.findByRole("progressbar");
    expect(host.requests("walk").map(({ params }) => params.action)).toEqual(["cancel", "resume"]);
  });
});

test("of many readers those that something is wrong for have chips, and a button leads to the others", async () => {
  host = await mountWidget("small", {}, (kernel) => {
    const { readers } = kernel.summary;
    const [, opens] = readers as [unknown, (typeof readers)[number]];
    readers.unshift(...Array.from({ length: 9 }, (_, at) => ({ ...opens, reader: `reader ${at}` })));
  });
  const readers = within(await screen.findByRole("group", { name: "Readers" }));
  const shown = readers.getAllByRole("button").map(({ textContent }) => textContent);
  expect([shown.length, shown[0], shown.at(-1)]).toEqual([4, "xarray", "+9"]);
  fireEvent.click(readers.getByRole("button", { name: /more readers$/ }));
  await screen.findByRole("dialog", { name: "Readers" });
});

test("of a store with a history the version is chosen; what is asked for is the kernel's to show", async () => {
  host = await mountWidget("small", {}, (kernel) => {
    Object.assign(kernel.summary, {
      version: "branch main",
      versions: ["branch main", "tag v1", "History …"],
    });
  });
  const choice = (await screen.findByRole("combobox", { name: "Version" })) as HTMLSelectElement;
  expect(choice.value).toBe("branch main");
  fireEvent.change(choice, { target: { value: "tag v1" } });
  const wanted = { name: "show version", path: "/", params: { version: "tag v1" } };
  await waitFor(() => expect(host.requests("act").map(({ params }) => params)).toEqual([wanted]));
});
