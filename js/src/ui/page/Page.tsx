import type { ComponentChildren } from "preact";
import { createContext } from "preact";
import { useContext, useState } from "preact/hooks";
import { useCall } from "../../client/calls";
import type { Action, CodeBlock, PageResult, Span, TableRow } from "../../client/protocol.gen";
import { useView } from "../../client/view";
import { Button } from "../button/Button";
import { CopyButton } from "../button/CopyButton";
import { CodeView } from "../code/CodeView";
import { Icon } from "../icons/Icon";
import { Waiting } from "../problem/Waiting";
import { visible } from "../text/text";
import { useAct } from "./act";
import "./page.css";

type Block = PageResult["blocks"][number];
type Text = readonly (string | Span)[];

/** The node that the actions of a page are about. */
const About = createContext("/");

/** What Python has composed about a node: asked for again whenever it may say something else. */
export function Page({ name, path, params = {} }: { name: string; path: string; params?: object }) {
  const { session } = useView();
  const version = `${session.revision.value} ${session.pages.value[name] ?? 0}`;
  const asked = { name, path, params: params as Record<string, unknown> };
  const call = useCall(session.client, "page", asked, { version });
  return (
    <>
      <Waiting call={call} />
      {call.answer && <Blocks blocks={call.answer.value.blocks} path={path} />}
    </>
  );
}

export function Blocks({ blocks, path }: { blocks: readonly Block[]; path: string }) {
  return (
    <About.Provider value={path}>
      <div class="nzx-page">
        <List blocks={blocks} />
      </div>
    </About.Provider>
  );
}

const List = ({ blocks }: { blocks: readonly Block[] }) => (
  <>
    {blocks.map((block, at) => (
      // Blocks have no other identity.
      <One key={`${at} ${block.type}`} block={block} />
    ))}
  </>
);

