import type {
  Methods,
  PictureParams,
  PictureResult,
  Summary,
  ThumbnailsResult,
} from "../client/protocol.gen";
import { emptyStore } from "./data";
import { type Method, MockKernel, Refusal } from "./kernel";
import type { FakeModel } from "./model";
import broken from "./recorded/broken.json";
import sample from "./recorded/sample.json";

/** What was asked of a real kernel, and what it said; made by `make recordings`. */
interface Recorded {
  method: string;
  params: Record<string, unknown>;
  ok: boolean;
  result: unknown;
  buffers?: string[];
}

const RECORDINGS = { sample: sample.messages, broken: broken.messages } as unknown as Record<
  string,
  Recorded[]
>;
// Those of one dataset are those of the other.
const COLORMAPS = RECORDINGS.sample?.find(({ method }) => method === "colormaps") as Recorded;

function decode(text: string): DataView {
  const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  return new DataView(bytes.buffer);
}

/** What of the params a recording may differ in: those that say how large a picture is, and the like. */
const LOOSE = [
  "order",
  "only",
  "width",
  "height",
  "everything",
  "window",
  "kind",
  "part",
  "offset",
  "limit",
  "index",
];

/** How well a recording fits a question; 0 where it answers another. */
function matching(recorded: Recorded, method: string, params: Record<string, unknown>): number {
  if (recorded.method !== method) return 0;
  const same = (name: string) =>
    JSON.stringify(recorded.params[name] ?? null) === JSON.stringify(params[name] ?? null);
  const firm = ["path", "name", "query", "below", "dimension"];
  if (!firm.every((name) => !(name in recorded.params) || same(name))) return 0;
  return 1 + ["pointer", "params", ...LOOSE].filter((name) => same(name)).length;
}

/** A kernel that plays back what a real one said of the sample dataset or its broken sibling. */
export class RecordedKernel extends MockKernel {
  readonly #messages: Recorded[];

  constructor(name: "sample" | "broken", model: FakeModel, options: { delay?: number } = {}) {
    super(emptyStore(name), model, options);
    this.#messages = RECORDINGS[name] as Recorded[];
    this.progress = this.summary().progress;
  }

  override summary(): Summary {
    const open = this.#messages?.find(({ method }) => method === "open")?.result as Summary | undefined;
    if (open === undefined) return super.summary();
    return { ...open, progress: this.progress ?? open.progress, edits: { ...this.edits } };
  }

  override result(method: Method, params: Record<string, unknown>, buffers: DataView[]): unknown {
    if (["open", "lost", "set", "scan", "act", "walk", "export"].includes(method))
      return super.result(method, params, buffers);
    if (method === "rows") return { rows: (params.paths as string[]).map((path) => this.#row(path)) };
    if (method === "retry") return { row: this.#row(params.path as string) };
    if (method === "thumbnails") return this.#thumbnails(params.paths as string[], buffers);
    const all = method === "colormaps" ? [COLORMAPS] : this.#messages;
    let [best, most]: [Recorded | null, number] = [null, 0];
    for (const one of all) {
      const fits = matching(one, method, params);
      if (fits > most) [best, most] = [one, fits];
    }
    if (best === null)
      throw new Refusal("not_found", `no recorded ${method} of ${params.path ?? params.query ?? ""}`);
    for (const buffer of best.buffers ?? []) buffers.push(decode(buffer));
    return best.result;
  }

  #row(path: string) {
    return (this.result("node", { path }, []) as Methods["node"]["result"]).row;
  }

  #thumbnails(paths: string[], buffers: DataView[]): ThumbnailsResult {
    const thumbnails = paths.flatMap((path) => {
      for (const { method, result, buffers: own } of this.#messages) {
        if (method !== "thumbnails") continue;
        const found = (result as ThumbnailsResult).thumbnails.find((one) => one.path === path);
        if (!found) continue;
        const image = own?.[found.image_buffer ?? -1];
        return [{ ...found, image_buffer: image ? buffers.push(decode(image)) - 1 : null }];
      }
      const none = {
        image_buffer: null,
        kind: "none",
        colormap: "",
        label: "not recorded",
        width: 1,
        height: 1,
      } as const;
      return [{ path, ...none }];
    });
    return { thumbnails };
  }

  /** The pictures that were recorded. */
  get pictures(): { params: PictureParams; picture: PictureResult }[] {
    return this.#messages.flatMap(({ method, params, result }) =>
      method === "picture"
        ? [{ params: params as unknown as PictureParams, picture: result as PictureResult }]
        : [],
    );
  }
}
