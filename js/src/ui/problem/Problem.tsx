import type { ComponentChildren } from "preact";
import { Button } from "../button/Button";
import { Icon } from "../icons/Icon";
import "./problem.css";

export function Problem({
  children,
  onRetry,
  retry = "Retry",
}: {
  children: ComponentChildren;
  onRetry?: () => void;
  retry?: string;
}) {
  return (
    <div class="nzx-problem" role="alert">
      <Icon name="warning" />
      <span class="nzx-problem-text">{children}</span>
      {onRetry && (
        <Button onClick={onRetry}>
          <Icon name="retry" /> {retry}
        </Button>
      )}
    </div>
  );
}
