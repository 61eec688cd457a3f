import { fireEvent, screen, waitFor, within } from "@testing-library/preact";
import { describe, expect, test } from "vitest";
import { type Host, mountWidget } from "../../mock/host";

let host: Host;

const heading = (name: string) => screen.getByRole("button", { name });
const opened = (name: string) => heading(name).getAttribute("aria-expanded") === "true";

describe("sections", () => {
  test.each([
    ["fill", "netCDF", "Missing values"],
    ["netcdf#missing", "netCDF", "Missing values"],
    ["glossary", "netCDF", "Glossary"],
    ["storage", "Metadata", "Storage"],
  ])("ex.panel = %s unfolds its section of %s", async (panel, tab, section) => {
    host = await mountWidget("small", { path: "/forecast/temp", panel });
    expect((await screen.findByRole("tab", { name: tab })).getAttribute("aria-selected")).toBe("true");
    await waitFor(() => expect(opened(section)).toBe(true));
  });

  test("fold and unfold, tell Python, and stay so while another tab is looked at", async () => {
    host = await mountWidget("small", { path: "/forecast/temp", panel: "netcdf" });
    await waitFor(() => expect(opened("Glossary")).toBe(false));
    expect(host.requests("page").map(({ params }) => params.name)).not.toContain("glossary");
    fireEvent.click(heading("Glossary"));
    await waitFor(() => expect(opened("Glossary")).toBe(true));
    expect(host.model.get("panel")).toBe("glossary");
    fireEvent.click(screen.getByRole("tab", { name: "Code" }));
    fireEvent.click(screen.getByRole("tab", { name: "netCDF" }));
    await waitFor(() => expect(opened("Glossary")).toBe(true));
    fireEvent.click(heading("Glossary"));
    await waitFor(() => expect(opened("Glossary")).toBe(false));
    host.model.fromPython("panel", "glossary");
    await waitFor(() => expect(opened("Glossary")).toBe(true));
    fireEvent.click(heading("Glossary"));
    await waitFor(() => expect(opened("Glossary")).toBe(false));
    expect(host.model.get("panel")).toBe("netcdf");
  });

  test("come into view within their tab, and the notebook stays where it is", async () => {
    host = await mountWidget("small", { path: "/forecast/temp", panel: "metadata" });
    const section = await screen.findByRole("region", { name: "Storage" });
    Object.defineProperty(section, "offsetTop", { value: 500 });
    const moved: unknown[] = [];
    section.scrollIntoView = (...how) => moved.push(how);
    fireEvent.click(heading("Storage"));
    await waitFor(() => expect(section.parentElement?.scrollTop).toBe(500));
    expect(moved).toEqual([]);
  });
});

describe("what is about the whole store", () => {
  test("lies over the tab in front and closes to it", async () => {
    host = await mountWidget("small", { panel: "dimensions" });
    await screen.findByRole("tree");
    host.model.fromPython("panel", "readers");
    const drawer = await screen.findByRole("dialog", { name: "Readers" });
    await within(drawer).findByText(/^Each runs in a process of its own/);
    expect(screen.getByRole("tab", { name: "Dimensions" }).getAttribute("aria-selected")).toBe("true");
    fireEvent.keyDown(drawer, { key: "Escape" });
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(host.model.get("panel")).toBe("dimensions");
  });
});
