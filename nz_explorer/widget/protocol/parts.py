"""Small parts of messages: nodes, counts, progress, findings, documents."""

from __future__ import annotations

from typing import Literal

import msgspec

from nz_explorer.widget.protocol.message import Message

NodeKind = Literal["group", "array", "unknown"]
NodeState = Literal["ok", "missing", "malformed", "unreadable", "unsupported"]
Role = Literal["coordinate", "candidate", "auxiliary", "overview", "scalar", "data"]
Direction = Literal["increasing", "decreasing"]
Severity = Literal["error", "warning", "info"]
Impact = Literal["blocks", "values", "convention", "distance", "advice"]
Mask = Literal["nz", "storage", "raw"]


class Counts(Message):
    """Findings of a node and of everything below it."""

    error: int = 0
    warning: int = 0
    info: int = 0
    complete: bool = False
    """Whether every rule that was asked for has been evaluated on the node and all below it."""


class Impacts(Message):
    """The findings of a node and of everything below it, by what they mean for readers."""

    blocks: int = 0
    values: int = 0
    convention: int = 0
    distance: int = 0
    advice: int = 0


class Forecast(Message):
    """The predicted result of a reader for the store; nothing was tried."""

    reader: str
    opens: bool | None
    """None where it is not known, for the ``reason``."""
    blocked_by: list[str] = []
    """Rules that keep it from opening or reading something."""
    misled_by: list[str] = []
    """Rules that make it give wrong, missing or undecoded values."""
    reason: str = ""


class NodeRow(Message):
    """One row of the tree."""

    path: str
    name: str
    kind: NodeKind
    state: NodeState
    problem: str | None = None
    """One sentence on what is wrong where ``state`` is not ``ok``."""
    has_children: bool | None = None
    """None where it is not known before the group is listed."""
    shape: list[int] | None = None
    data_type: str | None = None
    dimension_names: list[str | None] | None = None
    role: Role | None = None
    direction: Direction | None = None
    counts: Counts = msgspec.field(default_factory=Counts)
    impacts: Impacts = msgspec.field(default_factory=Impacts)
    label: str | None = None
    """What people call it: the long name of an array, the title of a group."""
    units: str | None = None


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
    readers: list[Forecast] = []
    steps: int = 0
    """How many rules keep the store from a convention that it does not declare."""
    version: str | None = None
    """Which one of `versions` is shown."""
    versions: list[str] = []
    """What can be chosen, of stores with a history: ``branch main``, what is shown, and a way to the history."""


class Finding(Message):
    """A rule that a node breaks."""

    rule: str
    level: str
    severity: Severity
    impact: Impact
    path: str
    pointer: str
    message: str


class RuleInfo(Message):
    """The heading of a rule's findings."""

    title: str
    source: str
    """Convention and section, such as ``NZ-1.0, Array``."""


class Mark(Message):
    """Lines of a document that a finding speaks of (1-based, inclusive)."""

    first_line: int
    last_line: int
    rule: str
    impact: Impact
    message: str


class Place(Message):
    """The lines of a document that a pointer refers to (1-based, inclusive)."""

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


class CdlPlace(Message):
    """Lines of a document that say the same as a line of CDL."""

    path: str
    key: str
    first_line: int
    last_line: int


class CdlSpan(Message):
    """A line of CDL and what it was made from."""

    text: str
    path: str | None = None
    key: str | None = None
    pointer: str | None = None
    first_line: int | None = None
    last_line: int | None = None
    also: list[CdlPlace] = []
