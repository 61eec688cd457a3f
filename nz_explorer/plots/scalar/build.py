"""A single value, of what was read."""

from __future__ import annotations

from typing import Any

from nz_explorer.model.fill_values import value_text
from nz_explorer.plots.complex_parts import PARTS
from nz_explorer.plots.numbers import as_floats, value_range
from nz_explorer.plots.picture import QuickLook
from nz_explorer.plots.source import PictureSource
from nz_explorer.plots.summaries import categories
from nz_explorer.values.coordinates.axes import number_text
from nz_explorer.values.coordinates.times import time_labels
from nz_explorer.values.masks.cell_states import UNREADABLE, VALUE
from nz_explorer.values.window import Window


def build_scalar(source: PictureSource, window: Window, shared: dict[str, Any]) -> QuickLook:
    """Return a single value as text: decoded, and as stored.

    Parameters
    ----------
    source
        The array, and what can be read beside its values.
    window
        One value, of shape (), and its cell state.
    shared
        Fields of `QuickLook` that all kinds have.
    """
    values, note = as_floats(window.values, source.part)
    low, high = value_range(values, window.states)
    code = int(window.states)
    text = value_text(window.values[()])
    labels = categories(source.array, window.values, window.states, source.cache)
    times = time_labels(window.values.reshape(1), source.array.attributes)
    if code == UNREADABLE:
        text = "unreadable"
    elif times and code == VALUE:
        text = f"{times[0]} ({text})" if window.values.dtype.kind != "M" else times[0]
    elif source.packing is not None and code == VALUE:
        meant = number_text(float(source.packing.decode(window.values)))
        text = f"{' '.join(filter(None, (meant, source.packing.units)))} (stored {text})"
    elif code == VALUE and window.values.dtype.kind in "iu":
        meant = next((c.label for c in labels if c.value == window.values), text)
        text = text if meant == text else f"{meant} ({text})"
    if source.part is not None:  # the text has both parts
        note = None
    return QuickLook(
        "scalar",
        label="",
        text=text,
        message=note,
        values=values,
        cell_states=window.states,
        storage_states=window.storage_states,
        low=low,
        high=high,
        parts=() if source.part is None else PARTS,
        part=source.part,
        categories=labels,
        **shared,
    )
