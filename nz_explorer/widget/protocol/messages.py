"""What carries results and events, and the schema of it all."""

from __future__ import annotations

import inspect
from typing import Any, Literal

import msgspec

from nz_explorer.widget.protocol.message import Message
from nz_explorer.widget.protocol.parts import Summary
from nz_explorer.widget.protocol.requests import (
    ActParams,
    AnimateParams,
    Cancel,
    ChildrenParams,
    ColormapsParams,
    CompleteParams,
    DocumentParams,
    ExportParams,
    FindingsParams,
    LinesParams,
    LocateParams,
    LostParams,
    NetcdfParams,
    NodeParams,
    OpenParams,
    PageParams,
    PictureParams,
    Request,
    RetryParams,
    RevealParams,
    RowsParams,
    ScanParams,
    ScatterParams,
    SearchParams,
    SeriesFileParams,
    SeriesParams,
    SetParams,
    Shown,
    TableParams,
    ThumbnailsParams,
    WalkParams,
)
from nz_explorer.widget.protocol.results import (
    ActResult,
    ChildrenResult,
    ColormapsResult,
    CompleteResult,
    DocumentResult,
    ExportResult,
    FindingsResult,
    LinesResult,
    LocateResult,
    LostResult,
    NetcdfResult,
    NodeResult,
    PageResult,
    PictureResult,
    RetryResult,
    RevealResult,
    RowsResult,
    ScanResult,
    ScatterResult,
    SearchResult,
    SetResult,
    TableResult,
    ThumbnailsResult,
    WalkResult,
)

PROTOCOL_VERSION = 1


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
    """Events from the kernel: progress, changed findings, the selection."""

    kind: Literal["event"] = "event"
    event: Literal["summary", "scan", "page", "traits", "frames"] = "summary"
    summary: Summary | None = None
    scan: ScanResult | None = None
    page: str | None = None
    """The name of a page whose content has changed."""
    traits: dict[str, Any] | None = None
    """Shared traits that have another value now, whoever set them."""
    frames: list[int] | None = None
    """Of an animation that is being written: how many pictures are drawn, and of how many."""


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
    "table": TableParams,
    "scatter": ScatterParams,
    "series": SeriesParams,
    "series_file": SeriesFileParams,
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
    "locate": LocateParams,
    "complete": CompleteParams,
    "animate": AnimateParams,
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
    "table": TableResult,
    "scatter": ScatterResult,
    "series": LinesResult,
    "series_file": ExportResult,
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
    "locate": LocateResult,
    "complete": CompleteResult,
    "animate": ExportResult,
}


def schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of all messages, as kept in ``js/protocol.schema.json``.

    Returns
    -------
    dict
        ``$defs`` holds one schema per class; ``x-methods`` names params and result of each method.
    """
    types = [Request, Cancel, Shown, Reply, Partial, Event, *PARAMS.values(), *RESULTS.values()]
    _, definitions = msgspec.json.schema_components(types, ref_template="#/$defs/{name}")
    asked = {"Request", "Cancel", "Shown", *(params.__name__ for params in PARAMS.values())}
    for name, definition in definitions.items():
        if "description" in definition:  # which Python 3.13 has without the blanks before its lines
            definition["description"] = inspect.cleandoc(definition["description"])
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
