import { lines, visible, visibleLines } from "../../ui/text/text";
import type { ViewProps } from "../kind";
import { AxisGeometry, axisNumbers } from "../shared/axis";
import "./text.css";

/** Values that are no numbers: a table along their dimension, or one text. */
export function Text({ picture, buffers }: ViewProps) {
  // Rows run along the first of two dimensions.
  const x = picture.y ?? picture.x;
  if (x === null) {
    return (
      // It scrolls.
      <pre class="nzx-text" role="img" aria-label={visible(picture.label)} tabIndex={0}>
        {visibleLines(picture.text ?? "")}
      </pre>
    );
  }
  const along = new AxisGeometry(x, axisNumbers(x, buffers), false);
  const named = x.kind !== "index";
  return (
    <div class="nzx-text" tabIndex={0}>
      <table class="nzx-table" aria-label={visible(picture.label)}>
        <thead>
          <tr>
            <th scope="col">index</th>
            {named && <th scope="col">{visible(x.label)}</th>}
            <th scope="col">{visible(picture.title)}</th>
          </tr>
        </thead>
        <tbody>
          {lines(picture.text ?? "").map((line, at) => {
            const { index, coordinate } = along.describe(at);
            return (
              <tr key={index}>
                <td class="nzx-quiet">{index}</td>
                {named && <td>{visible(coordinate ?? "")}</td>}
                <td class="nzx-cell">{visible(line.replace(/^ *\d+( {2}|$)/, ""))}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
