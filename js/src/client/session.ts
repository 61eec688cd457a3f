import { Client, RequestError, type Wire } from "./client";
import type { ScanResult, Summary } from "./protocol.gen";
import { type Signal, signal } from "./signals";
import { type Send, Trait, type Traits } from "./traits";

export type Mask = "nz" | "storage" | "raw" | "differences";
const MASKS: readonly unknown[] = ["nz", "storage", "raw", "differences"];
export type Scale = "linear" | "log" | "symlog";
/** What limits are taken from where none are typed. */
export type Limits = "held" | "frame" | "whole" | "robust";
/** Part of a dimension that is shown: first index and the one after the last; of a 2-D coordinate its range. */
export type Window = Record<string, number[]>;

/** How a picture is shown; the trait `view`. Members this version does not know are kept. */
export interface PictureOptions {
  mask: Mask;
  /** Empty for what suits the array. */
  colormap: string;
  reverse: boolean;
  /** Into how many colours it is divided. */
  levels: number | null;
  limits: Limits;
  /** Typed limits. */
  low: number | null;
  high: number | null;
  scale: Scale;
  grid: boolean;
  /** Whether scale, offset and valid range of CF are applied. */
  decoded: boolean;
  /** Whether a map is drawn on its two-dimensional coordinates. */
  curvilinear: boolean;
  /** Whether they are drawn over a map whose longitudes and latitudes are known. */
  coastlines: boolean;
  graticule: boolean;
  /** The part shown, the kind of picture and the part of complex values; of one array only. */
  window: Window;
  kind: string;
  part: string;
  /** By dimension what is shown in place of its values. */
  reduce: Record<string, string>;
  /** What is subtracted: indices by dimension, and the path of another array. */
  against: Against;
  /** Names of the dimensions along the axes; empty for the usual ones. */
  x: string;
  y: string;
  [other: string]: unknown;
}

const record = (raw: unknown): Record<string, unknown> =>
  typeof raw === "object" && raw !== null && !Array.isArray(raw) ? (raw as Record<string, unknown>) : {};
const finite = (raw: unknown): number | null => (Number.isFinite(raw) ? (raw as number) : null);

const text = (raw: unknown, other = ""): string => (typeof raw === "string" ? raw : other);

export const readPath = (raw: unknown): string => text(raw) || "/";

export function readIndex(raw: unknown): Record<string, number> {
  const index: Record<string, number> = {};
  for (const [name, value] of Object.entries(record(raw))) {
    if (Number.isInteger(value)) index[name] = value as number;
  }
  return index;
}

function readWindow(raw: unknown): Window {
  const window: Window = {};
  for (const [name, part] of Object.entries(record(raw))) {
    if (Array.isArray(part) && part.length === 2 && part.every(Number.isFinite) && part[0] < part[1])
      window[name] = part;
  }
  return window;
}

export function readOptions(raw: unknown): PictureOptions {
  const given = record(raw);
  return {
    ...given,
    mask: MASKS.includes(given.mask) ? (given.mask as Mask) : "nz",
    colormap: text(given.colormap),
    reverse: given.reverse === true,
    levels: finite(given.levels),
    limits: (given.limits as Limits | undefined) ?? "held",
    low: finite(given.low),
    high: finite(given.high),
    scale: (given.scale as Scale | undefined) ?? "linear",
    grid: given.grid === true,
    decoded: (given.decoded ?? given.cf) !== false,
    curvilinear: (given.curvilinear ?? given.coordinates) !== false,
    coastlines: given.coastlines !== false,
    graticule: given.graticule === true,
    window: readWindow(given.window),
    kind: text(given.kind, "auto"),
    part: text(given.part),
    reduce: record(given.reduce) as Record<string, string>,
    against: typeof given.against === "string" ? { path: given.against } : (record(given.against) as Against),
    x: text(given.x),
    y: text(given.y),
  };
}

/** What belongs to one array: the kernel keeps it, and sends that of the next one. */
const OF_ARRAY =
  "kind part x y color dimension reduce window against colormap reverse limits low high scale levels".split(
    " ",
  );

