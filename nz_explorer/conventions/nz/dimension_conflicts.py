"""NZ: a name of a dimension has one length in a group, and the ways out where it has several (NZ-1.0, Dimension)."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from itertools import permutations
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.nz.consolidated.kinds import UNLESS
from nz_explorer.conventions.nz.consolidated.lengths import conflicts, lengths
from nz_explorer.conventions.nz.dimensions import (
    REFUSES_LENGTHS,
    names_for_netcdf,
    names_pointer,
    set_name,
)
from nz_explorer.conventions.suggested_names import suggested_names
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, FixMaker, Place
from nz_explorer.engine.fixes import Draft, Operation, replace, set_attribute
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Group, dimension_table
from nz_explorer.model.dialects import multiscales
from nz_explorer.text.phrases import listed

if TYPE_CHECKING:
    from nz_explorer.engine.impact import Impact
    from nz_explorer.model import Node
    from nz_explorer.model.dimensions import Dimension

Axes = tuple[tuple[str, int, int], ...]
"""Path of an array, number of an axis, and its length."""

MOST_EXCHANGED = 6
"""Dimensions of an array whose names are tried in every order."""


@rule("NZ-DIM-010", on="members")
def one_length_in_group(group: Group) -> Iterator[Fail]:
    """Require all arrays of a group that share a dimension to agree on its length.

    Arrays whose names are missing or wrong have their own findings and are left out, as are dimensions
    without a name and an array that only disagrees with itself (NZ-DIM-011). Levels of a pyramid are called alike on purpose: one finding
    covers all their dimensions.
    """
    copied = lengths(group)
    told = set()
    if not _agree(group):
        for name, fail in _in_documents(group):
            told.add(name)
            agree = copied is not None and len(copied.get(name, ())) < 2
            yield _without_xarray(fail) if agree else fail
    for name, message, pointer in conflicts(copied or {}):
        if name not in told:
            yield Fail(
                pointer if group.is_root else "",
                f"{message} in the consolidated metadata, though not in the documents",
                related=() if group.is_root else ("/",),
                places=() if group.is_root else (Place(group.path), Place("/", pointer)),
                readers={"xarray": f"{_conflicting(name)['xarray']}, {UNLESS}"},
                fix=lambda _node: Draft(
                    "suggest", note="zarr.consolidate_metadata(store) writes them again"
                ),
            )


def _in_documents(group: Group) -> Iterator[tuple[str, Fail]]:
    """Yield the dimensions of which arrays have several lengths, and what is wrong."""
    levels = set(multiscales.level_names(group.attributes))
    reported = False
    for dimension in dimension_table([a for a in group.arrays if a.dimension_names]):
        paths = {use.array.path for use in dimension.uses}
        if not dimension.name or not dimension.conflict or len(paths) < 2:
            continue
        if levels and all(use.array.name in levels for use in dimension.uses):
            if not reported:
                yield dimension.name, _levels(group, dimension)
            reported = True
        else:
            yield dimension.name, _conflict(group, dimension)


def _without_xarray(fail: Fail) -> Fail:
    """Return a failure of documents of which the consolidated metadata say something else: xarray goes by these."""
    readers = {reader: does for reader, does in (fail.readers or {}).items() if reader != "xarray"}
    message = f"{fail.message}; the consolidated metadata differ, and have one length for it"
    return dataclasses.replace(fail, message=message, readers=readers)


@rule("NZ-DIM-013", on="members")
def one_length_without_name(group: Group) -> Iterator[Fail]:
    """Say where xarray takes for one dimension of two lengths what is no name: null, "", and on Zarr v2 a number or one letter.

    Conflicts between names are NZ-DIM-010 and NZ-DIM-011.
    """
    uses: dict[Any, list[tuple[Array, int, int]]] = {}
    nameless = set()
    for (names, shape), arrays in group.layouts.items():
        if shape is None:
            continue
        for array in arrays if names is None or not all(names) else arrays[:1]:
            lengths = array.stored_shape or ()
            for axis, (name, length) in enumerate(zip(_for_xarray(array), lengths, strict=False)):
                uses.setdefault(name, []).append((array, axis, length))
                if not names or not name:
                    nameless.add(name)
    for name in nameless:
        found: dict[int, list[str]] = {}
        for array, _, length in uses[name]:
            found.setdefault(length, []).append(array.name)
        if len(found) < 2:
            continue
        odd = next(use for use in uses[name] if use[2] != uses[name][0][2])
        yield Fail(
            _pointer(*odd[:2]),
            f"xarray takes {json_text(name)} for the name of one dimension, which is {_long(found)}",
            related=tuple(dict.fromkeys(array.path for array, _, _ in uses[name])),
            places=tuple(Place(a.path, _pointer(a, axis)) for a, axis, _ in uses[name]),
            readers=_conflicting(name),
            fix=_name_all(dict.fromkeys(array.path for array, _, _ in uses[name])),
        )


def _pointer(array: Array, axis: int) -> str:
    listed_names = array.zarr_format == 3 or isinstance(
        array.attributes.get("_ARRAY_DIMENSIONS"), list
    )
    return names_pointer(array, axis if listed_names else None)


def _for_xarray(array: Array) -> tuple[Any, ...]:
    """Return what xarray takes for the names of an array's dimensions; nothing where it refuses them or finds none."""
    if array.zarr_format == 3:
        return array.dimension_names or ()
    given = array.attributes.get("_ARRAY_DIMENSIONS")
    if given is None:
        return array.dimension_names or ()
    rank = len(array.stored_shape or ())
    if not isinstance(given, list | str | dict) or len(given) != rank:
        return ()
    if isinstance(given, str) and rank > 1:
        return ()
    return () if any(isinstance(name, list | dict) for name in given) else tuple(given)


