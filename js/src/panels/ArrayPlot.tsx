import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { bytes, costText, grouped, plural } from "../format";
import { type Scene, sceneOf } from "../picture/draw";
import { type CellState, countStates, ONLY_NZ } from "../picture/field";
import { PictureLoader } from "../picture/loader";
import type { NodeRow, PictureParams, PictureResult, ReadFacts } from "../protocol.gen";
import { visible } from "../text";
import { type Size, useQuiet, useSize, useView } from "../ui/hooks";
import { Icon } from "../ui/icons";
import { Button, Problem, Quiet } from "../ui/parts";
import { Controls } from "./Controls";
import { Export } from "./Export";
import { ownIndex } from "./index-of";
import { Categories, ChunkErrors, StateChip } from "./Legend";
import { Sliders } from "./Sliders";
import { Stage } from "./Stage";
import { Statistics } from "./Statistics";

const FALLBACK: Size = { width: 640, height: 360, round: 0 };

/** The picture of an array and what goes with it. */
export function ArrayPlot({ row }: { row: NodeRow }) {
  const { session } = useView();
  const stage = useRef<HTMLDivElement>(null);
  const size = useSize(stage);
  const loader = useMemo(() => new PictureLoader(session.client), [session]);
  const [whole, setWhole] = useState<string | null>(null);
  const [counted, setCounted] = useState(false);
  const settled = session.settled.value;
  const options = session.options.value;

  useEffect(() => () => loader.close(), [loader]);
  useEffect(() => session.wantColormaps(), [session]);

  const { width, height } = requested(size.width ? size : FALLBACK);
  const index = ownIndex(row, session.index.value);
  const { window, kind, part } = options;
  const slice = JSON.stringify([row.path, index, window]);
  const everything = whole === slice;
  const params: PictureParams = { path: row.path, index, width, height, everything };
  if (Object.keys(window).length > 0) params.window = window;
  if (kind !== "auto") params.kind = kind as PictureParams["kind"];
  if (part !== "") params.part = part as PictureParams["part"];
  const key = JSON.stringify(params);
  // `key` stands for the params.
  useLayoutEffect(() => loader.want(params), [loader, key]);
  // Coordinates that the check of values has proved change the axes.
  const seen = useRef(settled);
  useEffect(() => {
    if (seen.current !== settled) loader.retry();
    seen.current = settled;
  }, [settled, loader]);

  const shown = loader.shown.value;
  const error = loader.error.value;
  const stale = loader.loading.value;
  // What comes at once needs no word of waiting, and nothing is laid out for it.
  const late = useQuiet(stale, 200) && stale;
  const picture = shown?.picture ?? null;
  const scene = useMemo(
    () => (shown ? sceneOf(shown.picture, shown.buffers, options) : null),
    [shown, options],
  );
  const packing = options.decoded ? (picture?.packing ?? null) : null;
  const setIndex = (dimension: string, to: number) =>
    session.index.set({ ...session.index.peek(), [dimension]: to }, 80);
  // What has come of the picture that is wanted is not old.
  const old = late && !(shown?.partial && JSON.stringify(shown.params) === key);

  return (
    <div class="nzx-plot">
      {picture && <Controls picture={picture} scene={scene} zoomed={params.window !== undefined} />}
      {picture &&
        [picture.message, picture.overview].map(
          (note) =>
            note && (
              <p key={note} class="nzx-note nzx-plot-message">
                <Icon name="info" /> {visible(note)}
              </p>
            ),
        )}
      {error && <Problem onRetry={() => loader.retry()}>{visible(error.message)}</Problem>}
      <div class={`nzx-stage ${old ? "nzx-stale" : ""}`} ref={stage} aria-busy={stale}>
        {shown && <Stage shown={shown} scene={scene} size={size.width ? size : FALLBACK} />}
        {late && <PictureWait loader={loader} onStop={everything ? () => setWhole(null) : undefined} />}
      </div>
      {picture && <Sliders sliders={picture.sliders} index={index} onIndex={setIndex} loading={stale} />}
      {shown && (
        <Foot
          picture={shown.picture}
          scene={scene}
          whole={everything}
          onWhole={() => setWhole(slice)}
          loading={late}
        >
          <Button
            aria-expanded={counted}
            title="Reads every chunk of the array; it can be stopped"
            onClick={() => setCounted(!counted)}
          >
            Whole array statistics
          </Button>
          <Export path={row.path} index={index} />
        </Foot>
      )}
      {counted && (
        <Statistics path={row.path} units={(packing ?? picture)?.units ?? null} packing={packing} />
      )}
    </div>
  );
}

