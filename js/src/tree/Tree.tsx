import { useEffect, useRef, useState } from "preact/hooks";
import { RequestError } from "../client/client";
import type { NodeRow } from "../client/protocol.gen";
import { effect } from "../client/signals";
import { useView } from "../client/view";
import { Icon, NodeIcon } from "../ui/icons/Icon";
import { impactsText, Mark } from "../ui/impact/Impact";
import { useWindow } from "../ui/layout/window";
import { clamp, px, shapeText } from "../ui/text/format";
import { visible } from "../ui/text/text";
import type { Item } from "./model";
import "./tree.css";

export const ROW = 24;

/** What assistive technology hears of a node beyond its name. */
export function describe(row: NodeRow): string {
  const parts: string[] = [];
  if (row.state !== "ok") parts.push(row.problem ?? row.state);
  if (row.kind === "array")
    parts.push(row.role === "data" || row.role === null ? "array" : `${row.role} array`);
  else if (row.kind === "group") parts.push("group");
  if (row.direction) parts.push(row.direction);
  if (row.shape) parts.push(shapeText(row.shape));
  const impacts = impactsText(row.impacts);
  if (impacts) parts.push(impacts);
  return visible(parts.join(", "));
}

/** The lengths of an array; of data with many dimensions just how many. */
function sizeOf({ shape, kind }: NodeRow): string {
  if (kind !== "array" || !shape) return "";
  if (shape.length === 0) return "scalar";
  return shape.length > 2 ? `${shape.length}-D` : shapeText(shape);
}

export function RowContent({ row, name }: { row: NodeRow; name: string }) {
  return (
    <>
      <NodeIcon row={row} />
      <bdi class="nzx-name">{visible(name)}</bdi>
      <span class="nzx-row-shape" aria-hidden="true">
        {sizeOf(row)}
        {row.direction && (row.direction === "increasing" ? " ↑" : " ↓")}
      </span>
      <Mark impacts={row.impacts} />
    </>
  );
}

export function titleOf(row: NodeRow, name: string): string {
  const label = row.label && row.units ? `${row.label}, ${row.units}` : row.label;
  return visible([name, label, shapeText(row.shape), row.problem].filter(Boolean).join("\n"));
}

/** The tree of groups and arrays. */
export function Tree() {
  const view = useView();
  const { session, tree, uid } = view;
  const ref = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState<string>("/");
  const [revealProblem, setRevealProblem] = useState<RequestError | null>(null);
  const chosen = useRef<string | null>(null);
  const typed = useRef({ text: "", at: 0 });
  tree.track();
  const selected = session.path.value;
  const count = tree.count();
  const win = useWindow(ref, count, ROW);
  const items = tree.items(win.start, win.end);
  const live = useRef({ win, items, active });
  live.current = { win, items, active };

  useEffect(
    () =>
      effect(() => {
        const root = session.summary.value?.root;
        if (root) tree.setRoot(root);
      }),
    [session, tree],
  );

  // Pages are read for where scrolling comes to rest, not for everything it passes.
  const missing = items.some((item) => item.kind === "pending");
  useEffect(() => {
    const timer = setTimeout(() => tree.load(live.current.items), missing ? 60 : 0);
    return () => clearTimeout(timer);
  }, [missing, win.start, win.end, tree, tree.version.value]);

  // The selection shows in the tree, whoever made it.
  const ready = tree.row("/") !== undefined;
  // Only a new selection scrolls.
  useEffect(() => {
    if (!ready) return;
    const abort = new AbortController();
    setRevealProblem(null);
    tree.reveal(selected, abort.signal).then(
      (there) => {
        if (!there || abort.signal.aborted) return;
        setActive(selected);
        if (chosen.current === selected) return;
        chosen.current = null;
        requestAnimationFrame(() => {
          const index = tree.indexOf(selected);
          if (index !== null && !abort.signal.aborted) live.current.win.show(index, "center");
        });
      },
      (error: unknown) => {
        if (error instanceof RequestError && !error.cancelled) setRevealProblem(error);
      },
    );
    return () => abort.abort();
  }, [selected, ready, tree]);

  // Badges follow the walk, for what is on screen.
  useEffect(
    () =>
      effect(() => {
        if (session.revision.value === 0) return;
        const paths = live.current.items.flatMap((item) =>
          item.kind === "row" && item.index > 0 ? [item.row.path] : [],
        );
        const here = session.path.peek();
        if (here !== "/" && tree.row(here) && !paths.includes(here)) paths.push(here);
        void tree.refresh(paths);
      }),
    [session, tree],
  );

  // What is chosen here is seen already.
  const choose = (path: string) => {
    chosen.current = path;
    session.select(path);
  };

  const activeIndex = tree.indexOf(active) ?? 0;

  const moveTo = async (index: number) => {
    const to = clamp(index, count - 1);
    live.current.win.show(to);
    let [item] = tree.items(to, to + 1);
    if (item?.kind === "pending") {
      await Promise.all(tree.load([item]));
      [item] = tree.items(to, to + 1);
    }
    if (item?.kind === "row") setActive(item.row.path);
  };

  const keys: Record<string, (row: NodeRow) => void> = {
    ArrowDown: () => moveToNode(activeIndex + 1, 1),
    ArrowUp: () => moveToNode(activeIndex - 1, -1),
    PageDown: () => void moveTo(activeIndex + 15),
    PageUp: () => void moveTo(activeIndex - 15),
    Home: () => void moveTo(0),
    End: () => moveToNode(count - 1, -1),
    ArrowRight: (row) => {
      if (!tree.canOpen(row)) return;
      if (tree.isOpen(row.path)) void enter(row.path);
      else tree.expand(row.path);
    },
    ArrowLeft: (row) => {
      if (tree.isOpen(row.path)) tree.collapse(row.path);
      else {
        const parent = tree.parentOf(row.path);
        if (parent !== null) void moveTo(tree.indexOf(parent) ?? 0);
      }
    },
    Enter: (row) => choose(row.path),
    " ": (row) => choose(row.path),
    "*": (row) => tree.expandSiblings(row.path),
  };

  /** The first line in an open group, as soon as it has been read. */
  const enter = async (path: string) => {
    await tree.first(path);
    const at = tree.indexOf(path);
    const [item] = at === null || live.current.active !== path ? [] : tree.items(at + 1, at + 2);
    if (item?.kind === "row") void moveTo(item.index);
  };

  /** To a line, or the next one in a direction that is a node: notes are skipped. */
  const moveToNode = (to: number, by: number) => {
    while (to > 0 && to < count && tree.items(to, to + 1)[0]?.kind === "note") to += by;
    if (to >= 0 && to < count) void moveTo(to);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const row = tree.row(active) ?? tree.row("/");
    if (!row) return;
    const act = keys[event.key];
    if (act !== undefined && !(event.key === " " && Date.now() - typed.current.at < 800)) {
      event.preventDefault();
      act(row);
    } else if (event.key.length === 1) {
      event.preventDefault();
      typeAhead(event.key);
    }
  };

  const typeAhead = (key: string) => {
    const now = Date.now();
    const before = now - typed.current.at < 800 ? typed.current.text : "";
    const text = (before === key ? key : before + key).toLowerCase();
    typed.current = { text, at: now };
    const from = text.length > 1 ? activeIndex : activeIndex + 1;
    const lines = [...tree.items(from, Math.min(count, from + 5000)), ...tree.items(0, Math.min(from, 5000))];
    const found = lines.find((item) => item.kind === "row" && item.row.name.toLowerCase().startsWith(text));
    if (found) void moveTo(found.index);
  };

  const onClick = (row: NodeRow) => {
    setActive(row.path);
    if (tree.canOpen(row)) {
      if (!tree.isOpen(row.path)) tree.expand(row.path);
      else if (row.path === selected) tree.collapse(row.path);
    }
    choose(row.path);
  };

  const here = items.find((item) => item.kind === "row" && item.row.path === active);
  return (
    <>
      {revealProblem && (
        <p class="nzx-note nzx-is-warning" role="alert">
          <Icon name="warning" /> {visible(revealProblem.message)}
        </p>
      )}
      <div
        ref={ref}
        class="nzx-tree"
        role="tree"
        aria-label="Groups and arrays"
        tabIndex={0}
        aria-activedescendant={here ? `${uid}-row-${here.index}` : undefined}
        onKeyDown={onKeyDown}
      >
        <div class="nzx-tree-space" role="presentation" style={{ height: px(win.height) }}>
          <div role="presentation" style={{ transform: `translateY(${win.top}px)` }}>
            {items.map((item) => (
              <Line
                key={`${item.index}`}
                item={item}
                id={`${uid}-row-${item.index}`}
                selected={item.kind === "row" && item.row.path === selected}
                active={item.kind === "row" && item.row.path === active}
                onClick={onClick}
              />
            ))}
          </div>
        </div>
      </div>
    </>
  );
}

