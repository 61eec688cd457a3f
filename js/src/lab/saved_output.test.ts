import { expect, test } from "vitest";
import type { App, Message, NotebookPanel, SharedCell } from "./jupyter";
import { showSavedPages } from "./saved_output";

type Slot<A> = (sender: unknown, args: A) => void;

/** A notebook that is open, and what its kernel and its document say. */
function opened(cells: SharedCell[], collaborative = false) {
  const slots: { hear?: Slot<Message>; save?: Slot<string> } = {};
  const panel = {
    disposed: { connect: () => {} },
    context: {
      saveState: { connect: (slot: Slot<string>) => Object.assign(slots, { save: slot }) },
      model: { collaborative },
    },
    sessionContext: {
      session: { kernel: { clientId: "own" } },
      iopubMessage: { connect: (slot: Slot<Message>) => Object.assign(slots, { hear: slot }) },
    },
    content: {
      node: document.createElement("div"),
      widgets: cells.map((sharedModel) => ({ model: { sharedModel } })),
    },
  };
  const docRegistry = {
    addWidgetExtension: (_: string, extension: { createNew(panel: NotebookPanel): void }) =>
      extension.createNew(panel as unknown as NotebookPanel),
  };
  showSavedPages({ docRegistry } as unknown as App);
  return slots;
}

const update = (comm_id: string, state: object, session = "own"): Message => ({
  parent_header: { session },
  header: { msg_type: "comm_msg" },
  content: { comm_id, data: { method: "update", state } },
});

test("what is saved with an explorer is what it showed last, and no output is drawn anew for it", () => {
  const output = (model_id: string) => ({
    data: { "application/vnd.jupyter.widget-view+json": { model_id }, "text/html": "<div>first</div>" },
    output_type: "execute_result",
  });
  const outputs = [{ data: { "text/plain": "1" } }, output("a"), output("b")];
  const changes: unknown[][] = [];
  const code: SharedCell = {
    getOutputs: () => outputs,
    updateOutputs: (...change) => changes.push(change),
  };
  const { hear, save } = opened([{}, code]);
  hear?.(null, update("a", { _saved_page: "<style>p {}</style><div>then</div>" }));
  hear?.(null, update("a", { _saved_page: "<style>p {}</style><div>last</div>" }));
  hear?.(null, update("b", { path: "/forecast" }));
  save?.(null, "completed");
  expect(changes).toEqual([]);
  save?.(null, "started");
  const renewed = { ...output("a"), data: { ...output("a").data, "text/html": "<div>last</div>" } };
  expect(changes).toEqual([[1, 2, [renewed], "silent-change"]]);
});

test("in a document that is edited together it is saved at once, by one of the pages", () => {
  const output = {
    data: { "application/vnd.jupyter.widget-view+json": { model_id: "a" }, "text/html": "<div>first</div>" },
  };
  const changes: unknown[][] = [];
  const code: SharedCell = {
    getOutputs: () => [output],
    updateOutputs: (...change) => changes.push(change),
  };
  const { hear } = opened([code], true);
  hear?.(null, update("a", { _saved_page: "<div>of another page</div>" }, "other"));
  hear?.(null, update("a", { path: "/forecast" }));
  expect(changes).toEqual([]);
  hear?.(null, update("a", { _saved_page: "<div>then</div>" }));
  const renewed = { data: { ...output.data, "text/html": "<div>then</div>" } };
  expect(changes).toEqual([[0, 1, [renewed], "silent-change"]]);
});
