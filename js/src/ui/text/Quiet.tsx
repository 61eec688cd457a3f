import type { ComponentChildren } from "preact";

export function Quiet({ children }: { children: ComponentChildren }) {
  return <span class="nzx-quiet">{children}</span>;
}
