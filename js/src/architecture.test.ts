import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";

/** Each folder may import from those before it, and from itself. */
const ORDER = ["client", "ui", "plots", "tree", "panels", "frame"];
/** What all parts of a view share is declared below them: only its types come from above. */
const SHARED = "client/view.ts";

const folderOf = (file: string) => file.split("/")[0] as string;
const FILES = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" }).filter(
  (file) => /\.tsx?$/.test(file) && !file.includes(".test.") && ORDER.includes(folderOf(file)),
);

test("imports point one way", () => {
  const upward: string[] = [];
  for (const file of FILES) {
    const text = readFileSync(join(import.meta.dirname, file), "utf8");
    for (const [, type, from = ""] of text.matchAll(/^import (type )?[^;]*?"(\.[^"]*)"/gm)) {
      const target = folderOf(normalize(join(dirname(file), from)));
      if (file === SHARED && type) continue;
      if (ORDER.indexOf(target) > ORDER.indexOf(folderOf(file)) || target === "mock")
        upward.push(`${file} imports ${from}`);
    }
  }
  expect(FILES.length).toBeGreaterThan(60);
  expect(upward).toEqual([]);
});

test("no signal is read for nothing: the build would leave it out, and with it the subscription", () => {
  const alone = FILES.filter((file) =>
    /[;{}]\n\s*(void )?[\w.]+\.value;$/m.test(readFileSync(join(import.meta.dirname, file), "utf8")),
  );
  expect(alone).toEqual([]);
});

test("a class has its own rules in one style sheet", () => {
  const places = new Map<string, Set<string>>();
  const sheets = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".css"),
  );
  // A rule of one class alone: two components that call theirs the same would style each other.
  for (const file of sheets)
    for (const [, name = ""] of readFileSync(join(import.meta.dirname, file), "utf8").matchAll(
      /^ {2}\.(nzx-(?!mark-|is-)[\w-]+) \{/gm,
    ))
      places.set(name, (places.get(name) ?? new Set()).add(file));
  expect(sheets.length).toBeGreaterThan(20);
  expect([...places].filter(([, files]) => files.size > 1)).toEqual([]);
});
