import { useState } from "preact/hooks";
import { useCall } from "../../../client/calls";
import type { TableResult } from "../../../client/protocol.gen";
import { useView } from "../../../client/view";
import { STATES } from "../../../plots/shared/field";
import { Sheet } from "../../../plots/table/Sheet";
import { CopyButton } from "../../../ui/button/CopyButton";
import { Waiting } from "../../../ui/problem/Waiting";
import { Select } from "../../../ui/select/Select";
import { counted } from "../../../ui/text/format";
import { Quiet } from "../../../ui/text/Quiet";
import { visible } from "../../../ui/text/text";
import { Export, FORMATS } from "../export/Export";

/** Rows asked for at once, and from where to where such pages begin: what is on screen always lies in one. */
const [ROWS, STEP] = [400, 200];

/** The rows that are there, as spreadsheets take them. */
const tabbed = ({ columns }: TableResult) =>
  [
    columns.map(({ name }) => name),
    ...(columns[0]?.cells ?? []).map((_, row) => columns.map(({ cells }) => cells[row])),
  ]
    .map((line) => line.map((text) => visible(text ?? "")).join("\t"))
    .join("\n");

/** The one-dimensional arrays of a group that share a dimension, side by side. */
export function Columns({ path }: { path: string }) {
  const { session } = useView();
  const [page, setPage] = useState(0);
  const [onRows] = useState(() => (start: number) => setPage(Math.floor(start / STEP)));
  const { mask, decoded, dimension } = session.options.value;
  const view = { mask, decoded, dimension };
  const params = { path, view, offset: page * STEP, limit: ROWS };
  const call = useCall(session.client, "table", params, { keep: true });
  const found = call.answer?.value;
  return (
    <>
      <div class="nzx-stage">
        {found ? (
          <Sheet
            label={`Table of ${visible(path)}`}
            many={found.length}
            wide={found.columns.length}
            corner={
              <>
                {visible(found.dimension)}
                <CopyButton
                  label={`Copy rows ${found.offset} to ${found.offset + (found.columns[0]?.cells.length ?? 0) - 1}`}
                  text={() => tabbed(found)}
                />
              </>
            }
            columnOf={(at) => visible(found.columns[at]?.label ?? "")}
            rowOf={(at) => `[${counted(at)}]`}
            cellOf={(row, column) => {
              const { cells, states } = found.columns[column] ?? { cells: [], states: "" };
              const at = row - found.offset;
              return { text: visible(cells[at] ?? "…"), state: STATES[Number(states[at] ?? 8)] };
            }}
            onRows={onRows}
          />
        ) : (
          <Waiting call={call} whole />
        )}
      </div>
      {found && (
        <Below path={path} dimensions={found.dimensions} dimension={found.dimension} note={found.message} />
      )}
    </>
  );
}

interface BelowProps {
  path: string;
  dimensions: string[];
  dimension: string;
  note: string | null;
}

/** What stands below a table and a scatter. */
export function Below({ path, dimensions, dimension, note }: BelowProps) {
  const { session } = useView();
  return (
    <div class="nzx-foot">
      {dimensions.length > 1 && (
        <Select
          label="Dimension"
          value={dimension}
          names={dimensions}
          onChange={(dimension) => session.setOptions({ dimension })}
        />
      )}
      <Quiet>{visible(note ?? "")}</Quiet>
      <span class="nzx-gap" />
      <Export path={path} index={{}} sliders={[]} formats={FORMATS.slice(0, 4)} />
    </div>
  );
}
