import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useView } from "../client/view";
import { Search } from "../tree/search/Search";
import { Tree } from "../tree/Tree";
import { useInks } from "../ui/base/theme";
import { px } from "../ui/text/format";
import { Edits } from "./edits/Edits";
import { Header } from "./header/Header";
import { keepKey, keepKeys } from "./keys";
import { NodeView } from "./node/NodeView";
import { NotOpen } from "./opening/NotOpen";
import { Splitter } from "./splitter/Splitter";
import "./frame.css";

export function App() {
  const { session, inks } = useView();
  const [root, setRoot] = useState<HTMLDivElement | null>(null);
  const [side, setSide] = useState<boolean | null>(null);
  const [width, setWidth] = useState(0);
  const last = useRef<Element | null>(null);
  const now = useInks(root);
  useEffect(() => {
    inks.value = now;
  }, [now, inks]);
  const room = useRoom(root);
  // Where there is little room, the tree is shown when somebody asks for it.
  const shown = side ?? room === "enough";
  useEffect(() => {
    const gate = (event: KeyboardEvent) => {
      keepKey(root, event);
      const { target, altKey, key } = event;
      const by = altKey && { ArrowLeft: -1, ArrowRight: 1 }[key];
      if (!by || !(target instanceof Element) || !root?.contains(target)) return;
      // A text has its own use of them, and the picture: it moves the pin.
      if (target.matches("input,[role=application]")) return;
      event.preventDefault();
      session.wander(by);
    };
    // What is taken away with the focus, as a button that has done its work, leaves it to what stands beside it, else to
    // the panel, and not to the host's page.
    const page = root?.ownerDocument;
    const lost = new MutationObserver((records) => {
      if (last.current?.isConnected !== false || page?.activeElement !== page?.body) return;
      const near = records.find(({ removedNodes: [one] }) => one?.contains(last.current))?.target as Element;
      const beside = near?.closest(".nzx-panel *")?.querySelector<HTMLElement>("button,input");
      (beside ?? root?.querySelector<HTMLElement>(".nzx-panel"))?.focus({ preventScroll: true });
    });
    if (root) lost.observe(root, { childList: true, subtree: true });
    // Before the host, which listens at the document. Its window, which may not be the one of this code.
    const view = page?.defaultView;
    view?.addEventListener("keydown", gate, true);
    return () => {
      lost.disconnect();
      view?.removeEventListener("keydown", gate, true);
    };
  }, [root, session]);
  return (
    <div
      class="nzx"
      ref={setRoot}
      data-scheme={now?.dark ? "dark" : "light"}
      data-narrow={(room === "least" && shown) || undefined}
      data-lm-suppress-shortcuts="true"
      onFocusIn={(event) => {
        last.current = event.target as Element;
        keepKeys(event);
      }}
    >
      <Header side={shown} onSide={() => setSide(!shown)} />
      <Opened>
        <div class="nzx-body" style={{ "--nzx-side": width ? px(width) : "" }}>
          <div class="nzx-side" style={shown ? undefined : { display: "none" }}>
            <Search>
              <Tree />
            </Search>
          </div>
          {shown && <Splitter width={width} onWidth={setWidth} />}
          <NodeView />
        </div>
      </Opened>
      <Edits />
    </div>
  );
}

/** The summary comes anew with every event of the walk: this reads it apart, so that the rest is not drawn each time. */
function Opened({ children }: { children: ComponentChildren }) {
  const { session } = useView();
  return session.summary.value === null ? <NotOpen /> : children;
}

type Room = "enough" | "little" | "least";

/** How much room there is: the tree beside the panel, instead of it, or above it. */
function useRoom(element: HTMLElement | null): Room {
  const [room, setRoom] = useState<Room>("enough");
  useEffect(() => {
    if (!element) return;
    const observer = new ResizeObserver(() => {
      const width = element.clientWidth;
      setRoom(width === 0 || width > 700 ? "enough" : width > 600 ? "little" : "least");
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);
  return room;
}
