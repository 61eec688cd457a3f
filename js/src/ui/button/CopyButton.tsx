import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../icons/Icon";
import { copyText } from "./files";

/** Copies a text, also one that is only made when it is wanted. */
export function CopyButton({ text, label }: { text: string | (() => string); label: string }) {
  const [state, setState] = useState<"" | "Copied" | "Could not copy">("");
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async () => {
    setState((await copyText(typeof text === "string" ? text : text())) ? "Copied" : "Could not copy");
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
