import { useMemo, useState } from "preact/hooks";
import { useCall } from "../../../client/calls";
import type { PictureParams, PictureResult } from "../../../client/protocol.gen";
import type { Pin } from "../../../client/session";
import { useView } from "../../../client/view";
import { sceneOf } from "../../../plots";
import { Chart, linesOf, useLineColor } from "../../../plots/lines/Chart";
import { StateChip } from "../../../plots/shared/StateChip";
import type { Scene } from "../../../plots/shared/scene";
import { IconButton } from "../../../ui/button/Button";
import { Waiting } from "../../../ui/problem/Waiting";
import { visible } from "../../../ui/text/text";
import { saved } from "../export/Export";
import { reading } from "../stage/Hover";
import { hasPin, isDrawn, pinOf, placeOf } from "./points";
import "./pins.css";

interface Props {
  picture: PictureResult;
  /** What was asked for it. */
  params: PictureParams;
  scene: Scene;
}

/** The pinned points: where they are, what is there, and the values at them along each other dimension. */
export function Pins({ picture, params, scene }: Props) {
  const { session } = useView();
  const pins = session.pins.value;
  const colorOf = useLineColor();
  return (
    <>
      <ol class="nzx-pins" aria-label="Pins">
        {pins.map((pin, nth) => (
          <li key={JSON.stringify(pin)}>
            <span class="nzx-pin" style={{ background: colorOf(nth) }}>
              {nth + 1}
            </span>
            <Here pin={pin} scene={scene} params={params} />
            <IconButton
              icon="cross"
              label={`Remove pin ${nth + 1}`}
              onClick={() => session.pins.set(pins.filter((one) => one !== pin))}
            />
          </li>
        ))}
      </ol>
      {picture.sliders
        .filter(({ length, method }) => length > 1 && method === null)
        .map((slider) => (
          <Series
            key={slider.dimension}
            path={params.path}
            dimension={slider.dimension}
            pins={pins}
            index={params.index ?? {}}
            mark={slider.index}
          />
        ))}
    </>
  );
}

/** Where a point is pinned, and the value there, which the picture may not have: the kernel is asked for it. */
function Here({ pin, scene, params }: { pin: Pin; scene: Scene; params: PictureParams }) {
  const { session } = useView();
  const place = placeOf(scene, pin);
  const across = Object.keys(pinOf(scene, { x: 0, y: 0 }));
  const cell = across.map((name) => [name, [pin[name], (pin[name] ?? 0) + 1]]);
  const asked =
    (place && isDrawn(scene, place, pin)) || !hasPin(scene, pin)
      ? null
      : {
          ...params,
          index: { ...params.index, ...pin },
          window: Object.fromEntries(cell) as Record<string, number[]>,
          kind: scene.picture.kind,
          width: 1,
          height: 1,
        };
  const { answer } = useCall(session.client, "picture", asked, { keep: true });
  const alone = useMemo(
    () => answer && sceneOf(answer.value, answer.buffers, session.options.peek()),
    [answer],
  );
  const there = asked ? alone : scene;
  const at = asked ? { x: 0, y: 0 } : place;
  const found = there && at && reading(there, at.x, at.y);
  // The first rows say where the point lies; of kilometres nobody needs the millimetres.
  const where = found
    ? found.rows
        .slice(0, there?.curved ? 2 : across.length)
        .map(([name, text]) =>
          text[0] === "["
            ? `${name} ${text}`
            : text.replace(/( \(.*\))? +\[\d+\]$/, "").replace(/(\d{5}(?=\.)|\.\d{3})\.?\d+/, "$1"),
        )
    : Object.entries(pin).map(([name, index]) => `${name} [${index}]`);
  return (
    <>
      {/* Broken between coordinates only. */}
      <span>{visible(where.map((one) => one.replaceAll(" ", "\u00a0")).join(", "))}</span>
      {!found ? (
        <span class="nzx-quiet">{asked ? "…" : "not shown"}</span>
      ) : found.state === "value" ? (
        <strong class="nzx-cut" title={visible(found.value)}>
          {visible(found.value)}
        </strong>
      ) : (
        <StateChip state={found.state} />
      )}
    </>
  );
}

interface SeriesProps {
  path: string;
  dimension: string;
  pins: Pin[];
  index: Record<string, number>;
  mark: number;
}

/** The values at the pinned points along one dimension. */
function Series({ path, dimension, pins, index, mark }: SeriesProps) {
  const { session } = useView();
  const colorOf = useLineColor();
  const [problem, setProblem] = useState("");
  const { [dimension]: _, ...others } = index;
  const asked = { path, dimension, pins, index: others };
  const { reduce, against, mask, decoded, part } = session.options.value;
  const call = useCall(
    session.client,
    "series",
    { ...asked, view: { reduce, against, mask, decoded, part }, width: 250 },
    { keep: true },
  );
  const { answer } = call;
  if (!answer) return <Waiting call={call} />;
  const lines = linesOf(answer)
    .filter((line) => line.low <= line.high)
    .map((line) => ({ ...line, label: `${line.nth + 1}` }));
  const { message } = answer.value;
  if (!lines.length && !message) return null;
  const units = lines[0]?.units;
  const save = (format: "csv" | "nc") => {
    session.client
      .call("series_file", { ...asked, format, view: session.options.peek() })
      .answer.then(saved, (error: Error) => setProblem(error.message));
  };
  return (
    <section class="nzx-series">
      <h4 class="nzx-tiny nzx-quiet">
        {visible(units ? `${units} along ${dimension}` : `Along ${dimension}`)}
        <span class="nzx-gap" />
        {(["csv", "nc"] as const).map((format) => (
          <button key={format} type="button" class="nzx-link" onClick={() => save(format)}>
            .{format}
          </button>
        ))}
      </h4>
      {problem && <p class="nzx-note">{visible(problem)}</p>}
      {/* Of missing values alone there is nothing to draw, and a sentence says so. */}
      {lines[0] && (
        <Chart
          answer={answer}
          lines={lines}
          label={`Series of ${visible(dimension)}`}
          colorOf={colorOf}
          mark={mark}
        />
      )}
      {message && <p class="nzx-note">{visible(message)}</p>}
    </section>
  );
}
