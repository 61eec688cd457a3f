"""An image in colours, of what was read."""

from __future__ import annotations

from typing import Any

import numpy as np

from nz_explorer.plots.colours.ranges import Range, robust
from nz_explorer.plots.numbers import state_counts, states_of_colours
from nz_explorer.plots.picture import QuickLook
from nz_explorer.plots.source import PictureSource
from nz_explorer.values.coordinates.axes import number_text
from nz_explorer.values.masks.cell_states import VALUE, States
from nz_explorer.values.window import Window

_OF_BYTES, _OF_SHARES = (0.0, 255.0), (0.0, 1.0)


def build_image(source: PictureSource, window: Window, shared: dict[str, Any]) -> QuickLook:
    """Make an image of colours; a point is missing where none of its colours is a value.

    Parameters
    ----------
    source
        The array, and what can be read beside its values.
    window
        Values of shape (y, x, 3 or 4) and their cell states.
    shared
        Fields of `QuickLook` that all kinds have.
    """
    colours = np.full((*window.values.shape[:2], 4), 255, np.uint8)
    shown = colour_range(window.values, window.states)
    colours[..., : window.values.shape[2]] = _bytes(window.values, shown)
    states, storage = (states_of_colours(s) for s in (window.states, window.storage_states))
    colours[states != VALUE] = 0
    if window.values.dtype.kind == "f":
        colours[np.isnan(window.values).any(axis=2)] = 0
    stretched = None
    if shown is not None and shown not in (_OF_BYTES, _OF_SHARES):
        low, high = map(number_text, shown)
        stretched = f"colours reach from {low} to {high}"
    x, y = source.axis(window.axes[1]), source.axis(window.axes[0])
    return QuickLook(
        "image",
        label="",
        message=stretched,
        y=y,
        x=x,
        earth=source.earth(x, y),
        cell_states=states,
        storage_states=storage,
        image=colours,
        **{**shared, "states": state_counts(states, storage)},
    )


def colour_range(values: np.ndarray[Any, Any], states: States) -> Range | None:
    """Return which values are black and which are of full colour.

    Parameters
    ----------
    values, states
        Of all colours of an image, and their cell states.

    Returns
    -------
    tuple of float or None
        0 and 1 of floats, and 0 and 255 of integers, where no value lies beyond; else what leaves out the lowest
        and the highest 2 %. None where there is no value.
    """
    if values.dtype == np.uint8:
        return _OF_BYTES
    good = values[(states == VALUE) & np.isfinite(values)]
    if not good.size:
        return None
    low, high = float(good.min()), float(good.max())
    usual = _OF_SHARES if values.dtype.kind == "f" else _OF_BYTES
    if usual[0] <= low and high <= usual[1]:
        return usual
    return robust(good, np.full(good.shape, VALUE, np.uint8)) or (low, high)


def _bytes(
    values: np.ndarray[Any, Any], shown: Range | None
) -> np.ndarray[Any, np.dtype[np.uint8]]:
    if values.dtype == np.uint8:
        return values
    low, high = shown or _OF_SHARES
    apart = (high - low) or 1.0
    scaled = np.clip((np.nan_to_num(values.astype(np.float64)) - low) / apart, 0, 1)
    whole: np.ndarray[Any, np.dtype[np.uint8]] = np.rint(255 * scaled).astype(np.uint8)
    return whole
