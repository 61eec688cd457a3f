import { useState } from "preact/hooks";
import { RequestError } from "../../client/client";
import type { NodeResult, NodeRow } from "../../client/protocol.gen";
import { useView } from "../../client/view";
import { IconButton } from "../../ui/button/Button";
import { CopyButton } from "../../ui/button/CopyButton";
import { Icon, NodeIcon } from "../../ui/icons/Icon";
import { Problem } from "../../ui/problem/Problem";
import { contentsText, grouped } from "../../ui/text/format";
import { visible } from "../../ui/text/text";
import { AxisChoices, choices, dragged, labelOfAxis } from "./AxisChoices";

const ROLE_NAMES: Record<NonNullable<NodeRow["role"]>, string> = {
  coordinate: "dimension coordinate",
  candidate: "candidate coordinate",
  auxiliary: "auxiliary array",
  overview: "overview",
  scalar: "scalar",
  data: "",
};

/** What a node is called by people: long name or title, else its name. */
const labelOf = (path: string, row: NodeRow | null): string =>
  visible(row?.label ?? (path === "/" ? "Root group" : path.slice(path.lastIndexOf("/") + 1)));

/** Its kind in a few words. */
function kindOf(row: NodeRow, node: NodeResult | null): string {
  if (row.kind === "array")
    return [row.data_type ?? "", row.role ? ROLE_NAMES[row.role] : ""]
      .filter(Boolean)
      .map(visible)
      .join(", ");
  if (row.kind === "unknown") return "neither array nor group";
  if (!node) return "";
  return contentsText(node.groups_total, node.arrays_total, node.row);
}

export function NodeHeader({
  path,
  row,
  node,
}: {
  path: string;
  row: NodeRow | null;
  node: NodeResult | null;
}) {
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
  return (
    <div class="nzx-node-header">
      <div class="nzx-title">
        {row && <NodeIcon row={row} />}
        <h2 class="nzx-cut" title={labelOf(path, row)}>
          <bdi>{labelOf(path, row)}</bdi>
        </h2>
        {row?.units && (
          <span class="nzx-chip nzx-units" title={`units: ${visible(row.units)}`}>
            {visible(row.units)}
          </span>
        )}
        <span class="nzx-gap" />
        <Trail />
        <CopyButton text={path} label="Copy the path" />
        <Bookmark path={path} />
      </div>
      <div class="nzx-what">
        <Breadcrumb path={path} />
        <span class="nzx-quiet nzx-kind nzx-cut" title={row ? kindOf(row, node) : undefined}>
          {row && kindOf(row, node)}
        </span>
        <span class="nzx-gap" />
        {row && <Dimensions row={row} node={node} />}
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

const MAX_CHIPS = 6;

/** The dimensions of an array, or of a group's arrays, each with its length; more than one length is a conflict. */
function Dimensions({ row, node }: { row: NodeRow; node: NodeResult | null }) {
  const { session } = useView();
  const drawn = session.axes.value?.path === row.path ? session.axes.value : null;
  const chosen = choices(row).length > 1 ? drawn : null;
  const all: { name: string | null; label?: string; lengths: number[] }[] =
    row.kind === "array"
      ? (row.shape ?? [])
          .map((length, at) => ({
            name: row.dimension_names?.[at] ?? null,
            label: labelOfAxis(row, at),
            lengths: [length],
          }))
          .filter(({ label }) => label !== chosen?.x && label !== chosen?.y)
      : // What is in conflict is seen first.
        [...(node?.dimensions ?? [])].sort((a, b) => b.lengths.length - a.lengths.length);
  if (all.length === 0 && chosen === null) return null;
  return (
    <ul class="nzx-dims" role="list" aria-label="Lengths of dimensions">
      {chosen && <AxisChoices axes={chosen} row={row} />}
      {all.slice(0, MAX_CHIPS).map(({ name, label, lengths }, at) => (
        <li key={`${at} ${name}`} {...(chosen && label && dragged(label))}>
          <button
            type="button"
            class={`nzx-chip ${lengths.length > 1 ? "nzx-is-blocks" : ""}`}
            title={
              lengths.length > 1
                ? `${visible(name ?? "")}: arrays disagree about the length`
                : "Show the dimensions"
            }
            onClick={() => session.panel.set("dimensions")}
          >
            {lengths.length > 1 && <Icon name="blocks" />}
            <bdi class="nzx-cut">{name === null ? `dim_${at}` : visible(name)}</bdi>
            <small>{lengths.slice(0, 3).map(grouped).join(" or ")}</small>
          </button>
        </li>
      ))}
      {all.length > MAX_CHIPS && (
        <li>
          <button type="button" class="nzx-link nzx-small" onClick={() => session.panel.set("dimensions")}>
            {`${all.length - MAX_CHIPS} more`}
          </button>
        </li>
      )}
    </ul>
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
  // Of a long path the beginning and the end; what is between them is in the tree.
  const left = parts.length > 4 ? parts.length - 3 : 0;
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
        if (at > 0 && at < left) return null;
        const to = `/${parts.slice(0, at + 1).join("/")}`;
        return (
          <span key={to} class="nzx-crumb-holder">
            {at > 0 && <span class="nzx-slash">{left > 1 && at === left ? "/…/" : "/"}</span>}
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
