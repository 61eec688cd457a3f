// Made from protocol.schema.json by `npm run types`. Do not edit.

export const PROTOCOL_VERSION = 1;

/** What the browser asks. */
export interface Request {
  kind: "request";
  id: number;
  method: "act" | "animate" | "children" | "colormaps" | "complete" | "document" | "export" | "findings" | "lines" | "locate" | "lost" | "netcdf" | "node" | "open" | "page" | "picture" | "retry" | "reveal" | "rows" | "scan" | "scatter" | "search" | "series" | "series_file" | "set" | "table" | "thumbnails" | "walk";
  params?: Record<string, unknown>;
}

/** Requests that the browser cancels. */
export interface Cancel {
  kind: "cancel";
  id: number;
}

/** Whether a page shows the explorer: sent with its first view and when the last one is removed.

Parameters
----------
page
    A name that no other page has. */
export interface Shown {
  kind: "shown";
  page: string;
  shown: boolean;
}

/** The answer to a request: a result or a failure. */
export interface Reply {
  kind: "reply";
  id: number;
  ok: boolean;
  result: unknown;
  error: Failure | null;
}

/** Why a request was not answered. */
export interface Failure {
  code: "bad_request" | "cancelled" | "internal" | "not_found" | "unreadable";
  message: string;
  retry: boolean;
}

/** A picture that is not finished yet; the reply of the same ``id`` follows. */
export interface Partial {
  kind: "partial";
  id: number;
  result: PictureResult;
}

/** A quick look. Rows of ``values_buffer`` run along ``y``, columns along ``x``. */
export interface PictureResult {
  kind: string;
  path: string;
  title: string;
  label: string;
  name: string;
  caption: string;
  message: string | null;
  data_type: string | null;
  units: string | null;
  x: Axis | null;
  y: Axis | null;
  sliders: Slider[];
  aside: string[];
  values_type: "float32" | "float64" | null;
  values_buffer: number | null;
  rest_buffer: number | null;
  states_buffer: number | null;
  storage_states_buffer: number | null;
  states: StateCount[];
  low: number | null;
  high: number | null;
  ranges: Record<string, number[]>;
  colormap: string;
  signed: boolean;
  text: string | null;
  fill: string | null;
  storage_fill: string | null;
  fill_source: string | null;
  missing_value: string | null;
  hidden_by_xarray: number;
  derived: boolean;
  read: ReadFacts | null;
  errors: ChunkError[];
  kinds: string[];
  parts: string[];
  part: string | null;
  image_buffer: number | null;
  histogram: Histogram | null;
  categories: Category[];
  dates: string[];
  packing: Packing | null;
  valid_low: number | null;
  valid_high: number | null;
  aspect: number | null;
  curvilinear: Curvilinear | null;
  point_coordinates: PointCoordinate[];
  earth: Earth | null;
  overview: string | null;
  beside: PictureResult | null;
}

/** One axis of a picture. */
export interface Axis {
  label: string;
  kind: "category" | "index" | "number" | "time";
  start: number;
  step: number;
  size: number;
  length: number;
  decreasing: boolean;
  downwards: boolean;
  units: string | null;
  coordinates_buffer: number | null;
  labels: string[] | null;
  ticks: DateTick[][];
  chunk: number | number[] | null;
}

/** A date that is written beneath a point of an axis. */
export interface DateTick {
  index: number;
  label: string;
}

/** A dimension that a picture shows at one index. */
export interface Slider {
  dimension: string;
  axis: number;
  length: number;
  index: number;
  label: string;
  cached: number[][];
  method: string | null;
  whole_bytes: number;
  minus: string | null;
}

/** How many of the points shown are in a cell state. */
export interface StateCount {
  state: "absent" | "fill" | "inf" | "invalid" | "missing_value" | "nan" | "neg_inf" | "storage_fill" | "unread" | "unreadable" | "value";
  code: number;
  count: number;
}

/** What a picture cost. */
export interface ReadFacts {
  decoded_bytes: number;
  whole_bytes: number;
  chunks_read: number;
  chunks_total: number;
  decimated: boolean;
  complete: boolean;
  note: string;
}

