"""NZ: _FillValue is one value of the array's own type (NZ-1.0, Array Attributes)."""

from __future__ import annotations

import math
import struct
from base64 import b64encode
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from nz_explorer.model import Array, is_candidate
from nz_explorer.model.fill import MISSING, FillProblem, FillValue, decode_fill
from nz_explorer.model.json_text import json_text
from nz_explorer.rules.findings import Fail, FixMaker, Undecided
from nz_explorer.rules.fixes import Draft, remove, set_attribute
from nz_explorer.rules.registry import rule

if TYPE_CHECKING:
    from nz_explorer.model import Group, Node

XARRAY = (
    "xarray (up to 2026.9) reads only its own form and cannot open the group of an array with the plain value;"
    " every other reader needs the plain value"
)


def _has_fill(array: Array) -> bool:
    return "_FillValue" in array.attributes


def _problems(array: Array, *kinds: str) -> Iterator[Fail | Undecided]:
    """Fail for each problem of some kinds that the decoder found."""
    fill, data_type = array.fill, array.data_type
    if data_type.numpy is None or fill is None:
        yield Undecided(f"unsupported: data type {data_type.text}")
        return
    for problem in fill.problems:
        if problem.kind in kinds:
            wrong = f" is not a {data_type.name} value:" if problem.kind == "type" else ""
            yield Fail(
                array.attribute_pointer("_FillValue"),
                f"_FillValue{wrong} {problem.why}",
                fix=_correct(problem),
            )


def _correct(problem: FillProblem) -> FixMaker:
    def fix(node: Node) -> Draft | None:
        if problem.suggestion is MISSING:
            return None
        return Draft(
            problem.safety,
            set_attribute(node, "_FillValue", problem.suggestion),
            XARRAY if problem.kind == "dialect" else None,
        )

    return fix


@rule("NZ-FILL-002", on="array", needs=("attributes", "data type"), reads="fill", when=_has_fill)
def fill_type(array: Array) -> Iterator[Fail | Undecided]:
    """Want a value of the array's data type."""
    yield from _problems(array, "type")


@rule("NZ-FILL-003", on="array", needs=("attributes", "data type"), reads="fill", when=_has_fill)
def fill_range(array: Array) -> Iterator[Fail | Undecided]:
    """Fail on a value that the data type cannot hold: it never matches anything."""
    yield from _problems(array, "range")
    if _overflows(array):
        yield Fail(
            array.attribute_pointer("_FillValue"),
            f"_FillValue is a number beyond the largest {array.data_type.name} and can never match",
        )


def _overflows(array: Array) -> bool:
    """Whether a number such as 1e999 was read as infinity, which JSON has no number for."""
    given = array.attributes["_FillValue"]
    if not isinstance(given, float) or not math.isinf(given) or array.data_type.kind != "float":
        return False
    document = array.attributes_document
    bare = [p for p in document.problems if p.kind == "bare-token"] if document is not None else []
    return not any(p.pointer in ("", "/attributes/_FillValue", "/_FillValue") for p in bare)


@rule("NZ-FILL-004", on="array", needs=("attributes", "data type"), reads="fill", when=_has_fill)
def fill_scalar(array: Array) -> Iterator[Fail | Undecided]:
    """Want one value, not a list, an object or null. A complex value is a pair."""
    yield from _problems(array, "list")


@rule("NZ-FILL-005", on="array", needs=("attributes", "data type"), reads="fill", when=_has_fill)
def fill_dialect(array: Array) -> Iterator[Fail | Undecided]:
    """Warn of the form that only xarray understands."""
    yield from _problems(array, "dialect")


@rule("NZ-FILL-009", on="array", needs=("attributes", "data type"), reads="fill", when=_has_fill)
def fill_spelling(array: Array) -> Iterator[Fail | Undecided]:
    """Note a value that is understood, but is not exactly what is written."""
    yield from _problems(array, "rounding", "spelling")


