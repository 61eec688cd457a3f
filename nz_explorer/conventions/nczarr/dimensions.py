"""NCZ: the dimensions that arrays refer to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from itertools import permutations
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.zarr3.nodes import shown
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, Undecided
from nz_explorer.engine.fixes import Draft, add, replace, set_attribute
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Group, paths
from nz_explorer.model.dialects import nczarr, nczarr_lengths, netcdf_names
from nz_explorer.text.phrases import listed

if TYPE_CHECKING:
    from nz_explorer.model import Node
    from nz_explorer.model.dialects.nczarr import Place
from nz_explorer.conventions.nczarr.declared_dimensions import declared, full_name
from nz_explorer.conventions.nczarr.groups import is_names
from nz_explorer.conventions.nczarr.superblock import (
    V2,
    has_lost_all,
    read_today,
    unused,
)

_FULL_NAME = re.compile(r"(/[^/]+)+")
_TOO_MANY = {
    "netCDF-C": "reads beyond the shape, and as a rule refuses the dataset: Invalid dimension size (4.10)"
}
_OTHER_LENGTH = {"netCDF-C": "refuses the dataset: invalid dimension size"}
_OF_ANOTHER_GROUP = {
    "netCDF-C": "crashes the process or refuses the dataset, unless it has read that group before;"
    " Python's netCDF4 raises AttributeError even then"
}
_MOST_ORDERED = 6
"""Of how many references every order is tried."""


def _with_slash(name: str) -> str:
    return f"/{name.removeprefix('/')}"


def _references(array: Array) -> tuple[Place, str, Any] | None:
    """Return where the dimension references of an array are, under which name, and the references."""
    place = nczarr.find_object(array, "array")
    return None if place is None else (place, *place.member("dimension_references"))


@rule("NCZ-VAR-001", on="array", needs=("shape",))
def references_fit(array: Array) -> Iterator[Fail]:
    """Require one full name of a dimension for each length of the shape."""
    place = nczarr.find_object(array, "array")
    if place is None:
        return
    member, given = place.member("dimension_references")
    stored = list(array.stored_shape or ())
    names = is_names(given)
    if not names or not all(map(_FULL_NAME.fullmatch, given)):
        readers = _TOO_MANY if names and len(given) > len(stored) else None
        if names and len(given) == len(stored):
            # netCDF-C looks names without the first slash up as well, or with one at the end
            known = all(_FULL_NAME.fullmatch(_with_slash(name).removesuffix("/")) for name in given)
            readers = {} if known else {"netCDF-C": "cannot open the dataset"}
        if "scalar" in place.value:  # of which netCDF-C does not look at them
            readers = {}
        found = Fail(
            place.at(member),
            f"dimension references must be a list of full names such as /lat, {_given(place, member)}",
            impact="convention" if readers == {} else None,
            readers=readers,
            fix=partial(_name_in_full, place, member, given),
        )
        yield read_today(array, place, found)
    elif array.shape is not None and len(given) != len(array.shape) and not place.is_scalar:
        found = Fail(
            place.at(member),
            f"dimension references {shown(given)} do not fit the shape {stored}",
            readers=_TOO_MANY if len(given) > len(stored) else _too_few(array, given),
            fix=partial(_as_named, place, member),
        )
        # arrays with the shape [] it passes over
        yield read_today(array, place, found) if stored else unused(found)


def _too_few(array: Array, given: list[str]) -> dict[str, str] | None:
    """Return what netCDF-C does with too few references if the length of one stops it before it crashes, in their order."""
    for reference, length in zip(given, array.shape or (), strict=False):
        found = declared(array, reference)
        if not isinstance(found, tuple):
            return None
        if found[1].size != length:
            return _OTHER_LENGTH
    return None


def _given(place: Place, member: str) -> str:
    """Say what stands in place of the references, which may be nothing, or something under another name."""
    if member in place.value:
        return f"got {shown(place.value[member])}"
    others = f", only {listed(map(json_text, place.value))}" if place.value else ""
    return f"and there is no {member}{others}"


def _name_in_full(place: Place, member: str, given: Any, node: Node) -> Draft | None:
    """Refer to the dimensions of that length which the names mean, if each of them is there."""
    names = given.split() if isinstance(given, str) else given
    if not isinstance(node, Array):
        return None
    if not names or not is_names(names) or len(names) != len(node.shape or ()):
        return _as_named(place, member, node)
    meant = [
        _in_full(node, name, length) for name, length in zip(names, node.shape or (), strict=True)
    ]
    if not all(meant):
        return None
    return Draft("suggest", (replace(place.at(member), meant),))


def _as_named(place: Place, member: str, node: Node) -> Draft | None:
    """Refer to the dimensions that xarray's names mean, if one in sight has each name and length."""
    if not isinstance(node, Array) or node.shape is None:
        return None
    names = node.attributes.get("_ARRAY_DIMENSIONS")
    if place.is_scalar and place.member(member)[1] is None and node.stored_shape == (1,):
        names = []  # but for "_scalar_", which no group declares
    if not isinstance(names, list) or not is_names(names) or len(names) != len(node.shape):
        return None
    meant: list[str] = []
    for name, length in zip(names, node.shape, strict=True):
        # a name with a slash is no name, and a path would lead into other groups
        found = {} if "/" in name else _in_sight(node, name)
        if list(found.values()).count(length) != 1:
            return None
        meant.extend(full for full, size in found.items() if size == length)
    put = replace if member in place.value else add
    return Draft("suggest", (put(place.at(member), meant),))


