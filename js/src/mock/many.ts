import type { NodeRow } from "../client/protocol.gen";
import type { RecordedKernel } from "./kernel";

const GROUP = "/many";
const nameOf = (position: number) => `var_${String(position).padStart(6, "0")}`;
/** The array that was recorded, of which the others are copies. */
const MODEL = `${GROUP}/${nameOf(0)}`;

/** Makes so many arrays of the recorded one in "/many" of the store "wide", which no page could hold. */
export function multiply(kernel: RecordedKernel, total: number): void {
  const { answers } = kernel;
  const isCopy = (path: string) => path.startsWith(`${GROUP}/`);
  const copy = (row: NodeRow, position: number): NodeRow => {
    const name = nameOf(position);
    return { ...row, name, path: `${GROUP}/${name}` };
  };
  const positionOf = (path: string) => Number(path.slice(-6));
  const copies = (row: NodeRow, from: number, count: number) =>
    Array.from({ length: Math.min(count, total - from) }, (_, at) => copy(row, from + at));

  answers.children = ({ path, offset, limit }, recorded) => {
    if (path !== GROUP) return recorded();
    const page = recorded({ offset: 0 });
    return { ...page, offset, total, rows: copies(page.rows[0] as NodeRow, offset, limit) };
  };
  answers.reveal = ({ path }, recorded) => {
    if (!isCopy(path)) return recorded();
    const { steps } = recorded({ path: MODEL });
    const position = positionOf(path);
    const last = steps.at(-1) as (typeof steps)[number];
    return { steps: [...steps.slice(0, -1), { row: copy(last.row, position), position }] };
  };
  answers.node = ({ path }, recorded) => {
    const node = recorded({ path: isCopy(path) ? MODEL : path });
    if (isCopy(path)) return { ...node, row: copy(node.row, positionOf(path)) };
    if (path !== GROUP) return node;
    return { ...node, arrays: copies(node.arrays[0] as NodeRow, 0, 60), arrays_total: total };
  };
  answers.thumbnails = ({ paths }, recorded) => {
    const { thumbnails } = recorded({ paths: paths.map((path) => (isCopy(path) ? MODEL : path)) });
    return { thumbnails: thumbnails.map((one, at) => ({ ...one, path: paths[at] as string })) };
  };
  answers.picture = ({ path }, recorded) => ({ ...recorded({ path: isCopy(path) ? MODEL : path }), path });
}