/** A chunk that could not be read. */
export interface ChunkError {
  chunk: string;
  message: string;
}

/** How often values fall between neighbouring edges. */
export interface Histogram {
  edges_buffer: number;
  counts_buffer: number;
  of: string;
}

/** A value that stands for something: a flag of CF, true or false, or one of few integers. */
export interface Category {
  value: number;
  label: string;
  color: string | null;
}

/** CF's packing: what is stored times ``scale`` plus ``offset`` is what is meant. */
export interface Packing {
  scale: number;
  offset: number;
  units: string | null;
  text: string;
}

/** Where each point of a map lies, float32 in buffers of the map's shape: on two-dimensional coordinates, or cells of an unstructured grid. */
export interface Curvilinear {
  x_label: string;
  y_label: string;
  x_buffer: number;
  y_buffer: number;
  limits: number[];
  aspect: number | null;
  x_units: string | null;
  y_units: string | null;
  turn: number;
  nearest_buffer: number | null;
  columns: number;
}

/** An auxiliary coordinate of the points of a picture: one per point of y and x, of y, or of x, in this order. */
export interface PointCoordinate {
  label: string;
  down: boolean;
  across: boolean;
  buffer: number | null;
  type: "float32" | "float64";
  units: string | null;
  texts: string[];
}

/** Coastlines and a graticule, float32 pairs of x and y in buffers, a pair of NaN after each line.

They are in degrees where the picture has two-dimensional coordinates; else in points of the axes, of which the first
reaches from 0 to 1. */
export interface Earth {
  coastlines_buffer: number | null;
  graticule_buffer: number | null;
  labels: EarthLabel[];
  places_buffer: number | null;
  why: string | null;
}

/** The name of a line of the graticule. */
export interface EarthLabel {
  x: number;
  y: number;
  text: string;
}

/** Events from the kernel: progress, changed findings, the selection. */
export interface Event {
  kind: "event";
  event: "frames" | "page" | "scan" | "summary" | "traits";
  summary: Summary | null;
  scan: ScanResult | null;
  page: string | null;
  traits: Record<string, unknown> | null;
  frames: number[] | null;
}

/** What the header shows. */
export interface Summary {
  source: string;
  store: string;
  zarr_format: number | null;
  listable: boolean;
  metadata: "consolidated" | "documents";
  nodes: number;
  counts: Counts;
  not_evaluated: number;
  conforms: Record<string, boolean | null>;
  progress: Progress;
  root: NodeRow;
  edits: Edits;
  mode: "r" | "r+";
  readers: Forecast[];
  steps: number;
  version: string | null;
  versions: string[];
}

/** Findings of a node and of everything below it. */
export interface Counts {
  error: number;
  warning: number;
  info: number;
  complete: boolean;
}

/** How far the background walk is. */
export interface Progress {
  phase: "cancelled" | "done" | "failed" | "values" | "walk";
  nodes: number;
  total: number | null;
  message: string;
  requests: number;
  bytes_read: number;
}

/** One row of the tree. */
export interface NodeRow {
  path: string;
  name: string;
  kind: "array" | "group" | "unknown";
  state: "malformed" | "missing" | "ok" | "unreadable" | "unsupported";
  problem: string | null;
  has_children: boolean | null;
  shape: number[] | null;
  data_type: string | null;
  dimension_names: (string | null)[] | null;
  role: "auxiliary" | "candidate" | "coordinate" | "data" | "overview" | "scalar" | null;
  direction: "decreasing" | "increasing" | null;
  counts: Counts;
  impacts: Impacts;
  label: string | null;
  units: string | null;
}

/** The findings of a node and of everything below it, by what they mean for readers. */
export interface Impacts {
  blocks: number;
  values: number;
  convention: number;
  distance: number;
  advice: number;
}

/** Edits that were tried; nothing is written. */
export interface Edits {
  steps: number;
  shown: boolean;
  serial: number;
}

/** The predicted result of a reader for the store; nothing was tried. */
export interface Forecast {
  reader: string;
  opens: boolean | null;
  blocked_by: string[];
  misled_by: string[];
  reason: string;
}

