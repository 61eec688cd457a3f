import { useState } from "preact/hooks";
import type { NodeResult, NodeRow } from "../protocol.gen";
import { visible } from "../text";
import type { CallState } from "../ui/hooks";
import { Choice, Waiting } from "../ui/parts";
import { ArrayPlot } from "./ArrayPlot";
import { Gallery } from "./Gallery";
import { Lines } from "./Lines";
import { Page } from "./Page";

interface Props {
  path: string;
  row: NodeRow | null;
  node: NodeResult | null;
  call: CallState<"node">;
}

/** A group without arrays of its own: what it says of itself. */
function Overview({ path }: { path: string }) {
  return (
    <div class="nzx-scroll nzx-pad">
      <p class="nzx-note nzx-overview-note">
        This group has no arrays of its own to draw. Choose one in the tree.
      </p>
      <Page name="about" path={path} />
    </div>
  );
}

/** The picture of an array, or small pictures of a group's arrays. */
export function PlotPanel({ row, node, call, path }: Props) {
  if (row === null || (row.kind !== "array" && node === null)) {
    return (
      <div class="nzx-pad">
        <Waiting call={call} />
      </div>
    );
  }
  if (row.kind === "array") return <ArrayPlot key={path} row={row} />;
  if (row.kind === "unknown") {
    return (
      <p class="nzx-note nzx-pad">
        {visible(row.problem ?? "It is not known what this is, so there is nothing to draw.")}
      </p>
    );
  }
  if (node === null) return null;
  return node.arrays.length > 0 ? (
    <Group key={path} path={path} arrays={node.arrays} />
  ) : (
    <Overview path={path} />
  );
}

const SHOWS = [
  { value: "each", label: "pictures", title: "A small picture of each array" },
  { value: "lines", label: "lines", title: "The one-dimensional arrays together" },
] as const;

/** The arrays of a group: each by itself, or those of one dimension together. */
function Group({ path, arrays }: { path: string; arrays: readonly NodeRow[] }) {
  const [show, setShow] = useState<"each" | "lines">("each");
  const lines = arrays.some(({ shape }) => shape?.length === 1 && (shape[0] ?? 0) > 1);
  return (
    <div class="nzx-plot">
      {lines && (
        <div class="nzx-toolbar">
          <Choice label="Show" value={show} options={SHOWS} onChange={setShow} />
        </div>
      )}
      {show === "lines" ? <Lines path={path} /> : <Gallery arrays={arrays} />}
    </div>
  );
}
