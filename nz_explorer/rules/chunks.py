"""Which chunks are stored, and what all values of an array say (Z3 and NZ, values="all").

Whether the chunks of coordinates and scalars are there is asked wherever values may be read at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from nz_explorer.rules.findings import Fail, Undecided
from nz_explorer.rules.registry import rule

if TYPE_CHECKING:
    from nz_explorer.model import Array
    from nz_explorer.values.contents import Absence, ArrayScan, Contents

FILL_POINTERS = {2: "/.zattrs/_FillValue", 3: "/attributes/_FillValue"}


@rule("NZ-COORD-008", on="chunks", when=lambda array, _: bool(array.shape))
def coordinates_are_written(array: Array, found: Absence) -> Iterator[Fail | Undecided]:
    """Want all chunks of an array named like its dimension."""
    if found.absent is None:
        yield Undecided(found.problem)
    elif found.absent:
        are = "is" if found.absent == 1 else "are"
        yield Fail(
            "",
            f"{found.absent:,} of the {found.total:,} chunks of coordinate {array.path} "
            f"{are} not written; {found.reads_as} repeats there",
        )


@rule("NZ-SCAL-003", on="chunks", when=lambda array, _: array.shape == ())
def scalars_are_written(array: Array, found: Absence) -> Iterator[Fail | Undecided]:
    """Want the one chunk of a scalar."""
    if found.absent is None:
        yield Undecided(found.problem)
    elif found.absent:
        yield Fail(
            "",
            f"scalar {array.path} has no stored value; readers see the fill value {found.reads_as}",
        )


@rule("Z3-CHUNK-001", on="contents", formats=(3,), when=lambda array, _: array.shape != ())
def no_chunks_outside(array: Array, contents: Contents) -> Iterator[Fail | Undecided]:
    """Want no chunks that the shape has no place for."""
    if contents.presence is None:
        yield Undecided("listing")
        return
    outside = contents.presence.outside
    if outside:
        what = "chunk lies" if len(outside) == 1 else "chunks, or folders of them, lie"
        yield Fail(
            "/shape",
            f"{len(outside):,} {what} outside the shape {list(array.shape or ())}: {_some(outside)}",
        )


@rule("Z3-CHUNK-002", on="contents", formats=(3,))
def chunks_have_their_size(_: Array, contents: Contents) -> Iterator[Fail | Undecided]:
    """Want as many bytes as the codecs always make."""
    scan = contents.scan
    if scan is None:
        yield Undecided(contents.problem)
    elif count := scan.faults.get("size"):
        have = "has" if count == 1 else "have"
        yield _faulty(scan, count, f"{have} another size", ("size",))


@rule("Z3-CHUNK-003", on="contents", formats=(3,))
def chunks_decode(_: Array, contents: Contents) -> Iterator[Fail | Undecided]:
    """Want chunks that the codecs can decode."""
    scan = contents.scan
    if scan is None:
        yield Undecided(contents.problem)
        return
    count = scan.faults.get("codec", 0) + scan.faults.get("size", 0)
    if count:
        do = "does" if count == 1 else "do"
        yield _faulty(scan, count, f"{do} not decode", ("codec", "size"))
    if scan.faults.get("store"):
        first = next((e for e in scan.errors if e.fault == "store"), None)
        yield Undecided(f"unreadable: {first.message if first else 'the store failed'}")


def _faulty(scan: ArrayScan, count: int, what: str, faults: tuple[str, ...]) -> Fail:
    first = next((error for error in scan.errors if error.fault in faults), None)
    told = "" if first is None else f"; chunk {first.chunk}: {first.message}"
    return Fail("/codecs", f"{count:,} of {scan.chunks_total:,} chunks {what}{told}")


def _has_fill(array: Array, _: Contents) -> bool:
    return array.fill is not None and array.fill.usable


@rule("NZ-FILL-008", on="contents", when=_has_fill)
def fill_occurs(array: Array, contents: Contents) -> Iterator[Fail | Undecided]:
    """Want some values that are equal to ``_FillValue``, and some that are not."""
    scan, fill = contents.scan, array.fill
    if scan is None:
        yield Undecided(contents.problem)
        return
    if scan.faults:
        yield Undecided("unreadable: not all chunks could be read")
        return
    missing = scan.states.get("fill", 0)
    others = sum(scan.states.values()) - missing - scan.states.get("storage_fill", 0)
    pointer = FILL_POINTERS[array.zarr_format or 3]
    text = "" if fill is None else fill.text
    if missing and not others:
        yield Fail(pointer, f"_FillValue {text} fills the whole array: {missing:,} values")
    elif not missing and others:
        yield Fail(pointer, f"_FillValue {text} never occurs in {others:,} values{_range(scan)}")


def _range(scan: ArrayScan) -> str:
    if scan.minimum is None:
        return ""
    return f", which go from {scan.minimum} to {scan.maximum}"


def _some(names: tuple[str, ...]) -> str:
    return ", ".join(names[:3]) + (" …" if len(names) > 3 else "")
