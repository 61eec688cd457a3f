"""Pictures of numbers, as maps, lines and histograms have them in common."""

from __future__ import annotations

from typing import Any

import numpy as np

from nz_explorer.plots.colours.defaults import default_colours
from nz_explorer.plots.colours.ranges import robust
from nz_explorer.plots.complex_parts import PARTS
from nz_explorer.plots.numbers import (
    as_floats,
    rest_of_integers,
    state_counts,
    units_of_part,
    value_range,
)
from nz_explorer.plots.picture import QuickLook
from nz_explorer.plots.source import PictureSource
from nz_explorer.plots.summaries import ANY, categories
from nz_explorer.values.coordinates.image_axes import channel_window
from nz_explorer.values.coordinates.times import is_time
from nz_explorer.values.decimate import extremes
from nz_explorer.values.masks.cell_states import (
    INF,
    NAN,
    NEG_INF,
    UNREAD,
    UNREADABLE,
    VALUE,
    classify,
    in_valid_range,
)
from nz_explorer.values.window import Window

_ODD = (NAN, INF, NEG_INF)
_EXACT = 2**53
"""float64 has all integers up to it."""


def numeric_picture(
    name: str,
    source: PictureSource,
    window: Window,
    shared: dict[str, Any],
    thin_to: int | None = None,
) -> QuickLook:
    """Return a picture of numbers over one axis or two.

    Parameters
    ----------
    name
        Of its kind.
    source
        The array, and what can be read beside its values.
    window
        Values of shape (y, x) or (x,) and their cell states.
    shared
        Fields of `QuickLook` that all kinds have.
    thin_to
        Of more points along the only axis, the lowest and the highest of as many parts are shown,
        if all of them were read.

    Returns
    -------
    QuickLook
        With float32 or float64 values, NaN where nothing was read.
    """
    values, note = as_floats(window.values, source.part)
    stored, states, storage = window.values, window.states, window.storage_states
    if source.part is not None:  # of NaN + 1j the imaginary part is a number
        own = classify(values, None, None)[0]
        states, storage = (np.where(np.isin(one, _ODD), own, one) for one in (states, storage))
        shared = {**shared, "states": state_counts(states, storage)}
    lost = (states == UNREADABLE) | (states == UNREAD)
    if lost.any():
        values[lost] = np.nan
    # What lies outside the valid range is not shown, and makes no limits and no colours; where nothing else is there, it does.
    valid = in_valid_range(values, states, shared["valid_low"], shared["valid_high"])
    low, high = value_range(values, valid)
    if low is None and valid is not states:
        valid = states
        low, high = value_range(values, valid)
    ranges = {"robust": robust(values, valid)}
    if name == "map" and source.reduction is None:
        shown = {points.axis for points in window.axes}
        fixed = {axis: at for axis, at in source.index.items() if axis not in shown}
        ranges["held"] = channel_window(source.array, fixed)
    meant = (low, high)
    if low is not None and source.packing is not None:
        meant = tuple(sorted(source.packing.decode((low, high)).tolist()))
    counted, rounded = stored.dtype.kind in "iu" and source.packing is None, False
    if counted and max(-(low or 0), high or 0) >= _EXACT:
        here = stored[valid == VALUE]
        rounded = max(-int(here.min()), int(here.max())) > _EXACT
        if rounded and name != "table" and not is_time(source.array.attributes):
            note = "integers beyond 2**53 are drawn as the nearest float64"
    drawn = list(window.axes)
    if thin_to is not None and drawn[0].step == 1 and drawn[0].size > thin_to:
        chosen, drawn[0] = extremes(values, valid, drawn[0], thin_to)
        thinned = f"of every {2 * drawn[0].step:,} elements the lowest and the highest are shown"
        note = f"{note}; {thinned}" if note else thinned
        stored, values = stored[chosen], values[chosen]
        # Of how many points it is made, which those drawn do not tell.
        shared = {**shared, "states": state_counts(valid, storage)}
        states, storage = states[chosen], storage[chosen]
    axes = [source.axis(points) for points in drawn]
    return QuickLook(
        name,
        label="",
        message=note,
        x=axes[-1],
        y=axes[0] if len(axes) == 2 else None,
        values=values,
        cell_states=states,
        storage_states=storage,
        low=low,
        high=high,
        ranges={name: found for name, found in ranges.items() if found is not None},
        colours=default_colours(source.array, *meant, source.part),
        parts=() if source.part is None else PARTS,
        part=source.part,
        categories=ANY
        if source.reduction is not None and source.reduction.method == "any"
        else categories(source.array, stored, states, source.cache),
        dates=source.dates(stored, states),
        rest=rest_of_integers(stored, values) if rounded else None,
        **{**shared, "units": units_of_part(source.part, shared["units"])},
    )
