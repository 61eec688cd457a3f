// The explorer on a mock kernel: ?store=sample|broken_sample|small|kinds|broken|hostile|wide|lost&path=…&panel=…&delay=…&walk=1&fail=picture&partials=3&pause=2000

import type { Methods } from "../src/client/protocol.gen";
import widget from "../src/index";
import { brokenStore, hostileStore, kindsStore, smallStore, wideStore } from "../src/mock/data";
import { MockKernel } from "../src/mock/kernel";
import { FakeModel } from "../src/mock/model";
import { RecordedKernel } from "../src/mock/recorded";

const query = new URLSearchParams(location.search);
const stores = {
  small: smallStore,
  kinds: kindsStore,
  broken: brokenStore,
  hostile: hostileStore,
  wide: wideStore,
};
const recorded = { sample: "sample", broken_sample: "broken" } as const;
const name = query.get("store") ?? "sample";
const model = new FakeModel({
  path: query.get("path") ?? "/",
  panel: query.get("panel") ?? "plot",
  view: JSON.parse(query.get("view") ?? "{}"),
  index: JSON.parse(query.get("index") ?? "{}"),
});
const delay = Number(query.get("delay") ?? 15);
const kernel =
  name in recorded
    ? new RecordedKernel(recorded[name as keyof typeof recorded], model, { delay })
    : new MockKernel((stores[name as keyof typeof stores] ?? smallStore)(), model, { delay });
if (name === "lost") kernel.silent.add("all");
for (const method of (query.get("silent") ?? "").split(","))
  if (method) kernel.silent.add(method as keyof Methods);
for (const method of (query.get("fail") ?? "").split(",")) {
  if (method) kernel.failing.set(method as keyof Methods, "the store answered 503 Service Unavailable");
}
kernel.partials = Number(query.get("partials") ?? 0);
kernel.partialPause = Number(query.get("pause") ?? 0);
kernel.scanStep = Number(query.get("scan") ?? 700);
if (query.get("consolidated")) kernel.metadata = "consolidated";
if (query.get("walk")) kernel.walk(Number(query.get("walk")));
Object.assign(globalThis, { model, kernel });

const { initialize, render } = widget();
initialize({ model });
render({ model, el: document.getElementById("view") as HTMLElement });
