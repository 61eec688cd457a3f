"""Z2: what Zarr v2 asks of the documents of groups and arrays, apart from types and fill values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.netcdf_c import impact_of_netcdf
from nz_explorer.conventions.zarr2.codecs import unidentified
from nz_explorer.conventions.zarr2.members import MANDATORY, V2, other_keys
from nz_explorer.conventions.zarr3.nodes import (
    AS_FLOAT,
    CRASHES,
    EMPTY,
    NCZARR_ERROR,
    REFUSED,
    VALUE_ERROR,
    is_integer,
    set_to,
    shown,
    wrong_format,
    wrong_lengths,
)
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.fixes import Draft, add
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array
from nz_explorer.model.dialects import nczarr

if TYPE_CHECKING:
    from nz_explorer.engine.impact import Impact
    from nz_explorer.model import Group


@rule("Z2-ARR-004", on="array", formats=V2)
def zarr_format(array: Array) -> Iterator[Fail]:
    """Require the member that identifies the specification of the document."""
    if "zarr_format" in array.metadata:  # else Z2-ARR-002
        given = array.metadata["zarr_format"]
        netcdf = _crash_at(given)
        if (
            isinstance(given, bool)
            or (is_integer(given) and given != 2)
            or _is_text_of_another(given)
        ):
            netcdf = NCZARR_ERROR
        for fail in wrong_format(array, 2):
            yield _hurts(fail, netcdf)


def _crash_at(given: Any) -> Mapping[str, str]:
    """Return what netCDF-C does with what is neither a text nor a number; nothing for others."""
    return CRASHES if given is None or isinstance(given, list | dict) else {}


NOT_FOUND = dict.fromkeys(
    ("zarr-python", "xarray"),
    "raises GroupNotFoundError for the root, unless told not to use consolidated metadata",
)
"""What becomes of a store with a consolidated entry that has no format."""
INVALID_ENTRY = dict.fromkeys(
    ("zarr-python", "xarray"),
    "raises MetadataValidationError for the root, unless told not to use consolidated metadata",
)
"""What becomes of a store with a consolidated entry of a group that has another format."""
_EMPTY = {"zarr-python": "finds nothing in it", "xarray": "does not show what is in it"}
"""What becomes of a group that is not said to be one of Zarr v2, unless the consolidated metadata list what is in it."""
_ALONE = dict.fromkeys(("xarray", "netCDF-C"), "shows the group without the array")
_GROUP_AT_ROOT: dict[str, Any] = {"impact": "values", "readers": _ALONE}
_TWO = re.compile(r"\s*\+?0*2(?!\d)")
"""How a text begins of which C reads the number 2."""


def _is_text_of_another(given: Any) -> bool:
    """Whether netCDF-C reads another number than 2; of 2.5 it reads 2."""
    return isinstance(given, str | float) and not _TWO.match(str(given))


def _refusal_of_root(group: Group) -> Mapping[str, str]:
    """Return what netCDF-C does with the format of a group, of which it looks at that of the root alone."""
    given = group.metadata.get("zarr_format")
    if group.path != "/":
        return {}
    if isinstance(given, bool) or (is_integer(given) and given != 2):
        return NCZARR_ERROR
    if nczarr.is_read(group, "superblock"):  # what else there is it does not need in its own
        return NCZARR_ERROR if _is_text_of_another(given) else {}
    if isinstance(given, str):
        return NCZARR_ERROR if given != "2" else {}
    return NCZARR_ERROR if type(given) is float else _crash_at(given)


def _hurts(fail: Fail, netcdf: Mapping[str, str]) -> Fail:
    """Add what netCDF-C does with a wrong format."""
    if not netcdf:
        return fail
    others = REFUSED if fail.readers is None else fail.readers
    # where others see an empty group, it alone refuses the dataset
    empty = fail.impact == "values"
    return replace(
        fail,
        readers={**others, **netcdf},
        impact="values" if empty else "blocks",
        stops=tuple(netcdf) if empty else (),
    )


def _as_consolidated(group: Group, fail: Fail) -> Fail:
    """Add what becomes of a group of another format where zarr-python goes by consolidated metadata, of which the root is not looked at."""
    if group.hierarchy.consolidated is None or fail.readers not in (EMPTY, AS_FLOAT):
        return fail
    if group.path == "/":
        return replace(fail, impact="convention", readers={})
    return (
        fail if fail.readers == AS_FLOAT else replace(fail, impact="blocks", readers=INVALID_ENTRY)
    )


@rule("Z2-ARR-005", on="array", formats=V2, provides="shape")
def shape(array: Array) -> Iterator[Fail]:
    """Require a list of non-negative lengths."""
    yield from wrong_lengths(array, "shape")


def _is_codec(given: Any) -> bool:
    return isinstance(given, dict) and isinstance(given.get("id"), str)


_NO_COMPRESSOR = {
    "zarr-python": "raises ValueError: Invalid compressor",
    "xarray": "raises ValueError: Invalid compressor, and opens nothing of the group",
    "netCDF-C": "refuses the dataset: Filter error",
}


@rule("Z2-ARR-007", on="array", formats=V2)
def compressor(array: Array) -> Iterator[Fail]:
    """Require null, or a codec with its id."""
    given = array.metadata.get("compressor")
    if given is not None and not _is_codec(given):
        said = 'compressor must be null or an object with an "id"'
        found = unidentified("/.zarray/compressor", given, said)
        if not isinstance(given, dict):
            found = replace(found, readers=_NO_COMPRESSOR)
        if isinstance(given, list) and len(given) == 1 and _is_codec(given[0]):
            found = replace(found, fix=set_to("/.zarray/compressor", given[0], "suggest"))
        yield found


@rule("Z2-ARR-008", on="array", formats=V2)
def filters(array: Array) -> Iterator[Fail]:
    """Require null, or a list of codecs with their ids."""
    given = array.metadata.get("filters")
    if given is not None and not isinstance(given, list):
        said = f"filters must be null or a list, got {shown(given)}"
        readers = {"netCDF-C": "refuses the dataset: Filter error"} if given in ({}, "") else None
        fix = set_to("/.zarray/filters", [given], "suggest") if _is_codec(given) else None
        yield Fail("/.zarray/filters", said, readers=readers, fix=fix)
        return
    if given == []:
        yield Fail(
            "/.zarray/filters",
            "filters is an empty list, which is valid; netCDF-C up to 4.10 crashes on it, but not on null",
            severity="info",
            impact=impact_of_netcdf(array),
            readers={"netCDF-C": "crashes the process (4.10)"},
            fix=set_to("/.zarray/filters", None),
        )
    for i, codec in enumerate(given or ()):
        if not _is_codec(codec):
            yield unidentified(
                f"/.zarray/filters/{i}", codec, f'filter {i} must be an object with an "id"'
            )


@rule("Z2-ARR-009", on="array", formats=V2)
def order(array: Array) -> Iterator[Fail]:
    """Require C or F; column-major order is valid, but not read everywhere."""
    given = array.metadata.get("order", "C")
    if given == "F":
        # where one length of chunks at most is more than 1, both orders are the same
        if (array.ndim or 0) > 1 and sum(length > 1 for length in array.chunk_shape or (2, 2)) > 1:
            yield Fail(
                "/.zarray/order",
                'order "F" is valid, but netCDF-C up to 4.10 returns such data in the wrong order',
                severity="info",
            )
    elif given != "C":
        meant = "C" if given is None else given.upper() if given in ("c", "f") else None
        yield Fail(
            "/.zarray/order",
            f'order must be "C" or "F", got {shown(given)}',
            impact="blocks",
            readers={**VALUE_ERROR, **_crash_at(given)},
            fix=set_to("/.zarray/order", meant, "safe" if given else "suggest") if meant else None,
        )


@rule("Z2-GRP-002", on="group", formats=V2)
def group_members(group: Group) -> Iterator[Fail]:
    """Require a group's document to have zarr_format and nothing else."""
    main = group.main_document
    if main is None or main.name != ".zgroup":
        return
    if "zarr_format" not in group.metadata:
        consolidated = group.hierarchy.consolidated
        if group.path == "/":
            found = _no_format(_EMPTY if consolidated is None else {})
            yield _hurts(found, _refusal_of_root(group))
        elif consolidated is not None:  # else the harm depends on what is in it
            entry = consolidated.entry(group.path, ".zgroup")
            lost = isinstance(entry, Mapping) and "zarr_format" not in entry
            if lost or consolidated.child_names(group.path):
                yield _no_format(NOT_FOUND if lost else _EMPTY)
            else:
                yield _no_format({})
    else:
        for fail in wrong_format(group, 2):
            yield _hurts(_as_consolidated(group, fail), _refusal_of_root(group))
    known = {"zarr_format"}
    if main.origin == "consolidated":  # zarr-python puts an empty one into each consolidated entry
        known.add("consolidated_metadata")
    if group.metadata.keys() >= set(MANDATORY):
        yield _document_of_an_array(group)
    else:
        yield from other_keys(group, frozenset(known), "other keys MUST NOT be present")


