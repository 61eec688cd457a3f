import type { NodeRow } from "../protocol.gen";
import { CodeView } from "../ui/code";
import { useCall, useView } from "../ui/hooks";
import { CopyButton, Quiet, Waiting } from "../ui/parts";
import { ownIndex } from "./index-of";

const BLOCKS = [
  { key: "nz", title: "With nz_explorer", note: "Opens what xarray refuses, masks as the convention says." },
  { key: "zarr", title: "With zarr", note: "Nothing but zarr and numpy." },
  { key: "xarray", title: "With xarray", note: "" },
] as const;

/** Python that gets here. */
export function CodePanel({ path, row }: { path: string; row: NodeRow | null }) {
  const { session } = useView();
  const index = ownIndex(row, session.index.value);
  const call = useCall(session.client, "code", row === null ? null : { path, index }, { keep: true });
  const code = call.answer?.value;
  return (
    <div class="nzx-pad nzx-scroll">
      <Waiting call={call} what="Writing…" />
      {code &&
        BLOCKS.map(({ key, title, note }) => (
          <section key={key} class="nzx-code-block" aria-label={title}>
            <div class="nzx-code-head">
              <h4>{title}</h4>
              <Quiet>{note}</Quiet>
              <span class="nzx-gap" />
              <CopyButton text={code[key]} label={`Copy: ${title}`} />
            </div>
            <CodeView
              text={code[key].replace(/\n+$/, "")}
              language="python"
              label={`${title}: Python`}
              numbers={false}
            />
          </section>
        ))}
    </div>
  );
}
