import { code } from "./code";
import { dimensions } from "./dimensions";
import { findings } from "./findings";
import { metadata } from "./metadata";
import { netcdf } from "./netcdf";
import type { Panel } from "./panel";
import { plot } from "./plot";

/** The tabs in their order. */
export const PANELS: readonly Panel[] = [plot, dimensions, findings, metadata, netcdf, code];

/** The tab that a name of `ex.panel` leads to, and the section of it; null where it is no tab's. */
export function panelOf(name: string): { panel: Panel; section: string } | null {
  const [tab = "", section = ""] = name.split("#", 2);
  for (const panel of PANELS) {
    if (panel.name === tab) return { panel, section };
    const own = panel.sections?.[name];
    if (own !== undefined) return { panel, section: own };
  }
  return null;
}

/** What `ex.panel` is while a tab, or a section of it, is shown. */
export function nameOf({ name, sections = {} }: Panel, section = ""): string {
  if (section === "") return name;
  return Object.keys(sections).find((one) => sections[one] === section) ?? `${name}#${section}`;
}
