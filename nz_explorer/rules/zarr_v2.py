"""Z2: what other rules stand on in the documents of Zarr v2."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from nz_explorer.rules.findings import Fail
from nz_explorer.rules.fixes import Draft, add
from nz_explorer.rules.registry import rule
from nz_explorer.rules.zarr_v3 import MISSING, is_integer, set_to, shown, wrong_lengths

if TYPE_CHECKING:
    from nz_explorer.model import Array

V2 = (2,)
MANDATORY = (
    "zarr_format",
    "shape",
    "chunks",
    "dtype",
    "compressor",
    "fill_value",
    "order",
    "filters",
)


@rule("Z2-ARR-002", on="array", formats=V2)
def mandatory_members(array: Array) -> Iterator[Fail]:
    """Want the members of .zarray, none of which has a default."""
    for member in MANDATORY:
        if member not in array.metadata:
            yield Fail(
                f"/.zarray/{member}",
                f".zarray lacks {member}",
                fix=(lambda _node: Draft("safe", (add("/.zarray/filters", None),)))
                if member == "filters"
                else None,
            )


@rule("Z2-ARR-004", on="array", formats=V2)
def zarr_format(array: Array) -> Iterator[Fail]:
    """Want the member that tells a reader how to understand the rest."""
    given = array.metadata.get("zarr_format", MISSING)
    if given is not MISSING and not (is_integer(given) and given == 2):
        yield Fail(
            "/.zarray/zarr_format",
            f"zarr_format must be 2, got {shown(given)}",
            fix=set_to("/.zarray/zarr_format", 2) if given == "2" else None,
        )


@rule("Z2-ARR-005", on="array", formats=V2, provides="shape")
def shape(array: Array) -> Iterator[Fail]:
    """Want the lengths that everything else is measured against."""
    yield from wrong_lengths(array, "shape")


@rule(
    "Z2-OGC-003",
    on="array",
    formats=V2,
    needs=("attributes",),
    when=lambda array: "_ARRAY_DIMENSIONS" in array.attributes,
    provides="names",
)
def array_dimensions(array: Array) -> Iterator[Fail]:
    """Want a name for each dimension in the attribute that v2 uses for it."""
    given = array.attributes["_ARRAY_DIMENSIONS"]
    well_formed = isinstance(given, list) and all(isinstance(name, str) for name in given)
    if not well_formed or (array.ndim is not None and len(given) != array.ndim):
        lengths = "" if array.shape is None else f" for shape {list(array.shape)}"
        yield Fail(
            "/.zattrs/_ARRAY_DIMENSIONS",
            f"_ARRAY_DIMENSIONS must be a list with one string per dimension{lengths}, got {shown(given)}",
        )
