"""Integers whose attribute ``_Unsigned`` says that they have another sign than their data type."""

from __future__ import annotations

from typing import Any

import numpy as np

from nz_explorer.model.array import Array

_OTHER = {"i": ("true", "u"), "u": ("false", "i")}


def meant_type(array: Array) -> np.dtype[Any] | None:
    """Return the type that stored integers are meant to have; None where it is their own.

    Parameters
    ----------
    array
        The array.

    Notes
    -----
    Source: NUG, Attribute Conventions (`_Unsigned`: "the data in the variable should be treated as unsigned").
    See https://docs.unidata.ucar.edu/nug/current/attribute_conventions.html.
    """
    own = array.data_type.numpy
    said, kind = _OTHER.get("" if own is None else own.kind, (None, ""))
    if own is None or said is None or array.attributes.get("_Unsigned") != said:
        return None
    return np.dtype(f"{kind}{own.itemsize}")


def with_meant_sign(array: Array, values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return stored integers with the sign that they are meant to have.

    Parameters
    ----------
    array
        The array.
    values
        Some of its values, in the byte order of this machine.
    """
    meant = meant_type(array)
    return values if meant is None else values.view(meant)


def meant_number(array: Array, number: float) -> float:
    """Return what a number that an attribute says in the type of stored integers stands for, such as a flag.

    Parameters
    ----------
    array
        The array.
    number
        A limit or a flag.
    """
    meant = meant_type(array)
    if meant is None:
        return number
    limits = np.iinfo(meant)
    if meant.kind == "u" and number < 0:
        return number + int(limits.max) + 1
    if meant.kind == "i" and number > limits.max:
        return number - 2 * (int(limits.max) + 1)
    return number
