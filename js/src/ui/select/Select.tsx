import { useMemo } from "preact/hooks";
import { visible } from "../text/text";

interface SelectProps {
  label: string;
  value: string;
  names: readonly string[];
  /** What a name is called on the screen. */
  titleOf?: (name: string) => string;
  onChange: (value: string) => void;
}

const same = (name: string) => name;

export function Select({ label, value, names, titleOf = same, onChange }: SelectProps) {
  // The names stay the same while everything around them changes.
  const choices = useMemo(
    () =>
      names.map((name) => (
        <option key={name} value={name}>
          {visible(titleOf(name))}
        </option>
      )),
    [names, titleOf],
  );
  return (
    <select
      aria-label={label}
      title={`${label}: ${visible(titleOf(value))}`}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    >
      {names.length === 0 && <option value="">…</option>}
      {choices}
    </select>
  );
}
