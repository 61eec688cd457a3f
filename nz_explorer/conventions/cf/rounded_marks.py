"""Marks for missing data that a codec rounds before they are stored (CF): nothing stored is equal to them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from nz_explorer.conventions.cf.packing import fill_is_unpacked
from nz_explorer.conventions.zarr3.arrays import all_codecs
from nz_explorer.conventions.zarr3.representations import returned, same
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.fixes import Draft, replace
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Node, codec_name, configuration_of
from nz_explorer.model.fill_values import FillValue, value_text

if TYPE_CHECKING:
    from nz_explorer.engine.findings import FixMaker

_ROUNDS = ("bitround", "quantize", "fixedscaleoffset", "astype")
"""Codecs of numcodecs that do not return every value they are given; those of Zarr v3 may have ``numcodecs.`` in front."""
_KEEPS = ("transpose", "reshape")


def _rounds(array: Array) -> bool:
    return array.data_type.kind == "float" and (
        next(_rounding(array), None) is not None or _casts(array)
    )


def _casts(array: Array) -> bool:
    return array.zarr_format == 3 and any(
        codec_name(codec) == "cast_value" for _, codec in all_codecs(array.codecs, "")
    )


def _rounding(array: Array) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the first codecs of an array, as numcodecs spells them, by name: up to the first that is none of `_ROUNDS`."""
    chain = list(array.codecs)
    while chain:
        codec = chain.pop(0)
        name = codec_name(codec) or ""
        own = name.removeprefix("numcodecs.")
        settings = configuration_of(codec) if array.zarr_format == 3 else codec
        if not isinstance(settings, dict):  # a bare name, which Z2-ARR-008 tells
            return
        if own in _ROUNDS:
            yield name, {**settings, "id": own}
        elif name == "sharding_indexed" and isinstance(inner := settings.get("codecs"), list):
            chain = list(inner)
        elif name not in _KEEPS:
            return


def _marks(array: Array) -> Iterator[tuple[str, FillValue]]:
    """Yield the values that readers take for missing, with the pointers to what says so."""
    if array.fill is not None and array.fill_source is not None:
        own = array.fill_source == "_FillValue"
        place = array.attribute_pointer("_FillValue") if own else array.pointer("fill_value")
        yield place, array.fill
    for mark in array.missing_values:
        yield array.attribute_pointer("missing_value"), mark


@rule("CF-FILL-006", on="array", needs=("attributes", "data type", "codecs"), when=_rounds)
def marks_are_kept_by_codecs(array: Array) -> Iterator[Fail]:
    """Require of each codec that rounds that it returns the marks for missing data as they are."""
    if "_FillValue" in array.attributes and any(True for _ in fill_is_unpacked(array)):
        return  # a mark that was meant packed, which CF-PACK-003 tells
    told: set[str] = set()
    for pointer, mark in _marks(array):
        if not mark.usable or pointer in told:
            continue
        changed = _rounded(array, mark.value) or _cast(array, pointer, mark.value)
        if changed is None:
            continue
        told.add(pointer)
        codecs, stored = changed
        what = value_text(mark.value)
        yield Fail(
            pointer,
            f"{codecs} {what} as {value_text(stored)}, so no missing value that was written through it is equal to"
            f" {what}, and it is shown as data",
            fix=_as_stored(pointer, mark, float(str(stored))),
        )


def _rounded(array: Array, mark: Any) -> tuple[str, Any] | None:
    """Return the codec of numcodecs that changes a value, in words, and what it makes of it; None where none does."""
    from numcodecs.registry import get_codec  # type: ignore[import-untyped]

    stored = given = np.asarray([mark], array.data_type.numpy)
    for name, settings in _rounding(array):
        try:
            codec = get_codec(dict(settings))
            with np.errstate(all="ignore"):
                back = np.asarray(codec.decode(codec.encode(stored.copy())))
            stored = back.view(given.dtype) if back.dtype.kind in "uV" else back.astype(given.dtype)
        except (TypeError, ValueError, ArithmeticError, RuntimeError):
            return None  # refused: other rules tell
        if not np.array_equal(stored, given, equal_nan=True):
            return f"the codec {name} writes", stored[0]
    return None


def _cast(array: Array, pointer: str, mark: Any) -> tuple[str, Any] | None:
    """Return the same for the codecs of Zarr v3 that make packed values; of fill_value Z3-CODEC-011 tells it."""
    if not _casts(array) or pointer == array.pointer("fill_value"):
        return None
    read = returned(array, float(mark))
    if read is None or np.isnan(read) or same(read, float(mark)):
        return None  # NaN is taken for missing, too
    return "the codec cast_value gives back", np.asarray(read, array.data_type.numpy)[()]


def _as_stored(pointer: str, mark: FillValue, stored: float) -> FixMaker:
    """Return the fix that declares what is stored."""

    def fix(node: Node) -> Draft:
        given = node.attributes.get(pointer.rpartition("/")[2], mark.given)  # a list is left alone
        if isinstance(given, int | float) and np.isfinite([stored, mark.value]).all():
            note = "if the missing values were written through this codec; values close to it are missing then, too"
            return Draft("suggest", (replace(pointer, stored),), note)
        note = "write the data again, with a mark that the codec keeps, or without the codec"
        return Draft("suggest", note=note)

    return fix
