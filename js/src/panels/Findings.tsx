import { useState } from "preact/hooks";
import { grouped, plural } from "../format";
import type { Finding, FindingsResult, NotEvaluated, RuleInfo } from "../protocol.gen";
import { visible } from "../text";
import { CodeView } from "../ui/code";
import { useCall, useView } from "../ui/hooks";
import { Icon, type Severity, SeverityIcon } from "../ui/icons";
import { Button, Choice, CopyButton, NodeLink, Quiet, Waiting } from "../ui/parts";

const PAGE = 200;
type Order = "rule" | "node";
const SEVERITIES: readonly Severity[] = ["error", "warning", "info"];
const WORDS: Record<Severity, [string, string]> = {
  error: ["error", "errors"],
  warning: ["warning", "warnings"],
  info: ["for information", "for information"],
};

/** Findings under the heading of their rule or node, in the order of first appearance. */
export function grouping(findings: readonly Finding[], order: Order): [string, Finding[]][] {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    const key = order === "rule" ? finding.rule : finding.path;
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
            {result.total === 0 ? (
              <Nothing result={result} />
            ) : (
              <ul class="nzx-findings" role="list" aria-label="Findings">
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
            <Open items={result.not_evaluated} total={result.not_evaluated_total} />
          </>
        )}
      </div>
    </div>
  );
}

function Nothing({ result }: { result: FindingsResult }) {
  const open = result.not_evaluated_total;
  const whole = result.counts.complete && open === 0;
  return (
    <div class="nzx-nothing">
      <Icon name={whole ? "check" : "info"} />
      <div>
        <p>
          <strong>
            No findings{result.counts.complete ? "." : " so far; rules are still being evaluated."}
          </strong>
        </p>
        {open > 0 && (
          <p>
            {plural(open, "check")} could not be evaluated. The absence of findings is not conformance: what
            was not looked at may still break a rule.
          </p>
        )}
        {whole && <p>Every rule that applies here was evaluated.</p>}
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
        {order === "rule" ? (
          <>
            <strong>{visible(rule?.title ?? name)}</strong>
            <Quiet>{visible(rule?.source ?? "")}</Quiet>
          </>
        ) : (
          <NodeLink path={name} />
        )}
        <span class="nzx-gap" />
        <Quiet>{grouped(findings.length)}</Quiet>
      </li>
      {findings.map((finding, at) => (
        <One
          key={`${finding.rule} ${finding.path} ${finding.pointer} ${at}`}
          finding={finding}
          rule={rules[finding.rule]}
          order={order}
        />
      ))}
    </>
  );
}

function One({ finding, rule, order }: { finding: Finding; rule: RuleInfo | undefined; order: Order }) {
  const { goto, spotlight } = useView();
  const [open, setOpen] = useState(false);
  const showMe = () => {
    spotlight.value = { path: finding.path, pointer: finding.pointer, rule: finding.rule };
    goto(finding.path, "metadata");
  };
  return (
    <li
      class={`nzx-finding nzx-finding-${finding.severity}`}
      data-rule={finding.rule}
      data-severity={finding.severity}
    >
      <div class="nzx-finding-head">
        <button
          type="button"
          class="nzx-finding-toggle"
          aria-expanded={open}
          aria-label={`${finding.rule}: ${visible(finding.message)}`}
          onClick={() => setOpen(!open)}
        >
          <span class={`nzx-chevron ${open ? "nzx-open" : ""}`}>
            <Icon name="chevron" />
          </span>
          <span class={`nzx-level nzx-is-${finding.severity}`}>{visible(finding.level)}</span>
          <code class="nzx-rule">{finding.rule}</code>
          <span class="nzx-message">{visible(finding.message)}</span>
        </button>
        {order === "rule" && <NodeLink path={finding.path} />}
        <Button onClick={showMe} aria-label={`Show me: ${finding.rule} in ${visible(finding.path)}`}>
          Show me
        </Button>
      </div>
      {open && <Details finding={finding} rule={rule} />}
    </li>
  );
}

