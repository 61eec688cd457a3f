import { fireEvent, screen, waitFor } from "@testing-library/preact";
import { expect, test } from "vitest";
import { kindsStore } from "../../../mock/data";
import { mountWidget } from "../../../mock/host";

test("the lines of a group stand together, broken at gaps, each to be left out", async () => {
  await mountWidget(kindsStore(), { path: "/k" });
  fireEvent.click(await screen.findByRole("radio", { name: "Lines" }));
  const plot = await screen.findByRole("img", { name: "speed, gust, pressure along step" });
  expect(screen.getByText("units differ: each on its own scale")).toBeTruthy();
  const [speed] = plot.querySelectorAll("path");
  // Gaps at 20 to 25 and at 27 leave the point 26 alone.
  expect(speed?.getAttribute("d")?.match(/M/g)).toHaveLength(3);
  expect(speed?.getAttribute("d")).toMatch(/m-2,0h4M/);
  fireEvent.click(screen.getByRole("checkbox", { name: /pressure/ }));
  await screen.findByRole("img", { name: "speed, gust along step" });
  expect(screen.queryByText(/units differ/)).toBeNull();
  const values = screen.getByRole("application", { name: /along the lines/ });
  for (let step = 0; step < 22; step++) fireEvent.keyDown(values, { key: "ArrowRight" });
  await waitFor(() => expect(values.textContent).toMatch(/\[21\]speed_FillValuegust\d/));
});
