import { fireEvent, screen, waitFor } from "@testing-library/preact";
import { expect, test } from "vitest";
import { mountWidget } from "../../../mock/host";

test("the lines of a group stand together, broken at gaps, each to be left out", async () => {
  await mountWidget("kinds", { path: "/k" });
  fireEvent.click(await screen.findByRole("radio", { name: "Lines" }));
  const plot = await screen.findByRole("img", { name: "gust, pressure, speed along step" });
  expect(screen.getByText("units differ: each on its own scale")).toBeTruthy();
  const [gust] = plot.querySelectorAll("path");
  // Gaps at 44 to 49 and at 51 leave the point 50 alone.
  expect(gust?.getAttribute("d")?.match(/M/g)).toHaveLength(3);
  expect(gust?.getAttribute("d")).toMatch(/m-2,0h4M/);
  fireEvent.click(screen.getByRole("checkbox", { name: /pressure/ }));
  await screen.findByRole("img", { name: "gust, speed along step" });
  expect(screen.queryByText(/units differ/)).toBeNull();
  const values = screen.getByRole("application", { name: /along the lines/ });
  for (let step = 0; step < 22; step++) fireEvent.keyDown(values, { key: "ArrowRight" });
  await waitFor(() => expect(values.textContent).toMatch(/\[21\]gust\d.*speed_FillValue/));
});
