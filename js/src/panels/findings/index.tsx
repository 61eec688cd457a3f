import type { Panel } from "../panel";
import { FindingsPanel } from "./FindingsPanel";

export const findings: Panel = {
  name: "findings",
  title: "Findings",
  sections: { conventions: "conventions" },
  View: (props) => <FindingsPanel path={props.path} group={props.row?.kind !== "array"} />,
};
