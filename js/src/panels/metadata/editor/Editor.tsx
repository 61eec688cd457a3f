import { useEffect, useRef, useState } from "preact/hooks";
import type { DocumentText } from "../../../client/protocol.gen";
import { useView } from "../../../client/view";
import { LINE } from "../../../ui/code/CodeView";
import { useDebounced } from "../../../ui/layout/debounce";
import { Problem } from "../../../ui/problem/Problem";
import { px } from "../../../ui/text/format";
import { visible } from "../../../ui/text/text";
import "./editor.css";

/** A document to be written in: what is JSON is tried at once, in memory; of what is not, the line is marked. */
export function Editor({
  path,
  document,
  show,
}: {
  path: string;
  document: DocumentText;
  show: number | null;
}) {
  const { session } = useView();
  const [draft, setDraft] = useState(document.text);
  const [problem, setProblem] = useState("");
  const numbers = useRef<HTMLDivElement>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  /** The text that the kernel has; with the first edit of this writing, later ones are part of that. */
  const known = useRef({ text: document.text, amend: false });
  const ready = useDebounced(draft, 350);

  // Somebody else has changed it, or taken an edit back.
  useEffect(() => {
    if (document.text === known.current.text) return;
    known.current = { text: document.text, amend: false };
    setDraft(document.text);
  }, [document.text]);

  useEffect(() => {
    const { text, amend } = known.current;
    if (ready === text || ready !== area.current?.value) return;
    const abort = new AbortController();
    const params = { key: document.key, text: ready, amend };
    session.client.request("act", { name: "edit", path, params }, abort.signal).then(
      () => setProblem(""),
      (error: Error) => {
        if (abort.signal.aborted) return;
        known.current = { text, amend };
        setProblem(error.message);
      },
    );
    // The new text may be here before the answer is.
    known.current = { text: ready, amend: true };
    return () => abort.abort();
  }, [ready]);

  useEffect(() => {
    const element = area.current;
    if (!element || !show) return;
    const lines = element.value.split("\n").slice(0, show - 1);
    const before = lines.map((line) => `${line}\n`).join("").length;
    element.focus();
    element.setSelectionRange(before, before);
    element.scrollTop = (show - 5) * LINE;
  }, [show]);

  const bad = Number(/line (\d+)/.exec(problem)?.[1]);
  return (
    <>
      {problem && <Problem>{visible(problem)}</Problem>}
      <div class="nzx-code nzx-editor">
        <div aria-hidden="true" ref={numbers}>
          {draft.split("\n").map((_, at) => (
            // Lines have no other identity.
            <div key={at} class={at + 1 === bad ? "nzx-line nzx-mark-blocks" : "nzx-line"}>
              {at + 1}
            </div>
          ))}
        </div>
        <textarea
          ref={area}
          aria-label={`Edit ${visible(document.key)}`}
          aria-invalid={problem !== ""}
          spellcheck={false}
          wrap="off"
          value={draft}
          onInput={(event) => setDraft(event.currentTarget.value)}
          onScroll={({ currentTarget: { scrollTop } }) => {
            if (numbers.current) numbers.current.style.transform = `translateY(${px(-scrollTop)})`;
          }}
        />
      </div>
    </>
  );
}