/** What going through all values has found so far. */
export interface ScanResult {
  path: string;
  phase: "cancelled" | "done" | "failed" | "none" | "running";
  chunks_done: number;
  chunks_total: number;
  message: string;
  whole_bytes: number;
  count: number;
  minimum: number | null;
  maximum: number | null;
  mean: number | null;
  std: number | null;
  dates: string[];
  states: StateCount[];
  histogram: Histogram | null;
  errors: ChunkError[];
  seconds: number;
}

/** Asks for the summary. */
export type OpenParams = Record<string, never>;

/** Asks for a page of a group's children. */
export interface ChildrenParams {
  path: string;
  offset?: number;
  limit?: number;
}

/** Asks again for rows that are on screen, after findings changed. */
export interface RowsParams {
  paths: string[];
}

/** Asks for the row of a node in the tree. */
export interface RevealParams {
  path: string;
}

/** Asks for the nodes that a query finds; `search` describes the syntax. */
export interface SearchParams {
  query: string;
  offset?: number;
  limit?: number;
}

/** Asks for everything about one node that needs no values. */
export interface NodeParams {
  path: string;
}

/** Asks for findings. */
export interface FindingsParams {
  path: string;
  below?: boolean;
  offset?: number;
  limit?: number;
  impacts?: ("advice" | "blocks" | "convention" | "distance" | "values")[];
  order?: "impact" | "node" | "rule";
  symptom?: string | null;
}

/** Asks for the documents of a node. */
export interface DocumentParams {
  path: string;
  pointer?: string | null;
}

/** Asks for a picture. */
export interface PictureParams {
  path: string;
  index?: Record<string, number>;
  width?: number;
  height?: number;
  everything?: boolean;
  window?: Record<string, number[]>;
  x?: string | null;
  y?: string | null;
  kind?: string;
  part?: "imaginary" | "magnitude" | "phase" | "real" | null;
  reduce?: Record<string, "any" | "max" | "mean" | "min" | "std">;
  against?: Record<string, number | string | boolean>;
}

/** Asks for small pictures of some arrays. */
export interface ThumbnailsParams {
  paths: string[];
  width?: number;
  height?: number;
}

/** Asks for the one-dimensional arrays of a group that run along a dimension, together. */
export interface LinesParams {
  path: string;
  dimension?: string | null;
  width?: number;
}

/** Asks for rows of the table that the one-dimensional arrays of a group make. */
export interface TableParams {
  path: string;
  view?: Record<string, unknown>;
  offset?: number;
  limit?: number;
}

/** Asks for two columns of the table of a group against each other. */
export interface ScatterParams {
  path: string;
  view?: Record<string, unknown>;
}

/** Asks for the values at pinned points along one dimension. */
export interface SeriesParams {
  path: string;
  dimension: string;
  pins: (Record<string, number>)[];
  index?: Record<string, number>;
  width?: number;
  view?: Record<string, unknown>;
}

/** Asks for the values at pinned points along one dimension as a file. */
export interface SeriesFileParams {
  path: string;
  dimension: string;
  pins: (Record<string, number>)[];
  format: "csv" | "nc";
  index?: Record<string, number>;
  view?: Record<string, unknown>;
}

/** Asks to go through all values of an array, to stop that, or how far it is. */
export interface ScanParams {
  path: string;
  action: "cancel" | "start" | "status";
}

/** Asks for what is shown as a file. */
export interface ExportParams {
  path: string;
  format: "csv" | "nc" | "npy" | "png" | "svg";
  index?: Record<string, number>;
  view?: Record<string, unknown>;
  width?: number;
  height?: number;
  whole?: boolean;
}

/** Asks for the netCDF view of a node. */
export interface NetcdfParams {
  path: string;
}

/** Asks for the colormaps. */
export interface ColormapsParams {
  others?: string[];
}

/** Asks to read a node again, and all below it. */
export interface RetryParams {
  path: string;
}

/** Asks to stop the background walk or to go on with it. */
export interface WalkParams {
  action: "cancel" | "resume";
}