def _name_all(paths: Iterable[str]) -> FixMaker:
    """Return the fix that names the dimensions of arrays."""

    def fix(node: Node) -> Draft | None:
        parts: dict[Array, tuple[Operation, ...]] = {}
        for path in paths:
            array = node.hierarchy.node_if_loaded(path)
            named = isinstance(array, Array) and array.dimension_names
            if not isinstance(array, Array) or (named and all(named)):
                continue
            names, _ = suggested_names(array)
            parts[array] = (
                set_attribute(array, "_ARRAY_DIMENSIONS", names)
                if array.zarr_format == 2
                else (replace(names_pointer(array), names),)
            )
        return _bundle(parts, "check the names: choose better ones where they are made up")

    return fix


def _agree(group: Group) -> bool:
    """Whether every name has one length, decided without building a table of them."""
    lengths: dict[str | None, int] = {}
    for names, shape in group.layouts:
        if names is not None and shape is not None:
            for name, length in zip(names, shape, strict=True):
                if lengths.setdefault(name, length) != length and name:
                    return False
    return True


def _lengths(dimension: Dimension) -> str:
    return _long({n: [a.name for a in arrays] for n, arrays in dimension.lengths.items()})


def _long(names: dict[int, list[str]]) -> str:
    """Return in words which lengths arrays have, the shortest first."""
    return " and ".join(
        f"{length} long in {listed(dict.fromkeys(names[length]))}" for length in sorted(names)
    )


def _conflicting(name: object) -> dict[str, str]:
    return {
        "xarray": f"raises ValueError: conflicting sizes for dimension {name!r}, and cannot open the group"
    }


def _fail(
    group: Group,
    dimension: Dimension,
    message: str,
    *fixes: FixMaker,
    impact: Impact | None = None,
) -> Fail:
    right = _right_length(dimension)
    odd = next((use for use in dimension.uses if use.length != right), dimension.uses[0])
    copied = group.hierarchy.metadata_source != "documents"
    return Fail(
        names_pointer(odd.array, odd.axis),
        message + (" (in the consolidated metadata)" if copied else ""),
        related=tuple(dict.fromkeys(use.array.path for use in dimension.uses)),
        places=tuple(
            Place(use.array.path, names_pointer(use.array, use.axis)) for use in dimension.uses
        ),
        readers=_conflicting(dimension.name) | _for_netcdf(dimension),
        impact=impact,
        fix=fixes[0],
        alternatives=fixes[1:],
    )


def _for_netcdf(dimension: Dimension) -> dict[str, str]:
    """Return what netCDF-C does where it looks at the names, and not at dimensions of its own."""
    looked_at = {use.length for use in dimension.uses if names_for_netcdf(use.array)}
    return REFUSES_LENGTHS if len(looked_at) > 1 else {}


def _conflict(group: Group, dimension: Dimension) -> Fail:
    right = _right_length(dimension)
    axes: Axes = tuple((use.array.path, use.axis, use.length) for use in dimension.uses)
    kept = dimension.uses[-1].length if right is None else right
    odd = tuple(axis for axis in axes if axis[2] != kept)
    shortest = min(length for _, _, length in axes)
    name = str(dimension.name)
    message = f"dimension {name} is {_lengths(dimension)}"
    ways: list[FixMaker] = [lambda node: _rename(node, odd, name)]
    if ordered := exchanged(group, odd):
        array, order = next(iter(ordered.items()))
        message += (
            f"; in the order {', '.join(order)} the dimension names of {array.name} fit its shape"
        )
        ways.insert(0, lambda _node: exchange(ordered))
    if shortest:
        longer = tuple(axis for axis in axes if axis[2] > shortest)
        ways.append(lambda node: _crop(node, longer, shortest, name))
    ways.append(lambda _node: _move(odd, name))
    return _fail(
        group,
        dimension,
        message,
        *ways,
    )


