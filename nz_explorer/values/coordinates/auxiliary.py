"""Auxiliary coordinates of a slice: scalars, and those over dimensions that are fixed."""

from __future__ import annotations

from collections.abc import Mapping

from nz_explorer.model import Array
from nz_explorer.store import Cancellation
from nz_explorer.text.units import with_units
from nz_explorer.values.coordinates.axes import (
    COORDINATE_BUDGET,
    number_text,
    text_attribute,
    unpacked,
)
from nz_explorer.values.coordinates.times import is_time, time_labels
from nz_explorer.values.masks.cell_states import ABSENT, VALUE
from nz_explorer.values.points import Points
from nz_explorer.values.reading.chunk_cache import ChunkCache
from nz_explorer.values.reading.opening import UnsupportedArray
from nz_explorer.values.window import read_points

_MOST = 6
_LONGEST = 60


def auxiliary_labels(
    array: Array,
    fixed: Mapping[int, int],
    *,
    cache: ChunkCache | None = None,
    cancel: Cancellation | None = None,
) -> list[str]:
    """Return what else is known of where a slice lies, such as ``height 2 m`` or ``valid_time 2020-01-01 12:00``.

    Parameters
    ----------
    array
        Whose ``coordinates`` name them.
    fixed
        By axis the index at which it is fixed.
    cache
        Where decoded chunks are kept.
    cancel
        Looked at between chunks.

    Notes
    -----
    Source: CF-1.11, 5 Coordinate Systems, and 5.7 Scalar Coordinate Variables.
    """
    listed, names = array.attributes.get("coordinates"), array.dimension_names or ()
    if not isinstance(listed, str):
        return []
    at = {name: fixed[axis] for axis, name in enumerate(names) if name and axis in fixed}
    group = "" if array.parent in {None, "/"} else array.parent
    found: list[tuple[bool, str]] = []
    for name in listed.split()[: 4 * _MOST]:
        node = None if "/" in name else array.hierarchy.get(f"{group}/{name}", cancel)
        if not isinstance(node, Array) or node.shape is None:
            continue
        dims = node.dimension_names or ()
        if len(dims) != len(node.shape) or not set(dims) <= at.keys():
            continue
        points = [
            Points(axis, at[dim], 1, 1, size)
            for axis, (dim, size) in enumerate(zip(dims, node.shape, strict=True))
            if dim is not None and at[dim] < size
        ]
        text = _text(node, points, cache, cancel) if len(points) == len(dims) else None
        if text is not None and len(found) < _MOST:
            found.append((not dims, f"{name} {text}"))
    # first what another index changes: there may be no room for all
    return [text for _, text in sorted(found, key=lambda one: one[0])]


def _text(
    node: Array, points: list[Points], cache: ChunkCache | None, cancel: Cancellation | None
) -> str | None:
    try:
        window = read_points(node, points, {}, budget=COORDINATE_BUDGET, cache=cache, cancel=cancel)
    except UnsupportedArray:
        return None
    values = window.values.reshape(-1)
    if values.size != 1 or window.states.reshape(-1)[0] not in {VALUE, ABSENT}:
        return None
    if is_time(node.attributes) or values.dtype.kind == "M":
        labels = time_labels(values, node.attributes)
        return labels[0] if labels else None
    if values.dtype.kind in "iuf":
        text = number_text(float(unpacked(node, values)[0]))
        units = text_attribute(node, "units")
        return text if units in {None, "1"} else with_units(text, units)
    if values.dtype.kind == "S":
        return bytes(values[0]).decode("utf-8", "replace")[:_LONGEST]
    return str(values[0])[:_LONGEST] if values.dtype.kind in "OTU" else None
