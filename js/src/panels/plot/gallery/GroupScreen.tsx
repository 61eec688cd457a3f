import type { ComponentType } from "preact";
import type { GroupCard, NodeResult, NodeRow } from "../../../client/protocol.gen";
import { useView } from "../../../client/view";
import { Choice } from "../../../ui/choice/Choice";
import { NodeIcon } from "../../../ui/icons/Icon";
import { Mark } from "../../../ui/impact/Impact";
import { Blank } from "../../../ui/problem/Blank";
import { Section } from "../../../ui/section/Section";
import { contentsText, grouped, plural, shapeText } from "../../../ui/text/format";
import { visible } from "../../../ui/text/text";
import { Columns } from "../columns/Columns";
import { Scatter } from "../columns/Scatter";
import { Lines } from "../lines/Lines";
import { Gallery } from "./Gallery";
import "./group.css";

/** Arrays that describe others, under the heading of what they are. */
const OTHERS: [title: string, role: string, ...roles: (string | null)[]][] = [
  ["Coordinates", "coordinate", "candidate"],
  ["Bounds and auxiliary arrays", "auxiliary"],
  ["Overviews", "overview"],
  ["Scalars", "scalar"],
];

/** What shows the one-dimensional arrays of a group together. */
const TOGETHER: Record<string, ComponentType<{ path: string }>> = {
  lines: Lines,
  table: Columns,
  scatter: Scatter,
};

/** Small pictures of arrays that lie in groups of the group. */
const MOST_BELOW = 12;
/** What a card has no room for: the end of a path tells one array from another. */
const FAR_UP = /^(?=.{27}).+?(?=\/.{1,19}$)/;

/** The first screen of a group: what it says of itself, its groups, its data, and what describes them. */
export function GroupScreen({ path, node }: { path: string; node: NodeResult }) {
  const { session } = useView();
  const { kind } = session.options.value;
  const show = kind === "auto" ? node.default_kind : kind;
  const setShow = (kind: string) => session.setOptions({ kind });
  const { arrays, arrays_total: total, groups } = node;
  const isData = (row: NodeRow) => !OTHERS.some((roles) => roles.includes(row.role));
  const data = arrays.filter(isData);
  const lines = arrays.some(({ shape }) => shape?.length === 1 && (shape[0] ?? 0) > 1);
  const shows = ["Pictures", "List", ...(lines ? ["Lines", "Table", "Scatter"] : [])].map((label) => ({
    value: label.toLowerCase(),
    label,
  }));
  const empty = arrays.length === 0 && groups.length === 0;
  // A group without data, as one of groups and the coordinates of all, shows some of what is in these, by its paths:
  // names may be the same.
  const below = (data.length > 0 ? [] : groups.flatMap((card) => card.inside.filter(isData)))
    .slice(0, MOST_BELOW)
    .map((row) => ({ ...row, name: row.path.replace(FAR_UP, "…") }));
  const Together = TOGETHER[show];
  if (Together && lines) {
    return (
      <div class="nzx-plot">
        <div class="nzx-toolbar">
          <Choice label="Show" value={show} options={shows} onChange={setShow} />
        </div>
        <Together path={path} />
      </div>
    );
  }
  return (
    <div class="nzx-sections nzx-group" tabIndex={0}>
      <About node={node} />
      {groups.length > 0 && (
        <>
          <ul class="nzx-group-cards" role="list" aria-label="Groups">
            {groups.map((card) => (
              <Card key={card.row.path} card={card} />
            ))}
          </ul>
          {more(node.groups_total - groups.length, "groups")}
        </>
      )}
      {below.length > 0 && (
        <>
          <div class="nzx-group-title">
            <h3>In these groups</h3>
          </div>
          <Gallery arrays={below} />
        </>
      )}
      {(data.length > 0 || lines) && (
        <div class="nzx-group-title">
          <h3>{data.length > 0 ? "Data variables" : "No data variables"}</h3>
          {data.length > 0 && <span class="nzx-quiet">{grouped(data.length)}</span>}
          <span class="nzx-gap" />
          <Choice label="Show" value={show} options={shows} onChange={setShow} />
        </div>
      )}
      {data.length > 0 && (show === "list" ? <List rows={data} /> : <Gallery arrays={data} />)}
      {OTHERS.map((roles) => {
        const rows = arrays.filter(({ role }) => roles.includes(role));
        const [title, name] = roles;
        return (
          rows.length > 0 && (
            <Section
              key={name}
              name={name}
              title={title}
              open={data.length + below.length === 0}
              note={`${grouped(rows.length)}: ${rows
                .slice(0, 8)
                .map((row) => visible(row.name))
                .join(" · ")}`}
            >
              <List rows={rows} />
            </Section>
          )
        );
      })}
      {more(total - arrays.length, "arrays")}
      {empty && (
        <Blank
          icon="group"
          action="Go to the root"
          {...(path !== "/" && { onAction: () => session.select("/") })}
        >
          {visible(node.row.problem ?? "This group is empty.")}
        </Blank>
      )}
    </div>
  );
}

