import type { PictureResult } from "../client/protocol.gen";
import type { PictureOptions } from "../client/session";
import { histogram } from "./histogram";
import { image } from "./image";
import type { PlotKind } from "./kind";
import { line } from "./line";
import { lines } from "./lines";
import { cells, map } from "./map";
import { scalar } from "./scalar";
import { makeScene, type Scene } from "./shared/scene";
import { table } from "./table";
import { text } from "./text";

/** Every kind of picture that the browser draws. */
const KINDS: readonly PlotKind[] = [map, cells, image, line, lines, histogram, table, scalar, text];

export const kindOf = ({ kind }: PictureResult): PlotKind | undefined =>
  KINDS.find(({ name }) => name === kind);

/** A picture made ready for the canvas; null where it is of a kind that is not drawn on one. */
export function sceneOf(
  picture: PictureResult,
  buffers: readonly DataView[],
  options: PictureOptions,
  diverging?: boolean,
): Scene | null {
  const look = kindOf(picture)?.look;
  return look ? makeScene(picture, buffers, options, look, diverging) : null;
}

/** What a kind of picture is called on the screen. */
export const titleOf = (kind: string): string => KINDS.find(({ name }) => name === kind)?.title ?? kind;
