import { useRef, useState } from "preact/hooks";
import type { RequestError } from "../../../client/client";
import type { ExportParams, ExportResult, Slider } from "../../../client/protocol.gen";
import { useView } from "../../../client/view";
import { Button } from "../../../ui/button/Button";
import { copyText, saveFile } from "../../../ui/button/files";
import { Menu, MenuItem } from "../../../ui/menu/Menu";
import { visible } from "../../../ui/text/text";

export const FORMATS: readonly [ExportParams["format"], string][] = [
  ["png", "PNG image"],
  ["svg", "SVG drawing"],
  ["npy", "NumPy array (.npy)"],
  ["csv", "CSV table"],
  ["nc", "netCDF file"],
];

/** Gives a file that the kernel made to whoever sits there; returns its name. */
export function saved({ value, buffers }: { value: ExportResult; buffers: DataView[] }): string {
  const bytes = buffers[value.file_buffer];
  if (bytes) saveFile(value.name, value.media_type, bytes);
  return value.name;
}

/** The slice as a file, and its code for the clipboard. */
export function Export({
  path,
  index,
  sliders,
  formats = FORMATS,
  size,
}: {
  path: string;
  index: Record<string, number>;
  sliders: readonly Slider[];
  formats?: typeof FORMATS;
  /** Of a picture that leaves elements out. */
  size?: { width: number; height: number } | false;
}) {
  const { session } = useView();
  const [said, setSaid] = useState("");
  const film = useRef<AbortController | null>(null);
  const [done, of] = session.frames.value;
  const file = async (format: ExportParams["format"], size?: object | false) => {
    const view = session.options.peek();
    const params = { path, format, index, view, ...(size || { whole: true }) };
    return save(await session.client.call("export", params).answer);
  };
  const animation = async (dimension: string, format: "gif" | "mp4") => {
    const view = session.options.peek();
    const params = { path, dimension, format, index, view, fps: Math.min(session.pace.peek().speed, 12) };
    // One at a time: the one before could no longer be cancelled.
    film.current?.abort();
    const mine = new AbortController();
    film.current = mine;
    session.frames.value = [];
    try {
      return save(await session.client.call("animate", params, mine.signal).answer);
    } finally {
      if (film.current === mine) film.current = null;
    }
  };
  const save = (answer: Parameters<typeof saved>[0]) => `Saved ${visible(saved(answer))}`;
  const copyCode = async () => {
    const params = { index, view: session.options.peek() };
    const { blocks } = await session.client.request("page", { name: "code", path, params });
    const text = blocks[0]?.type === "code" ? blocks[0].text : "";
    if (!(await copyText(text))) throw new Error("Could not copy");
    return "Copied";
  };
  /** What has come of it is read, and gone; what went wrong stays. */
  const passing = (text: string) => {
    setSaid(text);
    setTimeout(() => setSaid((now) => (now === text ? "" : now)), 6000);
  };
  const run = (what: () => Promise<string>) => {
    setSaid("Working…");
    what().then(passing, (error: RequestError) =>
      (error.code === "cancelled" ? passing : setSaid)(visible(error.message)),
    );
  };
  const items: [string, () => Promise<string>][] = [
    ...formats.flatMap(([format, label], nth): [string, () => Promise<string>][] =>
      nth > 1 && size
        ? [
            [`${label}, as shown`, () => file(format, size)],
            [`${label}, whole`, () => file(format)],
          ]
        : [[label, () => file(format)]],
    ),
    ...sliders
      .filter(({ length }) => length > 1)
      .flatMap(({ dimension }) =>
        (["gif", "mp4"] as const).map((format): [string, () => Promise<string>] => [
          `Animation along ${visible(dimension)} (${format.toUpperCase()})`,
          () => animation(dimension, format),
        ]),
      ),
    ["Copy code", copyCode],
  ];
  return (
    <>
      <span class="nzx-cut" title={said} aria-live="polite">
        {film.current && done ? `${done} of ${of}` : said}
      </span>
      {film.current && <Button onClick={() => film.current?.abort()}>Cancel</Button>}
      <Menu label="Export" up>
        {(close) =>
          items.map(([label, what]) => (
            <MenuItem
              key={label}
              onClick={() => {
                close();
                run(what);
              }}
            >
              {label}
            </MenuItem>
          ))
        }
      </Menu>
    </>
  );
}
