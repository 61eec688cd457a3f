import { fireEvent, screen, waitFor, within } from "@testing-library/preact";
import { describe, expect, test } from "vitest";
import { type Host, mountWidget } from "../../mock/host";

let host: Host;

describe("the header of a node", () => {
  test("has the long name first, then units, path, type and the dimensions", async () => {
    host = await mountWidget("small", { path: "/forecast/temp" });
    const title = await screen.findByRole("heading", { level: 2, name: "air temperature" });
    expect(title.nextElementSibling?.textContent).toBe("K");
    const dims = screen.getByRole("list", { name: "Lengths of dimensions" });
    expect(within(dims).getAllByRole("listitem").length).toBe(4);
    fireEvent.click(within(dims).getAllByRole("button")[0] as HTMLElement);
    await waitFor(() => expect(host.model.get("panel")).toBe("dimensions"));
  });

  test("says in a group which dimensions are in conflict", async () => {
    host = await mountWidget("small", { path: "/analysis" });
    const dims = await screen.findByRole("list", { name: "Lengths of dimensions" });
    expect(within(dims).getAllByRole("button", { name: /\d or \d/ }).length).toBeGreaterThan(0);
  });
});

describe("the first screen of a group", () => {
  test("without arrays shows what lies below", async () => {
    host = await mountWidget("small");
    const cards = await screen.findByRole("list", { name: "Groups" });
    const forecast = within(cards).getByRole("button", { name: /forecast/ });
    expect(forecast.textContent).toMatch(/\d+ arrays/);
    fireEvent.click(forecast);
    await waitFor(() => expect(host.model.get("path")).toBe("/forecast"));
  });

  test("has data first; what describes them is folded", async () => {
    host = await mountWidget("small", { path: "/forecast" });
    const data = await screen.findByRole("list", { name: "Arrays" });
    expect(within(data).getAllByRole("button", { name: /temp/ })[0]).toBeTruthy();
    expect(within(data).queryByRole("button", { name: /^time/ })).toBeNull();
    const fold = screen.getByRole("button", { name: "Coordinates" });
    expect(fold.getAttribute("aria-expanded")).toBe("false");
    fireEvent.click(fold);
    const section = screen.getByRole("region", { name: "Coordinates" });
    fireEvent.click(await within(section).findByRole("button", { name: /time/ }));
    await waitFor(() => expect(host.model.get("path")).toBe("/forecast/time"));
  });
});

test("any dimension can stand along an axis; where one takes the other's place they change places", async () => {
  host = await mountWidget("small", { path: "/forecast/temp" });
  const x = await screen.findByRole<HTMLSelectElement>("combobox", { name: "Horizontal axis" });
  const y = screen.getByRole<HTMLSelectElement>("combobox", { name: "Vertical axis" });
  expect([x.value, y.value]).toEqual(["lon", "lat"]);
  const given = new Map<string, string>();
  const dataTransfer = {
    setData: (kind: string, text: string) => given.set(kind, text),
    getData: (kind: string) => given.get(kind) ?? "",
  };
  given.set("text", "what somebody drags from elsewhere");
  fireEvent.drop(x, { dataTransfer });
  fireEvent.dragStart(screen.getByRole("button", { name: /^time/ }).closest("li") as Element, {
    dataTransfer,
  });
  fireEvent.drop(x, { dataTransfer });
  await waitFor(() => expect(host.requests("picture").at(-1)?.params).toMatchObject({ x: "time", y: "lat" }));
  fireEvent.change(x, { target: { value: "lat" } });
  await waitFor(() => expect(host.requests("picture").at(-1)?.params).toMatchObject({ x: "lat", y: "time" }));
  host.model.fromPython("path", "/forecast/sst");
  await waitFor(() => expect(host.requests("picture").at(-1)?.params.path).toBe("/forecast/sst"));
  expect(host.requests("picture").at(-1)?.params).not.toHaveProperty("x");
});

test("a profile, whose dimension stands on the vertical axis, can get another dimension", async () => {
  host = await mountWidget("small", { path: "/forecast/temp" }, (kernel) => {
    kernel.answers.picture = (_, recorded) => {
      const line = recorded({ kind: "line" });
      return { ...line, x: null, y: line.x };
    };
  });
  const x = await screen.findByRole<HTMLSelectElement>("combobox", { name: "Horizontal axis" });
  expect(x.value).toBe("lon");
  expect(screen.queryByRole("combobox", { name: "Vertical axis" })).toBeNull();
});
