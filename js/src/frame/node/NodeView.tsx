import { useRef } from "preact/hooks";
import { type CallState, useCall } from "../../client/calls";
import { useView } from "../../client/view";
import type { Panel } from "../../panels/panel";
import { Blank } from "../../ui/problem/Blank";
import { Waiting } from "../../ui/problem/Waiting";
import { PlaceContext } from "../../ui/section/Section";
import { sentence, visible } from "../../ui/text/text";
import { StoreDrawer } from "../drawer/Drawers";
import { nameOf, shownBy } from "../place";
import { Tabs } from "../tabs/Tabs";
import { NodeHeader } from "./NodeHeader";
import "./node.css";

/** The selected node: what it is, and its panels. */
export function NodeView() {
  const { session, tree, uid } = useView();
  const path = session.path.value;
  const before = useRef<Panel | undefined>(undefined);
  const { panel, section, drawer } = shownBy(session.panel.value, before.current);
  before.current = panel;
  tree.track();
  const call = useCall(session.client, "node", { path }, { version: session.settled.value });
  const node = call.answer?.value ?? null;
  const known = tree.row(path);
  // The tree's row is newer where findings came in since.
  const row = known ?? node?.row ?? null;
  return (
    <div class="nzx-column">
      <NodeHeader path={path} row={row} node={node} />
      <Tabs panel={panel} row={row} />
      <PlaceContext.Provider value={{ tab: panel.name, section, nameOf: (one) => nameOf(panel, one) }}>
        <div
          class="nzx-panel"
          data-panel={panel.name}
          role="tabpanel"
          id={`${uid}-panel`}
          aria-labelledby={`${uid}-tab-${panel.name}`}
          tabIndex={-1}
        >
          {call.error && !node ? (
            <NodeProblem call={call} path={path} />
          ) : (
            <panel.View path={path} row={row} node={node} call={call} />
          )}
        </div>
      </PlaceContext.Provider>
      {drawer && <StoreDrawer name={drawer} onClose={() => session.panel.set(panel.name)} />}
    </div>
  );
}

function NodeProblem({ call, path }: { call: CallState<"node">; path: string }) {
  const { session } = useView();
  if (call.error?.code !== "not_found" || path === "/") return <Waiting call={call} whole />;
  return (
    <Blank wrong action="Go to the root" onAction={() => session.select("/")}>
      {sentence(visible(call.error.message))}
    </Blank>
  );
}
