import { useRef, useState } from "preact/hooks";
import { RequestError } from "./client";
import { FindingsPanel } from "./panels/Findings";
import { ownIndex } from "./panels/index-of";
import { MetadataPanel } from "./panels/Metadata";
import { NetcdfPanel } from "./panels/Netcdf";
import { Page } from "./panels/Page";
import { PlotPanel } from "./panels/Plot";
import type { NodeResult, NodeRow } from "./protocol.gen";
import { PANELS, type Panel, TABS, type Tab, tabOf } from "./session";
import { visible } from "./text";
import { type CallState, useCall, useView } from "./ui/hooks";
import { NodeIcon } from "./ui/icons";
import { Badges, Button, Choice, CopyButton, countsText, IconButton, Problem, Waiting } from "./ui/parts";

const ROLE_NAMES: Record<NonNullable<NodeRow["role"]>, string> = {
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
  const tab = tabOf(panel) as Tab;
  void tree.version.value;
  const call = useCall(session.client, "node", { path }, { version: session.settled.value });
  const node = call.answer?.value ?? null;
  const known = tree.row(path);
  // The tree's row is newer where findings came in since.
  const row = known ?? node?.row ?? null;
  return (
    <div class="nzx-node">
      <NodeHeader path={path} row={row} node={node} />
      <Tabs tab={tab} row={row} />
      <div
        class={`nzx-panel nzx-panel-${panel}`}
        role="tabpanel"
        id={`${uid}-panel`}
        aria-labelledby={`${uid}-tab-${tab}`}
        tabIndex={-1}
      >
        <Views tab={tab} panel={panel} />
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
  const { session } = useView();
  switch (panel) {
    case "plot":
      return <PlotPanel key={path} path={path} row={row} node={node} call={call} />;
    case "findings":
      return <FindingsPanel path={path} group={row?.kind !== "array"} />;
    case "metadata":
      return <MetadataPanel path={path} />;
    case "netcdf":
      return <NetcdfPanel path={path} />;
    default:
      if (row === null) return null;
      return (
        <div class="nzx-scroll nzx-pad" tabIndex={0}>
          <Page key={panel} name={panel} path={path} params={{ index: ownIndex(row, session.index.value) }} />
        </div>
      );
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
        <Trail />
        {row && <NodeIcon row={row} />}
        <Breadcrumb path={path} />
        <CopyButton text={path} label="Copy the path" />
        <Bookmark path={path} />
        <span class="nzx-gap" />
        {kind && <span class="nzx-chip">{kind}</span>}
        {row && (
          <button
            type="button"
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

/** Back and forth along the nodes that were selected. */
function Trail() {
  const { session } = useView();
  const { paths, at } = session.trail.value;
  return (
    <>
      <IconButton icon="previous" label="Back" disabled={at === 0} onClick={() => session.wander(-1)} />
      <IconButton
        icon="next"
        label="Forward"
        disabled={at === paths.length - 1}
        onClick={() => session.wander(1)}
      />
    </>
  );
}

function Bookmark({ path }: { path: string }) {
  const { bookmarks } = useView().session;
  const marked = bookmarks.value.includes(path);
  const others = bookmarks.value.filter((one) => one !== path);
  return (
    <IconButton
      icon="bookmark"
      label="Bookmark"
      pressed={marked}
      onClick={() => bookmarks.set(marked ? others : [...others, path])}
    />
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

/** The views of a tab, where it has several. */
function Views({ tab, panel }: { tab: Tab; panel: Panel }) {
  const { session } = useView();
  const options = Object.entries(TABS[tab]).map(([value, label]) => ({ value: value as Panel, label }));
  if (options.length < 2) return null;
  return (
    <div class="nzx-toolbar">
      <Choice label="View" value={panel} options={options} onChange={(to) => session.panel.set(to)} />
    </div>
  );
}

const titleOf = (tab: Tab) => Object.values(TABS[tab])[0] as string;

function Tabs({ tab, row }: { tab: Tab; row: NodeRow | null }) {
  const { session, uid } = useView();
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const at = PANELS.indexOf(tab);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: PANELS.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = PANELS[(to + PANELS.length) % PANELS.length] as Tab;
    session.panel.set(next as Panel);
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
          aria-label={titleOf(name)}
          aria-selected={name === tab}
          aria-controls={`${uid}-panel`}
          tabIndex={name === tab ? 0 : -1}
          onClick={() => session.panel.set(name as Panel)}
        >
          {titleOf(name)}
          {name === "findings" && row && <Badges counts={row.counts} />}
        </button>
      ))}
    </div>
  );
}