/** Asks for an explanation about a node, composed in Python. */
export interface PageParams {
  name: string;
  path: string;
  params?: Record<string, unknown>;
}

/** Asks for the action of a button of a page. */
export interface ActParams {
  name: string;
  path: string;
  params?: Record<string, unknown>;
}

/** Sends the values of traits, where the host's own update was not confirmed; none to ask for what they are. */
export interface SetParams {
  traits: Record<string, unknown>;
}

/** Lists the requests that have no reply yet. */
export interface LostParams {
  ids: number[];
}

/** Asks at which index the coordinate of a dimension has a value. */
export interface LocateParams {
  path: string;
  dimension: string;
  value: string;
  index?: number;
}

/** Asks for coordinate values of a dimension that begin with what was typed. */
export interface CompleteParams {
  path: string;
  dimension: string;
  value: string;
}

/** Asks for the pictures along a dimension as a file. */
export interface AnimateParams {
  path: string;
  dimension: string;
  format: "gif" | "mp4";
  fps?: number;
  index?: Record<string, number>;
  view?: Record<string, unknown>;
}

/** A page of a group's children. */
export interface ChildrenResult {
  path: string;
  offset: number;
  total: number;
  rows: NodeRow[];
  problem: string | null;
}

/** The rows asked for, without those that are gone. */
export interface RowsResult {
  rows: NodeRow[];
}

/** The way from the root (not included) down to the node. */
export interface RevealResult {
  steps: Step[];
}

/** A node on the way to another, and its place among its siblings. */
export interface Step {
  row: NodeRow;
  position: number;
}

/** A page of the nodes found. */
export interface SearchResult {
  query: string;
  offset: number;
  total: number;
  complete: boolean;
  rows: NodeRow[];
}

/** A node without its values. */
export interface NodeResult {
  row: NodeRow;
  title: string;
  arrays: NodeRow[];
  arrays_total: number;
  groups: GroupCard[];
  groups_total: number;
  dimensions: Lengths[];
  about: Fact[];
  attributes_total: number;
  default_kind: "pictures" | "table";
}

/** A group in the group that is looked at, and what lies in it as far as that is known. */
export interface GroupCard {
  row: NodeRow;
  groups: number | null;
  arrays: number | null;
  inside: NodeRow[];
}

/** A dimension of a group; more than one length is a conflict. */
export interface Lengths {
  name: string;
  lengths: number[];
}

/** An attribute in words. */
export interface Fact {
  name: string;
  text: string;
}

/** A page of findings, the gravest impact first unless they are in the order of the nodes. */
export interface FindingsResult {
  path: string;
  below: boolean;
  offset: number;
  total: number;
  counts: Counts;
  impacts: Impacts;
  findings: Finding[];
  rules: Record<string, RuleInfo>;
  groups: FindingGroup[];
  not_evaluated: number;
  symptoms: Symptom[];
  causes: number | null;
}

/** A rule that a node breaks. */
export interface Finding {
  rule: string;
  level: string;
  severity: "error" | "info" | "warning";
  impact: "advice" | "blocks" | "convention" | "distance" | "values";
  path: string;
  pointer: string;
  message: string;
}

/** The heading of a rule's findings. */
export interface RuleInfo {
  title: string;
  source: string;
}

/** Findings that follow each other under one heading. */
export interface FindingGroup {
  key: string;
  impact: "advice" | "blocks" | "convention" | "distance" | "values";
  count: number;
}

/** Something that people notice. */
export interface Symptom {
  key: string;
  text: string;
  words: string[];
  count: number;
}

/** The documents of a node. */
export interface DocumentResult {
  path: string;
  documents: DocumentText[];
}

/** A metadata document as it is stored, as the consolidated metadata gives it, or how these differ. */
export interface DocumentText {
  key: string;
  origin: "consolidated" | "difference" | "stored";
  text: string;
  size: number;
  cut: boolean;
  problem: string | null;
  marks: Mark[];
  differs: Place[];
  place: Place | null;
}