def _document_of_an_array(group: Group) -> Fail:
    """Return that a .zgroup has all that a .zarray has to have."""
    empty = "shows an empty group"
    readers = dict.fromkeys(("zarr-python", "xarray", "netCDF-C"), empty)
    unnamed = "_ARRAY_DIMENSIONS" not in group.attributes
    if not group.is_root:  # of what is in a group zarr-python goes by the members
        readers["zarr-python"] = "lists an array, and finds none at its path"
        del readers["xarray"]
        if unnamed:
            readers["xarray"] = "raises an error, and opens nothing of the group above"
    return Fail(
        "/.zgroup/shape",
        ".zgroup has all the keys of a .zarray, which in a group MUST NOT be present: most likely it is one under another name",
        impact="values",
        readers=readers,
        stops=("xarray",) if unnamed and not group.is_root else (),
        fix=lambda _node: Draft("suggest", note="rename .zgroup to .zarray, if it is an array"),
    )


def _no_format(readers: Mapping[str, str]) -> Fail:
    impact: Impact = "blocks" if readers is NOT_FOUND else "values" if readers else "convention"
    return Fail(
        "/.zgroup/zarr_format",
        "zarr_format is missing from .zgroup",
        impact=impact,
        readers=readers,
        fix=lambda _node: Draft("safe", (add("/.zgroup/zarr_format", 2),)),
    )


