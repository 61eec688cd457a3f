import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useRef } from "preact/hooks";
import { useView } from "../../client/view";
import { Icon } from "../icons/Icon";
import "./section.css";

/** Which tab the sections are of, and which of them `ex.panel` leads to. */
export interface Place {
  tab: string;
  section: string;
  /** What `ex.panel` is while a section of this tab is the one it leads to. */
  nameOf(section: string): string;
}

export const PlaceContext = createContext<Place | null>(null);

/**
 * Brings a section into view, and keeps it there while what is above it gets its content, until a person moves. Only the
 * tab scrolls: the notebook stays where it is.
 */
function hold(section: HTMLElement | null): (() => void) | undefined {
  const page = section?.parentElement;
  if (!section || !page) return;
  const show = () => {
    page.scrollTop = section.offsetTop - page.offsetTop;
  };
  show();
  const observer = new ResizeObserver(show);
  for (const child of page.children) observer.observe(child);
  const moves = ["wheel", "pointerdown", "keydown", "touchstart"];
  const stop = () => {
    observer.disconnect();
    for (const move of moves) page.removeEventListener(move, stop);
  };
  for (const move of moves) page.addEventListener(move, stop, { passive: true });
  return stop;
}

interface Props {
  /** Its name in links: `panel=netcdf#missing`. */
  name: string;
  title: string;
  /** What it is about, beside the heading. */
  note?: ComponentChildren;
  /** What stands at the right end of the heading: actions that concern all of it. */
  aside?: ComponentChildren;
  /** Whether it is open before anybody has folded or unfolded it. */
  open?: boolean;
  /** Whatever leads here beside `ex.panel`, such as a finding: it opens and comes into view when this changes. */
  reveal?: unknown;
  /** Shown only while it is open: nothing is asked of the kernel for what is folded. */
  children: ComponentChildren;
}

/**
 * A part of a tab under a heading that folds. It opens and comes into view where `ex.panel`, a link or `reveal`
 * leads; what a person folds stays folded while they look at other tabs and nodes.
 */
export function Section({ name, title, note, aside, open: first = false, reveal, children }: Props) {
  const { session, sections, arrivals, uid } = useView();
  const place = useContext(PlaceContext);
  const ref = useRef<HTMLElement>(null);
  const key = `${place?.tab ?? ""}#${name}`;
  const linked = place?.section === name;
  const arrival = arrivals.value;
  const open = sections.value[key] ?? (first || linked);
  const unfold = (now: boolean) => {
    sections.value = { ...sections.peek(), [key]: now };
  };
  useEffect(() => {
    if (!linked && !reveal) return;
    unfold(true);
    return hold(ref.current);
  }, [linked, reveal, linked ? arrival : 0]);
  const toggle = () => {
    unfold(!open);
    if (!place) return;
    if (!open) session.panel.set(place.nameOf(name));
    else if (linked) session.panel.set(place.nameOf(""));
  };
  const id = `${uid}-section-${place?.tab ?? ""}-${name}`;
  return (
    <section class="nzx-section" aria-label={title} data-section={name} ref={ref}>
      <div class="nzx-section-head">
        <h3>
          <button
            type="button"
            aria-label={title}
            aria-expanded={open}
            aria-controls={open ? id : undefined}
            onClick={toggle}
          >
            <span class={`nzx-chevron ${open ? "nzx-open" : ""}`}>
              <Icon name="chevron" />
            </span>
            {title}
            {note !== undefined && (
              <span class="nzx-section-note" title={typeof note === "string" ? note : undefined}>
                {note}
              </span>
            )}
          </button>
        </h3>
        {aside}
      </div>
      {open && (
        <div class="nzx-section-body" id={id}>
          {children}
        </div>
      )}
    </section>
  );
}
