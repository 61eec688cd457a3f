import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
// @ts-expect-error a script without types
import { generate } from "../../scripts/types.mjs";
import { schema } from "../mock/schema";

const SOURCES = join(import.meta.dirname, "..");

test("the types are those of the schema", () => {
  expect(readFileSync(join(import.meta.dirname, "protocol.gen.ts"), "utf8")).toBe(generate(schema));
});

/** The texts of all files of a kind, tests left out. */
function sources(kind: RegExp): string[] {
  return readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
    .filter((name) => kind.test(name) && !name.includes(".test."))
    .map((name) => readFileSync(join(SOURCES, name), "utf8"));
}

test("nothing of the explorer makes HTML or code of text, and nothing asks the network", () => {
  const all = sources(/\.tsx?$/).join("\n");
  expect(all).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write/);
  expect(all).not.toMatch(/\beval\(|new Function\(/);
  expect(all).not.toMatch(/\bfetch\(|XMLHttpRequest|WebSocket|sendBeacon/);
});

test("every style rule is under the root class", () => {
  const css = sources(/\.css$/)
    .join("\n")
    .replace(/\/\*[\s\S]*?\*\//g, "");
  const above: string[] = [];
  let rules = 0;
  for (const [, text = "", brace] of css.matchAll(/([^{};]*)([{};])/g)) {
    if (brace === "{") above.push(text.trim());
    else if (brace === "}") above.pop();
    if (brace !== "{" || above.some((one) => one.startsWith("@keyframes"))) continue;
    const selectors = above.filter((one) => !one.startsWith("@"));
    if (selectors.length === 0) continue;
    rules++;
    for (const one of (selectors[0] as string).split(",\n")) expect(one).toMatch(/\.nzx(?![\w-])/);
  }
  expect(rules).toBeGreaterThan(100);
  // Browsers before May 2024 do not have it, and one of them would drop the whole colour.
  expect(css).not.toContain("light-dark(");
});
