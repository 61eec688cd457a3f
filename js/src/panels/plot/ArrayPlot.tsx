import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { ownIndex } from "../../client/own-index";
import type { NodeRow, PictureParams, PictureResult } from "../../client/protocol.gen";
import { useView } from "../../client/view";
import { sceneOf } from "../../plots";
import { isStacked } from "../../plots/shared/layout";
import type { Scene } from "../../plots/shared/scene";
import { Button, IconButton } from "../../ui/button/Button";
import { Icon } from "../../ui/icons/Icon";
import { useDebounced } from "../../ui/layout/debounce";
import { type Size, useSize } from "../../ui/layout/size";
import { Blank, RETRY } from "../../ui/problem/Blank";
import { Problem } from "../../ui/problem/Problem";
import { grouped, plural } from "../../ui/text/format";
import { sentence, visible } from "../../ui/text/text";
import { Caption } from "./caption/Caption";
import { Export } from "./export/Export";
import { Foot } from "./foot/Foot";
import { Categories, ChunkErrors, Legend } from "./legend/Legend";
import { PictureLoader, type Shown } from "./loader";
import { Pins } from "./pins/Pins";
import { hasPin } from "./pins/points";
import { Sliders } from "./sliders/Sliders";
import { Stage } from "./stage/Stage";
import { Statistics } from "./statistics/Statistics";
import { Toolbar } from "./toolbar/Toolbar";

const FALLBACK: Size = { width: 640, height: 360, round: 0 };

/** The picture of an array and what goes with it. */
export function ArrayPlot({ row }: { row: NodeRow }) {
  const { session } = useView();
  const stage = useRef<HTMLDivElement>(null);
  const size = useSize(stage);
  const sides = useRef<HTMLDivElement>(null);
  const room = useSize(sides);
  const loader = useMemo(() => new PictureLoader(session.client), [session]);
  const [whole, setWhole] = useState<string | null>(null);
  const [beside, setBeside] = useState<"statistics" | "pins" | null>(null);
  const many = session.pins.value.length;
  const settled = session.settled.value;
  const options = session.options.value;

  useEffect(() => () => loader.close(), [loader]);
  const { colormap, limits } = options;
  useEffect(() => session.wantColormaps(colormap), [session, colormap]);

  const { width, height } = requested(size.width ? size : FALLBACK);
  const index = ownIndex(row, session.index.value);
  const { window, kind, part, reduce, against, x, y } = options;
  const slice = JSON.stringify([row.path, index, window, reduce, against]);
  const everything = whole === slice;
  const params: PictureParams = { path: row.path, index, width, height, everything };
  if (Object.keys(window).length > 0) params.window = window;
  if (kind !== "auto") params.kind = kind as PictureParams["kind"];
  if (Object.keys(against).length > 0) params.against = against;
  if (Object.keys(reduce).length > 0) params.reduce = reduce as PictureParams["reduce"];
  if (part !== "") params.part = part as PictureParams["part"];
  if (x !== "") params.x = x;
  if (y !== "") params.y = y;
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
  // What comes at once needs no word of waiting, and nothing is laid out for it; while a key is held or one steps
  // fast, each new picture counts anew, else they would pale in between.
  const awaited = stale && (shown?.params ?? true);
  const late = useDebounced(awaited, 200) === awaited && stale;
  const picture = shown?.picture ?? null;
  useEffect(() => {
    // A profile has the one dimension along which it runs on its vertical axis.
    const [x, y] = picture && picture.kind !== "image" ? [picture.x, picture.y].filter((axis) => axis) : [];
    session.axes.value = x ? { path: row.path, x: x.label, y: y?.label ?? null } : null;
  }, [picture, row.path, session]);
  const diverging = colormap === "" || session.colormaps.value?.diverging.includes(colormap);
  const sceneFor = (picture?: PictureResult | null) =>
    picture && shown ? sceneOf(picture, shown.buffers, options, diverging) : null;
  const [scene, other] = useMemo(
    () => [sceneFor(picture), sceneFor(picture?.beside)],
    [shown, options, diverging],
  );
  const stacked = other && isStacked(other, room);
  // The limits of the whole array come from its statistics.
  const unknown = limits === "whole" && picture !== null && !picture.ranges.whole;
  const scanned = session.scans.value[row.path]?.scan.phase === "done";
  const here = scene ? session.pins.value.filter((pin) => hasPin(scene, pin)).length : 0;
  useEffect(() => {
    if (here > 0) setBeside("pins");
  }, [here]);
  // Two pictures need the room.
  const two = picture?.beside != null;
  useEffect(() => {
    if (two) setBeside(null);
  }, [two]);
  useEffect(() => {
    if (unknown) setBeside("statistics");
  }, [unknown]);
  useEffect(() => {
    if (scanned) loader.retry();
  }, [scanned, loader]);
  // What cannot be drawn says so in its place, and there is nothing to do with it.
  const drawn = picture && picture.kind !== "none" ? picture : null;
  // Of a picture without places, as a histogram, none are pinned.
  const pins = many > 0 && scene;
  const packing = options.decoded ? (picture?.packing ?? null) : null;
  const asXarray = options.mask === "storage";
  const setIndex = (dimension: string, to: number) => {
    session.stepped = dimension;
    session.index.set({ ...session.index.peek(), [dimension]: to }, 300);
  };
  // What has come of the picture that is wanted is not old.
  const old = late && !(shown?.partial && JSON.stringify(shown.params) === key);

  return (
    <div class="nzx-plot">
      {picture && <Toolbar picture={picture} scene={scene} zoomed={params.window !== undefined} />}
      {drawn &&
        [
          drawn.message,
          drawn.overview,
          (scene?.leftOut ?? 0) > 0 &&
            scene &&
            `${plural(scene.leftOut, "value")} ≤ 0 on a logarithmic scale: ${scene.look.flat ? "in the lowest colour" : "left out"}`,
        ].map(
          (note) =>
            note && (
              <p key={note} class="nzx-note nzx-plot-message">
                <Icon name="info" /> {visible(note)}{" "}
                {note === drawn.message && drawn.hidden_by_xarray > 0 && (
                  <button
                    type="button"
                    class="nzx-link"
                    onClick={() => session.setOptions({ mask: asXarray ? "nz" : "storage" })}
                  >
                    {asXarray ? "Show them as values" : "Show as xarray does"}
                  </button>
                )}
              </p>
            ),
        )}
      {error && picture && <Problem onRetry={() => loader.retry()}>{visible(error.message)}</Problem>}
      <div class="nzx-plot-main">
        <div class={`nzx-plot-sides ${stacked ? "nzx-stacked" : ""}`} ref={sides}>
          <Pane {...{ shown, picture, scene, stage, size, old }} busy={stale}>
            {error && !picture && (
              <Blank wrong action={RETRY} onAction={() => loader.retry()}>
                {sentence(visible(error.message))}
              </Blank>
            )}
            {late && <PictureWait loader={loader} onStop={everything ? () => setWhole(null) : undefined} />}
          </Pane>
          {other && <Other {...{ shown, old }} picture={picture?.beside ?? null} scene={other} />}
        </div>
        {beside === "statistics" && (
          <Beside
            title={`Statistics: whole array${Object.keys(options.against).length > 0 ? " A" : ""}`}
            onClose={() => setBeside(null)}
          >
            <Statistics path={row.path} units={(packing ?? picture)?.units ?? null} packing={packing} />
          </Beside>
        )}
        {beside === "pins" && drawn && pins && (
          <Beside title="Pins" onClose={() => setBeside(null)}>
            <Pins picture={drawn} params={params} scene={pins} />
          </Beside>
        )}
      </div>
      {picture && (
        <Sliders path={row.path} sliders={picture.sliders} index={index} onIndex={setIndex} loading={stale} />
      )}
      {picture && (drawn || picture.read) && (
        <Foot
          picture={picture}
          scene={scene}
          whole={everything}
          onWhole={() => setWhole(slice)}
          loading={late}
        >
          <Export
            path={row.path}
            index={index}
            sliders={picture.sliders.filter(({ method }) => method === null)}
            size={Math.max(picture.x?.step ?? 1, picture.y?.step ?? 1) > 1 && { width, height }}
          />
          {pins && (
            <Button
              aria-pressed={beside === "pins"}
              onClick={() => setBeside(beside === "pins" ? null : "pins")}
            >
              Pins
            </Button>
          )}
          <Button
            aria-pressed={beside === "statistics"}
            onClick={() => setBeside(beside === "statistics" ? null : "statistics")}
          >
            Statistics
          </Button>
        </Foot>
      )}
    </div>
  );
}

