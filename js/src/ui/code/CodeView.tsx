import { useEffect, useMemo, useRef } from "preact/hooks";
import type { CodeLine } from "../../client/protocol.gen";
import { Icon } from "../icons/Icon";
import { IMPACTS, type Impact } from "../impact/Impact";
import { useWindow } from "../layout/window";
import { px } from "../text/format";
import { lines as split, visibleLines } from "../text/text";
import { type Language, tokens } from "./highlight";
import "./code.css";

export interface LineMark {
  first: number;
  last: number;
  kind: Impact | "differs" | "light";
  title: string;
}

/** The height of a line, as the style sheet has it. */
export const LINE = 18;
/** Shorter texts stand in the page whole, so that the browser's own search finds everything. */
const WHOLE = 1200;
/** Of a longer line only this much is shown. */
const WIDEST = 20_000;

interface Props {
  text: string;
  language: Language;
  label: string;
  marks?: readonly LineMark[];
  /** A line, from 1, to bring into view. */
  show?: number | null;
  numbers?: boolean;
  /** What each line is, where the text is an excerpt. */
  lines?: readonly CodeLine[] | undefined;
  active?: number | null;
  onActive?: (line: number | null) => void;
  onChoose?: (line: number) => void;
}

/** Code with line numbers and marked lines; long texts are laid out only where they are looked at. */
export function CodeView({
  text,
  language,
  label,
  marks = [],
  show,
  numbers = true,
  lines,
  active,
  onActive,
  onChoose,
}: Props) {
  const ref = useRef<HTMLDivElement>(null);
  const all = useMemo(() => split(text), [text]);
  const long = all.length > WHOLE;
  const view = useWindow(ref, all.length, LINE);
  const [from, to] = long ? [view.start, view.end] : [0, all.length];
  const digits = String(lines ? Math.max(...lines.map((line) => line.number ?? 0)) : all.length).length;

  // Scroll only when another line is asked for.
  useEffect(() => {
    if (show) view.show(show - 1, "center");
  }, [show, text]);

  const move = (event: KeyboardEvent) => {
    if (!onActive) return;
    const now = active ?? 0;
    const to = { ArrowDown: now + 1, ArrowUp: now - 1, Home: 1, End: all.length }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      const line = Math.min(all.length, Math.max(1, to));
      onActive(line);
      view.show(line - 1);
    } else if (event.key === "Enter" && active) onChoose?.(active);
    else if (event.key === "Escape") onActive(null);
  };

  return (
    <div
      class="nzx-code"
      ref={ref}
      role="region"
      aria-label={label}
      tabIndex={0}
      onKeyDown={move}
      onMouseLeave={() => onActive?.(null)}
    >
      <div
        class="nzx-code-lines"
        style={long ? { height: px(view.height), "--digits": digits } : { "--digits": digits }}
      >
        <div style={long ? { transform: `translateY(${view.top}px)` } : {}}>
          {all.slice(from, to).map((line, at) => {
            const number = from + at + 1;
            const here = marks.filter((mark) => mark.first <= number && number <= mark.last);
            return (
              <Line
                key={number}
                number={number}
                shown={lines ? (lines[from + at]?.number ?? null) : number}
                kind={lines?.[from + at]?.kind ?? ""}
                line={line}
                language={language}
                numbers={numbers}
                mark={strongest(here)}
                title={here
                  .map((mark) => mark.title)
                  .filter(Boolean)
                  .join("\n")}
                active={number === active}
                onActive={onActive}
                onChoose={onChoose}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

const ORDER: LineMark["kind"][] = ["light", ...IMPACTS, "differs"];

function strongest(marks: readonly LineMark[]): string {
  const kinds = ORDER.filter((kind) => marks.some((mark) => mark.kind === kind));
  return kinds.join(" ");
}

interface LineProps {
  number: number;
  /** The number that is written beside it. */
  shown: number | null;
  kind: CodeLine["kind"];
  line: string;
  language: Language;
  numbers: boolean;
  mark: string;
  title: string;
  active: boolean;
  onActive?: ((line: number | null) => void) | undefined;
  onChoose?: ((line: number) => void) | undefined;
}

const SIGNS = { "": "", lit: "", add: "+", remove: "−" };
const SAID = { "": "", lit: "", add: "added: ", remove: "removed: " };

function Line({
  number,
  shown,
  kind = "",
  line,
  language,
  numbers,
  mark,
  title,
  active,
  onActive,
  onChoose,
}: LineProps) {
  const cut = line.length > WIDEST;
  // Pointing at lines draws all of them anew: their pieces stay.
  const pieces = useMemo(
    () =>
      tokens(cut ? line.slice(0, WIDEST) : line, language).map((token, at) => (
        // Tokens have no other identity.
        <span key={at} class={token.kind ? `nzx-t-${token.kind}` : undefined}>
          {visibleLines(token.text)}
        </span>
      )),
    [line, language, cut],
  );
  const kinds = mark.split(" ").filter(Boolean);
  const icon = IMPACTS.find((kind) => kinds.includes(kind));
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the code view itself takes the keys
    // biome-ignore lint/a11y/noStaticElementInteractions: a line is pointed at, its view takes the focus
    <div
      class={`nzx-line ${kind && `nzx-line-${kind}`} ${kinds.map((kind) => `nzx-mark-${kind}`).join(" ")} ${active ? "nzx-active" : ""}`}
      data-line={number}
      title={title || undefined}
      onMouseEnter={onActive ? () => onActive(number) : undefined}
      onClick={onChoose ? () => onChoose(number) : undefined}
    >
      {numbers && (
        <span class="nzx-line-number" aria-hidden="true">
          {icon && <Icon name={icon} />}
          {SIGNS[kind]} {shown}
        </span>
      )}
      {SAID[kind] && <span class="nzx-hidden">{SAID[kind]}</span>}
      <span class="nzx-line-text">
        {pieces}
        {cut && <em> … {line.length - WIDEST} more characters</em>}
        {line === "" && "\u200b"}
      </span>
    </div>
  );
}
