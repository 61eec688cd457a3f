import type { Forecast, Summary } from "../../client/protocol.gen";
import { useView } from "../../client/view";
import { Button, IconButton } from "../../ui/button/Button";
import { Icon } from "../../ui/icons/Icon";
import { allMarked, type Impact, impactText, WORDS } from "../../ui/impact/Impact";
import { useAct } from "../../ui/page/act";
import { RETRY } from "../../ui/problem/Blank";
import { Progress } from "../../ui/progress/Progress";
import { Select } from "../../ui/select/Select";
import { bytes, grouped, plural } from "../../ui/text/format";
import { middle, visible } from "../../ui/text/text";
import { predictionOf } from "./prediction";
import "./header.css";

export function Header({ side, onSide }: { side: boolean; onSide: () => void }) {
  const { session } = useView();
  const summary = session.summary.value;
  const health = session.client.health.value;
  const failed = session.openError.value;
  if (!summary) {
    return (
      <div class="nzx-header">
        <div class="nzx-status" role="status">
          {failed
            ? ""
            : health === "waiting"
              ? "Opening…"
              : session.savedPage
                ? "No answer from the kernel yet: this is what was saved"
                : health === "lost"
                  ? "No answer from the kernel"
                  : "The kernel is busy; waiting…"}
        </div>
      </div>
    );
  }
  const busy = summary.progress.phase === "walk" || summary.progress.phase === "values";
  return (
    <div class="nzx-header">
      <IconButton
        icon="sidebar"
        label={side ? "Hide the tree" : "Show the tree"}
        pressed={side}
        onClick={onSide}
      />
      <Source summary={summary} />
      <Walk summary={summary} busy={busy} />
      <span class="nzx-gap" />
      {health === "lost" && <Button onClick={() => session.client.resendAll()}>{RETRY}</Button>}
      <div class="nzx-status" role="status">
        <span class="nzx-hidden">{inWords(summary)}</span>
        {busy && <span class="nzx-hidden">{visible(summary.progress.message)}</span>}
        {health === "slow" && <span class="nzx-is-warning nzx-cut">The kernel is busy; waiting…</span>}
        {health === "lost" && (
          <span class="nzx-is-error">No answer from the kernel; after a restart, run the cell again</span>
        )}
      </div>
      {health !== "lost" && (
        <>
          <Readers readers={summary.readers} />
          <Counts summary={summary} />
        </>
      )}
    </div>
  );
}

/** All that was found, by severity, for assistive technology; the eye sees impacts. */
function inWords({ nodes, counts, not_evaluated: open }: Summary): string {
  const found = [plural(counts.error, "error"), plural(counts.warning, "warning")];
  return `${plural(nodes, "node")}, ${found.join(", ")}, ${grouped(open)} not evaluated`;
}

/** Where the data come from, and in which form. */
function Source({ summary }: { summary: Summary }) {
  const { source, store, zarr_format: format, metadata, listable, version, versions } = summary;
  const { act } = useAct(useView().session.path.value);
  const shown = metadata === "consolidated" ? "Consolidated metadata is shown" : "Stored documents are shown";
  const facts = [
    visible(store),
    format === null ? "no Zarr format found" : `Zarr v${format}`,
    ...(metadata === "consolidated" ? ["consolidated"] : []),
  ];
  return (
    <>
      <div class="nzx-source" title={`${visible(source)}\n${facts.join(", ")}\n${shown}`}>
        <bdi>{visible(middle(source.split(/[/\\]/).filter(Boolean).at(-1) ?? source, 64))}</bdi>
      </div>
      {version !== null && (
        <Select
          label="Version"
          value={version}
          names={versions}
          onChange={(version) => act("show version", { version })}
        />
      )}
      <span class="nzx-quiet nzx-form">{facts.join(" · ")}</span>
      {!listable && (
        <span class="nzx-chip nzx-form" title="Only nodes named in metadata are found">
          not listable
        </span>
      )}
    </>
  );
}

const SHORT: Record<string, string> = { "zarr-python": "zarr" };

/** So many readers have a chip of their own. */
const CHIPS = 3;
const GRAVEST = ["blocks", "values", "advice", "good"];

