import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { RequestError } from "../../../client/client";
import type { Slider } from "../../../client/protocol.gen";
import { useView } from "../../../client/view";
import { Button, IconButton } from "../../../ui/button/Button";
import { Select } from "../../../ui/select/Select";
import { bytes, clamp, grouped } from "../../../ui/text/format";
import { visible } from "../../../ui/text/text";
import "./sliders.css";

interface SlidersProps {
  path: string;
  sliders: readonly Slider[];
  index: Record<string, number>;
  onIndex: (dimension: string, to: number) => void;
  loading: boolean;
}

/** Where the dimensions that are not drawn are fixed. */
export function Sliders({ path, sliders, index, onIndex, loading }: SlidersProps) {
  const { session } = useView();
  const { step, speed, loop } = session.pace.value;
  const [playing, setPlaying] = useState<string | null>(null);
  const due = useRef(0);
  /** Why a step led nowhere, and of which dimension. */
  const [end, setEnd] = useState<[string, string] | null>(null);
  /** Goes on, or back, by an index or by what the calendar has; resolves to whether there was anywhere to go. */
  const go = async (slider: Slider, sign: 1 | -1): Promise<boolean> => {
    const { dimension, length } = slider;
    const now = at(slider, index);
    let to = now + sign;
    setEnd(null);
    if (step !== "one" && dated(slider)) {
      const value = `${sign > 0 ? "+" : "-"}1 ${step}`;
      const asked = session.client.request("locate", { path, dimension, value, index: now });
      to = await asked.then(
        (found) => found.index,
        (error: RequestError) => {
          if (!error.cancelled) setEnd([dimension, visible(error.message)]);
          return -1;
        },
      );
    }
    if (to >= 0 && to < length) onIndex(dimension, to);
    return to >= 0 && to < length;
  };
  const played = sliders.find(({ dimension }) => dimension === playing);
  const here = played && at(played, index);

  // The next step when the last has been drawn, before it is on the screen: the kernel works meanwhile. Not before
  // its time, which one that came late does not put off.
  useLayoutEffect(() => {
    if (played === undefined || loading) return;
    const timer = setTimeout(
      async () => {
        const pause = 1000 / speed;
        due.current = Math.max(due.current, Date.now() - 2 * pause) + pause;
        if (await go(played, 1)) return;
        if (loop) onIndex(played.dimension, 0);
        else setPlaying(null);
      },
      Math.max(0, due.current - Date.now()),
    );
    return () => clearTimeout(timer);
  }, [playing, here, loading, step, speed, loop]);

  const movable = sliders.filter(({ length }) => length > 1);
  if (movable.length === 0) return null;
  return (
    <div class="nzx-sliders">
      {movable.map((slider) => {
        const { dimension, length } = slider;
        const now = at(slider, index);
        const name = visible(dimension);
        const move = (to: number) => {
          setPlaying(null);
          setEnd(null);
          onIndex(dimension, to);
        };
        return (
          <div class="nzx-slider" key={dimension}>
            <span class="nzx-slider-name nzx-cut" title={name}>
              {name}
            </span>
            {slider.method !== null ? (
              <span class="nzx-slider-over">
                {visible(slider.label)} of {grouped(length)}
              </span>
            ) : (
              <>
                <IconButton
                  icon="previous"
                  label={`Previous ${name}`}
                  disabled={now <= 0}
                  onClick={() => void go(slider, -1)}
                />
                <input
                  type="range"
                  min={0}
                  max={length - 1}
                  step={1}
                  value={now}
                  aria-label={name}
                  aria-valuetext={`${labelAt(slider, now)}, ${now + 1} of ${length}`}
                  style={{ "--track": trackOf(slider, now) }}
                  onInput={(event) => move(Number(event.currentTarget.value))}
                />
                <IconButton
                  icon="next"
                  label={`Next ${name}`}
                  disabled={now >= length - 1}
                  onClick={() => void go(slider, 1)}
                />
                <GoTo
                  label={`Go to ${name}`}
                  shown={labelAt(slider, playing === dimension ? slider.index : now)}
                  {...{ path, dimension, now }}
                  end={end?.[0] === dimension ? end[1] : ""}
                  onIndex={move}
                />
                <IconButton
                  icon={playing === dimension ? "pause" : "play"}
                  label={`${playing === dimension ? "Stop" : "Play"} ${name}`}
                  pressed={playing === dimension}
                  onClick={() => {
                    if (playing === dimension) return setPlaying(null);
                    if (now === length - 1) onIndex(dimension, 0); // from the beginning again
                    setPlaying(dimension);
                  }}
                />
                <button
                  type="button"
                  class="nzx-link nzx-slider-count"
                  title="Last or first"
                  onClick={() => move(now < length - 1 ? length - 1 : 0)}
                >
                  {grouped(now + 1)} of {grouped(length)}
                </button>
              </>
            )}
            {slider.minus != null && slider.method === null ? (
              <Minus path={path} slider={slider} now={now} />
            ) : (
              <Reduce slider={slider} />
            )}
          </div>
        );
      })}
    </div>
  );
}

const METHODS = ["", "mean", "min", "max", "std", "any"];

