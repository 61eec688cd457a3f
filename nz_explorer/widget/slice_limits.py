"""Limits that hold while a slider moves: those of the first slice of an array that was shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec

from nz_explorer.model import Array
from nz_explorer.plots.colours.defaults import Colours
from nz_explorer.plots.colours.ranges import Range

if TYPE_CHECKING:
    from nz_explorer.plots import QuickLook
    from nz_explorer.plots.picture import Axis
    from nz_explorer.widget.background.scans import Scans


class _Seen(msgspec.Struct, frozen=True):
    """An array, and the way in which it was looked at."""

    path: str
    part: str | None
    x: str | None
    y: str | None
    method: str | None
    minus: tuple[str, bool, bool] | None


class _Held(msgspec.Struct, frozen=True):
    """What holds, whether it is of the whole picture, and the range of what was shown last."""

    limits: Range
    colours: Colours
    whole: bool
    last: Range

    def suits(self, low: float, high: float) -> bool:
        """Return whether at least half of a range is as what was shown, first or last."""
        return any(
            2 * (min(high, top) - max(low, bottom)) >= high - low
            for bottom, top in (self.limits, self.last)
        )


MOST_HELD = 1000
"""Arrays, and ways to look at them, whose limits are remembered: each time that a store is read again they are others."""
MOST_KEPT = 100
"""As many are there again in another session."""


class SliceLimits:
    """Remembers limits and colours of the first slice of each array, and knows those of whole arrays.

    Parameters
    ----------
    scans
        Of whole arrays.
    changed
        Called when other limits hold.
    """

    def __init__(self, scans: Scans, changed: Callable[[], None]) -> None:
        self._scans, self._changed = scans, changed
        self._held: dict[tuple[int, _Seen], _Held] = {}
        self._before: dict[_Seen, _Held] = {}
        self._single: dict[tuple[int, _Seen], tuple[float, float]] = {}
        """The range of pictures with a single value each, until there is one with several."""

    def kept(self) -> Any:
        """Return what holds, made of what JSON knows, for `restore`."""
        # the newest last: of an array that was read again they replace those before
        held = {**self._before, **{seen: one for (_, seen), one in self._held.items()}}
        return msgspec.to_builtins(list(held.items())[-MOST_KEPT:])

    def restore(self, kept: Any) -> None:
        """Let hold what held in another session, for each array as soon as a picture of it shows that it suits.

        Parameters
        ----------
        kept
            What `kept` returned.

        Raises
        ------
        ValueError
            If it is something else.
        """
        self._before = dict(msgspec.convert(kept, list[tuple[_Seen, _Held]]))

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
        # what is made of several slices has other values than they have, and of more of them others again
        made = look.reduction
        method = None if made is None else f"{made.method} over {sorted(made.axes)}"
        minus = None
        if look.minus is not None:  # two pictures beside each other share their limits
            minus = look.minus.path, look.minus.hierarchy is None, bool(look.minus.beside)
        seen = _Seen(array.path, look.part, look.x.label, y, method, minus)
        key = array.generation, seen
        if finished and look.low < look.high:
            first = look.ranges.get("frame", (look.low, look.high))
            whole = all(axis is None or _is_whole(axis) for axis in (look.x, look.y))
            before = self._before.pop(seen, None)
            # the store may have other values since
            if before is not None and not before.suits(*first):
                before = None
            held = self._held.get(key, before)
            if held is None or (whole and not held.whole):
                held = _Held(first, look.colours, whole, first)
            held = msgspec.structs.replace(held, last=first)
            changed = self._held.get(key) != held
            self._held[key] = held
            if len(self._held) > MOST_HELD:
                self._held.pop(next(iter(self._held)), None)
            if changed:
                self._changed()
        held = self._held.get(key)
        if held is None and finished and (together := self._of_singles(key, look.low)):
            ranges.setdefault("held", together)
        if held is not None:  # an image may have said what the limits of a channel are
            ranges.setdefault("held", held.limits)
        extremes = self._scans.extremes(array)
        if extremes is not None and not look.derived:
            ranges["whole"] = extremes
        colours = look.colours if held is None else held.colours
        other = look.beside and replace(look.beside, ranges=ranges, colours=colours)
        return replace(look, ranges=ranges, colours=colours, beside=other)

    def _of_singles(self, key: tuple[int, _Seen], value: float) -> tuple[float, float] | None:
        """Return the range of all pictures with a single value each; None where that is the same in all."""
        low, high = self._single.get(key, (value, value))
        low, high = self._single[key] = min(low, value), max(high, value)
        if len(self._single) > MOST_HELD:
            self._single.pop(next(iter(self._single)), None)
        return (low, high) if low < high else None


def _is_whole(axis: Axis) -> bool:
    """Return whether all of a dimension is shown, as far as points that are so far apart can tell."""
    return (axis.size + 1) * axis.step > axis.length
