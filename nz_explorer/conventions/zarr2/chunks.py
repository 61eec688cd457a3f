"""Z2: which chunks are stored, and whether they can be read (values="all"); as for Zarr v3."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from nz_explorer.conventions.zarr.tree import inside_of
from nz_explorer.conventions.zarr2.chunk_keys import (
    chunk_counts,
    has_other_keys,
    in_one_folder,
    not_chunks,
    undefined,
    under_other_keys,
)
from nz_explorer.conventions.zarr2.codecs import no_chunk_can_be_read
from nz_explorer.conventions.zarr2.netcdf.fills import shown_where_missing, turned_fill
from nz_explorer.conventions.zarr3 import chunks as of_v3
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, Undecided
from nz_explorer.engine.registry import rule
from nz_explorer.model import is_candidate

if TYPE_CHECKING:
    from nz_explorer.model import Array
    from nz_explorer.values.contents import Contents


def _has_folders(array: Array, _: Contents) -> bool:
    """Whether chunks are in folders of their own; where they are in one, its listing is enough."""
    return array.shape != () and not in_one_folder(array)


OTHERS = {
    "zarr-python": "raises an error of the compressor, or ValueError: cannot reshape array",
    "xarray": "fails when the values are loaded",
}
NETCDF = {"netCDF-C": "fails when the values are read"}
AS_THEY_ARE = (
    "takes the bytes as they are; where they are too few, it goes on with what lies behind them in"
    " memory, or crashes the process"
)
_OTHER_SIZE = re.compile(
    r"cannot reshape array of size [1-9]|to a larger dtype|not an integer multiple of elementsize"
)
"""What zarr-python says of a chunk that decodes, and then has another size; netCDF-C shuffles back any number of bytes."""


_MAKE_NODES = ("/.zarray", "/.zgroup")


@rule("Z2-CHUNK-001", "TREE-003", on="contents", formats=(2,), when=_has_folders)
def only_chunks_in_folders(array: Array, contents: Contents) -> Iterator[Fail | Undecided]:
    """Note what lies beside chunks in folders of their own and is none; a node there is TREE-003."""
    found = contents.presence
    if found is None:
        yield Undecided(contents.problem or "listing")
        return
    misnamed = [name for name in found.misnamed if "/" in name]  # the others are told of already
    if misnamed and not len(found.places):
        yield under_other_keys(array, misnamed)
        misnamed = []
    below_array = sorted(
        {name.rpartition("/")[0] for name in found.strays if name.endswith(_MAKE_NODES)}
    )
    for folder in below_array:
        yield inside_of(array, f"{array.path.rstrip('/')}/{folder}")
    strays = [name for name in found.strays if name.rpartition("/")[0] not in below_array]
    if not has_other_keys(array):
        yield from not_chunks([*misnamed, *strays])


@rule("Z2-FV-005", on="contents", formats=(2,), when=_has_folders)
def undefined_values(array: Array, contents: Contents) -> Iterator[Fail | Undecided]:
    """Note single chunks that are missing where no fill value defines their values; of whole folders the listing tells."""
    found = contents.presence
    if array.metadata.get("fill_value", 0) is not None or array.grid_shape is None:
        return
    if found is None or not found.complete:
        yield Undecided(contents.problem or "listing")
        return
    counts = chunk_counts(array)
    folders = {place[0] for place in found.stored}
    missing = math.prod(counts) - len(found.places)
    if missing > 0 and len(folders) == counts[0]:
        yield undefined(array, missing)


@rule("Z2-CHUNK-002", on="contents", formats=(2,), when=_has_folders)
def no_chunks_outside(array: Array, contents: Contents) -> Iterator[Fail | Undecided]:
    """Require that there are no chunks outside the shape."""
    yield from of_v3.no_chunks_outside(array, contents)


@rule("Z2-CHUNK-003", on="contents", formats=(2,))
def chunks_have_their_size(array: Array, contents: Contents) -> Iterator[Fail | Undecided]:
    """Require as many bytes as the elements of a chunk take."""
    for result in of_v3.chunks_have_their_size(array, contents):
        yield _of_other_size(array, result) if isinstance(result, Fail) else result


@rule("Z2-CHUNK-004", on="contents", formats=(2,))
def chunks_decode(array: Array, contents: Contents) -> Iterator[Fail | Undecided]:
    """Require chunks that the filters and the compressor can decode; of settings with which none can, Z2-CODEC-003 tells."""
    if no_chunk_can_be_read(array):
        yield Undecided("dependency: Z2-CODEC-003")
        return
    for result in of_v3.chunks_decode(array, contents):
        if not isinstance(result, Fail):
            yield result
        elif not array.codecs or _OTHER_SIZE.search(result.message):
            yield _of_other_size(array, result)
        else:
            yield dataclasses.replace(result, readers={**(result.readers or OTHERS), **NETCDF})


def _of_other_size(array: Array, fail: Fail) -> Fail:
    """Say of chunks with too few or too many bytes that netCDF-C takes them as they are."""
    others = of_v3.OF_COORDINATES if is_candidate(array) else OTHERS
    readers = {**others, "netCDF-C": AS_THEY_ARE}
    return dataclasses.replace(fail, readers=readers, impact="values", stops=tuple(OTHERS))


_FILLED = dict.fromkeys(("zarr-python", "xarray"), "returns the fill_value there")


@rule("Z2-CHUNK-005", on="contents", formats=(2,), when=of_v3.is_looked_for)
def chunks_are_written(array: Array, contents: Contents) -> Iterator[Fail | Undecided]:
    """Require every chunk, or that what was not written reads as missing; Z2-ARR-010 and Z2-CHUNK-001 tell of those under other keys."""
    if array.metadata.get("fill_value") is None:  # nothing says how it reads: Z2-FV-005, Z2-ARR-002
        return
    misnamed = contents.presence is not None and contents.presence.misnamed
    if of_v3.nothing_is_found(contents) and (misnamed or has_other_keys(array)):
        return
    fill = array.storage_fill
    if fill is not None and fill.problems and not fill.usable:
        # readers differ: true is 1 to zarr-python, and some refuse the array
        yield Undecided("dependency: Z2-FV")
        return
    given = array.metadata["fill_value"]
    as_it_stands = given if array.data_type.name == "null_terminated_bytes" else None
    for result in of_v3.unwritten(array, contents):
        if isinstance(result, Fail) and as_it_stands:
            does = f"returns the text {json_text(as_it_stands)} there, which is base64 (4.10)"
            others = _FILLED if result.readers is None else result.readers
            yield dataclasses.replace(result, readers={**others, "netCDF-C": does})
        elif isinstance(result, Fail) and turned_fill(array) is not None:
            does = shown_where_missing(array, "", "there")
            others = _FILLED if result.readers is None else result.readers
            yield dataclasses.replace(result, impact="values", readers={**others, "netCDF-C": does})
        else:
            yield result


@rule("Z2-CHUNK-006", on="contents", formats=(2,), when=of_v3.is_looked_for)
def chunks_are_whole(array: Array, contents: Contents) -> Iterator[Fail | Undecided]:
    """Warn of blocks of the fill value in chunks of an array that is full otherwise."""
    yield from of_v3.chunks_are_whole(array, contents)
