import type { Pin } from "../../../client/session";
import { same } from "../../../client/traits";
import { pointAt } from "../../../plots/lines/Chart";
import type { AxisGeometry } from "../../../plots/shared/axis";
import type { Scene } from "../../../plots/shared/scene";
import type { Place } from "../../../plots/shared/zoom";

/** The dimensions along which a point of a picture is pinned. */
const across = ({ grid }: Scene): AxisGeometry[] => [grid.y, grid.x].filter(({ axis }) => axis);

/** Whether points can be pinned: numbers on a map, or along lines. */
export const pinnable = ({ picture }: Scene): boolean => /^(map|lines?)$/.test(picture.kind);

/** What a point of a picture is pinned as: its indices by dimension. */
export function pinOf(scene: Scene, { x, y }: Place): Pin {
  const pin: Pin = {};
  for (const geometry of across(scene)) {
    const at = geometry === scene.grid.x ? x : y;
    if (geometry.axis) pin[geometry.axis.label] = geometry.axis.start + geometry.axis.step * at;
  }
  return pin;
}

/** The point of a picture at which something is pinned, null where the picture does not have it. */
export function placeOf(scene: Scene, pin: Pin): Place | null {
  const place: Place = { x: 0, y: 0 };
  for (const geometry of across(scene)) {
    const index = geometry.axis ? pin[geometry.axis.label] : undefined;
    const at = geometry.axis && index !== undefined ? pointAt(geometry.axis, index) : null;
    if (at === null) return null;
    place[geometry === scene.grid.x ? "x" : "y"] = at;
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
