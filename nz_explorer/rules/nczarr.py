"""NCZ: what netCDF-C notes beside the Zarr metadata, and whether it is true of the data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from nz_explorer.model import Array, Group, nczarr, paths
from nz_explorer.model.document import json_type
from nz_explorer.model.json_text import json_text
from nz_explorer.rules.findings import Fail, Undecided
from nz_explorer.rules.fixes import Draft, Operation, add, replace, set_attribute
from nz_explorer.rules.names import S3_KEY
from nz_explorer.rules.registry import rule
from nz_explorer.rules.wording import listed
from nz_explorer.rules.zarr_v3 import is_integer, shown
from nz_explorer.store import url_modes

if TYPE_CHECKING:
    from nz_explorer.model import Node
    from nz_explorer.model.nczarr import Place

V2 = (2,)
STORAGE = ("chunked", "contiguous", "compact", "scalar")
"""How netCDF-C may say that an array is stored; the last one only up to 4.9."""
MODES = frozenset(
    ("nczarr", "zarr", "file", "zip", "s3", "gs3", "zoh", "xarray", "noxarray", "consolidated")
)
"""What netCDF-C knows in the mode of a URL and means for Zarr."""
ROUNDED_FILL = 9.96921e36
DEFAULT_FILL = 9.969209968386869e36
"""What netCDF fills unwritten floating-point data with, and what netCDF-C makes of it in JSON."""

_ARTIFICIAL = re.compile(r"(\.zdim|_zdim|_Anonymous_Dim)_[0-9]+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


# --- the dataset -----------------------------------------------------------------------------


def _eras(node: Node) -> dict[nczarr.Era, Place]:
    """Return the ways in which netCDF-C noted something on a node, with the first place of each."""
    found: dict[nczarr.Era, Place] = {}
    for part in ("superblock", "group", "array"):
        for place in nczarr.places(node, part):
            found.setdefault(place.era, place)
    return found


@rule("NCZ-ERA-001", on="node", reads="attributes")
def era(node: Node) -> Iterator[Fail]:
    """Say in which of its ways netCDF-C noted what it did, and whether everywhere in the same."""
    root = node.hierarchy.root
    own, roots = _eras(node), _eras(root)
    if node is root or node.path == "/":
        version = nczarr.library_version(node)
        writer = f" (written by netCDF-C {version})" if version else ""
        pointer = next(
            (place.pointer for place in own.values()), node.attribute_pointer(nczarr.PROPERTIES)
        )
        told = " and ".join(nczarr.ERAS[era] for era in own) or "pure Zarr, nothing noted beside it"
        if node.zarr_format == 3:
            told += "; netCDF-C up to 4.10 does not read Zarr v3"
        mixed = len(own) > 1
        yield Fail(
            pointer, f"NCZarr dialect: {told}{writer}", severity="warning" if mixed else None
        )
        return
    for here, place in own.items():
        if here not in roots:
            there = " and ".join(nczarr.ERAS[era] for era in roots) or "nothing noted"
            yield Fail(
                place.pointer,
                f"this node has {nczarr.ERAS[here]}; the root has {there}",
                related=("/",),
                severity="warning",
            )


def _rewrite(node: Node) -> Draft:
    source = node.hierarchy.source
    return Draft(
        "suggest",
        note=f"write the dataset anew with nccopy of a newer netCDF-C, from {source} to another place",
    )


@rule("NCZ-ERA-002", on="root", formats=V2)
def old_objects(node: Node) -> Iterator[Fail]:
    """Note what only netCDF-C 4.8.0 wrote, which fewer and fewer programs understand."""
    names = [document.name for document in node.documents if document.name.startswith(".ncz")]
    if names:
        yield Fail(
            f"/{names[0]}",
            f"{', '.join(sorted(names))}: objects that only netCDF-C 4.8.0 wrote",
            fix=_rewrite,
        )


def _unread(place: Place) -> Undecided | None:
    """Return that an object of netCDF-C 4.8.0 holds nothing to judge, which is another rule's finding."""
    if place.era != "objects" or isinstance(place.value, dict):
        return None
    return Undecided(f"dependency: {'JSON-002' if place.value is None else 'JSON-006'}")


