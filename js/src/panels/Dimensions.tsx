import { grouped } from "../format";
import type { DimensionRow } from "../protocol.gen";
import { visible } from "../text";
import { useCall, useView } from "../ui/hooks";
import { Icon } from "../ui/icons";
import { Name, NodeLink, Quiet, Waiting } from "../ui/parts";

const STATES: Record<DimensionRow["coordinate_state"], string> = {
  yes: "coordinate",
  candidate: "candidate",
  no: "not a coordinate",
  none: "none",
};

const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1) || "/";

/** The dimension table. */
export function DimensionsPanel({ path }: { path: string }) {
  const { session } = useView();
  const call = useCall(session.client, "dimensions", { path }, { version: session.settled.value });
  const result = call.answer?.value;
  return (
    <div class="nzx-scroll nzx-pad">
      <Waiting call={call} />
      {result && (
        <>
          {result.note && <p class="nzx-note">{visible(result.note)}</p>}
          <table class="nzx-table nzx-dimensions" aria-label="Dimensions">
            <thead>
              <tr>
                {["Dimension", "Length", "Coordinate", "First … last", "Step", "Units", "Used by"].map(
                  (title) => (
                    <th key={title} scope="col">
                      {title}
                    </th>
                  ),
                )}
              </tr>
            </thead>
            <tbody>
              {result.rows.map((row, at) => (
                // Names may repeat or be missing.
                <Row key={at} row={row} uses={result.uses[at] ?? []} group={result.group} />
              ))}
            </tbody>
          </table>
          {result.rows.length === 0 && !result.note && (
            <p class="nzx-note">No dimensions here: no array of this group has any.</p>
          )}
        </>
      )}
    </div>
  );
}

function Row({ row, uses, group }: { row: DimensionRow; uses: string[]; group: string }) {
  const arrow = row.direction === "increasing" ? "↑" : row.direction === "decreasing" ? "↓" : "";
  return (
    <tr class={row.conflict ? "nzx-conflict" : undefined}>
      <th scope="row">
        {row.conflict && <Icon name="error" />}
        {row.name === null ? <em class="nzx-quiet">no name</em> : <Name text={row.name} />}
        {row.conflict && <span class="nzx-hidden"> conflicting lengths</span>}
      </th>
      <td class="nzx-number">
        {row.lengths.map(({ length, arrays, total }) => (
          <div key={length} class={row.conflict ? "nzx-conflict-length" : undefined}>
            <span>{grouped(length)}</span>
            {row.conflict && (
              <span class="nzx-links">
                {arrays.map((array) => (
                  <NodeLink key={array} path={array} label={nameOf(array)} />
                ))}
                {total > arrays.length && <Quiet>and {grouped(total - arrays.length)} more</Quiet>}
              </span>
            )}
          </div>
        ))}
      </td>
      <td class="nzx-why">
        {row.coordinate !== null && <NodeLink path={row.coordinate} label={nameOf(row.coordinate)} />}{" "}
        <span
          class={`nzx-chip ${row.coordinate_state === "yes" ? "nzx-is-good" : row.coordinate_state === "no" ? "nzx-is-warning" : ""}`}
        >
          {STATES[row.coordinate_state]}
        </span>
        <div class="nzx-quiet">{visible(row.why)}</div>
      </td>
      <td class="nzx-first-last">
        {row.first !== null && (
          <>
            {visible(row.first)} … {visible(row.last ?? "")}{" "}
            {arrow && (
              <span title={row.direction ?? ""} role="img" aria-label={row.direction ?? ""}>
                {arrow}
              </span>
            )}
          </>
        )}
      </td>
      <td class="nzx-one-line">{row.step !== null && visible(row.step)}</td>
      <td class="nzx-one-line" title={row.units === null ? undefined : visible(row.units)}>
        {row.units !== null && visible(row.units)}
      </td>
      <td class="nzx-links">
        {uses.map((name) => (
          <NodeLink
            key={name}
            path={name.startsWith("/") ? name : `${group === "/" ? "" : group}/${name}`}
            label={nameOf(name)}
          />
        ))}
      </td>
    </tr>
  );
}
