import { useRef } from "preact/hooks";
import type { NodeRow } from "../../client/protocol.gen";
import { useView } from "../../client/view";
import { PANELS } from "../../panels";
import type { Panel } from "../../panels/panel";
import { impactsText, marked } from "../../ui/impact/Impact";
import { grouped } from "../../ui/text/format";
import "./tabs.css";

export function Tabs({ panel, row }: { panel: Panel; row: NodeRow | null }) {
  const { session, uid } = useView();
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const at = PANELS.indexOf(panel);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: PANELS.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = (PANELS[(to + PANELS.length) % PANELS.length] as Panel).name;
    session.panel.set(next);
    list.current?.querySelector<HTMLElement>(`[data-panel="${next}"]`)?.focus();
  };
  return (
    <div class="nzx-tabs" role="tablist" aria-label="Panels" ref={list} onKeyDown={onKeyDown}>
      {PANELS.map(({ name, title }) => (
        <button
          key={name}
          type="button"
          role="tab"
          id={`${uid}-tab-${name}`}
          data-panel={name}
          aria-label={title}
          aria-selected={name === panel.name}
          aria-controls={`${uid}-panel`}
          tabIndex={name === panel.name ? 0 : -1}
          onClick={() => session.panel.set(name)}
        >
          {title}
          {name === "findings" && row && <Total row={row} />}
        </button>
      ))}
    </div>
  );
}

/** How many findings matter to readers or break what the dataset declares; what is only advice is not counted. */
function Total({ row: { impacts } }: { row: NodeRow }) {
  const impact = marked(impacts);
  if (impact === null) return null;
  return (
    <span class={`nzx-number nzx-is-${impact}`} title={impactsText(impacts)}>
      {grouped(impacts.blocks + impacts.values + impacts.convention)}
    </span>
  );
}
