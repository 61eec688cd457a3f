"""CF: which arrays are latitudes, and which are longitudes (CF-1.11, 4.1 and 4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nz_explorer.text.units import hemispheres

if TYPE_CHECKING:
    from nz_explorer.model import Array

_BY_NAME = {"latitude": "NS", "longitude": "EW"}


def geographic(array: Array) -> str:
    """Return ``NS`` for latitudes and ``EW`` for longitudes, by standard_name or else by units; empty for others.

    Parameters
    ----------
    array : Array
        The array.
    """
    name, units = (array.attributes.get(attribute) for attribute in ("standard_name", "units"))
    return (_BY_NAME.get(name, "") if isinstance(name, str) else "") or hemispheres(units)
