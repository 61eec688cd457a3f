"""What the kernel answers: the result of each method."""

from __future__ import annotations

from typing import Any, Literal

from nz_explorer.widget.protocol.blocks import Block
from nz_explorer.widget.protocol.message import Message
from nz_explorer.widget.protocol.parts import (
    CdlSpan,
    Counts,
    DocumentText,
    Finding,
    Impact,
    Impacts,
    NodeRow,
    Progress,
    RuleInfo,
)
from nz_explorer.widget.protocol.picture_parts import (
    Axis,
    Category,
    ChunkError,
    Column,
    Curvilinear,
    Earth,
    Histogram,
    Line,
    Packing,
    PointCoordinate,
    ReadFacts,
    ScatterAxis,
    Slider,
    StateCount,
)


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


class Fact(Message):
    """An attribute in words."""

    name: str
    text: str


class Lengths(Message):
    """A dimension of a group; more than one length is a conflict."""

    name: str
    lengths: list[int]


class GroupCard(Message):
    """A group in the group that is looked at, and what lies in it as far as that is known."""

    row: NodeRow
    groups: int | None = None
    arrays: int | None = None
    """None where it has not been listed yet."""
    inside: list[NodeRow] = []
    """Its first arrays, data arrays first; where it has only groups, those of the first groups in it."""


class NodeResult(Message):
    """A node without its values."""

    row: NodeRow
    title: str
    """Such as ``float32 (time 240, lat 721, lon 1440)``."""
    arrays: list[NodeRow] = []
    """The arrays of a group, data arrays first, at most 60."""
    arrays_total: int = 0
    groups: list[GroupCard] = []
    """The groups in a group, at most 60."""
    groups_total: int = 0
    dimensions: list[Lengths] = []
    """The dimensions of a group's arrays, at most 60."""
    about: list[Fact] = []
    """The attributes that describe a group."""
    attributes_total: int = 0
    default_kind: Literal["pictures", "table"] = "pictures"
    """What is shown of a group where its view has no ``kind``."""


class FindingGroup(Message):
    """Findings that follow each other under one heading."""

    key: str
    """An impact, the id of a rule, or ``other``: what does not cause the symptom that was chosen."""
    impact: Impact
    """The gravest of them."""
    count: int


class Symptom(Message):
    """Something that people notice."""

    key: str
    text: str
    words: list[str]
    """What else they may type to find it."""
    count: int
    """Findings there that may cause it."""


class FindingsResult(Message):
    """A page of findings, the gravest impact first unless they are in the order of the nodes."""

    path: str
    below: bool
    offset: int
    total: int
    counts: Counts
    impacts: Impacts
    """Of all findings there, whichever impacts were asked for."""
    findings: list[Finding]
    rules: dict[str, RuleInfo]
    """The rules that the page names, by id."""
    groups: list[FindingGroup]
    """All of them, in their order; none where the findings are in the order of the nodes."""
    not_evaluated: int
    symptoms: list[Symptom]
    """Those that something there causes come first."""
    causes: int | None = None
    """How many of the findings may cause the symptom that was chosen: they come first."""


class DocumentResult(Message):
    """The documents of a node."""

    path: str
    documents: list[DocumentText]


