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
  const selectors = [...css.matchAll(/([^{}]+)\{/g)].map(([, text]) => (text ?? "").trim());
  const plain = selectors.filter((text) => !text.startsWith("@") && text !== "from" && text !== "to");
  expect(plain.length).toBeGreaterThan(100);
  for (const one of plain.flatMap((text) => text.split(",\n"))) expect(one).toMatch(/\.nzx(?![\w-])/);
});