@rule("NCZ-SB-001", on="root")
def superblock(node: Node) -> Iterator[Fail | Undecided]:
    """Want the mark of a dataset of netCDF-C where it noted anything else."""
    group = nczarr.find(node, "group")
    place = nczarr.find(node, "superblock")
    if place is not None and (unread := _unread(place)):
        yield unread
    elif place is not None:
        name = "nczarr_version" if place.era == "objects" else "version"
        if not isinstance(place.member(name)[1], str):
            yield Fail(place.at(name), f"the NCZarr superblock does not say its {name}")
    elif group is not None:
        where = {
            "objects": "/.nczarr",
            "keys": node.pointer("_nczarr_superblock"),
            "attributes": node.attribute_pointer("_nczarr_superblock"),
        }[group.era]
        yield Fail(where, "no NCZarr superblock, though netCDF-C noted what the group holds")


@rule("NCZ-MODE-001", on="root")
def mode(node: Node) -> Iterator[Fail]:
    """Say how the fragment of an address in the manner of netCDF-C was understood."""
    source = node.hierarchy.source
    modes = url_modes(source)
    if not modes:
        return
    known = [word for word in modes if word in MODES]
    others = [word for word in modes if word not in MODES]
    message = f"the fragment #{source.partition('#')[2]} was understood as {', '.join(known) or 'nothing'}"
    if others:
        message += f"; passed over: {', '.join(others)}"
    yield Fail("", f"{message}; read from {node.hierarchy.reader.kind}")


@rule("NCZ-KEY-002", on="name")
def control_characters(name: str) -> Iterator[Fail]:
    """Want names without control characters, which are no part of netCDF-C's keys."""
    if _CONTROL.search(name):
        yield Fail("", f"the name {json_text(name)} has control characters, so keys have them, too")


@rule("NCZ-KEY-003", on="members", formats=V2)
def short_keys(group: Group) -> Iterator[Fail]:
    """Want keys that S3 can hold, which counts bytes and not characters."""
    stem = paths.below(group.path)[1:]
    for child in group.children or ():
        main = child.main_document
        name = ".zgroup" if main is None else main.name
        size = len(f"{stem}{child.name}/{name}".encode())
        if size > S3_KEY:
            yield Fail(
                "",
                f"the key of its {name} is {size} bytes long, more than S3 takes",
                path=child.path,
            )


# --- groups ----------------------------------------------------------------------------------


@rule("NCZ-GRP-001", on="group", reads="attributes")
def declared_dimensions(group: Group) -> Iterator[Fail | Undecided]:
    """Want each declared dimension to have a length."""
    place = nczarr.find(group, "group")
    if place is None:
        return
    if not isinstance(place.value, dict):
        yield _unread(place) or Fail(
            place.pointer, f"must be an object, got {json_type(place.value)}"
        )
        return
    name, given = place.member("dimensions")
    if given is not None and not isinstance(
        given, dict | (list if group.zarr_format == 3 else dict)
    ):
        yield Fail(
            place.at(name),
            f"{name} must map names to lengths, got {json_type(given)} {shown(given)}",
        )
    elif isinstance(given, dict):
        for dimension, entry in given.items():
            if nczarr.length_of(entry) is None:
                yield Fail(
                    place.at(name, dimension),
                    f"dimension {json_text(dimension)} must have a length, or an object with size and"
                    f" unlimited, got {shown(entry)}",
                )
    for kind in ("arrays", "groups"):
        member, names = place.member(kind)
        if names is not None and not _is_names(names):
            yield Fail(place.at(member), f"{member} must be a list of names, got {shown(names)}")


def _is_names(given: Any) -> bool:
    return nczarr.names(given) is not None


@rule("NCZ-MODEL-002", on="group", formats=V2, reads="attributes")
def unlimited_too_early(group: Group) -> Iterator[Fail]:
    """Note an unlimited dimension from before netCDF-C had them in Zarr."""
    notes = nczarr.group_notes(group)
    if notes is None or notes.place.era != "objects":
        return
    for dimension in notes.dimensions.values():
        if dimension.unlimited:
            yield Fail(
                dimension.pointer,
                f"dimension {json_text(dimension.name)} is unlimited; netCDF-C 4.8.0 had no such dimensions in Zarr",
            )


