"""Z2: the keys of chunks, and what lies beside them."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.zarr2.members import V2
from nz_explorer.conventions.zarr2.netcdf.fills import shown_where_missing
from nz_explorer.conventions.zarr2.structured_types import kinds_of_fields_without_zero
from nz_explorer.conventions.zarr3.chunks import outside_the_shape
from nz_explorer.conventions.zarr3.nodes import VALUE_ERROR, shown
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, Undecided
from nz_explorer.engine.fixes import Draft, replace
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Inside
from nz_explorer.model.hierarchy import inside_arrays, is_document
from nz_explorer.model.paths import below
from nz_explorer.store import Listing
from nz_explorer.text.phrases import listed

if TYPE_CHECKING:
    from nz_explorer.model import Node

SEPARATORS = (".", "/")
FIND_NONE = "finds no chunk and returns the fill value everywhere"
_MOST_LOOKED_AT = 100
"""Names in the folder of an array that are looked at for chunks with another separator."""
_OTHER_SEPARATORS = re.compile(r"[-_,:x]")
"""What may stand between the indices of chunks instead, and does in the keys of no reader."""
_ENDING = re.compile(r"(\.[A-Za-z]\w*)+$")
"""What may follow the indices, as what compresses files adds it to their names."""
_BEGINNING = re.compile(r"(?:block|c|chunk|part|tile)[._-]?(?=\d+\.)")
"""What may stand before more than one index; other words may be those of a file with a version."""


@rule("Z2-ARR-010", on="array", formats=V2, provides="separator")
def separator(array: Array) -> Iterator[Fail]:
    """Require a separator that is valid and in use."""
    given = array.metadata.get("dimension_separator", ".")
    if given not in SEPARATORS:
        yield Fail(
            "/.zarray/dimension_separator",
            f'dimension_separator must be "." or "/", got {shown(given)}',
            impact="blocks",
            readers=VALUE_ERROR,
            fix=_use_that_of_the_chunks,
        )


def _use_that_of_the_chunks(node: Node) -> Draft:
    """Write the separator that the chunks have in their names, where it is one; the usual one where none are there."""
    right = "."
    if isinstance(node, Array) and (node.ndim or 0) > 1:
        (inside,) = inside_arrays(node.hierarchy, [node], limit=_MOST_LOOKED_AT)
        if isinstance(inside, Inside) and inside.chunk_names:
            right = "/" if inside.folders.issuperset(inside.chunk_names) else "."
        elif isinstance(inside, Inside) and (names := _with_no_separator(node, inside)):
            # with another value alone, readers would show the fill value in place of the error
            example = ".".join(_OTHER_SEPARATORS.split(names[0]))
            note = f'rename {names[0]} to {example}, and the other chunks likewise; then write "."'
            return Draft("suggest", note=note)
    draft: Draft = _use_separator(right)(node)
    return draft


def _chunk_name(name: str) -> tuple[int, ...] | None:
    """Return the indices that the name of a chunk spells, None where it is none."""
    parts = name.split(".")
    indices = tuple(int(part) for part in parts if part.isdecimal() and part.isascii())
    return indices if ".".join(map(str, indices)) == name else None  # 00 is no index


def _separator(array: Array) -> str:
    return str(array.metadata.get("dimension_separator", "."))


def _expected_parts(array: Array) -> int:
    """Return how many indices the names directly in an array's folder spell."""
    return 1 if _separator(array) == "/" or not array.ndim else array.ndim


def _separator_in_use(array: Array, inside: Inside) -> str | None:
    """Return the separator in the names of all chunks, None where that is the declared one, or not clear."""
    if (array.ndim or 0) < 2 or _separator(array) not in SEPARATORS:
        return None
    found = {name: parts for name in inside.chunk_names if (parts := _chunk_name(name)) is not None}
    other = "/" if _separator(array) == "." else "."
    wanted, of_another_kind = (1, inside.files) if other == "/" else (array.ndim, inside.folders)
    is_clear = found and of_another_kind.isdisjoint(found)
    if not is_clear or any(len(parts) != wanted for parts in found.values()):
        return None
    return other if other == "." or _holds_indices(array, min(found)) else None


