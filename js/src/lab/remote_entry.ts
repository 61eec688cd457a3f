/**
 * What JupyterLab loads of a prebuilt extension: a container as webpack's module federation defines it, which is
 * given the shared modules and gives the plugin.
 */
import { type Modules, type Scope, shared } from "./jupyter";
import { plugin } from "./plugin";

const NAMES: (keyof Modules)[] = [
  "@jupyterlab/application",
  "@jupyterlab/apputils",
  "@jupyterlab/docregistry",
  "@jupyterlab/filebrowser",
  "@jupyterlab/launcher",
  "@jupyterlab/ui-components",
  "@lumino/widgets",
];

let scope: Scope = {};

const container = {
  init: (given: Scope) => {
    scope = given;
  },
  get: async () => {
    const modules = await Promise.all(NAMES.map(async (name) => [name, await shared(scope, name)]));
    const found = plugin(Object.fromEntries(modules) as Modules);
    return () => ({ __esModule: true, default: found });
  },
};

const loaded = window as unknown as { _JUPYTERLAB?: Record<string, unknown> };
loaded._JUPYTERLAB = { ...loaded._JUPYTERLAB, "nz-explorer": container };
