"""What netCDF-C wrote beside the Zarr metadata: dimensions, contents of groups, types of attributes.

It did so in three ways. Version 4.8.0 put objects of its own beside the documents (``.nczarr``,
``.nczgroup``, ``.nczarray``, ``.nczattrs``). Until 4.9.2 there were keys inside ``.zgroup`` and ``.zarray``
(``_NCZARR_GROUP``, later ``_nczarr_group``). Since 4.9.3 there are attributes of these names. What has none of
them is plain Zarr. All are read as one, tolerantly: what cannot be understood is absent, and the rules report it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from nz_explorer.documents import pointers
from nz_explorer.model import paths
from nz_explorer.model.dialects import nczarr_lengths, netcdf_json, netcdf_numbers
from nz_explorer.model.dialects.nczarr_types import TYPE_NUMBERS, attribute_type
from nz_explorer.model.dialects.netcdf_names import can_be_key, in_its_form

if TYPE_CHECKING:
    from nz_explorer.model.array import Array
    from nz_explorer.model.hierarchy import Hierarchy
    from nz_explorer.model.node import Node

Part = Literal["superblock", "group", "array", "attr"]
Era = Literal["objects", "keys", "attributes"]

ERAS: dict[Era, str] = {
    "objects": "objects of its own, as netCDF-C 4.8.0 wrote them",
    "keys": "keys in .zgroup and .zarray, as netCDF-C 4.8.1 to 4.9.2 wrote them",
    "attributes": "attributes, as netCDF-C writes them since 4.9.3",
}
"""The ways in which netCDF-C kept its own metadata, the oldest first."""
KEYS: dict[Part, tuple[str, ...]] = {
    "superblock": ("_nczarr_superblock", "_NCZARR_SUPERBLOCK"),
    "group": ("_nczarr_group", "_NCZARR_GROUP"),
    "array": ("_nczarr_array", "_NCZARR_ARRAY", "_nczarr_var", "_NCZARR_VAR"),
    "attr": ("_nczarr_attr", "_NCZARR_ATTR"),
}
"""How each part is called where it is a key or an attribute: today, and in versions whose names 4.10 does not read."""
SIDE_NAMES: dict[Part, tuple[str, ...]] = {
    "superblock": (".nczarr",),
    "group": (".nczgroup",),
    "array": (".nczarray", ".nczvar"),
    "attr": (".nczattrs", ".nczattr"),
}
"""How each part is called where it is an object of its own."""
MEMBERS: dict[str, tuple[str, ...]] = {
    "dimensions": ("dimensions", "dims"),
    "arrays": ("arrays", "vars"),
    "groups": ("groups", "groups"),
    "dimension_references": ("dimension_references", "dimrefs"),
}
"""How members of the parts are called: in the attributes of today, and before."""
PROPERTIES = "_NCProperties"
"""The attribute with the version of netCDF-C that wrote a dataset."""
OLD_CHARACTERS = ("<U1", ">U1")
"""How netCDF-C up to 4.9.0 spells the type of characters; 4.10 opens no dataset with one of them."""
SCALAR_DIMENSION = "_scalar_"
"""What netCDF-C calls the dimension of a scalar, which it stores with the shape ``[1]``."""
MAX_LENGTHS = ("_nczarr_default_maxstrlen", "_nczarr_maxstrlen")
"""Attributes with the length at which strings are cut off: of the root, and of an array."""

_HIDDEN = frozenset(
    (
        "_ARRAY_DIMENSIONS",
        "_Netcdf4Coordinates",
        "_Netcdf4Dimid",
        *(k for v in KEYS.values() for k in v),
    )
)


@dataclass(frozen=True, slots=True)
class Place:
    """One part of the NCZarr metadata of a node, and where it is.

    Attributes
    ----------
    era : str
        In which of the `ERAS` it was written.
    pointer : str
        Where, as reports write it.
    value
        What it says.
    read : bool
        Whether netCDF-C of today reads it: not the objects of 4.8.0 nor other names than today's, and nothing but the
        types of attributes where the root has no superblock.
    """

    era: Era
    pointer: str
    value: Any
    read: bool = True

    def at(self, *members: str | int) -> str:
        """Return the pointer to a member."""
        return pointers.join(self.pointer, *members)

    def member(self, name: str) -> tuple[str, Any]:
        """Return a member under whichever of its `MEMBERS` names it has, and that name; else that of its time and None."""
        spellings = MEMBERS.get(name, (name, name))
        if name == "groups" and self.pointer.startswith("/attributes/"):
            spellings = (*spellings, "subgroups")  # so it is called in Zarr v3, and there alone
        if isinstance(self.value, dict):
            for spelled in spellings:
                if spelled in self.value:
                    return spelled, self.value[spelled]
        return spellings[self.era != "attributes"], None

    @property
    def is_upper(self) -> bool:
        """Whether it has a name in upper case, as netCDF-C 4.8.1 to 4.9.0 wrote them."""
        return self.pointer.rpartition("/")[2].isupper()

    @property
    def is_scalar(self) -> bool:
        """Whether it marks an array as scalar."""
        # netCDF-C asks whether the mark is there, and not what it says.
        marked = isinstance(self.value, dict) and "scalar" in self.value
        return marked or self.member("storage")[1] == "scalar"


@dataclass(frozen=True, slots=True)
class DeclaredDimension:
    """A dimension that a group declares.

    Attributes
    ----------
    name : str
        Its name in the group.
    size : int
        Its length; of an unlimited one the present length.
    unlimited : bool
        Whether it can grow.
    pointer : str
        Where it is declared, in the documents of the group.
    """

    name: str
    size: int
    unlimited: bool
    pointer: str


@dataclass(frozen=True, slots=True)
class GroupNotes:
    """What netCDF-C noted of a group; a list that is no list of names is None."""

    place: Place

    @property
    def dimensions(self) -> dict[str, DeclaredDimension]:
        """The dimensions that it declares, by name; to look for one, ask for that one."""
        member, given = self.place.member("dimensions")
        return {found.name: found for found in _dimensions(self.place.at(member), given)}

    @property
    def arrays(self) -> tuple[str, ...] | None:
        """Names of the arrays in the group."""
        return names(self.place.member("arrays")[1])

    @property
    def groups(self) -> tuple[str, ...] | None:
        """Names of the groups in the group."""
        return names(self.place.member("groups")[1])

    @property
    def children(self) -> tuple[str, ...] | None:
        """Names of all nodes in the group that can be names, None where neither list is usable."""
        arrays, groups = self.arrays, self.groups
        if arrays is None and groups is None:
            return None
        # They become parts of keys, and a stranger has written them.
        noted = filter(can_be_key, (*(arrays or ()), *(groups or ())))
        return tuple(dict.fromkeys(noted))

    def dimension(self, name: str) -> DeclaredDimension | None:
        """Return the dimension of a name, which netCDF-C compares in one form of Unicode; None where there is none."""
        member, given = self.place.member("dimensions")
        if (
            isinstance(given, dict) and name in given
        ):  # each array asks, and a group may declare thousands
            known = next(_dimensions(self.place.at(member), {name: given[name]}), None)
            if known is not None:
                return known
        dimensions = self.dimensions
        forms = {in_its_form(known): known for known in dimensions}
        return dimensions.get(name) or dimensions.get(forms.get(in_its_form(name), ""))


@dataclass(frozen=True, slots=True)
class ArrayNotes:
    """What netCDF-C noted of an array.

    Attributes
    ----------
    place : Place
        Where.
    references : tuple of str or None
        Names of its dimensions, with the groups that declare them (``/g1/lon``); None where they are no
        list of names.
    scalar : bool
        Whether it is marked as a scalar, which is stored with shape ``[1]``.
    """

    place: Place
    references: tuple[str, ...] | None
    scalar: bool


def find(node: Node, part: Part) -> Place | None:
    """Return a part of what netCDF-C noted on a node, None where it noted nothing.

    Where a later netCDF-C wrote its superblock, objects of 4.8.0 count for nothing.

    Parameters
    ----------
    node : Node
        The node.
    part : Part
        Which part.
    """
    found = next(places(node, part), None)
    is_old = found is not None and found.era == "objects"
    return None if is_old and _has_superblock(node, KEYS["superblock"]) else found


def find_object(node: Node, part: Part) -> Place | None:
    """Return a part of what netCDF-C noted on a node, None where it is no object either; see `find`.

    Parameters
    ----------
    node : Node
        The node.
    part : Part
        Which part.
    """
    found = find(node, part)
    return found if found is not None and isinstance(found.value, dict) else None


def counts(hierarchy: Hierarchy) -> bool:
    """Whether what netCDF-C noted is asked for: not where the mode of the address is one for Zarr without notes.

    In these modes netCDF-C 4.10 goes by ``_ARRAY_DIMENSIONS``, or with ``noxarray`` by no names at all, and sees neither
    scalars nor characters; the types that it noted for attributes count all the same.

    Parameters
    ----------
    hierarchy : Hierarchy
        The dataset, opened by its address.
    """
    return not {"zarr", "xarray", "noxarray"} & set(hierarchy.modes)


def is_read(node: Node, part: Part) -> bool:
    """Whether netCDF-C of today reads a part of what was noted on a node.

    Parameters
    ----------
    node : Node
        The node.
    part : Part
        Which part.
    """
    return any(place.read for place in places(node, part))


def _has_superblock(node: Node, names: tuple[str, ...]) -> bool:
    root = node.hierarchy.root
    return any(name in root.attributes or name in root.metadata for name in names)


def places(node: Node, part: Part) -> Iterator[Place]:
    """Yield every place of a node with a part of the NCZarr metadata, the newest form first.

    Parameters
    ----------
    node : Node
        The node.
    part : Part
        Which part.
    """
    attributes = node.attributes
    # The superblock and the types of attributes are read in modes in which the rest is passed over.
    used = part in ("superblock", "attr") or counts(node.hierarchy)
    # The types count also in a dataset that has no superblock, and so is pure Zarr to netCDF-C.
    marked = part == "attr" or _has_superblock(node, KEYS["superblock"][:1])
    today = KEYS[part][:1] if used and marked else ()
    for key in KEYS[part]:
        if key in attributes:
            pointer = node.attribute_pointer(key)
            yield Place("attributes", pointer, attributes[key], key in today)
    if node.zarr_format != 2:
        return
    metadata = node.metadata
    for key in KEYS[part]:
        if key in metadata:
            read = key in today and part != "attr"  # which it looks for in the attributes alone
            yield Place("keys", node.pointer(key), metadata[key], read)
    if len(node.documents) > 1:
        for name in SIDE_NAMES[part]:
            document = node.document(name)
            if document is not None:
                yield Place("objects", pointers.join("", name), document.value, read=False)


def is_marked(node: Node) -> bool:
    """Whether netCDF-C left its traces on a node, usually the root, when it wrote Zarr."""
    # Of a file that it wrote in another format the attribute may have been copied.
    properties = node.attributes.get(PROPERTIES)
    wrote = isinstance(properties, str) and "nczarr=" in properties
    return wrote or any(find(node, part) for part in KEYS)


def group_notes(node: Node) -> GroupNotes | None:
    """Return what netCDF-C noted of a group, None where it noted nothing that can be used."""
    place = find_object(node, "group")
    return None if place is None else GroupNotes(place)


def array_notes(node: Node) -> ArrayNotes | None:
    """Return what netCDF-C noted of an array, None where it noted nothing that can be used."""
    place = find_object(node, "array")
    if place is None:
        return None
    references = names(place.member("dimension_references")[1])
    return ArrayNotes(place, references, place.is_scalar)


def is_scalar(array: Array) -> bool:
    """Whether an array is a scalar that is stored with shape ``[1]``, as netCDF-C does in Zarr v2."""
    if array.metadata.get("shape") != [1]:
        return False
    notes = array_notes(array)
    return notes is not None and notes.scalar and not notes.references


def stored_dtype(array: Node) -> Any:
    """Return the ``dtype`` of a Zarr v2 array as its chunks have it.

    netCDF-C up to 4.9.0 calls characters ``<U1``, which is four bytes, and stores one.

    Parameters
    ----------
    array : Node
        The array.
    """
    given = array.metadata.get("dtype")
    if given not in OLD_CHARACTERS:
        return given
    old = "_NCZARR_ARRAY" in array.metadata or any(map(array.document, SIDE_NAMES["array"]))
    return "|S1" if old else given


def dimension(hierarchy: Hierarchy, reference: str) -> tuple[Node, DeclaredDimension] | None:
    """Return a dimension by its full name, with the group that declares it.

    Only groups that were read already are looked at: those above an array always were.

    Parameters
    ----------
    hierarchy : Hierarchy
        Where to look.
    reference : str
        Full name of the dimension, such as ``/forecast/time``.
    """
    path, _, name = reference.rpartition("/")
    group = hierarchy.node_if_loaded(path or "/")
    notes = None if group is None else group_notes(group)
    found = None if notes is None else notes.dimension(name)
    return None if group is None or found is None else (group, found)


def unresolved(array: Array) -> Iterator[tuple[str, int]]:
    """Yield the references of an array that lead to no dimension in sight of that length, and the length.

    Parameters
    ----------
    array : Array
        The array. What it refers to is looked for in groups that were read already.
    """
    named = zip(array.dimension_references or (), array.shape or (), strict=False)
    for reference, length in named:
        found = dimension(array.hierarchy, reference)
        home = None if found is None else paths.below(found[0].path)
        seen = home is not None and array.path.startswith(home)
        if found is None or not seen or found[1].size != length:
            yield reference, length


def attribute_types(node: Node) -> dict[str, str]:
    """Return what netCDF-C noted of the types of a node's attributes, as far as it can be understood."""
    place = find(node, "attr")
    _, types = ("", None) if place is None else place.member("types")
    if place is None or not isinstance(types, dict):
        return {}
    found = {key: type_at(place, spelled) for key, spelled in types.items()}
    return {key: meaning for key, meaning in found.items() if meaning is not None}


