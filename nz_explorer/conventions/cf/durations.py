"""CF: durations can be told from numbers (xarray, Time coordinates, decode_timedelta)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from nz_explorer.conventions.cf.times import DECODED, NOT_A_TIME
from nz_explorer.conventions.zarr3.nodes import is_number
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, FixMaker
from nz_explorer.engine.fixes import Draft, set_attribute
from nz_explorer.engine.registry import rule
from nz_explorer.model import is_candidate
from nz_explorer.model.attribute_types import DURATIONS, PACKING

if TYPE_CHECKING:
    from nz_explorer.model import Array, Node

_SINGULAR = {unit: f"{unit}s" for unit in ("day", "hour", "minute", "second", "millisecond")}
"""Units of durations that no version of xarray takes for one."""
_CALLED_SO = re.compile(
    r"lead|step|delta|duration|elapsed|\blag\b|forecast_(period|hour)", re.IGNORECASE
)
"""What coordinates are called that are durations; others in hours may be hours of the day."""


def _is_called_so(array: Array) -> bool:
    names = (array.name, array.attributes.get("standard_name"), array.attributes.get("long_name"))
    return is_candidate(array) and any(_CALLED_SO.search(str(name)) for name in names)


def _is_duration(array: Array) -> bool:
    """Whether numbers are in units of time, and nothing else says what they are; CF-TIME-010 has masked integers."""
    units = array.attributes.get("units")
    return (
        isinstance(units, str)
        and (units in DURATIONS or (units in _SINGULAR and _is_called_so(array)))
        and "dtype" not in array.attributes
        and array.data_type.kind in DECODED
        and (is_candidate(array) or not _keeps_missing_durations(array))
    )


@rule("CF-TIME-008", on="array", needs=("attributes", "data type"), when=_is_duration)
def durations_are_told(array: Array) -> Iterator[Fail]:
    """Note durations that are numbers to some versions of xarray."""
    units = array.attributes["units"]
    if units in _SINGULAR:
        yield Fail(
            array.attribute_pointer("units"),
            f"{array.path} counts {_SINGULAR[units]} in units of {json_text(units)}: xarray knows the plural alone, and shows the numbers",
            readers={"xarray": "shows numbers, also with decode_timedelta=True"},
            impact="advice",
            fix=lambda node: Draft(
                "suggest",
                set_attribute(node, "units", _SINGULAR[units])
                + set_attribute(node, "dtype", "timedelta64[ns]"),
                "then they are durations to every version since 2025",
            ),
        )
        return
    numbers = _show_numbers if _is_called_so(array) else _are_numbers
    fixes: tuple[FixMaker, FixMaker] = (_are_durations, numbers)
    first, other = fixes if is_candidate(array) else fixes[::-1]
    yield Fail(
        array.attribute_pointer("units"),
        f"{array.path} counts {units}: xarray of 2026 and later shows the numbers, older ones make durations (timedelta64) of them",
        readers={"xarray": "shows numbers since 2026, and durations before"},
        impact="advice",
        fix=first,
        alternatives=(other,),
    )


def _are_durations(node: Node) -> Draft:
    return Draft(
        "suggest",
        set_attribute(node, "dtype", "timedelta64[ns]"),
        "then they are durations to every version since 2025; decode_timedelta=True does it in one call",
    )


def _are_numbers(node: Node) -> Draft:
    return Draft(
        "suggest",
        set_attribute(node, "units", str(node.attributes["units"]).removesuffix("s")),
        "which means the same, and which no version takes for a duration; decode_timedelta=False does it in one call",
    )


def _show_numbers(_node: Node) -> Draft:
    """Return the way to have numbers of a lead time, which remains one."""
    return Draft("suggest", note="open it with decode_timedelta=False where numbers are wanted")


def _keeps_missing_durations(array: Array) -> bool:
    """Whether integers that xarray could take for durations are masked, and are not said to be durations."""
    attributes = array.attributes
    masked = array.xarray_fill is not None and array.xarray_fill.usable
    return (
        array.data_type.kind in ("int", "uint")
        and str(attributes.get("units")) in DURATIONS
        and "timedelta64" not in str(attributes.get("dtype"))
        and not any(name in attributes for name in PACKING)  # which makes floats of them
        and (masked or is_number(attributes.get("missing_value")))
    )


@rule("CF-TIME-010", on="array", needs=("attributes", "data type"), when=_keeps_missing_durations)
def missing_durations_are_masked(array: Array) -> Iterator[Fail]:
    """Warn of missing values that xarray shows as the lowest integer."""
    units = array.attributes["units"]
    yield Fail(
        array.attribute_pointer("units"),
        f"integers in units of {json_text(units)}: xarray of 2026 shows the missing ones as {NOT_A_TIME}, and counts them in means and minima; earlier versions show durations",
        fix=_are_numbers,
    )