def _levels(group: Group, dimension: Dimension) -> Fail:
    first = dimension.uses[0].array
    demands = "requires" if multiscales.family(group.attributes) == "OME-NGFF" else "allows"
    where = f"{group.hierarchy.source.rstrip('/')}{first.path}"
    advice = (
        f"nothing is wrong with the format: open one level by itself, zarr.open_array({where!r}); to open levels with"
        " xarray, put each into a group of its own"
    )
    return _fail(
        group,
        dimension,
        f"the levels of the pyramid in {group.path} share dimension names, as the format {demands}, but not"
        f" lengths: {dimension.name} is {_lengths(dimension)}",
        lambda _node: Draft("suggest", note=advice),
        impact="advice",  # it is what the format prescribes
    )


def _right_length(dimension: Dimension) -> int | None:
    """Return the length that most likely is right.

    The length of the dimension's coordinate is taken to be right, else that of most arrays.
    """
    if (
        dimension.candidate is not None
        and dimension.candidate.shape
        and dimension.candidate.shape[0]
    ):
        return dimension.candidate.shape[0]
    by_length = dimension.lengths
    counts = [len(arrays) for arrays in by_length.values()]
    return next(iter(by_length)) if len(counts) > 1 and counts[0] > counts[1] else None


def _arrays(node: Node, axes: Axes) -> Iterator[tuple[Array, int, int]]:
    for path, axis, length in axes:
        array = node.hierarchy.node_if_loaded(path)
        if isinstance(array, Array):
            yield array, axis, length


def _named(axes: Axes) -> str:
    return listed(dict.fromkeys(path.rpartition("/")[2] for path, _, _ in axes))


def _bundle(parts: dict[Array, tuple[Operation, ...]], note: str) -> Draft | None:
    """Return one draft for several arrays."""
    drafts = [Draft("suggest", operations, note, node=array) for array, operations in parts.items()]
    if not drafts:
        return None
    first, *others = drafts
    return Draft(first.safety, first.operations, note, node=first.node, also=tuple(others))


def exchanged(group: Group, axes: Axes) -> dict[Array, tuple[str, ...]]:
    """Return the order in which each array's names fit its shape and the coordinates; nothing unless each has just one.

    Parameters
    ----------
    group : Group
        What the arrays are in.
    axes : list of tuple
        Their paths, with an axis of another length than others, and the length.
    """
    coordinates = {
        array.name: array.shape[0]
        for array in group.arrays
        if array.shape and array.dimension_names == (array.name,)
    }
    found = {}
    for array, _, _ in _arrays(group, axes):
        names, shape = array.dimension_names or (), array.shape or ()
        if not 1 < len(set(names)) == len(names) <= MOST_EXCHANGED:
            return {}
        orders = [
            order
            for order in permutations(str(name) for name in names)
            if [coordinates.get(name) for name in order] == list(shape)
        ]
        if len(orders) != 1:
            return {}
        found[array] = orders[0]
    return found


def exchange(arrays: dict[Array, tuple[str, ...]]) -> Draft | None:
    """Give the dimensions of arrays the names that they have, in the order of their lengths.

    Parameters
    ----------
    arrays : dict
        The order of each array, as `exchanged` has it.
    """
    parts: dict[Array, tuple[Operation, ...]] = {
        array: (replace(names_pointer(array), list(order)),) for array, order in arrays.items()
    }
    (first, order), *others = arrays.items()
    rest = f", and likewise for {listed(array.name for array, _ in others)}" if others else ""
    note = f"exchange: in the order {', '.join(order)} the names fit the shape of {first.name} and the coordinates{rest}"
    return _bundle(parts, note)


def _rename(node: Node, axes: Axes, name: str) -> Draft | None:
    """Give the dimension of the odd arrays another name."""
    parts: dict[Array, tuple[Operation, ...]] = {}
    for array, axis, length in _arrays(node, axes):
        parts[array] = parts.get(array, ()) + set_name(array, axis, f"{name}_{length}")
    has_coordinate = any(path.rpartition("/")[2] == name for path, _, _ in axes)
    lost = (
        f"the array {name} is no longer the coordinate of {name}"
        if has_coordinate
        else f"no value is lost; along the new name {_named(axes)} no longer has the coordinate {name}"
    )
    return _bundle(parts, f"rename: {lost}")


def _crop(node: Node, axes: Axes, length: int, name: str) -> Draft | None:
    """Shorten the longer arrays to the length that all have."""
    parts: dict[Array, tuple[Operation, ...]] = {}
    for array, axis, _ in _arrays(node, axes):
        pointer = array.pointer("shape", axis)
        parts[array] = (*parts.get(array, ()), replace(pointer, length))
    most = max(before for _, _, before in axes) - length
    what = "the last value is" if most == 1 else f"up to {most} values at the end are"
    where = f"along {name} of {_named(axes)}"
    return _bundle(
        parts,
        f"crop: {what} no longer visible {where}; the chunks stay in the store",
    )


def _move(axes: Axes, name: str) -> Draft:
    """Move the odd arrays into a group of their own."""
    return Draft(
        "suggest",
        note=f"or move {_named(axes)} to a separate group, with a coordinate {name} of that length: nothing is lost,"
        " but it is opened separately",
    )
