import { render } from "preact";
import { App } from "./app";
import type { Panel, Session } from "./session";
import { signal } from "./signals";
import { TreeModel } from "./tree/model";
import { type View, ViewContext } from "./ui/hooks";

/** Builds one view of a session in an element; returns what takes it down. */
export function mount(session: Session, el: HTMLElement): () => void {
  const tree = new TreeModel(session.client);
  const view: View = {
    session,
    tree,
    uid: `nz-${Math.random().toString(36).slice(2, 9)}`,
    inks: signal(null),
    spotlight: signal(null),
    goto: (path: string, panel?: Panel) => {
      session.select(path, panel);
    },
  };
  render(
    <ViewContext.Provider value={view}>
      <App />
    </ViewContext.Provider>,
    el,
  );
  return () => {
    render(null, el);
    tree.close();
  };
}