export type Against = Record<string, number | string>;
export type Pin = Record<string, number>;
const readPins = (raw: unknown): Pin[] => (Array.isArray(raw) ? raw.map(readIndex) : []);

const readBookmarks = (raw: unknown): string[] =>
  Array.isArray(raw) ? raw.filter((path) => typeof path === "string") : [];

/** The name of a panel; the panels themselves know which names there are. */
export const readPanel = (raw: unknown): string => text(raw);

export interface Colormaps {
  names: string[];
  /** 256 × RGB for each name. */
  tables: Uint8Array;
  /** Those with a middle that stands for something. */
  diverging: string[];
}

/** The dimensions along the axes of a picture, by name; a line has no `y`. */
export interface Axes {
  path: string;
  x: string;
  y: string | null;
}

export interface Scan {
  scan: ScanResult;
  buffers: DataView[];
}

/** How sliders step and play: by an index, a month or a year; so many pictures a second. */
export interface Pace {
  step: string;
  speed: number;
  loop: boolean;
}

/** What all views of one model share: the connection, the traits and the summary. */
export class Session {
  readonly client: Client;
  readonly path: Trait<string>;
  readonly index: Trait<Record<string, number>>;
  readonly options: Trait<PictureOptions>;
  readonly panel: Trait<string>;
  readonly bookmarks: Trait<string[]>;
  /** Points whose series stand beside the picture. */
  readonly pins: Trait<Pin[]>;
  /** The nodes that were selected, and which of them is now. */
  readonly trail: Signal<{ paths: string[]; at: number }>;

  readonly summary: Signal<Summary | null> = signal(null);
  readonly openError: Signal<RequestError | null> = signal(null);
  /** Grows when findings may have changed, at most once in a while as the walk goes on. */
  readonly revision = signal(0);
  /** Grows when the walk or the check of values has ended: more is known of every node. */
  readonly settled = signal(0);
  readonly colormaps: Signal<Colormaps | null> = signal(null);
  /** What the picture of the selected array shows along its axes. */
  readonly axes: Signal<Axes | null> = signal(null);
  /** The dimension that was stepped along last. */
  stepped = "";
  readonly pace: Signal<Pace> = signal({ step: "one", speed: 12, loop: true });
  /** Of an animation that is being written: pictures that are drawn, and of how many. */
  readonly frames: Signal<readonly number[]> = signal([]);
  /** What was last heard of going through all values, by path. */
  readonly scans: Signal<Record<string, Scan>> = signal({});

  /** Grows by name as the kernel says that a page says something else now. */
  readonly pages: Signal<Record<string, number>> = signal({});

