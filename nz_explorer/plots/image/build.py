"""An image in colours, of what was read."""

from __future__ import annotations

from typing import Any

import numpy as np

from nz_explorer.plots.numbers import broken_text, state_counts, states_of_colours
from nz_explorer.plots.picture import QuickLook
from nz_explorer.plots.source import PictureSource
from nz_explorer.values.masks.cell_states import VALUE
from nz_explorer.values.window import Window


def build_image(source: PictureSource, window: Window, shared: dict[str, Any]) -> QuickLook:
    """Make an image of colours; a point is missing where none of its colours is a value.

    Parameters
    ----------
    source
        The array, and what can be read beside its values.
    window
        uint8 values of shape (y, x, 3 or 4) and their cell states.
    shared
        Fields of `QuickLook` that all kinds have.
    """
    colours = np.full((*window.values.shape[:2], 4), 255, np.uint8)
    colours[..., : window.values.shape[2]] = window.values
    states, storage = (states_of_colours(s) for s in (window.states, window.storage_states))
    colours[states != VALUE] = 0
    x, y = source.axis(window.axes[1]), source.axis(window.axes[0])
    return QuickLook(
        "image",
        label="",
        message=broken_text(window),
        y=y,
        x=x,
        earth=source.earth(x, y),
        cell_states=states,
        storage_states=storage,
        image=colours,
        **{**shared, "states": state_counts(states, storage)},
    )