function One({ block }: { block: Block }) {
  switch (block.type) {
    case "heading":
      return (
        <h4>
          <Pieces text={block.text} />
        </h4>
      );
    case "paragraph":
      return (
        <p class={block.tone ? `nzx-said nzx-is-${block.tone}` : undefined}>
          {block.tone && <Icon name={block.tone === "good" ? "check" : block.tone} />}
          <span>
            <Pieces text={block.text} />
          </span>
        </p>
      );
    case "definitions":
      return (
        <dl class="nzx-facts">
          {block.items.map(({ label, text }, at) => (
            <div key={at}>
              <dt>
                <Pieces text={label} />
              </dt>
              <dd>
                <Pieces text={text} />
              </dd>
            </div>
          ))}
        </dl>
      );
    case "list":
      return (
        <ul class="nzx-listing" aria-label={block.label ?? undefined}>
          {block.items.map((item, at) => (
            <li key={at}>
              <Pieces text={item} />
            </li>
          ))}
        </ul>
      );
    case "table":
      return (
        <div class="nzx-table-holder">
          <table class="nzx-table" aria-label={visible(block.label)}>
            <thead>
              <tr>
                {block.columns.map((column) => (
                  <th key={column} scope="col">
                    {visible(column)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {block.rows.map((row, at) => (
                <Row key={at} row={row} />
              ))}
            </tbody>
          </table>
        </div>
      );
    case "code":
      return <Code block={block} />;
    case "picture":
      return (
        <figure>
          <img src={block.src} alt={visible(block.label)} />
          <figcaption>{visible(block.label)}</figcaption>
        </figure>
      );
    case "actions":
      return (
        <div class="nzx-actions">
          {block.actions.map((action) => (
            <ActionButton key={action.label} action={action} />
          ))}
        </div>
      );
    case "columns":
      return (
        <div class="nzx-columns">
          {block.columns.map((blocks, at) => (
            <div key={at}>
              <List blocks={blocks} />
            </div>
          ))}
        </div>
      );
    case "section":
      return (
        <details open={block.open} onToggle={block.open ? undefined : unfolded}>
          <summary>
            <Pieces text={block.title} />
          </summary>
          <List blocks={block.blocks} />
        </details>
      );
  }
}

/** What a section has in it is brought into view. */
const unfolded = ({ currentTarget }: { currentTarget: HTMLDetailsElement }) => {
  if (currentTarget.open) currentTarget.scrollIntoView({ block: "nearest" });
};

/** The first cell heads the row; what is inside of it unfolds below. */
function Row({ row: { cells, tone, inside } }: { row: TableRow }) {
  const [open, setOpen] = useState(false);
  const folds = inside.length > 0;
  const shown = cells.map((cell, at): [number, ComponentChildren] => [at, <Pieces key={at} text={cell} />]);
  return (
    <>
      <tr class={tone ? `nzx-tone nzx-is-${tone}` : undefined}>
        {shown.map(([at, cell]) =>
          at === 0 ? (
            <th key={at} scope="row">
              {cell}
            </th>
          ) : (
            <td key={at}>
              {folds && at === shown.length - 1 ? (
                <button type="button" class="nzx-unfold" aria-expanded={open} onClick={() => setOpen(!open)}>
                  <span class={`nzx-chevron ${open ? "nzx-open" : ""}`}>
                    <Icon name="chevron" />
                  </span>
                  {cell}
                </button>
              ) : (
                cell
              )}
            </td>
          ),
        )}
      </tr>
      {open && (
        <tr class="nzx-inside">
          <td colSpan={cells.length}>
            <List blocks={inside} />
          </td>
        </tr>
      )}
    </>
  );
}

function Code({ block }: { block: CodeBlock }) {
  const marks = block.marks.map((mark) => ({
    first: mark.first_line,
    last: mark.last_line,
    kind: mark.impact,
    title: `${mark.rule}: ${visible(mark.message)}`,
  }));
  return (
    <section class="nzx-code-block">
      {block.title.length > 0 && (
        <div class="nzx-code-head">
          {/* It names the code below and nothing else: no heading, whatever the level around it is. */}
          <div class="nzx-code-title">
            <Pieces text={block.title} />
          </div>
          <span class="nzx-gap" />
          <CopyButton text={block.text} label={`Copy: ${visible(block.label)}`} />
        </div>
      )}
      <CodeView
        text={block.lines.length > 0 ? block.text : block.text.replace(/\n+$/, "")}
        language={block.language}
        label={visible(block.label)}
        marks={marks}
        numbers={block.numbers}
        lines={block.lines.length > 0 ? block.lines : undefined}
      />
    </section>
  );
}

const Pieces = ({ text }: { text: Text }) => (
  <>
    {text.map((span, at) =>
      // Pieces have no other identity.
      typeof span === "string" ? visible(span) : <Piece key={at} span={span} />,
    )}
  </>
);

function Piece({ span: { text, kind, path, pointer, rule, panel, title } }: { span: Span }) {
  const { goto, spotlight } = useView();
  const tip = title === null ? undefined : visible(title);
  const inside = visible(text);
  if (path !== null) {
    const go = () => {
      if (pointer !== null) spotlight.value = { path, pointer, rule: rule ?? "" };
      goto(path, panel ?? (pointer === null ? undefined : "metadata"));
    };
    return (
      <button
        type="button"
        class={kind === "term" ? "nzx-term" : "nzx-link"}
        title={tip ?? `Go to ${visible(path)}`}
        onClick={go}
      >
        <bdi>{inside}</bdi>
      </button>
    );
  }
  if (kind === "code") return <code title={tip}>{inside}</code>;
  if (kind === "strong") return <strong title={tip}>{inside}</strong>;
  const tone = kind ? `nzx-chip nzx-is-${kind}` : undefined;
  return (
    <span class={kind === "quiet" ? "nzx-quiet" : kind === "type" ? "nzx-type" : tone} title={tip}>
      {inside}
    </span>
  );
}

/** Asks the kernel to do something, and says what came of it. */
function ActionButton({ action: { label, name, params, title, disabled } }: { action: Action }) {
  const path = useContext(About);
  const { act, busy } = useAct(path);
  const [said, setSaid] = useState("");
  const click = async () => {
    setSaid("");
    setSaid(await act(name, params));
  };
  return (
    <>
      <Button disabled={disabled || busy} title={title ?? undefined} onClick={() => void click()}>
        {busy ? `${visible(label)}…` : visible(label)}
      </Button>
      <span class="nzx-quiet" role="status">
        {said}
      </span>
    </>
  );
}
