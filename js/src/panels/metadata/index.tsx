import { useView } from "../../client/view";
import { Section } from "../../ui/section/Section";
import { NodePage } from "../PagePanel";
import type { Panel, PanelProps } from "../panel";
import { DocumentView } from "./DocumentView";

function View(props: PanelProps) {
  const { spotlight } = useView();
  const lit = spotlight.value;
  return (
    <div class="nzx-sections" tabIndex={0}>
      <Section name="attributes" title="Attributes" note="with their types under NZ" open>
        <NodePage {...props} name="about" />
      </Section>
      <Section name="document" title="Document" open reveal={lit?.path === props.path ? lit : null}>
        <DocumentView path={props.path} />
      </Section>
      <Section name="storage" title="Storage" note="chunks, codecs and sizes">
        <NodePage {...props} name="storage" />
      </Section>
    </div>
  );
}

export const metadata: Panel = {
  name: "metadata",
  title: "Metadata",
  sections: { storage: "storage" },
  View,
};
