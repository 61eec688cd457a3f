import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { IconButton } from "../../ui/button/Button";
import "./drawer.css";

interface Props {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}

/** What is about the whole store, over the tab in front. Escape closes it, and what had the focus has it again. */
export function Drawer({ title, onClose, children }: Props) {
  const ref = useRef<HTMLElement>(null);
  const before = useRef<HTMLElement | null>(null);
  useEffect(() => {
    const root = ref.current?.getRootNode() as Document | ShadowRoot | undefined;
    const active = root?.activeElement;
    // Python may have opened it while somebody types in a cell: the focus is taken from within only.
    if (!active || !ref.current?.closest(".nzx")?.contains(active)) return;
    before.current = active as HTMLElement;
    ref.current.focus();
  }, []);
  // While the drawer is still there: the browser moves the focus away from what is taken out of the page.
  const close = () => {
    if (ref.current?.matches(":focus-within")) before.current?.focus();
    onClose();
  };
  // Wherever in the explorer the focus is.
  useLayoutEffect(() => {
    const home = ref.current?.closest<HTMLElement>(".nzx");
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      event.stopPropagation();
      close();
    };
    home?.addEventListener("keydown", onKey);
    return () => home?.removeEventListener("keydown", onKey);
  });
  return (
    <section class="nzx-drawer" role="dialog" aria-label={title} tabIndex={-1} ref={ref}>
      <header>
        <h3>{title}</h3>
        <span class="nzx-gap" />
        <IconButton icon="cross" label={`Close ${title}`} onClick={close} />
      </header>
      <div class="nzx-drawer-body" tabIndex={0}>
        {children}
      </div>
    </section>
  );
}
