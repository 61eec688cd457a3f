import { useState } from "preact/hooks";
import { grouped, plural } from "../format";
import type { Finding, RuleInfo } from "../protocol.gen";
import { visible } from "../text";
import { useCall, useView } from "../ui/hooks";
import { Icon, type Severity, SeverityIcon } from "../ui/icons";
import { Button, Choice, NodeLink, Quiet, Waiting } from "../ui/parts";
import { Page } from "./Page";

const PAGE = 200;
type Order = "rule" | "node" | "severity";
const SEVERITIES: readonly Severity[] = ["error", "warning", "info"];
const WORDS: Record<Severity, [string, string]> = {
  error: ["error", "errors"],
  warning: ["warning", "warnings"],
  info: ["for information", "for information"],
};

/** Findings under the heading of their rule or node, in the order of first appearance. */
function grouping(findings: readonly Finding[], order: Order): [string, Finding[]][] {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    const key = finding[order === "node" ? "path" : order];
    const group = groups.get(key);
    if (group) group.push(finding);
    else groups.set(key, [finding]);
  }
  return [...groups];
}

export function FindingsPanel({ path, group }: { path: string; group: boolean }) {
  const { session } = useView();
  const [order, setOrder] = useState<Order>("rule");
  const [below, setBelow] = useState(true);
  const [hidden, setHidden] = useState<ReadonlySet<Severity>>(new Set());
  const [pages, setPages] = useState({ path, count: 1 });
  const limit = PAGE * (pages.path === path ? pages.count : 1);
  const params = { path, below: group && below, offset: 0, limit };
  const call = useCall(session.client, "findings", params, { version: session.revision.value, keep: true });
  const held = call.answer?.value;
  const result = held && held.path === path ? held : undefined;
  const shown = result?.findings.filter((finding) => !hidden.has(finding.severity)) ?? [];
  const toggle = (severity: Severity) => {
    const next = new Set(hidden);
    if (!next.delete(severity)) next.add(severity);
    setHidden(next);
  };
  return (
    <div class="nzx-column">
      <div class="nzx-toolbar">
        <Choice
          label="Group by"
          value={order}
          options={[
            { value: "rule", label: "By rule" },
            { value: "node", label: "By node" },
            { value: "severity", label: "By severity" },
          ]}
          onChange={setOrder}
        />
        {result &&
          SEVERITIES.map((severity) => (
            <button
              key={severity}
              type="button"
              class="nzx-filter"
              aria-pressed={!hidden.has(severity)}
              title={hidden.has(severity) ? "Show them" : "Hide them"}
              onClick={() => toggle(severity)}
            >
              <SeverityIcon severity={severity} /> {grouped(result.counts[severity])}{" "}
              {WORDS[severity][result.counts[severity] === 1 ? 0 : 1]}
            </button>
          ))}
        <span class="nzx-gap" />
        {group && (
          <label class="nzx-check">
            <input
              type="checkbox"
              checked={below}
              onChange={(event) => setBelow(event.currentTarget.checked)}
            />{" "}
            and all below
          </label>
        )}
      </div>
      <div class="nzx-scroll nzx-pad">
        <Waiting call={call} what="Looking for findings…" />
        {result && (
          <>
            {result.total > 0 && (
              <ul role="list" aria-label="Findings">
                {grouping(shown, order).map(([key, findings]) => (
                  <Group key={key} name={key} order={order} findings={findings} rules={result.rules} />
                ))}
              </ul>
            )}
            {result.total > 0 && shown.length === 0 && (
              <p class="nzx-note">All findings are hidden by the filter.</p>
            )}
            {result.findings.length < result.total && (
              <p class="nzx-note">
                {grouped(result.findings.length)} of {plural(result.total, "finding")}{" "}
                <Button disabled={call.loading} onClick={() => setPages({ path, count: limit / PAGE + 1 })}>
                  Show more
                </Button>
              </p>
            )}
            <Page name="open questions" path={path} params={{ below: params.below }} />
          </>
        )}
      </div>
    </div>
  );
}

interface GroupProps {
  name: string;
  order: Order;
  findings: Finding[];
  rules: Record<string, RuleInfo>;
}

function Group({ name, order, findings, rules }: GroupProps) {
  const rule = rules[name];
  const worst =
    SEVERITIES.find((severity) => findings.some((finding) => finding.severity === severity)) ?? "info";
  return (
    <>
      <li class="nzx-group-head" role="presentation">
        <SeverityIcon severity={worst} />
        {order === "node" ? (
          <NodeLink path={name} />
        ) : (
          <>
            <strong>{visible(rule?.title ?? WORDS[worst][1])}</strong>
            <Quiet>{visible(rule?.source ?? "")}</Quiet>
          </>
        )}
        <span class="nzx-gap" />
        <Quiet>{grouped(findings.length)}</Quiet>
      </li>
      {findings.map((finding, at) => (
        <One
          key={`${finding.rule} ${finding.path} ${finding.pointer} ${at}`}
          finding={finding}
          named={order !== "node"}
        />
      ))}
    </>
  );
}

/** One finding, folded; `named` where its node is not said above. */
function One({ finding, named }: { finding: Finding; named: boolean }) {
  const { goto, spotlight } = useView();
  const [open, setOpen] = useState(false);
  const { rule, path, pointer, message, severity, level } = finding;
  const showMe = () => {
    spotlight.value = { path, pointer, rule };
    goto(path, "metadata");
  };
  return (
    <li class={`nzx-finding nzx-finding-${severity}`} data-rule={rule} data-severity={severity}>
      <div class="nzx-finding-head">
        <button
          type="button"
          class="nzx-finding-toggle"
          aria-expanded={open}
          aria-label={`${rule}: ${visible(message)}`}
          onClick={() => setOpen(!open)}
        >
          <span class={`nzx-chevron ${open ? "nzx-open" : ""}`}>
            <Icon name="chevron" />
          </span>
          <span class={`nzx-level nzx-is-${severity}`}>{visible(level)}</span>
          <code class="nzx-rule">{rule}</code>
          <span class="nzx-message">{visible(message)}</span>
        </button>
        {named && <NodeLink path={path} />}
        <Button onClick={showMe} aria-label={`Show me: ${rule} in ${visible(path)}`}>
          Show me
        </Button>
      </div>
      {open && (
        <div class="nzx-finding-body">
          <Page name="finding" path={path} params={{ rule, pointer, message }} />
        </div>
      )}
    </li>
  );
}
