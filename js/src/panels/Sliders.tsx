import { useEffect, useRef, useState } from "preact/hooks";
import { grouped } from "../format";
import type { Slider } from "../protocol.gen";
import { visible } from "../text";
import { IconButton } from "../ui/parts";

interface SlidersProps {
  sliders: readonly Slider[];
  index: Record<string, number>;
  onIndex: (dimension: string, to: number) => void;
  loading: boolean;
}

/** Where the dimensions that are not drawn are fixed. */
export function Sliders({ sliders, index, onIndex, loading }: SlidersProps) {
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
        const label = now === slider.index ? slider.label : `[${now}]`;
        const text = `${visible(label)}${slider.units && now === slider.index ? ` ${visible(slider.units)}` : ""}`;
        return (
          <div class="nzx-slider" key={dimension}>
            <span class="nzx-slider-name" title={visible(dimension)}>
              {visible(dimension)}
            </span>
            <IconButton
              icon="previous"
              label={`Previous ${visible(dimension)}`}
              disabled={now <= 0}
              onClick={() => onIndex(dimension, now - 1)}
            />
            <input
              type="range"
              min={0}
              max={length - 1}
              step={1}
              value={now}
              aria-label={visible(dimension)}
              aria-valuetext={`${text}, ${now + 1} of ${length}`}
              onInput={(event) => {
                setPlaying(null);
                onIndex(dimension, Number(event.currentTarget.value));
              }}
            />
            <IconButton
              icon="next"
              label={`Next ${visible(dimension)}`}
              disabled={now >= length - 1}
              onClick={() => onIndex(dimension, now + 1)}
            />
            <IconButton
              icon={playing === dimension ? "pause" : "play"}
              label={`${playing === dimension ? "Stop" : "Play"} ${visible(dimension)}`}
              pressed={playing === dimension}
              onClick={() => setPlaying(playing === dimension ? null : dimension)}
            />
            <output class="nzx-slider-label" title={text}>
              {text}
            </output>
            <span class="nzx-quiet nzx-slider-count">
              {grouped(now)}/{grouped(length)}
            </span>
          </div>
        );
      })}
    </div>
  );
}

/** Where a slider stands: as set, else as the picture has it. */
function at(slider: Slider, index: Record<string, number>): number {
  const set = index[slider.dimension];
  if (set === undefined) return slider.index;
  return set < 0 ? set + slider.length : Math.min(set, slider.length - 1);
}