def type_at(place: Place, spelled: Any) -> str | None:
    """Return what a type of an attribute means in the form in which it was written.

    Parameters
    ----------
    place : Place
        The types that it is one of.
    spelled
        Such as ``<f4``, or ``5`` in objects of netCDF-C 4.8.0.
    """
    if place.era == "objects" and isinstance(spelled, str) and spelled in TYPE_NUMBERS:
        return TYPE_NUMBERS[spelled]
    # Before there were strings, |S1 stood for characters.
    return attribute_type(spelled, strings=place.pointer.endswith("_nczarr_attr"))


def text_of(node: Node, key: str) -> str:
    """Return an attribute of characters.

    netCDF-C writes text that happens to be JSON as JSON: ``"5"`` becomes 5.

    Parameters
    ----------
    node : Node
        The node.
    key : str
        Name of the attribute.
    """
    value = node.attributes[key]
    if isinstance(value, str):
        return value
    document, pointer = node.locate(node.attribute_pointer(key))
    # entries of consolidated metadata are decoded at once, or one by one: only then their text would be there
    written = None if document is None or document.origin != "stored" else document.token
    return netcdf_json.json_text(value, written, pointer)


def typed_attributes(node: Node) -> dict[str, Any]:
    """Return a node's attributes in the types that netCDF-C noted, without those that it keeps for itself.

    Where it noted none, or the value is none of its type, they are as JSON has them.
    """
    types = attribute_types(node)
    return {
        key: value if key not in types else _typed(node, key, value, types[key])
        for key, value in node.attributes.items()
        if not is_hidden(key)
    }


