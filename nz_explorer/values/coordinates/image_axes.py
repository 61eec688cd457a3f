"""Coordinates of images of OME-NGFF, which are in the attributes of their groups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nz_explorer.model import Array
from nz_explorer.model.dialects.images import ImageLevel, image_level
from nz_explorer.values.coordinates.metadata_coordinates import (
    MetadataCoordinates,
    metadata_coordinates,
)


def image_coordinates(array: Array, axis: int) -> MetadataCoordinates | None:
    """Return the coordinates of a dimension of an image; None where it has none beside the index.

    Parameters
    ----------
    array
        The array.
    axis
        Number of the dimension.

    Returns
    -------
    MetadataCoordinates or None
        Places and times by scale and translation, and the names of channels.
    """
    level = image_level(array)
    if level is None:
        return None
    length, unit = (array.shape or ())[axis], level.units[axis]
    places: dict[str, Any] = {}
    if level.types[axis] == "channel":
        labels = channel_names(level)
        if len(labels) != length or not any(labels):
            return None
        places["explicit"] = [label or str(number) for number, label in enumerate(labels)]
    else:
        first, step = level.translation[axis], level.scale[axis]
        if unit is None and (first, step) == (0, 1):
            return None
        places["regular"] = (first, step)
    return MetadataCoordinates(
        name=level.names[axis],
        axis=axis,
        length=length,
        source=f"described by multiscales in {level.path}",
        path=level.path,
        attributes={} if unit is None else {"units": unit},
        **places,
    )


def described_coordinates(array: Array) -> list[MetadataCoordinates]:
    """Return all coordinates of an array that are in metadata: those of `metadata_coordinates`, else those of an image.

    Parameters
    ----------
    array
        The array.
    """
    if found := metadata_coordinates(array):
        return found
    of_image = (image_coordinates(array, axis) for axis in range(array.ndim or 0))
    return [one for one in of_image if one is not None]


def channel_names(level: ImageLevel) -> list[str]:
    """Return the names of channels in their order, empty where a channel has none."""
    given = level.omero.get("channels")
    channels = given if isinstance(given, list) else []
    labels = [one.get("label") if isinstance(one, dict) else None for one in channels]
    return [label if isinstance(label, str) else "" for label in labels]


def default_plane(array: Array) -> dict[int, int]:
    """Return the plane of an image that is shown first, as indices by axis; empty where it is the first of all.

    Parameters
    ----------
    array
        The array.

    Returns
    -------
    dict of int to int
        ``defaultT`` and ``defaultZ``; the plane in the middle where the image does not say which.
    """
    level = image_level(array)
    if level is None:
        return {}
    defaults = level.omero.get("rdefs")
    found = {}
    for axis, (name, length) in enumerate(zip(level.names, array.shape or (), strict=True)):
        key = {"t": "defaultT", "z": "defaultZ"}.get(name)
        given = defaults.get(key) if isinstance(defaults, Mapping) else None
        if type(given) is int and given >= 0:
            # counted in planes of the first level
            found[axis] = min(int(given / level.reduction[axis]), max(0, length - 1))
        elif name == "z" and level.types[axis] == "space":
            found[axis] = length // 2
    return found


def channel_window(array: Array, index: Mapping[int, int]) -> tuple[float, float] | None:
    """Return the limits that an image gives for colours of one of its channels; None where there are none.

    Parameters
    ----------
    array
        The array.
    index
        By axis, where a slice lies; without the axis of channels no channel is meant.
    """
    level = image_level(array)
    given = None if level is None else level.omero.get("channels")
    if level is None or not isinstance(given, list):
        return None
    axis = level.types.index("channel") if "channel" in level.types else None
    at = 0 if axis is None else index.get(axis, -1)
    channel = given[at] if 0 <= at < len(given) else None
    window = channel.get("window") if isinstance(channel, dict) else None
    ends: list[Any] = (
        [window.get(name) for name in ("start", "end")] if isinstance(window, dict) else []
    )
    sound = [float(end) for end in ends if type(end) in (int, float) and abs(end) < 1e300]
    return (sound[0], sound[1]) if len(sound) == 2 and sound[0] < sound[1] else None
