"""NZ: the values of arrays named like their dimension (NZ-1.0, Dimension Coordinate Array).

Being named like the dimension makes an array a candidate; strictly monotonic values make it the
coordinate. A candidate that is none is no violation, but hardly ever intended: a warning.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.nz.array_types import chunk_bytes, chunk_lengths
from nz_explorer.engine.findings import Fail, Undecided
from nz_explorer.engine.fixes import Draft
from nz_explorer.engine.registry import rule
from nz_explorer.model import is_candidate
from nz_explorer.text.phrases import plural

if TYPE_CHECKING:
    from nz_explorer.engine.findings import FixMaker
    from nz_explorer.model import Array, Group, Node
    from nz_explorer.values.coordinates.monotonicity import Monotonicity

NOT_A_TIME = -(2**63)
MOST_CHUNKS = 100
"""Of how many chunks a coordinate may be, which readers ask for one after the other, or a few at a time."""
LARGE_CHUNK = 1_000_000
"""Bytes of a chunk from which on there is a reason to have many."""
UNDECIDED = {"unreadable": "unreadable", "budget": "budget", "unordered": "unordered"}


def _undecided(monotonic: Monotonicity) -> Iterator[Undecided]:
    word = UNDECIDED.get(monotonic.result)
    if word is not None:
        yield Undecided(
            f"{word}: {monotonic.note}" if monotonic.note and word == "unreadable" else word
        )


@rule("NZ-COORD-002", on="values")
def monotonic_values(array: Array, monotonic: Monotonicity) -> Iterator[Fail | Undecided]:
    """Require each value to continue in the direction of the first two that differ."""
    yield from _undecided(monotonic)
    if monotonic.result == "not":
        yield Fail(
            "",
            f'{array.path} is named like dimension "{array.name}" but is not a dimension coordinate: '
            + _break(array, monotonic)
            + _cut_off(array, monotonic),
            fix=_way_out(monotonic),
        )


def _way_out(monotonic: Monotonicity) -> FixMaker:
    if _has_gaps(monotonic):
        return _write_first
    if NOT_A_TIME in (monotonic.before, monotonic.after):
        return _leave_out
    return _sort if monotonic.repeated is None else keep_one


def _has_gaps(monotonic: Monotonicity) -> bool:
    return "never written" in monotonic.note


def _write_first(_node: Node) -> Draft:
    return Draft("suggest", note="write the chunks that are not there: they read as the fill value")


def _leave_out(node: Node, what: str = "times") -> Draft:
    steps = f"ds.isel({{{node.name!r}: ds[{node.name!r}].notnull()}})"
    return Draft("suggest", note=f"write it again without the missing {what}: {steps}")


def _write_or_leave_out(node: Node) -> Draft:
    draft = _leave_out(node, "values")
    return replace(
        draft, note=f"write the values that are missing, if they are known; else {draft.note}"
    )


def _sort(_node: Node) -> Draft:
    return Draft("suggest", note="sort the data along the dimension, or rename the dimension")


def keep_one(node: Node) -> Draft:
    """Return what to do with a value that is there twice.

    Parameters
    ----------
    node : Node
        The coordinate.
    """
    return Draft(
        "suggest",
        note=f"if the rows are the same, keep one: ds.drop_duplicates({node.name!r}), written to a new store; else correct the values",
    )


def _cut_off(array: Array, monotonic: Monotonicity) -> str:
    """Return what is to be said of a text that is there twice, and is as long as its type holds."""
    kind = array.data_type
    if monotonic.repeated is None or kind.itemsize is None or kind.numpy is None:
        return ""
    width = {"U": kind.itemsize // 4, "S": kind.itemsize}.get(kind.numpy.kind)
    if width is None or len(monotonic.repeated[2]) < width:
        return ""
    return f"; {kind.text} holds {plural(width, 'character')}, and longer texts may have been cut off, as by to_zarr(append_dim=…)"


def _break(array: Array, monotonic: Monotonicity) -> str:
    from nz_explorer.values.cf_decoding import date_of

    if _has_gaps(monotonic):
        date = date_of(array.attributes, monotonic.after)
        return f"{monotonic.note}, which is {date}" if date else monotonic.note
    if monotonic.repeated is not None:
        later, earlier, value, _ = monotonic.repeated
        date = date_of(array.attributes, value)
        of = f", {date}" if date else ""
        return f"value[{earlier}] and value[{later}] are both {_shown(value)}{of}"
    index, before, after = monotonic.index, monotonic.before, monotonic.after
    if index is None:
        return monotonic.note or "its values are not strictly monotonic"
    if before == after:
        return f"value[{index - 1}] and value[{index}] are both {_shown(after)}"
    return f"value[{index}] = {_shown(after)} after value[{index - 1}] = {_shown(before)}"


def _shown(value: Any) -> str:
    if value == NOT_A_TIME:
        return f"{value} (a missing time: NumPy stores NaT as this number)"
    return repr(value) if isinstance(value, str) else str(value)


@rule("NZ-COORD-003", on="values")
def no_missing_values(array: Array, monotonic: Monotonicity) -> Iterator[Fail | Undecided]:
    """Require a value everywhere."""
    if monotonic.result != "unordered":
        yield from _undecided(monotonic)
    if monotonic.result == "missing":
        count = (
            "missing values"
            if monotonic.missing_count is None
            else plural(monotonic.missing_count, "missing value")
        )
        first = "" if monotonic.index is None else f", first at index {monotonic.index}"
        yield Fail(
            "",
            f'{array.path} is named like dimension "{array.name}" but is not a dimension coordinate: '
            f"it has {count}{first}",
            fix=_write_or_leave_out,
        )
    elif monotonic.result == "trivial" and monotonic.missing_count:
        yield Fail(
            "",
            f'the only value of {array.path}, the coordinate of dimension "{array.name}", is missing;'
            " one value alone is strictly monotonic, so it is a dimension coordinate to NZ-1.0",
            severity="info",
            fix=_write_or_leave_out,
        )


@rule("NZ-COORD-004", on="members")
def ordered_type(group: Group) -> Iterator[Fail]:
    """Note values without an order, which cannot be monotonic; the type decides, so none is read."""
    for array in group.coordinates.values():
        if (array.shape or (0,))[0] > 1:
            from nz_explorer.values.coordinates.monotonicity import UNORDERED

            kind = array.data_type
            if kind.kind in UNORDERED:
                yield Fail(
                    "",
                    f'{array.path} is named like dimension "{array.name}" but {kind.text} values have no order',
                    path=array.path,
                )


@rule("NZ-COORD-011", on="array", needs=("shape", "chunk shape"))
def few_chunks(array: Array) -> Iterator[Fail]:
    """Note a coordinate in many small chunks, all of which are read when the dataset is opened."""
    count = array.separate_chunks
    if count <= MOST_CHUNKS or not is_candidate(array) or array.chunk_shape is None:
        return
    size = chunk_bytes(array)
    if size < LARGE_CHUNK:
        yield Fail(
            chunk_lengths(array),
            f"coordinate {array.path} is stored in {count:,} chunks of {plural(size, 'byte')} each: xarray reads all of them"
            " when it opens the group, which is slow where each is a request",
            fix=_in_one_chunk(array),
        )


def _in_one_chunk(array: Array) -> FixMaker:
    name, length = array.name, (array.shape or (0,))[0]
    where = "store" if array.parent == "/" else f"store, group={array.parent!r}"
    node = f'zarr.open_group(store)["{array.path.strip("/")}"]'
    steps = (
        f'kept = xr.open_zarr({where}, decode_cf=False)[["{name}"]].load().drop_encoding()',
        f"del {node}",
        f'kept.to_zarr({where}, mode="a", encoding={{"{name}": {{"chunks": ({length},)}}}})',
    )
    return lambda _node: Draft("suggest", note=f"write it again in one chunk: {'; '.join(steps)}")
