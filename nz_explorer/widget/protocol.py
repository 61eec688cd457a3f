"""The messages between the explorer in the browser and its session in the kernel.

This module is the one schema of the protocol: the kernel decodes and encodes with these
classes, ``schema()`` makes the JSON Schema of them (kept in ``js/protocol.schema.json``),
and the TypeScript types of the front end are generated from that file. Tests on both sides
hold the three together.

The exchange
------------
The browser sends ``Request`` and ``Cancel``; the kernel answers every request with exactly one
``Reply`` of the same ``id`` (also when it was cancelled) and sends ``Event`` unasked. Bulk numbers
travel as binary buffers beside the JSON; a field that ends in ``_buffer`` is an index into them.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import Struct

PROTOCOL_VERSION = 1

NodeKind = Literal["group", "array", "unknown"]
NodeState = Literal["ok", "missing", "malformed", "unreadable", "unsupported"]
Role = Literal["coordinate", "candidate", "auxiliary", "scalar", "data"]
Direction = Literal["increasing", "decreasing"]
Severity = Literal["error", "warning", "info"]
Mask = Literal["nz", "storage", "raw"]


class Message(Struct, forbid_unknown_fields=True):
    """What all messages share: unknown members are refused on both sides."""


# --- small parts ---------------------------------------------------------------------------


class Counts(Message):
    """Findings of a node and of everything below it."""

    error: int = 0
    warning: int = 0
    info: int = 0
    complete: bool = False
    """Whether every rule that was asked for has been evaluated on the node and all below it."""


class NodeRow(Message):
    """One row of the tree."""

    path: str
    name: str
    kind: NodeKind
    state: NodeState
    problem: str | None = None
    """One sentence saying what is wrong where ``state`` is not ``ok``."""
    has_children: bool | None = None
    """None where it is not known before the group is listed."""
    shape: list[int] | None = None
    data_type: str | None = None
    dimension_names: list[str | None] | None = None
    role: Role | None = None
    direction: Direction | None = None
    counts: Counts = msgspec.field(default_factory=Counts)


class Progress(Message):
    """How far the background walk is."""

    phase: Literal["walk", "values", "done", "cancelled", "failed"]
    nodes: int
    """Nodes read so far."""
    total: int | None
    """Nodes in all, None where it cannot be known before the walk ends."""
    message: str
    requests: int = 0
    bytes_read: int = 0


class Edits(Message):
    """Edits that were tried; nothing is written."""

    steps: int
    """How many can be taken back."""
    shown: bool
    """Whether what is shown is the hierarchy with them, not as it is stored."""
    serial: int
    """Grows with each edit, and as others are shown."""


class Summary(Message):
    """What the header shows."""

    source: str
    store: str
    """The kind of store in words, such as ``folder`` or ``zip file``."""
    zarr_format: int | None
    listable: bool
    metadata: Literal["documents", "consolidated"]
    """Which metadata is shown: the stored documents or the consolidated ones."""
    nodes: int
    counts: Counts
    not_evaluated: int
    conforms: dict[str, bool | None]
    """By convention; None where something needed was not evaluated (yet)."""
    progress: Progress
    root: NodeRow
    edits: Edits
    mode: Literal["r", "r+"] = "r"


class Finding(Message):
    """A rule that a node breaks."""

    rule: str
    level: str
    severity: Severity
    path: str
    pointer: str
    message: str


class RuleInfo(Message):
    """What the heading of a rule's findings says."""

    title: str
    source: str
    """Convention and section, such as ``NZ-1.0, Array``."""


class Mark(Message):
    """Lines of a document that a finding speaks of (1-based, inclusive)."""

    first_line: int
    last_line: int
    rule: str
    severity: Severity
    message: str


class Place(Message):
    """The lines of a document that a pointer stands for (1-based, inclusive)."""

    pointer: str
    first_line: int
    last_line: int


class DocumentText(Message):
    """A metadata document as it is stored, as the consolidated metadata gives it, or how these differ."""

    key: str
    origin: Literal["stored", "consolidated", "difference"]
    text: str
    """The text, cut after 256 KiB."""
    size: int
    """Its length in bytes, uncut."""
    cut: bool
    problem: str | None = None
    marks: list[Mark] = []
    differs: list[Place] = []
    """Where it differs from its counterpart; of what is missing here, the line of what lacks it."""
    place: Place | None = None
    """Of the pointer that was asked for, where it is in this document."""


class CdlSpan(Message):
    """A line of CDL and what it was made from."""

    text: str
    path: str | None = None
    key: str | None = None
    pointer: str | None = None
    first_line: int | None = None
    last_line: int | None = None


