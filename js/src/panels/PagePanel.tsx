import { ownIndex } from "../client/own-index";
import { useView } from "../client/view";
import { Page } from "../ui/page/Page";
import type { PanelProps } from "./panel";

/** A page about a node that Python composes as a whole. */
export function NodePage({ name, path, row }: { name: string } & Pick<PanelProps, "path" | "row">) {
  const { session } = useView();
  if (row === null) return null;
  return <Page key={name} name={name} path={path} params={{ index: ownIndex(row, session.index.value) }} />;
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