@rule("Z2-GRP-002", on="members", formats=V2)
def group_below_has_a_format(group: Group) -> Iterator[Fail]:
    """Require the format of a group below the root, which zarr-python and xarray find empty without it."""
    main = group.main_document
    if group.path == "/" or main is None or main.name != ".zgroup" or not main.ok:
        return
    if "zarr_format" not in group.metadata and group.hierarchy.consolidated is None:
        yield _no_format(_EMPTY if group.children else {})


@rule("Z2-GRP-003", on="array", formats=V2)
def not_a_group_too(array: Array) -> Iterator[Fail]:
    """Warn of a path that is both an array and a group, which a root is opened as."""
    if array.document(".zgroup") is not None:
        yield Fail(
            "",
            f"{array.path} has both .zarray and .zgroup: readers take it for an array, others may show a group",
            **_GROUP_AT_ROOT if array.is_root else {},
            fix=lambda _node: Draft("suggest", note="delete .zgroup, or .zarray if it is a group"),
        )


@rule("Z2-KEY-001", on="name", formats=V2)
def ascii_name(name: str) -> Iterator[Fail]:
    """Require names of ASCII characters, of which keys consist."""
    if not name.isascii():
        yield Fail(
            "",
            f"name {json_text(name)} is not ASCII, as keys of a Zarr v2 store are",
            fix=lambda _node: Draft(
                "unsafe",
                note="rename it; programs and attributes that use the old name no longer find it",
            ),
        )
