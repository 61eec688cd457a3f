import type { Panel } from "../panel";
import { PlotPanel } from "./PlotPanel";

export const plot: Panel = {
  name: "plot",
  title: "Plot",
  View: (props) => <PlotPanel key={props.path} {...props} />,
};
