"""Explore, teach and debug Zarr hierarchies under NZ-1.0.

>>> import nz_explorer as nz
>>> ex = nz.explore("data.zarr")  # the widget
>>> nz.check("data.zarr").conforms  # the rules, without a widget
{'NZ-1.0': False, ...}
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nz_explorer.editing.apply import apply
    from nz_explorer.editing.trial_edits.what_if import WhatIf
    from nz_explorer.engine.findings import Finding
    from nz_explorer.model import open_store
    from nz_explorer.report.check import check
    from nz_explorer.report.report import Report
    from nz_explorer.report.store_diff import compare
    from nz_explorer.store import SourceError
    from nz_explorer.values.whole_arrays.census import census
    from nz_explorer.values.whole_arrays.scan import scan
    from nz_explorer.widget.explorer import Explorer, explore

    __version__: str

__all__ = [
    "Explorer",
    "Finding",
    "Report",
    "SourceError",
    "WhatIf",
    "apply",
    "census",
    "check",
    "compare",
    "explore",
    "open_store",
    "scan",
]

_HOMES = {
    "Explorer": "nz_explorer.widget.explorer",
    "Finding": "nz_explorer.engine.findings",
    "Report": "nz_explorer.report.report",
    "SourceError": "nz_explorer.store",
    "WhatIf": "nz_explorer.editing.trial_edits.what_if",
    "apply": "nz_explorer.editing.apply",
    "census": "nz_explorer.values.whole_arrays.census",
    "check": "nz_explorer.report.check",
    "compare": "nz_explorer.report.store_diff",
    "explore": "nz_explorer.widget.explorer",
    "open_store": "nz_explorer.model",
    "scan": "nz_explorer.values.whole_arrays.scan",
}
"""Where each name lives; it is imported when it is first used, so that importing the package is cheap."""


def __getattr__(name: str) -> Any:
    if name == "__version__":
        globals()[name] = _version()
        return globals()[name]
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # takes longer than all else here

    try:
        return version("nz_explorer")
    except PackageNotFoundError:  # used from a checkout that is not installed
        return "0"


class _AfterXarray:
    """Adds the accessor ``.nz`` once xarray is imported, which takes a second and is not done before it is wanted.

    xarray has no entry point for accessors.
    """

    @classmethod
    def find_spec(cls, name: str, path: Any = None, target: Any = None) -> Any:
        """Return the spec of xarray as others find it, with one more thing to do."""
        if name != "xarray":
            return None
        others = (finder for finder in sys.meta_path if finder is not cls)
        found = (finder.find_spec(name, path, target) for finder in others)
        spec = next(filter(None, found), None)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def execute_and_add(module: Any) -> None:
                execute(module)
                if cls in sys.meta_path:
                    sys.meta_path.remove(cls)
                import_module(_ACCESSOR)

            spec.loader.exec_module = execute_and_add  # type: ignore[method-assign]
        return spec


_ACCESSOR = "nz_explorer.widget.explorer.accessor"
if "xarray" in sys.modules:
    import_module(_ACCESSOR)
else:
    sys.meta_path.insert(0, _AfterXarray)
