import type { ComponentProps } from "preact";
import { Icon } from "../icons/Icon";
import "./button.css";

type ButtonProps = Omit<ComponentProps<"button">, "type">;

/** What cannot be pressed now keeps the focus, from which Escape and the keys of a slider are heard. */
export function Button({ disabled, onClick, ...others }: ButtonProps) {
  return (
    <button
      type="button"
      class="nzx-button"
      aria-disabled={disabled}
      onClick={disabled ? undefined : onClick}
      {...others}
    />
  );
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
    <Button
      class="nzx-icon-button"
      aria-label={label}
      aria-pressed={pressed}
      title={label}
      {...{ disabled, onClick }}
    >
      <Icon name={icon} />
    </Button>
  );
}
