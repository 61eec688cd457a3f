import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../icons/Icon";
import "./menu.css";

interface Props {
  /** What the button is called. */
  label: string;
  /** The glyph that stands for the label; without one the label itself is shown. */
  icon?: string;
  title?: string;
  /** Where it opens. */
  up?: boolean;
  /** Actions, one of which is chosen, or settings of which several are changed. */
  kind?: "menu" | "group";
  /** `close` is for what has been chosen; of a menu every choice closes it. */
  children: (close: () => void) => ComponentChildren;
}

/**
 * A button that opens a menu of `MenuItem`s, or a group of settings. Arrow keys move, Escape goes back to the button,
 * and what is clicked or focused elsewhere closes it.
 */
export function Menu({ label, icon, title, up, kind = "menu", children }: Props) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const items = () => [
    ...(root.current?.querySelectorAll<HTMLElement>(".nzx-menu :is(button, input, select)") ?? []),
  ];
  useEffect(() => {
    if (!open) return;
    items()[0]?.focus();
    const away = (event: Event) => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    addEventListener("pointerdown", away);
    addEventListener("focusin", away);
    return () => {
      removeEventListener("pointerdown", away);
      removeEventListener("focusin", away);
    };
  }, [open]);
  const close = () => {
    setOpen(false);
    root.current?.querySelector("button")?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!open) return;
    if (event.key === "Escape") {
      event.stopPropagation();
      close();
      return;
    }
    if (event.key === "Tab" && kind === "menu") setOpen(false);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const target = event.target as HTMLElement;
    // A select has its own use of the arrow keys.
    if (step === undefined || target.tagName === "SELECT") return;
    event.preventDefault();
    const all = items();
    all[(all.indexOf(target) + step + all.length) % all.length]?.focus();
  };
  return (
    <div class="nzx-menu-holder" role="group" ref={root} onKeyDown={onKeyDown}>
      <button
        type="button"
        class={icon ? "nzx-icon-button" : "nzx-button"}
        aria-label={label}
        aria-haspopup={kind === "menu" ? "menu" : "true"}
        aria-expanded={open}
        title={title ?? (icon ? label : undefined)}
        onClick={() => setOpen(!open)}
      >
        {icon ? (
          <Icon name={icon} />
        ) : (
          <>
            {label} <Icon name="down" />
          </>
        )}
      </button>
      {open && (
        <div class={`nzx-menu ${up ? "nzx-menu-up" : ""}`} {...{ role: kind, "aria-label": label }}>
          {children(close)}
        </div>
      )}
    </div>
  );
}

interface ItemProps {
  children: ComponentChildren;
  onClick: () => void;
}

export function MenuItem({ children, onClick }: ItemProps) {
  return (
    <button type="button" role="menuitem" class="nzx-menu-item" tabIndex={-1} onClick={onClick}>
      {children}
    </button>
  );
}