  /** A page without scripts, as the explorer was when it was last at rest. */
  get savedPage(): string {
    return String(this.#model.get("_saved_page") ?? "");
  }

  readonly #model: Traits;
  readonly #traits: Record<string, { hear(raw: unknown): void; close(): void }>;
  readonly #unfollow: () => void;
  #colormapsAsked: string | null = null;
  #revisionTimer: ReturnType<typeof setTimeout> | null = null;

  constructor(model: Wire & Traits) {
    this.#model = model;
    this.client = new Client(model);
    const send: Send = async (name, value) =>
      (await this.client.request("set", { traits: { [name]: value } })).traits[name];
    this.path = new Trait(model, "path", readPath, send);
    this.index = new Trait(model, "index", readIndex, send);
    this.options = new Trait(model, "view", readOptions, send);
    this.panel = new Trait(model, "panel", readPanel, send);
    this.bookmarks = new Trait(model, "bookmarks", readBookmarks, send);
    this.pins = new Trait(model, "pins", readPins, send);
    this.#traits = {
      path: this.path,
      index: this.index,
      view: this.options,
      panel: this.panel,
      bookmarks: this.bookmarks,
      pins: this.pins,
    };
    this.trail = signal({ paths: [this.path.peek()], at: 0 });
    this.client.onEvent = (event, buffers) => {
      if (event.summary) this.#take(event.summary);
      if (event.scan) this.takeScan(event.scan, buffers);
      if (event.frames) this.frames.value = event.frames;
      for (const [name, value] of Object.entries(event.traits ?? {})) this.#traits[name]?.hear(value);
      if (event.page) {
        const pages = this.pages.peek();
        this.pages.value = { ...pages, [event.page]: (pages[event.page] ?? 0) + 1 };
      }
    };
    // What belongs to one array does not follow to the next, whoever goes there.
    let before = this.path.peek();
    this.#unfollow = this.path.signal.subscribe((path) => {
      if (path === before) return;
      before = path;
      const { paths, at } = this.trail.peek();
      if (paths[at] !== path) this.trail.value = { paths: [...paths.slice(0, at + 1), path], at: at + 1 };
      this.options.flush();
      const common = Object.entries(this.options.peek()).filter(([name]) => !OF_ARRAY.includes(name));
      this.options.show(readOptions(Object.fromEntries(common)));
    });
    void this.open();
  }

  async open(): Promise<void> {
    this.openError.value = null;
    try {
      this.#take(await this.client.request("open", {}));
    } catch (error) {
      if (error instanceof RequestError && !error.cancelled) this.openError.value = error;
    }
  }

  /** The colormaps, asked for once; again for one that is not among the usual ones. */
  wantColormaps(other: string): void {
    if (this.#colormapsAsked !== null && (other === "" || this.colormaps.peek()?.names.includes(other)))
      return;
    if (this.#colormapsAsked === other) return;
    this.#colormapsAsked = other;
    this.client.call("colormaps", { others: other ? [other] : [] }).answer.then(
      ({ value, buffers }) => {
        const view = buffers[value.tables_buffer];
        if (!view || view.byteLength < value.names.length * 768) return;
        const tables = new Uint8Array(view.buffer, view.byteOffset, view.byteLength).slice();
        this.colormaps.value = { names: value.names, tables, diverging: value.diverging };
      },
      () => {
        this.#colormapsAsked = null;
      },
    );
  }

  /** Goes to a node. */
  select(path: string, panel?: string): void {
    this.path.set(path);
    if (panel) this.panel.set(panel);
  }

  /** Goes back or forth along the nodes that were selected. */
  wander(by: number): void {
    const { paths, at } = this.trail.peek();
    const path = paths[at + by];
    if (path === undefined) return;
    this.trail.value = { paths, at: at + by };
    this.select(path);
  }

  setOptions(change: Partial<PictureOptions>, delay = 0): void {
    this.options.set({ ...this.options.peek(), ...change }, delay);
  }

  takeScan(scan: ScanResult, buffers: DataView[]): void {
    this.scans.value = { ...this.scans.peek(), [scan.path]: { scan, buffers } };
  }

  close(): void {
    this.#unfollow();
    if (this.#revisionTimer !== null) clearTimeout(this.#revisionTimer);
    this.client.close();
    for (const trait of Object.values(this.#traits)) trait.close();
  }

  #take(summary: Summary): void {
    const before = this.summary.peek();
    this.summary.value = summary;
    if (before === null) return;
    const over = (phase: string) => phase !== "walk" && phase !== "values";
    if (before.edits.serial !== summary.edits.serial) {
      // What was found about an array may not be true of what it is now.
      this.scans.value = {};
      this.settled.value += 1;
      this.#revise();
    }
    if (before.progress.phase !== summary.progress.phase) {
      if (before.progress.phase === "walk" || over(summary.progress.phase)) this.settled.value += 1;
      this.#revise();
    } else if (
      before.not_evaluated !== summary.not_evaluated ||
      JSON.stringify(before.counts) !== JSON.stringify(summary.counts) ||
      before.nodes !== summary.nodes
    ) {
      this.#revisionTimer ??= setTimeout(() => this.#revise(), 700);
    }
  }

  #revise(): void {
    if (this.#revisionTimer !== null) clearTimeout(this.#revisionTimer);
    this.#revisionTimer = null;
    this.revision.value += 1;
  }
}
