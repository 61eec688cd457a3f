import type { ComponentChild } from "preact";
import type { PictureResult } from "../client/protocol.gen";
import type { PictureOptions } from "../client/session";
import type { Look, Scene } from "./shared/scene";

/** What can be changed about a picture without asking the kernel. */
export type Control = "mask" | "colormap" | "limits" | "log" | "grid" | "zoom";

export interface ViewProps {
  picture: PictureResult;
  buffers: readonly DataView[];
  options: PictureOptions;
  /** The picture made ready, where its kind has a look. */
  scene: Scene | null;
}

/**
 * A kind of picture. Each is a folder here and one on the side of Python, which decides what arrays it suits
 * and how it is read.
 */
export interface PlotKind {
  /** Its name in the protocol. */
  name: PictureResult["kind"];
  /** What it is called where one is chosen. */
  title: string;
  /** How it looks on a canvas, or the component that draws it otherwise. */
  look?: Look;
  View?(props: ViewProps): ComponentChild;
  controls(picture: PictureResult): readonly Control[];
}