class Axis(Message):
    """One axis of a picture."""

    label: str
    kind: Literal["index", "number", "time", "category"]
    start: int
    """Array index of the first point shown."""
    step: int
    """Array elements from one point to the next (more than 1 where decimated)."""
    size: int
    """Points shown."""
    length: int
    """Length of the dimension."""
    decreasing: bool = False
    """Whether coordinate values fall with the index."""
    units: str | None = None
    coordinates_buffer: int | None = None
    """float64, one per point; absent for kind ``index`` and ``category``."""
    labels: list[str] | None = None
    """A text per point, for kinds ``time`` and ``category``."""
    chunk: int | None = None
    """Array elements of a chunk along it, for the chunk grid."""


class Slider(Message):
    """A dimension that a picture shows at one index."""

    dimension: str
    axis: int
    length: int
    index: int
    label: str
    """The coordinate value at the index, or the index itself."""
    units: str | None = None


class StateCount(Message):
    """How many of the points shown are in a cell state."""

    state: Literal[
        "value",
        "fill",
        "nan",
        "inf",
        "neg_inf",
        "absent",
        "unreadable",
        "storage_fill",
        "unread",
        "invalid",
    ]
    code: int
    """The number used for it in ``states_buffer``: 0 to 9 in the order above."""
    count: int


class ReadFacts(Message):
    """What a picture cost."""

    decoded_bytes: int
    whole_bytes: int
    """What decoding the whole slice would take."""
    chunks_read: int
    chunks_total: int
    decimated: bool
    complete: bool
    note: str
    """The same in a sentence."""


class Category(Message):
    """A value that stands for something: a flag of CF, true or false, or one of few integers."""

    value: float
    label: str


class Packing(Message):
    """CF's packing: what is stored times ``scale`` plus ``offset`` is what is meant."""

    scale: float
    offset: float
    units: str | None
    """Of the decoded values."""
    text: str
    """The formula, for people."""


class Curvilinear(Message):
    """Two-dimensional coordinates of a map's points, float32 in buffers of the map's shape."""

    x_label: str
    y_label: str
    x_buffer: int
    y_buffer: int
    x_units: str | None = None
    y_units: str | None = None


class Histogram(Message):
    """How often values fall between neighbouring edges."""

    edges_buffer: int
    """float64, one more than counts."""
    counts_buffer: int
    """float64."""
    of: str
    """What was counted: ``the points shown`` or ``the whole array``."""


class Line(Message):
    """One of several arrays along the same dimension."""

    path: str
    label: str
    units: str | None
    values_buffer: int
    """float64."""
    states_buffer: int


class ChunkError(Message):
    """A chunk that could not be read."""

    chunk: str
    message: str


# --- pages: explanations that Python composes ------------------------------------------------

Tone = Literal["good", "info", "warning", "error"]


class Span(Message):
    """A piece of a line: text, or a way to a node."""

    text: str
    kind: Literal["", "code", "strong", "quiet", "type", "good", "info", "warning", "error"] = ""
    path: str | None = None
    """The node that it leads to."""
    pointer: str | None = None
    """The place in the node's document that is lit up there."""
    rule: str | None = None
    """The finding that is lit up there."""
    panel: str | None = None
    """The panel to open; by default the one in front, with a pointer the metadata."""
    title: str | None = None


Text = list[str | Span]
"""Text, piece by piece."""


class Heading(Message, tag="heading"):
    """A line above others."""

    text: Text


class Paragraph(Message, tag="paragraph"):
    """Text."""

    text: Text
    tone: Tone | None = None


class Item(Message):
    """What a term means."""

    label: Text
    text: Text


class Definitions(Message, tag="definitions"):
    """Terms, and what each means."""

    items: list[Item]


class Listing(Message, tag="list"):
    """Lines, one below the other."""

    items: list[Text]
    label: str | None = None


class TableRow(Message):
    """Cells; the first is the head of the row."""

    cells: list[Text]
    tone: Tone | None = None


class TableBlock(Message, tag="table"):
    """A table."""

    label: str
    columns: list[str]
    rows: list[TableRow]


class CodeBlock(Message, tag="code"):
    """Code, or a difference between documents."""

    text: str
    language: Literal["json", "cdl", "python", "diff", "text"]
    label: str
    title: Text = []
    """What stands above it, beside a button that copies it; without, there is neither."""
    marks: list[Mark] = []
    numbers: bool = False


class Picture(Message, tag="picture"):
    """A picture that the kernel has drawn."""

    src: str
    """A ``data:`` URL."""
    label: str