interface OtherProps {
  shown: Shown | null;
  picture: PictureResult | null;
  scene: Scene | null;
  old: boolean;
}

interface PaneProps extends OtherProps {
  busy?: boolean;
  stage: { current: HTMLDivElement | null };
  size: Size;
  children?: ComponentChildren;
}

/** One picture with its caption and its legend. */
function Pane({ shown, picture, scene, old, busy, stage, size, children }: PaneProps) {
  return (
    <div class="nzx-plot-picture">
      {picture && (scene || picture.histogram) && <Caption picture={picture} scene={scene} />}
      <div class={`nzx-stage ${old ? "nzx-stale" : ""}`} ref={stage} aria-busy={busy}>
        {shown && picture && (
          <Stage shown={{ ...shown, picture }} scene={scene} size={size.width ? size : FALLBACK} />
        )}
        {children}
      </div>
      {scene && scene.picture.categories.length > 0 && <Categories scene={scene} />}
      {picture && <Legend picture={picture} scene={scene} />}
      {picture && <ChunkErrors errors={picture.errors} />}
    </div>
  );
}

/** The second of two pictures. */
function Other(props: OtherProps) {
  const stage = useRef<HTMLDivElement>(null);
  return <Pane {...props} stage={stage} size={useSize(stage)} />;
}

interface BesideProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}

/** What opens beside the picture. */
function Beside({ title, onClose, children }: BesideProps) {
  return (
    <aside class="nzx-plot-aside">
      <header>
        <h3>{title}</h3>
        <span class="nzx-gap" />
        <IconButton icon="cross" label={`Close ${title.toLowerCase()}`} onClick={onClose} />
      </header>
      {children}
    </aside>
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
