import { act, fireEvent, screen, waitFor, within } from "@testing-library/preact";
import { expect, test } from "vitest";
import { type Host, more, mountWidget } from "../../../mock/host";

let host: Host;

const at = (name: string, traits: Record<string, unknown> = {}) =>
  mountWidget("kinds", { path: `/k/${name}`, ...traits });

test("the whole array is gone through on demand, stopped and resumed", async () => {
  host = await at("packed");
  fireEvent.click(await screen.findByRole("button", { name: "Statistics" }));
  const section = await screen.findByRole("region", { name: "Statistics" });
  await within(section).findByRole("progressbar");
  expect(host.requests("scan").map((one) => one.params.action)).toEqual(["status", "start"]);
  expect(within(section).queryByRole("row", { name: /^mean/ })).toBeNull(); // nothing is known yet
  act(() => host.kernel.step("/k/packed"));
  await waitFor(() => expect(section.textContent).toContain("2 of 8 chunks"));
  // What is counted is stored: 273.15 + 0.01 × 67.30… is meant.
  expect(within(section).getByRole("row", { name: /mean 273\.823\d* K/ })).toBeTruthy();
  fireEvent.click(await more("checkbox", "Apply scale and offset"));
  await within(section).findByRole("row", { name: /^mean 67\.30\d*$/ });
  fireEvent.click(within(section).getByRole("button", { name: "Stop" }));
  fireEvent.click(await within(section).findByRole("button", { name: "Resume" }));
  await within(section).findByRole("progressbar");
  for (let step = 0; step < 3; step++) act(() => host.kernel.step("/k/packed"));
  await waitFor(() =>
    expect(section.textContent).toContain("8 of 8 chunks, 1 chunk could not be read · 2.5 s"),
  );
  expect(within(section).queryByRole("progressbar")).toBeNull();
  expect(section.textContent).toContain("1 chunk could not be read");
  expect(within(section).getByRole("row", { name: /_FillValue 3/ })).toBeTruthy();
  expect(within(section).getByRole("img", { name: "Histogram of the whole array" })).toBeTruthy();
  fireEvent.click(within(section).getByRole("button", { name: "Use as limits" }));
  const view = () => host.model.get("view") as Record<string, unknown>;
  await waitFor(() => expect(view()).toMatchObject({ limits: "whole" }));
  // Those of the values are none of a difference.
  host.model.fromPython("view", { ...view(), against: { time: 0 } });
  await waitFor(() => expect(within(section).queryByRole("button", { name: "Use as limits" })).toBeNull());
});

test("what statistics of a large array take is said before they begin", async () => {
  host = await at("packed");
  host.kernel.answers.scan = (_, recorded) => ({ ...recorded(), whole_bytes: 3.5 * 2 ** 30 });
  fireEvent.click(await screen.findByRole("button", { name: "Statistics" }));
  const section = await screen.findByRole("region", { name: "Statistics" });
  expect(section.textContent).toContain("takes 3.5 GiB in 8 chunks");
  expect(within(section).queryByRole("progressbar")).toBeNull();
  fireEvent.click(within(section).getByRole("button", { name: "Start" }));
  await within(section).findByRole("progressbar");
  expect(host.requests("scan").map((one) => one.params.action)).toEqual(["status", "start"]);
});

test("statistics of an array that was edited or read again are asked for anew", async () => {
  host = await at("packed");
  host.kernel.answers.scan = (_, recorded) => ({ ...recorded(), whole_bytes: 3.5 * 2 ** 30 });
  fireEvent.click(await screen.findByRole("button", { name: "Statistics" }));
  const section = await screen.findByRole("region", { name: "Statistics" });
  fireEvent.click(within(section).getByRole("button", { name: "Start" }));
  await within(section).findByRole("progressbar");
  for (let step = 0; step < 4; step++) act(() => host.kernel.step("/k/packed"));
  await within(section).findByRole("row", { name: /^mean/ });
  host.kernel.forgetScans();
  host.kernel.summary.edits.serial += 1;
  act(() => host.kernel.announce());
  await waitFor(() =>
    expect(screen.getByRole("region", { name: "Statistics" }).textContent).toContain(
      "takes 3.5 GiB in 8 chunks",
    ),
  );
  expect(screen.queryByRole("row", { name: /^mean/ })).toBeNull();
  expect(host.requests("scan").map((one) => one.params.action)).toEqual(["status", "start", "status"]);
});
