"""How netCDF-C reads the lengths of dimensions that it has noted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nz_explorer.model.array import Array

LONGEST = 2**63 - 1
"""The longest dimension that netCDF-C can count; it takes every longer one for this."""
_NUMBER = re.compile(r"\s*[+-]?[0-9]+")


def is_unlimited(given: Any) -> bool | None:
    """Return what netCDF-C takes a note of an unlimited dimension for; None where it crashes.

    It counts with the number that a text begins with, and true is such a text, without one.
    """
    if isinstance(given, bool | str):
        match = _NUMBER.match(str(given))
        return match is not None and int(match[0]) != 0
    return given != 0 if isinstance(given, int | float) else None


def length_of(given: Any) -> tuple[int, bool] | None:
    """Return the length of a declared dimension and whether it is unlimited; None where that is unclear."""
    unlimited = False
    if isinstance(given, dict):
        unlimited = is_unlimited(given.get("unlimited", 0)) is True
        given = given.get("size")
    return (given, unlimited) if type(given) is int and given >= 0 else None


def number_read(given: Any) -> int | None:
    """Return the number that netCDF-C 4.10 takes something for that is no length; None where it takes none.

    In an object it reads what a text, a float or true begins with, and makes 0 of one that begins with no number.
    """
    if type(given) is int:
        return given
    size = given.get("size") if isinstance(given, dict) else None
    if not isinstance(size, int | float | str):
        return None
    found = _NUMBER.match(f"{size:f}" if isinstance(size, float) else str(size))
    return 0 if found is None else int(found[0])


def with_length(given: Any, length: int) -> Any:
    """Return the note of a dimension with another length; whether it is unlimited stays.

    Parameters
    ----------
    given
        The note: a length, an object with one, or what stands in its place.
    length : int
        The length.
    """
    return {**given, "size": length} if isinstance(given, Mapping) else length


def lengths_along(arrays: Iterable[Array]) -> dict[str, set[int]]:
    """Return the lengths that arrays have along each dimension that they refer to, by its full name.

    Parameters
    ----------
    arrays : iterable of Array
        The arrays.
    """
    found: dict[str, set[int]] = {}
    for array in arrays:
        named = zip(array.dimension_references or (), array.shape or (), strict=False)
        for reference, length in named:
            found.setdefault(reference, set()).add(length)
    return found
