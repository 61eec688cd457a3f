"""Z2: whether a filter gives back the values of its array, and can be given them at all."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from nz_explorer.conventions.zarr3.nodes import is_integer
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail

if TYPE_CHECKING:
    from nz_explorer.model import Array

_FIRST = "/.zarray/filters/0"
_READERS = ("zarr-python", "xarray")
_TAKEN = {
    "astype": "decode_dtype",
    "delta": "dtype",
    "fixedscaleoffset": "dtype",
    "quantize": "dtype",
}
"""Filters that take the bytes of a chunk for values of a type, and their setting that names it."""
_BITS = {2: 10, 4: 23, 8: 52}
"""Bits behind the point that floats of so many bytes have."""
_NO_DIFFERENCES = "MOSUV"
"""Kinds of types that NumPy does not subtract, or does not add up again."""


def scaled_by_0(pointer: str, codec: dict[str, Any]) -> Iterator[Fail]:
    """Yield that a filter makes 0 of all values, and divides by 0 where it reads them.

    Parameters
    ----------
    pointer : str
        RFC 6901 pointer to the filter.
    codec : dict
        The filter.
    """
    scale = codec.get("scale")
    if codec["id"] == "fixedscaleoffset" and isinstance(scale, int | float) and scale == 0:
        shows = "shows NaN, or some other number, in place of every value"
        yield Fail(
            f"{pointer}/scale",
            "the setting scale of fixedscaleoffset is 0: values are multiplied by it when they are written, and divided when they are read",
            impact="values",
            readers=dict.fromkeys(_READERS, shows),
        )


def unfit(array: Array, filter_: dict[str, Any]) -> Iterator[Fail]:
    """Yield that the first filter of an array is for values of another kind or type.

    Those that lose nothing, such as differences of integers, give back the bytes of any type.

    Parameters
    ----------
    array : Array
        The array.
    filter_ : dict
        Its first filter, with settings of which numcodecs makes it.
    """
    numpy = array.data_type.numpy
    if numpy is None or numpy.kind == "O":
        return
    if filter_["id"] == "bitround":
        yield from _rounds_bits(array, numpy, filter_["keepbits"])
    elif filter_["id"] == "packbits" and (numpy.kind not in "biu" or numpy.itemsize > 1):
        yield _changes(
            _FIRST,
            f"the filter packbits is for truth values, and the array has {json_text(array.metadata['dtype'])}:"
            " of each byte it keeps whether it is 0",
        )
    elif (member := _TAKEN.get(filter_["id"])) is not None:
        yield from _takes_another(array, numpy, filter_, member)


def _rounds_bits(array: Array, numpy: np.dtype[Any], keep: Any) -> Iterator[Fail]:
    most = _BITS.get(numpy.itemsize) if numpy.kind == "f" else None
    if most is None:
        why = f"the filter bitround is for floats, and the array has {json_text(array.metadata['dtype'])}"
    elif not is_integer(keep) or keep > most:
        kind = (
            f"an integer from 0 to {most}, as {json_text(array.metadata['dtype'])} has no more bits"
        )
        why = f"the setting keepbits of bitround is {json_text(keep)}, and must be {kind}"
    else:
        return
    yield _writes_none(f"{_FIRST}/keepbits", why)


def _takes_another(
    array: Array, numpy: np.dtype[Any], filter_: dict[str, Any], member: str
) -> Iterator[Fail]:
    at, taken, name = f"{_FIRST}/{member}", np.dtype(filter_[member]), filter_["id"]
    if name == "delta" and taken.kind == "b":
        yield _changes(
            at,
            f"the filter delta does not give back truth values: differences of {json_text(taken.str)} are"
            ' truth values as well; as "|u1" it does',
        )
        return
    if name == "delta" and taken.kind in _NO_DIFFERENCES:
        what = json_text(taken.str)
        yield _raises(
            at,
            f"the filter delta is for numbers, and {what} cannot be subtracted and added up again",
        )
        return
    if taken == numpy or not taken.itemsize:
        return
    whose = f"the filter {name} is for numbers of {json_text(taken.str)}, and the array has {json_text(array.metadata['dtype'])}"
    chunk = array.chunk_shape or ()
    row = numpy.itemsize * (chunk[-1] if chunk else 1)
    if math.prod(chunk) * numpy.itemsize % taken.itemsize:
        yield _raises(at, f"{whose}: the bytes of a chunk are no whole number of them")
    elif row % taken.itemsize and array.metadata.get("order") == "C":
        yield _writes_none(
            at, f"{whose}, of which the bytes along the last dimension are no whole number"
        )
    elif numpy.kind in "iuf" and _loses(numpy, taken, filter_):
        yield _changes(at, f"{whose}: it takes the bytes of the one for the other")


def _loses(numpy: np.dtype[Any], taken: np.dtype[Any], filter_: dict[str, Any]) -> bool:
    """Whether bytes of one type that are taken for values of another one do not come back as they were."""
    if filter_["id"] == "delta":
        return taken.kind in "fc"  # differences of floats are rounded
    if filter_["id"] == "astype":
        if np.dtype(filter_["encode_dtype"]).itemsize >= taken.itemsize:
            return False
        return "f" in numpy.kind + taken.kind or taken.itemsize > numpy.itemsize
    return "f" in numpy.kind + taken.kind


def _raises(at: str, why: str) -> Fail:
    does = "opens the array, and raises an error when it reads or writes a chunk"
    return Fail(at, why, readers=dict.fromkeys(_READERS, does))


def _writes_none(at: str, why: str) -> Fail:
    return Fail(
        at,
        f"{why}: zarr-python reads the chunks, and writes none",
        severity="warning",
        impact="convention",
        readers={},
    )


def _changes(at: str, why: str) -> Fail:
    return Fail(
        at,
        why,
        severity="warning",
        impact="values",
        readers=dict.fromkeys(_READERS, "changes the values when it writes them"),
    )
