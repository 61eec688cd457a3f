import type { Axis } from "../../../client/protocol.gen";
import type { Pin } from "../../../client/session";
import { same } from "../../../client/traits";
import { pointAt } from "../../../plots/lines/Chart";
import type { Scene } from "../../../plots/shared/scene";
import type { Place } from "../../../plots/shared/zoom";

/** The axes of a picture that are dimensions, with the side that each is on. */
export const axesOf = ({ grid }: Scene): ["x" | "y", Axis][] =>
  (["y", "x"] as const).flatMap((side) => {
    const { axis } = grid[side];
    return axis ? [[side, axis]] : [];
  });

/** Whether points can be pinned: numbers on a map, or along lines. */
export const pinnable = ({ picture }: Scene): boolean => /^(cells|map|lines?)$/.test(picture.kind);

/** What a point of a picture is pinned as: its indices by dimension. */
export const pinOf = (scene: Scene, point: Place): Pin =>
  Object.fromEntries(
    axesOf(scene).map(([side, { label, start, step }]) => [label, start + step * point[side]]),
  );

/** Whether something is pinned along all dimensions of a picture, which others may fix elsewhere. */
export const hasPin = (scene: Scene, pin: Pin): boolean =>
  axesOf(scene).every(([, { label }]) => label in pin);

/** The point of a picture at which something is pinned, null where the picture does not have it. */
export function placeOf(scene: Scene, pin: Pin): Place | null {
  const place: Place = { x: 0, y: 0 };
  for (const [side, axis] of axesOf(scene)) {
    const index = pin[axis.label];
    const at = index === undefined ? null : pointAt(axis, index);
    if (at === null) return null;
    place[side] = at;
  }
  return place;
}

/** Pins a point, or takes its pin away. */
export const toggled = (pins: Pin[], pin: Pin): Pin[] =>
  pins.some((one) => same(one, pin)) ? pins.filter((one) => !same(one, pin)) : [...pins, pin];

/** Takes a pin to another point, if there is none. */
export const moved = (pins: Pin[], from: Pin, to: Pin): Pin[] =>
  pins.some((one) => same(one, to)) ? pins : pins.map((one) => (same(one, from) ? to : one));

/** Whether the point that a picture has for a pin is the very one: of a thinned picture it may be the next. */
export const isDrawn = (scene: Scene, place: Place, pin: Pin): boolean =>
  Object.entries(pinOf(scene, place)).every(([name, at]) => pin[name] === at) &&
  scene.picture.sliders.every(
    ({ dimension, index, method }) => method !== null || (pin[dimension] ?? index) === index,
  );
