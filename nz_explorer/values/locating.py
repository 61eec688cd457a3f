"""Where the few chunks are that an almost empty array holds, so that a person sees them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from nz_explorer.values.opening import Coordinates, OpenArray
from nz_explorer.values.presence import Presence, listed
from nz_explorer.values.states import ABSENT, UNREAD
from nz_explorer.values.window import Window

_SPARSE = 1 / 200
"""The share of points that show something, below which nobody finds them."""
_FOLDERS, _FOLDERS_AFAR = 500, 16
_NAMES = 5000


@dataclass(frozen=True, slots=True)
class Located:
    """A part of an array in which there is something.

    Parameters
    ----------
    index
        Index by axis, of the axes that were free.
    parts
        Part of each axis shown, as first index and the one after the last; empty for all of it.
    text
        What was found, in a sentence.
    """

    index: dict[int, int]
    parts: dict[int, tuple[int, int]]
    text: str


def shows_nearly_nothing(window: Window) -> bool:
    """Tell whether most of what was looked at is not in the store, and hardly anything is."""
    states = window.states
    empty, unread = (int(np.count_nonzero(states == state)) for state in (ABSENT, UNREAD))
    shown = states.size - empty - unread
    return empty > 0 and shown < _SPARSE * states.size


def locate(
    opened: OpenArray,
    axes: Sequence[int],
    given: Mapping[int, int],
    budget: int,
) -> Located | None:
    """Find a part of an array in which there is something.

    Parameters
    ----------
    opened
        The array.
    axes
        Axes shown.
    given
        Index by axis, of the other axes, where it must not be changed.
    budget
        The most bytes to decode. What surrounds a chunk is shown where there is room for it.

    Returns
    -------
    Located or None
        None where a short listing does not tell, or there is nothing.
    """
    presence = _presence(opened)
    if presence is None:
        return None
    sizes, counts = opened.object_shape, opened.object_grid
    found = [
        place
        for place in presence.stored
        if all(place[axis] == at // sizes[axis] for axis, at in given.items())
    ]
    if not found:
        return None
    fixed = [axis for axis in range(len(sizes)) if axis not in axes]
    first = found[0]
    slice_of = [place for place in found if all(place[axis] == first[axis] for axis in fixed)]
    chosen = slice_of[len(slice_of) // 2]
    index = {axis: chosen[axis] * sizes[axis] for axis in fixed if axis not in given}
    parts: dict[int, tuple[int, int]] = {}
    if len(slice_of) < _SPARSE * math.prod(counts[axis] for axis in axes):
        object_bytes = math.prod(sizes) * opened.itemsize
        around = 1 if 3 ** len(axes) * object_bytes <= budget else 0
        for axis in axes:
            low, high = chosen[axis] - around, chosen[axis] + around + 1
            parts[axis] = (max(0, low) * sizes[axis], min(high * sizes[axis], opened.shape[axis]))
    return Located(index, parts, _text(opened, presence, chosen, math.prod(counts), bool(parts)))


def _text(
    opened: OpenArray, presence: Presence, chosen: Coordinates, total: int, part: bool
) -> str:
    names = [opened.zarr.metadata.encode_chunk_key(place) for place in presence.stored[:3]]
    some = ", ".join(names) + (" …" if len(presence.stored) > 3 else "")
    what = "shards" if opened.shard_shape is not None else "chunks"
    where = "at" if part else "with"
    return (
        f"only {len(presence.stored):,} of {total:,} {what} are in the store ({some}): "
        f"shown is the part {where} {opened.zarr.metadata.encode_chunk_key(chosen)}"
    )


def _presence(opened: OpenArray) -> Presence | None:
    if "presence" not in opened.known:
        folders = _FOLDERS if opened.local else _FOLDERS_AFAR
        opened.known["presence"] = listed(
            opened.array, opened, most_folders=folders, most_names=_NAMES
        )
    found: Presence | None = opened.known["presence"]
    return found
