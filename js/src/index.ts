import { render } from "preact";
import type { Wire } from "./client";
import { mount } from "./mount";
import { Session } from "./session";
import type { Traits } from "./traits";

export type Model = Wire & Traits;

/** The anywidget module: one session for each model, one view for each output area. */
export default () => {
  let session: Session | null = null;
  return {
    initialize({ model }: { model: Model }) {
      session = new Session(model);
      return () => {
        session?.close();
        session = null;
      };
    },
    render({ model, el }: { model: Model; el: HTMLElement }) {
      // A host that does not call `initialize` gets a session for each view.
      const own = session === null ? new Session(model) : null;
      const unmount = mount(session ?? (own as Session), el);
      return () => {
        unmount();
        render(null, el);
        own?.close();
      };
    },
  };
};
