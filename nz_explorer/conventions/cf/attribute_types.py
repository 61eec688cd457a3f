"""CF: attributes have the type that CF gives them: those that name or describe are text, limits are numbers."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from types import NoneType
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.cf.missing_values import LIMITS, not_held, why_not_held
from nz_explorer.conventions.cf.packing import number_in, when_loaded
from nz_explorer.conventions.netcdf_c import impact_of_netcdf
from nz_explorer.conventions.zarr3.nodes import is_number, shown
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.fixes import Draft, remove, set_attribute
from nz_explorer.engine.registry import rule
from nz_explorer.model.attribute_types import PACKING
from nz_explorer.model.dialects.transforms import of_affine
from nz_explorer.text.phrases import plural

if TYPE_CHECKING:
    from nz_explorer.engine.findings import FixMaker
    from nz_explorer.model import Array, Node

TEXTS = (
    "units",
    "standard_name",
    "long_name",
    "axis",
    "positive",
    "bounds",
    "climatology",
    "grid_mapping",
    "cell_methods",
    "cell_measures",
    "formula_terms",
    "ancillary_variables",
)
"""Attributes that are text (CF-1.11, Appendix A, type S); of others, rules of their own ask for it."""
_TRANSFORM = 6
_NUMBERS = ("int", "uint", "float")
_FLAGS = ("flag_values", "flag_masks")
_NUMBER_OF_CDL = re.compile(r"(?i)\b(-?\d+)(?:u?b|u?s|u?l{1,2}|u)\b")
"""An integer with the letters that stand for its type in CDL, such as 1b or 2UL."""
_NO_BYTES = (*_NUMBERS, "bool", "complex", "string")
"""Kinds of data types whose values xarray tries to decode as text, and cannot."""


@rule("CF-ATTR-001", on="array", needs=("attributes", "data type"))
def types_of_attributes(array: Array) -> Iterator[Fail]:
    """Warn of attributes that readers do not understand, and pass over without a word."""
    given, types = array.attributes, array.attribute_types
    is_numeric = array.data_type.kind in _NUMBERS
    for name in TEXTS:
        if types.get(name, str) in (str, NoneType):
            continue
        value = given[name]
        if name == "bounds" and not _is_lone_text(value):
            continue  # a list of numbers has another meaning, in another convention
        times = name == "units" and is_numeric and _is_lone_text(value) and " since " in value[0]
        yield Fail(
            array.attribute_pointer(name),
            f"{name} {shown(value)} is not text, so readers pass over it"
            + (": these times are not decoded" if times else ""),
            severity="warning" if times else None,
            impact="values" if times else None,
            readers={"xarray": "shows numbers in place of dates"} if times else None,
            fix=_setter(name, value[0], "readers use it afterwards")
            if _is_lone_text(value)
            else None,
        )
    yield from _signs(array)
    yield from _transform(array)
    for name in LIMITS if is_numeric else ():
        if types.get(name, NoneType) is not NoneType:
            yield from _limits(array, name)
    if is_numeric:
        yield from _limits_together(array)


def _transform(array: Array) -> Iterator[Fail]:
    """Warn of a GeoTransform of GDAL that is something else than a text of six numbers."""
    if len(array.shape or ()) > 1:
        return  # programs read that of a grid mapping alone, and data are none
    given = array.attributes.get("GeoTransform", "0 1 0 0 0 1")
    parts = given.split() if isinstance(given, str) else []
    if len(parts) == _TRANSFORM and None not in map(number_in, parts):
        return
    listed = given if isinstance(given, list) else re.split(r"[][,\s]+", str(given).strip("[] "))
    numbers = [number_in(part) if isinstance(part, str) else part for part in listed]
    is_right = len(numbers) == _TRANSFORM and all(map(is_number, numbers))
    readers = {"rioxarray": "raises TypeError or ValueError where it needs the transform"}
    if not isinstance(given, str):
        readers["odc-geo"] = "raises RuntimeError: error initializing 'odc' accessor"
    right = of_affine(numbers) or (" ".join(map(str, numbers)) if is_right else None)
    yield Fail(
        array.attribute_pointer("GeoTransform"),
        f"GeoTransform {shown(given)} is not a text of six numbers with blanks between them, as GDAL writes it: programs for maps stop at it",
        severity="warning",
        readers=readers,
        fix=_setter("GeoTransform", right, "programs for maps use it afterwards")
        if right is not None
        else None,
    )


_ONE_BY_ONE = {
    "netCDF-C": "reads it; Python's netCDF4 raises ValueError when it masks the values, or masks by one"
    " number after the other along the last dimension"
}
"""What becomes of several limits."""


def _limits(array: Array, name: str) -> Iterator[Fail]:
    """Warn of a limit of valid values that is no number, or of more or fewer than there should be."""
    value = array.attributes[name]
    parts = value if isinstance(value, list) else [value]
    wanted, form = (2, "two numbers") if name == "valid_range" else (1, "one number")
    pointer = array.attribute_pointer(name)
    if any(isinstance(part, str) for part in parts):
        numbers = [number_in(part) if isinstance(part, str) else part for part in parts]
        right = numbers if isinstance(value, list) else numbers[0]
        yield Fail(
            pointer,
            f"{name} {shown(value)} {'has' if isinstance(value, list) else 'is'} text; a limit of numbers is a number, and readers pass over this one",
            fix=None
            if None in numbers
            else _setter(name, right, "readers mask what is outside afterwards"),
        )
    elif len(parts) != wanted or not all(map(is_number, parts)):
        several = wanted == 1 and len(parts) > 1 and all(map(is_number, parts))
        stops = several and array.zarr_format == 2
        yield Fail(
            pointer,
            f"{name} {shown(value)} is not {form}, so readers do not know what is valid",
            readers=_ONE_BY_ONE if stops else None,
            impact="blocks" if stops and impact_of_netcdf(array) is None else None,
        )
    elif (strange := not_held(array, parts)) and not any(
        name in array.attributes for name in PACKING
    ):
        # of packed values a limit may be that of the unpacked ones, by its type, which JSON does not tell
        yield Fail(
            pointer,
            f"{name} {shown(value)}: {why_not_held(array, strange)}; a limit has the type of the values as they are stored,"
            " and netCDF4-python does not use this one",
        )


def _limits_together(array: Array) -> Iterator[Fail]:
    """Warn of limits with nothing between them, and of a range beside a limit (NUG, Attribute Conventions)."""
    given = {name: array.attributes[name] for name in LIMITS if name in array.attributes}
    both = given.get("valid_range")
    beside = [name for name in given if name != "valid_range"]
    if both is not None and beside:
        yield Fail(
            array.attribute_pointer("valid_range"),
            f"valid_range stands beside {' and '.join(beside)}; the NetCDF Users Guide wants one or the other",
        )
    ends = both if both is not None else [given.get("valid_min"), given.get("valid_max")]
    if not isinstance(ends, list) or len(ends) != 2 or not all(map(is_number, ends)):
        return
    # limits of unsigned values in a signed type are signed as well: 0 to -1 is 0 to 255
    if ends[0] > ends[1] and "_Unsigned" not in array.attributes:
        names = "valid_range" if both is not None else "valid_min and valid_max"
        yield Fail(
            array.attribute_pointer("valid_range" if both is not None else "valid_min"),
            f"{names}: the least valid value {shown(ends[0])} is above the greatest {shown(ends[1])},"
            " so no value is valid: netCDF4-python masks all of them, xarray shows them",
            severity="warning",
            impact="values",
            fix=_setter("valid_range", ends[::-1], "only if the two were exchanged")
            if both is not None
            else None,
        )


def _signs(array: Array) -> Iterator[Fail]:
    """Warn of an _Unsigned that xarray does not take: it knows "true" and "false", in small letters."""
    given = array.attributes.get("_Unsigned")
    wanted = {"int": "true", "uint": "false"}.get(array.data_type.kind)
    if given == wanted or str(given).lower() != wanted:
        return
    sign = "unsigned" if wanted == "true" else "signed"
    yield Fail(
        array.attribute_pointer("_Unsigned"),
        f'_Unsigned {shown(given)} is not the text "{wanted}", so xarray does not show {sign} values',
        severity="warning",
        impact="values",
        readers={"xarray": f"shows the values as they are stored, not as {sign} ones"},
        fix=_setter("_Unsigned", wanted, f"xarray shows {sign} values afterwards"),
    )


@rule(
    "CF-ATTR-002",
    on="array",
    needs=("attributes", "data type"),
    when=lambda array: array.attributes.get("dtype") == "bool",
)
def floats_are_not_declared_as_bool(array: Array) -> Iterator[Fail]:
    """Warn of floating-point numbers that xarray turns into booleans, as an attribute tells it."""
    if array.data_type.kind in ("float", "complex"):
        yield Fail(
            array.attribute_pointer("dtype"),
            f'the attribute dtype is "bool", so xarray turns these {array.data_type.name} values into booleans: 0 is false, all else is true',
            fix=_remove_dtype,
        )


def _remove_dtype(node: Node) -> Draft:
    return Draft("suggest", (remove(node.attribute_pointer("dtype")),))


@rule(
    "CF-ATTR-004",
    on="array",
    needs=("attributes", "data type"),
    when=lambda array: "_Encoding" in array.attributes,
)
def encoding_is_of_bytes(array: Array) -> Iterator[Fail]:
    """Require an encoding of byte strings alone, and one that is known: xarray decodes whatever has the attribute."""
    given, kind = array.attributes["_Encoding"], array.data_type.kind
    if kind in _NO_BYTES:
        error = "AttributeError: object has no attribute 'decode'"
        said = f"these {array.data_type.name} values are no bytes, and xarray decodes them all the same"
    elif kind == "bytes" and isinstance(given, str) and not _is_codec(given):
        error, said = "LookupError: unknown encoding", "Python knows no such encoding"
    elif kind == "bytes" and not isinstance(given, str):
        error, said = "TypeError: encoding must be str", "it is to be the name of an encoding"
    else:
        return
    yield Fail(
        array.attribute_pointer("_Encoding"),
        f"_Encoding is {shown(given)}: {said}",
        readers={"xarray": when_loaded(array, error)}
        # netCDF4-python decodes single characters alone
        | (
            {"netCDF-C": f"opens it, and raises {error} when values are loaded"}
            if kind == "bytes" and _is_character(array)
            else {}
        ),
        fix=lambda node: Draft("unsafe", (remove(node.attribute_pointer("_Encoding")),)),
    )


def _is_character(array: Array) -> bool:
    return array.zarr_format == 2 and array.data_type.itemsize == 1


def _is_codec(name: str) -> bool:
    try:
        codecs.lookup(name)
    except (LookupError, ValueError):  # ValueError: a null character
        return False
    return True


@rule(
    "CF-FLAG-001",
    on="array",
    needs=("attributes", "data type"),
    when=lambda array: "flag_meanings" in array.attributes,
)
def each_flag_has_a_meaning(array: Array) -> Iterator[Fail]:
    """Require as many flags as meanings, where both are what CF says they are."""
    meanings = array.attributes["flag_meanings"]
    given = {name: array.attributes[name] for name in _FLAGS if name in array.attributes}
    if not isinstance(meanings, str) or not given:
        absent = "" if given else " beside neither flag_values nor flag_masks"
        yield Fail(
            array.attribute_pointer("flag_meanings"),
            f"flag_meanings {shown(meanings)}{absent or ' is not one text'}: it cannot be told which value means what",
            fix=_joined(meanings),
        )
        return
    words = len(meanings.split())
    for name, value in given.items():
        count = len(value) if isinstance(value, list) else 1
        if isinstance(value, str) and array.data_type.kind in ("int", "uint"):
            yield Fail(
                array.attribute_pointer(name),
                f"{name} {shown(value)} is a text, and the flags are numbers: it cannot be told which value means what",
                fix=_as_integers(name, value, words),
            )
        elif strange := not_held(array, value if isinstance(value, list) else [value]):
            yield Fail(
                array.attribute_pointer(name),
                f"{name} {shown(value)}: {why_not_held(array, strange)}; flags have the type of the values",
                fix=_with_other_sign(array, name),
            )
        elif count != words:
            yield Fail(
                array.attribute_pointer(name),
                f"{name} has {plural(count, name[5:-1])} and flag_meanings {plural(words, 'word')}: it cannot be told which value means what",
            )


def _as_integers(name: str, text: str, words: int) -> FixMaker | None:
    """Return the fix that makes a list of the numbers in a text, as CDL writes them, if there are as many as meanings."""
    parts = _NUMBER_OF_CDL.sub(r"\1", text).replace(",", " ").split()
    try:
        numbers = [int(part) for part in parts]
    except ValueError:
        return None
    return _setter(name, numbers, "the numbers in the text") if len(numbers) == words else None


def _with_other_sign(array: Array, name: str) -> FixMaker | None:
    """Return the fix that takes flags of the other sign for the same bits, as 255 and -1 are in one byte."""
    given = array.attributes[name]
    numbers = given if isinstance(given, list) else [given]
    bits = 8 * (array.data_type.itemsize or 0)
    signed = -(2 ** (bits - 1)) if bits else 0
    if not all(isinstance(number, int) and signed <= number < 2**bits for number in numbers):
        return None
    least = signed if array.data_type.kind == "int" else 0
    right = [(number - least) % 2**bits + least for number in numbers]
    return _setter(name, right if isinstance(given, list) else right[0], "the same bits")


def _joined(meanings: Any) -> FixMaker | None:
    """Return the fix that makes one text of a list of meanings."""
    if not isinstance(meanings, list) or not all(isinstance(one, str) for one in meanings):
        return None
    text = " ".join("_".join(one.split()) for one in meanings)
    return _setter("flag_meanings", text, "one word for each flag")


def _is_lone_text(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 1 and isinstance(value[0], str)


def _setter(name: str, value: Any, note: str) -> FixMaker:
    return lambda node: Draft("unsafe", set_attribute(node, name, value), note)
