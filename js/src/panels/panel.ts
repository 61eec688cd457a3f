import type { ComponentChild } from "preact";
import type { CallState } from "../client/calls";
import type { NodeResult, NodeRow } from "../client/protocol.gen";

export interface PanelProps {
  path: string;
  /** What is known of the node; null until it has been read. */
  row: NodeRow | null;
  node: NodeResult | null;
  call: CallState<"node">;
}

/** A tab. Each is a folder here; what a page says is composed in Python, in `widget/panels`. */
export interface Panel {
  /** Its name in `ex.panel`. */
  name: string;
  title: string;
  /**
   * Sections that have a name of their own in `ex.panel`: the section by that name. Every other section is
   * `tab#section` there, as these are too.
   */
  sections?: Readonly<Record<string, string>>;
  View(props: PanelProps): ComponentChild;
}
