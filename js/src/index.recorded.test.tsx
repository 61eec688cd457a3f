import { screen, waitFor } from "@testing-library/preact";
import { expect, test } from "vitest";
import { mountWidget } from "./mock/host";
import { PANELS } from "./panels";

/** Nodes of the recorded datasets of which every tab was recorded. */
const NODES = {
  sample: ["/ocean/sea_surface_temperature", "/analysis/cloud_type", "/stations/station_name"],
  broken: ["/stations/air_temperature", "/analysis/soil"],
} as const;

for (const [store, paths] of Object.entries(NODES)) {
  test(`what a real kernel said of the ${store} dataset is shown on every tab`, async () => {
    const host = await mountWidget(store as keyof typeof NODES, { path: paths[0] });
    for (const path of paths) {
      host.model.fromPython("path", path);
      for (const { title, name } of PANELS) {
        host.model.fromPython("panel", name);
        const panel = () => screen.getByRole("tabpanel", { name: title });
        await waitFor(() => expect(panel().textContent?.length).toBeGreaterThan(10));
        await waitFor(() => expect(panel().querySelector(".nzx-wait")).toBeNull());
        await waitFor(() => expect(host.kernel.idle).toBe(true));
        if (store === "sample" && path === paths[0]) expect(panel().textContent).not.toContain("no recorded");
      }
    }
  });
}
