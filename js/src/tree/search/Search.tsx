import { useEffect, useRef, useState } from "preact/hooks";
import { RequestError } from "../../client/client";
import type { NodeRow, SearchResult } from "../../client/protocol.gen";
import { useView } from "../../client/view";
import { Icon } from "../../ui/icons/Icon";
import { useDebounced } from "../../ui/layout/debounce";
import { useWindow } from "../../ui/layout/window";
import { Problem } from "../../ui/problem/Problem";
import { clamp, plural, px, range } from "../../ui/text/format";
import { visible } from "../../ui/text/text";
import { describe, ROW, RowContent, titleOf } from "../Tree";
import "./search.css";

const PAGE = 200;
const FILTERS = { findings: "is:finding", coordinates: "is:coordinate", bookmarks: "is:bookmark" };
const HINT = "Paths, attributes, dim:time, attr:units=K*, rule:NZ-DIM, is:scalar";

interface Found {
  query: string;
  total: number;
  complete: boolean;
  pages: Map<number, NodeRow[]>;
}

/** The search box; while it holds words, what they find stands in the place of the tree. */
export function Search({ children }: { children: preact.ComponentChildren }) {
  const { session, uid } = useView();
  const [text, setText] = useState("");
  const [active, setActive] = useState(0);
  const [found, setFound] = useState<Found | null>(null);
  const [problem, setProblem] = useState<RequestError | null>(null);
  const [round, setRound] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const query = useDebounced(text.trim(), 150);
  // While the walk goes on there may be more to find.
  const walking = found !== null && !found.complete;
  const revision = walking ? session.revision.value : 0;
  const total = found?.total ?? 0;
  const open = text.trim() !== "";

  const take = (result: SearchResult, page: number) => {
    setFound((before) => {
      const pages = new Map(before?.query === query && page > 0 ? before.pages : []);
      pages.set(page, result.rows);
      return { query, total: result.total, complete: result.complete, pages };
    });
  };

  // Asks anew for each query, revision and retry.
  useEffect(() => {
    if (query === "") {
      setFound(null);
      setProblem(null);
      return;
    }
    const abort = new AbortController();
    session.client.request("search", { query, offset: 0, limit: PAGE }, abort.signal).then(
      (result) => {
        setProblem(null);
        take(result, 0);
      },
      (error: unknown) => {
        if (error instanceof RequestError && !error.cancelled) setProblem(error);
      },
    );
    return () => abort.abort();
  }, [query, revision, round, session]);

  useEffect(() => setActive(0), [query]);

  const words = text.split(/\s+/).filter(Boolean);
  const filter = (word: string) =>
    setText((words.includes(word) ? words.filter((one) => one !== word) : [word, ...words]).join(" "));

  const rowAt = (index: number) => found?.pages.get(Math.floor(index / PAGE))?.[index % PAGE];
  const select = (index: number) => {
    const row = rowAt(index);
    if (row) session.select(row.path);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (!open) return;
    const to = { ArrowDown: active + 1, ArrowUp: active - 1 }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      setActive(clamp(to, total - 1));
    } else if (event.key === "Enter") {
      event.preventDefault();
      select(active);
    } else if (event.key === "Escape") {
      event.preventDefault();
      setText("");
    }
  };

  return (
    <>
      <div class="nzx-search">
        <Icon name="search" />
        <input
          type="search"
          aria-label="Search"
          placeholder="Search nodes"
          title={HINT}
          value={text}
          autocomplete="off"
          spellcheck={false}
          aria-controls={open ? `${uid}-found` : undefined}
          aria-activedescendant={open && total > 0 ? `${uid}-found-${active}` : undefined}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
      </div>
      <div class="nzx-filters" role="group" aria-label="Only">
        {Object.entries(FILTERS).map(([label, word]) => (
          <button
            type="button"
            key={word}
            class="nzx-chip"
            aria-pressed={words.includes(word)}
            onClick={() => filter(word)}
          >
            {label}
          </button>
        ))}
      </div>
      {/* The tree stays, so that it keeps its place. */}
      <div class="nzx-tree-holder" style={open ? { display: "none" } : undefined}>
        {children}
      </div>
      {open && problem && (
        <Problem onRetry={() => setRound((now) => now + 1)}>{visible(problem.message)}</Problem>
      )}
      {open && (
        <>
          <p class="nzx-note" aria-live="polite">
            {found === null
              ? "Searching…"
              : `${plural(total, "node")}${found.complete ? "" : " so far; still walking the hierarchy"}`}
            {total === 0 && found?.complete && (
              <>
                <br />
                {HINT}
              </>
            )}
          </p>
          <div class="nzx-tree" role="listbox" aria-label="Search results" id={`${uid}-found`} ref={list}>
            <Results
              list={list}
              total={total}
              active={active}
              rowAt={rowAt}
              onWant={(page) => {
                session.client.request("search", { query, offset: page * PAGE, limit: PAGE }).then(
                  (result) => take(result, page),
                  () => {},
                );
              }}
              onSelect={(index) => {
                setActive(index);
                select(index);
              }}
            />
          </div>
        </>
      )}
    </>
  );
}

interface ResultsProps {
  list: { current: HTMLDivElement | null };
  total: number;
  active: number;
  rowAt: (index: number) => NodeRow | undefined;
  onWant: (page: number) => void;
  onSelect: (index: number) => void;
}

function Results({ list, total, active, rowAt, onWant, onSelect }: ResultsProps) {
  const { session, uid } = useView();
  const win = useWindow(list, total, ROW);
  const asked = useRef(new Set<number>());
  const selected = session.path.value;

  // Scrolls when the active line moves.
  useEffect(() => win.show(active), [active]);
  useEffect(() => {
    for (const at of [win.start, win.end - 1]) {
      const page = Math.floor(at / PAGE);
      if (page > 0 && at < total && rowAt(at) === undefined && !asked.current.has(page)) {
        asked.current.add(page);
        onWant(page);
      }
    }
  });

  return (
    <div role="presentation" style={{ height: px(win.height) }}>
      <div role="presentation" style={{ transform: `translateY(${win.top}px)` }}>
        {range(win.start, win.end).map((index) => {
          const row = rowAt(index);
          if (!row) {
            return (
              <div key={index} class="nzx-row nzx-row-pending" role="presentation">
                <span class="nzx-bone" />
              </div>
            );
          }
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the search box takes the keys
            <div
              key={index}
              id={`${uid}-found-${index}`}
              class={`nzx-row nzx-found ${row.path === selected ? "nzx-selected" : ""} ${index === active ? "nzx-active" : ""}`}
              role="option"
              aria-label={visible(row.path)}
              aria-description={describe(row)}
              aria-selected={index === active}
              aria-setsize={total}
              aria-posinset={index + 1}
              title={titleOf(row, row.path)}
              data-path={row.path}
              onClick={() => onSelect(index)}
            >
              <RowContent row={row} name={row.label ? `${row.path} · ${row.label}` : row.path} />
            </div>
          );
        })}
      </div>
    </div>
  );
}