const more = (count: number, what: string) =>
  count > 0 && <p class="nzx-note nzx-group-note">{`${grouped(count)} more ${what} in the tree`}</p>;

/** What the group's attributes say of it. */
function About({ node: { about, attributes_total: total } }: { node: NodeResult }) {
  const { session } = useView();
  if (total === 0) return null;
  return (
    <p class="nzx-about">
      {about.map(({ name, text }) => (
        <span key={name} class="nzx-cut" title={`${visible(name)}: ${visible(text)}`}>
          {name === "summary" || <span class="nzx-quiet">{visible(name)} </span>}
          <bdi>{visible(text)}</bdi>
        </span>
      ))}
      <button type="button" class="nzx-link" onClick={() => session.panel.set("metadata")}>
        {plural(total, "attribute")}
      </button>
    </p>
  );
}

/** What lies in a group, as far as it is known. */
function inside({ groups, arrays, row }: GroupCard): string {
  if (groups === null || arrays === null) return "not read yet";
  return contentsText(groups, arrays, row);
}

/** A group in the group. */
function Card({ card }: { card: GroupCard }) {
  const { session } = useView();
  const { row } = card;
  return (
    <li>
      <button
        type="button"
        class="nzx-group-card"
        title={visible(row.path)}
        onClick={() => session.select(row.path)}
      >
        <NodeIcon row={row} />
        <span class="nzx-group-text">
          <strong class="nzx-cut">
            <bdi>{visible(row.label ?? row.name)}</bdi>
          </strong>
          <span class="nzx-quiet nzx-cut">
            {row.label && <code>{visible(row.name)}</code>}
            {row.label && " · "}
            {inside(card)}
          </span>
        </span>
        <Mark impacts={row.impacts} />
      </button>
    </li>
  );
}

/** Arrays one below the other: name, what it is, units, dimensions. */
function List({ rows }: { rows: readonly NodeRow[] }) {
  const { session } = useView();
  return (
    <ul class="nzx-list" role="list">
      {rows.map((row) => (
        <li key={row.path}>
          <button type="button" title={visible(row.path)} onClick={() => session.select(row.path)}>
            <NodeIcon row={row} />
            <code class="nzx-cut">{visible(row.name)}</code>
            <span class="nzx-cut">{visible(row.label ?? "")}</span>
            <span class="nzx-quiet nzx-cut">{visible(row.units ?? "")}</span>
            <span class="nzx-quiet nzx-cut">{dimensionsOf(row)}</span>
            <Mark impacts={row.impacts} />
          </button>
        </li>
      ))}
    </ul>
  );
}

/** "time 240, lat 721", or the shape where dimensions have no names. */
export function dimensionsOf({ shape, dimension_names: names, direction }: NodeRow): string {
  const arrow = direction ? (direction === "increasing" ? " ↑" : " ↓") : "";
  if (!shape?.length) return shape ? "scalar" : "";
  if (names === null) return shapeText(shape) + arrow;
  return shape.map((length, at) => `${visible(names[at] ?? "–")} ${grouped(length)}`).join(", ") + arrow;
}
