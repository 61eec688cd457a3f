import { useView } from "../../client/view";
import { visible } from "../text/text";
import "./link.css";

/** A path that goes to its node. */
export function NodeLink({ path, label, panel }: { path: string; label?: string; panel?: string }) {
  const { goto } = useView();
  return (
    <button type="button" class="nzx-link" title={`Go to ${visible(path)}`} onClick={() => goto(path, panel)}>
      <bdi>{visible(label ?? path)}</bdi>
    </button>
  );
}
