import { render } from "preact";
import type { Session } from "./client/session";
import { signal } from "./client/signals";
import { type View, ViewContext } from "./client/view";
import { App } from "./frame/App";
import { TreeModel } from "./tree/model";

/** Builds one view of a session in an element; returns what takes it down. */
export function mount(session: Session, el: HTMLElement): () => void {
  const tree = new TreeModel(session.client);
  const view: View = {
    session,
    tree,
    uid: `nz-${Math.random().toString(36).slice(2, 9)}`,
    inks: signal(null),
    spotlight: signal(null),
    sections: signal({}),
    wanted: signal(null),
    symptom: signal(null),
    arrivals: signal(0),
    goto: (path: string, panel?: string) => {
      session.select(path, panel);
      if (panel) view.arrivals.value += 1;
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
