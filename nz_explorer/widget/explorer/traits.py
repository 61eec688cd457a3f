"""The traits that need more than a type: the panel, the selection."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import traitlets

TABS = ("plot", "dimensions", "findings", "metadata", "netcdf", "code")
"""The tabs."""
PANELS = (
    *TABS,
    *("storage", "fill", "glossary", "conventions"),
    *("readers", "changes", "report", "comparison", "history"),
)
"""The tabs, sections of them, and what is about the whole store and lies over the tab in front."""
SHARED = ("path", "index", "view", "bookmarks", "pins", "panel")
"""The traits that are shared with the browser."""
OF_ARRAY = frozenset(
    {
        *("kind", "part", "x", "y", "color", "dimension", "reduce", "window", "against"),
        *("colormap", "reverse", "limits", "low", "high", "scale", "levels"),
    }
)
"""What of the view belongs to one array, and comes back with it."""

MOST_LEVELS = 64


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


def checked_view(view: Mapping[str, Any]) -> dict[str, Any]:
    """Return a view whose colours, limits and scale are such as there are.

    Parameters
    ----------
    view : mapping
        See `Explorer.view`.

    Raises
    ------
    TraitError
        If one of them is not.
    """
    from nz_explorer.plots import colormap
    from nz_explorer.plots.colours.ranges import LIMITS, SCALES

    for name, known in (("limits", LIMITS), ("scale", SCALES)):
        if view.get(name) not in (None, *known):
            raise traitlets.TraitError(
                f"there is no {name} {view[name]!r}: {name} is one of {', '.join(known)}"
            )
    for name in ("low", "high"):
        limit = view.get(name)
        if limit is not None and (not isinstance(limit, int | float) or not math.isfinite(limit)):
            raise traitlets.TraitError(f"{name} must be a finite number, got {limit!r}")
    levels = view.get("levels")
    if levels is not None and not (isinstance(levels, int) and 2 <= levels <= MOST_LEVELS):
        raise traitlets.TraitError(f"levels must be 2 to {MOST_LEVELS}, got {levels!r}")
    if view.get("colormap"):
        try:
            colormap(view["colormap"])
        except ValueError as error:
            raise traitlets.TraitError(str(error)) from error
    return dict(view)
