"""Explanations composed in Python; see `registry` for how one is added."""

from nz_explorer.widget.panels import (
    comparison,
    conventions,
    fill,
    findings,
    glossary,
    history,
    netcdf,
    node,
    readers,
    report,
    storage,
    trial_edits,
)
from nz_explorer.widget.panels.registry import (
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
    "fill",
    "findings",
    "glossary",
    "history",
    "netcdf",
    "node",
    "page",
    "perform",
    "readers",
    "report",
    "storage",
    "trial_edits",
]
