import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import type { PictureResult, ReadFacts } from "../../../client/protocol.gen";
import type { Scene } from "../../../plots/shared/scene";
import { Button } from "../../../ui/button/Button";
import { bytes, compact, costText, grouped, plural } from "../../../ui/text/format";
import { visible } from "../../../ui/text/text";
import "./foot.css";

/** What was read for a picture, in a line. */
export function costOf({ x, y }: PictureResult, read: ReadFacts): string {
  const { chunks_read: some, chunks_total: all, decoded_bytes: size } = read;
  // Of lines the extremes are shown, which the kernel says itself.
  const step = x && y ? y.step * x.step : 1;
  // What there is no room for is cut at the end: first that there is more than is seen.
  const parts = [
    step > 1 && `1 in ${grouped(step)} points shown`,
    !read.complete && "some left out",
    `${some === all ? "" : `${grouped(some)} of `}${plural(all, "chunk")} read`,
    size > 0 ? `${bytes(size)} decoded` : some > 0 && "from memory",
  ];
  return parts.filter(Boolean).join(" · ");
}

/** Whether of a long line the lowest and the highest points are shown. */
export const isThinned = ({ x, y }: PictureResult): boolean => !(x && y) && (x ?? y)?.step !== 1;

/** Least, mean and greatest of the values that are shown. */
export function frameOf({ picture, field, states }: Scene): Record<string, number> | null {
  let [min, max, sum, count] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, 0];
  for (let at = 0; at < states.length; at++) {
    if (states[at] !== 0) continue;
    const value = field.values[at] as number;
    if (value < min) min = value;
    if (value > max) max = value;
    sum += value;
    count++;
  }
  // What differences have beside zero is how numbers are rounded.
  const mean = Math.abs(sum / count) < 1e-12 * Math.max(max, -min) ? 0 : sum / count;
  // The mean of the lowest and the highest is not that of the values.
  return count > 0 ? { min, max, ...(isThinned(picture) ? {} : { mean }) } : null;
}

const Figure = ({ of, name }: { of: Record<string, number>; name: string }) => (
  <span>
    {name} <b>{compact(of[name] as number).replace("-", "−")}</b>
  </span>
);

interface Props {
  picture: PictureResult;
  scene: Scene | null;
  whole: boolean;
  loading: boolean;
  onWhole: () => void;
  children: ComponentChildren;
}

/** One line: what was read, what the values shown are, and what can be done with them. */
export function Foot({ picture, scene, whole, loading, onWhole, children }: Props) {
  const { read } = picture;
  // Of dates the colour bar and the statistics say the ends.
  const numbers = scene?.image === null && !picture.categories[0] && !picture.dates[0];
  const frame = useMemo(() => (numbers ? frameOf(scene) : null), [scene, numbers]);
  return (
    <div class="nzx-foot" role="group" aria-label="What was read">
      {read && (
        <span class="nzx-cut" title={visible(read.note)}>
          {costOf(picture, read)}
        </span>
      )}
      {read && (read.decimated || !read.complete) && !whole && (
        <Button
          disabled={loading}
          title={costText("Reading all of it", read.whole_bytes, read.chunks_total)}
          onClick={onWhole}
        >
          Read everything <span class="nzx-foot-size">({bytes(read.whole_bytes)})</span>
        </Button>
      )}
      {frame && (
        <span class="nzx-foot-frame">
          {/* One end alone says little. */}
          <span>
            <Figure of={frame} name="min" />
            {"\u2002"}
            <Figure of={frame} name="max" />
          </span>
          {frame.mean !== undefined && <Figure of={frame} name="mean" />}
        </span>
      )}
      <span class="nzx-gap" />
      {children}
    </div>
  );
}