def _holds_indices(array: Array, name: str) -> bool:
    """Whether a name is that of a folder, in which the next index follows alone, as it seems."""
    folder = f"{below(array.path)[1:]}{name}"
    (listing,) = array.hierarchy.reader.list_many([folder], limit=_MOST_LOOKED_AT)
    if not isinstance(listing, Listing):
        return True
    return any(len(_chunk_name(one) or ()) == 1 for one in listing.names)


@rule("Z2-ARR-010", on="inside", formats=V2)
def separator_in_use(array: Array, inside: Inside) -> Iterator[Fail]:
    """Fail where all chunks are named with the other separator: to readers they are all missing."""
    other = _separator_in_use(array, inside)
    if other is not None:
        declared = _separator(array)
        yield Fail(
            "/.zarray/dimension_separator",
            f'dimension_separator is "{declared}", but the chunks are named with "{other}":'
            " to readers all of them are missing",
            readers=_where_missing(array, FIND_NONE, "everywhere"),
            fix=_use_separator(other),
        )


def _with_no_separator(array: Array, inside: Inside) -> list[str]:
    """Return names of as many indices as there are dimensions, with what is no separator in between, where there are no chunks."""
    if inside.chunk_names or (array.ndim or 0) < 2:
        return []
    spelled = {name: _chunk_name(_OTHER_SEPARATORS.sub(".", name)) for name in inside.other_names}
    return [
        name
        for name, indices in spelled.items()
        if indices is not None and len(indices) == array.ndim and "." not in name
    ]


def _with_more(array: Array, inside: Inside) -> list[str]:
    """Return names of chunks with an ending, such as ``.gz``, or a beginning, such as ``chunk.``, where there are no chunks."""
    if inside.chunk_names or not array.ndim or _separator(array) not in SEPARATORS:
        return []
    found = {
        name: _chunk_name(_BEGINNING.sub("", _ENDING.sub("", name), 1))
        for name in inside.other_names
    }
    parts = _expected_parts(array)
    return [name for name, indices in found.items() if indices and len(indices) == parts]


def has_other_keys(array: Array) -> bool:
    """Return whether the chunks of an array are there, under keys that no reader looks for.

    Parameters
    ----------
    array : Array
        An array of Zarr v2.
    """
    (inside,) = inside_arrays(array.hierarchy, [array], limit=_MOST_LOOKED_AT)
    if not isinstance(inside, Inside):
        return False
    if _with_no_separator(array, inside) or _with_more(array, inside):
        return True
    if _separator(array) not in SEPARATORS:
        return False
    return inside.chunk_names != () and not any(
        _may_be_chunk(array, name, inside) for name in inside.chunk_names
    )


def _use_separator(right: str) -> Any:
    def fix(node: Node) -> Draft:
        there = "dimension_separator" in node.metadata
        operation = {"op": "replace" if there else "add", "path": "/.zarray/dimension_separator"}
        return Draft("suggest", ({**operation, "value": right},))

    return fix


def _may_be_chunk(array: Array, name: str, inside: Inside) -> bool:
    """Whether a name in an array's folder is that of a chunk, or of a folder with chunks; ``0`` for a scalar."""
    indices = _chunk_name(name)
    if indices is None or array.ndim is None:
        return array.ndim is None
    of_another_kind = inside.folders if in_one_folder(array) or not array.ndim else inside.files
    return (
        name not in of_another_kind
        and len(indices) == _expected_parts(array)
        and (array.ndim > 0 or indices == (0,))
    )


@rule("Z2-CHUNK-001", on="inside", formats=V2)
def unexpected_keys(array: Array, inside: Inside) -> Iterator[Fail]:
    """Note what lies beside the chunks and is none; warn where chunks are there, and none under its right key."""
    misspelled = _with_no_separator(array, inside) or _with_more(array, inside)
    unexpected = [
        name for name in inside.other_names if not is_document(name) and name not in misspelled
    ]
    if misspelled and _separator(array) in SEPARATORS:  # else Z2-ARR-010
        yield under_other_keys(array, misspelled)
    if _separator(array) in SEPARATORS and _separator_in_use(array, inside) is None:
        wrong = [name for name in inside.chunk_names if not _may_be_chunk(array, name, inside)]
        if wrong and len(wrong) == len(inside.chunk_names):
            names = [f"{name}/" if name in inside.folders else name for name in wrong]
            yield under_other_keys(array, names)
        else:
            lost = [name for name in wrong if _is_lost(array, name, inside, set(wrong))]
            unexpected += [name for name in wrong if name not in lost]
            yield from _with_both_separators(array, lost)
    yield from not_chunks(unexpected)