/** Lines of a document that a finding speaks of (1-based, inclusive). */
export interface Mark {
  first_line: number;
  last_line: number;
  rule: string;
  impact: "advice" | "blocks" | "convention" | "distance" | "values";
  message: string;
}

/** The lines of a document that a pointer refers to (1-based, inclusive). */
export interface Place {
  pointer: string;
  first_line: number;
  last_line: number;
}

/** The small pictures that could be made. */
export interface ThumbnailsResult {
  thumbnails: Thumbnail[];
}

/** A small picture. */
export interface Thumbnail {
  path: string;
  width: number;
  height: number;
  image_buffer: number | null;
  kind: string;
  label: string;
  colormap: string;
  aspect: number | null;
}

/** Arrays along one dimension, to be drawn together. */
export interface LinesResult {
  path: string;
  dimension: string;
  dimensions: string[];
  x: Axis;
  lines: Line[];
  message: string | null;
}

/** One of several arrays along the same dimension. */
export interface Line {
  path: string;
  label: string;
  units: string | null;
  values_buffer: number;
  states_buffer: number;
  nth: number;
}

/** Rows of the table that the one-dimensional arrays of a group make. */
export interface TableResult {
  path: string;
  dimension: string;
  dimensions: string[];
  length: number;
  offset: number;
  columns: Column[];
  message: string | null;
}

/** A column of a table. */
export interface Column {
  name: string;
  label: string;
  path: string;
  cells: string[];
  states: string;
}

/** Two columns against each other. */
export interface ScatterResult {
  path: string;
  columns: Column[];
  shown: string[];
  axes: ScatterAxis[];
  start: number;
  step: number;
  points_buffers: number[];
  colormap: string;
  note: string;
}

/** An axis of a scatter, or its colours. */
export interface ScatterAxis {
  label: string;
  low: number;
  high: number;
  scale: "linear" | "log" | "symlog";
  words: string[];
  texts: string[];
  ticks: ScatterTick[];
}

/** What is written at a place of an axis. */
export interface ScatterTick {
  value: number;
  label: string;
}

/** A file for the user's own disk. */
export interface ExportResult {
  name: string;
  media_type: string;
  file_buffer: number;
}

/** A node as netCDF has it. */
export interface NetcdfResult {
  path: string;
  cdl: CdlSpan[];
  documents: DocumentText[];
}

/** A line of CDL and what it was made from. */
export interface CdlSpan {
  text: string;
  path: string | null;
  key: string | null;
  pointer: string | null;
  first_line: number | null;
  last_line: number | null;
  also: CdlPlace[];
}

/** Lines of a document that say the same as a line of CDL. */
export interface CdlPlace {
  path: string;
  key: string;
  first_line: number;
  last_line: number;
}

/** The colormaps, as tables. */
export interface ColormapsResult {
  names: string[];
  tables_buffer: number;
  diverging: string[];
}

/** The node as it is now. */
export interface RetryResult {
  row: NodeRow;
}

/** How far the walk is. */
export interface WalkResult {
  progress: Progress;
}

/** An explanation. */
export interface PageResult {
  name: string;
  path: string;
  blocks: (Heading | Paragraph | Definitions | Listing | TableBlock | CodeBlock | Picture | Actions | Columns | Section)[];
}

/** A line above others. */
export interface Heading {
  type: "heading";
  text: (string | Span)[];
}

/** A piece of a line: text, or a way to a node. */
export interface Span {
  text: string;
  kind: "" | "code" | "error" | "good" | "info" | "quiet" | "strong" | "term" | "type" | "warning";
  path: string | null;
  pointer: string | null;
  rule: string | null;
  panel: string | null;
  title: string | null;
}

/** Text. */
export interface Paragraph {
  type: "paragraph";
  text: (string | Span)[];
  tone: "error" | "good" | "info" | "warning" | null;
}

/** Terms, and what each means. */
export interface Definitions {
  type: "definitions";
  items: Item[];
}

/** What a term means. */
export interface Item {
  label: (string | Span)[];
  text: (string | Span)[];
}

/** Lines, one below the other. */
export interface Listing {
  type: "list";
  items: ((string | Span)[])[];
  label: string | null;
}

