import type { Impacts } from "../../client/protocol.gen";
import { Icon } from "../icons/Icon";
import { grouped, plural } from "../text/format";
import "./impact.css";

export type Impact = keyof Impacts;

/** The gravest first. */
export const IMPACTS: readonly Impact[] = ["blocks", "values", "convention", "distance", "advice"];

/** In a word, also after a number. */
export const WORDS: Record<Impact, string> = {
  blocks: "blocking",
  values: "values",
  convention: "convention",
  distance: "step from NZ-1.0",
  advice: "worth knowing",
};

/** What findings do that are marked: nothing that only keeps a dataset from a convention it does not declare, and no advice. */
const DO = {
  blocks: ["keep", "a reader from opening or reading something"],
  values: ["make", "a reader give wrong or missing values"],
  convention: ["break", "Zarr or a convention that the dataset declares"],
};

export type Marked = keyof typeof DO;

/** What some findings of an impact do, for people and for assistive technology. */
export const impactText = (impact: Marked, count: number): string =>
  `${plural(count, "finding")} ${DO[impact][0]}${count === 1 ? "s" : ""} ${DO[impact][1]}`;

/** The impacts that are marked, the gravest first. */
export const allMarked = (impacts: Impacts): Marked[] =>
  (Object.keys(DO) as Marked[]).filter((impact) => impacts[impact] > 0);

export const marked = (impacts: Impacts): Marked | null => allMarked(impacts)[0] ?? null;

/** All that the tree marks, in words. */
export const impactsText = (impacts: Impacts): string =>
  allMarked(impacts)
    .map((impact) => impactText(impact, impacts[impact]))
    .join(", ");

/** The gravest impact of a node and of what lies below it: its shape, and how many findings have it. */
export function Mark({ impacts }: { impacts: Impacts }) {
  const impact = marked(impacts);
  if (impact === null) return null;
  return (
    <span class={`nzx-mark nzx-is-${impact}`} title={impactsText(impacts)} data-impact={impact}>
      <Icon name={impact} />
      <span aria-hidden="true">{grouped(impacts[impact])}</span>
    </span>
  );
}