/** What readers will make of the store, by its findings; of many those first that something is wrong for. */
function Readers({ readers }: { readers: readonly Forecast[] }) {
  const { goto, session } = useView();
  if (readers.length === 0) return null;
  const all = readers.map((one) => ({ one, ...predictionOf(one) }));
  const more = all.length - CHIPS;
  if (more > 0) all.sort((a, b) => GRAVEST.indexOf(a.tone) - GRAVEST.indexOf(b.tone));
  const show = () => goto(session.path.peek(), "readers");
  return (
    <div class="nzx-readers" role="group" aria-label="Readers">
      {all.slice(0, CHIPS).map(({ one, icon, tone, said, rules }) => {
        const because =
          rules.length > 0 ? `, ${rules.slice(0, 3).join(", ")}${rules.length > 3 ? " …" : ""}` : "";
        const text = `${one.reader}: ${visible(said)}${because}`;
        return (
          <button
            key={one.reader}
            type="button"
            aria-label={text}
            title={`${text}\nPredicted; click to try it`}
            onClick={show}
          >
            <span class="nzx-cut">{visible(SHORT[one.reader] ?? one.reader)}</span>
            <span class={`nzx-is-${tone}`}>
              <Icon name={icon} />
            </span>
          </button>
        );
      })}
      {more > 0 && (
        <button
          type="button"
          aria-label={plural(more, "more reader")}
          title={plural(more, "more reader")}
          onClick={show}
        >
          +{more}
        </button>
      )}
    </div>
  );
}

/** How many findings of which impact there are: buttons that show them. */
function Counts({ summary }: { summary: Summary }) {
  const { goto, wanted } = useView();
  const { impacts } = summary.root;
  const show = (impact: Impact | null) => {
    wanted.value = impact;
    goto("/", "findings");
  };
  return (
    <div class="nzx-counts" role="group" aria-label="Findings by impact">
      {allMarked(impacts).map((impact) => (
        <button
          key={impact}
          type="button"
          class={`nzx-count nzx-is-${impact}`}
          aria-label={impactText(impact, impacts[impact])}
          title={impactText(impact, impacts[impact])}
          onClick={() => show(impact)}
        >
          <Icon name={impact} />
          {grouped(impacts[impact])} <span class="nzx-word">{WORDS[impact]}</span>
        </button>
      ))}
      {Object.entries(summary.conforms)
        .filter(([name]) => name.startsWith("NZ"))
        .map(([name, holds]) => (
          <Conformance
            key={name}
            name={visible(name)}
            holds={holds}
            steps={summary.steps}
            onShow={() => show(summary.steps > 0 ? "distance" : null)}
          />
        ))}
    </div>
  );
}

/** Whether the dataset keeps NZ, or how far it is from that; what it breaks is in the counts. */
function Conformance(props: { name: string; holds: boolean | null; steps: number; onShow: () => void }) {
  const { name, steps, holds, onShow } = props;
  const [icon, tone, text, said] =
    steps > 0
      ? ["distance", "distance", `${plural(steps, "step")} from ${name}`, "does not conform"]
      : holds === true
        ? ["check", "good", name, "conforms"]
        : holds === false
          ? ["distance", "distance", `not ${name}`, "does not conform"]
          : ["minus", "advice", name, "not decided: something needed has not been evaluated"];
  return (
    <button
      type="button"
      class={`nzx-count nzx-outlined nzx-is-${tone}`}
      aria-label={`${text}: ${said}`}
      title={`${name}: ${said}`}
      onClick={onShow}
    >
      <Icon name={icon as string} />
      {steps > 0 ? (
        <>
          {grouped(steps)} <span class="nzx-word">{(text as string).slice(grouped(steps).length + 1)}</span>
        </>
      ) : (
        text
      )}
    </button>
  );
}

/** The background walk: how far it is, and its stop and go. */
function Walk({ summary, busy }: { summary: Summary; busy: boolean }) {
  const { session } = useView();
  const { progress } = summary;
  if (progress.phase === "done") return null;
  const part = progress.total ? Math.min(1, progress.nodes / progress.total) : null;
  const facts = `${visible(progress.message)}\n${grouped(progress.requests)} requests, ${bytes(progress.bytes_read)} read`;
  const walk = (action: "cancel" | "resume") => {
    session.client.request("walk", { action }).then(
      ({ progress: now }) => {
        const before = session.summary.peek();
        if (before) session.summary.value = { ...before, progress: now };
      },
      () => {},
    );
  };
  return (
    <span class="nzx-walk" title={facts}>
      {busy ? (
        <>
          <Progress
            part={part}
            label={progress.phase === "values" ? "Checking values" : "Walking the hierarchy"}
            text={visible(progress.message)}
          />
          <span class="nzx-quiet nzx-percent">
            {part === null ? grouped(progress.nodes) : `${Math.floor(part * 100)}\u202f%`}
          </span>
          <IconButton icon="cross" label="Stop the walk" onClick={() => walk("cancel")} />
        </>
      ) : (
        <>
          <span class={progress.phase === "failed" ? "nzx-is-error" : "nzx-quiet"}>
            {progress.phase === "failed" ? "walk failed" : `stopped at ${plural(progress.nodes, "node")}`}
          </span>
          <Button onClick={() => walk("resume")}>
            <Icon name="play" /> Resume
          </Button>
        </>
      )}
    </span>
  );
}
