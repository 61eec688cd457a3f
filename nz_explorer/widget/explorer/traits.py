"""The traits that need more than a type: the panel, the selection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import traitlets

TABS = ("plot", "dimensions", "findings", "metadata", "netcdf", "code")
"""The tabs."""
PANELS = (
    *TABS,
    *("storage", "fill", "glossary", "conventions"),
    *("readers", "changes", "report", "comparison"),
)
"""The tabs, sections of them, and what is about the whole store and lies over the tab in front."""
SHARED = ("path", "index", "view", "bookmarks", "pins", "panel")
"""The traits that are shared with the browser."""


class PanelName(traitlets.Unicode[str, str]):
    """A name of `PANELS`, or a section of a tab: ``netcdf#missing``."""

    def validate(self, obj: Any, value: Any) -> str:
        """Return the name.

        Parameters
        ----------
        obj : Explorer
            Whose trait it is.
        value : object
            The value that is set.

        Raises
        ------
        TraitError
            If there is no such panel.
        """
        name = super().validate(obj, value)
        tab, _, section = name.partition("#")
        if name not in PANELS and not (tab in TABS and section):
            raise traitlets.TraitError(
                f"there is no panel {value!r}: panel is one of {', '.join(PANELS)}, "
                "or a section of a tab, such as 'netcdf#missing'"
            )
        return name


class Selection(traitlets.TraitType[Any, Any]):
    """What the picture shows: a trait to be observed and linked, computed on access."""

    def get(self, obj: Any, cls: Any = None) -> dict[str, int | slice]:
        """Return what is shown of the selected array; of a group, which has no dimensions, nothing."""
        shown: dict[str, int | slice] = obj.shown()
        return shown

    def set(self, obj: Any, value: Any) -> None:
        """Refuse: it follows from other traits.

        Parameters
        ----------
        obj : Explorer
            Whose trait it is.
        value : object
            Ignored.

        Raises
        ------
        TraitError
            Always.
        """
        raise traitlets.TraitError("selection follows path, index and view: set those")


def integers(index: Mapping[str, Any]) -> dict[str, int]:
    """Return an index by dimension as integers.

    Parameters
    ----------
    index : mapping of str to int
        Anything that is an index to Python.

    Raises
    ------
    TraitError
        If a position is no integer.
    """
    found = {}
    for dimension, position in index.items():
        if isinstance(position, bool) or not hasattr(position, "__index__"):
            raise traitlets.TraitError(
                f"the index of {dimension!r} must be an integer, got {position!r}"
            )
        found[dimension] = position.__index__()
    return found