function Details({ finding, rule }: { finding: Finding; rule: RuleInfo | undefined }) {
  const { fix } = finding;
  return (
    <div class="nzx-finding-body">
      <dl>
        {rule && (
          <>
            <dt>The convention</dt>
            <dd>
              {visible(rule.statement)} <Quiet>{visible(rule.source)}</Quiet>
            </dd>
            <dt>Why it matters</dt>
            <dd>{visible(rule.rationale)}</dd>
          </>
        )}
        <dt>Where</dt>
        <dd>
          <NodeLink path={finding.path} /> {finding.pointer && <code>{visible(finding.pointer)}</code>}
        </dd>
        {finding.related.length > 0 && (
          <>
            <dt>Related</dt>
            <dd class="nzx-links">
              {finding.related.map((path) => (
                <NodeLink key={path} path={path} />
              ))}
            </dd>
          </>
        )}
      </dl>
      {rule && (rule.bad_example || rule.good_example) && (
        <div class="nzx-examples">
          {rule.bad_example && <Example title="Breaks it" kind="bad" text={rule.bad_example} />}
          {rule.good_example && <Example title="Keeps it" kind="good" text={rule.good_example} />}
        </div>
      )}
      {fix && (
        <div class="nzx-fix">
          <div class="nzx-code-head">
            <h5>Fix</h5>
            <span class={`nzx-chip ${fix.safety === "safe" ? "nzx-is-good" : "nzx-is-warning"}`}>
              {{ safe: "safe", unsafe: "may change meaning", suggest: "a suggestion" }[fix.safety]}
            </span>
            <code class="nzx-quiet">{visible(fix.document)}</code>
            <span class="nzx-gap" />
            <CopyButton text={JSON.stringify(fix.patch, null, 2)} label="Copy as JSON patch" />
          </div>
          {fix.note && <p>{visible(fix.note)}</p>}
          <CodeView
            text={(fix.diff ?? fix.patch.map((step) => JSON.stringify(step)).join("\n")).replace(/\n+$/, "")}
            language={fix.diff ? "diff" : "json"}
            label={`Fix of ${finding.rule}`}
            numbers={false}
          />
        </div>
      )}
    </div>
  );
}

function Example({ title, kind, text }: { title: string; kind: "bad" | "good"; text: string }) {
  return (
    <div class={`nzx-example nzx-example-${kind}`}>
      <h5>
        <Icon name={kind === "bad" ? "cross" : "check"} /> {title}
      </h5>
      <CodeView text={text.replace(/\n+$/, "")} language="json" label={title} numbers={false} />
    </div>
  );
}

/** What nobody has looked at, by rule and reason. */
function Open({ items, total }: { items: readonly NotEvaluated[]; total: number }) {
  if (total === 0) return null;
  const groups = new Map<string, NotEvaluated[]>();
  for (const item of items) {
    const key = `${item.rule}\n${item.reason}`;
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return (
    <details class="nzx-open-list">
      <summary>
        Not evaluated: {grouped(total)} <Quiet>– absence of findings is not conformance</Quiet>
      </summary>
      <table class="nzx-table" aria-label="Not evaluated">
        <thead>
          <tr>
            <th scope="col">Rule</th>
            <th scope="col">Reason</th>
            <th scope="col">Nodes</th>
          </tr>
        </thead>
        <tbody>
          {[...groups].map(([key, [first, ...rest]]) =>
            first === undefined ? null : (
              <tr key={key}>
                <td>
                  <code>{first.rule}</code>
                </td>
                <td>{visible(first.reason)}</td>
                <td class="nzx-links">
                  {[first, ...rest].slice(0, 10).map((item) => (
                    <NodeLink key={item.path} path={item.path} />
                  ))}
                  {rest.length > 9 && <Quiet>and {grouped(rest.length - 9)} more</Quiet>}
                </td>
              </tr>
            ),
          )}
        </tbody>
      </table>
      {items.length < total && <p class="nzx-note">… and {grouped(total - items.length)} more</p>}
    </details>
  );
}
