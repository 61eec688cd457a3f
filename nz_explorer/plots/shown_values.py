"""The values that a picture shows, for use in Python and in files: decoded, masked and windowed as they are drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from nz_explorer.plots.complex_parts import PART_OF, Part
from nz_explorer.plots.picture import QuickLook
from nz_explorer.values.masks.cell_states import (
    ABSENT,
    FILL,
    INF,
    MISSING_VALUE,
    NAN,
    NEG_INF,
    STORAGE_FILL,
    VALUE,
    States,
    equal_to_any,
    within,
)

_SHOWN = (VALUE, NAN, INF, NEG_INF)


@dataclass(frozen=True, slots=True)
class Reading:
    """What is made of stored values.

    Parameters
    ----------
    mask
        What counts as missing: ``nz`` (``_FillValue``), ``storage`` (the storage fill value), ``raw`` (nothing);
        ``differences`` counts as ``nz``.
    decoded
        Whether packed values are unpacked, and those that equal ``missing_value`` or lie outside the valid range masked.
    part
        Of complex numbers; None for the numbers themselves.
    """

    mask: Literal["nz", "storage", "raw"] = "nz"
    decoded: bool = True
    part: Part | None = None

    @classmethod
    def of(cls, view: Mapping[str, Any], *, packed: bool = False) -> Reading:
        """Return the reading that a view of the browser asks for.

        Parameters
        ----------
        view
            See `Explorer.view`.
        packed
            Whether stored values are wanted, whatever the view says.
        """
        mask = view.get("mask")
        part = view.get("part")
        return cls(
            mask if mask in ("storage", "raw") else "nz",
            not packed
            and view.get("cf", True) is not False
            and view.get("decoded", True) is not False,
            part if part in PART_OF else None,
        )


def shown_values(look: QuickLook, reading: Reading) -> np.ma.MaskedArray[Any, Any]:
    """Return the values that a picture shows, masked where there is none.

    Parameters
    ----------
    look
        The picture; of all elements that were read, also where it draws fewer.
    reading
        What is made of them.

    Returns
    -------
    numpy.ma.MaskedArray
        Of the array's own type; float64 where they are unpacked, and of a part of complex numbers a float type. A
        chunk that was never written has the fill value of the storage, and is masked only where that is missing;
        what is unreadable or was not read is masked.

    Raises
    ------
    ValueError
        If there is no picture.
    """
    stored = look.stored
    if look.derived:  # what it is made of was masked and unpacked
        reading = Reading()
    if stored is None:
        raise ValueError(look.message or f"{look.path} has no picture")
    values = stored
    if reading.part is not None and stored.dtype.kind == "c":
        values = PART_OF[reading.part](stored)
    unpacked = reading.decoded and look.packing is not None
    if unpacked and look.packing is not None:
        values = look.packing.decode(stored)
    if look.stored_states is None:
        return np.ma.masked_array(values, mask=np.ma.nomask)
    nz, storage = look.stored_states
    states = storage if reading.mask == "storage" else nz
    missing = _missing(look, states, reading)
    if reading.decoded and reading.mask != "raw":
        missing |= equal_to_any(stored, look.missing_values)
        low, high = look.valid_low, look.valid_high
        if low is not None or high is not None:
            missing |= ~within(stored, low, high) & np.isin(states, (VALUE, ABSENT))
    if look.missing_code is not None and reading.mask != "raw":
        missing |= stored == look.missing_code
    return np.ma.masked_array(values, mask=missing)


def _missing(
    look: QuickLook, states: States, reading: Reading
) -> np.ndarray[Any, np.dtype[np.bool_]]:
    shown = list(_SHOWN)
    if reading.mask == "raw" or not reading.decoded:
        shown.append(MISSING_VALUE)
    if reading.mask == "raw":
        shown += [FILL, STORAGE_FILL, ABSENT]
    elif not look.absent_missing[reading.mask == "storage"]:
        shown.append(ABSENT)
    return ~np.isin(states, shown)
