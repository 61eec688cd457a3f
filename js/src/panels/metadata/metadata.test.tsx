import { fireEvent, screen, waitFor, within } from "@testing-library/preact";
import { describe, expect, test } from "vitest";
import { brokenStore, smallStore } from "../../mock/data";
import { mountWidget } from "../../mock/host";

describe("metadata", () => {
  test("marks lines and differences, and shows attributes with their types", async () => {
    await mountWidget(smallStore(), { path: "/forecast/temp", panel: "metadata" });
    const code = await screen.findByRole("region", { name: "Document forecast/temp/zarr.json" });
    expect(code.querySelector(".nzx-mark-convention")?.textContent).toContain("_FillValue");
    expect(code.querySelector(".nzx-mark-differs")?.textContent).toContain('"units": "K"');
    expect(code.querySelector(".nzx-t-key")?.textContent).toBe('"zarr_format"');
    fireEvent.click(screen.getByRole("radio", { name: "As consolidated" }));
    await waitFor(() => expect(code.textContent).toContain("degC"));
    const table = await screen.findByRole("table", { name: "Attributes" });
    expect(within(table).getByRole("row", { name: /_FillValue -9999/ })).toBeTruthy();
  });

  test("shows a document that is not JSON", async () => {
    await mountWidget(brokenStore(), { path: "/broken/not_json", panel: "metadata" });
    const code = await screen.findByRole("region", { name: "Document broken/not_json/zarr.json" });
    expect(code.querySelectorAll("[data-line]")).toHaveLength(3);
  });

  test("lays out only a part of a long document", async () => {
    const store = smallStore();
    const node = store.nodes.get("/forecast/temp");
    if (node)
      node.document = JSON.stringify(
        Array.from({ length: 20_000 }, (_, at) => at),
        null,
        1,
      );
    await mountWidget(store, { path: "/forecast/temp", panel: "metadata" });
    const code = await screen.findByRole("region", { name: "Document forecast/temp/zarr.json" });
    expect(code.querySelectorAll("[data-line]").length).toBeLessThan(120);
  });
});
