"""Z2: what Zarr v2 asks of data types and fill values."""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from nz_explorer.conventions.zarr2.fill_readers import (
    REFUSED,
    TURNED,
    is_number_as_text,
    masked_by,
    readers_of,
    readers_of_base64,
)
from nz_explorer.conventions.zarr2.netcdf_types import BIG, UNSET, what_netcdf_reads
from nz_explorer.conventions.zarr2.nodes import V2
from nz_explorer.conventions.zarr3.nodes import CRASHES, NCZARR_ERROR, set_to, shown
from nz_explorer.documents.json_types import json_type
from nz_explorer.engine.findings import Fail, FixMaker
from nz_explorer.engine.fixes import Draft, add, replace
from nz_explorer.engine.registry import rule
from nz_explorer.model.array import OBJECT_CODECS, codec_name
from nz_explorer.model.data_type import parse_v3
from nz_explorer.model.dialects import nczarr
from nz_explorer.model.fill_values import MISSING, FillProblem
from nz_explorer.model.fill_values.spelling import from_base64, json_float
from nz_explorer.text.phrases import plural

if TYPE_CHECKING:
    from nz_explorer.model import Array, Node

_ONE_BYTE = re.compile(r"[<>](?:[biu]1|S\d+|V\d+|O)")
"""Types for which the order of bytes means nothing, so that it should be ``|``."""
_SOME_BYTES = re.compile(r"\|(?:[iufc](?!1$)\d+|[mM]8.*|U[1-9]\d*)")
"""Types that need a byte order, without one."""
_EXTENDED = re.compile(r"[<>](?:f(?:12|16)|c(?:24|32))")
"""Types of NumPy that depend on the machine, and that no reader of Zarr has."""
_EMPTY = re.compile(r"[<>|][SUV]0+")
"""Types whose elements have no bytes."""
_PADDED = re.compile(r"[<>|][biufc]0+\d+")
"""Numbers whose size is spelled with zeros in front."""
_NOT_LOADED = {"xarray": "opens the group, and raises TypeError when it computes with the values"}
_NO_UNITS = re.compile(r"[<>|]?[mM]8?(\[generic\])?")
NAMES = ("NaN", "Infinity", "-Infinity")
"""The only spellings of numbers that JSON does not have (Zarr v2, Fill value encoding)."""
BASE64 = ("bytes", "raw", "struct")
"""Kinds of types whose fill values are base64."""
FILL = "/.zarray/fill_value"
OBJECTS = {"zarr-python": "reads no such objects", "xarray": "cannot open the group"}
OTHERS = {"zarr-python": "raises ValueError", "xarray": "cannot open the group"}
BEFORE_3_4_1 = {
    "zarr-python": "raises ValueError before version 3.4.1",
    "xarray": "cannot open the group with zarr-python before 3.4.1",
}
"""Readers of numbers of one byte, and of bytes, that have an order."""


def _bytes_without_order(pointer: str, node: Node) -> Draft:
    """Return the type that zarr-python reads, which is another one to netCDF-C in a dataset with its superblock."""
    kept_apart = nczarr.is_read(node.hierarchy.root, "superblock")
    note = "netCDF-C takes >S1 for characters, and |S1 for strings of one character"
    return Draft(
        "suggest" if kept_apart else "safe",
        (replace(pointer, "|S1"),),
        note if kept_apart else None,
    )


def _type_strings(array: Array) -> Iterator[tuple[str, Any]]:
    """Yield the type of an array, or those of the fields that it has, with pointers."""
    pending = [("/.zarray/dtype", array.metadata["dtype"])] if "dtype" in array.metadata else []
    for pointer, given in pending:
        if not isinstance(given, list):
            yield pointer, given
        elif array.data_type.kind == "struct":
            pending += [(f"{pointer}/{i}/1", field[1]) for i, field in enumerate(given)]


def _without_units(given: Any) -> bool:
    return isinstance(given, str) and _NO_UNITS.fullmatch(given) is not None


def _has_known_objects(array: Array) -> bool:
    """Whether zarr-python 3 reads objects: it has texts and byte strings of any length, and no others."""
    return not _filters(array).isdisjoint(("vlen-utf8", "vlen-bytes"))


_LATE = {
    "zarr-python": "opens the array, and raises TypeError when it reads a chunk",
    "xarray": "raises TypeError as soon as it reads a chunk, mostly when it opens the group",
}
"""What becomes of texts that another filter encodes first."""