class Action(Message):
    """A button, and what it asks the kernel to do."""

    label: str
    name: str
    """See `ActParams`."""
    params: dict[str, Any] = {}
    title: str | None = None
    disabled: bool = False


class Actions(Message, tag="actions"):
    """Buttons beside each other."""

    actions: list[Action]


class Columns(Message, tag="columns"):
    """Blocks beside each other, as far as there is room."""

    columns: list[list[Block]]


class Section(Message, tag="section"):
    """Blocks that can be folded away."""

    title: Text
    blocks: list[Block]
    open: bool = False


Block = (
    Heading
    | Paragraph
    | Definitions
    | Listing
    | TableBlock
    | CodeBlock
    | Picture
    | Actions
    | Columns
    | Section
)


# --- requests ------------------------------------------------------------------------------


class OpenParams(Message):
    """Asks for the summary."""


class ChildrenParams(Message):
    """Asks for a page of a group's children."""

    path: str
    offset: int = 0
    limit: int = 200


class RowsParams(Message):
    """Asks again for rows that are on screen, after findings changed."""

    paths: list[str]


class RevealParams(Message):
    """Asks where a node stands in the tree."""

    path: str


class SearchParams(Message):
    """Asks for the nodes that a query finds; `search` says how it is written."""

    query: str
    offset: int = 0
    limit: int = 200


class NodeParams(Message):
    """Asks for everything about one node that needs no values."""

    path: str


class FindingsParams(Message):
    """Asks for findings."""

    path: str
    below: bool = True
    offset: int = 0
    limit: int = 200


class DocumentParams(Message):
    """Asks for the documents of a node."""

    path: str
    pointer: str | None = None
    """Of the node's metadata: where is that?"""


class PictureParams(Message):
    """Asks for a picture."""

    path: str
    index: dict[str, int] = {}
    """By dimension name, or ``dim_<axis>`` where a dimension has no name of its own."""
    width: int = 800
    """Of the drawing area, in CSS pixels times the device's pixel ratio."""
    height: int = 500
    everything: bool = False
    """Read the whole slice, whatever the byte budget says."""
    window: dict[str, list[int]] = {}
    """Part of a dimension that is shown, as first index and the one after the last."""
    kind: Literal["auto", "line", "map", "image", "histogram"] = "auto"
    part: Literal["real", "imaginary", "magnitude", "phase"] | None = None
    """Of complex values; the magnitude by default."""


class LinesParams(Message):
    """Asks for the one-dimensional arrays of a group that run along a dimension, together."""

    path: str
    dimension: str | None = None
    """By default the one that most of them run along."""
    width: int = 800


class ScanParams(Message):
    """Asks to go through all values of an array, to stop that, or how far it is."""

    path: str
    action: Literal["start", "cancel", "status"]


class ExportParams(Message):
    """Asks for the slice as a file."""

    path: str
    format: Literal["png", "svg", "npy", "csv", "nc"]
    index: dict[str, int] = {}
    view: dict[str, Any] = {}
    """How the picture is drawn; see the trait of that name."""


class ThumbnailsParams(Message):
    """Asks for small pictures of some arrays."""

    paths: list[str]
    width: int = 160
    height: int = 100


class NetcdfParams(Message):
    """Asks for the netCDF view of a node."""

    path: str


class ColormapsParams(Message):
    """Asks for the colormaps."""


class RetryParams(Message):
    """Asks to read a node again, and all below it."""

    path: str


class WalkParams(Message):
    """Asks to stop the background walk or to go on with it."""

    action: Literal["cancel", "resume"]


class PageParams(Message):
    """Asks for an explanation about a node, composed in Python."""

    name: str
    path: str
    params: dict[str, Any] = {}


class ActParams(Message):
    """Asks for what a button of a page stands for."""

    name: str
    path: str
    params: dict[str, Any] = {}


class SetParams(Message):
    """Says what traits are, where the host's own way of saying so was not confirmed."""

    traits: dict[str, Any]


class LostParams(Message):
    """Says which requests have no reply yet."""

    ids: list[int]


class Request(Message):
    """What the browser asks."""

    kind: Literal["request"]
    id: int
    method: Literal[
        "open",
        "children",
        "rows",
        "reveal",
        "search",
        "node",
        "findings",
        "document",
        "picture",
        "thumbnails",
        "lines",
        "scan",
        "export",
        "netcdf",
        "colormaps",
        "retry",
        "walk",
        "page",
        "act",
        "set",
        "lost",
    ]
    params: dict[str, Any] = {}


class Cancel(Message):
    """What the browser no longer wants."""

    kind: Literal["cancel"]
    id: int


# --- results -------------------------------------------------------------------------------


