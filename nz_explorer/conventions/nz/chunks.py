"""NZ: values of coordinates and scalars that were never written, and a _FillValue that never occurs.

Whether the chunks of coordinates and scalars are there is asked wherever values may be read at all; for the
other all values are read (values="all").
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from nz_explorer.conventions.zarr3.chunks import (
    NAN,
    is_same,
    shown_by_xarray,
    unwritten_is_missing_to_xarray,
)
from nz_explorer.engine.findings import Fail, Undecided
from nz_explorer.engine.fixes import Draft
from nz_explorer.engine.registry import rule
from nz_explorer.model import is_container
from nz_explorer.text.phrases import every, plural

if TYPE_CHECKING:
    from nz_explorer.model import Array, Node
    from nz_explorer.values.contents import (
        Absence,
        ArrayScan,
        Contents,
    )

FILL_POINTERS = {2: "/.zattrs/_FillValue", 3: "/attributes/_FillValue"}


@rule("NZ-COORD-008", on="chunks", when=lambda array, _: bool(array.shape))
def coordinates_are_written(array: Array, found: Absence) -> Iterator[Fail | Undecided]:
    """Require all chunks of an array named like its dimension."""
    if found.absent is None:
        yield Undecided(found.problem)
    elif found.absent:
        are, they = ("is", "it reads") if found.absent == 1 else ("are", "they read")
        some = f"{found.absent:,} of the {plural(found.total, 'chunk')}"
        which = every(found.total, "chunk") if found.absent == found.total else some
        # A single element may be what was meant: zarr writes no chunk of mere fill values.
        lost = (
            found.reads_as == "NaN"
            or found.absent > 1
            or min((*(array.chunk_shape or ()), *(array.shape or ()))) > 1
        )
        shown = shown_by_xarray(array, found.reads_as)
        yield Fail(
            "",
            f"{which} of coordinate {array.path} {are} not written: {they} as {found.reads_as} throughout",
            impact="values" if lost else None,
            readers={"xarray": f"shows {shown} in place of positions"} if lost else None,
        )


def _is_scalar_value(array: Array, _: Absence) -> bool:
    return array.shape == () and not is_container(array)


@rule("NZ-SCAL-003", on="chunks", when=_is_scalar_value)
def scalars_are_written(array: Array, found: Absence) -> Iterator[Fail | Undecided]:
    """Require the single chunk of a scalar."""
    if found.absent is None:
        yield Undecided(found.problem)
    elif found.absent:
        missing = found.reads_as != NAN and unwritten_is_missing_to_xarray(array)
        yield Fail(
            "",
            f"scalar {array.path} has no stored value; readers see the fill value {found.reads_as}"
            + (", which xarray shows as missing" if missing else ""),
            fix=_write_a_value,
        )


def _write_a_value(node: Node) -> Draft:
    steps = f'zarr.open_group(store)["{node.path.strip("/")}"][...] = VALUE'
    return Draft("suggest", note=f"if a value was forgotten, write it: {steps}")


def _has_fill(array: Array, _: Contents) -> bool:
    return array.nz_fill is not None and array.nz_fill.usable


@rule("NZ-FILL-008", on="contents", when=_has_fill)
def fill_occurs(array: Array, contents: Contents) -> Iterator[Fail | Undecided]:
    """Require some values that are equal to ``_FillValue``, and some that are not."""
    scan, fill = contents.scan, array.fill
    if scan is None:
        yield Undecided(contents.problem)
        return
    if scan.faults:
        yield Undecided("unreadable: not all chunks could be read")
        return
    missing = scan.states.get("fill", 0)
    if is_same(fill, array):
        missing += scan.states.get("absent", 0)
    others = sum(scan.states.values()) - missing - scan.states.get("storage_fill", 0)
    pointer = FILL_POINTERS[array.zarr_format or 3]
    text = "" if fill is None else fill.text
    if missing and not others:
        yield Fail(pointer, f"_FillValue {text} fills the whole array: {plural(missing, 'value')}")
    elif not missing and others:
        yield Fail(
            pointer, f"_FillValue {text} never occurs in {plural(others, 'value')}{_range(scan)}"
        )


def _range(scan: ArrayScan) -> str:
    if scan.minimum is None:
        return ""
    return f", which go from {scan.minimum} to {scan.maximum}"
