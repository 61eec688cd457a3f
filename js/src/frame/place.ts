import { nameOf, PANELS, panelOf } from "../panels";
import type { Panel } from "../panels/panel";

/** What is about the whole store and lies over the tab in front: by its name in `ex.panel`, its title. */
export const DRAWERS = {
  readers: "Readers",
  changes: "Changes",
  report: "Report",
  comparison: "Comparison",
  history: "History",
} as const;

export type DrawerName = keyof typeof DRAWERS;

export interface Shown {
  panel: Panel;
  section: string;
  drawer: DrawerName | null;
}

const FIRST = PANELS[0] as Panel;

/** What a name of `ex.panel` shows; a drawer leaves the tab in front that was there `before`. */
export function shownBy(name: string, before: Panel = FIRST): Shown {
  const place = panelOf(name);
  if (place) return { ...place, drawer: null };
  const drawer = Object.hasOwn(DRAWERS, name) ? (name as DrawerName) : null;
  return { panel: drawer ? before : FIRST, section: "", drawer };
}

export { nameOf };
