import { fireEvent, screen, waitFor } from "@testing-library/preact";
import { describe, expect, test } from "vitest";
import { mountWidget } from "../../mock/host";

describe("netCDF", () => {
  test("pointing at CDL lights the document, and the other way round", async () => {
    await mountWidget("small", { path: "/forecast/temp", panel: "netcdf" });
    const cdl = await screen.findByRole("region", { name: "CDL" });
    const line = [...cdl.querySelectorAll("[data-line]")].find((one) =>
      one.textContent?.includes("long_name"),
    ) as Element;
    fireEvent.mouseEnter(line);
    const code = screen.getByRole("region", { name: "Document forecast/temp/zarr.json" });
    await waitFor(() => expect(code.querySelector(".nzx-mark-light")?.textContent).toContain('"long_name"'));
    const back = [...code.querySelectorAll("[data-line]")].find((one) =>
      one.textContent?.includes('"_FillValue"'),
    ) as Element;
    fireEvent.mouseEnter(back);
    await waitFor(() => expect(cdl.querySelector(".nzx-mark-light")?.textContent).toContain("_FillValue"));
  });

  test("a dimension lights its name and its length, and the arrays along it", async () => {
    await mountWidget("small", { path: "/forecast/temp", panel: "netcdf" });
    const cdl = await screen.findByRole("region", { name: "CDL" });
    const line = [...cdl.querySelectorAll("[data-line]")].find((one) =>
      /^\s*\w+ = \d+ ;/.test(one.textContent ?? ""),
    ) as Element;
    fireEvent.mouseEnter(line);
    const code = screen.getByRole("region", { name: /^Document forecast/ });
    await waitFor(() => expect(code.querySelectorAll(".nzx-mark-light")).toHaveLength(2));
    const lit = [...cdl.querySelectorAll(".nzx-mark-light")].map((one) => one.textContent);
    expect(lit[0]).toContain(line.textContent);
    expect(lit[1]).toMatch(/temp\(/);
  });

  test("the keyboard walks through the document, and CDL lights up", async () => {
    await mountWidget("small", { path: "/forecast/temp", panel: "netcdf" });
    const cdl = await screen.findByRole("region", { name: "CDL" });
    const document = await screen.findByRole("region", { name: /^Document/ });
    const line = [...document.querySelectorAll("[data-line]")].find((one) =>
      one.textContent?.includes("_FillValue"),
    );
    for (let at = 0; at < Number(line?.getAttribute("data-line")); at++)
      fireEvent.keyDown(document, { key: "ArrowDown" });
    await waitFor(() => expect(document.querySelector(".nzx-active")).toBe(line));
    expect(cdl.querySelector(".nzx-mark-light")?.textContent).toContain("_FillValue");
    fireEvent.keyDown(document, { key: "Escape" });
    await waitFor(() => expect(cdl.querySelector(".nzx-mark-light")).toBeNull());
  });

  test("the keyboard walks through CDL", async () => {
    await mountWidget("small", { path: "/forecast/temp", panel: "netcdf" });
    const cdl = await screen.findByRole("region", { name: "CDL" });
    fireEvent.keyDown(cdl, { key: "ArrowDown" });
    fireEvent.keyDown(cdl, { key: "ArrowDown" });
    await waitFor(() => expect(cdl.querySelector(".nzx-active")?.getAttribute("data-line")).toBe("2"));
  });
});
