import type { App, NotebookPanel } from "./jupyter";

/** What JupyterLab's widgets say where the kernel that a widget lived in is gone, or none runs. */
const SAYS = new Set(["Loading widget...", "Error displaying widget: model not found"]);
/** A widget that is alive comes sooner. */
const WAIT_MS = 1500;
/** How the page that is saved with an explorer ends. */
const OWN = "Saved by nz_explorer.";

/** In a notebook that is opened again without its kernel, shows what was saved with each explorer. */
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
      panel.disposed.connect(() => {
        observer.disconnect();
        clearTimeout(timer);
      });
    },
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
