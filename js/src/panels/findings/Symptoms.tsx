import { useState } from "preact/hooks";
import type { FindingsResult } from "../../client/protocol.gen";
import { useView } from "../../client/view";
import { Icon } from "../../ui/icons/Icon";
import { IMPACTS, type Impact } from "../../ui/impact/Impact";
import { grouped } from "../../ui/text/format";
import { HEADINGS } from "./impact";

/** What somebody sees, out of a list that can be searched, or the impact that is looked at. */
export function Symptoms({ result }: { result: FindingsResult | null }) {
  const { uid, symptom, wanted } = useView();
  const [text, setText] = useState("");
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const typed = text.toLowerCase();
  const all = [
    ...(result?.symptoms ?? []),
    ...IMPACTS.map((impact) => ({
      key: impact,
      text: `only: ${HEADINGS[impact]}`,
      words: [],
      count: result?.impacts[impact] ?? 0,
    })).filter(({ count }) => count > 0),
  ];
  /** How well a symptom fits what was typed, or was pasted: of a whole message the longest part that is known counts. */
  const match = ({ text: said, words }: { text: string; words: string[] }) => {
    const has = (given: string) => typed.split(/\s+/).every((word) => given.toLowerCase().includes(word));
    const known = words.map((word) => (typed.includes(word.toLowerCase()) ? word.length : 0));
    return has(said) ? 99 : Math.max(+has(`${said} ${words}`), ...known);
  };
  const matching = all.filter(match).sort((a, b) => match(b) - match(a));
  // What nobody has named is not left without a way on.
  const found = matching[0] ? matching : all;
  const chips = [symptom, wanted].filter((chip) => chip.value);
  const clear = (chip?: (typeof chips)[number]) => {
    if (chip) chip.value = null;
  };
  const close = () => {
    setText("");
    setOpen(false);
  };
  const show = (to: number) => {
    setOpen(true);
    setActive(to);
  };
  const choose = (at: number) => {
    const key = found[at]?.key;
    if (!key) return; // not there yet: what was typed is kept
    if (key in HEADINGS) wanted.value = key as Impact;
    else symptom.value = key;
    close();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event;
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (step) show(open ? (active + step + found.length) % found.length : 0);
    else if (key === "Enter" && open) choose(active);
    else if (key === "Escape" && open) close();
    else {
      if (key === "Backspace" && text === "") clear(chips.at(-1));
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const id = `${uid}-symptom`;
  const causes = result?.causes ?? null;
  return (
    <div class="nzx-symptoms">
      <Icon name="search" />
      {chips.map((chip) => {
        const key = chip.value as string;
        const said = HEADINGS[key as Impact] ?? result?.symptoms.find((one) => one.key === key)?.text ?? key;
        return (
          <button
            type="button"
            key={key}
            class="nzx-chip"
            aria-label={`Remove: ${said}`}
            title={said}
            onClick={() => clear(chip)}
          >
            <span class="nzx-cut">{said}</span> <Icon name="cross" />
          </button>
        );
      })}
      <span role="status" class="nzx-quiet" title="Findings that may cause it">
        {causes !== null &&
          (causes ? `${grouped(causes)} of ${grouped(result?.total ?? 0)}` : "nothing found")}
      </span>
      <input
        role="combobox"
        aria-label="What do you see?"
        aria-expanded={open}
        aria-controls={`${id}s`}
        aria-activedescendant={open ? `${id}-${active}` : undefined}
        placeholder={chips.length > 0 ? "or another" : "What do you see? Times are wrong, …"}
        autocomplete="off"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          show(0);
        }}
        onClick={() => show(0)}
        onBlur={close}
        onKeyDown={onKeyDown}
      />
      {open && (
        <div
          id={`${id}s`}
          class="nzx-menu nzx-menu-left"
          role="listbox"
          aria-label="Symptoms"
          // The focus stays where it is typed.
          onMouseDown={(event) => event.preventDefault()}
        >
          {found.map((one, at) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the text box takes the keys
            <div
              key={one.key}
              id={`${id}-${at}`}
              class={`nzx-menu-item ${one.count ? "" : "nzx-quiet"}`}
              role="option"
              tabIndex={-1}
              aria-selected={at === active}
              ref={(element) => {
                if (at === active) element?.scrollIntoView?.({ block: "nearest" });
              }}
              onClick={() => choose(at)}
            >
              {one.text}
              <span class="nzx-quiet">{one.count ? grouped(one.count) : "–"}</span>
            </div>
          ))}
        </div>
      )}
    </div>
  );
}
