import "./progress.css";

/** How far something is, from 0 to 1; null where its end is not known. */
export function Progress({ part, label, text }: { part: number | null; label: string; text?: string }) {
  return (
    <span
      class={`nzx-progress ${part === null ? "nzx-progress-open" : ""}`}
      role="progressbar"
      aria-label={label}
      aria-valuenow={part === null ? undefined : Math.floor(part * 100)}
      aria-valuetext={text}
    >
      <span style={{ width: part === null ? "35%" : `${part * 100}%` }} />
    </span>
  );
}
