"""Z2: what Zarr v2 asks of structured data types."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from nz_explorer.conventions.zarr2.members import V2
from nz_explorer.conventions.zarr2.types import BEFORE_3_4_1
from nz_explorer.conventions.zarr3.nodes import NCZARR_ERROR, VALUE_ERROR, set_to, shown
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.registry import rule
from nz_explorer.model.data_type import parse_v2
from nz_explorer.text.phrases import listed

if TYPE_CHECKING:
    from nz_explorer.model import Array

DTYPE = "/.zarray/dtype"

_TWICE = {
    "zarr-python": "raises ValueError or TypeError, at the latest when it reads",
    "xarray": "cannot open the group",
    **NCZARR_ERROR,
}
"""What becomes of fields of one name."""


@rule("Z2-DT-003", on="array", formats=V2, provides="data type")
def structured_type(array: Array) -> Iterator[Fail]:
    """Require a list of fields with names and types."""
    given = array.metadata.get("dtype")
    if isinstance(given, list) and array.data_type.status in ("unknown", "malformed"):
        named = _named(given)
        taken = parse_v2(named).known and named == _named(given, unlike=False)
        called = f"; NumPy calls such fields {listed(_new_names(given, named))}" if taken else ""
        at, of_shape = _fault(given, DTYPE)
        why = f"structured dtype is not valid: {array.data_type.text}{called}"
        if of_shape is not None:
            what, lengths = shown(of_shape[0]), shown(of_shape[2])
            why = f"structured dtype: the shape of field {what} must be a list of lengths that its type can have, got {lengths}"
        yield Fail(
            at,
            why,
            readers=_readers_of(named) | NCZARR_ERROR
            if taken
            else _TWICE
            if parse_v2(named).known or (given and at == DTYPE)
            else None,
            fix=set_to(DTYPE, named, "safe" if taken else "suggest")
            if parse_v2(named).known
            else None,
        )
        return
    with_shapes = list(_subarrays(given, DTYPE))
    for at, name, shape in with_shapes:
        if not isinstance(shape, list):
            yield Fail(
                at,
                f"structured dtype: the shape of field {shown(name)} must be a list of lengths, got {shown(shape)}",
                readers=VALUE_ERROR,
                fix=set_to(at, [shape]),
            )
        else:
            yield Fail(
                at,
                f"structured dtype: field {shown(name)} has a shape, which is valid; zarr-python 3 does not open such arrays",
                severity="info",
                impact="blocks",
                readers=VALUE_ERROR,
            )
    for i, field in enumerate(given if isinstance(given, list) and not with_shapes else ()):
        if isinstance(field[1], list):
            yield Fail(
                f"{DTYPE}/{i}/1",
                f"structured dtype: field {shown(field[0])} has fields itself, which is valid; zarr-python before 3.4.1 does not open such arrays",
                severity="info",
                impact="blocks",
                readers=BEFORE_3_4_1,
            )


def kinds_of_fields_without_zero(array: Array) -> set[str]:
    """Return the kinds of the fields for which NumPy makes no value from 0: ``M``, dates without a unit, and ``V``, raw bytes.

    Parameters
    ----------
    array : Array
        An array of Zarr v2.
    """
    numpy = array.data_type.numpy
    fields = numpy.fields if numpy is not None else None
    return {one.kind for one, *_ in (fields or {}).values() if _has_no_zero(one)}


def _has_no_zero(one: np.dtype[Any]) -> bool:
    if one.kind == "V":
        return one.names is None and one.subdtype is None
    return one.kind == "M" and np.datetime_data(one)[0] == "generic"


def _fault(given: list[Any], pointer: str) -> tuple[str, list[Any] | None]:
    """Return where the first part of a structured type is that makes it none, and the field whose shape that is."""
    for i, field in enumerate(given):
        at = f"{pointer}/{i}"
        if not isinstance(field, list) or len(field) not in (2, 3):
            return at, None
        if not isinstance(field[0], str) or not (field[0] or parse_v2([field]).known):
            return f"{at}/0", None
        if isinstance(field[1], list) and field[1] and not parse_v2(field[1]).known:
            return _fault(field[1], f"{at}/1")
        if not parse_v2([field[:2]]).known:
            return f"{at}/1", None
        if not parse_v2([field]).known:
            return f"{at}/2", field
    return pointer, None  # of fields that are right by themselves, such as two of one name


def _named(given: list[Any], *, unlike: bool = True) -> list[Any]:
    """Return fields of which all have names, at every depth: those that NumPy gives them, or others where there is such a field."""
    fields = [[*field] if isinstance(field, list) else field for field in given]
    known = [field[0] for field in fields if isinstance(field, list) and field]
    for number, field in enumerate(fields):
        if not isinstance(field, list) or len(field) < 2:
            continue
        if isinstance(field[1], list):
            field[1] = _named(field[1], unlike=unlike)
        if field[0] == "" and not parse_v2([field]).known:  # else it is padding
            field[0] = f"f{number}"
            while unlike and field[0] in known:
                field[0] += "_"
    return fields


def _readers_of(fields: list[Any]) -> dict[str, str]:
    """Return which readers refuse sound fields, as far as they have shapes or fields themselves."""
    if any(_subarrays(fields, DTYPE)):
        return VALUE_ERROR
    return BEFORE_3_4_1 if any(isinstance(field[1], list) for field in fields) else {}


def _new_names(given: list[Any], named: list[Any]) -> Iterator[str]:
    """Yield the names that fields have got, at every depth."""
    for field, other in zip(given, named, strict=True):
        if isinstance(field[1], list):
            yield from _new_names(field[1], other[1])
        if field[0] != other[0]:
            yield other[0]


def _subarrays(given: Any, pointer: str) -> Iterator[tuple[str, Any, Any]]:
    """Yield the pointer, the name and the shape of each field of a sound structured type that has a shape."""
    pending = [(pointer, given)]
    for at, fields in pending:
        for i, field in enumerate(fields if isinstance(fields, list) else ()):
            pending.append((f"{at}/{i}/1", field[1]))
            if len(field) == 3:
                yield f"{at}/{i}/2", field[0], field[2]
