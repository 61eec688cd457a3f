"""Python that binds where the points of a map lie that have coordinates of their own."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nz_explorer.model import Array, Hierarchy
from nz_explorer.plots.picture import Selection
from nz_explorer.values.coordinates.curvilinear import Curvilinear, find_curvilinear
from nz_explorer.values.coordinates.healpix import healpix
from nz_explorer.values.reading.opening import open_for_reading
from nz_explorer.widget.code.masks import part_text


def grid_lines(
    hierarchy: Hierarchy,
    source: Selection,
    grid: Curvilinear,
    name: str,
    read: Callable[[Array, str], str | None],
) -> list[str]:
    """Return lines that bind a name to a coordinate of a map; none where it is not read with just these numbers.

    Parameters
    ----------
    hierarchy
        Where the array is.
    source
        What was read of it.
    grid
        The coordinates.
    name
        ``x`` or ``y``.
    read
        Returns an expression that reads a part of an array, None where there is none.
    """
    shown = hierarchy.get(source.path)
    if not isinstance(shown, Array):
        return []
    drawn = source.order[: grid.x.ndim]  # others are reduced
    both = find_curvilinear(shown, drawn)
    if both is None:
        return _healpix(shown, source, name, read) if len(drawn) == 1 else []
    found = _read(shown, both[name == "y"], source, drawn, grid.y if name == "y" else grid.x, read)
    return [] if found is None else [f"{name} = {found}"]


def _healpix(
    shown: Array, source: Selection, name: str, read: Callable[[Array, str], str | None]
) -> list[str]:
    (axis,) = source.order[:1]
    cells, part = healpix(shown, axis), source.parts[axis]
    if cells is None or not isinstance(part, slice):
        return []
    numbers: str | None = f"np.arange({part.start}, {part.stop}, {part.step or 1})"
    if cells.numbers is not None:
        same_group = cells.numbers.parent == shown.parent
        numbers = read(cells.numbers, part_text(part)) if same_group else None
    if numbers is None:
        return []
    places = f"{cells.scheme}.healpix_to_lonlat({numbers}.astype('u8'), {cells.level})"
    if name == "x":
        return [f"from healpix_geo import {cells.scheme}", f"x = {places}[0]"]
    return [f"y = {places}[1]"]


def _read(
    shown: Array,
    coordinate: Array,
    source: Selection,
    drawn: tuple[int, ...],
    known: np.ndarray[tuple[int, ...], np.dtype[np.float32]],
    read: Callable[[Array, str], str | None],
) -> str | None:
    """Return an expression that reads a coordinate, where it has just these numbers."""
    if coordinate.parent != shown.parent:
        return None
    names = [shown.dimension_label(axis) for axis in range(shown.ndim or 0)]
    axes = [names.index(one) for one in coordinate.dimension_names or () if one in names]
    turned = tuple(axis for axis in axes if axis in drawn) != drawn
    parts = tuple(source.parts[axis] for axis in axes)
    text = read(coordinate, ", ".join(map(part_text, parts)))
    if text is None:
        return None
    try:
        stored = np.asarray(open_for_reading(coordinate).zarr[parts])
    except Exception:  # noqa: BLE001  # whatever stores and codecs raise: then it is not read
        return None
    if stored.dtype.kind not in "iuf":
        return None
    text, stored = (f"{text}.T", stored.T) if turned else (text, stored)
    numbers = stored.astype(np.float32)
    if np.array_equal(numbers, known, equal_nan=True):
        return text
    radians = np.array_equal(np.degrees(numbers), known, equal_nan=True)
    return f"np.degrees({text})" if radians else None
