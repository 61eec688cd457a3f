import type { Finding } from "../../client/protocol.gen";
import { useView } from "../../client/view";
import { Icon } from "../../ui/icons/Icon";
import { WORDS } from "../../ui/impact/Impact";
import { NodeLink } from "../../ui/link/NodeLink";
import { Page } from "../../ui/page/Page";
import { Quiet } from "../../ui/text/Quiet";
import { titled, visible } from "../../ui/text/text";
import { HEADINGS } from "./impact";

const SEVERITIES = { error: "error", warning: "warning", info: "for information" };

/** One finding: what is wrong, and all that is known of it. */
export function Detail({ finding, source }: { finding: Finding; source: string }) {
  const { goto, spotlight } = useView();
  const { rule, path, pointer, message, severity, level, impact } = finding;
  const showMe = () => {
    spotlight.value = { path, pointer, rule };
    goto(path, "metadata");
  };
  return (
    <article>
      <h3>{visible(titled(finding))}</h3>
      <p class="nzx-one-id">
        <span class={`nzx-tone-word nzx-is-${impact}`} title={HEADINGS[impact]}>
          <Icon name={impact} /> {WORDS[impact]}
        </span>
        <code>{rule}</code>
        <span>
          {SEVERITIES[severity]}, {visible(level)}
          {source && <Quiet>, {visible(source)}</Quiet>}
        </span>
        <NodeLink path={path} />
        <button
          type="button"
          class="nzx-link"
          aria-label={`Show me: ${rule} in ${visible(path)}`}
          title="Go to the lines of the document"
          onClick={showMe}
        >
          Show me
        </button>
      </p>
      <Page name="finding" path={path} params={{ rule, pointer, message }} />
    </article>
  );
}
