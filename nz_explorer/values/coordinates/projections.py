"""Projected grids: from degrees to the coordinates of the grid and back, by pyproj."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from nz_explorer.model import Array
from nz_explorer.model.dialects.crs import (
    GDAL_MEMBERS,
    PROJ_ATTRIBUTES,
    WKT_ATTRIBUTES,
    grid_mappings,
)
from nz_explorer.store import Cancellation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyproj import CRS, Transformer

Doubles = np.ndarray[Any, np.dtype[np.float64]]

_METRES = {"m": 1.0, "metre": 1.0, "meter": 1.0, "metres": 1.0, "meters": 1.0, "km": 1000.0}
_NOT_INSTALLED = "coastlines on projected grids take pyproj: pip install 'nz_explorer[maps]'"


@dataclass(frozen=True, slots=True, eq=False)
class Projection:
    """From degrees to the coordinates of a grid.

    Parameters
    ----------
    transformer
        Of pyproj, from degrees east and north to the units of the projection.
    scale
        Units of the projection in one unit of the coordinates: 1000 of kilometres.
    """

    transformer: Transformer
    scale: float

    def project(self, longitudes: Doubles, latitudes: Doubles) -> tuple[Doubles, Doubles]:
        """Return the coordinates of points; infinite where they have none.

        Parameters
        ----------
        longitudes, latitudes
            Of the points.
        """
        x, y = self.transformer.transform(longitudes, latitudes)
        return np.asarray(x) / self.scale, np.asarray(y) / self.scale

    def degrees(self, x: Doubles, y: Doubles) -> tuple[Doubles, Doubles]:
        """Return the longitudes and latitudes of points; infinite where they have none.

        Parameters
        ----------
        x, y
            Coordinates of the points.
        """
        found = self.transformer.transform(x * self.scale, y * self.scale, direction="INVERSE")
        return np.asarray(found[0]), np.asarray(found[1])


def projection(
    array: Array, units: str | None, cancel: Cancellation | None = None
) -> Projection | str | None:
    """Return how the grid of an array is projected.

    Parameters
    ----------
    array
        Whose ``grid_mapping``, or GeoZarr's ``proj:`` attributes, say so.
    units
        Of its coordinates.
    cancel
        Stops reading metadata.

    Returns
    -------
    Projection, str or None
        A sentence why it is not known where metadata name a projection; None where they do not.

    Notes
    -----
    Sources: CF-1.11, 5.6 and Appendix F; the conventions proj and GeoZarr.
    """
    parent = array.hierarchy.node_if_loaded(array.parent) if array.parent is not None else None
    holders = [*grid_mappings(array, cancel), *([] if parent is None else [parent])]
    given = next((one for node in holders for one in _described(node.attributes)), None)
    return None if given is None else _made(json.dumps(given, sort_keys=True), units)


@lru_cache(maxsize=64)
def _made(described: str, units: str | None) -> Projection | str | None:
    """Return the projection that a JSON text describes."""
    given = json.loads(described)
    try:
        from pyproj import CRS, Transformer
        from pyproj.exceptions import ProjError
    except ImportError:
        return _NOT_INSTALLED
    try:
        crs = CRS.from_cf(given) if isinstance(given, dict) else CRS.from_user_input(given)
        if crs.geodetic_crs is None or (crs.is_geographic and not crs.is_derived):
            return None
        # of a rotated pole, whose own degrees are no longitudes and latitudes, those that it is derived from
        degrees = crs.source_crs if crs.is_geographic else crs.geodetic_crs
        transformer = Transformer.from_crs(degrees, crs, always_xy=True)
    except (ProjError, KeyError, TypeError, ValueError) as error:
        return f"no coastlines: the grid mapping cannot be used ({error})"
    return Projection(transformer, _scale(units, crs, given))


def _described(attributes: Mapping[str, Any]) -> Iterator[Any]:
    """Yield what names a reference system: a mapping of CF, or what `CRS.from_user_input` takes."""
    named = (*WKT_ATTRIBUTES, "grid_mapping_name")
    if any(isinstance(attributes.get(name), str) for name in named):
        yield dict(attributes)
    own = attributes.get("_CRS")
    found = [attributes.get(name) for name in PROJ_ATTRIBUTES]
    found += [own.get(member) for member in GDAL_MEMBERS] if isinstance(own, dict) else []
    yield from (one for one in found if isinstance(one, str | dict) and one)


def _scale(units: str | None, crs: CRS, given: Any) -> float:
    """Return how many units of the projection one unit of the coordinates is."""
    units = (units or "").lower()
    if units.startswith("rad") and isinstance(given, dict):  # scanning angles of a satellite
        height = given.get("perspective_point_height", 1.0)
        return float(height) if isinstance(height, int | float) else 1.0
    factor = crs.axis_info[0].unit_conversion_factor if crs.axis_info else 1.0
    return _METRES[units] / factor if units in _METRES and factor else 1.0
