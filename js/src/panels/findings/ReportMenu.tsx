import { useState } from "preact/hooks";
import { useView } from "../../client/view";
import { Menu, MenuItem } from "../../ui/menu/Menu";
import { useAct } from "../../ui/page/act";

const FORMATS = [
  ["html", "HTML page"],
  ["markdown", "Markdown"],
  ["json", "JSON"],
  ["sarif", "SARIF"],
] as const;

/** What is done with the findings of the whole store. */
export function ReportMenu({ path }: { path: string }) {
  const { goto } = useView();
  const { act } = useAct(path);
  const [said, setSaid] = useState("");
  return (
    <>
      <span class="nzx-quiet nzx-small nzx-cut" role="status">
        {said}
      </span>
      <Menu label="Report" title="The report on the whole store">
        {(close) => {
          const then = (what: () => void) => () => {
            close();
            what();
          };
          return (
            <>
              <MenuItem onClick={then(() => goto(path, "report"))}>Show the report</MenuItem>
              {FORMATS.map(([format, label]) => (
                <MenuItem
                  key={format}
                  onClick={then(() => void act("download report", { format }).then(setSaid))}
                >
                  Save as {label}
                </MenuItem>
              ))}
              <hr class="nzx-rule-line" />
              <MenuItem onClick={then(() => goto(path, "comparison"))}>Compare with another store</MenuItem>
            </>
          );
        }}
      </Menu>
    </>
  );
}
