import { expect, test, vi } from "vitest";
import { PanelExplorer } from "./explorer";
import type { App } from "./jupyter";

/** A kernel that says what it is told to, and the rest of JupyterLab that a panel needs. */
function jupyterlab(answers: { status: string; ename?: string; evalue?: string }[]) {
  const shutdown = vi.fn(async () => {});
  const asked: string[] = [];
  const kernel = {
    name: "python3",
    status: "idle",
    statusChanged: { connect: () => {} },
    registerCommTarget: () => {},
    requestExecute: ({ code }: { code: string }) => {
      asked.push(code);
      const content = answers.shift();
      return { msg: { header: { msg_id: "1" } }, done: Promise.resolve({ content }) };
    },
  };
  const specs = { default: "python3", kernelspecs: { python3: { language: "python" } } };
  const serviceManager = {
    kernelspecs: { ready: Promise.resolve(), specs },
    sessions: { startNew: async () => ({ kernel, shutdown, isDisposed: false }) },
  };
  return { app: { serviceManager } as unknown as App, asked, shutdown };
}

test("a store that is not there is named, and tried again when somebody asks for it", async () => {
  const gone = { status: "error", ename: "SourceError", evalue: "there is nothing at gone.zarr" };
  const { app, asked, shutdown } = jupyterlab([gone, gone]);
  const node = document.createElement("div");
  const panel = new PanelExplorer(app, "gone.zarr", "data", node);
  const said = "gone.zarr could not be opened: there is nothing at gone.zarr";
  await vi.waitFor(() => expect(node.textContent).toContain(said));
  await expect(panel.code()).rejects.toThrow("The explorer shows nothing.");
  node.querySelector("button")?.click();
  await vi.waitFor(() =>
    expect(asked.filter((code) => code.includes('nz.explore("gone.zarr")'))).toHaveLength(2),
  );
  await vi.waitFor(() => expect(node.textContent).toContain(said));
  await panel.close();
  expect(shutdown).toHaveBeenCalledOnce();
});

test("a kernel without the package says how to install it", async () => {
  const missing = { status: "error", ename: "ModuleNotFoundError", evalue: "No module named 'nz_explorer'" };
  const node = document.createElement("div");
  new PanelExplorer(jupyterlab([missing]).app, "a.zarr", "", node);
  await vi.waitFor(() => expect(node.textContent).toContain("pip install nz_explorer"));
});
