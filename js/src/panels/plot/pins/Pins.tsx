import { useState } from "preact/hooks";
import { useCall } from "../../../client/calls";
import type { PictureResult } from "../../../client/protocol.gen";
import type { Pin } from "../../../client/session";
import { useView } from "../../../client/view";
import { StateChip } from "../../../plots/shared/StateChip";
import type { Scene } from "../../../plots/shared/scene";
import { IconButton } from "../../../ui/button/Button";
import { Waiting } from "../../../ui/problem/Waiting";
import { visible } from "../../../ui/text/text";
import { saved } from "../export/Export";
import { Chart, linesOf } from "../lines/Chart";
import { reading } from "../stage/Hover";
import { usePinColor } from "./PinMarks";
import { placeOf } from "./points";
import "./pins.css";

interface Props {
  path: string;
  picture: PictureResult;
  scene: Scene | null;
  /** At which index dimensions are fixed. */
  index: Record<string, number>;
}

/** The pinned points: where they are, what is there, and the values at them along each other dimension. */
export function Pins({ path, picture, scene, index }: Props) {
  const { session } = useView();
  const pins = session.pins.value;
  const colorOf = usePinColor();
  return (
    <>
      <ol class="nzx-pins" aria-label="Pins">
        {pins.map((pin, nth) => (
          <li key={JSON.stringify(pin)}>
            <span class="nzx-pin" style={{ background: colorOf(nth) }}>
              {nth + 1}
            </span>
            <Here pin={pin} scene={scene} />
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
            path={path}
            dimension={slider.dimension}
            pins={pins}
            index={index}
            mark={slider.index}
          />
        ))}
    </>
  );
}

/** Where a point is pinned, and the value that the picture has there. */
function Here({ pin, scene }: { pin: Pin; scene: Scene | null }) {
  const place = scene && placeOf(scene, pin);
  const { value, state } = place ? reading(scene, place.x, place.y) : { value: "", state: null };
  const where = Object.entries(pin).map(([name, at]) => {
    const geometry = [scene?.grid.y, scene?.grid.x].find((one) => one?.axis?.label === name);
    const point = geometry === scene?.grid.x ? place?.x : place?.y;
    const coordinate = geometry && point !== undefined ? geometry.describe(point).coordinate : null;
    return coordinate === null ? `${name} [${at}]` : coordinate;
  });
  return (
    <>
      <span class="nzx-cut" title={visible(where.join(", "))}>
        {visible(where.map(short).join(", "))}
      </span>
      <span class="nzx-gap" />
      {state === null ? (
        <span class="nzx-quiet">outside</span>
      ) : state === "value" ? (
        <strong>{visible(value)}</strong>
      ) : (
        <StateChip state={state} />
      )}
    </>
  );
}

/** A coordinate with as many digits as a list has room for. */
const short = (text: string): string =>
  text.replace(/\d+\.\d{3,}/, (number) => String(Number(Number(number).toPrecision(5))));

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
  const colorOf = usePinColor();
  const [problem, setProblem] = useState("");
  const { [dimension]: _, ...others } = index;
  const call = useCall(
    session.client,
    "series",
    { path, dimension, pins, index: others, width: 250 },
    { keep: true },
  );
  const { answer } = call;
  if (answer === null) return <Waiting call={call} />;
  const lines = linesOf(answer);
  const units = lines[0]?.units;
  const save = (format: "csv" | "nc") => {
    const params = { path, dimension, pins, format, index: others, view: session.options.peek() };
    session.client
      .call("series_file", params)
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
      <Chart
        answer={answer}
        lines={lines.filter((line) => line.low <= line.high)}
        label={`Series of ${visible(dimension)}`}
        colorOf={colorOf}
        mark={mark}
      />
      {answer.value.message && <p class="nzx-note">{visible(answer.value.message)}</p>}
    </section>
  );
}
