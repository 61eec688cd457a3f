"""HEALPix: cells of equal area, which lie where their numbers say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np

from nz_explorer.model import Array
from nz_explorer.model.dialects.crs import grid_mappings
from nz_explorer.store import Cancellation
from nz_explorer.values.coordinates.dimension_coordinate import find_coordinate
from nz_explorer.values.coordinates.named import named_coordinates

Degrees = np.ndarray[Any, np.dtype[np.float32]]

NOT_INSTALLED = "maps of HEALPix cells take healpix-geo: pip install 'nz_explorer[maps]'"
_DEEPEST = 29
_SCHEMES: dict[Any, Literal["nested", "ring"]] = {
    "nested": "nested",
    "nest": "nested",
    "ring": "ring",
}


@dataclass(frozen=True, slots=True)
class Healpix:
    """A dimension of HEALPix cells.

    Parameters
    ----------
    level
        The refinement level: there are 12 · 4**level cells.
    scheme
        In which order cells are numbered.
    numbers
        The array with the numbers of the cells; None where all cells follow each other from 0.
    """

    level: int
    scheme: Literal["nested", "ring"]
    numbers: Array | None

    def places(self, numbers: np.ndarray[Any, Any]) -> tuple[Degrees, Degrees] | None:
        """Return the longitudes and latitudes of the middles of cells; None where the package for it is not installed.

        Parameters
        ----------
        numbers
            Of the cells, integers of any shape; others than there are have no place, NaN.
        """
        if find_spec("healpix_geo") is None:
            return None
        from healpix_geo import nested, ring

        known = (numbers >= 0) & (numbers < 12 * 4**self.level)
        cells = np.where(known, numbers, 0).astype(np.uint64)
        found = (nested if self.scheme == "nested" else ring).healpix_to_lonlat(cells, self.level)
        lon, lat = (np.where(known, one, np.nan).astype(np.float32) for one in found)
        return lon, lat


def healpix(array: Array, axis: int, cancel: Cancellation | None = None) -> Healpix | None:
    """Return how the cells along a dimension are numbered, None where they are no HEALPix cells.

    Parameters
    ----------
    array
        Whose ``grid_mapping`` says so, or the coordinate of the dimension, as xdggs writes it.
    axis
        Number of the dimension.
    cancel
        To give up reading metadata.

    Notes
    -----
    Source: CF-1.13, Appendix F, HEALPix; with ``healpix_nside`` and ``healpix_order`` as easygems has them.
    """
    names, size = array.dimension_names or (), (array.shape or ())[axis]
    along = [find_coordinate(array, axis, cancel)[0], *named_coordinates(array, cancel)]
    own = [
        one for one in along if one is not None and one.dimension_names == names[axis : axis + 1]
    ]
    own = [one for one in own if one.data_type.kind in ("int", "uint")]
    for attributes in (
        *(node.attributes for node in grid_mappings(array, cancel)),
        *(one.attributes for one in own),
    ):
        if "healpix" not in (attributes.get("grid_mapping_name"), attributes.get("grid_name")):
            continue
        level, scheme = _level(attributes), _scheme(attributes)
        if level is None or scheme is None:
            return None
        numbers = next((one for one in own if _has_numbers(one)), None)
        if numbers is None and own:
            numbers = own[0]
        if numbers is None and size != 12 * 4**level:
            return None
        return Healpix(level, scheme, numbers)
    return None


def _has_numbers(array: Array) -> bool:
    given = array.attributes
    return given.get("standard_name") == "healpix_index" or given.get("grid_name") == "healpix"


def _level(attributes: Mapping[str, Any]) -> int | None:
    """Return the refinement level, which the number of cells along a side may tell."""
    given: Any = attributes.get("refinement_level", attributes.get("level"))
    side: Any = attributes.get("healpix_nside", attributes.get("nside"))
    if type(given) is not int and type(side) is int and side > 0:
        given = side.bit_length() - 1
        given = given if 1 << given == side else None
    return given if type(given) is int and 0 <= given <= _DEEPEST else None


def _scheme(attributes: Mapping[str, Any]) -> Literal["nested", "ring"] | None:
    """Return the order of cells, None where it is not said, or not known here."""
    for name in ("indexing_scheme", "healpix_order", "order"):
        if name in attributes:
            given = attributes[name]
            return _SCHEMES.get(given.lower()) if isinstance(given, str) else None
    return None
