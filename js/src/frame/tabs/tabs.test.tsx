import { fireEvent, screen, waitFor } from "@testing-library/preact";
import { describe, expect, test } from "vitest";
import { type Host, mountWidget } from "../../mock/host";

let host: Host;

const tab = (name: string) => screen.getByRole("tab", { name });

describe("tabs", () => {
  test("have exactly their names, and the trait follows them", async () => {
    host = await mountWidget("small");
    await screen.findByRole("tablist");
    expect(screen.getAllByRole("tab").map((one) => one.getAttribute("aria-label"))).toEqual([
      "Plot",
      "Dimensions",
      "Findings",
      "Metadata",
      "netCDF",
      "Code",
    ]);
    fireEvent.click(tab("Dimensions"));
    await waitFor(() => expect(tab("Dimensions").getAttribute("aria-selected")).toBe("true"));
    expect(host.model.saved).toEqual([{ panel: "dimensions" }]);
    fireEvent.keyDown(tab("Dimensions"), { key: "ArrowRight" });
    await waitFor(() => expect(host.model.get("panel")).toBe("findings"));
    host.model.fromPython("panel", "code");
    await waitFor(() => expect(tab("Code").getAttribute("aria-selected")).toBe("true"));
    expect(host.model.saved).toHaveLength(2);
  });
});
