import { pagePanel } from "../PagePanel";
import type { Panel } from "../panel";

export const code: Panel = { name: "code", title: "Code", View: pagePanel("code") };