class PictureResult(Message):
    """A quick look. Rows of ``values_buffer`` run along ``y``, columns along ``x``."""

    kind: str
    """Name of a kind of picture, or ``none``."""
    path: str
    title: str
    label: str
    """For assistive technology: array, slice and range."""
    name: str
    """What the values are: the long name of the array, or its own."""
    caption: str
    """Where it lies: date and level, for those who see the name of the array above."""
    message: str | None = None
    """Why there is no picture, or what is odd about it."""
    data_type: str | None = None
    units: str | None = None
    x: Axis | None = None
    y: Axis | None = None
    sliders: list[Slider] = []
    aside: list[str] = []
    """What else is known of where the slice lies, such as ``height 2 m``."""
    values_type: Literal["float32", "float64"] | None = None
    values_buffer: int | None = None
    """C order. Stored values; ``states_buffer`` has what is masked."""
    rest_buffer: int | None = None
    """float32: what integers of 8 bytes are more than ``values_buffer``, which has the nearest of float64."""
    states_buffer: int | None = None
    """uint8 per point: the state under NZ."""
    storage_states_buffer: int | None = None
    """uint8 per point: the state if the storage fill value were the mask; absent where it is the same."""
    states: list[StateCount] = []
    low: float | None = None
    """Smallest finite value that is not masked, of those shown."""
    high: float | None = None
    ranges: dict[str, list[float]] = {}
    """What limits can be taken from, in stored values, as far as it is known: ``held`` from the first slice shown,
    ``whole``, the whole array, and ``robust``, without the lowest and highest 2 %; ``frame`` of two pictures, both."""
    colormap: str = ""
    """The one that suits the array."""
    signed: bool = False
    """Whether zero is in the middle of its colours."""
    text: str | None = None
    """The value of a scalar, or a table of text values line by line."""
    fill: str | None = None
    """``_FillValue`` as decoded, with its dialect."""
    storage_fill: str | None = None
    fill_source: str | None = None
    """The member that ``fill`` is from: ``_FillValue``, on Zarr v2 also ``fill_value``."""
    missing_value: str | None = None
    """What CF's ``missing_value`` marks; points that equal it are in state ``missing_value`` when CF display is on."""
    hidden_by_xarray: int = 0
    """Values shown that xarray takes for missing: the mask ``storage`` shows its reading."""
    derived: bool = False
    """Whether values were decoded and masked, as NZ says, before something was made of them."""
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
    aspect: float | None = None
    """How much wider than high it should be, where its axes measure the same thing."""
    curvilinear: Curvilinear | None = None
    point_coordinates: list[PointCoordinate] = []
    """What else is known of each point, its two-dimensional coordinates included."""
    earth: Earth | None = None
    """Coastlines and a graticule, where longitudes and latitudes are known."""
    overview: str | None = None
    """Which smaller copy of the array was read instead, in a sentence."""
    beside: PictureResult | None = None
    """The other of two pictures, in the same limits and the same buffers."""


class LinesResult(Message):
    """Arrays along one dimension, to be drawn together."""

    path: str
    dimension: str
    dimensions: list[str]
    """Those that can be chosen."""
    x: Axis
    lines: list[Line]
    message: str | None = None


class TableResult(Message):
    """Rows of the table that the one-dimensional arrays of a group make."""

    path: str
    dimension: str
    dimensions: list[str]
    """Those that can be chosen."""
    length: int
    offset: int
    columns: list[Column]
    message: str | None = None


class ScatterResult(Message):
    """Two columns against each other."""

    path: str
    columns: list[Column]
    """Those that can be chosen, without cells."""
    shown: list[str]
    """The columns along x and y, and that of the colours, where there is one."""
    axes: list[ScatterAxis]
    """Those along x and y, and the colours."""
    start: int
    """The first row that was read."""
    step: int
    """Rows from one that was read to the next."""
    points_buffers: list[int]
    """float64, for each of `shown`: one number a row; NaN where a row has no place."""
    colormap: str
    note: str
    """How many rows are drawn, and why not all, in a sentence."""


class ScanResult(Message):
    """What going through all values has found so far."""

    path: str
    phase: Literal["none", "running", "done", "cancelled", "failed"]
    chunks_done: int
    chunks_total: int
    message: str
    whole_bytes: int = 0
    """The cost of decoding all of it, given before it begins."""
    count: int = 0
    """Valid values."""
    minimum: float | None = None
    maximum: float | None = None
    mean: float | None = None
    std: float | None = None
    dates: list[str] = []
    """Of times: the minimum, the maximum and the mean as dates, and the standard deviation with its unit."""
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
    """Values as uint8 per pixel, 0 = missing, 1…255 = low…high; the browser colours them. An image's are RGBA, and those of categories."""
    kind: str = "none"
    """Name of a kind of picture, or ``none``."""
    label: str = ""
    colormap: str = ""
    """The one that suits the array."""
    aspect: float | None = None
    """How much wider than high it is, where its axes measure the same thing."""


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
    diverging: list[str] = []
    """The names of those with a middle that stands for something."""


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


class LocateResult(Message):
    """Where a value was found."""

    index: int


class CompleteResult(Message):
    """Coordinate values, as they are shown."""

    labels: list[str]


class LostResult(Message):
    """Those that are not being worked on: they, or their replies, got lost on the way."""

    ids: list[int]
