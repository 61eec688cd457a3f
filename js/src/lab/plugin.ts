import { PanelExplorer } from "./explorer";
import type { App, Browsers, Item, Modules, Widget } from "./jupyter";
import { showSavedPages } from "./saved_output";

const OPEN = "nz-explorer:open";
const FACTORY = "Zarr Explorer";
const NAMES = /\.(zarr|zip|nc|nc4|cdf|h5|hdf5)$/i;
const DOCUMENTS = new Set(["zarr.json", ".zgroup", ".zarray"]);
/** How long a folder may take to be looked into before its menu opens without us. */
const LOOK_MS = 800;

/** Cells of a cube: the first of them missing. JupyterLab's theme fills what has the attribute `fill`, also where it is none. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><g class="jp-icon3" fill="#616161">
<path d="M3 9h5v5H3zM9.5 9h5v5h-5zM16 9h5v5h-5zM3 15.5h5v5H3zM9.5 15.5h5v5h-5zM16 15.5h5v5h-5zM9.5 2.5h5v5h-5zM16 2.5h5v5h-5z"/>
</g><path class="jp-icon3" style="fill:none" stroke="#616161" d="M3.5 3h4v4h-4z"/></svg>`;

const PLACEHOLDER = "data/forecast.zarr, s3://bucket/forecast.zarr, https://…";
/** JupyterLab's dialog has a field of twenty characters, and addresses are long. */
const STYLE = `.jp-Dialog input[placeholder="${PLACEHOLDER}"] { width: 32em; max-width: 70vw; }`;

/** The plugin, made of the modules that JupyterLab shares. */
export function plugin(lab: Modules): object {
  const { ILayoutRestorer } = lab["@jupyterlab/application"];
  const { ICommandPalette } = lab["@jupyterlab/apputils"];
  return {
    id: "nz-explorer:plugin",
    description: "Opens Zarr hierarchies and netCDF files in the explorer.",
    autoStart: true,
    optional: [
      lab["@jupyterlab/filebrowser"].IFileBrowserFactory,
      lab["@jupyterlab/launcher"].ILauncher,
      ILayoutRestorer,
      ICommandPalette,
    ],
    activate: (app: App, ...services: never[]) => new Extension(lab, app, ...(services as [])),
  };
}

class Extension {
  readonly #lab: Modules;
  readonly #app: App;
  readonly #icon: unknown;
  /** Whether folders hold a hierarchy, as far as they were looked into. */
  readonly #folders = new Map<string, boolean>();
  readonly #trackers: { add(widget: Widget): Promise<void> }[];

