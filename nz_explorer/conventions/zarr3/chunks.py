"""Z3: which chunks are stored, and whether they can be read (values="all")."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from nz_explorer.conventions.zarr3.chunk_keys import lie_elsewhere
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, Undecided
from nz_explorer.engine.fixes import Draft, add, replace
from nz_explorer.engine.registry import rule
from nz_explorer.model import is_candidate
from nz_explorer.model.fill_values import FillValue, is_zero, same_value
from nz_explorer.text.phrases import plural

if TYPE_CHECKING:
    from nz_explorer.engine.findings import FixMaker
    from nz_explorer.model import Array, Node
    from nz_explorer.values.contents import (
        ArrayScan,
        ChunkError,
        Contents,
        FaultKind,
        PackedBytes,
    )

MEMBER = "fill_value"
NAN = "NaN"


def masked_by_xarray(array: Array) -> bool:
    """Whether xarray has no value where nothing was written: in Zarr v2 it masks by fill_value.

    Parameters
    ----------
    array : Array
        The array.
    """
    masks = array.zarr_format == 2 and array.xarray_fill is not None and array.xarray_fill.usable
    return masks and array.fill is None


def unwritten_is_missing_to_xarray(array: Array) -> bool:
    """Whether xarray shows what was never written as missing, by whatever marks that.

    Parameters
    ----------
    array : Array
        The array.
    """
    stored = array.storage_fill  # where there is none, zero is read
    return any(
        mark.usable and (is_zero(mark.value) if stored is None else same_value(mark, stored))
        for mark in (array.xarray_fill, *array.missing_values)
        if mark is not None
    )


def shown_by_xarray(array: Array, reads_as: str) -> str:
    """Return what xarray shows where nothing was written: NaN in place of what it takes for missing.

    Parameters
    ----------
    array : Array
        The array.
    reads_as : str
        What is read there.
    """
    numeric = array.data_type.kind in ("int", "uint", "float")
    return NAN if numeric and unwritten_is_missing_to_xarray(array) else reads_as


@rule("Z3-CHUNK-001", on="contents", formats=(3,), when=lambda array, _: array.shape != ())
def no_chunks_outside(array: Array, contents: Contents) -> Iterator[Fail | Undecided]:
    """Require that there are no chunks outside the shape."""
    if contents.presence is None:
        yield Undecided(contents.problem or "listing")
        return
    outside = contents.presence.outside
    if outside:
        yield outside_the_shape(array, outside)


def outside_the_shape(array: Array, outside: Sequence[str]) -> Fail:
    """Return what is wrong with chunks outside the shape of an array.

    Parameters
    ----------
    array : Array
        The array.
    outside : sequence of str
        Names of the chunks, or of folders with chunks.
    """
    # of chunks in folders of their own, a folder is named by less than all indices
    indices = outside[0].replace(".", "/").count("/") + 1
    folder = array.zarr_format == 2 and indices < len(array.shape or ())
    one = "folder of chunks lies" if folder else "chunk lies"
    what = one if len(outside) == 1 else "chunks, or folders of chunks, lie"
    return Fail(
        "/shape" if array.zarr_format == 3 else "/.zarray/shape",
        f"{len(outside):,} {what} outside the shape {list(array.shape or ())}: {_some(outside)}",
        fix=lambda _node: Draft(
            "suggest",
            # deleting is the last advice: they may be the only copy of what is missing inside
            note="if chunks inside of the shape are missing, they may have been written to the wrong places; if the array has"
            " grown, shape is too small; only if it was made smaller, they are left over and can be deleted",
        ),
    )


@rule("Z3-CHUNK-002", on="contents", formats=(3,))
def chunks_have_their_size(array: Array, contents: Contents) -> Iterator[Fail | Undecided]:
    """Require the size that the codecs always produce."""
    scan = contents.scan
    if scan is None:
        yield Undecided(contents.problem)
    elif (count := scan.faults.get("size")) and not _is_packed_otherwise(contents):
        have = "has" if count == 1 else "have"
        yield _faulty(array, contents, count, f"{have} the wrong size", ("size",))


@rule("Z3-CHUNK-003", on="contents", formats=(3,))
def inner_chunks_lie_apart(_array: Array, contents: Contents) -> Iterator[Fail]:
    """Require inner chunks of a shard that do not share a part of their bytes; below, those that do not decode."""
    scan, shards = contents.scan, () if contents.census is None else contents.census.overlapping
    if shards and scan is not None and not scan.faults:
        which = shards[0] if len(shards) == 1 else f"{len(shards):,} shards, first in {shards[0]}"
        yield Fail(
            "/codecs",
            f"by its index, inner chunks share a part of their bytes in {which}: not all of them can be what was written",
            impact="values",
            readers=dict.fromkeys(("zarr-python", "xarray"), "reads these bytes for each of them"),
            fix=lambda _node: Draft("suggest", note="write these shards again from the source"),
        )


@rule("Z3-CHUNK-003", on="contents", formats=(3,))
def chunks_decode(array: Array, contents: Contents) -> Iterator[Fail | Undecided]:
    """Require chunks that the codecs can decode."""
    scan = contents.scan
    if scan is None:
        yield Undecided(contents.problem)
        return
    kinds: tuple[FaultKind, ...] = ("codec",)
    # what is something else has any size, or seems to unpack to any
    if _is_packed_otherwise(contents):
        kinds = ("codec", "size")
    if contents.looks is not None:
        kinds = (*kinds, "limit")
    count = sum(scan.faults.get(kind, 0) for kind in kinds)
    if count:
        do = "does" if count == 1 else "do"
        yield _faulty(array, contents, count, f"{do} not decode", kinds)
    others: tuple[FaultKind, ...] = ("store", "limit")
    for fault in others:
        if fault not in kinds and scan.faults.get(fault):
            first = next((e for e in scan.errors if e.fault == fault), None)
            yield Undecided(f"unreadable: {first.message if first else 'the store failed'}")
            break


def _is_packed_otherwise(contents: Contents) -> bool:
    """Whether chunks are packed with something else than the metadata say: then their size tells nothing."""
    return contents.looks is not None and bool(contents.looks.name)


_COUNTED = ("bool", "int", "uint")
"""Kinds of data types of which an array may be 0 throughout, so that zarr writes no chunk."""


def is_looked_for(array: Array, _contents: Contents) -> bool:
    """Return whether it matters that chunks of an array are not written.

    Parameters
    ----------
    array : Array
        The array.
    _contents : Contents
        What is stored for it.
    """
    # NZ-COORD-008 and NZ-SCAL-003 speak of the others
    return array.shape not in (None, ()) and not is_candidate(array)


@rule("Z3-CHUNK-004", on="contents", formats=(3,), when=is_looked_for)
def chunks_are_written(array: Array, contents: Contents) -> Iterator[Fail | Undecided]:
    """Require every chunk, or that what was not written reads as missing; Z3-CHUNK-005 tells of those under other keys."""
    if nothing_is_found(contents) and lie_elsewhere(array, contents):
        return
    yield from unwritten(array, contents)


@rule("Z3-CHUNK-006", on="contents", formats=(3,), when=is_looked_for)
def chunks_are_whole(array: Array, contents: Contents) -> Iterator[Fail | Undecided]:
    """Warn of blocks of the fill value in chunks of an array that is full otherwise."""
    if contents.scan is None:
        yield Undecided(contents.problem)
    elif contents.lost is not None:
        block, number = contents.lost.first, contents.lost.chunks
        name = (array.dimension_names or ())[block.axis : block.axis + 1]
        along = name[0] if name and name[0] else f"axis {block.axis}"
        one = block.stop == block.start + 1
        steps = f"step {block.start}" if one else f"steps {block.start} to {block.stop - 1}"
        here = f"chunk {block.key} holds only the fill value at {steps} along {along}"
        pointer = "/chunk_grid/configuration/chunk_shape"
        pointer = pointer if array.zarr_format == 3 else "/.zarray/chunks"
        if contents.lost.alone:
            only = (
                ""
                if number == 1
                else f", as {plural(number - 1, 'other chunk')} do"
                if number > 2
                else ", as another chunk does"
            )
            message = (
                f"{here}{only}; chunks beside it have values there, and nothing else is missing: several processes may have"
                " written to the same chunk at once"
            )
            yield Fail(pointer, message, fix=_write_whole_chunks)
            return
        yield Fail(
            pointer,
            f"{here}, and chunks beside it at other steps: unless the source itself lacks them, several processes have"
            f" written to the same chunk at once; values are missing in {number:,} of {plural(contents.scan.chunks_total, 'chunk')}",
            severity="info",
            impact="advice",
            fix=_write_whole_chunks,
        )


def _write_whole_chunks(_node: Node) -> Draft:
    return Draft(
        "suggest",
        note="unless the source lacks it, too, it is lost here: write it again, each process in multiples of the chunks"
        " (of the shards, where there are any), as to_zarr(align_chunks=True) and ds.chunk(…) do",
    )


def nothing_is_found(contents: Contents) -> bool:
    """Return whether an array has chunks, and none of them is found.

    Parameters
    ----------
    contents : Contents
        What is stored for it.
    """
    return contents.census is not None and contents.census.written == 0


def unwritten(array: Array, contents: Contents) -> Iterator[Fail | Undecided]:
    """Yield what is wrong with chunks that were not written.

    Parameters
    ----------
    array : Array
        The array.
    contents : Contents
        What is stored for it.
    """
    from nz_explorer.values.contents import gap_texts

    found = contents.census
    if found is None or found.written is None or not found.complete:
        yield Undecided(contents.problem or f"listing: {found.problem if found else 'not known'}")
        return
    if not found.absent:
        return
    fill = array.fill
    what = f", which is not _FillValue {fill.text}" if fill is not None else ""
    if found.hidden:
        only_cf = not is_same(fill, array) and bool(array.missing_values)
        moved = fill is not None and array.nz_fill is None  # there is no _FillValue
        what = f", which is {'missing_value' if only_cf else '_FillValue'}"
        what = ", which xarray takes for missing" if moved and not only_cf else what
    elif not what and found.reads_as != NAN:
        what = ", which is a value like any other"
    reads = f"reads as {found.reads_as}{what}{', though xarray shows it as missing' if masked_by_xarray(array) else ''}"
    if not found.written:
        none = (
            "the only chunk is not"
            if found.total == 1
            else f"none of the {found.total:,} chunks is"
        )
        message = f"{none} written: everything {reads}"
        if found.total == 1 and fill is None and array.data_type.kind in _COUNTED:
            message += "; writers also leave a chunk out where it holds nothing else, such as a mask without a hit"
            yield _unwritten(array, message, harms=False)
            return
        # also where it reads as missing: an array without a single value was seldom meant to have none
        yield _unwritten(array, message, harms=True)
        return
    are = "is" if found.absent == 1 else "are"
    gaps = "".join(f"; {text}" for text in gap_texts(found))
    yield _unwritten(
        array,
        f"{found.absent:,} of {plural(found.total, 'chunk')} {are} not written: "
        f"{f'it {reads}' if found.absent == 1 else f'they {reads}'.replace('reads', 'read', 1)}{gaps}",
        # without a mark for missing data it may well be what was meant: zarr writes no chunk of mere fill values
        harms=fill is not None and not found.hidden,
    )


def is_same(fill: FillValue | None, array: Array) -> bool:
    """Whether a fill value is what chunks that were never written read as.

    Parameters
    ----------
    fill : FillValue or None
        The value that stands for missing data.
    array : Array
        The array.
    """
    stored = array.storage_fill
    return fill is not None and stored is not None and same_value(fill, stored)


def _unwritten(array: Array, message: str, *, harms: bool) -> Fail:
    pointer = "/fill_value" if array.zarr_format == 3 else "/.zarray/fill_value"
    fix = None
    if array.data_type.kind == "float" and array.fill is None and not _is_nan(array):
        fix = _reads_as_nan(pointer)
    if harms:
        return Fail(pointer, message, severity="warning", fix=fix)
    return Fail(pointer, message, impact="advice", readers={}, fix=fix)


def _is_nan(array: Array) -> bool:
    fill = array.storage_fill
    return fill is not None and fill.usable and math.isnan(fill.value)


def _reads_as_nan(pointer: str) -> FixMaker:
    """Return the fix that shows what was not written as missing; what is stored does not depend on it."""
    note = (
        f"unless the chunks can be uploaded again; zarr also writes no chunk of mere {MEMBER}: "
        "NaN is right where these are lost"
    )
    return lambda _node: Draft("suggest", (replace(pointer, NAN),), note)


_BY_CHANCE = dict.fromkeys(
    ("zarr-python", "xarray"),
    "raises an error of blosc, or returns values of no meaning, which may be other ones each time",
)

OF_COORDINATES = {
    "zarr-python": "opens the array, and raises an error when the chunk is read",
    "xarray": "raises an error when it opens the group, because it reads dimension coordinates then",
}
"""What readers do with a dimension coordinate of which a chunk cannot be read."""


def _faulty(
    array: Array, contents: Contents, count: int, what: str, faults: tuple[FaultKind, ...]
) -> Fail:
    scan, looks = contents.scan, contents.looks
    errors = () if scan is None else scan.errors
    total = 0 if scan is None else scan.chunks_total
    first = next((error for error in errors if error.fault in faults), None)
    detail = "" if first is None else f"; chunk {first.chunk}: {first.message.removesuffix('.')}"
    if looks is not None:
        detail += f"; {looks.text}"
        if looks.name:
            detail += f", and the metadata say {codecs_text(array)}"
    which = "the only chunk" if total == 1 else f"{count:,} of {plural(total, 'chunk')}"
    return Fail(
        "/codecs" if array.zarr_format == 3 else "/.zarray/compressor",
        f"{which} {what}{detail}",
        readers=_readers(array, first),
        fix=_as_lost(array, first, scan, sized=faults == ("size",))
        if looks is None or not looks.why or _some_decode(scan)
        else _as_packed(looks),
    )


def _readers(array: Array, first: ChunkError | None) -> dict[str, str] | None:
    """Return what readers do with a chunk that cannot be read, where that is not what they do with most."""
    from nz_explorer.values.contents import may_decode

    if first is not None and may_decode(first):
        return _BY_CHANCE
    return OF_COORDINATES if is_candidate(array) else None


def _some_decode(scan: ArrayScan | None) -> bool:
    """Whether other chunks are as the metadata say: then these are the wrong ones."""
    gone = ("absent", "unreadable", "unread")
    return scan is not None and any(n for state, n in scan.states.items() if state not in gone)


def _as_lost(
    array: Array, first: ChunkError | None, scan: ArrayScan | None, *, sized: bool
) -> FixMaker:
    """Return what can be done about chunks that cannot be read: the rest of the array can, where there is a rest."""
    if scan is not None and not _some_decode(scan) and not scan.states.get("unread"):
        members = "data_type and chunk_shape" if array.zarr_format == 3 else "dtype and chunks"
        if not sized:
            packed = "codecs" if array.zarr_format == 3 else "compressor, filters"
            members = f"{packed}, {members}"
        has = "has the size that the metadata say" if sized else "decodes as the metadata say"
        note = (
            f"no chunk {has}: compare {members} with what wrote them; if the chunks were"
            f" {'cut short' if sized else 'damaged'} on their way, upload them again"
        )
        return lambda _node: Draft("suggest", note=note)
    which = "each of them" if first is None else first.chunk
    fill = array.metadata.get(MEMBER)
    reads = "" if fill is None else f" and reads as {json_text(fill)}"
    note = f"upload it again; or delete {which}: what was in it is lost{reads}, and the rest can be read"
    return lambda _node: Draft("suggest", note=note)


def codecs_text(array: Array) -> str:
    """Return what packs the chunks of an array, as its metadata say."""
    if array.zarr_format == 2:
        compressor = array.metadata.get("compressor")
        return (
            f"compressor {compressor.get('id')}"
            if isinstance(compressor, dict)
            else "no compressor"
        )
    names = [str(codec.get("name") if isinstance(codec, dict) else codec) for codec in array.codecs]
    return f"codecs {', '.join(names)}"


_SAID_AT = {
    "codecs": ("/codecs", "/.zarray/compressor"),
    "chunk shape": ("/chunk_grid/configuration/chunk_shape", "/.zarray/chunks"),
}
"""Where the metadata of Zarr v3, and of v2, say what the bytes of a chunk tell."""


def _as_packed(looks: PackedBytes) -> FixMaker:
    """Return the fix that names what the chunks were packed with: as one of them was tried."""

    def fix(node: Node) -> Draft:
        of_v2 = node.zarr_format == 2
        pointer = _SAID_AT[looks.of][of_v2]
        # zarr-python reads arrays of v2 that have no compressor at all
        put = add if of_v2 and pointer.rpartition("/")[2] not in node.metadata else replace
        return Draft("suggest", (put(pointer, looks.codec),), note=looks.why)

    return fix


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (" …" if len(names) > 3 else "")
