import type { CallState } from "../../client/calls";
import type { NodeResult, NodeRow } from "../../client/protocol.gen";
import { useView } from "../../client/view";
import { Blank } from "../../ui/problem/Blank";
import { Waiting } from "../../ui/problem/Waiting";
import { ArrayPlot } from "./ArrayPlot";
import { GroupScreen } from "./gallery/GroupScreen";
import "./plot.css";

interface Props {
  path: string;
  row: NodeRow | null;
  node: NodeResult | null;
  call: CallState<"node">;
}

/** The picture of an array, or small pictures of a group's arrays. */
export function PlotPanel({ row, node, call, path }: Props) {
  const { session } = useView();
  if (!row || (row.kind !== "array" && !node)) {
    return (
      <div class="nzx-column nzx-pad">
        <Waiting call={call} whole />
      </div>
    );
  }
  if (row.kind === "array") return <ArrayPlot key={path} row={row} />;
  if (row.kind === "unknown") {
    return (
      <Blank icon="unknown" action="See the document" onAction={() => session.panel.set("metadata")}>
        There is nothing to draw: this is neither an array nor a group.
      </Blank>
    );
  }
  if (!node) return null;
  return <GroupScreen key={path} path={path} node={node} />;
}
