import { useContext, useState } from "preact/hooks";
import type { Finding, FindingsParams } from "../../client/protocol.gen";
import { useView } from "../../client/view";
import { Button } from "../../ui/button/Button";
import { Page } from "../../ui/page/Page";
import { Waiting } from "../../ui/problem/Waiting";
import { PlaceContext } from "../../ui/section/Section";
import { Select } from "../../ui/select/Select";
import { grouped } from "../../ui/text/format";
import { Detail } from "./Detail";
import { List, type ListLink } from "./List";
import { useFindings } from "./paging";
import { ReportMenu } from "./ReportMenu";
import { Symptoms } from "./Symptoms";
import "./findings.css";

type Order = NonNullable<FindingsParams["order"]>;
const ORDERS = ["impact", "rule", "node"];
const orderTitle = (name: string) => `By ${name}`;

/** Findings as a list and the one that is looked at. */
export function FindingsPanel({ path, group }: { path: string; group: boolean }) {
  const { session, wanted: filter, symptom } = useView();
  const place = useContext(PlaceContext);
  const [order, setOrder] = useState<Order>("impact");
  const [below, setBelow] = useState(true);
  const wanted = filter.value;
  const [chosen, setChosen] = useState<{ index: number; finding: Finding | null }>({
    index: 0,
    finding: null,
  });
  const [questions, setQuestions] = useState(false);
  /** Whether the detail is in front where there is room for one of the two. */
  const [front, setFront] = useState(false);
  const inside = group && below;
  const question = { path, below: inside, order, impacts: wanted ? [wanted] : [], symptom: symptom.value };
  const list = useFindings(session, question, session.revision.value);
  const { result } = list;
  const key = JSON.stringify(question);
  const [asked, setAsked] = useState(key);
  if (asked !== key) {
    setAsked(key);
    setChosen({ index: 0, finding: null });
    setQuestions(false);
    setFront(false);
  }

  const showSection = (section: string) => {
    if (place) session.panel.set(place.nameOf(section));
  };
  const choose = (index: number, open: boolean) => {
    setChosen({ index, finding: list.at(index) ?? null });
    setQuestions(false);
    if (place?.section) showSection("");
    if (open) setFront(true);
  };

  // The list may have moved under what was chosen: it stays chosen as long as it is there.
  const total = result?.total ?? 0;
  const index = list.find(chosen.finding, chosen.index) ?? Math.min(chosen.index, Math.max(0, total - 1));
  const finding = list.at(index);
  // What was not looked at may be why, where nothing that was found is.
  const open = questions || (result?.causes === 0 && !chosen.finding);
  const other = place?.section === "conventions" ? "conventions" : open ? "questions" : null;
  const conforms = Object.values(session.summary.value?.conforms ?? {});
  const links: ListLink[] = [];
  if (result && result.not_evaluated > 0)
    links.push({
      title: "Not evaluated",
      note: grouped(result.not_evaluated),
      chosen: other === "questions",
      onChoose: () => {
        if (place?.section) showSection("");
        setQuestions(true);
        setFront(true);
      },
    });
  links.push({
    title: "Conventions",
    note: `${conforms.filter((one) => one === true).length} of ${conforms.length}`,
    chosen: other === "conventions",
    onChoose: () => {
      showSection("conventions");
      setFront(true);
    },
  });

  return (
    <div class="nzx-column nzx-findings" data-front={front || place?.section ? "detail" : "list"}>
      <div class="nzx-findings-bar">
        <Symptoms result={result} />
        <span class="nzx-gap" />
        {group && (
          <label class="nzx-check">
            <input
              type="checkbox"
              checked={below}
              onChange={(event) => setBelow(event.currentTarget.checked)}
            />
            and all below
          </label>
        )}
        <Select
          label="Order"
          value={order}
          names={ORDERS}
          titleOf={orderTitle}
          onChange={(name) => setOrder(name as Order)}
        />
        <ReportMenu path={path} />
      </div>
      {(list.error || !result) && (
        <Waiting<"findings"> call={{ ...list, answer: null }} what="Looking for findings…" whole />
      )}
      {result && (
        <div class="nzx-two">
          <List list={list} chosen={other ? null : index} onChoose={choose} links={links}>
            {total === 0 && <p class="nzx-note nzx-pad">No findings here.</p>}
          </List>
          <div
            class="nzx-one"
            role="region"
            aria-label={other ? "About the findings" : "Finding"}
            tabIndex={0}
          >
            <Button
              class="nzx-button nzx-back"
              onClick={() => {
                setFront(false);
                if (place?.section) showSection("");
              }}
            >
              All findings
            </Button>
            {other === "conventions" ? (
              <>
                <h3>Conventions</h3>
                <Page name="conventions" path={path} />
              </>
            ) : other === "questions" || total === 0 ? (
              <Page name="open questions" path={path} params={{ below: inside }} />
            ) : finding ? (
              <Detail
                key={`${finding.rule} ${finding.path} ${finding.pointer} ${finding.message}`}
                finding={finding}
                source={list.rules[finding.rule]?.source ?? ""}
              />
            ) : (
              <p class="nzx-note">Reading…</p>
            )}
          </div>
        </div>
      )}
    </div>
  );
}
