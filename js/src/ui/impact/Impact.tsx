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

/** What some findings of an impact do, for people and for assistive technology. */
export function impactText(impact: Impact, count: number): string {
  const found = plural(count, "finding");
  const s = count === 1;
  switch (impact) {
    case "blocks":
      return `${found} ${s ? "keeps" : "keep"} a reader from opening or reading something`;
    case "values":
      return `${found} ${s ? "makes" : "make"} a reader give wrong or missing values`;
    case "convention":
      return `${found} ${s ? "breaks" : "break"} Zarr or a convention that the dataset declares`;
    case "distance":
      return `${found} ${s ? "keeps" : "keep"} the dataset from a convention that it does not declare`;
    case "advice":
      return `${found} worth knowing`;
  }
}

/** What the tree marks: nothing that only keeps a dataset from a convention it does not declare, and no advice. */
export const marked = (impacts: Impacts): Impact | null =>
  IMPACTS.slice(0, 3).find((impact) => impacts[impact] > 0) ?? null;

/** All that the tree marks, in words. */
export const impactsText = (impacts: Impacts): string =>
  IMPACTS.slice(0, 3)
    .filter((impact) => impacts[impact] > 0)
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
