"""Z3: chunks that differ in length along a dimension, as zarr-extensions registers them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.zarr3.nodes import V3, is_integer, shown
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.fixes import Draft, add, replace
from nz_explorer.engine.registry import rule
from nz_explorer.model.chunk_edges import RECTILINEAR, is_repeated, reach, runs_of, shapes_of
from nz_explorer.text.phrases import plural

if TYPE_CHECKING:
    from nz_explorer.model import Array

SHAPES = "/chunk_grid/configuration/chunk_shapes"
MOST_ENTRIES = 10
"""Wrong lengths of a grid that are reported; a list of lengths may be long."""


def _grid(array: Array) -> dict[str, Any] | None:
    grid = array.metadata.get("chunk_grid")
    return grid if isinstance(grid, dict) and grid.get("name") == RECTILINEAR else None


@rule("Z3-GRID-005", on="array", formats=V3, needs=("shape",), provides="chunk edges")
def edges_given(array: Array) -> Iterator[Fail]:
    """Require the lengths of all chunks, each a positive integer."""
    grid = _grid(array)
    if grid is None:
        return
    configuration = grid.get("configuration")
    kind = configuration.get("kind") if isinstance(configuration, dict) else None
    if isinstance(configuration, dict) and kind != "inline":
        at = "/chunk_grid/configuration/kind"
        write = replace if "kind" in configuration else add
        yield Fail(
            at,
            f'kind must be "inline", got {shown(kind) if "kind" in configuration else "nothing"}',
            fix=lambda _node: Draft("suggest", (write(at, "inline"),)),
        )
    given, rank = shapes_of(grid), array.ndim or 0
    if not isinstance(given, list):
        hint = ""
        if isinstance(configuration, dict) and "chunk_shape" in configuration:
            hint = "; chunk_shape is that of a regular grid"
        yield Fail(SHAPES, f"a rectilinear grid needs configuration.chunk_shapes, a list{hint}")
        return
    if len(given) != rank:
        yield Fail(
            SHAPES,
            f"chunk_shapes has {plural(len(given), 'entry')} for {plural(rank, 'dimension')}",
        )
    yield from islice(_wrong(given), MOST_ENTRIES)


def _wrong(given: list[Any]) -> Iterator[Fail]:
    for axis, along in enumerate(given):
        pointer = f"{SHAPES}/{axis}"
        if not isinstance(along, list):
            if not _positive(along):
                yield Fail(pointer, f"a length must be a positive integer, got {shown(along)}")
            continue
        for number, entry in enumerate(along):
            if not _positive(entry) and not is_repeated(entry):
                what = "a positive integer, or two of them: a length and how often it comes"
                yield Fail(f"{pointer}/{number}", f"a length must be {what}, got {shown(entry)}")


def _positive(given: Any) -> bool:
    return is_integer(given) and given > 0


@rule("Z3-GRID-006", on="array", formats=V3, needs=("shape", "chunk edges"))
def edges_cover(array: Array) -> Iterator[Fail]:
    """Require chunks for every element."""
    given = shapes_of(_grid(array)) or []
    for axis, (along, length) in enumerate(zip(given, array.shape or (), strict=False)):
        runs = runs_of(along, length)
        total = length if runs is None else reach(runs)
        if total < length:
            name = array.dimension_label(axis)
            yield Fail(
                f"{SHAPES}/{axis}",
                f"the chunks along {name} have {plural(total, 'element')} together, but the array is {length:,} long there",
            )


@rule("Z3-GRID-007", on="array", formats=V3)
def needs_new_readers(array: Array) -> Iterator[Fail]:
    """Note chunks that differ in length: hardly any reader knows them."""
    if _grid(array) is not None:
        yield Fail(
            "/chunk_grid/name",
            "the chunks of this array may differ in length (rectilinear), which few readers can read",
        )