/** A table. */
export interface TableBlock {
  type: "table";
  label: string;
  columns: string[];
  rows: TableRow[];
}

/** Cells; the first is the head of the row. */
export interface TableRow {
  cells: ((string | Span)[])[];
  tone: "error" | "good" | "info" | "warning" | null;
  inside: (Heading | Paragraph | Definitions | Listing | TableBlock | CodeBlock | Picture | Actions | Columns | Section)[];
}

/** Code, or a difference between documents. */
export interface CodeBlock {
  type: "code";
  text: string;
  language: "cdl" | "diff" | "json" | "python" | "text";
  label: string;
  title: (string | Span)[];
  marks: Mark[];
  numbers: boolean;
  lines: CodeLine[];
}

/** A line of an excerpt. */
export interface CodeLine {
  number: number | null;
  kind: "" | "add" | "lit" | "remove";
}

/** A picture that the kernel has drawn. */
export interface Picture {
  type: "picture";
  src: string;
  label: string;
}

/** Buttons beside each other. */
export interface Actions {
  type: "actions";
  actions: Action[];
}

/** A button, and what it asks the kernel to do. */
export interface Action {
  label: string;
  name: string;
  params: Record<string, unknown>;
  title: string | null;
  disabled: boolean;
}

/** Blocks beside each other, as far as there is room. */
export interface Columns {
  type: "columns";
  columns: ((Heading | Paragraph | Definitions | Listing | TableBlock | CodeBlock | Picture | Actions | Columns | Section)[])[];
}

/** Blocks that can be folded away. */
export interface Section {
  type: "section";
  title: (string | Span)[];
  blocks: (Heading | Paragraph | Definitions | Listing | TableBlock | CodeBlock | Picture | Actions | Columns | Section)[];
  open: boolean;
}

/** What has come of an action. */
export interface ActResult {
  message: string | null;
  path: string | null;
  panel: string | null;
  file: string | null;
  media_type: string | null;
  file_buffer: number | null;
}

/** The traits as they are now. */
export interface SetResult {
  traits: Record<string, unknown>;
}

/** Those that are not being worked on: they, or their replies, got lost on the way. */
export interface LostResult {
  ids: number[];
}

/** Where a value was found. */
export interface LocateResult {
  index: number;
}

/** Coordinate values, as they are shown. */
export interface CompleteResult {
  labels: string[];
}

/** Params and result of each method. */
export interface Methods {
  open: { params: OpenParams; result: Summary };
  children: { params: ChildrenParams; result: ChildrenResult };
  rows: { params: RowsParams; result: RowsResult };
  reveal: { params: RevealParams; result: RevealResult };
  search: { params: SearchParams; result: SearchResult };
  node: { params: NodeParams; result: NodeResult };
  findings: { params: FindingsParams; result: FindingsResult };
  document: { params: DocumentParams; result: DocumentResult };
  picture: { params: PictureParams; result: PictureResult };
  thumbnails: { params: ThumbnailsParams; result: ThumbnailsResult };
  lines: { params: LinesParams; result: LinesResult };
  table: { params: TableParams; result: TableResult };
  scatter: { params: ScatterParams; result: ScatterResult };
  series: { params: SeriesParams; result: LinesResult };
  series_file: { params: SeriesFileParams; result: ExportResult };
  scan: { params: ScanParams; result: ScanResult };
  export: { params: ExportParams; result: ExportResult };
  netcdf: { params: NetcdfParams; result: NetcdfResult };
  colormaps: { params: ColormapsParams; result: ColormapsResult };
  retry: { params: RetryParams; result: RetryResult };
  walk: { params: WalkParams; result: WalkResult };
  page: { params: PageParams; result: PageResult };
  act: { params: ActParams; result: ActResult };
  set: { params: SetParams; result: SetResult };
  lost: { params: LostParams; result: LostResult };
  locate: { params: LocateParams; result: LocateResult };
  complete: { params: CompleteParams; result: CompleteResult };
  animate: { params: AnimateParams; result: ExportResult };
}
