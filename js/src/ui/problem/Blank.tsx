import type { ComponentChildren } from "preact";
import { Button } from "../button/Button";
import { Icon } from "../icons/Icon";
import "./problem.css";

interface Props {
  /** What is so, in a sentence. */
  children: ComponentChildren;
  icon?: string;
  /** Whether something went wrong, which is said at once. */
  wrong?: boolean;
  /** The way on. */
  action?: ComponentChildren;
  onAction?: () => void;
}

/** What stands in the place of a whole panel: one sentence and one way on. */
export function Blank({ children, icon, wrong = false, action, onAction }: Props) {
  return (
    <div class="nzx-empty" role={wrong ? "alert" : undefined}>
      {(icon || wrong) && (
        <span class={wrong ? "nzx-is-blocks" : undefined}>
          <Icon name={icon ?? "warning"} />
        </span>
      )}
      <p>{children}</p>
      {onAction && <Button onClick={onAction}>{action}</Button>}
    </div>
  );
}

/** The way on from what may come right by itself. */
export const RETRY = (
  <>
    <Icon name="retry" /> Retry
  </>
);
