import { useEffect, useRef, useState } from "preact/hooks";
import { RequestError } from "../../../client/client";
import type { NodeRow, Thumbnail } from "../../../client/protocol.gen";
import { useView } from "../../../client/view";
import { colorTable } from "../../../plots/shared/colormap";
import { uint8s } from "../../../plots/shared/field";
import { GREYS, lutOf } from "../../../plots/shared/paint";
import { Mark } from "../../../ui/impact/Impact";
import { Problem } from "../../../ui/problem/Problem";
import { shapeText } from "../../../ui/text/format";
import { visible } from "../../../ui/text/text";
import "./gallery.css";

const WIDTH = 160;
const HEIGHT = 100;
const BATCH = 8;
/** How much wider than high what may have any shape is at most. */
const WIDE = 9;

interface Small {
  thumbnail: Thumbnail;
  image: Uint8Array | null;
}

/** Small pictures of a group's arrays, read in batches as they come into view. */
export function Gallery({ arrays }: { arrays: readonly NodeRow[] }) {
  const { session } = useView();
  const [pictures, setPictures] = useState<ReadonlyMap<string, Small>>(new Map());
  const [problem, setProblem] = useState<RequestError | null>(null);
  const [round, setRound] = useState(0);
  const root = useRef<HTMLUListElement>(null);
  const key = arrays.map(({ path }) => path).join("\n");

  useEffect(() => session.wantColormaps(""), [session]);

  // `key` stands for the arrays.
  useEffect(() => {
    const abort = new AbortController();
    const queue: string[] = [];
    let running = false;
    setPictures(new Map());
    setProblem(null);
    const next = async () => {
      if (running || queue.length === 0) return;
      running = true;
      try {
        while (queue.length > 0 && !abort.signal.aborted) {
          const paths = queue.splice(0, BATCH);
          const { value, buffers } = await session.client.call(
            "thumbnails",
            { paths, width: WIDTH, height: HEIGHT },
            abort.signal,
          ).answer;
          setPictures((before) => {
            const after = new Map(before);
            for (const thumbnail of value.thumbnails) {
              const view = buffers[thumbnail.image_buffer ?? -1];
              const { width, height, kind } = thumbnail;
              const fits = view && view.byteLength >= width * height * (kind === "image" ? 4 : 1);
              after.set(thumbnail.path, { thumbnail, image: fits ? uint8s(view) : null });
            }
            return after;
          });
        }
      } catch (error) {
        if (error instanceof RequestError && !error.cancelled) setProblem(error);
      } finally {
        running = false;
      }
    };
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { isIntersecting, target } of entries)
          if (isIntersecting) {
            queue.push(target.getAttribute("data-path") ?? "");
            observer.unobserve(target);
          }
        void next();
      },
      { rootMargin: "100px" },
    );
    for (const card of root.current?.children ?? []) observer.observe(card);
    return () => {
      abort.abort();
      observer.disconnect();
    };
  }, [key, round, session]);

  return (
    <>
      {problem && <Problem onRetry={() => setRound((now) => now + 1)}>{visible(problem.message)}</Problem>}
      <ul class="nzx-gallery" role="list" aria-label="Arrays" ref={root}>
        {arrays.map((row) => (
          <li key={row.path} data-path={row.path}>
            <button
              type="button"
              class="nzx-card"
              title={visible(row.path)}
              onClick={() => session.select(row.path)}
            >
              <Picture small={pictures.get(row.path)} />
              <span class="nzx-card-line">
                <strong>
                  <bdi>{visible(row.label ?? row.name)}</bdi>
                </strong>
                <span class="nzx-quiet nzx-cut">{visible(row.units ?? "")}</span>
              </span>
              <span class="nzx-card-line nzx-quiet">
                <span class="nzx-cut">
                  {row.label && <code>{visible(row.name)}</code>} {names(row)}
                </span>
                <Mark impacts={row.impacts} />
              </span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The names of its dimensions, else its shape. */
const names = ({ shape, dimension_names: names }: NodeRow): string =>
  visible(names?.map((name) => name ?? "–").join(" ") ?? shapeText(shape));

function Picture({ small }: { small: Small | undefined }) {
  const { session, inks } = useView();
  const ref = useRef<HTMLCanvasElement>(null);
  const colormaps = session.colormaps.value;
  const name = small?.thumbnail.colormap ?? "";
  const ink = inks.value;
  useEffect(() => {
    const canvas = ref.current;
    if (!canvas || !small?.image) return;
    const { width, height, kind } = small.thumbnail;
    canvas.width = width;
    canvas.height = height;
    const context = canvas.getContext("2d");
    if (!context) return;
    if (kind === "line") {
      drawLine(canvas, context, small);
      return;
    }
    const image = context.createImageData(width, height);
    const bytes = small.image;
    if (kind === "image") image.data.set(bytes.subarray(0, image.data.length));
    else {
      const lut = lutOf(colorTable(colormaps, name) ?? GREYS);
      const pixels = new Uint32Array(image.data.buffer);
      // 0 is missing and stays clear.
      for (let at = 0; at < pixels.length; at++) {
        const value = bytes[at] ?? 0;
        if (value !== 0) pixels[at] = lut[value] as number;
      }
    }
    context.putImageData(image, 0, 0);
  }, [small, colormaps, name, ink]);
  if (!small) return <span class="nzx-thumb nzx-bone" />;
  if (!small.image) {
    return <span class="nzx-thumb nzx-thumb-none">{visible(small.thumbnail.label || "no picture")}</span>;
  }
  const { aspect, label } = small.thumbnail;
  const style = `max-width:${(aspect ?? WIDE) * HEIGHT}px`;
  return <canvas ref={ref} class="nzx-thumb" role="img" aria-label={visible(label)} style={style} />;
}

/** A line from its image: by its levels where it has few points, else as the kernel drew it. */
function drawLine(canvas: HTMLCanvasElement, context: CanvasRenderingContext2D, small: Small): void {
  const { width, height } = small.thumbnail;
  const bytes = small.image ?? new Uint8Array();
  canvas.width = 2 * WIDTH;
  canvas.height = 2 * HEIGHT;
  context.strokeStyle = getComputedStyle(canvas).color;
  context.lineWidth = 2.4;
  context.lineCap = "round";
  const rowY = (row: number) => ((row + 0.5) / height) * (canvas.height - 12) + 6;
  let joined = false;
  context.beginPath();
  for (let column = 0; column < width; column++) {
    let [top, bottom, level] = [-1, -1, 0];
    for (let row = 0; row < height; row++) {
      const value = bytes[row * width + column] ?? 0;
      if (value === 0) continue;
      if (top < 0) top = row;
      bottom = row;
      level = value;
    }
    const x = ((column + 0.5) / width) * canvas.width;
    if (top < 0) joined = false;
    else if (width < WIDTH / 2) {
      const y = rowY(((255 - level) / 254) * (height - 1));
      if (joined) context.lineTo(x, y);
      else context.moveTo(x, y);
      // A point alone is a dot.
      context.lineTo(x, y);
      joined = true;
    } else {
      context.moveTo(x, rowY(top));
      context.lineTo(x, rowY(bottom));
    }
  }
  context.stroke();
}
