"""The mask of a picture: which of its cells are drawn as values, and what the others are."""

from __future__ import annotations

from typing import Literal

import numpy as np

from nz_explorer.plots.picture import QuickLook
from nz_explorer.values.masks.cell_states import (
    FILL,
    INF,
    MISSING_VALUE,
    NAN,
    NEG_INF,
    VALUE,
    States,
    in_valid_range,
)

Mask = Literal["nz", "storage", "raw", "differences"]
ONLY_NZ, ONLY_STORAGE = 20, 21
"""Not states of the protocol: where the two masks differ."""


def masked_states(look: QuickLook, mask: Mask, *, decoded: bool) -> States:
    """Return the states of a picture's cells under a mask.

    Parameters
    ----------
    look : QuickLook
        The picture.
    mask : {"nz", "storage", "raw", "differences"}
        What counts as missing: ``_FillValue``, the storage ``fill_value``, nothing; or where the first two differ.
    decoded : bool
        Whether ``missing_value`` and the valid range of CF count as well.
    """
    assert look.cell_states is not None  # noqa: S101  # only pictures come here
    assert look.storage_states is not None  # noqa: S101
    nz, storage = look.cell_states, look.storage_states
    if decoded:
        nz, storage = _in_valid_range(look, nz), _in_valid_range(look, storage)
    elif not look.derived:
        nz, storage = (np.where(s == MISSING_VALUE, VALUE, s).astype("u1") for s in (nz, storage))
    if mask == "nz" or look.derived:  # what it is made of was masked before
        return nz
    if mask == "storage":
        return storage
    if mask == "differences":
        only_storage = (nz == VALUE) & (storage != VALUE)
        only_nz = (nz != VALUE) & (storage == VALUE)
        return np.where(only_nz, ONLY_NZ, np.where(only_storage, ONLY_STORAGE, nz)).astype("u1")
    # raw: a fill value is a number again; what was not read stays unread
    states = look.cell_states.copy()
    filled = (states == FILL) | (states == MISSING_VALUE)
    states[filled] = VALUE
    if look.values is not None:
        states[filled & np.isnan(look.values)] = NAN
        states[filled & (look.values == np.inf)] = INF
        states[filled & (look.values == -np.inf)] = NEG_INF
    return states


def _in_valid_range(look: QuickLook, states: States) -> States:
    if look.values is None:
        return states
    return in_valid_range(look.values, states, look.valid_low, look.valid_high)