def _in_sight(node: Node, name: str) -> dict[str, int]:
    """Return the dimensions of a name in the groups above an array, by their full names, with their lengths."""
    found: dict[str, int] = {}
    for path in paths.all_above(node.path):
        group = node.hierarchy.get(path)
        notes = None if group is None else nczarr.group_notes(group)
        known = None if notes is None else notes.dimensions.get(name)
        if known is not None:
            found[full_name(node, path, name)] = known.size
    return found


def _in_full(array: Array, name: str, length: int) -> str | None:
    """Return the full name of a dimension that an array can have; netCDF-C, too, takes one without a slash from the root."""
    plain = name.strip("/")
    above = list(paths.all_above(array.path)) if "/" not in plain else []
    for path in ("/", *above):
        full = full_name(array, path, plain)
        found = declared(array, full) if _FULL_NAME.fullmatch(full) else None
        if isinstance(found, tuple) and found[1].size == length:
            return full if array.path.startswith(paths.below(found[0].path)) else None
    return None


@rule("NCZ-VAR-002", on="members")
def references_resolve(group: Group) -> Iterator[Fail | Undecided]:
    """Require each reference to lead to a dimension of that length."""
    for array in group.arrays:
        references, found = array.dimension_references, _references(array)
        if references is None or found is None:
            continue
        place, member, _ = found
        for axis, (reference, length) in enumerate(zip(references, array.shape or (), strict=True)):
            if not _FULL_NAME.fullmatch(_with_slash(reference)):
                continue  # NCZ-VAR-001
            meant = declared(array, reference)
            pointer = place.at(member, axis)
            if isinstance(meant, Undecided):
                taken = _length_taken(array, reference)
                is_other = taken not in (None, length) and "scalar" not in place.value
                other = _taken_for_another(array, pointer, reference, (taken, length))
                yield read_today(array, place, other) if is_other else meant
                continue
            if meant is None and reference.count("/") < 2 and has_lost_all(array):
                continue  # NCZ-SB-001
            if meant is None:
                is_scalar = "scalar" in place.value  # which needs none: NCZ-VAR-005
                undeclared = Fail(
                    pointer,
                    f"{reference} is not declared by any group",
                    fix=None if is_scalar else partial(_declare, array, pointer, reference, length),
                    path=array.path,
                )
                yield unused(undeclared) if is_scalar else read_today(array, place, undeclared)
                continue
            home, dimension = meant
            if not (array.path.startswith(paths.below(home.path)) or place.is_scalar):
                other = _out_of_sight(array, pointer, reference, length, home)
                yield read_today(array, place, other)
                continue
            nearer = _nearer(array, home, dimension)
            if nearer and length == dimension.size:
                yield read_today(array, place, _mistaken(array, pointer, dimension, *nearer))
            old_scalar = not place.read and place.is_scalar  # NCZ-VAR-005
            if length != dimension.size and "scalar" not in place.value and not old_scalar:
                other = Fail(
                    pointer,
                    f"dimension {dimension.name} is {dimension.size} long in {home.path}, this array needs {length}",
                    related=(home.path,),
                    fix=partial(_agree, pointer, dimension, home, length, array),
                    path=array.path,
                )
                yield read_today(array, place, other)


def _length_taken(array: Array, reference: str) -> int | None:
    """Return what netCDF-C takes the length of a dimension for that is declared with none; None where it takes none."""
    path, _, name = reference.rpartition("/")
    notes = nczarr.group_notes(home) if (home := array.hierarchy.get(path or "/")) else None
    given = None if notes is None else notes.place.member("dimensions")[1]
    return nczarr_lengths.number_read(given.get(name)) if isinstance(given, dict) else None


def _taken_for_another(
    array: Array, pointer: str, reference: str, lengths: tuple[int | None, int]
) -> Fail:
    return Fail(
        pointer,
        f"{reference} is declared without a length (NCZ-GRP-001); netCDF-C takes it for {lengths[0]}, this array needs {lengths[1]}",
        path=array.path,
        readers=_OTHER_LENGTH,
    )


