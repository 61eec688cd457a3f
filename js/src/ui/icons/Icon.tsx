import type { ComponentChildren } from "preact";
import type { NodeRow } from "../../client/protocol.gen";
import "./icon.css";

function Svg({ children, name }: { children: ComponentChildren; name: string }) {
  return (
    <svg
      class={`nzx-icon nzx-icon-${name}`}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.4"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      {children}
    </svg>
  );
}

const TRIANGLE = "M8 2l7 12H1ZM8 6v4M8 12v.1";
const CIRCLE = "M2 8a6 6 0 1 0 12 0 6 6 0 1 0-12 0";

/** Outlines; more than an outline where it has parts of its own. */
const PATHS: Record<string, ComponentChildren> = {
  group: "M2 13V3.5h4L7.5 5H14v8Z",
  data: "M2 3h12v10H2ZM2 6.5h12M2 10h12M6 3v10M10 3v10",
  coordinate: "M2 11h12M2 11V7M5 11V9M8 11V7M11 11V9M14 11V7",
  candidate: <path d="M2 11h12M2 11V7M8 11V7M14 11V7" stroke-dasharray="2 2" />,
  auxiliary: "M2 7V3q0-1 1-1h4l6 6q1 1 0 2l-3 3q-1 1-2 0L2 7ZM5 5h.1",
  overview: "M2 3h12v10H2ZM2 8h6v5",
  scalar: (
    <>
      <circle cx="8" cy="8" r="2" />
      <circle cx="8" cy="8" r="6" stroke-dasharray="2 2" />
    </>
  ),
  warning: TRIANGLE,
  error: `${CIRCLE}M6 6l4 4M10 6l-4 4`,
  info: `${CIRCLE}M8 7v4M8 5v.1`,
  globe: `${CIRCLE}M2 8h12M8 2c-4 4-4 8 0 12M8 2c4 4 4 8 0 12`,
  unknown: `${CIRCLE}M6 6c0-2 4-2 4 0 0 1-2 1-2 3M8 11v.1`,
  chevron: "m6 4 4 4-4 4",
  search: "M3 7a4 4 0 1 0 8 0 4 4 0 1 0-8 0M10 10l4 4",
  copy: "M5 5h9v9H5ZM3 11H2V2h9v1",
  check: "m3 9 3 3 7-8",
  cross: "m4 4 8 8M12 4l-8 8",
  play: "M5 3v10l8-5Z",
  pause: "M5 3v10M11 3v10",
  lock: "M3 7h10v6H3ZM5 7V5a3 3 0 0 1 6 0v2",
  previous: "m10 4-4 4 4 4",
  next: "m6 4 4 4-4 4",
  retry: "M13 8a5 5 0 1 1-1-4M13 2v3h-3",
  bookmark: "M4 3h8v10l-4-3-4 3Z",
  more: <path d="M4 8h.1M8 8h.1M12 8h.1" stroke-width="2" />,
  down: "m4 6 4 4 4-4",
  save: "M8 2v7M5 7l3 3 3-3M3 11v2h10v-2",
  undo: "M6 3 3 6l3 3M3 6h6a3 3 0 0 1 0 7H6",
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  // Impact: octagon, diamond, triangle, steps, circle.
  blocks: (
    <path d="M5 1h6l4 4v6l-4 4H5l-4-4V5ZM5 7v2h6V7Z" fill="currentColor" fill-rule="evenodd" stroke="none" />
  ),
  values: "M8 1l7 7-7 7-7-7ZM6 7h4M6 9h4",
  convention: TRIANGLE,
  distance: "M2 13h4V9h4V5h4V2",
  advice: `${CIRCLE}M8 7v4M8 5v.1`,
  sidebar: "M2 3h12v10H2ZM6 3v10",
};

export function Icon({ name }: { name: string }) {
  const path = PATHS[name] ?? PATHS.unknown;
  return <Svg name={name}>{typeof path === "string" ? <path d={path} /> : path}</Svg>;
}

/** What stands for a node: its kind and role, or that it is broken. */
export function NodeIcon({ row: { state, kind, role } }: { row: NodeRow }) {
  const name = state !== "ok" ? "warning" : kind === "array" ? (role ?? "data") : kind;
  return (
    <span class={`nzx-node-icon nzx-role-${state === "ok" ? (role ?? kind) : "broken"}`}>
      <Icon name={name} />
    </span>
  );
}
