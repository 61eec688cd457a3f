import { fireEvent, screen } from "@testing-library/preact";
import { expect, test } from "vitest";
import { type Host, mountWidget } from "../mock/host";

let host: Host;

test("combinations that mean nothing here are left to the host", async () => {
  host = await mountWidget("small");
  const root = host.el.querySelector(".nzx") as HTMLElement;
  const search = await screen.findByRole("searchbox");
  const kept = () => [root, search].some((one) => one.hasAttribute("data-lm-suppress-shortcuts"));
  fireEvent.focusIn(search);
  fireEvent.keyDown(search, { key: "s", ctrlKey: true });
  expect(kept()).toBe(false);
  fireEvent.keyDown(search, { key: "d" });
  expect(kept()).toBe(true);
  fireEvent.keyDown(search, { key: "a", ctrlKey: true });
  expect(kept()).toBe(true);
});
