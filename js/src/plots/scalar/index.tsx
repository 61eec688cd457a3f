import { Quiet } from "../../ui/text/Quiet";
import { visible } from "../../ui/text/text";
import type { PlotKind, ViewProps } from "../kind";
import { StateChip } from "../shared/StateChip";
import "./scalar.css";

function View({ picture }: ViewProps) {
  return (
    <div class="nzx-scalar" role="img" aria-label={visible(picture.label)}>
      <strong>{visible(picture.text ?? "")}</strong>
      {picture.units && <Quiet>{visible(picture.units)}</Quiet>}
      {picture.states.map(({ state }) => state !== "value" && <StateChip key={state} state={state} />)}
    </div>
  );
}

/** One value, in large letters. */
export const scalar: PlotKind = { name: "scalar", title: "Scalar", View, controls: () => [] };
