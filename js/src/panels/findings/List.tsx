import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Finding } from "../../client/protocol.gen";
import { Icon } from "../../ui/icons/Icon";
import type { Impact } from "../../ui/impact/Impact";
import { useWindow } from "../../ui/layout/window";
import { clamp, grouped, px } from "../../ui/text/format";
import { titled, visible } from "../../ui/text/text";
import { HEADINGS } from "./impact";
import { type FindingsList, type Group, Layout, UNIT } from "./paging";

/** What stands below the list and is no finding. */
export interface ListLink {
  title: string;
  note: string;
  chosen: boolean;
  onChoose: () => void;
}

interface Props {
  list: FindingsList;
  /** The number of the finding that is looked at. */
  chosen: number | null;
  /** `open` where it is to be read, and not only passed on the way. */
  onChoose: (index: number, open: boolean) => void;
  links: readonly ListLink[];
  children: ComponentChildren;
}

const PAGE_KEYS = 8;

/** The list: only what is looked at is laid out and asked for. Arrow keys go from one finding to the next. */
export function List({ list, chosen, onChoose, links, children }: Props) {
  const ref = useRef<HTMLDivElement>(null);
  /** The finding that takes the focus as soon as it is laid out. */
  const focus = useRef<number | null>(null);
  const { result } = list;
  const here = result?.path ?? "/";
  const stem = here === "/" ? "/" : `${here}/`;
  /** A path as seen from the node that the list is of. */
  const from = (path: string) => {
    if (path === here) return result?.below ? "here" : "";
    return path.startsWith(stem) ? path.slice(stem.length) : path;
  };
  const total = result?.total ?? 0;
  const groups = result?.groups;
  const layout = useMemo(() => new Layout(groups ?? [], total), [groups, total]);
  const view = useWindow(ref, layout.units, UNIT);
  const lines = layout.lines(view.start, view.end);
  const numbers = lines.flatMap(({ index }) => (index === null ? [] : [index]));
  const first = numbers[0] ?? 0;
  const last = (numbers.at(-1) ?? -1) + 1;

  // What scrolling passes is not asked for.
  useEffect(() => {
    if (numbers.length === 0) return;
    const missing = list.at(first) === undefined || list.at(last - 1) === undefined;
    const timer = setTimeout(() => list.want(first, last), missing ? 60 : 0);
    return () => clearTimeout(timer);
  }, [first, last, result]);

  useEffect(() => {
    if (focus.current === null) return;
    const button = ref.current?.querySelector<HTMLElement>(`[data-index="${focus.current}"] button`);
    if (button) {
      focus.current = null;
      button.focus({ preventScroll: true });
    }
  });

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || total === 0) return;
    const now = chosen ?? 0;
    const to = {
      ArrowDown: now + 1,
      ArrowUp: now - 1,
      PageDown: now + PAGE_KEYS,
      PageUp: now - PAGE_KEYS,
      Home: 0,
      End: total - 1,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = clamp(to, total - 1);
    const unit = layout.unitOf(next);
    // The heading of the first of a group comes into view with it.
    view.show(unit + 1);
    view.show(next === 0 ? 0 : unit);
    focus.current = next;
    list.want(next, next + 1);
    onChoose(next, false);
  };

  return (
    <div class="nzx-findings-list">
      {children}
      <div class="nzx-findings-scroll" ref={ref}>
        {total > 0 && (
          <ul
            role="list"
            aria-label="Findings"
            aria-busy={list.loading}
            style={{ height: px(view.height) }}
            onKeyDown={onKeyDown}
          >
            {lines.map((line) => {
              const top = px(view.top + (line.at - view.start) * UNIT);
              if (line.index === null)
                return (
                  line.group && <Heading key={line.group.key} group={line.group} list={list} top={top} />
                );
              const { index } = line;
              return (
                <Item
                  key={index}
                  from={from}
                  finding={list.at(index)}
                  index={index}
                  total={total}
                  top={top}
                  quiet={index >= (result?.causes ?? total)}
                  chosen={index === chosen}
                  reachable={index === (chosen !== null && numbers.includes(chosen) ? chosen : first)}
                  onChoose={() => onChoose(index, true)}
                />
              );
            })}
          </ul>
        )}
      </div>
      <div class="nzx-list-links">
        {links.map(({ title, note, chosen: here, onChoose: go }) => (
          <button
            key={title}
            type="button"
            class="nzx-list-link"
            aria-label={title}
            aria-pressed={here}
            title={note}
            onClick={go}
          >
            {title} <span class="nzx-quiet">{note}</span>
          </button>
        ))}
      </div>
    </div>
  );
}

function Heading({ group, list, top }: { group: Group; list: FindingsList; top: string }) {
  const { key, impact, count } = group;
  return (
    <li class={`nzx-group-head nzx-is-${impact}`} role="presentation" style={{ top }}>
      <Icon name={impact} />
      <strong class="nzx-cut">
        {key === "other"
          ? "Other findings"
          : (HEADINGS[key as Impact] ?? visible(list.rules[key]?.title ?? key))}
      </strong>
      <span class="nzx-gap" />
      <span class="nzx-quiet">{grouped(count)}</span>
    </li>
  );
}

interface ItemProps {
  from: (path: string) => string;
  finding: Finding | undefined;
  index: number;
  total: number;
  top: string;
  /** Whether the symptom that was chosen has other causes. */
  quiet: boolean;
  chosen: boolean;
  reachable: boolean;
  onChoose: () => void;
}

function Item({ from, finding, index, total, top, quiet, chosen, reachable, onChoose }: ItemProps) {
  return (
    <li
      class={`nzx-finding nzx-is-${finding?.impact} ${quiet ? "nzx-aside" : ""}`}
      data-index={index}
      data-rule={finding?.rule}
      data-impact={finding?.impact}
      data-severity={finding?.severity}
      aria-setsize={total}
      aria-posinset={index + 1}
      style={{ top }}
    >
      <button
        type="button"
        aria-current={chosen ? "true" : undefined}
        tabIndex={reachable ? 0 : -1}
        title={finding && visible(finding.message)}
        onClick={onChoose}
      >
        {finding ? (
          <>
            <span class="nzx-message">{visible(titled(finding))}</span>
            <span class="nzx-finding-id">
              <Icon name={finding.impact} />
              <span>{finding.rule}</span>
              <span>{visible(finding.level)}</span>
              <bdi class="nzx-cut">{visible(from(finding.path))}</bdi>
            </span>
          </>
        ) : (
          <span class="nzx-bone" />
        )}
      </button>
    </li>
  );
}
