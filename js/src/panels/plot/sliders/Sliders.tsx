import { useEffect, useRef, useState } from "preact/hooks";
import type { RequestError } from "../../../client/client";
import type { Slider } from "../../../client/protocol.gen";
import { useView } from "../../../client/view";
import { IconButton } from "../../../ui/button/Button";
import { grouped } from "../../../ui/text/format";
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
  const [playing, setPlaying] = useState<string | null>(null);
  const live = useRef({ sliders, index, loading });
  live.current = { sliders, index, loading };

  // The next step only when the last has been drawn.
  useEffect(() => {
    if (playing === null) return;
    const timer = setInterval(() => {
      const now = live.current;
      const slider = now.sliders.find(({ dimension }) => dimension === playing);
      if (slider === undefined || now.loading) return;
      onIndex(playing, (at(slider, now.index) + 1) % slider.length);
    }, 220);
    return () => clearInterval(timer);
  }, [playing, onIndex]);

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
          onIndex(dimension, to);
        };
        return (
          <div class="nzx-slider" key={dimension}>
            <span class="nzx-slider-name nzx-cut" title={name}>
              {name}
            </span>
            <IconButton
              icon="previous"
              label={`Previous ${name}`}
              disabled={now <= 0}
              onClick={() => onIndex(dimension, now - 1)}
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
              onClick={() => onIndex(dimension, now + 1)}
            />
            <GoTo path={path} slider={slider} now={now} onIndex={move} />
            <IconButton
              icon={playing === dimension ? "pause" : "play"}
              label={`${playing === dimension ? "Stop" : "Play"} ${name}`}
              pressed={playing === dimension}
              onClick={() => setPlaying(playing === dimension ? null : dimension)}
            />
            <span class="nzx-quiet nzx-slider-count">
              {grouped(now + 1)} of {grouped(length)}
            </span>
          </div>
        );
      })}
    </div>
  );
}

/** The value at the slider, which can be typed: the kernel knows at which index it is. */
function GoTo({
  path,
  slider,
  now,
  onIndex,
}: {
  path: string;
  slider: Slider;
  now: number;
  onIndex: (to: number) => void;
}) {
  const { session } = useView();
  const [text, setText] = useState<string | null>(null);
  const [problem, setProblem] = useState("");
  const { dimension } = slider;
  const shown = labelAt(slider, now);
  const go = () => {
    const value = text?.trim() ?? "";
    if (value === "" || value === shown) return drop();
    session.client.request("locate", { path, dimension, value }).then(
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
        type="text"
        class="nzx-box nzx-slider-box"
        aria-label={`Go to ${visible(dimension)}`}
        aria-invalid={problem !== ""}
        title={problem || shown}
        value={text ?? shown}
        autocomplete="off"
        spellcheck={false}
        onFocus={(event) => event.currentTarget.select()}
        onInput={(event) => {
          setProblem("");
          setText(event.currentTarget.value);
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
function labelAt({ index, label, units }: Slider, now: number): string {
  if (now !== index || (label === String(index) && !units)) return `[${now}]`;
  return visible(units ? `${label} ${units}` : label);
}

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
    const part = Math.max(0, Math.min(1, value / (length - 1)));
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
