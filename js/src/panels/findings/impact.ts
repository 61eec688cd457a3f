import type { Impact } from "../../ui/impact/Impact";

/** What findings of an impact are called as a heading. */
export const HEADINGS: Record<Impact, string> = {
  blocks: "Blocks a reader",
  values: "Wrong or missing values",
  convention: "Breaks a convention",
  distance: "Steps from NZ-1.0",
  advice: "Worth knowing",
};

/** One finding in a word. */
export const WORDS: Record<Impact, string> = {
  blocks: "blocks",
  values: "values",
  convention: "convention",
  distance: "step from NZ-1.0",
  advice: "worth knowing",
};
