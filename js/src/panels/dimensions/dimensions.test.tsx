import { fireEvent, screen, waitFor, within } from "@testing-library/preact";
import { describe, expect, test } from "vitest";
import { type Host, mountWidget } from "../../mock/host";

let host: Host;

describe("dimensions", () => {
  test("are a table with links", async () => {
    host = await mountWidget("small", { path: "/forecast", panel: "dimensions" });
    const table = await screen.findByRole("table", { name: "Dimensions" });
    const lat = within(table).getByRole("row", { name: /^lat/ });
    expect(lat.textContent).toContain("10");
    fireEvent.click(within(lat).getByRole("button", { name: "sst" }));
    await waitFor(() => expect(host.model.get("path")).toBe("/forecast/sst"));
  });

  test("a conflict stands out", async () => {
    host = await mountWidget("small", { path: "/analysis", panel: "dimensions" });
    const table = await screen.findByRole("table", { name: "Dimensions" });
    const x = within(table).getByRole("row", { name: /x/ });
    expect(x.className).toContain("nzx-is-error");
    expect(x.textContent).toMatch(/4 in area.x; 5 in y/);
  });
});