class ChildrenResult(Message):
    """A page of a group's children."""

    path: str
    offset: int
    total: int
    rows: list[NodeRow]
    problem: str | None = None
    """Why the children could not (all) be listed."""


class RowsResult(Message):
    """The rows asked for, without those that are gone."""

    rows: list[NodeRow]


class Step(Message):
    """A node on the way to another, and its place among its siblings."""

    row: NodeRow
    position: int


class RevealResult(Message):
    """The way from the root (not included) down to the node."""

    steps: list[Step]


class SearchResult(Message):
    """A page of the nodes found."""

    query: str
    offset: int
    total: int
    complete: bool
    """False while the walk is still going on: there may be more."""
    rows: list[NodeRow]


class NodeResult(Message):
    """A node without its values."""

    row: NodeRow
    title: str
    """Such as ``float32 (time 240, lat 721, lon 1440)``."""
    arrays: list[NodeRow] = []
    """The arrays of a group that a picture can be made of, at most 60."""


class FindingsResult(Message):
    """A page of findings, errors first."""

    path: str
    below: bool
    offset: int
    total: int
    counts: Counts
    findings: list[Finding]
    rules: dict[str, RuleInfo]
    """The rules that the page names, by id."""
    not_evaluated: int


class DocumentResult(Message):
    """The documents of a node."""

    path: str
    documents: list[DocumentText]


class PictureResult(Message):
    """A quick look. Rows of ``values_buffer`` run along ``y``, columns along ``x``."""

    kind: Literal["line", "map", "image", "histogram", "scalar", "text", "none"]
    path: str
    title: str
    label: str
    """For assistive technology: array, slice and range."""
    message: str | None = None
    """Why there is no picture, or what is odd about it."""
    data_type: str | None = None
    units: str | None = None
    x: Axis | None = None
    y: Axis | None = None
    sliders: list[Slider] = []
    values_type: Literal["float32", "float64"] | None = None
    values_buffer: int | None = None
    """C order. Stored values; what is masked is for ``states_buffer`` to say."""
    states_buffer: int | None = None
    """uint8 per point: the state under NZ."""
    storage_states_buffer: int | None = None
    """uint8 per point: the state if the storage fill value were the mask; absent where it is the same."""
    states: list[StateCount] = []
    low: float | None = None
    """Smallest finite value that is not masked, of those shown."""
    high: float | None = None
    text: str | None = None
    """The value of a scalar, or a table of text values line by line."""
    fill: str | None = None
    """``_FillValue`` as decoded, with its dialect."""
    storage_fill: str | None = None
    read: ReadFacts | None = None
    errors: list[ChunkError] = []
    kinds: list[str] = []
    """The kinds of picture that can be made of the array, the one shown among them."""
    parts: list[str] = []
    """The parts of complex values that can be shown."""
    part: str | None = None
    image_buffer: int | None = None
    """uint8, RGBA per point, for kind ``image``."""
    histogram: Histogram | None = None
    categories: list[Category] = []
    dates: list[str] = []
    """What values that are times mean, a text per point; none where there are none or too many."""
    packing: Packing | None = None
    valid_low: float | None = None
    valid_high: float | None = None
    """CF's valid range, in stored values; points outside it are in state ``invalid`` when CF display is on."""
    curvilinear: Curvilinear | None = None
    overview: str | None = None
    """Which smaller copy of the array was read instead, in a sentence."""


class LinesResult(Message):
    """Arrays along one dimension, to be drawn together."""

    path: str
    dimension: str
    dimensions: list[str]
    """Those that can be chosen."""
    x: Axis
    lines: list[Line]
    message: str | None = None


class ScanResult(Message):
    """What going through all values has found so far."""

    path: str
    phase: Literal["none", "running", "done", "cancelled", "failed"]
    chunks_done: int
    chunks_total: int
    message: str
    whole_bytes: int = 0
    """What decoding all of it takes, told before it is begun."""
    count: int = 0
    """Valid values."""
    minimum: float | None = None
    maximum: float | None = None
    mean: float | None = None
    std: float | None = None
    states: list[StateCount] = []
    histogram: Histogram | None = None
    errors: list[ChunkError] = []
    seconds: float = 0.0


class ExportResult(Message):
    """A file for the user's own disk."""

    name: str
    media_type: str
    file_buffer: int


class Thumbnail(Message):
    """A small picture."""

    path: str
    width: int
    height: int
    image_buffer: int | None = None
    """Values as uint8 per pixel, 0 = missing, 1…255 = low…high; the browser colours them. An image's are RGBA."""
    kind: Literal["image", "line", "map", "none"] = "none"
    label: str = ""


