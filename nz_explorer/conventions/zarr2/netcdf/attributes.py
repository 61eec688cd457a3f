"""Z2: attributes that netCDF-C cannot take: lists of which it makes no array, and a _FillValue of another type."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from nz_explorer.conventions.netcdf_c import impact_of_netcdf
from nz_explorer.conventions.zarr3.nodes import is_number
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, FixMaker
from nz_explorer.engine.fixes import Draft, replace
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array
from nz_explorer.model.dialects import nczarr, netcdf_numbers

if TYPE_CHECKING:
    from nz_explorer.model import Node

INTEGERS = {
    "int32": (-(2**31), 2**31 - 1),
    "uint32": (0, 2**32 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint64": (0, 2**64 - 1),
}
"""The types that netCDF-C tries for a whole number, in this order, with their limits."""


_OLD_NAMES = frozenset(name for _, *old in nczarr.KEYS.values() for name in old)
"""Attributes with what older versions noted, which 4.10 takes for any other attribute."""


def _is_own(name: str) -> bool:
    """Whether netCDF-C 4.10 keeps an attribute for itself."""
    return nczarr.is_hidden(name) and name not in _OLD_NAMES


class _Problem(NamedTuple):
    """What is wrong with a list.

    Attributes
    ----------
    what : str
        In words.
    does : str
        What netCDF-C does.
    rule : str
        The rule that the list breaks.
    """

    what: str
    does: str
    rule: str = "Z2-OGC-011"


def _types_read(node: Node) -> dict[str, str]:
    """Return the types that netCDF-C 4.10 knows of; where 4.8 noted them it does not look."""
    return nczarr.attribute_types(node) if nczarr.is_read(node, "attr") else {}


@rule("Z2-OGC-011", "Z2-OGC-012", on="node", formats=(2,), needs=("attributes",))
def lists_of_one_type(node: Node) -> Iterator[Fail]:
    """Note lists of values that do not have the type of the first one, and empty lists, which have none."""
    typed = _types_read(node)
    for name, value in node.odd_attributes:
        if type(value) is not list or name in typed or _is_own(name):
            continue
        problem = _problem(value)
        if problem is not None:
            pointer = node.attribute_pointer(name)
            yield Fail(
                pointer,
                f"attribute {json_text(name)}: {problem.what}",
                impact=impact_of_netcdf(node),
                readers={"netCDF-C": problem.does},
                fix=_with_fraction(pointer, value),
                rule=problem.rule,
            )


_NOT_FINITE = re.compile(r"-?(nan|infinity)", re.IGNORECASE)
"""Texts that netCDF-C takes for a number, where that is a float."""


@rule(
    "Z2-OGC-013",
    on="array",
    formats=(2,),
    needs=("attributes", "data type"),
    when=lambda array: "_FillValue" in array.attributes,
)
def fill_of_the_type(array: Array) -> Iterator[Fail]:
    """Note a _FillValue that netCDF-C cannot make a value of the array of."""
    typed = _types_read(array)
    given = array.attributes["_FillValue"]
    if isinstance(given, list) and len(given) == 1:
        given = given[0]
    elif isinstance(given, list) and array.data_type.kind in ("int", "uint", "float"):
        if (given or "_FillValue" in typed) and all(map(is_number, given)):  # else Z2-OGC-011
            yield Fail(
                array.attribute_pointer("_FillValue"),
                f"_FillValue has {len(given)} values, and netCDF4 of Python wants one",
                impact=impact_of_netcdf(array),
                readers={
                    "netCDF-C": "reads it; Python's netCDF4 raises ValueError when it masks the values"
                },
            )
        return
    does = _refusal(array, given)
    if does and "_FillValue" not in typed:
        yield Fail(
            array.attribute_pointer("_FillValue"),
            f"netCDF-C cannot use the _FillValue {json_text(given)} for {array.data_type.text}: it {does}",
            impact=impact_of_netcdf(array),
            readers={"netCDF-C": does},
            fix=_as_integer,
        )


def _as_integer(node: Node) -> Draft | None:
    """Write a number without its decimal point where that alone is wrong, as in 255.0 for uint8."""
    given = node.attributes["_FillValue"]
    if (
        not isinstance(node, Array)
        or node.data_type.kind not in ("int", "uint")
        or not isinstance(given, float)
    ):
        return None
    whole = netcdf_numbers.numbers(given, node.data_type.name)
    if whole is None:
        return None
    return Draft("suggest", (replace(node.attribute_pointer("_FillValue"), whole[0]),))


def are_taken(array: Array) -> bool:
    """Whether netCDF-C opens a dataset with the attributes of an array that have no types, which it guesses.

    Parameters
    ----------
    array : Array
        The array.
    """
    typed = _types_read(array)
    for name, value in array.odd_attributes:
        if type(value) is list and name not in typed and not _is_own(name):
            problem = _problem(value)
            if problem is not None and problem.rule == "Z2-OGC-011":
                return False
    return "_FillValue" in typed or not _refusal(array, array.attributes.get("_FillValue"))


def _refusal(array: Array, given: Any) -> str:
    """Return what netCDF-C does with a ``_FillValue``; nothing where it takes it."""
    kind, size = array.data_type.kind, array.data_type.itemsize or 0
    if kind == "bytes":
        return "refuses the dataset: invalid argument" if isinstance(given, int | float) else ""
    if kind not in ("int", "uint", "float"):
        return ""  # Z2-OGC-004
    if isinstance(given, str):
        number = kind == "float" and _NOT_FINITE.fullmatch(given)
        return "" if number else "crashes the process (4.10)"
    if kind == "float" or not isinstance(given, int | float):
        return ""
    is_taken = netcdf_numbers.is_taken(given, f"{kind}{8 * size}")
    return "" if is_taken else "refuses the dataset: Numeric conversion not representable"


def _problem(value: list[Any]) -> _Problem | None:
    if not value:
        return _Problem("the list is empty, so it has no type", "refuses the dataset")
    first, rest = value[0], value[1:]
    if isinstance(first, str) or any(
        item is None or isinstance(item, list | dict) for item in value
    ):
        return None  # a list of texts, or else its JSON is kept as text
    texts = [item for item in rest if isinstance(item, str)]
    if texts:
        what = f"the first value is a number, and {json_text(texts[0])} is text"
        return _Problem(what, "crashes the process (4.10)")
    if isinstance(first, float):
        return None
    kind, least, most = _integer_type(first)
    outside = [item for item in rest if not least <= item <= most]  # as NaN is
    if outside:
        what = f"the first value makes it {kind}, which does not hold {json_text(outside[0])}"
        return _Problem(what, "refuses the dataset: Numeric conversion not representable")
    cut = [item for item in rest if isinstance(item, float) and not item.is_integer()]
    if cut:
        what = f"the first value makes it {kind}, so {json_text(cut[0])} is read as {int(cut[0])}"
        return _Problem(what, f"reads {json_text(cut[0])} as {int(cut[0])}", "Z2-OGC-012")
    return None


def _integer_type(first: int) -> tuple[str, int, int]:
    if isinstance(first, bool):
        return "uint8", 0, 255
    kinds = ((kind, *limits) for kind, limits in INTEGERS.items())
    return next((kind for kind in kinds if kind[1] <= first <= kind[2]), ("uint64", 0, 2**64 - 1))


def _with_fraction(pointer: str, value: list[Any]) -> FixMaker | None:
    """Return the fix that writes the first number as a float, where all are numbers and that is the cause."""
    numbers = all(isinstance(item, int | float) and not isinstance(item, bool) for item in value)
    if not value or not numbers or not any(isinstance(item, float) for item in value):
        return None
    if abs(value[0]) > sys.float_info.max:  # JSON has integers of any size
        return None
    return lambda _node: Draft("suggest", (replace(f"{pointer}/0", float(value[0])),))
