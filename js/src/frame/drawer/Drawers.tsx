import { useView } from "../../client/view";
import { Icon } from "../../ui/icons/Icon";
import { Page } from "../../ui/page/Page";
import { visible } from "../../ui/text/text";
import { predictionOf } from "../header/prediction";
import { DRAWERS, type DrawerName } from "../place";
import { Drawer } from "./Drawer";

/** The drawer that `ex.panel` names. */
export function StoreDrawer({ name, onClose }: { name: DrawerName; onClose: () => void }) {
  const { session } = useView();
  return (
    <Drawer key={name} title={DRAWERS[name]} onClose={onClose}>
      {name === "readers" && <Predicted />}
      <Page name={name} path={session.path.value} />
    </Drawer>
  );
}

/** What the findings say that readers will make of the store, before any of them has tried. */
function Predicted() {
  const { session, goto, wanted } = useView();
  const readers = session.summary.value?.readers ?? [];
  return (
    <table class="nzx-table nzx-predicted" aria-label="Predicted from the findings">
      <tbody>
        {readers.map((one) => {
          const { icon, tone, said, rules, impact } = predictionOf(one);
          return (
            <tr key={one.reader}>
              <th scope="row">
                <span class={`nzx-is-${tone}`}>
                  <Icon name={icon} />
                </span>{" "}
                {one.reader}
              </th>
              <td>
                {visible(said)}
                {rules.length > 0 && impact && (
                  <>
                    {" "}
                    <button
                      type="button"
                      class="nzx-link"
                      onClick={() => {
                        wanted.value = impact;
                        goto("/", "findings");
                      }}
                    >
                      {rules.slice(0, 4).join(", ")}
                      {rules.length > 4 && " …"}
                    </button>
                  </>
                )}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
