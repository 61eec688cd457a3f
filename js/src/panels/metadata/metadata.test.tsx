import { fireEvent, screen, waitFor, within } from "@testing-library/preact";
import { describe, expect, test } from "vitest";
import { mountWidget } from "../../mock/host";

describe("metadata", () => {
  test("marks lines and differences, and shows attributes with their types", async () => {
    await mountWidget("broken", { path: "/forecast/u_wind", panel: "metadata" });
    const code = await screen.findByRole("region", { name: "Document forecast/u_wind/zarr.json" });
    expect(code.querySelector(".nzx-mark-values")?.textContent).toContain('"units"');
    expect(code.querySelector(".nzx-mark-differs")?.textContent).toContain('"units": "knots"');
    expect(code.querySelector(".nzx-t-key")?.textContent).toBe('"shape"');
    fireEvent.click(screen.getByRole("radio", { name: "As consolidated" }));
    await waitFor(() => expect(code.textContent).toContain('"units": "m s-1"'));
    const table = await screen.findByRole("table", { name: "Attributes" });
    expect(within(table).getByRole("row", { name: /units string "m s-1"/ })).toBeTruthy();
  });

  test("shows a document that is not JSON", async () => {
    await mountWidget("broken", { path: "/stations/radiation", panel: "metadata" });
    const code = await screen.findByRole("region", { name: "Document stations/radiation/zarr.json" });
    expect(code.querySelectorAll("[data-line]")).toHaveLength(26);
  });

  test("lays out only a part of a long document", async () => {
    const numbers = Array.from({ length: 20_000 }, (_, at) => at);
    const text = JSON.stringify(numbers, null, 1);
    await mountWidget("small", { path: "/forecast/temp", panel: "metadata" }, (kernel) => {
      kernel.answers.document = (_, recorded) => {
        const { documents, ...rest } = recorded();
        return { ...rest, documents: documents.map((one) => ({ ...one, text, size: text.length })) };
      };
    });
    const code = await screen.findByRole("region", { name: "Document forecast/temp/zarr.json" });
    expect(code.querySelectorAll("[data-line]").length).toBeLessThan(120);
  });
});
