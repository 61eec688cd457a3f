"""Coordinates of images of OME-NGFF, which are in the attributes of their groups."""

from __future__ import annotations

from typing import Any

from nz_explorer.model import Array
from nz_explorer.model.dialects.images import ImageLevel, image_level
from nz_explorer.values.coordinates.metadata_coordinates import MetadataCoordinates


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


def channel_names(level: ImageLevel) -> list[str]:
    """Return the names of channels in their order, empty where a channel has none."""
    given = level.omero.get("channels")
    channels = given if isinstance(given, list) else []
    labels = [one.get("label") if isinstance(one, dict) else None for one in channels]
    return [label if isinstance(label, str) else "" for label in labels]
