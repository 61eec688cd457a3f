import { ownIndex } from "../client/own-index";
import { useView } from "../client/view";
import { Page } from "../ui/page/Page";
import type { PanelProps } from "./panel";

/** A page about a node that Python composes as a whole. */
export function NodePage({ name, path, row }: { name: string } & Pick<PanelProps, "path" | "row">) {
  const { session } = useView();
  if (!row) return null;
  const index = ownIndex(row, session.index.value);
  // Only programs say how the picture is drawn.
  const params = name === "code" ? { index, view: session.options.value } : { index };
  return <Page key={name} name={name} path={path} params={params} />;
}

/** A tab that Python composes as a whole. */
export const pagePanel = (name: string) =>
  function View({ path, row }: PanelProps) {
    return (
      <div class="nzx-scroll nzx-pad" tabIndex={0}>
        <NodePage name={name} path={path} row={row} />
      </div>
    );
  };
