"""Parts of pictures: axes, sliders, states, decoding."""

from __future__ import annotations

from typing import Literal

from nz_explorer.widget.protocol.message import Message


class DateTick(Message):
    """A date that is written beneath a point of an axis."""

    index: int
    """The number of the point, counted from the first that is shown."""
    label: str
    """As much of the date as the tick before it does not say."""


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
    downwards: bool = False
    """Whether larger values, or later rows, are drawn further down, along a vertical axis."""
    units: str | None = None
    coordinates_buffer: int | None = None
    """float64, one per point; absent for kind ``index`` and ``category``."""
    labels: list[str] | None = None
    """A text per point, for kinds ``time`` and ``category``."""
    ticks: list[list[DateTick]] = []
    """Of dates: ways to label them, the finest first, each with two ticks at least."""
    chunk: int | list[int] | None = None
    """Array elements of a chunk along it, for the chunk grid; where they differ the indices at which others begin."""


class Slider(Message):
    """A dimension that a picture shows at one index."""

    dimension: str
    axis: int
    length: int
    index: int
    label: str
    """The coordinate value at the index, with its units, or the index itself."""
    cached: list[list[int]] = []
    """Which indices need no further reading: first index and the one after the last, of each run."""
    method: str | None = None
    """What is shown in place of the values along it; `label` then is what that is called."""
    whole_bytes: int = 0
    """What decoding the picture takes at all of its indices."""
    minus: str | None = None
    """Of a difference: the coordinate value, with its units, at which what is subtracted stands."""


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
        "missing_value",
    ]
    code: int
    """The number used for it in ``states_buffer``: 0 to 10 in the order above."""
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
    color: str | None = None
    """As ``#rrggbbaa``, where the metadata or the value decide; else its place among the categories does."""


class Packing(Message):
    """CF's packing: what is stored times ``scale`` plus ``offset`` is what is meant."""

    scale: float
    offset: float
    units: str | None
    """Of the decoded values."""
    text: str
    """The formula, for people."""


class Curvilinear(Message):
    """Where each point of a map lies, float32 in buffers of the map's shape: on two-dimensional coordinates, or cells of an unstructured grid."""

    x_label: str
    y_label: str
    x_buffer: int
    y_buffer: int
    limits: list[float]
    """What the map spans: its lowest and highest x, its lowest and highest y."""
    aspect: float | None = None
    """How much wider than high it should be."""
    x_units: str | None = None
    y_units: str | None = None
    turn: float = 0.0
    """The length of the circle that x runs on: 360 of longitudes, else 0."""
    nearest_buffer: int | None = None
    """int32: of an unstructured grid the cell at each pixel of a map within the limits, from the north-west; -1 where there is none."""
    columns: int = 0
    """How many pixels a row of them has."""


class PointCoordinate(Message):
    """An auxiliary coordinate of the points of a picture: one per point of y and x, of y, or of x, in this order."""

    label: str
    down: bool
    """Whether it changes along y."""
    across: bool
    """Whether it changes along x."""
    buffer: int | None = None
    """NaN where it is missing."""
    type: Literal["float32", "float64"] = "float64"
    """Of the buffer."""
    units: str | None = None
    texts: list[str] = []
    """Dates or names in place of the buffer, empty where one is missing."""


class EarthLabel(Message):
    """The name of a line of the graticule."""

    x: float
    y: float
    text: str


class Earth(Message):
    """Coastlines and a graticule, float32 pairs of x and y in buffers, a pair of NaN after each line.

    They are in degrees where the picture has two-dimensional coordinates; else in points of the axes, of which the first
    reaches from 0 to 1.
    """

    coastlines_buffer: int | None = None
    graticule_buffer: int | None = None
    labels: list[EarthLabel] = []
    places_buffer: int | None = None
    """float32 of shape (3, n, n), of a projected map: directions from the middle of the Earth to points spread evenly over it."""
    why: str | None = None
    """Why there are no coastlines, in a sentence."""


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
    nth: int
    """Which it is, counted from 0: of the pins, or of the lines."""


class Column(Message):
    """A column of a table."""

    name: str
    label: str
    """What it is called, with units."""
    path: str
    cells: list[str] = []
    """What stands in its rows, or why there is nothing."""
    states: str = ""
    """A digit a row: its cell state."""


class ChunkError(Message):
    """A chunk that could not be read."""

    chunk: str
    message: str


class ScatterTick(Message):
    """What is written at a place of an axis."""

    value: float
    label: str


class ScatterAxis(Message):
    """An axis of a scatter, or its colours."""

    label: str
    """What stands along it."""
    low: float
    high: float
    scale: Literal["linear", "log", "symlog"]
    words: list[str]
    """What whole numbers from 0 stand for; empty where there are numbers or dates."""
    texts: list[str]
    """Of words and dates what each row is called."""
    ticks: list[ScatterTick]
    """Of words and dates what is written where."""
