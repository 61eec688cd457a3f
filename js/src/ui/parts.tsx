import type { ComponentChildren, ComponentProps } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Method } from "../client";
import { grouped, plural } from "../format";
import type { Counts } from "../protocol.gen";
import type { Panel } from "../session";
import { visible } from "../text";
import { type CallState, useView } from "./hooks";
import { Icon } from "./icons";

/** A path that goes to its node. */
export function NodeLink({ path, label, panel }: { path: string; label?: string; panel?: Panel }) {
  const { goto } = useView();
  return (
    <button type="button" class="nzx-link" title={`Go to ${visible(path)}`} onClick={() => goto(path, panel)}>
      <bdi>{visible(label ?? path)}</bdi>
    </button>
  );
}

type ButtonProps = Omit<ComponentProps<"button">, "type" | "class">;

export function Button(props: ButtonProps) {
  return <button type="button" class="nzx-button" {...props} />;
}

export function Quiet({ children }: { children: ComponentChildren }) {
  return <span class="nzx-quiet">{children}</span>;
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

export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // No clipboard on plain http: the old way.
    const area = document.createElement("textarea");
    area.value = text;
    area.style.cssText = "position:fixed;opacity:0";
    document.body.append(area);
    area.select();
    const done = document.execCommand?.("copy") ?? false;
    area.remove();
    return done;
  }
}

/** Puts a file on the user's own disk, without going anywhere. */
export function saveFile(name: string, type: string, bytes: DataView): void {
  const url = URL.createObjectURL(new Blob([bytes as DataView<ArrayBuffer>], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export function CopyButton({ text, label }: { text: string; label: string }) {
  const [state, setState] = useState<"" | "Copied" | "Could not copy">("");
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async () => {
    setState((await copyText(text)) ? "Copied" : "Could not copy");
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setState(""), 1500);
  };
  return (
    <button
      type="button"
      class={`nzx-icon-button ${state === "Copied" ? "nzx-is-good" : ""}`}
      aria-label={label}
      title={state || label}
      onClick={copy}
    >
      <Icon name={state === "Copied" ? "check" : "copy"} />
      <span class="nzx-hidden" aria-live="polite">
        {state}
      </span>
    </button>
  );
}

/** Counts of findings, told apart by shape as well as by colour. */
export function Badges({ counts }: { counts: Counts }) {
  const shown = (["error", "warning"] as const).filter((severity) => counts[severity] > 0);
  if (shown.length === 0) return null;
  return (
    <span class="nzx-badges" aria-hidden="true">
      {shown.map((severity) => (
        <span key={severity} class={`nzx-badge nzx-is-${severity}`} title={countsText(counts)}>
          {severity === "error" ? "✕" : "!"}&thinsp;{counts[severity] > 999 ? "999+" : counts[severity]}
        </span>
      ))}
    </span>
  );
}

/** "2 errors, 1 warning", or nothing. */
export function countsText(counts: Counts): string {
  const parts: string[] = [];
  if (counts.error > 0) parts.push(plural(counts.error, "error"));
  if (counts.warning > 0) parts.push(plural(counts.warning, "warning"));
  if (counts.info > 0) parts.push(`${grouped(counts.info)} for information`);
  return parts.join(", ");
}

/** How far something is, from 0 to 1; null where its end is not known. */
export function Progress({ part, label, text }: { part: number | null; label: string; text?: string }) {
  return (
    <span
      class={`nzx-progress ${part === null ? "nzx-progress-open" : ""}`}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={part === null ? undefined : Math.floor(part * 100)}
      aria-valuetext={text}
    >
      <span style={{ width: part === null ? "35%" : `${part * 100}%` }} />
    </span>
  );
}

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

/** What a panel shows while its answer is on its way, late or an error. Nothing once it is there. */
export function Waiting<M extends Method>({
  call,
  what = "Reading…",
}: {
  call: CallState<M>;
  what?: string;
}) {
  const wait = call.wait?.value ?? "waiting";
  if (call.error) return <Problem onRetry={call.retry}>{visible(call.error.message)}</Problem>;
  if (!call.loading) return null;
  if (wait === "lost") return <Problem onRetry={call.retry}>No answer from the kernel.</Problem>;
  if (wait === "slow") return <p class="nzx-wait nzx-is-warning">The kernel is busy; waiting…</p>;
  if (wait === "working") return <p class="nzx-wait nzx-is-warning">{what} The kernel is still at it.</p>;
  return call.answer === null ? <p class="nzx-wait">{what}</p> : null;
}

/** Buttons of which one is chosen. */
export function Choice<T extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: T;
  options: readonly { value: T; label: string; title?: string }[];
  onChange: (value: T) => void;
}) {
  const group = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = options.findIndex((option) => option.value === value);
    const next = options[(at + step + options.length) % options.length];
    if (next === undefined) return;
    onChange(next.value);
    const buttons = group.current?.querySelectorAll("button");
    buttons?.[options.indexOf(next)]?.focus();
  };
  return (
    <div class="nzx-choice" role="radiogroup" aria-label={label} ref={group} onKeyDown={move}>
      {options.map((option) => (
        // A segmented control.
        <button
          key={option.value}
          type="button"
          role="radio"
          aria-checked={option.value === value}
          tabIndex={option.value === value ? 0 : -1}
          title={option.title}
          onClick={() => onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}
