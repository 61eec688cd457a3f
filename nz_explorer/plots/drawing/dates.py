"""Where dates are written along an axis of values that are times."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from nz_explorer.plots.colours.ranges import Range
from nz_explorer.plots.picture import QuickLook

_ROUND = re.compile(r"((-01)?-01)?( 00:00)?$")
"""How the first moments of days, months and years end: the longer, the rounder a date is."""
_TICKS = 6
_NEAR = 0.75
"""How far, in the distance between ticks, a round date may be from where a tick would be."""


def date_ticks_of(
    look: QuickLook, ticks: Iterable[float], span: Range
) -> tuple[list[float], list[str]]:
    """Return values of which the dates are known, next to some ticks, and the dates; round ones where such are near.

    Parameters
    ----------
    look
        With `dates`.
    ticks
        Where numbers would be written.
    span
        Limits of the axis.
    """
    values = np.asarray(look.values).ravel()
    inside = (values >= span[0]) & (values <= span[1])
    known = np.flatnonzero(np.asarray(look.dates, bool) & inside)
    wanted = [tick for tick in ticks if span[0] <= tick <= span[1]]
    if not known.size or not wanted:
        return [], []
    rounder = np.array([2.0 ** len(_end(look.dates[at])) for at in known])
    step = (span[1] - span[0]) / len(wanted) or 1.0
    found: dict[int, None] = {}
    for tick in wanted:
        far = np.abs(values[known] - tick) / step
        cost = (far + 0.25) / np.where(far < _NEAR, rounder, 1)
        found[int(known[np.argmin(cost)])] = None
    return [float(values[at]) for at in found], [look.dates[at] for at in found]


def written_dates(look: QuickLook, span: Range) -> tuple[list[float], list[str]]:
    """Return where a program writes dates along an axis of values that are times, and the dates; none where it writes numbers.

    Parameters
    ----------
    look
        The picture.
    span
        Limits of the axis.
    """
    from matplotlib.ticker import MaxNLocator

    if not look.dates or look.values is None:
        return [], []
    return date_ticks_of(look, MaxNLocator(_TICKS).tick_values(*span), span)


def _end(date: str) -> str:
    found = _ROUND.search(date)
    return "" if found is None else found[0]
