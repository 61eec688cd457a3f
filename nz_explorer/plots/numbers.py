"""The values of a picture as floats, their range, how many are in which cell state, and what is odd."""

from __future__ import annotations

from typing import Any

import numpy as np

from nz_explorer.model import Array
from nz_explorer.model.fill_values import FillValue
from nz_explorer.plots.complex_parts import PART_OF, PARTS, Part
from nz_explorer.plots.picture import Numbers, StateCount
from nz_explorer.values.masks.cell_states import (
    CODES,
    STORAGE_FILL,
    UNREAD,
    UNREADABLE,
    VALUE,
    States,
)
from nz_explorer.values.window import Window


def units_of_part(part: Part | None, units: str | None) -> str | None:
    """Return the units of a part of complex numbers: a phase is in radians.

    Parameters
    ----------
    part
        The part; None for what is not complex.
    units
        Those of the whole numbers.
    """
    return "rad" if part == "phase" else units


def states_of_colours(states: States) -> States:
    """Return what each point is, of what its colours are (uint8 of shape (y, x, colours)): a value where one of them is."""
    least: States = states.min(axis=2)
    lost = np.isin(states, (UNREADABLE, UNREAD))
    return np.where(lost.any(axis=2), np.where(lost, states, 0).max(axis=2), least).astype(np.uint8)


def is_numeric(values: np.ndarray[Any, Any]) -> bool:
    """Return whether values are numbers, bools or times."""
    return values.dtype.kind in "biufcmM"


def as_floats(values: np.ndarray[Any, Any], part: Part | None = None) -> tuple[Numbers, str | None]:
    """Return values as floats that a browser can draw, and what was done to them.

    Parameters
    ----------
    values
        Numbers, bools or times of any shape.
    part
        Of complex numbers; the magnitude by default.

    Returns
    -------
    numbers : ndarray of float32 or float64
        A copy, of the same shape.
    note : str or None
        What was done, in a sentence.
    """
    dtype = values.dtype
    if dtype.kind == "c":
        small = dtype.itemsize <= 8
        part = part or PARTS[0]
        with np.errstate(invalid="ignore", over="ignore"):
            numbers: np.ndarray[Any, Any] = np.asarray(PART_OF[part](values))
        what = f"{part} part" if part in ("real", "imaginary") else part
        note = f"of complex numbers the {what} is shown"
        return (numbers.astype(np.float32) if small else numbers.astype(np.float64)), note
    if dtype.kind in "mM":
        unit = np.datetime_data(dtype)[0]
        note = f"times are shown in {unit}" + (" since 1970-01-01" if dtype.kind == "M" else "")
        numbers = values.astype("i8").astype(np.float64)
        numbers[np.isnat(values)] = np.nan
        return numbers, note
    small = dtype.itemsize <= 2 or (dtype.kind == "f" and dtype.itemsize == 4)
    return np.ascontiguousarray(values, np.float32 if small else np.float64).reshape(
        values.shape
    ).copy(), None


def rest_of_integers(
    stored: np.ndarray[Any, Any], nearest: Numbers
) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Return what integers are more than the floats that are nearest to them, exactly.

    Parameters
    ----------
    stored
        Integers of up to 8 bytes.
    nearest
        float64, of the same shape; where it is NaN the rest is 0.
    """
    half = 2**32  # float64 has all integers of half the bytes
    high = np.floor(nearest / half)
    low = nearest - high * half
    rest: np.ndarray[Any, Any] = (stored // half - high) * half + (stored % half - low)
    numbers: np.ndarray[Any, np.dtype[np.float32]] = np.nan_to_num(rest).astype(np.float32)
    return numbers


def value_range(values: Numbers, states: States) -> tuple[float | None, float | None]:
    """Return the lowest and the highest of the points that are values, None where there is none.

    Parameters
    ----------
    values
        float32 or float64.
    states
        Their cell states.
    """
    shown = states == VALUE
    good = values if shown.all() else values[shown]
    if not good.size:
        return None, None
    return float(good.min()), float(good.max())


def window_counts(window: Window) -> tuple[StateCount, ...]:
    """Return how many points of a window are in each cell state."""
    return state_counts(window.states, window.storage_states)


def state_counts(states: States, storage_states: States) -> tuple[StateCount, ...]:
    """Return how many points are in each cell state, leaving out the states that do not occur.

    Parameters
    ----------
    states
        uint8 cell states under NZ.
    storage_states
        The same if the storage fill value were the mask.
    """
    counts = []
    for state, code in CODES.items():
        # many times faster than bincount, which would turn each byte into eight
        where = storage_states if code == STORAGE_FILL else states
        count = int(np.count_nonzero(where == code))
        if count:
            counts.append(StateCount(state, code, count))
    return tuple(counts)


def shown_fill(array: Array) -> str | None:
    """Return what is masked as text, and whose reading it is where no ``_FillValue`` says so."""
    text = fill_text(array.fill)
    moved = array.fill_source == "fill_value"
    return f"{text}, as xarray reads Zarr v2" if moved else text


def fill_text(fill: FillValue | None) -> str | None:
    """Return a fill value as text, with what is wrong with it; None where there is none."""
    if fill is None:
        return None
    faults = [p.why for p in fill.problems if p.kind in ("type", "range", "list")]
    return f"{fill.text}: {faults[0]}" if faults else fill.text
