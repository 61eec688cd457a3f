"""CF: how maps lie, for programs that take their rows and columns for lines from the north and from the west.

CF allows all of it (CF-1.11, 2.4 recommends an order of dimensions, and says nothing of their direction).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from nz_explorer.conventions.cf.unreferenced import MAPPING
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.fixes import Draft
from nz_explorer.engine.registry import rule
from nz_explorer.model import Group
from nz_explorer.model.dialects.crs import Y_NAMES, spatial_axes
from nz_explorer.text.phrases import plural

if TYPE_CHECKING:
    from nz_explorer.model import Array
    from nz_explorer.values.coordinates.monotonicity import Monotonicity

REFERRING = ("grid_mapping", "_CRS", "proj:code", "proj:epsg", "proj:wkt2")
"""Attributes of an array by which it has a reference system."""


@rule("CF-MAP-001", on="members")
def y_before_x(group: Group) -> Iterator[Fail]:
    """Note maps whose columns come before their rows; those that share their dimensions are told once."""
    for (names, _), arrays in group.layouts.items():
        if names is None or len(names) < 2 or (axes := spatial_axes(arrays[0])) is None:
            continue
        y, x = names[axes[0]], names[axes[1]]
        if axes[1] > axes[0] or not {x, y} <= group.coordinates.keys():
            continue
        others = f", as has {plural(len(arrays) - 1, 'other array')}" if len(arrays) > 1 else ""
        yield Fail(
            "",
            f"{arrays[0].path} has {json_text(x)} before {json_text(y)}{others}: programs for maps, rioxarray among them, want"
            f" {json_text(y)} first, as CF advises",
            path=arrays[0].path,
            related=tuple(array.path for array in arrays[1:6]),
            fix=lambda _node, x=x, y=y: Draft(  # type: ignore[misc]
                "suggest", note=f'with xarray: ds.transpose(..., "{y}", "{x}")'
            ),
        )


def _runs_north(array: Array, _: Monotonicity) -> bool:
    standard_name = array.attributes.get("standard_name")
    return standard_name in ("projection_y_coordinate", "latitude") or array.name.lower() in Y_NAMES


@rule("CF-MAP-002", on="values", when=_runs_north)
def first_row_is_north(array: Array, found: Monotonicity) -> Iterator[Fail]:
    """Note rows that begin in the south, where there is a reference system, for which programs for maps look."""
    if found.result != "increasing" or not has_reference_system(array):
        return
    yield Fail(
        "",
        f"{array.name} increases: the first row is the southernmost, and programs that expect the northernmost there show the map"
        " upside down",
        fix=lambda node: Draft(
            "suggest",
            note=f'with xarray: ds.sortby("{node.name}", ascending=False)',
        ),
    )


def has_reference_system(array: Array) -> bool:
    """Whether a reference system is told beside a coordinate; other maps are seldom given to programs for maps.

    Parameters
    ----------
    array : Array
        The coordinate.
    """
    group = array.hierarchy.node_if_loaded(array.parent or "/")
    return isinstance(group, Group) and bool(group.with_attribute(*MAPPING, *REFERRING))
