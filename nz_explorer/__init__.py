"""Explore, teach and debug Zarr hierarchies under NZ-1.0.

>>> import nz_explorer as nz
>>> ex = nz.explore("data.zarr")  # the widget
>>> nz.check("data.zarr").conforms  # the rules, without a widget
{'NZ-1.0': False, ...}
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nz_explorer.model import open_store
    from nz_explorer.rules.apply import apply
    from nz_explorer.rules.check import check
    from nz_explorer.rules.findings import Finding
    from nz_explorer.rules.report import Report
    from nz_explorer.rules.two_stores import compare
    from nz_explorer.rules.what_if import WhatIf
    from nz_explorer.store import SourceError
    from nz_explorer.values.scan import scan
    from nz_explorer.widget.explorer import Explorer, explore

__all__ = [
    "Explorer",
    "Finding",
    "Report",
    "SourceError",
    "WhatIf",
    "apply",
    "check",
    "compare",
    "explore",
    "open_store",
    "scan",
]

_HOMES = {
    "Explorer": "nz_explorer.widget.explorer",
    "Finding": "nz_explorer.rules.findings",
    "Report": "nz_explorer.rules.report",
    "SourceError": "nz_explorer.store",
    "WhatIf": "nz_explorer.rules.what_if",
    "apply": "nz_explorer.rules.apply",
    "check": "nz_explorer.rules.check",
    "compare": "nz_explorer.rules.two_stores",
    "explore": "nz_explorer.widget.explorer",
    "open_store": "nz_explorer.model",
    "scan": "nz_explorer.values.scan",
}
"""Where each name lives; it is imported when it is first used, so that importing the package is cheap."""

try:
    __version__ = version("nz_explorer")
except PackageNotFoundError:  # used from a checkout that is not installed
    __version__ = "0"


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
