import type { App, Message, NotebookPanel, SharedCell } from "./jupyter";

/** What JupyterLab's widgets say where the kernel that a widget lived in is gone, or none runs. */
const SAYS = new Set(["Loading widget...", "Error displaying widget: model not found"]);
/** A widget that is alive comes sooner. */
const WAIT_MS = 1500;
/** How the page that is saved with an explorer ends. */
const OWN = "Saved by nz_explorer.";

/** Saves what each explorer of a notebook shows last, and shows that where the notebook is opened again without its kernel. */
export function showSavedPages(app: App): void {
  app.docRegistry.addWidgetExtension("Notebook", {
    createNew: (panel: NotebookPanel) => {
      let timer = 0;
      const observer = new MutationObserver(() => {
        if (timer) return;
        timer = window.setTimeout(() => {
          timer = 0;
          show(panel);
        }, WAIT_MS);
      });
      observer.observe(panel.content.node, { childList: true, subtree: true });
      const pages = new Map<string, string>();
      const renewAll = () => {
        for (const { model } of panel.content.widgets) renew(model.sharedModel, pages);
      };
      panel.sessionContext.iopubMessage.connect((_, message) => {
        // A document that several people edit is saved by the server, at any time. One of them renews the page: who has
        // moved on, to whom the kernel answers.
        const own = message.parent_header.session === panel.sessionContext.session?.kernel?.clientId;
        if (hear(message, pages) && panel.context.model.collaborative && own) renewAll();
      });
      panel.context.saveState.connect((_, state) => {
        if (state === "started") renewAll();
      });
      panel.disposed.connect(() => {
        observer.disconnect();
        clearTimeout(timer);
      });
    },
  });
}

const VIEW = "application/vnd.jupyter.widget-view+json";

/**
 * Takes down the page of an explorer, which its kernel makes anew when somebody has moved on and looks at something; tells
 * whether there was one.
 */
function hear({ header, content }: Message, pages: Map<string, string>): boolean {
  if (header.msg_type !== "comm_msg") return false;
  const { state } = (content.data ?? {}) as { state?: { _saved_page?: unknown } };
  const page = state?._saved_page;
  // What comes first is for a frame of its own.
  if (typeof page === "string") pages.set(String(content.comm_id), page.slice(page.indexOf("<div>")));
  return typeof page === "string";
}

/** Puts the pages that were heard last in the place of those in a cell, without drawing its outputs anew. */
function renew(cell: SharedCell, pages: Map<string, string>): void {
  cell.getOutputs?.().forEach((output, at) => {
    const view = output.data?.[VIEW] as { model_id?: string } | undefined;
    const page = pages.get(view?.model_id ?? "");
    if (page === undefined) return;
    const data = { ...output.data, "text/html": page };
    cell.updateOutputs?.(at, at + 1, [{ ...output, data }], "silent-change");
  });
}

function show({ content }: NotebookPanel): void {
  for (const host of content.node.querySelectorAll(".jp-OutputArea-output")) {
    const only = host.childNodes.length === 1 ? host.firstChild : null;
    if (!(only instanceof Text) || !SAYS.has(only.data)) continue;
    for (const { outputArea } of content.widgets) {
      const at = outputArea?.widgets.findIndex(({ node }) => node.contains(host)) ?? -1;
      if (outputArea === undefined || at < 0) continue;
      const model = outputArea.model.get(at);
      if (!String(model.data["text/html"] ?? "").includes(OWN)) continue;
      // JupyterLab's own renderer, which cleans what is not trusted.
      const renderer = content.rendermime.createRenderer("text/html");
      void renderer.renderModel(model).then(() => {
        if (only.isConnected) host.replaceChildren(renderer.node);
      });
    }
  }
}
