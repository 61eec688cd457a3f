import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useCall } from "../../client/calls";
import type { CdlSpan } from "../../client/protocol.gen";
import { useView } from "../../client/view";
import { CopyButton } from "../../ui/button/CopyButton";
import { CodeView } from "../../ui/code/CodeView";
import { NodeLink } from "../../ui/link/NodeLink";
import { Waiting } from "../../ui/problem/Waiting";
import { Select } from "../../ui/select/Select";
import { visible } from "../../ui/text/text";
import "./netcdf.css";

/** The CDL text, line by line, and for each line its span. A span may itself hold several lines. */
function cdlLines(spans: readonly CdlSpan[]): { text: string; spanOf: number[] } {
  const texts: string[] = [];
  const spanOf: number[] = [];
  spans.forEach((span, at) => {
    for (const line of span.text.replace(/\n$/, "").split("\n")) {
      texts.push(line);
      spanOf.push(at);
    }
  });
  return { text: texts.join("\n"), spanOf };
}

/** CDL and the documents it was made from; pointing at a line of one lights up the other. */
export function Linked({ path }: { path: string }) {
  const { session, goto } = useView();
  const call = useCall(session.client, "netcdf", { path }, { version: session.settled.value });
  const result = call.answer?.value;
  const root = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<{ from: "cdl" | "document"; line: number } | null>(null);
  const [chosen, setChosen] = useState(0);
  const cdl = useMemo(() => cdlLines(result?.cdl ?? []), [result]);

  // Another node starts anew.
  useEffect(() => {
    setAt(null);
    setChosen(0);
  }, [path]);

  if (!result) return <Waiting call={call} />;
  const document = result.documents[Math.min(chosen, result.documents.length - 1)];
  /** The smallest span that was made from a line of the document. */
  const madeFrom = (line: number): number | null => {
    let best: number | null = null;
    let extent = Number.POSITIVE_INFINITY;
    result.cdl.forEach(({ key, first_line: first, last_line: last }, number) => {
      if (key !== document?.key || first === null || last === null) return;
      if (first <= line && line <= last && last - first < extent) {
        best = number;
        extent = last - first;
      }
    });
    return best;
  };
  const spanAt = (line: number) => cdl.spanOf[line - 1] ?? null;
  const from = at?.from;
  const span = at === null ? null : from === "cdl" ? spanAt(at.line) : madeFrom(at.line);
  const lit = span === null ? undefined : result.cdl[span];
  const there = lit !== undefined && document !== undefined && (lit.key === null || lit.key === document.key);

  const point = (line: number | null) => {
    setAt(line === null ? null : { from: "cdl", line });
    const found = line === null ? undefined : result.cdl[spanAt(line) ?? -1];
    const key = result.documents.findIndex((one) => one.key === found?.key);
    if (key >= 0) setChosen(key);
  };
  const pointBack = (line: number | null) => setAt(line === null ? null : { from: "document", line });
  const activeIn = (view: "cdl" | "document") => (at?.from === view ? at.line : null);
  const also = lit?.also ?? [];
  // A dimension lights up with the arrays along it, of which the first line declares the variable.
  const users = also.map(({ path }) =>
    result.cdl.findIndex((one, nth) => one.path === path && !one.also.length && nth > (span ?? 0)),
  );
  const own = cdl.spanOf.flatMap((one, line) => (one === span || users.includes(one) ? [line + 1] : []));
  const cdlMarks = own.map((line) => ({ first: line, last: line, kind: "light" as const, title: "" }));
  const documentMarks = [...also, ...(lit && there ? [lit] : [])].flatMap(
    ({ key, first_line: first, last_line: last }) =>
      key === document?.key && first !== null
        ? [{ first, last: last ?? first, kind: "light" as const, title: "" }]
        : [],
  );

  return (
    <div class="nzx-linked-holder">
      <div class="nzx-linked" ref={root}>
        <div class="nzx-sheet">
          <div class="nzx-sheet-head">
            <span>CDL, as ncdump prints it</span>
            <span class="nzx-gap" />
            <CopyButton text={cdl.text} label="Copy the CDL" />
          </div>
          <CodeView
            text={cdl.text}
            language="cdl"
            label="CDL"
            numbers={false}
            marks={cdlMarks}
            show={from === "document" ? (own[0] ?? null) : null}
            active={activeIn("cdl")}
            onActive={point}
            onChoose={(line) => {
              const to = result.cdl[spanAt(line) ?? -1]?.path;
              if (to) goto(to);
            }}
          />
        </div>
        <Ribbon root={root} lit={lit && there ? `${span} ${chosen}` : ""} />
        <div class="nzx-sheet">
          <div class="nzx-sheet-head">
            {result.documents.length > 1 ? (
              <Select
                label="Document"
                value={String(Math.min(chosen, result.documents.length - 1))}
                names={Object.keys(result.documents)}
                titleOf={(nth) => {
                  const one = result.documents[Number(nth)];
                  return `${one?.key}${one?.origin === "consolidated" ? " (consolidated)" : ""}`;
                }}
                onChange={(nth) => setChosen(Number(nth))}
              />
            ) : (
              <span class="nzx-cut" title={visible(document?.key ?? "")}>
                {visible(document?.key ?? "No document")}
              </span>
            )}
            <span class="nzx-gap" />
            <NodeLink path={lit?.path ?? path} label="Metadata" panel="metadata" />
          </div>
          {document && (
            <CodeView
              text={document.text}
              language="json"
              label={`Document ${visible(document.key)}`}
              marks={documentMarks}
              show={from === "cdl" && there ? lit.first_line : null}
              active={activeIn("document")}
              onActive={pointBack}
              onChoose={() => lit?.path && goto(lit.path)}
            />
          )}
        </div>
      </div>
      <p class="nzx-span-note" aria-live="polite">
        {lit ? (
          <>
            {lit.path && <NodeLink path={lit.path} />} {lit.key && <code>{visible(lit.key)}</code>}{" "}
            {lit.pointer !== null && <code>{visible(lit.pointer) || "the whole document"}</code>}
          </>
        ) : (
          "Point at a line, or move with the arrow keys."
        )}
      </p>
    </div>
  );
}

