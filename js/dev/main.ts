// The explorer on a kernel that plays back what a real one said:
// ?store=small|kinds|sample|broken|wide|hostile&path=…&panel=…&delay=…&walk=1&lost=1&fail=picture&partials=3&pause=2000

import widget from "../src/index";
import { RecordedKernel } from "../src/mock/kernel";
import { FakeModel } from "../src/mock/model";
import type { Method, StoreName } from "../src/mock/recordings";

const query = new URLSearchParams(location.search);
const model = new FakeModel({
  path: query.get("path") ?? "/",
  panel: query.get("panel") ?? "plot",
  view: JSON.parse(query.get("view") ?? "{}"),
  index: JSON.parse(query.get("index") ?? "{}"),
});
const kernel = new RecordedKernel((query.get("store") ?? "sample") as StoreName, model, {
  delay: Number(query.get("delay") ?? 15),
  loose: true,
});
if (query.get("lost")) kernel.silent.add("all");
const methods = (name: string) => (query.get(name) ?? "").split(",").filter(Boolean) as Method[];
for (const method of methods("silent")) kernel.silent.add(method);
for (const method of methods("fail"))
  kernel.failing.set(method, "the store answered 503 Service Unavailable");
kernel.partials = Number(query.get("partials") ?? 0);
kernel.partialPause = Number(query.get("pause") ?? 0);
kernel.scanStep = Number(query.get("scan") ?? 700);
if (query.get("walk")) kernel.walking(3);
Object.assign(globalThis, { model, kernel });

const { initialize, render } = widget();
initialize({ model });
render({ model, el: document.getElementById("view") as HTMLElement });
