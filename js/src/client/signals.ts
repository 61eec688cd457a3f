import { effect, type ReadonlySignal, type Signal, signal } from "@preact/signals-core";
import { Component, Fragment, type FunctionComponent, options } from "preact";
import { useLayoutEffect } from "preact/hooks";

// What @preact/signals does with signals that components read. Signals are never bound to elements here, which is
// most of that package.

export { effect, type ReadonlySignal, type Signal, signal };

type Tracked = Component & { stop?: (() => void) | undefined };

const tracking = new Map<unknown, FunctionComponent>();

/** Returns a component that is rendered again when a signal changes that it has read. */
function tracked(component: FunctionComponent): FunctionComponent {
  let made = tracking.get(component);
  if (!made) {
    made = function (this: Tracked, ...given: Parameters<FunctionComponent>) {
      let rendered: ReturnType<FunctionComponent>;
      let again = false;
      this.stop?.();
      this.stop = effect(() => {
        if (again) this.setState({});
        else rendered = component.apply(this, given);
        again = true;
      });
      useLayoutEffect(() => () => this.stop?.(), []);
      return rendered;
    };
    tracking.set(component, made);
    tracking.set(made, made);
  }
  return made;
}

const before = options.vnode;
options.vnode = (vnode) => {
  const { type } = vnode as { type: unknown };
  if (typeof type === "function" && type !== Fragment)
    (vnode as { type: unknown }).type = tracked(type as FunctionComponent);
  before?.(vnode);
};

/** Components with the same properties as before are not rendered again. */
Component.prototype.shouldComponentUpdate = function (props: object, state) {
  const [now, next] = [Object.entries(this.props), Object.entries(props)];
  return (
    state !== this.state ||
    now.length !== next.length ||
    next.some(([name, value]) => (this.props as Record<string, unknown>)[name] !== value)
  );
};
