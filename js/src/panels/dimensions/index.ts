import { pagePanel } from "../PagePanel";
import type { Panel } from "../panel";

export const dimensions: Panel = {
  name: "dimensions",
  title: "Dimensions",
  View: pagePanel("dimensions"),
};