@rule("NCZ-GRP-002", on="members")
def contents(group: Group) -> Iterator[Fail]:
    """Want the lists of what a group holds to name just that: netCDF-C sees nothing else."""
    place = nczarr.find(group, "group")
    if place is None or not isinstance(place.value, dict):
        return
    for kind in ("arrays", "groups"):
        member, names = place.member(kind)
        if names is None:
            member, names = nczarr.MEMBERS[kind][place.era != "attributes"], []
        if not _is_names(names):
            continue  # NCZ-GRP-001
        there = _names_there(group, kind, names)
        held, noted = set(there), set(names)
        missing = [name for name in names if name not in held]
        unseen = [name for name in there if name not in noted]
        if not missing and not unseen:
            continue
        facts = []
        if missing:
            facts.append(f"lists {listed(map(json_text, missing))}, which the store does not hold")
        if unseen:
            facts.append(
                f"does not list {listed(map(json_text, unseen))}, so netCDF-C does not see "
                f"{'it' if len(unseen) == 1 else 'them'}"
            )
        stem = paths.below(group.path)
        yield Fail(
            place.at(member),
            f"{member} {' and '.join(facts)}",
            related=tuple(stem + name for name in unseen),
            fix=partial(_rewrite_list, kind, member),
        )


def _names_there(group: Group, kind: str, noted: list[str]) -> list[str]:
    """Return the names of the arrays or groups in a group, those that are noted first and in their order."""
    wanted = Array if kind == "arrays" else Group
    names = [
        child.name
        for child in group.children or ()
        if isinstance(child, wanted) and child.state != "missing"
    ]
    unclear = [child.name for child in group.children or () if child.kind == "unknown"]
    names += [name for name in unclear if name in noted]
    known, first = set(names), set(noted)
    return [*(name for name in noted if name in known), *(n for n in names if n not in first)]


def _rewrite_list(kind: str, member: str, node: Node) -> Draft | None:
    """Name what is there – but what has no notes of its own netCDF-C does not open, nor all the rest."""
    place = nczarr.find(node, "group")
    if place is None or not isinstance(place.value, dict) or not isinstance(node, Group):
        return None
    given = place.value.get(member)
    before = list(nczarr.names(given) or ())
    part: nczarr.Part = "array" if kind == "arrays" else "group"
    noted = {child.name for child in node.children or () if nczarr.find(child, part)}
    there = list(dict.fromkeys(_names_there(node, kind, before)))
    names = [name for name in there if name in before or name in noted]
    operation = (replace if member in place.value else add)(place.at(member), names)
    operations = () if names == before else (operation,)
    if left := [name for name in there if name not in names]:
        note = f"netCDF-C refuses a dataset that lists {listed(map(json_text, left))} before its own notes are on it"
        return Draft("suggest", operations, note)
    return Draft("safe", operations)


# --- dimensions of arrays --------------------------------------------------------------------


def _references(array: Array) -> tuple[Place, str, Any] | None:
    """Return where the dimension references of an array stand, how they are called, and what they are."""
    place = nczarr.find(array, "array")
    if place is None or not isinstance(place.value, dict):
        return None
    return (place, *place.member("dimension_references"))


@rule("NCZ-VAR-001", on="array", needs=("shape",), reads="attributes")
def references_fit(array: Array) -> Iterator[Fail | Undecided]:
    """Want one full name of a dimension for each length of the shape."""
    place = nczarr.find(array, "array")
    if place is None:
        return
    if not isinstance(place.value, dict):
        yield _unread(place) or Fail(
            place.pointer, f"must be an object, got {json_type(place.value)}"
        )
        return
    member, given = place.member("dimension_references")
    stored = list(array.stored_shape or ())
    names = _is_names(given) and all(name.startswith("/") for name in given)
    if not names:
        yield Fail(
            place.at(member),
            f"dimension references must be a list of full names such as /lat, got {shown(given)}",
        )
    elif array.shape is not None and len(given) != len(array.shape) and not place.is_scalar:
        yield Fail(
            place.at(member), f"dimension references {shown(given)} do not fit the shape {stored}"
        )