def _filters(array: Array) -> set[str]:
    names = (codec.get("id") for codec in array.codecs if isinstance(codec, dict))
    return {name for name in names if isinstance(name, str)}


_TEXTS = ": NumPy calls its StringDType so; texts of any length are |O with the filter vlen-utf8"


def _is_string_type(given: Any) -> bool:
    """Whether a type is NumPy's own for texts of any length, which has no string of three parts."""
    return isinstance(given, str) and re.fullmatch(r"[<>|]?T\d*", given) is not None


def _as_objects(array: Array, pointer: str) -> FixMaker:
    if "vlen-utf8" in _filters(array):
        return set_to(pointer, "|O", "suggest", "as the filter stores them")
    return lambda _node: Draft("suggest", note="write it again with dtype str, or object")


def _type_of_name(pointer: str, given: Any) -> FixMaker | None:
    """Return the fix that spells a type by its string instead of its name in Zarr v3, such as float32."""
    numpy = parse_v3(given).numpy if isinstance(given, str) else None
    if numpy is None or numpy.kind not in "biufc":
        return None
    note = "if the values are little-endian" if numpy.itemsize > 1 else None
    return set_to(pointer, numpy.newbyteorder("<").str, "suggest", note)


def _misread(netcdf: Mapping[str, str]) -> dict[str, Any]:
    """Return what is to be said of a type that others do not open, by what netCDF-C does."""
    wrong = netcdf in (BIG, UNSET)
    return {
        "readers": {**OTHERS, **netcdf},
        "impact": "values" if wrong else None,
        "stops": tuple(OTHERS) if wrong else (),
    }


@rule("Z2-DT-001", on="array", formats=V2, provides="data type")
def type_string(array: Array) -> Iterator[Fail]:
    """Require type strings of NumPy with a byte order."""
    for at, given in _type_strings(array):
        what = f"dtype {shown(given)}"
        if _without_units(given):
            continue
        if isinstance(given, str) and _EXTENDED.fullmatch(given):
            yield Fail(
                at,
                f"{what} is a valid type string; what its bytes mean depends on the machine, and few readers know it",
                severity="info",
                readers={**OTHERS, **NCZARR_ERROR},
            )
        elif isinstance(given, str) and _EMPTY.fullmatch(given):
            yield Fail(
                at,
                f"{what} has elements without bytes, which zarr-python does not open",
                severity="info",
                **_misread(what_netcdf_reads(given) if given[1] == "S" else {}),
            )
        elif not isinstance(given, str) or array.data_type.status in ("unknown", "malformed"):
            yield Fail(
                at,
                f"{what} is not a valid type string{_TEXTS if _is_string_type(given) else ''}",
                **_misread(what_netcdf_reads(given)),
                fix=_as_objects(array, at) if _is_string_type(given) else _type_of_name(at, given),
            )
        elif given[0] not in "<>|" or _SOME_BYTES.fullmatch(given):
            name = given.lstrip("=|")
            order = "|" if _ONE_BYTE.fullmatch(f"<{name}") else "<"
            # netCDF-C refuses structs, whatever their fields are
            in_struct = at != "/.zarray/dtype"
            big = order == "<" and given[0] != "=" and name[0] in "iuf" and not in_struct
            yield Fail(
                at,
                f"{what} has no byte order{'; netCDF-C 4.10 takes the values for big-endian' if big else ''}",
                **_misread(NCZARR_ERROR if given[0] == "=" or in_struct else BIG if big else {}),
                fix=set_to(at, f"{order}{name}", "suggest"),
            )
        elif _PADDED.fullmatch(given):
            yield Fail(
                at,
                f"{what} has a zero in front of its size, with which zarr-python does not open it",
                severity="info",
                readers=OTHERS,
                fix=set_to(at, given[:2] + given[2:].lstrip("0")),
            )
        elif given[1:2] == "O" and given[2:]:
            known = _has_known_objects(array)
            yield Fail(
                at,
                f'{what} is not a type of the specification, which has no objects; without a size, as "|O", zarr-python knows texts and byte strings of any length',
                readers={**OTHERS, **NCZARR_ERROR},
                fix=set_to(at, "|O") if known else None,
            )
        elif given == "|O":
            known, filtered = _has_known_objects(array), bool(array.metadata.get("filters"))
            first = codec_name(array.codecs[0]) if known else None
            late = known and first not in OBJECT_CODECS
            why = (
                f"{shown(first)} comes before the filter that makes bytes of texts, and can encode none"
                if late
                else "with this filter it has texts or byte strings of any length, as zarr-python and xarray write them"
                if known
                else "the first filter determines the values"
                if filtered
                else "without a filter nothing tells what the values are"
            )
            yield Fail(
                at,
                f"{what} is not a type of the specification; {why}",
                # the specification has no other way to store texts of any length
                severity="info" if known and not late else "warning" if filtered else None,
                impact="blocks" if late else None,
                readers=_LATE if late else {} if known else OBJECTS,
                fix=None if filtered else _by_first_chunk,
            )
        elif not _filters(array).isdisjoint(OBJECT_CODECS) and given[1:] != "O":
            yield Fail(
                at,
                f"{what} has elements of one length, and a filter for those of any length",
                severity="warning",
                readers=OTHERS,
                fix=set_to(at, "|O", "suggest", "if texts or byte strings are stored"),
            )
        elif _ONE_BYTE.fullmatch(given):
            never = given[1] in "OS"
            yield Fail(
                at,
                f"{what} has a byte order, which means nothing for it: zarr-python 3"
                f'{"" if never else " before 3.4.1"} knows only "|{given[1:]}"',
                severity="warning" if given[1:] == "O" else "info",
                readers=OTHERS if never else BEFORE_3_4_1,
                # of objects the rule asks for a filter as well
                fix=partial(_bytes_without_order, at)
                if given == ">S1"
                else set_to(at, f"|{given[1:]}")
                if given[1:] != "O" or _has_known_objects(array)
                else None,
            )


