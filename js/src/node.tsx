import { useRef, useState } from "preact/hooks";
import { RequestError } from "./client";
import { CodePanel } from "./panels/Code";
import { DimensionsPanel } from "./panels/Dimensions";
import { FindingsPanel } from "./panels/Findings";
import { MetadataPanel } from "./panels/Metadata";
import { NetcdfPanel } from "./panels/Netcdf";
import { PlotPanel } from "./panels/Plot";
import type { NodeResult, NodeRow } from "./protocol.gen";
import { PANELS, type Panel } from "./session";
import { visible } from "./text";
import { type CallState, useCall, useView } from "./ui/hooks";
import { NodeIcon } from "./ui/icons";
import { Badges, Button, CopyButton, countsText, Problem, Waiting } from "./ui/parts";

const TITLES: Record<Panel, string> = {
  plot: "Plot",
  dimensions: "Dimensions",
  findings: "Findings",
  metadata: "Metadata",
  netcdf: "netCDF",
  code: "Code",
};

export const ROLE_NAMES: Record<NonNullable<NodeRow["role"]>, string> = {
  coordinate: "dimension coordinate",
  candidate: "candidate coordinate",
  auxiliary: "auxiliary array",
  scalar: "scalar",
  data: "data array",
};

/** The selected node: what it is, and its panels. */
export function NodeView() {
  const { session, tree, uid } = useView();
  const path = session.path.value;
  const panel = session.panel.value;
  void tree.version.value;
  const call = useCall(session.client, "node", { path }, { version: session.settled.value });
  const node = call.answer?.value ?? null;
  const known = tree.row(path);
  // The tree's row is newer where findings came in since.
  const row = known ?? node?.row ?? null;
  return (
    <div class="nzx-node">
      <NodeHeader path={path} row={row} node={node} />
      <Tabs panel={panel} row={row} />
      <div
        class={`nzx-panel nzx-panel-${panel}`}
        role="tabpanel"
        id={`${uid}-panel`}
        aria-labelledby={`${uid}-tab-${panel}`}
        tabIndex={-1}
      >
        {call.error && !node ? (
          <NodeProblem call={call} path={path} />
        ) : (
          <PanelOf panel={panel} path={path} row={row} node={node} call={call} />
        )}
      </div>
    </div>
  );
}

function NodeProblem({ call, path }: { call: CallState<"node">; path: string }) {
  const { session } = useView();
  return (
    <div class="nzx-pad">
      <Waiting call={call} />
      {call.error?.code === "not_found" && path !== "/" && (
        <Button onClick={() => session.select("/")}>Go to the root</Button>
      )}
    </div>
  );
}

interface PanelProps {
  panel: Panel;
  path: string;
  row: NodeRow | null;
  node: NodeResult | null;
  call: CallState<"node">;
}

function PanelOf({ panel, path, row, node, call }: PanelProps) {
  switch (panel) {
    case "plot":
      return <PlotPanel key={path} path={path} row={row} node={node} call={call} />;
    case "dimensions":
      return <DimensionsPanel path={path} />;
    case "findings":
      return <FindingsPanel path={path} group={row?.kind !== "array"} />;
    case "metadata":
      return <MetadataPanel path={path} />;
    case "netcdf":
      return <NetcdfPanel path={path} />;
    case "code":
      return <CodePanel path={path} row={row} />;
  }
}

function NodeHeader({ path, row, node }: { path: string; row: NodeRow | null; node: NodeResult | null }) {
  const { session, tree } = useView();
  const [problem, setProblem] = useState<string | null>(null);
  const [reading, setReading] = useState(false);
  const readAgain = async () => {
    setReading(true);
    setProblem(null);
    try {
      const result = await session.client.request("retry", { path });
      tree.update([result.row]);
      tree.forget(path);
      session.revision.value += 1;
      session.settled.value += 1;
    } catch (error) {
      if (error instanceof RequestError && !error.cancelled) setProblem(error.message);
    } finally {
      setReading(false);
    }
  };
  const kind =
    row === null ? "" : row.kind === "array" ? (row.role ? ROLE_NAMES[row.role] : "array") : row.kind;
  return (
    <div class="nzx-node-header">
      <div class="nzx-node-line">
        {row && (
          <span class={`nzx-node-icon nzx-role-${row.state === "ok" ? (row.role ?? row.kind) : "broken"}`}>
            <NodeIcon row={row} />
          </span>
        )}
        <Breadcrumb path={path} />
        <CopyButton text={path} label="Copy the path" />
        <span class="nzx-gap" />
        {kind && <span class="nzx-chip">{kind}</span>}
        {row && (
          <button
            type="button"
            class="nzx-plain"
            title={countsText(row.counts)}
            aria-label={`To the findings: ${countsText(row.counts) || "none"}`}
            onClick={() => session.panel.set("findings")}
          >
            <Badges counts={row.counts} />
          </button>
        )}
      </div>
      <div class="nzx-node-title" title={node ? visible(node.title) : undefined}>
        {node ? visible(node.title) : "\u00a0"}
      </div>
      {row && row.state !== "ok" && (
        <Problem onRetry={() => void readAgain()} retry={reading ? "Reading…" : "Read again"}>
          <strong>{row.state}</strong> {visible(row.problem ?? "")}
        </Problem>
      )}
      {problem && <Problem>{visible(problem)}</Problem>}
    </div>
  );
}

/** The path, each part of it a way up. */
function Breadcrumb({ path }: { path: string }) {
  const { session } = useView();
  const parts = path.split("/").filter((part) => part !== "");
  return (
    <nav class="nzx-breadcrumb" aria-label="Path" title={visible(path)}>
      <button
        type="button"
        class="nzx-crumb"
        aria-current={parts.length === 0 ? "location" : undefined}
        onClick={() => session.select("/")}
      >
        /
      </button>
      {parts.map((part, at) => {
        const to = `/${parts.slice(0, at + 1).join("/")}`;
        return (
          <span key={to} class="nzx-crumb-holder">
            {at > 0 && <span class="nzx-slash">/</span>}
            <button
              type="button"
              class="nzx-crumb"
              aria-current={to === path ? "location" : undefined}
              onClick={() => session.select(to)}
            >
              <bdi>{visible(part)}</bdi>
            </button>
          </span>
        );
      })}
    </nav>
  );
}

function Tabs({ panel, row }: { panel: Panel; row: NodeRow | null }) {
  const { session, uid } = useView();
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const at = PANELS.indexOf(panel);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: PANELS.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = PANELS[(to + PANELS.length) % PANELS.length] as Panel;
    session.panel.set(next);
    list.current?.querySelector<HTMLElement>(`[data-panel="${next}"]`)?.focus();
  };
  return (
    <div class="nzx-tabs" role="tablist" aria-label="Panels" ref={list} onKeyDown={onKeyDown}>
      {PANELS.map((name) => (
        <button
          key={name}
          type="button"
          role="tab"
          id={`${uid}-tab-${name}`}
          data-panel={name}
          aria-label={TITLES[name]}
          aria-selected={name === panel}
          aria-controls={`${uid}-panel`}
          tabIndex={name === panel ? 0 : -1}
          onClick={() => session.panel.set(name)}
        >
          {TITLES[name]}
          {name === "findings" && row && <Badges counts={row.counts} />}
        </button>
      ))}
    </div>
  );
}