def _nearer(
    array: Array, home: Node, dimension: nczarr.DeclaredDimension
) -> tuple[Node, nczarr.DeclaredDimension] | None:
    """Return a dimension of the same name and of another length in a group between an array and the one it refers to."""
    for path in paths.all_above(array.path):
        group = array.hierarchy.get(path)
        if group is None or group.path == home.path:
            return None
        notes = nczarr.group_notes(group)
        found = None if notes is None else notes.dimension(dimension.name)
        if found is not None and found.size != dimension.size:
            return group, found
    return None


def _mistaken(
    array: Array,
    pointer: str,
    meant: nczarr.DeclaredDimension,
    group: Node,
    other: nczarr.DeclaredDimension,
) -> Fail:
    longer = other.size > meant.size
    does = "raises RuntimeError when it reads the values" if longer else "shows only a part"
    return Fail(
        pointer,
        f"dimension {meant.name} of {meant.size} is meant, and {group.path} has another, of {other.size}:"
        " netCDF4 of Python goes by the name, and takes the nearest",
        related=(group.path,),
        path=array.path,
        impact="blocks" if longer else "values",
        readers={"netCDF-C": f"reads it; Python's netCDF4 {does}"},
    )


def _out_of_sight(array: Array, pointer: str, reference: str, length: int, home: Node) -> Fail:
    return Fail(
        pointer,
        f"{reference} is declared in {home.path}, and arrays have the dimensions of their own group and of those above it",
        related=(home.path,),
        fix=partial(_declare, array, pointer, reference, length),
        path=array.path,
        readers=_OF_ANOTHER_GROUP,
    )


def _declare(array: Array, pointer: str, reference: str, length: int, node: Node) -> Draft | None:
    """Refer to the dimension that is meant, or declare one in the group that a reference names."""
    path, _, name = reference.rpartition("/")
    for above in paths.all_above(array.path):
        group = array.hierarchy.get(above)
        notes = nczarr.group_notes(group) if isinstance(group, Group) else None
        for known in notes.dimensions.values() if notes is not None else ():
            if known.name.lower() == name.lower() and known.size == length:
                operation = replace(pointer, full_name(array, above, known.name))
                return Draft("suggest", (operation,), node=array)
    group = array.hierarchy.get(path or "/")
    # netCDF-C looks in the group of the array and in those above it
    seen = group is not None and array.path.startswith(paths.below(group.path))
    if not netcdf_names.is_legal(name):
        return None
    return _set_length(name, group, length, node) if group is not None and seen else None


def _agree(
    pointer: str,
    dimension: nczarr.DeclaredDimension,
    home: Node,
    length: int,
    array: Array,
    node: Node,
) -> Draft | None:
    """Give a dimension the length of an array, unless other arrays have the one that is declared, or another is meant."""
    if ordered := _in_order(array):
        return ordered
    nearer = _nearer(array, home, dimension)
    if nearer and nearer[1].size == length:
        operation = replace(pointer, full_name(array, nearer[0].path, dimension.name))
        return Draft("suggest", (operation,), node=array)
    name = full_name(array, home.path, dimension.name)
    others = list(_of_declared_length(home, name, dimension))
    if not others:
        return _set_length(dimension.name, home, length, node)
    told = [*others[:3], f"{len(others) - 3} more"] if len(others) > 3 else others
    have = "has" if len(others) == 1 else "have"
    note = f"{listed(told)} {have} the declared length: write this array again, or give it a dimension of its own"
    return Draft("suggest", note=note)


def _in_order(array: Array) -> Draft | None:
    """Put the references of an array in order, where nothing else is wrong: in that of its names, or the only one that fits."""
    found, lengths = _references(array), array.shape or ()
    sizes = {
        reference: known[1].size
        for reference in array.dimension_references or ()
        if isinstance(known := declared(array, reference), tuple)
        and array.path.startswith(paths.below(known[0].path))
    }
    if found is None or not len(sizes) == len(lengths) <= _MOST_ORDERED:
        return None  # a dimension twice fits in any order
    names = array.attributes.get("_ARRAY_DIMENSIONS")
    fitting = [
        order
        for order in permutations(sizes)
        if all(sizes[one] == length for one, length in zip(order, lengths, strict=True))
    ]
    named = [order for order in fitting if _base_names(order) == names]
    if len(named or fitting) != 1:
        return None
    place, member, _ = found
    operation = replace(place.at(member), list((named or fitting)[0]))
    return Draft("suggest", (operation,), node=array)