class ThumbnailsResult(Message):
    """The small pictures that could be made."""

    thumbnails: list[Thumbnail]


class NetcdfResult(Message):
    """A node as netCDF has it."""

    path: str
    cdl: list[CdlSpan]
    documents: list[DocumentText]


class ColormapsResult(Message):
    """The colormaps, as tables."""

    names: list[str]
    tables_buffer: int
    """uint8, 256 × RGB for each name, one after the other."""


class RetryResult(Message):
    """The node as it is now."""

    row: NodeRow


class WalkResult(Message):
    """How far the walk is."""

    progress: Progress


class PageResult(Message):
    """An explanation."""

    name: str
    path: str
    blocks: list[Block]


class ActResult(Message):
    """What has come of an action."""

    message: str | None = None
    """One sentence for the person who asked for it."""
    path: str | None = None
    """The node to go to."""
    panel: str | None = None
    """The panel to open."""
    file: str | None = None
    """The name of a file for that person's disk."""
    media_type: str | None = None
    file_buffer: int | None = None


class SetResult(Message):
    """The traits as they are now."""

    traits: dict[str, Any]


class LostResult(Message):
    """Those that are not being worked on: they, or their replies, got lost on the way."""

    ids: list[int]


class Failure(Message):
    """Why a request was not answered."""

    code: Literal["cancelled", "not_found", "bad_request", "unreadable", "internal"]
    message: str
    retry: bool = False
    """Whether trying again may help."""


class Reply(Message, kw_only=True):
    """The answer to a request: a result or a failure."""

    kind: Literal["reply"] = "reply"
    id: int
    ok: bool
    result: Any = None
    error: Failure | None = None


class Partial(Message, kw_only=True):
    """A picture that is not finished yet; the reply of the same ``id`` follows."""

    kind: Literal["partial"] = "partial"
    id: int
    result: PictureResult


class Event(Message, kw_only=True):
    """What the kernel tells unasked: progress, that findings have changed, what was selected."""

    kind: Literal["event"] = "event"
    event: Literal["summary", "scan", "page", "traits"] = "summary"
    summary: Summary | None = None
    scan: ScanResult | None = None
    page: str | None = None
    """The name of a page that says something else now."""
    traits: dict[str, Any] | None = None
    """Shared traits that have another value now, whoever set them."""


PARAMS: dict[str, type[Message]] = {
    "open": OpenParams,
    "children": ChildrenParams,
    "rows": RowsParams,
    "reveal": RevealParams,
    "search": SearchParams,
    "node": NodeParams,
    "findings": FindingsParams,
    "document": DocumentParams,
    "picture": PictureParams,
    "thumbnails": ThumbnailsParams,
    "lines": LinesParams,
    "scan": ScanParams,
    "export": ExportParams,
    "netcdf": NetcdfParams,
    "colormaps": ColormapsParams,
    "retry": RetryParams,
    "walk": WalkParams,
    "page": PageParams,
    "act": ActParams,
    "set": SetParams,
    "lost": LostParams,
}

RESULTS: dict[str, type[Message]] = {
    "open": Summary,
    "children": ChildrenResult,
    "rows": RowsResult,
    "reveal": RevealResult,
    "search": SearchResult,
    "node": NodeResult,
    "findings": FindingsResult,
    "document": DocumentResult,
    "picture": PictureResult,
    "thumbnails": ThumbnailsResult,
    "lines": LinesResult,
    "scan": ScanResult,
    "export": ExportResult,
    "netcdf": NetcdfResult,
    "colormaps": ColormapsResult,
    "retry": RetryResult,
    "walk": WalkResult,
    "page": PageResult,
    "act": ActResult,
    "set": SetResult,
    "lost": LostResult,
}


def schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of all messages, as kept in ``js/protocol.schema.json``.

    Returns
    -------
    dict
        ``$defs`` holds one schema per class; ``x-methods`` names params and result of each method.
    """
    types = [Request, Cancel, Reply, Partial, Event, *PARAMS.values(), *RESULTS.values()]
    _, definitions = msgspec.json.schema_components(types, ref_template="#/$defs/{name}")
    asked = {"Request", "Cancel", *(params.__name__ for params in PARAMS.values())}
    for name, definition in definitions.items():
        if name not in asked:  # the kernel sends every field, also those that hold the default
            definition["required"] = list(definition["properties"])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "nz_explorer protocol",
        "x-version": PROTOCOL_VERSION,
        "x-methods": {
            name: {"params": PARAMS[name].__name__, "result": RESULTS[name].__name__}
            for name in PARAMS
        },
        "$defs": definitions,
    }
