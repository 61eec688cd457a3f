import { fireEvent, screen, waitFor } from "@testing-library/preact";
import { expect, test, vi } from "vitest";
import { type Host, mountWidget } from "../../mock/host";

let host: Host;

test("code follows path and index, and can be copied", async () => {
  host = await mountWidget("small", { path: "/forecast/temp", panel: "code", index: { time: 3 } });
  const block = await screen.findByRole("region", { name: "With nz_explorer: Python" });
  expect(block.textContent).toContain("path='/forecast/temp'");
  expect(block.textContent).toContain("ex.index = {'time': 3}");
  expect(host.requests("page")).toHaveLength(1);
  host.model.fromPython("view", { mask: "storage" });
  await waitFor(() =>
    expect(host.requests("page").at(-1)?.params.params).toMatchObject({ view: { mask: "storage" } }),
  );
  const written: string[] = [];
  vi.stubGlobal("navigator", {
    ...navigator,
    clipboard: { writeText: async (text: string) => void written.push(text) },
  });
  fireEvent.click(await screen.findByRole("button", { name: "Copy: With zarr: Python" }));
  await waitFor(() => expect(written[0]).toContain("import zarr"));
  vi.unstubAllGlobals();
});
