import { useEffect, useRef, useState } from "preact/hooks";
import type { ExportParams } from "../protocol.gen";
import { visible } from "../text";
import { useView } from "../ui/hooks";
import { Button, copyText, saveFile } from "../ui/parts";

const FORMATS: readonly [ExportParams["format"], string][] = [
  ["png", "PNG image"],
  ["svg", "SVG drawing"],
  ["npy", "NumPy array (.npy)"],
  ["csv", "CSV table"],
  ["nc", "netCDF file"],
];

/** The slice as a file, and its path and code for the clipboard. */
export function Export({ path, index }: { path: string; index: Record<string, number> }) {
  const { session } = useView();
  const [open, setOpen] = useState(false);
  const [said, setSaid] = useState("");
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return;
    root.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
    const away = (event: Event) => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    addEventListener("pointerdown", away);
    return () => removeEventListener("pointerdown", away);
  }, [open]);
  const copy = async (text: string) => setSaid((await copyText(text)) ? "Copied" : "Could not copy");
  const file = async (format: ExportParams["format"]) => {
    const view = session.options.peek();
    const params = { path, format, index, view };
    const { value, buffers } = await session.client.call("export", params).answer;
    const bytes = buffers[value.file_buffer];
    if (bytes) saveFile(value.name, value.media_type, bytes);
    setSaid(`Saved ${visible(value.name)}`);
  };
  const code = async () => {
    const { blocks } = await session.client.request("page", { name: "code", path, params: { index } });
    return blocks[0]?.type === "code" ? blocks[0].text : "";
  };
  const run = (what: () => Promise<void>) => () => {
    setOpen(false);
    setSaid("Working…");
    what().catch((error: Error) => setSaid(visible(error.message)));
  };
  const items: [string, () => Promise<void>][] = [
    ...FORMATS.map(([format, label]): [string, () => Promise<void>] => [label, () => file(format)]),
    ["Copy path", () => copy(path)],
    ["Copy code", async () => copy(await code())],
  ];
  const key = (event: KeyboardEvent) => {
    const all = [...(root.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
    const at = all.indexOf(event.target as HTMLElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape" || event.key === "Tab") {
      setOpen(false);
      if (event.key === "Escape") root.current?.querySelector("button")?.focus();
    }
    if (step === undefined || !open) return;
    event.preventDefault();
    all[(at + step + all.length) % all.length]?.focus();
  };
  return (
    <div class="nzx-export" role="group" ref={root} onKeyDown={key}>
      <Button aria-haspopup="menu" aria-expanded={open} onClick={() => setOpen(!open)}>
        Export
      </Button>
      {open && (
        <div class="nzx-menu" role="menu" aria-label="Export">
          {items.map(([label, what]) => (
            <button key={label} type="button" role="menuitem" tabIndex={-1} onClick={run(what)}>
              {label}
            </button>
          ))}
        </div>
      )}
      <span class="nzx-quiet" aria-live="polite">
        {said}
      </span>
    </div>
  );
}