@rule("Z2-DT-002", on="array", formats=V2, provides="data type")
def time_units(array: Array) -> Iterator[Fail]:
    """Require the unit of times."""
    for at, given in _type_strings(array):
        if _without_units(given):
            readers = _readers_without_unit(array, at, given)
            yield Fail(at, f"dtype {shown(given)} has no unit of time", readers=readers)


def _readers_without_unit(array: Array, at: str, given: str) -> Mapping[str, str] | None:
    """Return what others do where zarr-python opens it: NumPy makes any number a duration without a unit, but no number a date."""
    if at != "/.zarray/dtype":  # of a struct it makes the fill value from its bytes
        return NCZARR_ERROR
    filled = array.metadata.get("fill_value") not in (None, "NaT")
    if filled and not given.lstrip("<>|=").startswith("m8"):
        return None
    return NCZARR_ERROR | _NOT_LOADED


def _problem(array: Array) -> FillProblem | None:
    """Return what is wrong with a fill value, where something is."""
    fill = array.storage_fill
    if fill is None:
        return None
    return next((problem for problem in fill.problems if problem.kind != "rounding"), None)


def _names_a_float(array: Array) -> bool:
    """Whether a fill value is text that means a number which JSON does not have."""
    problem = _problem(array)
    return (
        array.data_type.kind in ("float", "complex")
        and problem is not None
        and problem.kind in ("type", "spelling")
        and problem.suggestion in NAMES
    )


@rule("Z2-FV-001", on="array", formats=V2, needs=("data type",))
def fill_names(array: Array) -> Iterator[Fail]:
    """Require the standard spelling of NaN and infinities."""
    problem = _problem(array)
    if problem is not None and _names_a_float(array):
        given = array.metadata["fill_value"]
        # which netCDF-C takes for no name of a number
        short = isinstance(given, str) and (given[:1] == "+" or given.lower().lstrip("-") == "inf")
        base64_of_xarray = (
            isinstance(given, str) and from_base64(given) and not is_number_as_text(given, "float")
        )
        readers = (CRASHES if short else {}) | (REFUSED | CRASHES if base64_of_xarray else {})
        yield Fail(
            FILL,
            f"fill_value {shown(given)} must be spelled {shown(problem.suggestion)}",
            impact="blocks" if readers else None,
            readers=readers or None,
            fix=set_to(FILL, problem.suggestion),
        )


