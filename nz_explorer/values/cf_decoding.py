"""What CF attributes say about stored values: packing, the valid range, flags – and times, for rules that ask here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from nz_explorer.model import Array
from nz_explorer.model.signedness import meant_number
from nz_explorer.values.coordinates.axes import (
    as_float,
    number_attribute,
    number_text,
    units_label,
    unusable_packing,
)
from nz_explorer.values.coordinates.times import (
    date_of,
    meant_units,
    seconds_in_unit,
    time_labels,
    time_problem,
)

__all__ = [
    "Flags",
    "Packing",
    "date_of",
    "flags",
    "meant_units",
    "packing",
    "seconds_in_unit",
    "time_labels",
    "time_problem",
    "valid_range",
]


@dataclass(frozen=True, slots=True)
class Packing:
    """How stored values are turned into what is meant; the fields are those of the protocol.

    Parameters
    ----------
    scale, offset
        What is meant is stored times `scale` plus `offset`.
    units
        Of what is meant.
    text
        The formula, for people.
    """

    scale: float
    offset: float
    units: str | None
    text: str

    def decode(self, values: Any) -> Any:
        """Return what stored values mean, as float64."""
        return np.asarray(values, np.float64) * self.scale + self.offset


def packing(array: Array) -> Packing | None:
    """Return how the values of an array are packed.

    Parameters
    ----------
    array
        The array.

    Returns
    -------
    Packing or None
        None where ``scale_factor`` and ``add_offset`` are absent or change nothing, and where one of them is
        unusable: values of which only half is decoded would be neither stored nor meant.

    Notes
    -----
    Source: CF-1.11, 8.1 Packed Data.
    See https://cfconventions.org/Data/cf-conventions/cf-conventions-1.11/cf-conventions.html.
    """
    if array.data_type.kind not in ("int", "uint", "float") or unusable_packing(array):
        return None
    scale, offset = number_attribute(array, "scale_factor"), number_attribute(array, "add_offset")
    if (scale in (None, 1.0) and offset in (None, 0.0)) or not np.isfinite(
        [scale or 1, offset or 0]
    ).all():
        return None
    formula = "stored"
    if scale is not None and scale != 1:
        formula += f" × {number_text(scale)}"
    if offset:
        formula += f" {'+' if offset > 0 else '−'} {number_text(abs(offset))}"
    return Packing(1.0 if scale is None else scale, offset or 0.0, units_label(array), formula)


def valid_range(array: Array) -> tuple[float | None, float | None]:
    """Return the range outside which values are invalid, in stored values.

    Parameters
    ----------
    array
        The array.

    Returns
    -------
    tuple of float or None
        From ``valid_range``, or ``valid_min`` and ``valid_max``; None where there is no limit.

    Notes
    -----
    Source: NUG, Attribute Conventions ("valid_range … If the data is packed … should match that of
    the packed data"). JSON keeps no types: a limit of packed integers that has a fraction can only
    be meant for unpacked values.
    See https://docs.unidata.ucar.edu/nug/current/attribute_conventions.html.
    """
    if array.data_type.kind not in ("int", "uint", "float"):
        return None, None
    both = array.attributes.get("valid_range")
    names = ("valid_min", "valid_max")
    if not (isinstance(both, list) and len(both) == 2 and all(map(_is_number, both))):
        both = [array.attributes.get(name) for name in names]
    low, high = (_limit(array, limit) for limit in both)
    packed = packing(array)
    whole = all(limit is None or float(limit).is_integer() for limit in (low, high))
    if packed is not None and array.data_type.kind != "float" and not whole and packed.scale:
        ends = [
            None if limit is None else (limit - packed.offset) / packed.scale
            for limit in (low, high)
        ]
        return (ends[1], ends[0]) if packed.scale < 0 else (ends[0], ends[1])
    return low, high


def _limit(array: Array, given: Any) -> float | None:
    """Return a limit as the type of an array has it: float32 has no 0.1, and float64 not every integer of 8 bytes."""
    if isinstance(given, list) and len(given) == 1:
        given = given[0]
    if not _is_number(given):
        return None
    limit = meant_number(array, given)
    own = array.data_type.numpy
    if own is not None and own.kind == "f":
        with np.errstate(over="ignore"):
            return float(own.type(as_float(limit)))
    return limit if -(2**63) <= limit < 2**64 else as_float(limit)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


@dataclass(frozen=True, slots=True)
class Flags:
    """What the values of an array stand for.

    Parameters
    ----------
    meanings
        A word for each value, or for each mask.
    values
        The values; None where every mask stands for itself.
    masks
        Which bits count for each; None where all do.
    """

    meanings: tuple[str, ...]
    values: tuple[int, ...] | None
    masks: tuple[int, ...] | None

    def label(self, value: int) -> str:
        """Return what a value stands for; the value itself where no flag matches."""
        wanted = self.masks if self.values is None else self.values
        masks = self.masks or (-1,) * len(self.meanings)
        words = [
            meaning
            for meaning, mask, flag in zip(self.meanings, masks, wanted or (), strict=True)
            if value & mask == flag
        ]
        return " + ".join(words) or str(value)


def flags(array: Array) -> Flags | None:
    """Return the flags of an array.

    Parameters
    ----------
    array
        The array.

    Returns
    -------
    Flags or None
        None where there are none, or where their numbers do not agree.

    Notes
    -----
    Source: CF-1.11, 3.5 Flags.
    See https://cfconventions.org/Data/cf-conventions/cf-conventions-1.11/cf-conventions.html.
    """
    meanings = array.attributes.get("flag_meanings")
    if array.data_type.kind not in ("int", "uint") or not isinstance(meanings, str):
        return None
    words = tuple(meanings.split())
    values = _integers(array.attributes.get("flag_values"), len(words))
    if values is not None:
        values = tuple(int(meant_number(array, value)) for value in values)
    masks = _integers(array.attributes.get("flag_masks"), len(words))
    if not words or (values is None and masks is None):
        return None
    return Flags(words, values, masks)


def _integers(given: Any, count: int) -> tuple[int, ...] | None:
    given = given if isinstance(given, list) else [given]
    whole = [
        int(item)
        for item in given
        if _is_number(item) and (isinstance(item, int) or item.is_integer())
    ]
    if any(not -(2**63) <= item < 2**64 for item in whole):
        return None  # of no type that an array of flags has
    return tuple(whole) if len(whole) == len(given) == count else None
