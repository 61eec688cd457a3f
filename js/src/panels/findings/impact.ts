import type { Impact } from "../../ui/impact/Impact";

/** What findings of an impact are called as a heading. */
export const HEADINGS: Record<Impact, string> = {
  blocks: "Blocks a reader",
  values: "Wrong or missing values",
  convention: "Breaks a convention",
  distance: "Steps from NZ-1.0",
  advice: "Worth knowing",
};
