"""Z2: what Zarr v2 asks of data types."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.zarr2.members import V2
from nz_explorer.conventions.zarr2.netcdf.types import BIG, UNSET, what_netcdf_reads
from nz_explorer.conventions.zarr3.nodes import NCZARR_ERROR, VALUE_ERROR, set_to, shown
from nz_explorer.conventions.zarr_versions import in_versions
from nz_explorer.engine.findings import Fail, FixMaker
from nz_explorer.engine.fixes import Draft, add, replace
from nz_explorer.engine.registry import rule
from nz_explorer.model.array import OBJECT_CODECS, codec_name
from nz_explorer.model.data_type import parse_v3
from nz_explorer.model.dialects import nczarr

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
OBJECTS = {"zarr-python": "reads no such objects", "xarray": "cannot open the group"}
BEFORE_3_4_1 = in_versions("before 3.4.1", "raises ValueError")


def _bytes_without_order(pointer: str, node: Node) -> Draft:
    """Return the type that zarr-python reads, which is another one to netCDF-C in a dataset with its superblock.

    What it noted of the array counts, too: a superblock that was lost can be added again (NCZ-SB-001).
    """
    kept_apart = nczarr.is_read(node.hierarchy.root, "superblock") or nczarr.find(node, "array")
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
        "readers": {**VALUE_ERROR, **netcdf},
        "impact": "values" if wrong else None,
        "stops": tuple(VALUE_ERROR) if wrong else (),
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
                readers={**VALUE_ERROR, **NCZARR_ERROR},
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
                readers=VALUE_ERROR,
                fix=set_to(at, given[:2] + given[2:].lstrip("0")),
            )
        elif given[1:2] == "O" and given[2:]:
            known = _has_known_objects(array)
            yield Fail(
                at,
                f'{what} is not a type of the specification, which has no objects; without a size, as "|O", zarr-python knows texts and byte strings of any length',
                readers={**VALUE_ERROR, **NCZARR_ERROR},
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
                readers=VALUE_ERROR,
                fix=set_to(at, "|O", "suggest", "if texts or byte strings are stored"),
            )
        elif _ONE_BYTE.fullmatch(given):
            never = given[1] in "OS"
            yield Fail(
                at,
                f"{what} has a byte order, which means nothing for it: zarr-python 3"
                f'{"" if never else " before 3.4.1"} knows only "|{given[1:]}"',
                severity="warning" if given[1:] == "O" else "info",
                readers=VALUE_ERROR if never else BEFORE_3_4_1,
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


def _readers_without_unit(array: Array, at: str, given: str) -> Mapping[str, str]:
    """Return what others do where zarr-python opens it: NumPy makes any number a duration without a unit, but no number a date."""
    if at != "/.zarray/dtype":  # of a struct it makes the fill value from its bytes
        return NCZARR_ERROR
    filled = array.metadata.get("fill_value") not in (None, "NaT")
    if filled and not given.lstrip("<>|=").startswith("m8"):
        return BEFORE_3_4_1 | NCZARR_ERROR
    return NCZARR_ERROR | _NOT_LOADED


def _by_first_chunk(node: Node) -> Draft | None:
    """Return the fix that names the filter which takes the first chunk apart."""
    from nz_explorer.model import Array
    from nz_explorer.values.contents import filter_of_objects

    found = filter_of_objects(node) if isinstance(node, Array) else None
    if found is None:
        return None
    named = add(node.pointer("filters"), [found])
    return Draft("suggest", (named,), "the first chunk can be taken apart by it")