def _of_declared_length(
    group: Node, reference: str, dimension: nczarr.DeclaredDimension
) -> Iterator[str]:
    """Yield the paths of the arrays below a group that have a dimension, and its length."""
    for array in group.arrays if isinstance(group, Group) else ():
        named = zip(array.dimension_references or (), array.shape or (), strict=False)
        if (reference, dimension.size) in named:
            yield array.path
    for below in group.groups if isinstance(group, Group) else ():
        yield from _of_declared_length(below, reference, dimension)


def _set_length(name: str, group: Node, length: int, _node: Node) -> Draft | None:
    """Give a dimension the length that an array has along it, where netCDF-C notes it today."""
    place = nczarr.find(group, "group")
    if place is None or place.era != "attributes" or group.zarr_format != 2:
        return None
    member, given = place.member("dimensions")
    if not isinstance(given, dict):
        return None
    value = nczarr_lengths.with_length(given.get(name), length)
    document, _, pointer = place.at(member, name).removeprefix("/").partition("/")
    operation = (replace if name in given else add)(f"/{pointer}", value)
    key = f"{paths.below(group.path)[1:]}{document}"
    return Draft("suggest", (operation,), "if the array is right", document=key)


def _base_names(references: tuple[str, ...]) -> list[str]:
    return [reference.rpartition("/")[2] for reference in references]


@rule("NCZ-VAR-003", on="array", formats=V2, needs=("names",))
def names_agree(array: Array) -> Iterator[Fail]:
    """Require xarray's names to be those of the dimensions referred to."""
    names, references = array.attributes.get("_ARRAY_DIMENSIONS"), array.dimension_references
    place = nczarr.find_object(array, "array")
    if place is not None and place.is_scalar:
        return  # NCZ-VAR-005
    if not references or not is_names(names) or not isinstance(names, list):
        return
    called = _base_names(references)
    if names != called and all(called):
        # For these, "differs" would be followed by the same list again.
        is_full = names == list(references)
        yield Fail(
            array.attribute_pointer("_ARRAY_DIMENSIONS"),
            f"_ARRAY_DIMENSIONS has the full names {shown(names)} of the dimension references: it must have the"
            f" names alone, {shown(called)}"
            if is_full
            else f"_ARRAY_DIMENSIONS {shown(names)} differs from the dimension references {shown(list(references))}",
            fix=_name_as_referred,
        )


def _name_as_referred(node: Node) -> Draft | None:
    if not isinstance(node, Array):
        return None
    references = node.dimension_references
    if references is None:
        return Draft("suggest", note="name each dimension in _ARRAY_DIMENSIONS")
    if lost := dict.fromkeys(reference for reference, _ in nczarr.unresolved(node)):
        if ordered := _in_order(node):
            return ordered
        note = f"see first where {listed(lost)} should lead: no dimension that the array could have is there"
        return Draft("suggest", note=note)
    is_mark = not references and node.stored_shape != ()
    names = [nczarr.SCALAR_DIMENSION] if is_mark else _base_names(references)
    return Draft("suggest", set_attribute(node, "_ARRAY_DIMENSIONS", names))


@rule("NCZ-DIM-002", on="members")
def shared_from_above(group: Group) -> Iterator[Fail]:
    """Note dimensions of groups above, which NZ does not know: there a name belongs to one group."""
    for array in group.arrays:
        found = _references(array)
        if found is None:
            continue
        # what nothing declares is NCZ-VAR-002
        above = [
            reference
            for reference in dict.fromkeys(array.dimension_references or ())
            if isinstance(meant := declared(array, reference), tuple)
            and meant[0].path != group.path
            and array.path.startswith(paths.below(meant[0].path))
        ]
        if above:
            yield Fail(
                found[0].at(found[1]),
                f"this array uses {', '.join(above)} of {'a group' if len(above) == 1 else 'groups'} above",
                path=array.path,
            )


def _xarray_finds_names(array: Array) -> bool:
    if "_ARRAY_DIMENSIONS" in array.attributes:
        return True
    old = array.metadata.get("_NCZARR_ARRAY")
    references = old.get("dimrefs") if isinstance(old, dict) else None
    # of scalars, which are stored as one element, there are none
    return isinstance(references, list) and len(references) == len(array.stored_shape or ())


@rule("NCZ-XR-001", on="array", formats=V2, needs=("shape",))
def names_for_xarray(array: Array) -> Iterator[Fail]:
    """Note arrays whose dimensions xarray cannot name, and so does not open."""
    known = array.dimension_references is not None  # else it is Z2-OGC-002
    if array.stored_shape and known and not _xarray_finds_names(array):
        yield Fail(
            array.attribute_pointer("_ARRAY_DIMENSIONS"),
            f"xarray cannot find the dimensions of {array.path}: there is no _ARRAY_DIMENSIONS"
            + (", and dimrefs does not fit shape" if "_NCZARR_ARRAY" in array.metadata else ""),
            fix=_name_as_referred,
        )
