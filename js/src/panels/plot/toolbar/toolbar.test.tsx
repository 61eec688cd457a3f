import { fireEvent, screen, waitFor, within } from "@testing-library/preact";
import { expect, test } from "vitest";
import { type Host, more, mountWidget } from "../../../mock/host";

let host: Host;

const at = (name: string, traits: Record<string, unknown> = {}) =>
  mountWidget("kinds", { path: `/k/${name}`, ...traits });
const legend = () => screen.getByRole("group", { name: "Legend" }).textContent;

test("missing is one of four things; differences are counted both ways", async () => {
  host = await mountWidget("small", { path: "/forecast/sst" });
  const missing = await more("combobox", "Missing is");
  expect(within(missing).getAllByRole("option")).toHaveLength(4);
  fireEvent.change(missing, { target: { value: "differences" } });
  await waitFor(() => expect(legend()).toMatch(/[\d\u202f]+ masked by NZ only/));
  expect(host.model.get("view")).toMatchObject({ mask: "differences" });
  expect(host.requests("picture")).toHaveLength(1);
});

test("CF decoding is on where there is packing, and switching it asks nothing", async () => {
  host = await at("packed");
  const box = (await more("checkbox", "Apply scale and offset")) as HTMLInputElement;
  expect(box.checked).toBe(true);
  const low = screen.getByRole("textbox", { name: "Low" }) as HTMLInputElement;
  expect(low.placeholder).toBe("273.18");
  expect(legend()).toContain("12 outside valid range");
  host.model.fromPython("view", { low: 280 });
  await waitFor(() => expect(low.value).toBe("280"));
  fireEvent.click(box);
  await waitFor(() => expect(low.placeholder).toBe("3"));
  expect(low.value).toBe("");
  expect(legend()).not.toContain("outside");
  expect(host.requests("picture")).toHaveLength(1);
});

test("a map is drawn on its coordinates without asking for more", async () => {
  host = await at("curved");
  fireEvent.click(await more("checkbox", "Draw on 2-D coordinates"));
  await waitFor(() => expect(host.model.get("view")).toMatchObject({ curvilinear: false }));
  expect(host.requests("picture")).toHaveLength(1);
});
