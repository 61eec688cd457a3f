"""CF: what marks missing data is declared (CF-1.11, 2.5.1 Missing data, valid and actual range of data)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from nz_explorer.conventions.bounds_of_coordinates import is_of_a_coordinate
from nz_explorer.conventions.cf.packing import number_in
from nz_explorer.conventions.cf.times import NOT_A_TIME, is_read_as_missing, is_time
from nz_explorer.conventions.times_as_numbers import declare_missing
from nz_explorer.conventions.zarr3.nodes import is_finite, is_number, shown
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, FixMaker, Undecided
from nz_explorer.engine.fixes import Draft, plain, remove, replace, set_attribute
from nz_explorer.engine.registry import rule
from nz_explorer.model import is_candidate, is_container

if TYPE_CHECKING:
    from nz_explorer.model import Array, Node
    from nz_explorer.values.contents import Contents
    from nz_explorer.values.coordinates.monotonicity import Monotonicity

V3 = (3,)
NETCDF_FLOAT = 9.969209968386869e36
DEFAULTS: dict[str, float] = {
    "int16": -32767,
    "int32": -2147483647,
    "int64": -9223372036854775806,
    "float32": NETCDF_FLOAT,
    "float64": NETCDF_FLOAT,
}
"""What netCDF puts where nothing was written, for the types whose default no measurement has."""
CUSTOMARY = frozenset(
    (
        *(-99, -999, -9999, -99999, -999999, -999.9, -9999.9, -999.99, -32767, -32768, -2147483648),
        *(1e15, 1e20, 1e30, 1e35, 1e37, 9.999e20, -1e20, -1e30, -1e34, -1e37),
        *(3.4028234663852886e38, -3.4028234663852886e38),
    )
)
"""Numbers that people write for missing data: GEOS 1e15, ROMS 1e37, Ferret −1e34, programs for maps the ends of float32."""
LARGEST = {name: int(np.iinfo(name).max) for name in ("int16", "uint16", "int32", "uint32")}
"""The largest value of types that people give as fill_value; of bytes it is as often white."""
LARGE = 4
"""Bytes of such a type."""
LEAST_CUSTOMARY = 500
"""A value closer to zero may well have been measured."""
EXACT = 2**53
"""Up to here float64 has every integer."""
NANOSECONDS = ("1678", "2261")
"""Between these years dates are nanoseconds since 1970 in 64 bits."""
LIMITS = ("valid_range", "valid_min", "valid_max")


def _declares(array: Array) -> bool:
    return any(name in array.attributes for name in ("_FillValue", "missing_value"))


def _may_have_undeclared(array: Array) -> bool:
    """Whether nothing declares a mark for missing data, and the values are data: that of a grid mapping means nothing."""
    return not _declares(array) and not is_container(array)


def mark_of(array: Array, value: Any) -> str | None:
    """Return what kind of mark for missing data a value is, if it is one.

    Parameters
    ----------
    array : Array
        The array, whose type may have a default.
    value : object
        A value.
    """
    if not is_finite(value):
        return None
    default = DEFAULTS.get(array.data_type.name)
    if default is not None and _equal(value, default):
        return "the default of netCDF for values that were not written"
    close = any(_equal(value, mark) for mark in CUSTOMARY)
    return "a customary mark for missing data" if close else None


def _equal(value: float, mark: float) -> bool:
    """Whether a value is a mark, for floats to the precision of float32."""
    return value == mark or (type(value) is float and math.isclose(value, mark, rel_tol=1e-6))


def _undeclared_fill(array: Array) -> str | None:
    """Return what kind of mark for missing data the fill_value is, if it is one that nothing declares."""
    fill = array.storage_fill
    if not _may_have_undeclared(array) or array.data_type.kind not in ("int", "uint", "float"):
        return None
    if fill is None or not fill.usable:
        return None
    value = np.asarray(fill.value).item()
    kind = mark_of(array, value)
    if kind is None and value == LARGEST.get(array.data_type.name):
        kind = "the largest value of the type, which is customary for missing data"
    return kind


@rule(
    "CF-FILL-001",
    on="array",
    formats=V3,
    needs=("attributes", "data type"),
    when=lambda array: (
        not is_candidate(array)
        and _undeclared_fill(array) is not None
        and not is_of_a_coordinate(array)  # of values that occur there CF-FILL-002 tells
    ),
)
def fill_value_is_declared(array: Array) -> Iterator[Fail]:
    """Require an attribute beside a fill_value that stands for missing data; xarray looks at the attribute alone."""
    fill, kind = array.storage_fill, _undeclared_fill(array)
    text = "" if fill is None else fill.text
    yield Fail(
        array.pointer("fill_value"),
        f"fill_value {text} is {kind}, and no _FillValue declares it: xarray shows it as data",
        fix=_declare(None),
    )


@rule(
    "CF-FILL-001",
    on="values",
    formats=V3,
    when=lambda array, _: _undeclared_fill(array) is not None,
)
def fill_value_in_a_coordinate(array: Array, monotonic: Monotonicity) -> Iterator[Fail | Undecided]:
    """Require it of a coordinate that has such a value: one that was written is not to declare a mark for missing data.

    netCDF gives its default to every variable, and what virtualises its files puts that into ``fill_value``.
    """
    fill = array.storage_fill
    found = (monotonic.first, monotonic.last, monotonic.before, monotonic.after)
    if fill is not None and np.asarray(fill.value).item() in found:
        yield from fill_value_is_declared(array)


def _declare(value: Any) -> FixMaker:
    """Return the fix that declares a value, that of ``fill_value`` where none is given."""

    def fix(node: Node) -> Draft | None:
        number = plain(value if value is not None else node.metadata.get("fill_value"))
        if not isinstance(number, int | float):
            return None
        # A plain _FillValue of floats is what NZ wants, and what xarray up to 2026.9 cannot open.
        kind = getattr(getattr(node, "data_type", None), "kind", "")
        name = "missing_value" if node.zarr_format == 3 and kind == "float" else "_FillValue"
        note = (
            "xarray reads missing_value; NZ-1.0 wants _FillValue, which xarray (up to 2026.9) does not open as a plain number"
            if name == "missing_value"
            else None
        )
        return Draft("suggest", set_attribute(node, name, number), note)

    return fix


def _has_marks(array: Array) -> bool:
    return "missing_value" in array.attributes and array.data_type.kind in ("int", "uint", "float")


@rule("CF-FILL-003", on="array", needs=("attributes", "data type"), when=_has_marks)
def marks_are_numbers(array: Array) -> Iterator[Fail]:
    """Require numbers where values are numbers: a text is equal to none of them."""
    given = array.attributes["missing_value"]
    marks = given if isinstance(given, list) else [given]
    if not any(isinstance(mark, str) and mark.lower() != "nan" for mark in marks):
        yield from _never_equal(array, marks)
        return
    numbers = [_number(mark) for mark in marks]
    meant = numbers if isinstance(given, list) else numbers[0]
    what = "has a text" if isinstance(given, list) else "is a text"
    yield Fail(
        array.attribute_pointer("missing_value"),
        f"missing_value {shown(given)} {what}, which never equals a value of {array.data_type.text}",
        fix=None
        if None in numbers
        else lambda node: Draft("suggest", set_attribute(node, "missing_value", meant)),
    )


def _never_equal(array: Array, marks: list[Any]) -> Iterator[Fail]:
    """Fail where integers have no value that equals one of the numbers given."""
    attributes, dtype = array.attributes, array.data_type.numpy
    if dtype is None or dtype.kind not in "iu" or not marks:
        return
    # marks of packed or unsigned values may be meant for what is read, which other rules look at
    if any(name in attributes for name in ("scale_factor", "add_offset", "_Unsigned")):
        return
    if attributes.get("_FillValue") == attributes["missing_value"]:
        return  # NZ-FILL-002, NZ-FILL-003
    if not all(map(is_finite, marks)) or len(strange := not_held(array, marks)) < len(marks):
        return
    yield Fail(
        array.attribute_pointer("missing_value"),
        f"missing_value {shown(attributes['missing_value'])} never equals a value: {why_not_held(array, strange)}",
    )


def not_held(array: Array, numbers: list[Any]) -> list[int | float]:
    """Return those of some numbers that no value of an array of integers equals; none for other arrays.

    Parameters
    ----------
    array : Array
        The array, whose packing does not matter.
    numbers : list
        JSON values, of which those that are no numbers are passed over.
    """
    dtype = array.data_type.numpy
    if dtype is None or dtype.kind not in "iu":
        return []
    # with _Unsigned, people who write JSON by hand name the values as they are meant
    kinds = "iu" if "_Unsigned" in array.attributes else dtype.kind
    types = [np.iinfo(f"{kind}{dtype.itemsize}") for kind in kinds]
    least, greatest = min(int(one.min) for one in types), max(int(one.max) for one in types)
    return [
        number
        for number in numbers
        if is_number(number) and not (least <= number <= greatest and number == int(number))
    ]


def why_not_held(array: Array, numbers: list[int | float]) -> str:
    """Return the first of some numbers, and which values the type of an array has.

    Parameters
    ----------
    array : Array
        An array of integers.
    numbers : list of int or float
        What `not_held` returns.
    """
    limits = np.iinfo(array.data_type.name)
    return f"{shown(numbers[0])} is no value of {array.data_type.name} [{limits.min}, {limits.max}]"


@rule("CF-FILL-003", on="array", needs=("attributes",))
def marks_are_values(array: Array) -> Iterator[Fail]:
    """Require a value, or a list of such; of _FillValue in Zarr v3 this is NZ-FILL-004."""
    for name in ("missing_value",) if array.zarr_format == 3 else ("missing_value", "_FillValue"):
        if array.attribute_types.get(name) is dict:
            # xarray puts the fill_value of Zarr v2 in its place
            unread = name == "_FillValue" and array.metadata.get("fill_value") is not None
            yield Fail(
                array.attribute_pointer(name),
                f"{name} {shown(array.attributes[name])} is an object, and no value",
                impact="convention" if unread else "blocks",
                readers={}
                if unread
                else {
                    "xarray": "raises TypeError: unhashable type, and opens nothing of the group"
                },
                fix=_without_mark(name),
            )


def _number(mark: Any) -> float | None:
    if not isinstance(mark, str):
        return mark if isinstance(mark, int | float) else None
    number = number_in(mark)
    return int(number) if number is not None and number.is_integer() else number


@rule(
    "CF-FILL-004",
    on="contents",
    when=lambda array, _: array.data_type.name in ("int64", "uint64") and _turns_to_floats(array),
)
def large_integers_survive(array: Array, contents: Contents) -> Iterator[Fail | Undecided]:
    """Require integers that float64 can hold where a missing value has xarray make floats of them."""
    if contents.scan is None:
        yield Undecided(contents.problem)
        return
    large = [
        value
        for value in (contents.scan.minimum, contents.scan.maximum)
        if isinstance(value, int | float) and abs(value) > EXACT
    ]
    if large:
        yield Fail(
            array.attribute_pointer("_FillValue"),
            f"values such as {int(large[-1])} are rounded by xarray: it turns integers into float64, which has 53 bits for"
            " them, where one marks missing data",
            fix=lambda _node: Draft(
                "suggest",
                note="without a _FillValue, or with mask_and_scale=False, xarray leaves them integers",
            ),
        )


@rule(
    "CF-FILL-005",
    on="array",
    needs=("attributes", "data type"),
    when=lambda array: array.attributes.get("dtype") == "bool" and _turns_to_floats(array),
)
def booleans_are_not_masked(array: Array) -> Iterator[Fail]:
    """Require no missing value of what xarray turns into booleans: NaN is true."""
    if array.data_type.kind not in ("int", "uint"):
        return
    marked_by = next((n for n in ("_FillValue", "missing_value") if n in array.attributes), None)
    pointer = array.attribute_pointer(marked_by) if marked_by else array.pointer("fill_value")
    mark = array.attributes[marked_by] if marked_by else array.metadata.get("fill_value")
    which = "all false values" if mark in (0, False) else "missing values"
    yield Fail(
        pointer,
        f"xarray masks {shown(mark)} and then turns the values into bool, as the attribute dtype has it: {which} come out as true",
        fix=_without_mark(marked_by),
    )


def _without_mark(name: str | None) -> FixMaker:
    """Return the fix that takes the missing value away: an attribute, or the fill value of Zarr v2."""

    def fix(node: Node) -> Draft:
        if name is None:
            return Draft("suggest", (replace(node.pointer("fill_value"), None),))
        return Draft("suggest", (remove(node.attribute_pointer(name)),))

    return fix


def _turns_to_floats(array: Array) -> bool:
    masked = array.xarray_fill is not None or "missing_value" in array.attributes
    return masked and not is_time(array)


@rule("CF-FILL-002", on="contents", when=lambda array, _: _may_have_undeclared(array))
def stored_marks_are_declared(array: Array, contents: Contents) -> Iterator[Fail | Undecided]:
    """Require a declaration of a mark for missing data, too, where it is the lowest or the highest of the values."""
    scan = contents.scan
    if array.data_type.kind not in ("int", "uint", "float") or "flag_values" in array.attributes:
        return
    if scan is None:
        yield Undecided(contents.problem)
        return
    default = DEFAULTS.get(array.data_type.name)
    for value in (scan.minimum, scan.maximum):
        mark = mark_of(array, value)
        if mark is None:
            mark = _end_of_type(array, value)
        if mark is None:
            continue
        of_netcdf = default is not None and _equal(value, default)
        # CF-RANGE-001 tells what is outside of limits
        customary = abs(value) > LEAST_CUSTOMARY and array.attributes.keys().isdisjoint(LIMITS)
        if not of_netcdf and not customary:
            continue
        if _masked_by_xarray(array, value):
            return
        if value == NOT_A_TIME and is_time(array) and is_read_as_missing(array):
            continue  # CF-TIME-006
        given = default if of_netcdf and default is not None else value
        yield Fail(
            array.attribute_pointer("_FillValue"),
            f"values of {_text(value)} are stored, {mark}, and no _FillValue declares it: {_as_data(array, value)}",
            # what is customary may have been measured, too
            severity=None if of_netcdf else "info",
            readers={"xarray": _as_data(array, value).removeprefix("xarray ")},
            fix=_declare(given if array.data_type.kind == "float" else int(given)),
        )
        return


def _end_of_type(array: Array, value: Any) -> str | None:
    """Return which end of its type a value is, for types so large that it has hardly been measured."""
    numpy = array.data_type.numpy
    if numpy is None or numpy.kind not in "iu" or numpy.itemsize < LARGE or not value:
        return None
    limits = np.iinfo(numpy)
    ends = {int(limits.min): "the least", int(limits.max): "the greatest"}
    return f"{ends[value]} {array.data_type.name}" if value in ends else None


def _as_data(array: Array, value: float) -> str:
    """Return what xarray makes of a mark for missing data that nothing declares."""
    from nz_explorer.values.cf_decoding import date_of

    if not is_time(array):
        return "xarray shows it as data"
    date = date_of(array.attributes, value)
    if date is None:
        return "xarray raises ValueError when it opens the group, or OverflowError when the times are read"
    others = (
        ""
        if NANOSECONDS[0] <= date[:4] <= NANOSECONDS[1]
        else ", and makes cftime objects of all times"
    )
    return f"xarray shows it as a date, {date}{others}"


def _text(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _masked_by_xarray(array: Array, value: float) -> bool:
    """Whether xarray takes the value for missing, or it is reported by the metadata, as it is not of bounds."""
    fill = array.storage_fill
    if fill is None or not fill.usable or (array.zarr_format == 3 and is_of_a_coordinate(array)):
        return False
    return _equal(np.asarray(fill.value).item(), value)


@rule(
    "CF-TIME-009",
    on="contents",
    when=lambda array, _: is_time(array) and not is_candidate(array),
)
def all_times_are_dates(array: Array, contents: Contents) -> Iterator[Fail | Undecided]:
    """Require dates of times that are no coordinate of their dimension, too, such as one for each observation."""
    from nz_explorer.values.cf_decoding import date_of, time_problem

    if contents.scan is None:
        yield Undecided(contents.problem)
        return
    if time_problem(array.attributes) is not None:
        return
    declared = array.attributes.get("missing_value")
    missing = (NOT_A_TIME, *(declared if isinstance(declared, list) else [declared]))
    undated = []
    for value in (contents.scan.minimum, contents.scan.maximum):
        if not is_finite(value) or value in missing or value in undated:
            continue
        told = not _declares(array) and (mark_of(array, value) or _end_of_type(array, value))
        if not told and date_of(array.attributes, value) is None:  # CF-FILL-002 tells of marks
            undated.append(value)
    if undated:
        yield Fail(
            array.attribute_pointer("units"),
            f"the value {undated[0]} in {json_text(array.attributes['units'])} is no date",
            fix=declare_missing(undated, "else the units are not those of the values"),
        )


@rule(
    "CF-RANGE-001",
    on="contents",
    when=lambda array, _: any(name in array.attributes for name in LIMITS),
)
def values_in_valid_range(array: Array, contents: Contents) -> Iterator[Fail | Undecided]:
    """Require values inside the range that is called valid: some readers mask the others, some do not."""
    from nz_explorer.values.cf_decoding import valid_range

    if contents.scan is None:
        yield Undecided(contents.problem)
        return
    low, high = valid_range(array)
    minimum, maximum = contents.scan.minimum, contents.scan.maximum
    if minimum is None or not isinstance(minimum, int | float):
        return
    marks = array.attributes.get("missing_value")  # which both take for missing
    declared = [_number(mark) for mark in (marks if isinstance(marks, list) else [marks])]
    below = low is not None and minimum < low and minimum not in declared
    above = high is not None and maximum > high and maximum not in declared
    if not below and not above:
        return
    limit = next(name for name in LIMITS if name in array.attributes)
    name = limit if limit == "valid_range" else "valid_min" if below else "valid_max"
    odd = minimum if below else maximum
    ends = (("from", low), ("to", high))
    inside = " ".join(f"{word} {end:g}" for word, end in ends if end is not None)
    given = array.attributes[name]
    passed_over = not_held(array, given if isinstance(given, list) else [given])
    yield Fail(
        array.attribute_pointer(name),
        f"values go from {minimum:g} to {maximum:g}, outside the valid range {inside}: "
        + ("some programs mask" if passed_over else "netCDF4-python masks")
        + " those outside, xarray shows them as data",
        fix=_declare(odd) if mark_of(array, odd) and not _declares(array) else _mask_them,
    )


def _mask_them(_node: Node) -> Draft:
    return Draft(
        "suggest",
        note="if the values outside are missing, store one _FillValue in their place; else correct the range",
    )
