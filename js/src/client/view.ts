import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { TreeModel } from "../tree/model";
import type { Inks } from "../ui/base/theme";
import type { Impacts } from "./protocol.gen";
import type { Session } from "./session";
import type { Signal } from "./signals";

/** What the parts of one view share. */
export interface View {
  session: Session;
  tree: TreeModel;
  /** Makes the ids of elements differ from those of other views. */
  uid: string;
  inks: Signal<Inks | null>;
  /** What `Show me` asked to see. */
  spotlight: Signal<{ path: string; pointer: string; rule: string } | null>;
  /** Which sections of tabs a person or a link has folded or unfolded, by `tab#section`. */
  sections: Signal<Readonly<Record<string, boolean>>>;
  /** The impact of the findings that are looked at; null for all. */
  wanted: Signal<keyof Impacts | null>;
  /** The key of the symptom that was chosen. */
  symptom: Signal<string | null>;
  /** Grows when somebody is led to a panel, also to the one that is in front. */
  arrivals: Signal<number>;
  goto(path: string, panel?: string): void;
}

export const ViewContext = createContext<View | null>(null);

export function useView(): View {
  const view = useContext(ViewContext);
  if (!view) throw new Error("outside of a view");
  return view;
}
