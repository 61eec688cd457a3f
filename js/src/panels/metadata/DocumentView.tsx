import { useEffect, useMemo, useState } from "preact/hooks";
import { useCall } from "../../client/calls";
import type { DocumentText, Mark, Place } from "../../client/protocol.gen";
import { useView } from "../../client/view";
import { Button } from "../../ui/button/Button";
import { CopyButton } from "../../ui/button/CopyButton";
import { Choice } from "../../ui/choice/Choice";
import { CodeView, type LineMark } from "../../ui/code/CodeView";
import { Icon } from "../../ui/icons/Icon";
import { Problem } from "../../ui/problem/Problem";
import { Waiting } from "../../ui/problem/Waiting";
import { bytes, plural } from "../../ui/text/format";
import { Quiet } from "../../ui/text/Quiet";
import { visible } from "../../ui/text/text";
import { HEADINGS } from "../findings/impact";
import { Editor } from "./editor/Editor";
import "./metadata.css";

const labelOf = (document: DocumentText, all: readonly DocumentText[]): string => {
  const keys = new Set(all.map(({ key }) => key));
  const { origin, key } = document;
  if (keys.size === 1) return origin === "difference" ? "Difference" : `As ${origin}`;
  return origin === "stored" ? visible(key) : `${visible(key)} (${origin})`;
};

const lineMark = (place: Omit<Place, "pointer">, kind: LineMark["kind"], title = ""): LineMark => ({
  first: place.first_line,
  last: place.last_line,
  kind,
  title: visible(title),
});

/** The document of a node, as stored and as consolidated, with the lines that findings speak of. */
export function DocumentView({ path }: { path: string }) {
  const { session, tree, spotlight } = useView();
  tree.track();
  // Marks change when findings of this very node do.
  const counts = JSON.stringify(tree.row(path)?.counts);
  const light = spotlight.value?.path === path ? spotlight.value : null;
  const call = useCall(
    session.client,
    "document",
    { path, pointer: light?.pointer ?? null },
    { version: `${session.settled.value} ${counts}`, keep: true },
  );
  const held = call.answer?.value;
  const result = held?.path === path ? held : undefined;
  const [chosen, setChosen] = useState(0);
  const [line, setLine] = useState<number | null>(null);
  const [editing, setEditing] = useState(false);

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
      const place = document.marks.find(({ rule }) => rule === light.rule) ?? document.place;
      if (place) {
        setChosen(at);
        setLine(place.first_line);
        return;
      }
    }
  }, [light, result]);

  const document = result?.documents[Math.min(chosen, result.documents.length - 1)];
  const marks = useMemo(() => {
    if (!document) return [];
    const other = document.origin === "stored" ? "consolidated metadata" : "stored document";
    const lit = document.marks.filter(({ rule }) => rule === light?.rule);
    const places = lit.length > 0 ? lit : light && document.place ? [document.place] : [];
    return [
      ...document.marks.map((mark) => lineMark(mark, mark.impact, `${mark.rule}: ${mark.message}`)),
      ...places.map((place) => lineMark(place, "light")),
      ...document.differs.map((place) =>
        lineMark(place, "differs", `differs from the ${other}: ${place.pointer || "/"}`),
      ),
    ];
  }, [document, light]);

  return (
    <div class="nzx-document">
      <Waiting call={call} />
      {result && !document && <p class="nzx-note">No metadata document was found here.</p>}
      {result && document && (
        <>
          <div class="nzx-document-bar">
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
              <span
                class="nzx-chip nzx-is-warning"
                title={document.differs.map(({ pointer }) => visible(pointer)).join("\n")}
              >
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
  );
}

function Marks({ marks, onShow }: { marks: readonly Mark[]; onShow: (line: number) => void }) {
  if (marks.length === 0) return null;
  return (
    <ul class="nzx-marks" aria-label="Findings in this document">
      {marks.map((mark) => (
        <li key={`${mark.rule} ${mark.first_line} ${mark.message}`}>
          <button
            type="button"
            class="nzx-mark-button"
            title={visible(mark.message)}
            onClick={() => onShow(mark.first_line)}
          >
            <span class={`nzx-is-${mark.impact}`} title={HEADINGS[mark.impact]}>
              <Icon name={mark.impact} />
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