def _is_lost(array: Array, name: str, inside: Inside, wrong: Container[str]) -> bool:
    """Whether a name is that of a chunk, or a folder of chunks, with the other separator, and no other chunk has its first index."""
    indices = _chunk_name(name)
    if indices is None or (array.ndim or 0) < 2:
        return False
    if _separator(array) == ".":
        is_other = len(indices) == 1 and name in inside.folders
    else:
        is_other = len(indices) == array.ndim and name in inside.files
    right = (_chunk_name(one) for one in inside.chunk_names if one not in wrong)
    return is_other and all(one is None or one[0] != indices[0] for one in right)


def _with_both_separators(array: Array, names: Sequence[str]) -> Iterator[Fail]:
    """Warn of chunks with another separator than the rest, which two programs write into one array."""
    if not names:
        return
    declared = _separator(array)
    other = "/" if declared == "." else "."
    shown_names = [f"{name}/" if declared == "." else name for name in names[:3]]
    some = listed(map(json_text, shown_names))
    more = f" and {len(names) - 3:,} more" if len(names) > 3 else ""
    are = "are named" if len(names) > 1 else "is named"
    example = declared.join(["0"] * (array.ndim or 0))
    yield Fail(
        "",
        f'{some}{more} in the array\'s folder {are} with "{other}", the other chunks with "{declared}", as'
        f' dimension_separator says: to readers the chunks with "{other}" are missing',
        severity="warning",
        impact="values",
        readers=_where_missing(
            array, "finds no such chunk and returns the fill value there", "there"
        ),
        fix=lambda _node: Draft(
            "suggest", note=f"rename them to keys like {example} if they are chunks of this array"
        ),
    )


def _where_missing(array: Array, does: str, where: str) -> dict[str, str]:
    """Return what readers do where they find no chunk."""
    readers = dict.fromkeys(("zarr-python", "xarray"), does)
    return {**readers, "netCDF-C": shown_where_missing(array, does, where)}


def under_other_keys(array: Array, names: Sequence[str]) -> Fail:
    """Return that all chunks of an array have keys that no reader looks for.

    Parameters
    ----------
    array : Array
        The array.
    names : sequence of str
        What is there, relative to the array.
    """
    example = _separator(array).join(["0"] * (array.ndim or 0)) or "0"
    of_v3 = all(re.match(r"c([./]|$)", name) for name in names)
    note = (
        f"rename them to keys like {example} if they are the chunks of this array,"
        " or describe it in a zarr.json, if a program has written it as Zarr v3"
    )
    some = listed(map(json_text, names[:3]))
    more = f" and {len(names) - 3:,} more" if len(names) > 3 else ""
    are = "is no chunk" if len(names) == 1 else "are no chunks"
    why = ", but named as in Zarr v3" if of_v3 else ""
    return Fail(
        "",
        f"{some}{more} in the array's folder {are}{why}: the declared keys are like {example},"
        " and no chunk is there under its right key: to readers all of them are missing",
        severity="warning",
        impact="values",
        readers=_where_missing(array, FIND_NONE, "everywhere"),
        fix=(lambda _node: Draft("suggest", note=note)) if of_v3 else None,
    )


def not_chunks(names: Sequence[str]) -> Iterator[Fail]:
    """Yield that names in the folder of an array are none of chunks.

    Parameters
    ----------
    names : sequence of str
        The names, relative to the array.
    """
    for name in names[:5]:
        more = f" (and {len(names) - 5} more)" if len(names) > 5 and name == names[4] else ""
        yield Fail("", f"{json_text(name)} in the array's folder is not a chunk{more}")


