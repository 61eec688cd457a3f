import { expect, test } from "vitest";
import { shortNames } from "../scripts/names.mjs";

const CSS =
  ".nzx{.nzx-row{color:red;width:var(--nzx-side)}.nzx-mark-error{color:red}[class*=nzx-mark-]{top:0}}";

test("script and style sheet get the same names, shorter ones", () => {
  const [script, style] = shortNames('c("nzx-row nzx-other");s={"--nzx-side":1}', CSS);
  const [, row, other] = /c\("(\w+) (\w+)"\)/.exec(script) ?? [];
  expect(row).not.toBe(other);
  expect(style).toContain(`.${row}{color`);
  const side = /--(\w+)/.exec(script)?.[1];
  expect(style).toContain(`var(--${side})`);
  expect(script + style).not.toContain("nzx-");
  expect(style).toMatch(/^\.nzx\{/);
});

test("what is put together at run time meets its rule", () => {
  const [script, style] = shortNames("c(`nzx-row nzx-mark-$" + "{kind}`)", CSS);
  const part = /(z\w+-)\$/.exec(script)?.[1];
  expect(style).toContain(`.${part}error{`);
  expect(style).toContain(`[class*=${part}]`);
});

test("a name of which nothing is written cannot be shortened", () => {
  expect(() => shortNames("c(`nzx-$" + "{kind}`)", CSS)).toThrow(/run time/);
});
