"""NZ: _FillValue is one value of the array's own type (NZ-1.0, The _FillValue Attribute)."""

from __future__ import annotations

import struct
from base64 import b64decode, b64encode
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, FixMaker, Undecided
from nz_explorer.engine.fixes import Draft, remove, replace, set_attribute
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, is_candidate
from nz_explorer.model.fill_values import MISSING, FillProblem, FillValue, same_value
from nz_explorer.model.signedness import meant_type
from nz_explorer.text.phrases import article

if TYPE_CHECKING:
    from nz_explorer.model import Group, Node

XARRAY = (
    "xarray (up to 2026.9) reads only its own form, and cannot open a group with the plain value;"
    " all other readers need the plain value"
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
            wrong = f" is not {article(data_type.name)} value:" if problem.kind == "type" else ""
            yield Fail(
                array.attribute_pointer("_FillValue"),
                f"_FillValue{wrong} {problem.why}",
                **_for_readers(array, problem.kind),
                fix=_correct(problem),
            )


def _for_readers(array: Array, kind: str) -> dict[str, Any]:
    """Return what xarray does with a ``_FillValue`` that is not what it should be, for the finding."""
    error = xarray_error(array)
    if error is None:
        return {"readers": {}} if kind in ("type", "list") else {}
    return {"impact": "blocks", "readers": {"xarray": f"raises {error}, and cannot open the group"}}


def xarray_error(array: Array, value: Any = MISSING) -> str | None:
    """Return what xarray (up to 2026.9) raises for the ``_FillValue`` of an array of Zarr v3; None where it opens it.

    Parameters
    ----------
    array : Array
        An array with that attribute, or
    value : object
        what it would be.

    Notes
    -----
    Source: ``xarray.backends.zarr.FillValueCoder.decode``.
    """
    if array.zarr_format != 3 or array.data_type.numpy is None:
        return None
    kind = array.data_type.numpy.kind
    value = array.attributes["_FillValue"] if value is MISSING else value
    if kind == "f":
        if not isinstance(value, str):
            return "TypeError: Failed to decode fill_value: expected str or bytes"
        return _base64_error(value)
    if kind == "c":
        if not isinstance(value, list) or len(value) != 2:
            return "TypeError: Failed to decode fill_value: expected a 2-element list"
        return _base64_error(value[0]) or _base64_error(value[1])
    if kind in "iu":
        if not isinstance(value, int | float):
            return "TypeError: Failed to decode fill_value: expected int or float"
        if meant_type(array) is not None:
            signed = np.iinfo(f"i{array.data_type.numpy.itemsize}")
            if not signed.min <= value <= signed.max:
                return f"OverflowError: Python integer {value:.0f} out of bounds for {signed.dtype}"
        return None
    return None if kind == "b" else "ValueError: Failed to decode fill_value. Unsupported dtype"


def _base64_error(value: Any) -> str | None:
    if not isinstance(value, str):
        kind = type(value).__name__
        return f"TypeError: argument should be a bytes-like object or ASCII string, not '{kind}'"
    try:
        struct.unpack("<d", b64decode(value))
    except (ValueError, struct.error) as error:
        return f"{type(error).__name__}: {error}"
    return None


def _correct(problem: FillProblem) -> FixMaker:
    def fix(node: Node) -> Draft | None:
        if problem.suggestion is MISSING:
            return _left_out(node)
        return Draft(
            problem.safety,
            set_attribute(node, "_FillValue", problem.suggestion),
            _note(node, problem),
        )

    return fix


def _left_out(node: Node) -> Draft:
    """Return the fix for what no value of the array can be, such as NaN on integers and a number on texts."""
    what = "integer" if node.attributes.get("_FillValue") == "NaN" else "value"
    note = f"no {what} equals it, so nothing is masked either way; if another one stands for missing data, write that one"
    if isinstance(node, Array) and node.data_type.kind == "bool":
        note = "xarray takes it for true, and shows each true value as missing"
    return Draft("suggest", (remove(node.attribute_pointer("_FillValue")),), note)


def _note(node: Node, problem: FillProblem) -> str | None:
    """Return what remains to be known of a fix: xarray reads no plain value of floats."""
    if problem.kind == "dialect":
        return XARRAY
    kind = node.data_type.kind if isinstance(node, Array) and node.zarr_format == 3 else ""
    if kind not in ("float", "complex"):
        return None
    return (
        "NZ readers then know it; xarray (up to 2026.9) still cannot open the group, because it reads"
        " only its own base64 form (NZ-FILL-006)"
    )


@rule("NZ-FILL-002", on="array", needs=("attributes", "data type"), when=_has_fill)
def fill_type(array: Array) -> Iterator[Fail | Undecided]:
    """Require a value of the array's data type."""
    yield from _problems(array, "type")


@rule("NZ-FILL-003", on="array", needs=("attributes", "data type"), when=_has_fill)
def fill_range(array: Array) -> Iterator[Fail | Undecided]:
    """Fail on a value that the data type cannot hold: it never matches anything."""
    yield from _problems(array, "range")


@rule("NZ-FILL-004", on="array", needs=("attributes", "data type"), when=_has_fill)
def fill_scalar(array: Array) -> Iterator[Fail | Undecided]:
    """Require one value, not a list, an object or null. A complex value is a pair."""
    yield from _problems(array, "list")


@rule("NZ-FILL-005", on="array", needs=("attributes", "data type"), when=_has_fill)
def fill_dialect(array: Array) -> Iterator[Fail | Undecided]:
    """Warn of the form that only xarray understands."""
    yield from _problems(array, "dialect")


@rule("NZ-FILL-009", on="array", needs=("attributes", "data type"), when=_has_fill)
def fill_spelling(array: Array) -> Iterator[Fail | Undecided]:
    """Note a value that is understood, but is not exactly what is written."""
    yield from _problems(array, "rounding", "spelling")


@rule("NZ-FILL-001", on="group", needs=("attributes",))
def no_fill_on_group(group: Group) -> Iterator[Fail]:
    """Fail on a missing value of something that has no values."""
    if "_FillValue" in group.attributes:
        pointer = group.attribute_pointer("_FillValue")
        yield Fail(
            pointer,
            "_FillValue has no meaning on a group; it belongs on arrays",
            fix=lambda _node: Draft("unsafe", (remove(pointer),)),
        )


def _sound(array: Array) -> FillValue | None:
    """Return the decoded missing value where there is one; problems of the others are reported by other rules."""
    fill = array.fill
    return fill if fill is not None and fill.usable else None


@rule(
    "NZ-FILL-006",
    on="array",
    formats=(3,),
    needs=("attributes", "data type"),
    when=_has_fill,
)
def fill_for_xarray(array: Array) -> Iterator[Fail]:
    """Note a value that is right, and that xarray cannot read."""
    fill, error = _sound(array), xarray_error(array)
    if fill is None or error is None:
        return
    if not any(problem.kind == "dialect" for problem in fill.problems):
        forms = {"float": "base64", "complex": "two texts in base64"}
        numbers = array.data_type.kind in forms
        expects = (
            f"expects {forms[array.data_type.kind]}"
            if numbers
            else f"reads no _FillValue of {array.data_type.text}"
        )
        found = json_text(fill.given)
        if array.hierarchy.reader.unwritten:
            way = '; to_zarr(path, fill="xarray") of ds.nz writes that' if numbers else ""
            yield Fail(
                array.attribute_pointer("_FillValue"),
                "nothing is written yet: as Zarr with this _FillValue, xarray (up to 2026.9) would not open the"
                f" group, since it {expects}, found {found}{way}",
                impact="advice",
                readers={"xarray": f"would raise {error}, and not open the group"},
            )
            return
        yield Fail(
            array.attribute_pointer("_FillValue"),
            "xarray (up to 2026.9) cannot open the group of this array:"
            f" it {expects}, found {found}",
            readers={"xarray": f"raises {error}, and cannot open the group"},
            fix=_for_xarray,
        )


def _for_xarray(node: Node) -> Draft | None:
    """Return the other direction of NZ-FILL-005: what xarray reads, and no one else."""
    fill = _sound(node) if isinstance(node, Array) else None
    if fill is None or not isinstance(node, Array):
        return None
    if node.data_type.kind in ("string", "bytes"):
        masks = "masks by it" if node.data_type.kind == "string" else "masks nothing"
        pointer = node.attribute_pointer("_FillValue")
        return Draft(
            "unsafe",
            (*set_attribute(node, "missing_value", fill.given), remove(pointer)),
            f"then xarray opens the group and {masks}, but NZ readers no longer recognise missing values",
        )
    if not isinstance(fill.value, np.inexact):
        return None
    value = complex(fill.value)
    parts = [b64encode(struct.pack("<d", part)).decode() for part in (value.real, value.imag)]
    return Draft(
        "unsafe",
        set_attribute(node, "_FillValue", parts if np.iscomplexobj(fill.value) else parts[0]),
        "then xarray can open the group, but other readers no longer recognise missing values",
    )


@rule("NZ-FILL-007", on="array", needs=("attributes", "data type"), when=_has_fill)
def fill_equals_storage(array: Array) -> Iterator[Fail]:
    """Note that chunks which were never written do not count as missing."""
    fill, stored = _sound(array), array.storage_fill
    if fill is None or stored is None or not stored.usable or same_value(fill, stored):
        return
    yield Fail(
        array.attribute_pointer("_FillValue"),
        f"_FillValue {fill.text} differs from fill_value {stored.text}: chunks that were never written"
        f" read as {stored.text}, which is not masked; viewers that know fill_value alone draw {fill.text} as a value",
    )


@rule("NZ-FILL-012", on="array", needs=("attributes",), when=_has_fill)
def fill_on_coordinate(array: Array) -> Iterator[Fail]:
    """Note a missing value of an array in which none may be missing."""
    if is_candidate(array):
        pointer = array.attribute_pointer("_FillValue")
        yield Fail(
            pointer,
            "this array has the name of its dimension and declares _FillValue; a coordinate has no missing values",
            fix=None if _marks_missing_times(array) else _unmarked,
        )


def _marks_missing_times(array: Array) -> bool:
    """Whether _FillValue is what NumPy stores for NaT, which is no time: where it is meant, it is needed."""
    fill = _sound(array)
    value = None if fill is None else fill.value
    if isinstance(value, np.datetime64 | np.timedelta64):
        return bool(np.isnat(value))
    return isinstance(value, np.int64) and value == np.iinfo(np.int64).min


def _unmarked(node: Node) -> Draft:
    """Return the fix that marks no value as missing: in Zarr v2 xarray masks by an equal fill_value as well."""
    note = "only if none of its values is missing: what equals it is a value then"
    unmarked = remove(node.attribute_pointer("_FillValue"))
    fill = node.fill if isinstance(node, Array) and node.zarr_format == 2 else None
    stored = node.xarray_fill if isinstance(node, Array) else None
    if fill is None or stored is None or stored is fill or not same_value(fill, stored):
        return Draft("unsafe", (unmarked,), note)
    note += "; chunks that were not written then hold nothing in particular"
    return Draft("unsafe", (unmarked, replace(node.pointer("fill_value"), None)), note)


@rule("NZ-FILL-013", on="array", needs=("attributes", "data type"), when=_has_fill)
def fill_equals_missing_value(array: Array) -> Iterator[Fail]:
    """Note an attribute of CF with a different value."""
    fill = _sound(array)
    if fill is None or "missing_value" not in array.attributes:
        return
    other = array.decoded("missing_value")
    if other.usable and not same_value(fill, other):
        yield Fail(
            array.attribute_pointer("missing_value"),
            f"missing_value {other.text} differs from _FillValue {fill.text}",
        )