@rule("NZ-FILL-001", on="group", needs=("attributes",), reads="attribute names")
def no_fill_on_group(group: Group) -> Iterator[Fail]:
    """Fail on a missing value of something that has no values."""
    if "_FillValue" in group.attributes:
        pointer = group.attribute_pointer("_FillValue")
        yield Fail(
            pointer,
            "_FillValue on a group has no meaning: it belongs on arrays",
            fix=lambda _node: Draft("unsafe", (remove(pointer),)),
        )


def _sound(array: Array) -> FillValue | None:
    """Return the decoded missing value where there is one; what is wrong with others is told elsewhere."""
    fill = array.fill
    return fill if fill is not None and fill.usable and not _overflows(array) else None


@rule(
    "NZ-FILL-006",
    on="array",
    formats=(3,),
    needs=("attributes", "data type"),
    reads="fill",
    when=_has_fill,
)
def fill_for_xarray(array: Array) -> Iterator[Fail]:
    """Note a value that is right, and that xarray cannot read."""
    fill = _sound(array)
    if (
        fill is not None
        and array.data_type.kind in ("float", "complex")
        and fill.dialect in ("literal", "name", "hex", "pair")
        and not any(problem.kind == "dialect" for problem in fill.problems)
    ):
        yield Fail(
            array.attribute_pointer("_FillValue"),
            "xarray (up to 2026.9) cannot open the group of this array: it expects base64,"
            f" found {json_text(fill.given)}",
            fix=_for_xarray,
        )


def _for_xarray(node: Node) -> Draft | None:
    """Return the other direction of NZ-FILL-005: what xarray reads, and no one else."""
    fill = _sound(node) if isinstance(node, Array) else None
    if fill is None:
        return None
    value = complex(fill.value)
    parts = [b64encode(struct.pack("<d", part)).decode() for part in (value.real, value.imag)]
    return Draft(
        "unsafe",
        set_attribute(node, "_FillValue", parts if np.iscomplexobj(fill.value) else parts[0]),
        "xarray can then open the group; other readers no longer find the missing values",
    )


def same_value(a: FillValue, b: FillValue) -> bool:
    """Whether two decoded values are the same missing value; NaN is NaN, whatever its bits."""
    if isinstance(a.value, str | bytes | np.void) or isinstance(b.value, str | bytes | np.void):
        return bool(a.value == b.value)
    if np.asarray(a.value).dtype.kind in "fc" and np.isnan(a.value):
        return bool(np.isnan(b.value))
    return bool(a.value == b.value)


@rule("NZ-FILL-007", on="array", needs=("attributes", "data type"), reads="fill", when=_has_fill)
def fill_equals_storage(array: Array) -> Iterator[Fail]:
    """Note that chunks which were never written do not count as missing."""
    fill, stored = _sound(array), array.storage_fill
    if fill is None or stored is None or not stored.usable or same_value(fill, stored):
        return
    yield Fail(
        array.attribute_pointer("_FillValue"),
        f"_FillValue {fill.text} differs from fill_value {stored.text}: chunks that were never written"
        f" read as {stored.text}, which is not masked",
    )


@rule("NZ-FILL-012", on="array", needs=("attributes",), reads="fill", when=_has_fill)
def fill_on_coordinate(array: Array) -> Iterator[Fail]:
    """Note a missing value of an array in which none may be missing."""
    if is_candidate(array):
        pointer = array.attribute_pointer("_FillValue")
        yield Fail(
            pointer,
            "this array is named like its dimension and declares _FillValue; a coordinate has no missing values",
            fix=lambda _node: Draft("unsafe", (remove(pointer),)),
        )


@rule("NZ-FILL-013", on="array", needs=("attributes", "data type"), reads="fill", when=_has_fill)
def fill_equals_missing_value(array: Array) -> Iterator[Fail]:
    """Note an attribute of CF that says something else."""
    fill = _sound(array)
    if fill is None or "missing_value" not in array.attributes:
        return
    other = decode_fill(array.attributes["missing_value"], array.data_type)
    if other.usable and not same_value(fill, other):
        yield Fail(
            array.attribute_pointer("missing_value"),
            f"missing_value {other.text} differs from _FillValue {fill.text}",
        )
