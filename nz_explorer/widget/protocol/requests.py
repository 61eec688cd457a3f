"""What the browser sends: requests with the parameters of each method."""

from __future__ import annotations

from typing import Any, Literal

from nz_explorer.widget.protocol.message import Message
from nz_explorer.widget.protocol.parts import Impact


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
    """Asks for the row of a node in the tree."""

    path: str


class SearchParams(Message):
    """Asks for the nodes that a query finds; `search` describes the syntax."""

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
    impacts: list[Impact] = []
    """Only those; by default all."""
    order: Literal["impact", "rule", "node"] = "impact"
    symptom: str | None = None
    """Key of a symptom: findings that may cause it come first."""


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
    """Read the whole slice, regardless of the byte budget."""
    window: dict[str, list[float]] = {}
    """Part of a dimension that is shown, as first index and the one after the last; of a two-dimensional coordinate,
    such as ``nav_lon``, its lowest and highest value."""
    x: str | None = None
    """Name of the dimension along the horizontal axis; the usual one by default."""
    y: str | None = None
    """Name of the dimension along the vertical axis; the usual one by default."""
    kind: str = "auto"
    """Name of a kind of picture; the usual one where the array cannot have it."""
    part: Literal["real", "imaginary", "magnitude", "phase"] | None = None
    """Of complex values; the magnitude by default."""
    reduce: dict[str, Literal["mean", "min", "max", "std", "any"]] = {}
    """By dimension: what is shown in place of its values; the same for all."""
    against: dict[str, int | str | bool] = {}
    """What is subtracted: an index by dimension, and ``path`` for that of another array."""

    @property
    def choices(self) -> dict[str, Any]:
        """What is shown of the array, and how, as `nz_explorer.plots.make` takes it."""
        names = ("window", "x", "y", "kind", "part", "reduce", "against")
        return {name: getattr(self, name) for name in names}


class LinesParams(Message):
    """Asks for the one-dimensional arrays of a group that run along a dimension, together."""

    path: str
    dimension: str | None = None
    """By default the one that most of them run along."""
    width: int = 800


class TableParams(Message):
    """Asks for rows of the table that the one-dimensional arrays of a group make."""

    path: str
    view: dict[str, Any] = {}
    """What counts as missing; see the trait of that name. ``dimension``: what its columns share."""
    offset: int = 0
    limit: int = 200


class ScatterParams(Message):
    """Asks for two columns of the table of a group against each other."""

    path: str
    view: dict[str, Any] = {}
    """``x``, ``y`` and ``color``: names of columns; see the trait of that name."""


class SeriesParams(Message):
    """Asks for the values at pinned points along one dimension."""

    path: str
    dimension: str
    pins: list[dict[str, int]]
    """The points: an index by dimension."""
    index: dict[str, int] = {}
    """The index of dimensions that a pin does not name."""
    width: int = 800
    view: dict[str, Any] = {}
    """What is reduced and subtracted, what counts as missing, and what is made of values; see the trait of that name."""


class ScanParams(Message):
    """Asks to go through all values of an array, to stop that, or how far it is."""

    path: str
    action: Literal["start", "cancel", "status"]


class ExportParams(Message):
    """Asks for what is shown as a file."""

    path: str
    format: Literal["png", "svg", "npy", "csv", "nc"]
    index: dict[str, int] = {}
    view: dict[str, Any] = {}
    """How the picture is drawn; see the trait of that name."""
    width: int = 800
    height: int = 500
    """Of the picture: a file of the numbers of a map has as many points."""
    whole: bool = False
    """Whether every element is wanted, however many bytes that takes."""


class SeriesFileParams(Message):
    """Asks for the values at pinned points along one dimension as a file."""

    path: str
    dimension: str
    pins: list[dict[str, int]]
    """The points: an index by dimension."""
    format: Literal["csv", "nc"]
    index: dict[str, int] = {}
    """The index of dimensions that a pin does not name."""
    view: dict[str, Any] = {}
    """What counts as missing; see the trait of that name."""


class AnimateParams(Message):
    """Asks for the pictures along a dimension as a file."""

    path: str
    dimension: str
    format: Literal["gif", "mp4"]
    fps: float = 8.0
    index: dict[str, int] = {}
    view: dict[str, Any] = {}
    """How the pictures are drawn; see the trait of that name."""


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

    others: list[str] = []
    """Names of colormaps that are not among the usual ones."""


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
    """Asks for the action of a button of a page."""

    name: str
    path: str
    params: dict[str, Any] = {}


class SetParams(Message):
    """Sends the values of traits, where the host's own update was not confirmed; none to ask for what they are."""

    traits: dict[str, Any]


class LocateParams(Message):
    """Asks at which index the coordinate of a dimension has a value."""

    path: str
    dimension: str
    value: str
    """As a person writes it: a number, also with units; a date or part of one; a name; ``first``, ``last``, or a
    step such as ``+1 month`` or ``-2 years``."""
    index: int = 0
    """From where a step leads."""


class CompleteParams(Message):
    """Asks for coordinate values of a dimension that begin with what was typed."""

    path: str
    dimension: str
    value: str


class LostParams(Message):
    """Lists the requests that have no reply yet."""

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
        "table",
        "scatter",
        "series",
        "series_file",
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
        "locate",
        "complete",
        "animate",
    ]
    params: dict[str, Any] = {}


class Cancel(Message):
    """Requests that the browser cancels."""

    kind: Literal["cancel"]
    id: int


class Shown(Message):
    """Whether a page shows the explorer: sent with its first view and when the last one is removed.

    Parameters
    ----------
    page
        A name that no other page has.
    """

    kind: Literal["shown"]
    page: str
    shown: bool
