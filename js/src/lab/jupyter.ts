/**
 * What the extension uses of JupyterLab, which shares its own modules at run time. Their types are a hundred packages,
 * so the few that are needed are written down here.
 */

export interface Signal<A> {
  connect(slot: (sender: unknown, args: A) => void): void;
}

export interface Widget {
  id: string;
  node: HTMLElement;
  title: { label: string; caption: string; closable: boolean; icon: unknown };
  toolbar: { addItem(name: string, widget: Widget): void };
  disposed: Signal<unknown>;
  isDisposed: boolean;
  addClass(name: string): void;
  dispose(): void;
}

export interface Message {
  parent_header: { msg_id?: string; session?: string };
  header: { msg_type: string };
  content: Record<string, unknown>;
  buffers?: (ArrayBuffer | ArrayBufferView)[];
}

export interface Comm {
  onMsg: (message: Message) => void;
  onClose: (message: Message) => void;
  send(data: unknown, metadata?: unknown, buffers?: (ArrayBuffer | ArrayBufferView)[]): unknown;
}

interface Future {
  msg: { header: { msg_id: string } };
  onIOPub: (message: Message) => void;
  done: Promise<{ content: { status: string; ename?: string; evalue?: string } }>;
}

export interface Kernel {
  name: string;
  status: string;
  statusChanged: Signal<string>;
  registerCommTarget(name: string, open: (comm: Comm, message: Message) => void): void;
  requestExecute(content: { code: string; store_history?: boolean; silent?: boolean }): Future;
}

export interface KernelSession {
  kernel: Kernel | null;
  shutdown(): Promise<void>;
  isDisposed: boolean;
}

export interface Item {
  path: string;
  name: string;
  type: string;
  content?: { name: string }[] | null;
}

export interface Services {
  ready: Promise<void>;
  kernelspecs: {
    ready: Promise<void>;
    specs: { default: string; kernelspecs: Record<string, { language: string } | undefined> } | null;
  };
  sessions: { startNew(request: unknown, options: unknown): Promise<KernelSession> };
  contents: {
    get(path: string, options?: unknown): Promise<Item>;
    newUntitled(options: unknown): Promise<Item>;
    save(path: string, model: unknown): Promise<Item>;
    localPath(path: string): string;
  };
}

interface Output {
  data: Record<string, unknown>;
}

/** A cell as it is saved; text without outputs is one, too. */
export interface SharedCell {
  getOutputs?(): Output[];
  updateOutputs?(from: number, to: number, outputs: Output[], origin: string): void;
}

export interface NotebookPanel {
  disposed: Signal<unknown>;
  /** Its document; "started" comes before it is made into a file. */
  context: { saveState: Signal<string>; model: { collaborative?: boolean } };
  sessionContext: { iopubMessage: Signal<Message>; session: { kernel: { clientId: string } | null } | null };
  content: {
    node: HTMLElement;
    /** Cells; only those of code have outputs. */
    widgets: readonly {
      model: { sharedModel: SharedCell };
      outputArea?: { widgets: readonly Widget[]; model: { get(at: number): Output } };
    }[];
    rendermime: {
      createRenderer(type: string): { node: HTMLElement; renderModel(model: Output): Promise<void> };
    };
  };
}

export interface App {
  serviceManager: Services;
  shell: { add(widget: Widget, area: string, options?: unknown): void; activateById(id: string): void };
  commands: {
    addCommand(id: string, options: unknown): void;
    execute(id: string, args?: unknown): Promise<unknown>;
  };
  contextMenu: { addItem(options: unknown): void };
  docRegistry: {
    addFileType(type: unknown, factories?: string[]): void;
    addModelFactory(factory: unknown): void;
    addWidgetFactory(factory: unknown): void;
    addWidgetExtension(name: string, extension: { createNew(panel: NotebookPanel): void }): void;
  };
}

export interface Browsers {
  tracker: { currentWidget: { selectedItems(): Iterable<Item>; model: { path: string } } | null };
}

export interface Tracker {
  add(widget: Widget): Promise<void>;
}

type Class<T> = new (...args: never[]) => T;

/** The modules, as far as they are used. */
export interface Modules {
  "@jupyterlab/application": { ILayoutRestorer: unknown };
  "@jupyterlab/apputils": {
    ICommandPalette: unknown;
    InputDialog: {
      getText(options: unknown): Promise<{ button: { accept: boolean }; value: string | null }>;
    };
    MainAreaWidget: Class<Widget>;
    WidgetTracker: Class<Tracker>;
    ToolbarButton: Class<Widget>;
    showErrorMessage(title: string, error: unknown): Promise<void>;
  };
  "@jupyterlab/docregistry": {
    ABCWidgetFactory: Class<object>;
    DocumentWidget: Class<Widget>;
    TextModelFactory: Class<object>;
  };
  "@jupyterlab/filebrowser": { IFileBrowserFactory: unknown };
  "@jupyterlab/launcher": { ILauncher: unknown };
  "@jupyterlab/ui-components": { LabIcon: Class<object> };
  "@lumino/widgets": { Widget: Class<Widget> };
}

interface Version {
  get(): Promise<() => unknown>;
  from?: string;
  loaded?: unknown;
}

/** The modules that all extensions share, by name and version. */
export type Scope = Record<string, Record<string, Version>>;

/** Returns a shared module: that of the application, whose tokens are the ones that its plugins provide. */
export async function shared<N extends keyof Modules>(scope: Scope, name: N): Promise<Modules[N]> {
  const versions = Object.values(scope[name] ?? {});
  const own = versions.find((one) =>
    /^@jupyterlab\/application-top|^@jupyter-notebook\/app/.test(one.from ?? ""),
  );
  const found = own ?? versions.find((one) => one.loaded) ?? versions[0];
  if (!found) throw new Error(`JupyterLab shares no ${name}`);
  return (await found.get())() as Modules[N];
}