/** What is shown of a dimension: its values one by one, or what is made of all of them, and what that takes to read. */
function Reduce({ slider: { dimension, method, whole_bytes: size } }: { slider: Slider }) {
  const { session } = useView();
  const choose = (to: string) => {
    const { [dimension]: _, ...others } = session.options.peek().reduce;
    const names = to ? [...Object.keys(others), dimension] : Object.keys(others);
    // All are reduced in the same way; limits were of other numbers.
    const how = to || (Object.values(others)[0] ?? "");
    session.setOptions({
      reduce: Object.fromEntries(names.map((name) => [name, how])),
      low: null,
      high: null,
    });
  };
  return (
    <span class="nzx-slider-reduce">
      <Select
        label={`Reduce ${visible(dimension)}`}
        value={method ?? ""}
        names={METHODS}
        titleOf={(name) => (name === method ? name : name ? `${name} (reads ${bytes(size)})` : "one by one")}
        onChange={choose}
      />
    </span>
  );
}

/** Where what is subtracted stands. */
function Minus({ path, slider, now }: { path: string; slider: Slider; now: number }) {
  const { session } = useView();
  const { dimension, minus } = slider;
  const { against } = session.options.value;
  const move = (to: number) => session.setOptions({ against: { ...against, [dimension]: to } });
  return (
    <span class="nzx-colormap">
      <Button title="Subtract what the slider stands at" onClick={() => move(now)}>
        − B
      </Button>
      <GoTo
        label={`B at ${visible(dimension)}`}
        shown={visible(minus ?? "")}
        {...{ path, dimension }}
        now={Number(against[dimension] ?? now)}
        onIndex={move}
      />
    </span>
  );
}

/** The value at the slider, which can be typed: the kernel knows at which index it is. */
function GoTo({
  label,
  shown,
  path,
  dimension,
  now,
  end = "",
  onIndex,
}: {
  label: string;
  shown: string;
  path: string;
  dimension: string;
  now: number;
  /** Why the last step led nowhere. */
  end?: string;
  onIndex: (to: number) => void;
}) {
  const { session } = useView();
  const [text, setText] = useState<string | null>(null);
  const [wrong, setProblem] = useState("");
  const problem = wrong || end;
  const box = useRef<HTMLInputElement>(null);
  // What is typed next replaces what stands there, as when one comes into the box.
  useLayoutEffect(() => {
    if (text === null && box.current?.matches(":focus")) box.current.select();
  }, [text, shown]);
  // The rest of the first date or name that begins so stands there selected: what is typed next replaces it.
  const complete = (box: HTMLInputElement, value: string) =>
    session.client.request("complete", { path, dimension, value }).then(
      ({ labels: [label = ""] }) => {
        if (box.value !== value || !label.startsWith(value)) return;
        box.value = label;
        box.setSelectionRange(value.length, label.length);
        setText(label);
      },
      () => {},
    );
  const go = () => {
    const value = text?.trim() ?? "";
    if (value === "" || value === shown) return drop();
    session.client.request("locate", { path, dimension, value, index: now }).then(
      ({ index }) => {
        drop();
        onIndex(index);
      },
      (error: RequestError) => {
        if (!error.cancelled) setProblem(visible(error.message));
      },
    );
  };
  const drop = () => {
    setText(null);
    setProblem("");
  };
  return (
    <>
      <input
        ref={box}
        type="text"
        class="nzx-box nzx-slider-box"
        aria-label={label}
        aria-invalid={wrong !== ""}
        title={problem || shown}
        value={text ?? shown}
        autocomplete="off"
        spellcheck={false}
        aria-autocomplete="inline"
        onFocus={(event) => event.currentTarget.select()}
        onInput={(event) => {
          const box = event.currentTarget;
          setProblem("");
          setText(box.value);
          // Nobody can delete what comes back.
          if (box.value && !event.inputType?.startsWith("delete")) void complete(box, box.value);
        }}
        onBlur={drop}
        onKeyDown={(event) => {
          if (event.key === "Enter") go();
          if (event.key === "Escape") drop();
        }}
      />
      {problem && (
        <span class="nzx-slider-problem" role="alert">
          {problem}
        </span>
      )}
    </>
  );
}

/** What the slider stands at; the index, until the kernel has said more. */
function labelAt({ index, label }: Slider, now: number): string {
  return now !== index || label === `${index}` ? `[${now}]` : visible(label);
}

/** Whether it stands at a date, of which there are months and years. */
export const dated = ({ label }: Slider): boolean => /^-?\d+-\d\d/.test(label);

/** Where a slider stands: as set, else as the picture has it. */
function at(slider: Slider, index: Record<string, number>): number {
  const set = index[slider.dimension];
  if (set === undefined) return slider.index;
  return set < 0 ? set + slider.length : Math.min(set, slider.length - 1);
}

/** More runs than this look like all of it. */
const MOST_RUNS = 60;

/** The track of a slider, up to its thumb in full colour; what needs no further reading is paler. */
function trackOf({ length, cached }: Slider, now: number): string {
  // The middle of the thumb, 14 pixels wide, is at the value.
  const place = (value: number) => {
    const part = clamp(value / (length - 1));
    return `calc(7px + ${part.toFixed(4)} * (100% - 14px))`;
  };
  const stops = [`var(--accent) 0 ${place(now)}`];
  let from = place(now);
  for (const [first = 0, end = 0] of cached.slice(0, MOST_RUNS)) {
    if (end - 0.5 <= now) continue;
    const start = first - 0.5 <= now ? from : place(first - 0.5);
    stops.push(`var(--rest) ${from} ${start}`, `var(--cached) ${start} ${place(end - 0.5)}`);
    from = place(end - 0.5);
  }
  return `linear-gradient(90deg, ${stops.join(", ")}, var(--rest) ${from} 100%)`;
}
