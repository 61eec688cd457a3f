import { fireEvent, screen, waitFor, within } from "@testing-library/preact";
import { describe, expect, test } from "vitest";
import { type Host, mountWidget } from "../../mock/host";

let host: Host;

describe("by keyboard", () => {
  test("a drawer takes the focus, and Escape gives it back to what opened it", async () => {
    host = await mountWidget("small");
    const chip = await screen.findByRole("button", { name: /^xarray/ });
    chip.focus();
    fireEvent.click(chip);
    const drawer = await screen.findByRole("dialog", { name: "Readers" });
    expect(document.activeElement).toBe(drawer);
    fireEvent.keyDown(drawer, { key: "Escape" });
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(document.activeElement).toBe(chip);
    expect(host.model.get("panel")).toBe("plot");
  });

  test("Escape closes a drawer that Python opened, and leaves the focus where it is", async () => {
    host = await mountWidget("small", { panel: "readers" });
    await screen.findByRole("dialog", { name: "Readers" });
    const tree = await screen.findByRole("tree");
    tree.focus();
    fireEvent.keyDown(tree, { key: "Escape" });
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(document.activeElement).toBe(tree);
  });

  test("what saving writes is shown before it is written; Escape goes back to the bar of the edits", async () => {
    host = await mountWidget("small", {}, (kernel) => {
      kernel.summary.mode = "r+";
      Object.assign(kernel.summary.edits, { steps: 1, shown: true, serial: 1 });
    });
    const bar = within(await screen.findByRole("region", { name: "Edits" }));
    const save = bar.getByRole("button", { name: "Save to the store" });
    save.focus();
    fireEvent.click(save);
    const drawer = screen.getByRole("dialog", { name: "Save to the store" });
    await waitFor(() => expect(document.activeElement).toBe(drawer));
    await waitFor(() => expect(host.requests("page").map(({ params }) => params.name)).toContain("saving"));
    expect(host.requests("act")).toEqual([]);
    fireEvent.keyDown(drawer, { key: "Escape" });
    await waitFor(() => expect(document.activeElement).toBe(save));
  });
});