interface LineProps {
  item: Item;
  id: string;
  selected: boolean;
  active: boolean;
  onClick: (row: NodeRow) => void;
}

function Line({ item, id, selected, active, onClick }: LineProps) {
  const { tree } = useView();
  const indent = { "--level": item.level - 1 };
  if (item.kind === "note") {
    return (
      <div
        class={`nzx-row nzx-row-note ${item.error ? "nzx-is-error" : ""}`}
        role="presentation"
        style={indent}
      >
        <span class="nzx-name" title={visible(item.text)}>
          {visible(item.text)}
        </span>
        {item.error && (
          <button type="button" class="nzx-link" tabIndex={-1} onClick={() => tree.forget(item.parent)}>
            Retry
          </button>
        )}
      </div>
    );
  }
  if (item.kind === "pending") {
    return (
      <div
        id={id}
        class="nzx-row nzx-row-pending"
        role="treeitem"
        aria-label="Reading…"
        aria-level={item.level}
        aria-setsize={item.size}
        aria-posinset={item.position + 1}
        aria-selected={false}
        style={indent}
      >
        <span class="nzx-bone" />
      </div>
    );
  }
  const { row } = item;
  const canOpen = tree.canOpen(row);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree takes the keys
    <div
      id={id}
      class={`nzx-row ${selected ? "nzx-selected" : ""} ${active ? "nzx-active" : ""} ${row.state === "ok" ? "" : "nzx-broken"}`}
      role="treeitem"
      aria-label={visible(row.name)}
      aria-description={describe(row)}
      aria-level={item.level}
      aria-setsize={item.size}
      aria-posinset={item.position + 1}
      aria-selected={selected}
      aria-expanded={canOpen ? item.open : undefined}
      data-path={row.path}
      data-state={row.state}
      title={titleOf(row, row.name)}
      style={indent}
      onClick={() => onClick(row)}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: the tree takes the keys */}
      <span
        class={`nzx-chevron ${item.open ? "nzx-open" : ""}`}
        onClick={(event) => {
          if (!canOpen) return;
          event.stopPropagation();
          tree.toggle(row.path);
        }}
      >
        {canOpen && <Icon name="chevron" />}
      </span>
      <RowContent row={row} name={row.name} />
    </div>
  );
}