@rule("NCZ-VAR-005", on="array", formats=V2, needs=("shape",), reads="attributes")
def scalar_fits(array: Array) -> Iterator[Fail]:
    """Want what is called a scalar to be stored with the shape [1] and to have no dimensions."""
    found = _references(array)
    if found is None or not found[0].is_scalar:
        return
    place, member, given = found
    stored = array.stored_shape
    if stored is not None and stored != (1,):
        yield Fail(
            place.at("scalar" if "scalar" in place.value else "storage"),
            f"is marked as a scalar, which has the shape [1], not {list(stored)}",
        )
    elif given:
        yield Fail(place.at(member), f"is marked as a scalar and has dimensions: {shown(given)}")


@rule("NCZ-VAR-002", on="members")
def references_resolve(group: Group) -> Iterator[Fail | Undecided]:
    """Want each reference to lead to a dimension of that length."""
    for array in group.arrays:
        references, found = array.dimension_references, _references(array)
        if references is None or found is None:
            continue
        place, member, _ = found
        for axis, (reference, length) in enumerate(zip(references, array.shape or (), strict=True)):
            declared = _declared(array, reference)
            if isinstance(declared, Undecided):
                yield declared
                continue
            pointer = place.at(member, axis)
            if declared is None:
                yield Fail(pointer, f"{reference} is declared by no group", path=array.path)
                continue
            home, dimension = declared
            fits = length <= dimension.size if dimension.unlimited else length == dimension.size
            if not fits:
                yield Fail(
                    pointer,
                    f"{reference} has length {dimension.size}, but the array is {length} long there",
                    related=(home.path,),
                    path=array.path,
                )


def _declared(
    array: Array, reference: str
) -> tuple[Node, nczarr.DeclaredDimension] | Undecided | None:
    path, _, name = reference.rpartition("/")
    group = array.hierarchy.get(path or "/")
    place = None if group is None else nczarr.find(group, "group")
    if group is None or place is None:
        return None
    notes = nczarr.group_notes(group)
    if notes is not None and name in notes.dimensions:
        return group, notes.dimensions[name]
    given = place.member("dimensions")[1]
    malformed = given is not None and (not isinstance(given, dict) or name in given)
    return Undecided("dependency: NCZ-GRP-001") if malformed or notes is None else None


def _base_names(references: tuple[str, ...]) -> list[str]:
    return [reference.rpartition("/")[2] for reference in references]


@rule("NCZ-VAR-003", on="array", formats=V2, needs=("names",), reads="attributes")
def names_agree(array: Array) -> Iterator[Fail]:
    """Want xarray's names to be those of the dimensions referred to."""
    names, references = array.attributes.get("_ARRAY_DIMENSIONS"), array.dimension_references
    if not references or not _is_names(names) or not isinstance(names, list):
        return
    if names != _base_names(references):
        yield Fail(
            array.attribute_pointer("_ARRAY_DIMENSIONS"),
            f"_ARRAY_DIMENSIONS {shown(names)} differs from the dimension references {shown(list(references))}",
            fix=_name_as_referred,
        )


def _name_as_referred(node: Node) -> Draft | None:
    if not isinstance(node, Array):
        return None
    references = node.dimension_references
    if references is None:
        return Draft("suggest", note="name each dimension in _ARRAY_DIMENSIONS")
    names = _base_names(references) if references or node.stored_shape == () else ["_scalar_"]
    return Draft("suggest", set_attribute(node, "_ARRAY_DIMENSIONS", names))


@rule("NCZ-VAR-004", on="array", reads="attributes")
def storage(array: Array) -> Iterator[Fail]:
    """Want a way of storing that netCDF has."""
    found = _references(array)
    if found is not None and "storage" in found[0].value:
        given = found[0].value["storage"]
        if given not in STORAGE:
            yield Fail(
                found[0].at("storage"),
                f"storage must be one of {', '.join(STORAGE)}, got {shown(given)}",
            )


def _names_pointer(array: Array) -> str:
    found = _references(array)
    if array.dimension_names_source == "nczarr" and found is not None:
        return found[0].at(found[1])
    if array.zarr_format == 3:
        return array.pointer("dimension_names")
    return array.attribute_pointer("_ARRAY_DIMENSIONS")


