import { shortest } from "../../ui/text/format";
import type { Scene } from "./scene";

/** The value of a point as text: its colours, what it stands for, or its number. */
export function valueText({ picture, field, image }: Scene, at: number): string {
  if (image) {
    const color = image[at] ?? 0;
    const bands = [0, 8, 16, 24].map((shift) => (color >>> shift) & 255);
    if (bands[3] === 255) bands.pop();
    return `${bands.length === 4 ? "RGBA" : "RGB"} ${bands.join(", ")}`;
  }
  const number = field.values[at] ?? Number.NaN;
  const category = picture.categories.find(({ value }) => value === number);
  if (category) return category.label;
  return field.stored ? shortest(Number(number.toPrecision(9)), "float64") : shortest(number, field.type);
}
