import { expect, test } from "vitest";
import type { NodeRow } from "../../client/protocol.gen";
import { tokens } from "../code/highlight";
import { bytes, compact, contentsText, grouped, numberText, plural, shortest } from "./format";
import { lines, middle, titled, visible, visibleLines } from "./text";

test("what hides or reorders is shown", () => {
  expect(visible("evil\u202etxt")).toBe("evil\\u202etxt");
  expect(visible("a\nb\tc\u0007")).toBe("a\\nb\\tc\\u0007");
  expect(visible("x\u2066y\u2069\u200f\ufeff\u2028")).toBe("x\\u2066y\\u2069\\u200f\\ufeff\\u2028");
  expect(visible("\ud800tail")).toBe("\\ud800tail");
  expect(visible("tag\u{e0041}")).toBe("tag\\u{e0041}");
});

test("honest text stays as it is", () => {
  for (const text of ["température", "東京", "مرحبا", "👨‍👩‍👧 <b>&amp;", "z\u0335a"])
    expect(visible(text)).toBe(text);
  expect(visibleLines("a\n\tb\u202e")).toBe("a\n\tb\\u202e");
});

test("long texts keep both ends", () => {
  expect(middle("abcdefghij", 5)).toBe("ab…ij");
  expect(middle("short", 60)).toBe("short");
  expect(lines("a\r\nb\nc")).toEqual(["a", "b", "c"]);
});

test("numbers are given as people read them", () => {
  expect(grouped(10200)).toBe("10\u202f200");
  expect(grouped(999)).toBe("999");
  expect(plural(1, "error")).toBe("1 error");
  expect(plural(0, "error")).toBe("0 errors");
  expect(bytes(1536)).toBe("1.5 KiB");
  expect(bytes(12 * 1024 * 1024)).toBe("12 MiB");
  expect(compact(0.1 + 0.2)).toBe("0.3");
  expect(compact(1234567)).toBe("1.2346e6");
});

test("of a group that cannot be listed nobody says that it is empty", () => {
  const row = { problem: null } as NodeRow;
  expect(contentsText(2, 1, row)).toBe("2 groups, 1 array");
  expect(contentsText(0, 0, row)).toBe("empty");
  expect(contentsText(0, 0, { ...row, problem: "the store cannot be listed" })).toBe("");
});

test("a float32 is given by its shortest decimal, a float64 in full", () => {
  expect(shortest(Math.fround(7.1), "float32")).toBe("7.1");
  expect(shortest(Math.fround(16777217), "float32")).toBe("16777216");
  expect(shortest(0.1 + 0.2, "float64")).toBe("0.30000000000000004");
  // What is computed, as a difference, has no more digits than what it is made of.
  expect(numberText(0.1 + 0.2)).toBe("0.3");
  expect(numberText(Math.fround(7.1))).toBe("7.1");
  expect(shortest(Number.NaN, "float32")).toBe("NaN");
  expect(shortest(Number.NEGATIVE_INFINITY, "float64")).toBe("-Inf");
  expect(shortest(-0, "float64")).toBe("-0");
  expect(shortest(1e20, "float64")).toBe("1e20");
  expect(shortest(Math.fround(9.96921e36), "float32")).toBe("9.96921e36");
});

test("JSON is coloured, also where it is not JSON", () => {
  const kinds = (line: string) =>
    tokens(line, "json")
      .filter(({ kind }) => kind)
      .map(({ kind, text }) => [kind, text]);
  expect(kinds('  "a\\"b": -1.5e3, "t": true,')).toEqual([
    ["key", '"a\\"b"'],
    ["number", "-1.5e3"],
    ["key", '"t"'],
    ["word", "true"],
  ]);
  expect(kinds('"open')).toEqual([["bad", '"open']]);
  expect(kinds("NaN")).toEqual([["bad", "NaN"]]);
});

test("colouring loses no character, in any language", () => {
  const hard = [
    '{"a": [1, }, NaN // "x',
    "\t\tfloat t(x) ; // c",
    'f"{x}" # no',
    "+ added",
    "@@ -1 +1 @@",
    '"',
    "'''",
  ];
  for (const language of ["json", "cdl", "python", "diff", "text"] as const) {
    for (const line of hard)
      expect(
        tokens(line, language)
          .map(({ text }) => text)
          .join(""),
      ).toBe(line);
  }
});

test("the message of a finding begins with a capital letter, unless it begins with a name", () => {
  const title = (message: string, pointer = "") => titled({ message, pointer });
  expect(title("dimension x is 4 long", "/dimension_names/0")).toBe("Dimension x is 4 long");
  expect(title("shape must be a list", "/.zarray/shape/0")).toBe("shape must be a list");
  expect(title('units = "K" is not an int32', "/.zattrs/units")).toBe('units = "K" is not an int32');
  expect(title("/a has both", "")).toBe("/a has both");
  expect(title("proj:code belongs to the proj convention")).toBe("proj:code belongs to the proj convention");
  expect(title("xarray cannot open it")).toBe("xarray cannot open it");
  expect(title("the root is an array", "/shape")).toBe("The root is an array");
});
