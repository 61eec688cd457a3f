import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
// @ts-expect-error a script without types
import { generate } from "../scripts/types.mjs";
import { schema } from "./schema";

const read = (path: string) => readFileSync(join(import.meta.dirname, path), "utf8");

test("the types are those of the schema", () => {
  expect(read("../src/protocol.gen.ts")).toBe(generate(schema));
});

function sources(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? sources(path) : [readFileSync(path, "utf8")];
  });
}

test("nothing of the explorer makes HTML or code of text, and nothing asks the network", () => {
  const all = sources(join(import.meta.dirname, "../src")).join("\n");
  expect(all).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write/);
  expect(all).not.toMatch(/\beval\(|new Function\(/);
  expect(all).not.toMatch(/\bfetch\(|XMLHttpRequest|WebSocket|sendBeacon/);
});

test("every style rule is under the root class", () => {
  const css = read("../src/style.css").replace(/\/\*[\s\S]*?\*\//g, "");
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
});
