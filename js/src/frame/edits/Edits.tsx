import { useState } from "preact/hooks";
import { useView } from "../../client/view";
import { Button } from "../../ui/button/Button";
import { Choice } from "../../ui/choice/Choice";
import { Icon } from "../../ui/icons/Icon";
import { useAct } from "../../ui/page/act";
import { Page } from "../../ui/page/Page";
import { plural } from "../../ui/text/format";
import { Quiet } from "../../ui/text/Quiet";
import { Drawer } from "../drawer/Drawer";
import "./edits.css";

const SHOWN = [
  { value: "stored", label: "As stored", title: "The store as it is" },
  { value: "edited", label: "Edited", title: "The store with the edits applied" },
] as const;

/** Under every tab while an edit is tried: what is shown, what changes, and the ways back and forth. */
export function Edits() {
  const { session, goto } = useView();
  const summary = session.summary.value;
  const path = session.path.value;
  const { act: ask } = useAct(path);
  const [problem, setProblem] = useState("");
  const [saving, setSaving] = useState(false);
  if (!summary?.edits.steps) return null;
  const act = async (name: string, params = {}) => {
    setProblem("");
    setProblem(await ask(name, params));
  };
  const { steps, shown, serial } = summary.edits;
  return (
    <section class="nzx-edits" aria-label="Edits">
      {saving && (
        <Drawer title="Save to the store" onClose={() => setSaving(false)}>
          <Page key={serial} name="saving" path={path} />
        </Drawer>
      )}
      <span class="nzx-dot" aria-hidden="true" />
      <span class="nzx-edits-said">
        <strong>{plural(steps, "edit")} tried</strong>
        <Quiet>, nothing written</Quiet>
      </span>
      <button type="button" class="nzx-link" onClick={() => goto(path, "changes")}>
        Changes
      </button>
      <Choice
        label="Show"
        value={shown ? "edited" : "stored"}
        options={SHOWN}
        onChange={(to) => void act("show edits", { shown: to === "edited" })}
      />
      {problem && (
        <span class="nzx-is-error nzx-cut" role="alert" title={problem}>
          {problem}
        </span>
      )}
      <span class="nzx-gap" />
      <Page name="edits" path={path} />
      <Button title="Undo all edits" onClick={() => void act("reset")}>
        Reset
      </Button>
      <Button onClick={() => void act("undo")}>
        <Icon name="undo" /> Undo
      </Button>
      {summary.mode === "r+" && (
        <button
          type="button"
          class="nzx-button nzx-main"
          title="What would be written"
          onClick={() => setSaving(true)}
        >
          <Icon name="save" /> Save to the store
        </button>
      )}
    </section>
  );
}
