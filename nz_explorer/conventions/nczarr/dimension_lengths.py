"""NCZ: names for dimensions: those that netCDF-C makes up, and what it makes of those that xarray gives."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from nz_explorer.conventions.nczarr.dimensions import _references
from nz_explorer.conventions.nz.dimension_conflicts import exchange, exchanged
from nz_explorer.conventions.nz.dimensions import netcdf_on_name
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.fixes import Draft, Operation, replace
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Group
from nz_explorer.model.dialects import nczarr
from nz_explorer.model.dialects.netcdf_names import MAX_NAME
from nz_explorer.text.phrases import listed

if TYPE_CHECKING:
    from nz_explorer.engine.findings import FixMaker
    from nz_explorer.model import Hierarchy, Node


_ARTIFICIAL = re.compile(r"(\.zdim_?|_zdim_|_Anonymous_Dim(ension)?_)[0-9]+")
Axes = dict[int, list[tuple["Array", int]]]
"""The axes that have one name, by their length."""


def _counts(hierarchy: Hierarchy) -> bool:
    """Whether netCDF-C goes by _ARRAY_DIMENSIONS: its own metadata give the dimensions where it reads them."""
    own = nczarr.is_read(hierarchy.root, "superblock") and nczarr.counts(hierarchy)
    return not own and "noxarray" not in hierarchy.modes


@rule("NCZ-DIM-001", on="array")
def artificial_names(array: Array) -> Iterator[Fail]:
    """Note names that consist of a dimension's length or number."""
    names = [name for name in array.dimension_names or () if name and _ARTIFICIAL.fullmatch(name)]
    if names:
        yield Fail(
            _names_pointer(array),
            f"names made up where there were none: {', '.join(names)}",
            fix=lambda _node: Draft("suggest", note="give the dimensions meaningful names"),
        )


def _names_pointer(array: Array) -> str:
    """Return where the names of an array's dimensions are given."""
    found = _references(array)
    if array.dimension_names_source == "nczarr" and found is not None:
        return found[0].at(found[1])
    if array.zarr_format == 3:
        return array.pointer("dimension_names")
    return array.attribute_pointer("_ARRAY_DIMENSIONS")


@rule("NCZ-DIM-003", on="members", formats=(2,))
def one_length_each(group: Group) -> Iterator[Fail]:
    """Require one length of each name in a group, where netCDF-C goes by _ARRAY_DIMENSIONS.

    Where it has notes of its own, these give the lengths (NCZ-VAR-002).
    """
    if not _counts(group.hierarchy):
        return
    found: dict[str, Axes] = {}
    too_long: list[tuple[Array, int]] = []
    for array in group.arrays:
        names, lengths = array.attributes.get("_ARRAY_DIMENSIONS"), array.stored_shape or ()
        if not isinstance(names, list) or len(names) != len(lengths):
            if isinstance(names, list) and 0 < len(lengths) < len(names):
                too_long.append((array, len(lengths)))
            continue  # Z2-OGC-003
        for axis, (name, length) in enumerate(zip(names, lengths, strict=True)):
            if isinstance(name, str):
                found.setdefault(name, {}).setdefault(length, []).append((array, axis))
    for name, places in found.items():
        if len(places) < 2:
            continue
        uses = [f"{length} in {axes[0][0].name}" for length, axes in places.items()]
        array, axis = list(places.values())[1][0]
        yield Fail(
            array.attribute_pointer("_ARRAY_DIMENSIONS") + f"/{axis}",
            f"dimension {json_text(name)} has several lengths in {group.path}: {listed(uses)}",
            path=array.path,
            related=tuple(dict.fromkeys(axes[0][0].path for axes in places.values())),
            fix=_rename(name, places, set(found), group.path),
        )
    for array, rank in too_long:
        yield from _beyond(array, rank, found)


def _beyond(array: Array, rank: int, found: dict[str, Axes]) -> Iterator[Fail]:
    """Yield a name too many that other arrays have: netCDF-C gives it whatever follows the shape for a length."""
    names = array.attributes["_ARRAY_DIMENSIONS"]
    for axis, name in enumerate(names[rank:], rank):
        # what it has twice is Z2-OGC-003
        if isinstance(name, str) and name in found and name not in names[:axis]:
            length, axes = next(iter(found[name].items()))
            yield Fail(
                array.attribute_pointer("_ARRAY_DIMENSIONS", axis),
                f"{json_text(name)} is a name too many for this array, and is {length} in {axes[0][0].name}: netCDF-C"
                " takes it for a dimension of this array, too, of another length",
                path=array.path,
                related=(axes[0][0].path,),
            )
            return


def _rename(name: str, places: Axes, taken: set[str], path: str) -> FixMaker:
    """Return the fix that keeps a name for one length, that of its coordinate or else of most axes.

    Where names are in the wrong order, it puts them in order.
    """

    def weight(length: int) -> tuple[bool, int]:
        axes = places[length]
        return any(array.name == name and axis == 0 for array, axis in axes), len(axes)

    kept = max(places, key=weight)
    new = {length: f"{name}_{length}" for length in places if length != kept}
    odd = tuple((array.path, axis, n) for n in new for array, axis in places[n])
    # where netCDF-C noted dimensions, too, these would have another name then
    noted = any(array.dimension_references for n in new for array, _ in places[n])
    can_rename = not noted and taken.isdisjoint(new.values())

    def fix(node: Node) -> Draft | None:
        group = node.hierarchy.node_if_loaded(path)
        if isinstance(group, Group) and (ordered := exchanged(group, odd)):
            return exchange(ordered)
        if not can_rename:
            return None
        changes: dict[Array, tuple[Operation, ...]] = {}
        for where, axis, length in odd:
            array = node.hierarchy.node_if_loaded(where)
            if isinstance(array, Array):
                one = replace(array.attribute_pointer("_ARRAY_DIMENSIONS", axis), new[length])
                changes[array] = (*changes.get(array, ()), one)
        note = f"{json_text(name)} stays the name of the length {kept}; choose better ones for the others"
        drafts = [Draft("suggest", some, note, node=array) for array, some in changes.items()]
        return dataclasses.replace(drafts[0], also=tuple(drafts[1:])) if drafts else None

    return fix


@rule("NCZ-DIM-004", on="array", formats=(2,), needs=("shape", "names"))
def plain_names(array: Array) -> Iterator[Fail]:
    """Require names that are no paths, where netCDF-C goes by _ARRAY_DIMENSIONS; it has a limited space for them."""
    names = array.attributes.get("_ARRAY_DIMENSIONS")
    if not array.stored_shape or not isinstance(names, list) or not _counts(array.hierarchy):
        return
    for axis, name in enumerate(names):
        refused, does = netcdf_on_name(array, name)
        said = "is empty" if not name else "has a slash"
        size = len(name.encode(errors="replace"))
        if does is None and size > MAX_NAME:
            refused, said = True, f"has {size} bytes, and netCDF-C has space for {MAX_NAME}"
            does = "writes beyond the space for a name, and may crash the process (4.10)"
        if does is not None:
            yield Fail(
                array.attribute_pointer("_ARRAY_DIMENSIONS", axis),
                f"{_shortened(name)} in _ARRAY_DIMENSIONS is no name of a dimension: it {said}",
                impact="blocks" if refused else "values",
                readers={"netCDF-C": does},
            )


def _shortened(name: str) -> str:
    return json_text(name if len(name) <= 40 else f"{name[:39]}…")
