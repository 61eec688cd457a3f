import { fireEvent, screen, within } from "@testing-library/preact";
import { describe, expect, test, vi } from "vitest";
import { type Host, mountWidget, pass } from "../../mock/host";

let host: Host;

const tab = (name: string) => screen.getByRole("tab", { name });

describe("a kernel that does not answer", () => {
  test("is waited for, then explained, then asked again", async () => {
    vi.useFakeTimers();
    host = await mountWidget("small", {}, (kernel) => kernel.silent.add("all"));
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

  test("leaves what was saved to be seen, where nothing of it can run, until one answers", async () => {
    vi.useFakeTimers();
    const _saved_page = '<meta content="light dark"><p>12 nodes</p><script>alert(1)</script>';
    host = await mountWidget("small", { _saved_page }, (kernel) => {
      kernel.delays.open = 30_000;
      kernel.silent.add("lost");
    });
    expect(host.el.querySelector("iframe")).toBeNull();
    await pass(2000);
    const said = "No answer from the kernel yet: this is what was saved";
    expect(screen.getByRole("status").textContent).toBe(said);
    const frame = screen.getByTitle<HTMLIFrameElement>("What was saved");
    expect(frame.getAttribute("sandbox")).toBe("");
    expect(frame.srcdoc).toContain('content="light"><p>12 nodes');
    await pass(25_000);
    expect(screen.getByRole("status").textContent).toBe(said);
    expect(frame.isConnected).toBe(true);
    await pass(4000);
    expect(screen.getByRole("tree")).toBeTruthy();
  });

  test("a store that cannot be opened is told of in one sentence, with the way to try again", async () => {
    host = await mountWidget("small", {}, (kernel) =>
      kernel.failing.set("open", "Access to s3://bucket/x.zarr was denied"),
    );
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("Access to s3://bucket/x.zarr was denied");
    host.kernel.failing.clear();
    fireEvent.click(within(alert).getByRole("button", { name: "Retry" }));
    await screen.findByRole("tree");
  });

  test("in the middle of work is said in the panel", async () => {
    vi.useFakeTimers();
    host = await mountWidget("wide", { path: "/first", panel: "dimensions" });
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
    expect(panel.textContent).not.toContain("No answer");
    expect(screen.getAllByRole("region").length).toBeGreaterThan(0);
  });
});