@rule("NCZ-DIM-001", on="array", reads="attributes")
def artificial_names(array: Array) -> Iterator[Fail]:
    """Note names that only tell a dimension's length or number."""
    names = [name for name in array.dimension_names or () if name and _ARTIFICIAL.fullmatch(name)]
    if names:
        yield Fail(
            _names_pointer(array),
            f"names made up where there were none: {', '.join(names)}",
            fix=lambda _node: Draft("suggest", note="name the dimensions for what they stand for"),
        )


@rule("NCZ-DIM-002", on="array", reads="attributes")
def shared_from_above(array: Array) -> Iterator[Fail]:
    """Note dimensions of groups above, which NZ does not know: there a name belongs to one group."""
    found, references = _references(array), array.dimension_references
    if found is None or references is None:
        return
    own = array.parent or "/"
    above = [
        reference
        for reference in dict.fromkeys(references)
        if (home := paths.above(reference)) != own and own.startswith(paths.below(home))
    ]
    if above:
        yield Fail(
            found[0].at(found[1]),
            f"uses {', '.join(above)} of {'a group' if len(above) == 1 else 'groups'} above",
        )


def _xarray_finds_names(array: Array) -> bool:
    if "_ARRAY_DIMENSIONS" in array.attributes:
        return True
    old = array.metadata.get("_NCZARR_ARRAY")
    return isinstance(old, dict) and "dimrefs" in old


@rule("NCZ-XR-001", on="array", formats=V2, needs=("shape",), reads="attributes")
def names_for_xarray(array: Array) -> Iterator[Fail]:
    """Note arrays whose dimensions xarray cannot name, and so does not open."""
    if array.stored_shape and not _xarray_finds_names(array):
        yield Fail(
            array.attribute_pointer("_ARRAY_DIMENSIONS"),
            f"xarray cannot find the dimensions of {array.path}: there is no _ARRAY_DIMENSIONS",
            fix=_name_as_referred,
        )


# --- types -----------------------------------------------------------------------------------


@rule("NCZ-MODEL-001", on="array", reads="attributes")
def readable_type(array: Array) -> Iterator[Fail]:
    """Note types that netCDF-C has nothing for."""
    data_type = array.data_type
    if data_type.status in ("unknown", "malformed"):
        return  # found by the rules on types
    place = nczarr.find(array, "array")
    numbers = data_type.kind in ("int", "uint") or data_type.name in ("float32", "float64")
    fixed = data_type.kind == "bytes"
    if place is not None and place.era != "attributes":
        one = array.metadata.get("dtype") in ("<U1", "|U1", ">S1", "|S1")
        characters = one or (fixed and place.era == "keys")
    else:
        characters = fixed
    if not numbers and not characters:
        member = "dtype" if array.zarr_format == 2 else "data_type"
        yield Fail(array.pointer(member), f"netCDF-C cannot read {data_type.text}")


@rule("NCZ-PREC-001", on="array", formats=V2, reads="attributes")
def rounded_fill(array: Array) -> Iterator[Fail]:
    """Note the default fill value of netCDF with six of its digits, which are enough for float32 only."""
    if array.data_type.name == "float64" and _is_rounded(array.metadata.get("fill_value")):
        yield Fail(
            array.pointer("fill_value"),
            f"fill_value {shown(array.metadata['fill_value'])} looks rounded; the default of netCDF is {DEFAULT_FILL!r}",
            fix=_full_precision,
        )


def _is_rounded(value: Any) -> bool:
    return isinstance(value, float) and value == ROUNDED_FILL


def _full_precision(node: Node) -> Draft:
    operations: tuple[Operation, ...] = (replace(node.pointer("fill_value"), DEFAULT_FILL),)
    if _is_rounded(node.attributes.get("_FillValue")):
        operations += set_attribute(node, "_FillValue", DEFAULT_FILL)
    note = "chunks that were written hold either value; those that were not read differently afterwards"
    return Draft("unsafe", operations, note)


# --- attributes ------------------------------------------------------------------------------


def _typed(node: Node) -> tuple[Place, dict[str, Any]] | None:
    """Return the types that are noted of a node's attributes, as they are spelled, and where."""
    place = nczarr.find(node, "attr")
    types = None if place is None else place.member("types")[1]
    return (place, types) if place is not None and isinstance(types, dict) else None


