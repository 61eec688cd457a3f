import { useEffect, useMemo, useState } from "preact/hooks";
import { bytes, plural } from "../format";
import type { DocumentText, Mark } from "../protocol.gen";
import { visible } from "../text";
import { CodeView, type LineMark } from "../ui/code";
import { locate } from "../ui/highlight";
import { useCall, useView } from "../ui/hooks";
import { SeverityIcon } from "../ui/icons";
import { Button, Choice, CopyButton, Problem, Quiet, Waiting } from "../ui/parts";
import { Editor } from "./Editor";
import { Page } from "./Page";

const labelOf = (document: DocumentText, all: readonly DocumentText[]): string => {
  const keys = new Set(all.map(({ key }) => key));
  const { origin, key } = document;
  if (keys.size === 1) return origin === "difference" ? "Difference" : `As ${origin}`;
  return origin === "stored" ? visible(key) : `${visible(key)} (${origin})`;
};

/** Lines of a document at which it differs from its counterpart. */
export function differing(document: DocumentText): LineMark[] {
  if (document.differs.length === 0) return [];
  const places = locate(document.text);
  return document.differs.flatMap((pointer) => {
    // Where the member is missing here, the object that lacks it is marked on its first line.
    for (let at = pointer; ; at = at.slice(0, at.lastIndexOf("/"))) {
      const place = places.get(at);
      const other = document.origin === "stored" ? "consolidated metadata" : "stored document";
      if (place) {
        const last = at === pointer ? place[1] : place[0];
        return [
          {
            first: place[0],
            last,
            kind: "differs" as const,
            title: `differs from the ${other}: ${visible(pointer) || "/"}`,
          },
        ];
      }
      if (at === "") return [];
    }
  });
}

export function MetadataPanel({ path }: { path: string }) {
  const { session, tree, spotlight } = useView();
  void tree.version.value;
  // Marks change when findings of this very node do.
  const counts = JSON.stringify(tree.row(path)?.counts);
  const call = useCall(
    session.client,
    "document",
    { path },
    { version: `${session.settled.value} ${counts}` },
  );
  const result = call.answer?.value;
  const [chosen, setChosen] = useState(0);
  const [line, setLine] = useState<number | null>(null);
  const [editing, setEditing] = useState(false);
  const light = spotlight.value?.path === path ? spotlight.value : null;

  // Another node starts at its first document.
  useEffect(() => {
    setChosen(0);
    setLine(null);
    setEditing(false);
  }, [path]);

  // `Show me` chooses the document and the line that the finding speaks of.
  useEffect(() => {
    if (light === null || result === undefined) return;
    for (const [at, document] of result.documents.entries()) {
      const mark = document.marks.find(({ rule }) => rule === light.rule);
      const place = mark ? [mark.first_line] : locate(document.text).get(light.pointer);
      if (place) {
        setChosen(at);
        setLine(place[0] ?? null);
        return;
      }
    }
  }, [light, result]);

  const document = result?.documents[Math.min(chosen, result.documents.length - 1)];
  const marks = useMemo(() => {
    if (document === undefined) return [];
    const found: LineMark[] = document.marks.map((mark) => ({
      first: mark.first_line,
      last: mark.last_line,
      kind: mark.severity,
      title: `${mark.rule}: ${visible(mark.message)}`,
    }));
    if (light) {
      const own = document.marks.filter(({ rule }) => rule === light.rule);
      const place = own.length === 0 ? locate(document.text).get(light.pointer) : undefined;
      for (const { first_line: first, last_line: last } of own)
        found.push({ first, last, kind: "light", title: "" });
      if (place) found.push({ first: place[0], last: place[1], kind: "light", title: "" });
    }
    return [...found, ...differing(document)];
  }, [document, light]);

  return (
    <div class="nzx-split">
      <div class="nzx-column">
        <Waiting call={call} />
        {result && document === undefined && (
          <p class="nzx-note nzx-pad">No metadata document was found here.</p>
        )}
        {result && document && (
          <>
            <div class="nzx-toolbar">
              {result.documents.length > 1 ? (
                <Choice
                  label="Document"
                  value={String(result.documents.indexOf(document))}
                  options={result.documents.map((one, at) => ({
                    value: String(at),
                    label: labelOf(one, result.documents),
                    title: `${visible(one.key)}, ${one.origin}`,
                  }))}
                  onChange={(value) => setChosen(Number(value))}
                />
              ) : (
                <Quiet>as {document.origin}</Quiet>
              )}
              <code class="nzx-key" title={visible(document.key)}>
                {visible(document.key)}
              </code>
              <Quiet>{bytes(document.size)}</Quiet>
              {document.differs.length > 0 && (
                <span class="nzx-chip nzx-is-warning" title={document.differs.map(visible).join("\n")}>
                  {plural(document.differs.length, "difference")} between stored and consolidated
                </span>
              )}
              <span class="nzx-gap" />
              {document.origin === "stored" && !document.cut && (
                <Button
                  title="In memory: nothing is written"
                  aria-pressed={editing}
                  onClick={() => setEditing(!editing)}
                >
                  {editing ? "Done" : "Edit"}
                </Button>
              )}
              <CopyButton text={document.text} label="Copy the document" />
            </div>
            {document.problem && <Problem>{visible(document.problem)}</Problem>}
            <Marks marks={document.marks} onShow={setLine} />
            {editing && document.origin === "stored" ? (
              <Editor key={document.key} path={path} document={document} show={line} />
            ) : (
              <CodeView
                text={document.text}
                language={document.origin === "difference" ? "diff" : "json"}
                label={`Document ${visible(document.key)}`}
                marks={marks}
                show={line}
              />
            )}
            {document.cut && <p class="nzx-note">Only the beginning is shown.</p>}
          </>
        )}
      </div>
      <div class="nzx-scroll nzx-pad nzx-split-side">
        <Page name="about" path={path} />
      </div>
    </div>
  );
}

function Marks({ marks, onShow }: { marks: readonly Mark[]; onShow: (line: number) => void }) {
  if (marks.length === 0) return null;
  return (
    <ul class="nzx-marks" aria-label="Findings in this document">
      {marks.map((mark) => (
        <li key={`${mark.rule} ${mark.first_line} ${mark.message}`}>
          <button type="button" class="nzx-mark-button" onClick={() => onShow(mark.first_line)}>
            <span class={`nzx-is-${mark.severity}`}>
              <SeverityIcon severity={mark.severity} />
            </span>
            <Quiet>line {mark.first_line}</Quiet>
            <code>{mark.rule}</code>
            <span>{visible(mark.message)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