  constructor(
    lab: Modules,
    app: App,
    browsers: Browsers | null = null,
    launcher: { add(item: unknown): void } | null = null,
    restorer: { restore(tracker: unknown, options: unknown): Promise<void> } | null = null,
    palette: { addItem(item: unknown): void } | null = null,
  ) {
    this.#lab = lab;
    this.#app = app;
    this.#icon = new lab["@jupyterlab/ui-components"].LabIcon(
      ...([{ name: "nz-explorer:icon", svgstr: ICON }] as never[]),
    );
    const { WidgetTracker } = lab["@jupyterlab/apputils"];
    this.#trackers = ["nz-explorer", "nz-explorer-file"].map(
      (namespace) => new WidgetTracker(...([{ namespace }] as never[])),
    );
    this.#addCommand(browsers);
    this.#addFactory();
    const style = document.createElement("style");
    style.textContent = STYLE;
    document.head.append(style);
    showSavedPages(app);
    if (browsers) this.#addMenu(browsers);
    launcher?.add({ command: OPEN, category: "Other", rank: 9, args: { ask: true } });
    palette?.addItem({ command: OPEN, category: "Zarr", args: { ask: true } });
    const path = (widget: Widget & { nzSource?: unknown }) => widget.nzSource;
    restorer?.restore(this.#trackers[0], {
      command: OPEN,
      args: path,
      name: (widget: Widget) => JSON.stringify(path(widget)),
    });
    type Opened = Widget & { context: { path: string } };
    restorer?.restore(this.#trackers[1], {
      command: "docmanager:open",
      args: ({ context }: Opened) => ({ path: context.path, factory: FACTORY }),
      name: ({ context }: Opened) => context.path,
    });
  }

  #addCommand(browsers: Browsers | null): void {
    type Args = { path?: string; source?: string; ask?: boolean; menu?: boolean };
    const selected = () => [...(browsers?.tracker.currentWidget?.selectedItems() ?? [])];
    this.#app.commands.addCommand(OPEN, {
      label: ({ ask }: Args) => (ask ? "Zarr Explorer" : "Explore Zarr"),
      caption: "Open a Zarr hierarchy, a netCDF file or an address in the explorer",
      icon: this.#icon,
      isVisible: ({ menu }: Args) => {
        const items = menu ? selected() : [];
        return !menu || (items.length === 1 && this.#isZarr(items[0] as Item));
      },
      execute: async ({ path, source, ask, menu }: Args) => {
        if (source !== undefined) return this.#open(source, path ?? "");
        const given = menu ? selected()[0]?.path : path;
        if (given !== undefined && !ask) return this.#open(baseName(given), folderOf(given));
        const folder = browsers?.tracker.currentWidget?.model.path ?? "";
        const { InputDialog } = this.#lab["@jupyterlab/apputils"];
        const answer = await InputDialog.getText({
          title: "Explore Zarr",
          label: "Path or address of a Zarr hierarchy or a netCDF file",
          placeholder: PLACEHOLDER,
          okLabel: "Open",
        });
        if (answer.button.accept && answer.value) this.#open(answer.value, folder);
      },
    });
  }

  #addMenu(browsers: Browsers): void {
    this.#app.contextMenu.addItem({
      command: OPEN,
      args: { menu: true },
      selector: ".jp-DirListing-item",
      rank: 1,
    });
    // What a folder holds is asked for before its menu opens, as a menu decides at once what it shows.
    const repeated = new WeakSet<Event>();
    document.addEventListener(
      "contextmenu",
      (event) => {
        const item = (event.target as Element).closest?.(".jp-DirListing-item[data-isdir='true']");
        if (!item || event.shiftKey || repeated.has(event)) return;
        const items = [...(browsers.tracker.currentWidget?.selectedItems() ?? [])];
        const folder = items.length === 1 ? items[0] : undefined;
        if (folder?.type !== "directory" || NAMES.test(folder.name)) return;
        event.preventDefault();
        event.stopImmediatePropagation();
        const { clientX, clientY, target } = event;
        this.#look(folder.path).finally(() => {
          const init = { bubbles: true, cancelable: true, button: 2, clientX, clientY };
          const again = new MouseEvent("contextmenu", init);
          repeated.add(again);
          target?.dispatchEvent(again);
        });
      },
      true,
    );
  }

  async #look(path: string): Promise<void> {
    const soon = new Promise<null>((resolve) => setTimeout(resolve, LOOK_MS, null));
    const found = await Promise.race([this.#app.serviceManager.contents.get(path), soon]).catch(() => null);
    this.#folders.set(path, Boolean(found?.content?.some(({ name }) => DOCUMENTS.has(name))));
  }

  #isZarr({ path, name, type }: Item): boolean {
    return NAMES.test(name) || (type === "directory" && this.#folders.get(path) === true);
  }

  #open(source: string, folder: string): Widget {
    const { MainAreaWidget } = this.#lab["@jupyterlab/apputils"];
    const content = new this.#lab["@lumino/widgets"].Widget();
    const area: Widget & { nzSource?: unknown } = new MainAreaWidget(...([{ content }] as never[]));
    area.id = `nz-explorer-${Math.random().toString(36).slice(2)}`;
    area.nzSource = { source, path: folder };
    area.title.label = baseName(source.replace(/\/+$/, ""));
    area.title.caption = `Zarr explorer: ${source}`;
    area.title.closable = true;
    area.title.icon = this.#icon;
    this.#fill(area, content, source, folder);
    this.#app.shell.add(area, "main");
    this.#app.shell.activateById(area.id);
    this.#trackers[0]?.add(area);
    return area;
  }

  #fill(area: Widget, content: Widget, source: string, folder: string): void {
    const explorer = new PanelExplorer(this.#app, source, folder, content.node);
    const { ToolbarButton, showErrorMessage } = this.#lab["@jupyterlab/apputils"];
    const onClick = () =>
      this.#createNotebook(explorer, folder).catch((error) =>
        showErrorMessage("No notebook was created", error),
      );
    const label = "Create notebook from this view";
    area.toolbar.addItem("create", new ToolbarButton(...([{ label, tooltip: label, onClick }] as never[])));
    area.disposed.connect(() => void explorer.close());
  }

  async #createNotebook(explorer: PanelExplorer, folder: string): Promise<void> {
    const source = await explorer.code();
    const { contents } = this.#app.serviceManager;
    const { path } = await contents.newUntitled({ path: folder, type: "notebook" });
    const kernelspec = { name: explorer.kernelName, display_name: explorer.kernelName };
    const cell = {
      id: "explore",
      cell_type: "code",
      metadata: {},
      execution_count: null,
      outputs: [],
      source,
    };
    const content = { cells: [cell], metadata: { kernelspec }, nbformat: 4, nbformat_minor: 5 };
    await contents.save(path, { type: "notebook", format: "json", content });
    await this.#app.commands.execute("docmanager:open", { path });
  }

  /** Files are opened by a double click and by “Open With”. Their content is the kernel's business. */
  #addFactory(): void {
    const { ABCWidgetFactory, DocumentWidget, TextModelFactory } = this.#lab["@jupyterlab/docregistry"];
    const { docRegistry, serviceManager } = this.#app;
    const types = {
      "nz-netcdf": ["netCDF file", ".nc", ".nc4", ".cdf"],
      "nz-zarr-zip": ["Zarr in a zip file", ".zarr.zip"],
      "nz-hdf5": ["HDF5 file", ".h5", ".hdf5"],
      "nz-zip": ["Zip file", ".zip"],
    };
    for (const [name, [displayName, ...extensions]] of Object.entries(types))
      docRegistry.addFileType({ name, displayName, extensions, fileFormat: null, icon: this.#icon });
    const MODEL = "nz-explorer-file";
    class Model extends TextModelFactory {
      get name(): string {
        return MODEL;
      }
      get fileFormat(): null {
        return null;
      }
    }
    docRegistry.addModelFactory(new Model());
    const make = (context: { path: string }): Widget => {
      const content = new this.#lab["@lumino/widgets"].Widget();
      const area = new DocumentWidget(...([{ context, content }] as never[]));
      area.title.icon = this.#icon;
      const path = serviceManager.contents.localPath(context.path);
      this.#fill(area, content, baseName(path), folderOf(path));
      this.#trackers[1]?.add(area);
      return area;
    };
    class Factory extends ABCWidgetFactory {
      createNewWidget(context: { path: string }): Widget {
        return make(context);
      }
    }
    const options = {
      name: FACTORY,
      modelName: MODEL,
      readOnly: true,
      fileTypes: Object.keys(types),
      // Nothing else opens zip files; HDF5 files have viewers of their own.
      defaultFor: ["nz-netcdf", "nz-zarr-zip", "nz-zip"],
    };
    docRegistry.addWidgetFactory(new Factory(...([options] as never[])));
  }
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
