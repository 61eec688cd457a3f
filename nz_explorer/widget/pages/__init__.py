"""Explanations composed in Python; see `registry` for how one is added."""

from nz_explorer.widget.pages import (
    comparison,
    conventions,
    edits,
    fill,
    findings,
    glossary,
    netcdf,
    node,
    readers,
    report,
    storage,
)
from nz_explorer.widget.pages.registry import (
    CannotDo,
    Context,
    Outcome,
    action,
    compose,
    page,
    perform,
)

__all__ = [
    "CannotDo",
    "Context",
    "Outcome",
    "action",
    "comparison",
    "compose",
    "conventions",
    "edits",
    "fill",
    "findings",
    "glossary",
    "netcdf",
    "node",
    "page",
    "perform",
    "readers",
    "report",
    "storage",
]