def in_one_folder(array: Array) -> bool:
    """Whether the names in an array's folder tell all of its chunks.

    Parameters
    ----------
    array : Array
        The array.
    """
    return _expected_parts(array) == array.ndim


def chunk_counts(array: Array) -> list[int]:
    """Return how many chunks the grid has along each dimension.

    Parameters
    ----------
    array : Array
        An array whose shape and chunks are known.
    """
    return [
        -(-length // chunk) if chunk else 0
        for length, chunk in zip(array.shape or (), array.grid_shape or (), strict=True)
    ]


@rule("Z2-CHUNK-002", on="inside", formats=V2)
def no_chunks_outside(array: Array, inside: Inside) -> Iterator[Fail | Undecided]:
    """Note chunks that the grid does not have."""
    grid, lengths = array.grid_shape, array.shape
    if grid is None or lengths is None or 0 in grid:
        return
    if not in_one_folder(array):
        yield Undecided("cost")
        return
    counts = chunk_counts(array)
    outside = [
        name
        for name in inside.chunk_names
        if (indices := _chunk_name(name)) is not None
        and len(indices) == len(counts)
        and any(i >= count for i, count in zip(indices, counts, strict=True))
    ]
    if outside:
        yield outside_the_shape(array, sorted(outside))


def _define(node: Node) -> Draft:
    """Return what missing chunks may have been meant to hold: programs that cannot write NaN write null."""
    if isinstance(node, Array) and node.data_type.kind == "float":
        note = "null may have been written in place of NaN; or write the chunks"
        return Draft("suggest", (replace("/.zarray/fill_value", "NaN"),), note)
    return Draft("suggest", note="set a fill_value, or write the chunks")


@rule("Z2-FV-005", on="inside", formats=V2)
def undefined_values(array: Array, inside: Inside) -> Iterator[Fail | Undecided]:
    """Note chunks that are missing where no fill value defines their values."""
    grid, lengths = array.grid_shape, array.shape
    if array.metadata.get("fill_value", 0) is not None or grid is None or lengths is None:
        return
    if 0 in grid:
        return
    counts = chunk_counts(array)
    parts = _expected_parts(array)
    wanted = 1
    for count in counts[:parts]:
        wanted *= count
    if not inside.complete:
        yield Undecided("listing")
        return
    present = sum(
        1
        for name in inside.chunk_names
        if (indices := _chunk_name(name)) is not None
        and len(indices) == parts
        and all(i < count for i, count in zip(indices, counts, strict=False))
    )
    # Z2-ARR-010, Z2-CHUNK-001
    if present < wanted and not (present == 0 and has_other_keys(array)):
        yield undefined(array, wanted - present, "at least " if parts < len(counts) else "")
    elif parts < len(counts):
        yield Undecided("cost")


_BEFORE = "before 3.4.1"
_NO_DATE = {
    "zarr-python": f"raises ValueError when it reads such a chunk ({_BEFORE}): 0 is no date without a unit",
    "xarray": f"raises ValueError when it reads such a chunk (with zarr-python {_BEFORE})",
}
_NO_BYTES = {
    "zarr-python": "raises TypeError when it reads such a chunk (3.1): 0 is no raw bytes, which a field has",
    "xarray": "raises TypeError when it reads such a chunk (with zarr-python 3.1)",
}
_WITHOUT_ZERO = {"M": _NO_DATE, "V": _NO_BYTES}
"""What readers do that fill it with 0, by the kind of a field."""


def undefined(array: Array, missing: int, at_least: str = "") -> Fail:
    """Return that chunks are missing where nothing says what they hold.

    Parameters
    ----------
    array : Array
        The array.
    missing : int
        How many.
    at_least : str
        What is to be said before the number, where there may be more.
    """
    it = "they hold" if missing > 1 or at_least else "it holds"
    kinds = kinds_of_fields_without_zero(array)
    readers = next((_WITHOUT_ZERO[kind] for kind in sorted(kinds)), None)
    return Fail(
        "/.zarray/fill_value",
        f"{at_least}{missing} chunk{'s are' if missing > 1 else ' is'} missing and fill_value is null:"
        f" what {it} is undefined",
        impact="blocks" if readers else None,
        readers=readers,
        fix=_define,
    )
