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

const TRIANGLE = "M8 2.2 14.4 13.4H1.6ZM8 6.4v3.2M8 11.5v.1";
const CIRCLE = "M2 8a6 6 0 1 0 12 0 6 6 0 1 0-12 0";

/** Outlines; more than an outline where it has parts of its own. */
const PATHS: Record<string, ComponentChildren> = {
  group: "M1.8 13.2V3.3h4.1l1.5 1.8h6.8v8.1Z",
  data: "M2.2 2.7h11.6v10.6H2.2ZM2.2 6.3h11.6M2.2 9.8h11.6M6.1 2.7v10.6M9.9 2.7v10.6",
  coordinate: "M2.5 11.2h11M2.5 11.2V7.4M5.3 11.2V9M8 11.2V7.4M10.8 11.2V9M13.5 11.2V7.4",
  candidate: <path d="M2.5 11.2h11M2.5 11.2V7.4M8 11.2V7.4M13.5 11.2V7.4" stroke-dasharray="1.6 1.6" />,
  auxiliary:
    "M2.4 7.2V3.4c0-.5.4-1 1-1h3.8l6.2 6.2c.4.4.4 1 0 1.4l-3.4 3.4c-.4.4-1 .4-1.4 0L2.4 7.2ZM5.2 5.3h.1",
  scalar: (
    <>
      <circle cx="8" cy="8" r="2.4" />
      <circle cx="8" cy="8" r="5.6" stroke-dasharray="1.6 2.2" />
    </>
  ),
  warning: TRIANGLE,
  error: `${CIRCLE}M5.8 5.8l4.4 4.4M10.2 5.8l-4.4 4.4`,
  info: `${CIRCLE}M8 7.4v3.4M8 5v.1`,
  globe: `${CIRCLE}M2 8h12M8 2c-4 4-4 8 0 12M8 2c4 4 4 8 0 12`,
  unknown: `${CIRCLE}M6.3 6.4c0-2.3 3.5-2.2 3.5 0 0 1.4-1.8 1.4-1.8 2.8M8 11.4v.1`,
  chevron: "m6 4 4 4-4 4",
  search: "M2.7 7a4.3 4.3 0 1 0 8.6 0 4.3 4.3 0 1 0-8.6 0M10.3 10.3l3.4 3.4",
  copy: "M5.4 5.4h8.2v8.2H5.4ZM3.6 10.6H2.4V2.4h8.2v1.2",
  check: "m2.8 8.6 3.4 3.4 7-7.6",
  cross: "m3.8 3.8 8.4 8.4M12.2 3.8l-8.4 8.4",
  play: "M4.8 3.2v9.6L12.6 8Z",
  pause: "M5.2 3.4v9.2M10.8 3.4v9.2",
  lock: "M3.5 7.2h9v6.2h-9ZM5.4 7.2V5a2.6 2.6 0 0 1 5.2 0v2.2",
  previous: "m10 4-4 4 4 4",
  next: "m6 4 4 4-4 4",
  retry: "M13.2 8a5.2 5.2 0 1 1-1.6-3.8M13.4 2.2v2.9h-2.9",
  bookmark: "M4.4 2.6h7.2v10.8L8 10.6l-3.6 2.8Z",
  more: <path d="M3.5 8h.1M8 8h.1M12.5 8h.1" stroke-width="2.2" />,
  down: "m4 6 4 4 4-4",
  save: "M8 2.5v7M5.2 6.9 8 9.7l2.8-2.8M2.8 11v2.3h10.4V11",
  undo: "M5.5 3 2.8 5.7l2.7 2.7M3 5.7h6.2a3.7 3.7 0 0 1 0 7.4H6",
  plus: "M8 3.2v9.6M3.2 8h9.6",
  minus: "M3.2 8h9.6",
  // Impact: octagon, diamond, triangle, steps, circle.
  blocks: (
    <path
      d="M5.3 1.5h5.4l3.8 3.8v5.4l-3.8 3.8H5.3l-3.8-3.8V5.3ZM4.5 7v2h7V7Z"
      fill="currentColor"
      fill-rule="evenodd"
      stroke="none"
    />
  ),
  values: "M8 1.4 14.6 8 8 14.6 1.4 8ZM5.8 6.8h4.4M5.8 9.2h4.4",
  convention: TRIANGLE,
  distance: "M1.8 13.2h3.6V9.6H9V6h3.6V2.4h2",
  advice: `${CIRCLE}M8 7.4v3.4M8 5v.1`,
  sidebar: "M2 2.8h12v10.4H2ZM6.4 2.8v10.4",
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
