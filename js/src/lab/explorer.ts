import type { Model } from "../index";
import type { App, Comm, Kernel, KernelSession, Message } from "./jupyter";
import { CommModel } from "./model";

interface Front {
  initialize(context: { model: Model }): () => void;
  render(context: { model: Model; el: HTMLElement }): () => void;
}

const STYLE = `
.nz-explorer-panel { overflow: hidden; background: var(--jp-layout-color1); }
.nz-explorer-panel > div { height: 100%; }
.nz-explorer-panel .nzx { height: 100%; max-height: none; resize: none; border: 0; border-radius: 0; }
.nz-explorer-panel > p { margin: 24px; max-width: 60em; color: var(--jp-ui-font-color1); white-space: pre-wrap; }
`;

/** An explorer in an element of JupyterLab's, with a kernel of its own that ends with it. */
export class PanelExplorer {
  readonly #app: App;
  readonly #source: string;
  readonly #folder: string;
  readonly #node: HTMLElement;
  #session: KernelSession | null = null;
  #kernelName = "";
  #takeDown: (() => void)[] = [];
  #closed = false;
  readonly #key: string;
  #opened = false;

  /** `source` is what Python opens, in a folder of JupyterLab's. */
  constructor(app: App, source: string, folder: string, node: HTMLElement) {
    this.#app = app;
    this.#source = source;
    this.#folder = folder;
    this.#node = node;
    this.#key = claim(`nz-explorer:${folder}/${source}`);
    node.classList.add("nz-explorer-panel");
    this.#start().catch((error) => this.#say(String(error?.message ?? error)));
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#clear();
    release(this.#key);
    if (this.#session && !this.#session.isDisposed) await this.#session.shutdown();
  }

  /** Returns Python that opens what is shown, as it is shown. */
  async code(): Promise<string> {
    const kernel = this.#session?.kernel;
    if (!kernel || !this.#opened) throw new Error("The explorer shows nothing.");
    let text = "";
    const future = kernel.requestExecute({ code: "print(ex.code('nz_explorer'))", store_history: false });
    future.onIOPub = ({ header, content }) => {
      if (header.msg_type === "stream" && content.name === "stdout") text += content.text;
    };
    const { content } = await future.done;
    if (content.status !== "ok") throw new Error(`${content.ename}: ${content.evalue}`);
    return text.trimEnd();
  }

  get kernelName(): string {
    return this.#kernelName;
  }

  async #start(): Promise<void> {
    this.#say("Starting a kernel …");
    const { kernelspecs, sessions } = this.#app.serviceManager;
    await kernelspecs.ready;
    const specs = kernelspecs.specs;
    const isPython = (name: string) => /^python/i.test(specs?.kernelspecs[name]?.language ?? "");
    const names = [specs?.default ?? "", ...Object.keys(specs?.kernelspecs ?? {})];
    const name = names.find(isPython);
    if (!name) throw new Error("JupyterLab has no kernel for Python, which the explorer needs.");
    this.#kernelName = name;
    // The kernel starts in the folder of this path, which names no file. Where it is the path of a kernel that runs
    // since before the page was loaded again, that one goes on.
    const path = `${this.#folder ? `${this.#folder}/` : ""}nz-explorer-${this.#key}`;
    const session = await sessions.startNew(
      { path, name: this.#source, type: "nz-explorer", kernel: { name } },
      { kernelConnectionOptions: { handleComms: true } },
    );
    this.#session = session;
    if (this.#closed) return session.shutdown();
    const kernel = session.kernel as Kernel;
    await this.#open(kernel);
    let restarting = false;
    kernel.statusChanged.connect((_, status) => {
      if (/restarting/.test(status)) {
        this.#say("The kernel restarts …");
        restarting = true;
      } else if (restarting && status === "idle") {
        restarting = false;
        this.#open(kernel).catch((error) => this.#say(String(error)));
      } else if (status === "dead") this.#say("The kernel has died. Close this tab and open it again.");
    });
  }

  async #open(kernel: Kernel): Promise<void> {
    this.#say(`Opening ${this.#source} …`);
    let asked = "";
    kernel.registerCommTarget("jupyter.widget", (comm: Comm, message: Message) => {
      const { state } = message.content.data as { state: Record<string, unknown> };
      // Others may use this kernel, too, and each widget has a layout of its own.
      if (message.parent_header.msg_id !== asked || typeof state._esm !== "string") return;
      this.#show(comm, state).catch((error) => this.#say(String(error)));
    });
    // JSON's literals of text are Python's.
    const before = 'if "ex" in globals():\n    ex.release()\n';
    const code = `${before}import nz_explorer as nz\n\nex = nz.explore(${JSON.stringify(this.#source)})`;
    const future = kernel.requestExecute({ code, store_history: false });
    asked = future.msg.header.msg_id;
    const { content } = await future.done;
    if (content.status === "ok") return;
    this.#opened = false;
    const missing = content.ename === "ModuleNotFoundError" && /'nz_explorer'/.test(content.evalue ?? "");
    this.#say(
      missing
        ? `The kernel “${kernel.name}” has no nz_explorer: install it there with\n\npip install nz_explorer`
        : `${this.#source} could not be opened: ${content.evalue || content.ename}`,
      () => this.#open(kernel),
    );
  }

  async #show(comm: Comm, state: Record<string, unknown>): Promise<void> {
    const script = new Blob([String(state._esm)], { type: "text/javascript" });
    const url = URL.createObjectURL(script);
    const front: Front = (await import(/* @vite-ignore */ url)).default();
    URL.revokeObjectURL(url);
    if (this.#closed) return;
    this.#clear();
    const style = document.createElement("style");
    style.textContent = `${state._css ?? ""}${STYLE}`;
    const el = document.createElement("div");
    this.#node.replaceChildren(style, el);
    this.#opened = true;
    const model = new CommModel(comm, state);
    this.#takeDown = [front.initialize({ model }), front.render({ model, el })];
  }

  #clear(): void {
    for (const part of this.#takeDown.reverse()) part();
    this.#takeDown = [];
  }

  /** Shows a text in place of the explorer, with a button where it may help to try again. */
  #say(text: string, again?: () => Promise<void>): void {
    if (this.#closed) return;
    this.#clear();
    const line = document.createElement("p");
    line.role = "status";
    line.textContent = text;
    const style = document.createElement("style");
    style.textContent = STYLE;
    this.#node.replaceChildren(style, line);
    if (!again) return;
    const button = document.createElement("button");
    button.className = "jp-mod-styled jp-mod-accept";
    button.textContent = "Try again";
    button.onclick = () => again().catch((error) => this.#say(String(error)));
    line.append("\n\n", button);
  }
}

const claimed = new Set<string>();

/** Returns what names the kernel of a panel: the same again when the page is loaded again. */
function claim(place: string): string {
  let key = sessionStorage.getItem(place);
  if (!key || claimed.has(key)) {
    key = Math.random().toString(36).slice(2);
    sessionStorage.setItem(place, key);
  }
  claimed.add(key);
  return key;
}

function release(key: string): void {
  claimed.delete(key);
  for (const [place, value] of Object.entries(sessionStorage))
    if (value === key && place.startsWith("nz-explorer:")) sessionStorage.removeItem(place);
}
