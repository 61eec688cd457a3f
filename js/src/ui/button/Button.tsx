import type { ComponentProps } from "preact";
import { Icon } from "../icons/Icon";
import "./button.css";

type ButtonProps = Omit<ComponentProps<"button">, "type">;

export function Button(props: ButtonProps) {
  return <button type="button" class="nzx-button" {...props} />;
}

export function IconButton({
  icon,
  label,
  onClick,
  disabled,
  pressed,
}: {
  icon: string;
  label: string;
  onClick: () => void;
  disabled?: boolean;
  pressed?: boolean;
}) {
  return (
    <button
      type="button"
      class="nzx-icon-button"
      aria-label={label}
      aria-pressed={pressed}
      title={label}
      disabled={disabled}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}