def _typed(node: Node, key: str, value: Any, meaning: str) -> Any:
    if meaning in ("char", "json"):
        return text_of(node, key)
    found = (
        None
        if meaning == "string"
        else netcdf_numbers.numbers(netcdf_numbers.as_numbers(node, key), meaning)
    )
    if found is None:
        return value
    array = np.array(found, meaning)
    return array if isinstance(value, list) else array[0]


def is_hidden(name: str) -> bool:
    """Whether an attribute is netCDF-C's own book-keeping, which none of its users gets to see."""
    return name in _HIDDEN


def library_version(root: Node) -> str | None:
    """Return the version of netCDF-C that wrote a dataset, if it is given."""
    properties = root.attributes.get(PROPERTIES)
    match = re.search(r"\bnetcdf=([^,|]+)", properties) if isinstance(properties, str) else None
    return None if match is None else match[1]


def _dimensions(pointer: str, given: Any) -> Iterator[DeclaredDimension]:
    if isinstance(given, dict):
        entries = [(name, entry, name) for name, entry in given.items()]
    elif isinstance(given, list):  # as netCDF-C means to write them in Zarr v3
        entries = [(e.get("name"), e, i) for i, e in enumerate(given) if isinstance(e, dict)]
    else:
        return
    for name, entry, member in entries:
        length = nczarr_lengths.length_of(entry)
        if isinstance(name, str) and length is not None:
            yield DeclaredDimension(name, *length, pointers.join(pointer, member))


def names(given: Any) -> tuple[str, ...] | None:
    """Return a list of names, None where it is none."""
    if not isinstance(given, list) or not all(isinstance(name, str) for name in given):
        return None
    return tuple(given)