/** The drawing area in device pixels, in steps, so that a moved border does not ask for a new picture. */
function requested(size: { width: number; height: number }): { width: number; height: number } {
  const ratio = Math.min(2, globalThis.devicePixelRatio || 1);
  const step = (length: number, least: number) => Math.max(least, Math.ceil(length / 100) * 100) * ratio;
  return { width: Math.round(step(size.width - 130, 200)), height: Math.round(step(size.height - 50, 100)) };
}

function PictureWait({ loader, onStop }: { loader: PictureLoader; onStop: (() => void) | undefined }) {
  const wait = loader.wait.value;
  const shown = loader.shown.value;
  if (shown?.partial && shown.picture.read && wait !== "lost") {
    const { chunks_read: read, chunks_total: total } = shown.picture.read;
    return (
      <div class="nzx-stage-note nzx-wait">
        {grouped(read)} of {plural(total, "chunk")}… {onStop && <Button onClick={onStop}>Stop</Button>}
      </div>
    );
  }
  if (wait === "lost") {
    return (
      <div class="nzx-stage-note">
        <Problem onRetry={() => loader.retry()}>No answer from the kernel.</Problem>
      </div>
    );
  }
  const text = { waiting: "Reading…", slow: "The kernel is busy; waiting…", working: "Still reading…" }[wait];
  return <div class={`nzx-stage-note nzx-wait ${wait === "waiting" ? "" : "nzx-is-warning"}`}>{text}</div>;
}

/** What was read for a picture, in a line. */
export function costOf({ x, y }: PictureResult, read: ReadFacts): string {
  const { chunks_read: some, chunks_total: all, decoded_bytes: size } = read;
  // Of lines the extremes are shown, which the kernel says itself.
  const step = y ? y.step * (x?.step ?? 1) : 1;
  const parts = [
    `${some === all ? "" : `${grouped(some)} of `}${plural(all, "chunk")} read`,
    size > 0 ? `${bytes(size)} decoded` : some > 0 && "from memory",
    step > 1 && `1 point in ${grouped(step)} shown`,
    !read.complete && "some left out",
  ];
  return parts.filter(Boolean).join(" · ");
}

interface FootProps {
  picture: PictureResult;
  scene: Scene | null;
  whole: boolean;
  onWhole: () => void;
  loading: boolean;
  children: ComponentChildren;
}

/** The legend of states, and what was read for the picture. */
function Foot({ picture, scene, whole, onWhole, loading, children }: FootProps) {
  const { session } = useView();
  const options = session.options.value;
  const states = useMemo(
    () =>
      scene
        ? countStates(scene.states)
        : picture.states.filter(({ count, state }) => count > 0 && state !== "storage_fill"),
    [scene, picture],
  );
  const { read, errors } = picture;
  const fills: Partial<Record<CellState, string | null>> = {
    fill: picture.fill,
    storage_fill: picture.storage_fill,
  };
  return (
    <div class="nzx-foot">
      {scene && picture.categories.length > 0 && <Categories scene={scene} />}
      {states.length > 0 && (
        <div class="nzx-legend" role="group" aria-label="Legend">
          {states.map(({ state, count }) => (
            <StateChip key={state} state={state} count={count} detail={fills[state]} />
          ))}
          {picture.fill !== null &&
            options.mask === "nz" &&
            !states.some(({ state }) => state === "fill") && (
              <Quiet>_FillValue {visible(picture.fill)}</Quiet>
            )}
          {options.mask === "differences" && scene && !scene.states.some((state) => state >= ONLY_NZ) && (
            <Quiet>NZ and storage fill mask the same cells here</Quiet>
          )}
        </div>
      )}
      <div class="nzx-read">
        {read && (
          <span class="nzx-quiet" title={visible(read.note)}>
            {costOf(picture, read)}
          </span>
        )}
        {read && (read.decimated || !read.complete) && !whole && (
          <span>
            {costText("Reading all of it", read.whole_bytes, read.chunks_total)}{" "}
            <Button disabled={loading} aria-label="Read everything" onClick={onWhole}>
              Read
            </Button>
          </span>
        )}
        <span class="nzx-gap" />
        {children}
      </div>
      <ChunkErrors errors={errors} />
    </div>
  );
}
