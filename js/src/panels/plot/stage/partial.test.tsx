import { screen, waitFor } from "@testing-library/preact";
import { expect, test } from "vitest";
import { type Host, mountWidget } from "../../../mock/host";

let host: Host;
const legend = () => screen.getByRole("group", { name: "Legend" }).textContent;

test("an unfinished picture is painted, with a note, until the finished one comes", async () => {
  host = await mountWidget("kinds", { path: "/k/curved" }, (kernel) => {
    kernel.partials = 2;
    kernel.partialPause = 2000; // long enough to be seen on a busy machine
  });
  await screen.findByText("2 of 3 chunks…");
  await screen.findByRole("img", { name: / of \/k\/curved .*, not finished$/ });
  expect(legend()).toMatch(/\d+ not read/);
  const stage = host.el.querySelector(".nzx-stage");
  expect(stage?.getAttribute("aria-busy")).toBe("true");
  expect(stage?.classList).not.toContain("nzx-stale");
  await screen.findByRole("img", { name: / of \/k\/curved .*_FillValue$/ });
  await waitFor(() => expect(stage?.getAttribute("aria-busy")).toBe("false"));
  expect(legend()).not.toContain("not read");
  expect(screen.queryByText(/of 3 chunks…/)).toBeNull();
});
