import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Header } from "./header";
import { NodeView } from "./node";
import { Page } from "./panels/Page";
import { Search } from "./tree/Search";
import { Tree } from "./tree/Tree";
import { useView } from "./ui/hooks";
import { Icon } from "./ui/icons";
import { Button } from "./ui/parts";
import { useInks } from "./ui/theme";

const NARROWEST = 160;

export function App() {
  const { session, inks } = useView();
  const [root, setRoot] = useState<HTMLDivElement | null>(null);
  const [side, setSide] = useState(true);
  const [width, setWidth] = useState(270);
  const now = useInks(root);
  useEffect(() => {
    inks.value = now;
  }, [now, inks]);
  const narrow = useNarrow(root);
  useEffect(() => {
    const gate = (event: KeyboardEvent) => {
      keepKey(root, event);
      const { target, altKey, key } = event;
      const by = altKey && { ArrowLeft: -1, ArrowRight: 1 }[key];
      if (!by || !(target instanceof Element) || !root?.contains(target) || target.matches("input")) return;
      event.preventDefault();
      session.wander(by);
    };
    // Before the host, which listens at the document. Its window, which may not be the one of this code.
    const view = root?.ownerDocument.defaultView;
    view?.addEventListener("keydown", gate, true);
    return () => view?.removeEventListener("keydown", gate, true);
  }, [root, session]);
  return (
    <div
      class="nzx"
      ref={setRoot}
      data-scheme={now?.dark ? "dark" : "light"}
      data-narrow={narrow || undefined}
      data-lm-suppress-shortcuts="true"
      onFocusIn={keepKeys}
      style={{ "--nzx-side": `${width}px` }}
    >
      <Header side={side} onSide={() => setSide(!side)} />
      <Edits />
      <Opened>
        <div class="nzx-body">
          <div class="nzx-side" style={side ? undefined : { display: "none" }}>
            <Search>
              <Tree />
            </Search>
          </div>
          {side && <Splitter width={width} onWidth={setWidth} />}
          <NodeView />
        </div>
      </Opened>
    </div>
  );
}

// The summary comes anew with every event of the walk: these two and the header read it, so that the rest is not
// drawn each time.

function Edits() {
  const { session } = useView();
  if (!session.summary.value?.edits.steps) return null;
  return (
    <section class="nzx-banner" aria-label="Edits">
      <Page name="edits" path={session.path.value} />
    </section>
  );
}

function Opened({ children }: { children: ComponentChildren }) {
  const { session } = useView();
  return session.summary.value === null ? <NotOpen /> : children;
}

/** Whether the tree stands above the panel instead of beside it. */
function useNarrow(element: HTMLElement | null): boolean {
  const [narrow, setNarrow] = useState(false);
  useEffect(() => {
    if (element === null || typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(() =>
      setNarrow(element.clientWidth > 0 && element.clientWidth <= 600),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);
  return narrow;
}

/**
 * JupyterLab matches its shortcuts at the focused element before it climbs to the attribute on the widget, so
 * that element must carry it too. Without it an arrow key on a slider walks through the cells and "d d" in
 * the tree deletes one.
 */
function keepKeys({ target }: FocusEvent) {
  if (target instanceof Element) target.setAttribute("data-lm-suppress-shortcuts", "true");
}

/** Lets the host have the combinations that mean nothing here, such as Ctrl+S; text fields keep those of editing. */
function keepKey(root: HTMLElement | null, { target, key, ctrlKey, metaKey }: KeyboardEvent) {
  if (!(target instanceof Element) || !root?.contains(target)) return;
  const editing = /^[acvxyz]$/i.test(key) && target.matches("input, textarea");
  const keep = !(ctrlKey || metaKey) || editing;
  for (const element of [root, target]) {
    if (keep) element.setAttribute("data-lm-suppress-shortcuts", "true");
    else element.removeAttribute("data-lm-suppress-shortcuts");
  }
}

/** What stands there until the kernel has answered for the first time, perhaps forever. */
function NotOpen() {
  const { session } = useView();
  const { health, answered } = session.client;
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 5000);
    return () => clearTimeout(timer);
  }, []);
  if (session.openError.value) return <div class="nzx-empty" />;
  return (
    <div class="nzx-empty">
      {late || health.value === "lost" ? (
        <>
          <Icon name="info" />
          <p>
            {health.value === "lost" ? "No answer from the kernel." : "The kernel has not answered yet."}
            {!answered.value &&
              " The explorer reads the store through the kernel. If this notebook was opened without running it, run the cell again."}
          </p>
          <Button onClick={() => session.client.resendAll()}>
            <Icon name="retry" /> Retry
          </Button>
        </>
      ) : (
        <p class="nzx-wait">Opening…</p>
      )}
    </div>
  );
}

/** The border between tree and panel, to be dragged or moved with the arrow keys. */
function Splitter({ width, onWidth }: { width: number; onWidth: (width: number) => void }) {
  const ref = useRef<HTMLDivElement>(null);
  const most = () => Math.max(NARROWEST, (ref.current?.parentElement?.clientWidth ?? 900) * 0.7);
  const set = (value: number) => onWidth(Math.round(Math.max(NARROWEST, Math.min(most(), value))));
  const drag = (event: PointerEvent) => {
    const element = ref.current;
    if (event.button !== 0 || element === null) return;
    event.preventDefault();
    const [from, before] = [event.clientX, width];
    element.setPointerCapture?.(event.pointerId);
    const move = (next: PointerEvent) => set(before + next.clientX - from);
    const end = () => {
      element.removeEventListener("pointermove", move);
      element.removeEventListener("pointerup", end);
      element.removeEventListener("pointercancel", end);
    };
    element.addEventListener("pointermove", move);
    element.addEventListener("pointerup", end);
    element.addEventListener("pointercancel", end);
  };
  const key = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -20, ArrowRight: 20 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    set(width + by);
  };
  return (
    <div
      ref={ref}
      class="nzx-splitter"
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the tree"
      aria-valuenow={width}
      aria-valuemin={NARROWEST}
      tabIndex={0}
      onPointerDown={drag}
      onKeyDown={key}
      onDblClick={() => onWidth(270)}
    />
  );
}
