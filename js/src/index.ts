import "./ui/base/tokens.css";
import "./ui/base/base.css";
import "./ui/base/chip.css";
import "./ui/base/fields.css";
import "./ui/table/table.css";
import { render } from "preact";
import type { Wire } from "./client/client";
import type { Shown } from "./client/protocol.gen";
import { Session } from "./client/session";
import type { Traits } from "./client/traits";
import { mount } from "./mount";

export type Model = Wire & Traits;

/** The anywidget module: one session for each model, one view for each output area. */
export default () => {
  let session: Session | null = null;
  const page = Math.random().toString(36).slice(2);
  let views = 0;
  const count = (model: Model, by: number) => {
    const before = views;
    views += by;
    // The kernel lets go of what no page shows any more.
    if ((before === 0) !== (views === 0)) {
      const message: Shown = { kind: "shown", page, shown: views > 0 };
      try {
        model.send(message);
      } catch {
        // A model without a live comm has no session to let go of.
      }
    }
  };
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
      const own = session ? null : new Session(model);
      const unmount = mount(session ?? (own as Session), el);
      count(model, 1);
      return () => {
        count(model, -1);
        unmount();
        render(null, el);
        own?.close();
      };
    },
  };
};
