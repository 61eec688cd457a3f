import { fireEvent, screen, waitFor, within } from "@testing-library/preact";
import { expect, test, vi } from "vitest";
import type { PageResult, Span } from "../../client/protocol.gen";
import { type Host, mountWidget } from "../../mock/host";
import type { RecordedKernel } from "../../mock/kernel";

type Block = PageResult["blocks"][number];

let host: Host;

const plain = { kind: "", path: null, pointer: null, rule: null, panel: null, title: null } as const;
const span = (text: string, change: Partial<Span>): Span => ({ text, ...plain, ...change });

/** Has the report consist of blocks of its own. */
function report(kernel: RecordedKernel, blocks: () => Block[]): void {
  kernel.answers.page = ({ name }, recorded) =>
    name === "report" ? { ...recorded(), blocks: blocks() } : recorded();
}

const open = (blocks: Block[], prepare: (kernel: RecordedKernel) => void = () => {}) =>
  mountWidget("small", { panel: "report" }, (kernel) => {
    report(kernel, () => blocks);
    prepare(kernel);
  });

test("a page draws what Python composed; text of a store stays text", async () => {
  host = await open([
    { type: "heading", text: ["What is ", span("wrong", { kind: "strong" })] },
    { type: "paragraph", text: ["<b>bold</b>\u202e"], tone: "warning" },
    { type: "definitions", items: [{ label: ["Unit"], text: [span("K", { kind: "code" })] }] },
    { type: "list", label: "Steps", items: [["one"], ["two"]] },
    {
      type: "table",
      label: "Readers",
      columns: ["Reader", "Result"],
      rows: [
        { cells: [["zarr"], [span("fails", { kind: "error", title: "why" })]], tone: "error", inside: [] },
      ],
    },
    {
      type: "code",
      text: "-a\n+b",
      language: "diff",
      label: "Changes",
      title: [],
      marks: [{ first_line: 2, last_line: 2, rule: "NZ-1", impact: "blocks", message: "no" }],
      numbers: true,
      lines: [],
    },
    { type: "picture", src: "data:image/png;base64,AAAA", label: "before" },
    {
      type: "columns",
      columns: [
        [
          {
            type: "section",
            title: ["More"],
            open: true,
            blocks: [{ type: "paragraph", text: ["inside"], tone: null }],
          },
        ],
        [],
      ],
    },
  ]);
  const panel = await screen.findByRole("dialog", { name: "Report" });
  await within(panel).findByRole("heading", { name: "What is wrong" });
  expect(panel.textContent).toContain("<b>bold</b>");
  expect(panel.textContent).not.toContain("\u202e");
  expect(within(within(panel).getByRole("list", { name: "Steps" })).getAllByRole("listitem")).toHaveLength(2);
  const row = within(within(panel).getByRole("table", { name: "Readers" })).getByRole("row", {
    name: /zarr/,
  });
  expect(within(row).getByTitle("why").textContent).toBe("fails");
  const code = within(panel).getByRole("region", { name: "Changes" });
  expect(code.querySelector("[data-line='2']")?.className).toContain("nzx-mark-blocks");
  expect(within(panel).getByRole("img", { name: "before" })).toBeTruthy();
  expect(within(panel).getByRole("group").textContent).toContain("inside");
});

test("what a section has in it is brought into view when it is opened", async () => {
  const shown = vi.fn();
  host = await open([{ type: "section", title: ["Save…"], open: false, blocks: [] }]);
  const section = (await screen.findByText("Save…")).parentElement as HTMLDetailsElement;
  section.scrollIntoView = shown;
  for (const [opened, times] of [
    [true, 1],
    [false, 1],
  ] as const) {
    section.open = opened;
    fireEvent(section, new Event("toggle"));
    expect(shown).toHaveBeenCalledTimes(times);
  }
});

test("links lead to a node, and to the very line of its document", async () => {
  host = await open([
    {
      type: "paragraph",
      tone: null,
      text: [
        span("temp", { path: "/forecast/temp", pointer: "/attributes/units", rule: "NZ-1" }),
        span("sst", { path: "/forecast/sst", panel: "plot" }),
      ],
    },
  ]);
  fireEvent.click(await screen.findByRole("button", { name: "temp" }));
  const code = await screen.findByRole("region", { name: "Document forecast/temp/zarr.json" });
  await waitFor(() => expect(code.querySelector(".nzx-mark-light")?.textContent).toContain('"units"'));
  host.model.fromPython("panel", "report");
  fireEvent.click(await screen.findByRole("button", { name: "sst" }));
  await waitFor(() => expect(host.model.get("panel")).toBe("plot"));
  expect(host.model.get("path")).toBe("/forecast/sst");
});

test("a button tells the kernel, says what came of it, and saves a file", async () => {
  const heard: unknown[] = [];
  const blocks: Block[] = [
    {
      type: "actions",
      actions: [
        { label: "Save", name: "save", params: { as: "json" }, title: null, disabled: false },
        { label: "Fail", name: "fail", params: {}, title: null, disabled: false },
        { label: "Not now", name: "no", params: {}, title: "read-only", disabled: true },
      ],
    },
  ];
  host = await open(blocks, (kernel) => {
    kernel.actions.save = (path, params, buffers) => {
      heard.push([path, params]);
      const at = buffers.push(new DataView(new ArrayBuffer(2))) - 1;
      return { message: "Saved a.json", file: "a.json", media_type: "application/json", file_buffer: at };
    };
  });
  const saved: string[] = [];
  const click = vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (
    this: HTMLAnchorElement,
  ) {
    saved.push(this.download);
  });
  vi.stubGlobal("URL", { createObjectURL: () => "blob:x", revokeObjectURL: () => {} });
  fireEvent.click(await screen.findByRole("button", { name: "Save" }));
  await screen.findByText("Saved a.json");
  expect(heard).toEqual([["/", { as: "json" }]]);
  expect(saved).toEqual(["a.json"]);
  expect(screen.getByRole("button", { name: "Not now" }).getAttribute("aria-disabled")).toBe("true");
  host.kernel.failing.set("act", "the store is read-only");
  fireEvent.click(screen.getByRole("button", { name: "Fail" }));
  await screen.findByText("the store is read-only");
  click.mockRestore();
  vi.unstubAllGlobals();
});

test("a page is composed anew when the kernel says that it has changed", async () => {
  let text = "running";
  host = await mountWidget("small", { panel: "report" }, (kernel) => {
    report(kernel, () => [{ type: "paragraph", text: [text], tone: null }]);
  });
  await screen.findByText("running");
  text = "done";
  host.kernel.tellPage("report");
  await screen.findByText("done");
});
