import { useEffect, useMemo, useState } from "preact/hooks";
import type { CdlSpan } from "../protocol.gen";
import { visible } from "../text";
import { CodeView } from "../ui/code";
import { useCall, useView } from "../ui/hooks";
import { NodeLink, Quiet, Waiting } from "../ui/parts";
import { Page } from "./Page";

/** The CDL text, line by line, and for each line its span. A span may itself hold several lines. */
export function cdlLines(spans: readonly CdlSpan[]): { text: string; spanOf: number[] } {
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
  const [span, setSpan] = useState<number | null>(null);
  const [from, setFrom] = useState<"cdl" | "document">("cdl");
  const [chosen, setChosen] = useState(0);
  const cdl = useMemo(() => cdlLines(result?.cdl ?? []), [result]);

  // Another node starts anew.
  useEffect(() => {
    setSpan(null);
    setChosen(0);
  }, [path]);

  if (!result) {
    return (
      <div class="nzx-pad">
        <Waiting call={call} />
      </div>
    );
  }
  const lit = span === null ? undefined : result.cdl[span];
  const document = result.documents[Math.min(chosen, result.documents.length - 1)];
  const there = lit !== undefined && document !== undefined && (lit.key === null || lit.key === document.key);

  const point = (line: number | null) => {
    setFrom("cdl");
    const at = line === null ? null : (cdl.spanOf[line - 1] ?? null);
    setSpan(at);
    const found = at === null ? undefined : result.cdl[at];
    const key = result.documents.findIndex((one) => one.key === found?.key);
    if (key >= 0) setChosen(key);
  };
  /** The smallest span that was made from a line of the document. */
  const pointBack = (line: number | null) => {
    setFrom("document");
    let best: number | null = null;
    let extent = Number.POSITIVE_INFINITY;
    if (line !== null && document) {
      result.cdl.forEach((one, at) => {
        const [first, last] = [one.first_line, one.last_line];
        if (one.key !== document.key || first === null || last === null) return;
        if (first <= line && line <= last && last - first < extent) {
          best = at;
          extent = last - first;
        }
      });
    }
    setSpan(best);
  };
  const own = cdl.spanOf.flatMap((at, line) => (at === span ? [line + 1] : []));
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
            active={from === "cdl" ? (own[0] ?? null) : null}
            onActive={point}
            onChoose={(line) => {
              const to = result.cdl[cdl.spanOf[line - 1] ?? -1]?.path;
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
                  {result.documents.map((one, at) => (
                    <option key={`${one.origin} ${one.key}`} value={String(at)}>
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
              active={null}
              onActive={pointBack}
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
