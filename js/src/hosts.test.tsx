/**
 * The explorer as other hosts than Jupyter's run it, by the code of theirs that is public: what reaches it has been
 * through their channels.
 *
 * - VS Code (microsoft/vscode-jupyter): messages of its extension are posted to a web view, buffers as lists of
 *   numbers, of which JupyterLab's services make views into one buffer. Its kernel has no subshells. An output is
 *   drawn with the state that the model has by then; of a notebook that is opened again, it may have no comm.
 * - Colab (googlecolab/colab-cdn-widget-manager): each output is a frame of its own, whose manager is given the state
 *   that the model has by then. Messages come one by one; buffers are arrays of bytes; what is sent has been through JSON,
 *   and after the frame has been cut off nothing arrives.
 */
import { screen, waitFor } from "@testing-library/preact";
import { expect, test, vi } from "vitest";
import widget from "./index";
import { mountWidget, pass } from "./mock/host";
import { FakeModel } from "./mock/model";

type Buffers = DataView[];

const bytesOf = ({ buffer, byteOffset, byteLength }: DataView) =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Views at odd places of the one buffer that a whole message was, as it has arrived in VS Code. */
function asVSCode(buffers: Buffers): Buffers {
  const whole = new Uint8Array([7, ...buffers.flatMap((one) => [...bytesOf(one)])]);
  let at = 1;
  return buffers.map(({ byteLength }) => {
    at += byteLength;
    return new DataView(whole.buffer, at - byteLength, byteLength);
  });
}

const asColab = (buffers: Buffers) => buffers.map((one) => bytesOf(one).slice()) as unknown as Buffers;

/** A model whose messages go through a channel: each by itself, in order, later. */
class Channel extends FakeModel {
  #last: Promise<void> = Promise.resolve();
  readonly #change: (buffers: Buffers) => Buffers;

  constructor(traits: Record<string, unknown>, change: (buffers: Buffers) => Buffers) {
    super(traits);
    this.#change = change;
  }

  override receive(message: unknown, buffers: Buffers = []): void {
    this.#last = this.#last.then(async () => super.receive(message, this.#change(buffers)));
  }
}

/** What the model holds when the output is drawn: it was attached late. */
const LATE = { path: "/ocean/sea_surface_temperature", view: {}, index: {}, _saved_page: "<p>saved</p>" };

for (const [host, change] of Object.entries({ "VS Code": asVSCode, Colab: asColab }))
  test(`${host}: numbers arrive as they are, pictures are drawn, and the selection goes both ways`, async () => {
    const model = new Channel(LATE, change);
    const mounted = await mountWidget("sample", {}, undefined, model);
    const picture = await screen.findByRole("img", { name: /sea_surface_temperature.*-?\d/ });
    expect(picture.getAttribute("aria-label")).toMatch(/1\.79|26\.7/);
    expect(screen.queryByTitle("What was saved")).toBeNull();
    await waitFor(() => expect(screen.getByRole("tree").textContent).toContain("salinity"));
    screen.getByRole("treeitem", { name: "salinity" }).click();
    await waitFor(() => expect(mounted.kernel.model.get("path")).toBe("/ocean/salinity"));
    model.fromPython("path", "/ocean/depth");
    await screen.findByRole("heading", { name: /depth/ });
  });

test("a model without a comm is shown as it was saved, whatever sending does", async () => {
  vi.useFakeTimers();
  const model = new FakeModel(LATE);
  model.onSend = () => {
    throw new Error("This comm was closed");
  };
  const el = document.body.appendChild(document.createElement("div"));
  const close = widget().render({ model, el });
  await pass(2000);
  expect(screen.getByTitle<HTMLIFrameElement>("What was saved").srcdoc).toBe("<p>saved</p>");
  close();
  el.remove();
  expect(model.listeners).toBe(0);
});