@rule("NCZ-ATT-001", on="node", needs=("attributes",), reads="attributes")
def types_and_attributes(node: Node) -> Iterator[Fail | Undecided]:
    """Want a type for each attribute, and an attribute for each type."""
    place = nczarr.find(node, "attr")
    own = [key for key in node.attributes if not nczarr.is_hidden(key)]
    if place is None:
        if own and (nczarr.find(node, "array") or nczarr.find(node, "group")):
            yield Fail(
                node.attribute_pointer("_nczarr_attr"),
                f"no types of attributes are noted: of {listed(map(json_text, own))}",
            )
        return
    types = place.member("types")[1]
    if types is None and isinstance(place.value, dict):
        types = {}
    if not isinstance(types, dict):
        yield _unread(place) or Fail(
            place.pointer, f"types of attributes must be an object, got {shown(place.value)}"
        )
        return
    for key in own:
        if key not in types:
            yield Fail(node.attribute_pointer(key), f"{key}: no type is noted")
    for key in types:
        if key not in node.attributes and not nczarr.is_hidden(key):
            yield Fail(place.at("types", key), f"{key}: a type is noted, but there is no attribute")


@rule("NCZ-ATT-002", on="node", reads="attributes")
def known_types(node: Node) -> Iterator[Fail]:
    """Want types that netCDF-C knows."""
    found = _typed(node)
    for key, spelled in () if found is None else found[1].items():
        if found is not None and nczarr.attribute_type(spelled) is None:
            yield Fail(
                found[0].at("types", key), f"the type {shown(spelled)} of {key} is not known"
            )


@rule("NCZ-ATT-003", on="node", needs=("attributes",), reads="attributes")
def values_of_their_types(node: Node) -> Iterator[Fail]:
    """Want values of the types that are noted."""
    found = _typed(node)
    if found is None:
        return
    for key, meaning in nczarr.attribute_types(node).items():
        if key not in node.attributes or nczarr.is_hidden(key):
            continue
        value = node.attributes[key]
        if not _is_of(value, meaning):
            yield Fail(node.attribute_pointer(key), f"{key} = {shown(value)} is not a {meaning}")
        elif key == "_FillValue" and isinstance(node, Array) and not _same_type(node, meaning):
            yield Fail(
                found[0].at("types", key),
                f"_FillValue is noted as {found[1][key]}, the array is {node.data_type.text}",
            )


def _is_of(value: Any, meaning: str) -> bool:
    if meaning == "string":
        items = value if isinstance(value, list) else [value]
        return all(isinstance(item, str) for item in items)
    # Text that is JSON is written as JSON, so characters may be anything.
    return meaning in ("char", "json") or nczarr.numbers(value, meaning) is not None


def _same_type(array: Array, meaning: str) -> bool:
    data_type = array.data_type
    if data_type.kind in ("bytes", "string"):
        return meaning in ("char", "string")
    return data_type.kind == "unknown" or data_type.name == meaning


@rule("NCZ-ATT-004", on="node", needs=("attributes",), reads="attributes")
def named_numbers(node: Node) -> Iterator[Fail]:
    """Note words that stand for numbers, because the type says so."""
    for key, meaning in nczarr.attribute_types(node).items():
        value = node.attributes.get(key)
        items = value if isinstance(value, list) else [value]
        words = [item for item in items if isinstance(item, str) and item in nczarr.NAMED_NUMBERS]
        if meaning.startswith("float") and words:
            given = ", ".join(map(json_text, dict.fromkeys(words)))
            yield Fail(
                node.attribute_pointer(key),
                f"{given} in {key} means the number, because its type is {meaning}",
            )


@rule("NCZ-ATT-005", on="node", needs=("attributes",), reads="attributes")
def length_of_strings(node: Node) -> Iterator[Fail]:
    """Want the length at which strings are cut off to be one."""
    for key in nczarr.MAX_LENGTHS:
        given = node.attributes.get(key, 1)
        if not is_integer(given) or given < 1:
            yield Fail(
                node.attribute_pointer(key), f"{key} must be a positive integer, got {shown(given)}"
            )
