import { shortest } from "../../ui/text/format";
import type { Scene } from "./scene";

/** Whether a number is made of others, as differences are: it has no more digits than those. */
export const isMade = ({ picture, field }: Scene, number: number): boolean =>
  field.type === "float64" && picture.data_type !== "float64" && !field.stored && !Number.isInteger(number);

/** The value of a point as text: its colours, what it stands for, or its number. */
export function valueText(scene: Scene, at: number): string {
  const { picture, field, image } = scene;
  if (image) {
    const color = image[at] ?? 0;
    const bands = [0, 8, 16, 24].map((shift) => (color >>> shift) & 255);
    if (bands[3] === 255) bands.pop();
    return `${bands.length === 4 ? "RGBA" : "RGB"} ${bands.join(", ")}`;
  }
  const number = field.values[at] as number;
  const category = picture.categories.find(({ value }) => value === number);
  if (category) return category.label;
  if (field.rest) return String(BigInt(number) + BigInt(field.rest[at] as number));
  if (isMade(scene, number)) return String(+number.toPrecision(6));
  return field.stored ? shortest(Number(number.toPrecision(9)), "float64") : shortest(number, field.type);
}
