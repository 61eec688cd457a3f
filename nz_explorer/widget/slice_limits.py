"""Limits that hold while a slider moves: those of the first slice of an array that was shown."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from nz_explorer.model import Array

if TYPE_CHECKING:
    from nz_explorer.plots import QuickLook
    from nz_explorer.plots.colours.defaults import Colours
    from nz_explorer.plots.colours.ranges import Range
    from nz_explorer.plots.picture import Axis
    from nz_explorer.widget.background.scans import Scans

_Key = tuple[
    int, str, str | None, str | None, str | None, str | None, tuple[str, bool, bool] | None
]

MOST_HELD = 1000
"""Arrays, and ways to look at them, whose limits are remembered: each time that a store is read again they are others."""


class SliceLimits:
    """Remembers limits and colours of the first slice of each array, and knows those of whole arrays.

    Parameters
    ----------
    scans
        Of whole arrays.
    """

    def __init__(self, scans: Scans) -> None:
        self._scans = scans
        self._held: dict[_Key, tuple[Range, Colours, bool]] = {}

    def known(self, array: Array, look: QuickLook, *, finished: bool = True) -> QuickLook:
        """Return a picture with the ranges that limits can be taken from, and with colours that stay.

        Parameters
        ----------
        array
            The array.
        look
            A picture of it. The first one along the same axes whose values differ is remembered; where that was of a
            part of them, until there is one of the whole.
        finished
            Whether all of it was read.
        """
        if look.low is None or look.high is None or look.x is None:
            return look
        ranges = dict(look.ranges)
        y = None if look.y is None else look.y.label
        # what is made of several slices has other values than they have
        method = None if look.reduction is None else look.reduction.method
        minus = None
        if look.minus is not None:  # two pictures beside each other share their limits
            minus = look.minus.path, look.minus.hierarchy is None, bool(look.minus.beside)
        key = (array.generation, array.path, look.part, look.x.label, y, method, minus)
        if finished and look.low < look.high:
            first = look.ranges.get("frame", (look.low, look.high))
            whole = all(axis is None or _is_whole(axis) for axis in (look.x, look.y))
            if key not in self._held or (whole and not self._held[key][2]):
                self._held[key] = first, look.colours, whole
            if len(self._held) > MOST_HELD:
                self._held.pop(next(iter(self._held)), None)
        held = self._held.get(key)
        if held is not None:  # an image may have said what the limits of a channel are
            ranges.setdefault("held", held[0])
        extremes = self._scans.extremes(array)
        if extremes is not None and not look.derived:
            ranges["whole"] = extremes
        colours = look.colours if held is None else held[1]
        other = look.beside and replace(look.beside, ranges=ranges, colours=colours)
        return replace(look, ranges=ranges, colours=colours, beside=other)


def _is_whole(axis: Axis) -> bool:
    """Return whether all of a dimension is shown, as far as points that are so far apart can tell."""
    return (axis.size + 1) * axis.step > axis.length
