import { bytes, grouped, plural } from "./format";
import type { Summary } from "./protocol.gen";
import { middle, visible } from "./text";
import { useView } from "./ui/hooks";
import { Icon } from "./ui/icons";
import { Button, IconButton, Problem, Progress, Quiet } from "./ui/parts";

/** "3 errors · 5 warnings · 2 not evaluated", each always said. */
function verdicts({ counts, not_evaluated: open, progress }: Summary): { text: string; kind: string }[] {
  const over = progress.phase === "done";
  return [
    {
      text: plural(counts.error, "error"),
      kind: counts.error > 0 ? "nzx-is-error" : over && counts.complete ? "nzx-is-good" : "nzx-quiet",
    },
    { text: plural(counts.warning, "warning"), kind: counts.warning > 0 ? "nzx-is-warning" : "nzx-quiet" },
    { text: `${grouped(open)} not evaluated`, kind: open > 0 ? "nzx-is-warning" : "nzx-quiet" },
  ];
}

const CONFORMS = {
  true: ["nzx-is-good", "✓", "conforms"],
  false: ["nzx-is-error", "✗", "does not conform"],
  null: ["", "?", "not decided"],
} as const;

export function Header({ side, onSide }: { side: boolean; onSide: () => void }) {
  const { session, goto } = useView();
  const summary = session.summary.value;
  const health = session.client.health.value;
  const failed = session.openError.value;
  if (summary === null) {
    return (
      <div class="nzx-header">
        <div class="nzx-status" role="status">
          {failed
            ? ""
            : health === "lost"
              ? "No answer from the kernel"
              : health === "slow"
                ? "The kernel is busy; waiting…"
                : "Opening…"}
        </div>
        {failed && <Problem onRetry={() => void session.open()}>{visible(failed.message)}</Problem>}
      </div>
    );
  }
  const { progress } = summary;
  const busy = progress.phase === "walk" || progress.phase === "values";
  const format = summary.zarr_format === null ? "no Zarr format found" : `Zarr v${summary.zarr_format}`;
  return (
    <div class="nzx-header">
      <IconButton
        icon="sidebar"
        label={side ? "Hide the tree" : "Show the tree"}
        pressed={side}
        onClick={onSide}
      />
      <div class="nzx-source" title={`${visible(summary.source)}\n${summary.store}`}>
        <bdi>{visible(middle(summary.source, 64))}</bdi>
      </div>
      <Quiet>{visible(summary.store)}</Quiet>
      <Quiet>{format}</Quiet>
      <span
        class="nzx-chip"
        title={
          summary.metadata === "consolidated"
            ? "What is shown comes from the consolidated metadata; the Metadata tab compares it with the stored documents."
            : "What is shown comes from the documents as they are stored."
        }
      >
        {summary.metadata === "consolidated" ? "consolidated metadata" : "stored documents"}
      </span>
      {!summary.listable && (
        <span
          class="nzx-chip nzx-is-warning"
          title="This store cannot be listed: only nodes that metadata name are found."
        >
          not listable
        </span>
      )}
      <span class="nzx-gap" />
      <Walk summary={summary} />
      {Object.entries(summary.conforms).map(([name, holds]) => {
        const [kind, sign, said] = CONFORMS[`${holds}`];
        return (
          <button
            type="button"
            key={name}
            class={`nzx-chip nzx-verdict ${kind}`}
            title={`${visible(name)}: ${said}${holds === null ? ": something needed has not been evaluated" : ""}`}
            onClick={() => goto("/", "findings")}
          >
            <span>{visible(name)}</span>
            <span aria-hidden="true">{sign}</span>
            <span class="nzx-hidden">{said}</span>
          </button>
        );
      })}
      <div class="nzx-status" role="status">
        <Quiet>{plural(summary.nodes, "node")}</Quiet>
        {verdicts(summary).map(({ text, kind }) => (
          <span key={kind + text} class={`nzx-count ${kind}`}>
            {text}
          </span>
        ))}
        {busy && <span class="nzx-hidden">{visible(progress.message)}</span>}
        {health === "slow" && <span class="nzx-is-warning">The kernel is busy; waiting…</span>}
        {health === "lost" && (
          <span class="nzx-is-error">No answer from the kernel; after a restart, run the cell again</span>
        )}
      </div>
      {health === "lost" && (
        <Button onClick={() => session.client.resendAll()}>
          <Icon name="retry" /> Retry
        </Button>
      )}
    </div>
  );
}

/** The background walk: how far it is, and its stop and go. */
function Walk({ summary }: { summary: Summary }) {
  const { session } = useView();
  const { progress } = summary;
  if (progress.phase === "done") return null;
  const busy = progress.phase === "walk" || progress.phase === "values";
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