def _lacks_zeros(array: Array, given: str, decoded: bytes) -> bool:
    """Whether it is a byte string without the zeros at its end, and no plain text that happens to be base64."""
    size = array.data_type.itemsize or 0
    meant = decoded.isascii() or len(given) > size
    return array.data_type.kind == "bytes" and len(decoded) < size and meant


def _may_be_plain(array: Array, given: str, decoded: bytes) -> bool:
    """Whether it is most likely plain text that happens to be base64, of bytes that are no text."""
    size = array.data_type.itemsize or 0
    fits = given.isascii() and len(given) <= size
    return array.data_type.kind == "bytes" and fits and not decoded.isascii()


@rule("Z2-FV-002", on="array", formats=V2, needs=("data type",))
def fill_base64(array: Array) -> Iterator[Fail]:
    """Require base64 for bytes and structured values."""
    fill = array.storage_fill
    if fill is None or array.data_type.kind not in BASE64 or array.data_type.numpy is None:
        return
    given, size = array.metadata["fill_value"], array.data_type.itemsize
    any_length = size is None  # then "" is no bytes in base64
    decoded = from_base64(given) if isinstance(given, str) and (given or any_length) else None
    if decoded is not None and (any_length or len(decoded) == size):
        return
    dtype = shown(array.metadata.get("dtype"))
    much = "bytes" if size is None else plural(size, "byte")
    message = f"fill_value for dtype {dtype} must be null or {much} in base64, got {shown(given)}"
    if decoded is not None:
        has = f"{plural(len(decoded), 'byte')}; one element has {size}"
        message = f"fill_value {shown(given)} decodes to {has}"
        if _may_be_plain(array, given, decoded):
            message += "; as plain text it fits"
    if given == "" and array.data_type.kind != "struct":
        # what netCDF-C writes for "nothing but zeros"; every reader copes, but not with structs
        yield Fail(FILL, message, severity="info", readers={}, fix=_as_base64)
    elif decoded is not None and _lacks_zeros(array, given, decoded):
        yield Fail(
            FILL,
            f"{message}: zarr-python 3 leaves out zeros at the end, and adds them when it reads",
            impact="convention",
            readers={"tensorstore": "refuses the array: Expected base64-encoded bytes"},
            fix=_as_base64,
        )
    else:
        fix = _as_base64 if fill.usable or _is_zero(given) else None
        yield Fail(FILL, message, readers=readers_of_base64(array, given), fix=fix)


def _is_zero(given: Any) -> bool:
    """Whether it is 0, which programs write in place of bytes that are all zero."""
    return type(given) in (int, float) and given == 0


def _as_base64(node: Node) -> Draft | None:
    from nz_explorer.model import Array

    fill = node.storage_fill if isinstance(node, Array) else None
    if fill is None or not isinstance(node, Array):
        return None
    if fill.usable:
        raw = fill.value if isinstance(fill.value, bytes) else fill.value.tobytes()
    elif _is_zero(node.metadata["fill_value"]):
        raw = b""
    else:
        return None
    size = len(raw) if node.data_type.itemsize is None else node.data_type.itemsize
    fitting = raw[:size].ljust(size, b"\0")  # as NumPy makes it fit
    given, note = node.metadata["fill_value"], None
    if isinstance(given, str) and _may_be_plain(node, given, raw):
        as_text = base64.b64encode(given.encode("ascii").ljust(size, b"\0")).decode("ascii")
        note = f"this is what readers make of it; if it was meant as plain text, write {as_text}"
    return Draft("unsafe", (replace(FILL, base64.b64encode(fitting).decode("ascii")),), note)


@rule("Z2-FV-003", on="array", formats=V2, needs=("data type",), provides="fill scalar")
def fill_scalar(array: Array) -> Iterator[Fail]:
    """Require one value, not a list of one, nor an object."""
    given = array.metadata.get("fill_value")
    kind = array.data_type.kind
    if not isinstance(given, list | dict) or kind in BASE64:
        return
    if kind == "complex" and isinstance(given, list) and len(given) == 2:
        return
    problem = _problem(array)
    safe = problem is not None and problem.suggestion is not MISSING
    # by zarr-python, as Python takes any list: it is true unless it is empty
    taken = kind == "bool"
    right = "a pair [real, imaginary]" if kind == "complex" else "a single value"
    yield Fail(
        FILL,
        f"fill_value must be {right} or null, got the {'list' if isinstance(given, list) else 'object'} {shown(given)}",
        severity="error",
        impact="convention" if taken else None,
        readers={}
        if taken
        else _LISTED
        if isinstance(given, dict)
        else _LISTED | CRASHES
        if kind in ("int", "uint", "float")
        and any(isinstance(one, str) and not (kind == "float" and one in NAMES) for one in given)
        else None,
        fix=set_to(FILL, problem.suggestion, problem.safety) if problem and safe else None,
    )


