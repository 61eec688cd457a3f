import { useEffect, useMemo, useState } from "preact/hooks";
import type { CdlSpan } from "../protocol.gen";
import { visible } from "../text";
import { CodeView } from "../ui/code";
import { useCall, useView } from "../ui/hooks";
import { NodeLink, Quiet, Waiting } from "../ui/parts";
import { Page } from "./Page";

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

export function NetcdfPanel({ path }: { path: string }) {
  const { session, goto } = useView();
  const call = useCall(session.client, "netcdf", { path }, { version: session.settled.value });
  const result = call.answer?.value;
  const [at, setAt] = useState<{ from: "cdl" | "document"; line: number } | null>(null);
  const [chosen, setChosen] = useState(0);
  const cdl = useMemo(() => cdlLines(result?.cdl ?? []), [result]);

  // Another node starts anew.
  useEffect(() => {
    setAt(null);
    setChosen(0);
  }, [path]);

  if (!result) {
    return (
      <div class="nzx-pad">
        <Waiting call={call} />
      </div>
    );
  }
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
  const own = cdl.spanOf.flatMap((one, line) => (one === span ? [line + 1] : []));
  const cdlMarks = own.map((line) => ({ first: line, last: line, kind: "light" as const, title: "" }));
  const documentMarks =
    there && lit.first_line !== null
      ? [{ first: lit.first_line, last: lit.last_line ?? lit.first_line, kind: "light" as const, title: "" }]
      : [];

  return (
    <div class="nzx-scroll">
      <div class="nzx-netcdf">
        <div class="nzx-column">
          <div class="nzx-toolbar">
            <h4>CDL</h4>
            <Quiet>as ncdump would print it</Quiet>
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
        <div class="nzx-column">
          <div class="nzx-toolbar">
            {result.documents.length > 1 ? (
              <span class="nzx-field">
                <select
                  aria-label="Document"
                  value={String(Math.min(chosen, result.documents.length - 1))}
                  onChange={(event) => setChosen(Number(event.currentTarget.value))}
                >
                  {result.documents.map((one, number) => (
                    <option key={`${one.origin} ${one.key}`} value={String(number)}>
                      {visible(one.key)}
                      {one.origin === "consolidated" ? " (consolidated)" : ""}
                    </option>
                  ))}
                </select>
              </span>
            ) : (
              <h4>{visible(document?.key ?? "No document")}</h4>
            )}
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
      <p class="nzx-note nzx-pad nzx-span-note" aria-live="polite">
        {lit ? (
          <>
            {lit.path && <NodeLink path={lit.path} />} {lit.key && <code>{visible(lit.key)}</code>}{" "}
            {lit.pointer !== null && <code>{visible(lit.pointer) || "the whole document"}</code>}
          </>
        ) : (
          "Point at a line, or move through the text with the arrow keys, to see what it was made from."
        )}
      </p>
      <div class="nzx-pad">
        <Page name="netcdf" path={path} />
      </div>
    </div>
  );
}
