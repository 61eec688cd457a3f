import { fireEvent, screen, waitFor, within } from "@testing-library/preact";
import { expect, test } from "vitest";
import { mountWidget } from "../../../mock/host";

test("the arrays of a group that share a dimension are a table, and two of them a scatter", async () => {
  const host = await mountWidget("kinds", { path: "/k" });
  fireEvent.click(await screen.findByRole("radio", { name: "Table" }));
  const table = await screen.findByRole("table", { name: "Table of /k" });
  const heads = within(table).getAllByRole("columnheader");
  expect(heads.slice(1).map(({ textContent }) => textContent)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^gust/), expect.stringMatching(/^pressure/)]),
  );
  await waitFor(() => expect(table.querySelector("td[data-state=fill]")?.textContent).toBe("_FillValue"));
  expect(host.model.get("view")).toMatchObject({ kind: "table" });

  fireEvent.click(screen.getByRole("radio", { name: "Scatter" }));
  const points = await screen.findByRole("application", { name: /go through the rows/ });
  fireEvent.change(screen.getByRole("combobox", { name: "Vertical axis" }), { target: { value: "speed" } });
  await screen.findByText(/of 90 rows/);
  await waitFor(() => expect(points.querySelector("path")?.getAttribute("d")).toMatch(/^M[\d.]+,[\d.]+h0/));
  fireEvent.keyDown(points, { key: "ArrowRight" });
  await waitFor(() => expect(points.textContent).toMatch(/\[0\]/));
  expect(host.model.get("view")).toMatchObject({ kind: "scatter", y: "speed" });
});

test("a data frame opens as a table, and small pictures of its columns can be chosen", async () => {
  const host = await mountWidget("kinds", { path: "/k" }, (kernel) => {
    kernel.answers.node = (_, recorded) => ({ ...recorded(), default_kind: "table" });
  });
  await screen.findByRole("table", { name: "Table of /k" });
  expect(screen.getByRole("radio", { name: "Table" })).toHaveProperty("ariaChecked", "true");
  fireEvent.click(screen.getByRole("radio", { name: "Pictures" }));
  await screen.findByRole("list", { name: "Arrays" });
  expect(host.model.get("view")).toMatchObject({ kind: "pictures" });
});