_LISTED = {"zarr-python": "raises TypeError", "xarray": "cannot open the group"}


NO_NAN = "no integer is NaN; chunks that were not written then hold nothing in particular"
BEYOND = "no value of the type can be equal to it, so it marks none as missing"
NOTHING = "the empty text may have been written for no fill value at all, which is null"


def _type_in_words(array: Array) -> str:
    """Return what the type is called: of texts and bytes as the document spells it, which says how long they are."""
    spelled = array.data_type.kind in ("bytes", "raw", "string") and array.data_type.itemsize
    return f"dtype {shown(array.metadata.get('dtype'))}" if spelled else array.data_type.text


@rule("Z2-FV-004", on="array", formats=V2, needs=("data type", "fill scalar"))
def fill_fits(array: Array) -> Iterator[Fail]:
    """Require a value of the array's type."""
    given = array.metadata.get("fill_value")
    kind = array.data_type.kind
    if given is None or kind in BASE64 or _names_a_float(array):
        return
    problem = _problem(array)
    if array.data_type.itemsize is None and kind == "string" and given in (0, False):
        yield Fail(
            FILL,
            f"fill_value {shown(given)} ({json_type(given)}) is no text: zarr-python 2 wrote it so, and zarrs and what is built on it refuse the array",
            severity="info",
            impact="convention",
            readers={},
            fix=set_to(FILL, "", "suggest"),
        )
    elif (
        isinstance(given, str)
        and kind in ("float", "complex")
        and given not in NAMES
        and not problem
    ):
        why = "the bits of a number in hexadecimal are a spelling of Zarr v3"
        number = array.storage_fill.value if array.storage_fill is not None else None
        yield Fail(
            FILL,
            f"fill_value {shown(given)} does not fit {array.data_type.text}: {why}",
            fix=set_to(FILL, json_float(float(number)), "unsafe")
            if isinstance(number, np.floating)
            else None,
        )
    elif problem is not None:
        readers = readers_of(given, kind, problem)
        # Python takes every text that is not empty for true, also "false"
        turned = kind == "bool" and isinstance(given, str) and problem.suggestion is False
        fix = None
        if kind == "float" and not readers and problem.kind == "range":  # which they round to
            fix = set_to(FILL, "Infinity" if given > 0 else "-Infinity")
        elif (
            kind in ("int", "uint", "float")
            and not readers
            and isinstance(given, bool | int | float)
            and given == int(given)
        ):
            fix = set_to(FILL, int(given))
        elif problem.suggestion is not MISSING:
            fix = set_to(FILL, problem.suggestion, problem.safety)
        elif given == "NaN" and kind in ("int", "uint"):
            fix = set_to(FILL, None, "suggest", NO_NAN)
        elif given == "":
            fix = set_to(FILL, None, "suggest", NOTHING)
        elif problem.kind == "range":
            fix = set_to(FILL, None, "suggest", BEYOND)
        masks = masked_by(given, kind)
        # what was decoded as infinity is spelled otherwise, as the reason says
        infinite = isinstance(given, float) and math.isinf(given) and problem.kind == "range"
        what = "" if infinite else f" {shown(given)} ({json_type(given)})"
        yield Fail(
            FILL,
            f"fill_value{what} does not fit {_type_in_words(array)}: {problem.why.removesuffix(' and can never match')}",
            impact="values" if masks or turned else "blocks" if readers else "convention",
            readers=TURNED if turned else {**masks, **readers},
            stops=tuple(readers) if masks else (),
            fix=fix,
        )


def _by_first_chunk(node: Node) -> Draft | None:
    """Return the fix that names the filter which takes the first chunk apart."""
    from nz_explorer.model import Array
    from nz_explorer.values.contents import filter_of_objects

    found = filter_of_objects(node) if isinstance(node, Array) else None
    if found is None:
        return None
    named = add(node.pointer("filters"), [found])
    return Draft("suggest", (named,), "the first chunk can be taken apart by it")