/** Joins the lines that are lit on either side, as long as both are on screen. */
function Ribbon({ root, lit }: { root: { current: HTMLElement | null }; lit: string }) {
  const ref = useRef<SVGSVGElement>(null);
  const [path, setPath] = useState("");
  useEffect(() => {
    const holder = root.current;
    if (!lit || holder === null) {
      setPath("");
      return;
    }
    const codes = [...holder.querySelectorAll<HTMLElement>(".nzx-code")];
    const draw = () => {
      const svg = ref.current?.getBoundingClientRect();
      const sides = codes.map((code) => {
        const marked = [...code.querySelectorAll(".nzx-mark-light")].map((one) =>
          one.getBoundingClientRect(),
        );
        const { top, bottom } = code.getBoundingClientRect();
        if (marked.length === 0 || !svg) return null;
        const clip = (y: number) => Math.max(top, Math.min(bottom, y)) - svg.top;
        return [
          clip(Math.min(...marked.map((one) => one.top))),
          clip(Math.max(...marked.map((one) => one.bottom))),
        ] as const;
      });
      const [left, right] = sides;
      if (!svg || !left || !right || left[0] === left[1] || right[0] === right[1]) return setPath("");
      const [w, h] = [svg.width, svg.width / 2];
      setPath(
        `M0 ${left[0]}C${h} ${left[0]} ${h} ${right[0]} ${w} ${right[0]}V${right[1]}C${h} ${right[1]} ${h} ${left[1]} 0 ${left[1]}Z`,
      );
    };
    // The other side scrolls to its line first.
    const frame = requestAnimationFrame(draw);
    for (const code of codes) code.addEventListener("scroll", draw, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      for (const code of codes) code.removeEventListener("scroll", draw);
    };
  }, [lit, root]);
  return (
    <svg class="nzx-ribbon" ref={ref} aria-hidden="true">
      {path && <path d={path} />}
    </svg>
  );
}
