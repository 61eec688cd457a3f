"""NCZ: fixes of what has names in upper case, which netCDF-C gave up to 4.9.0, of what only 4.8.0 wrote, and of misprints."""

from __future__ import annotations

from dataclasses import replace as with_changes
from typing import TYPE_CHECKING, Any

from nz_explorer.engine.fixes import Draft, Operation, add, move, remove, replace, set_attribute
from nz_explorer.model import Array, Group
from nz_explorer.model.dialects import nczarr

if TYPE_CHECKING:
    from nz_explorer.model import Node
    from nz_explorer.model.dialects.nczarr import Place


VERSION = "2.0.0"
"""The version of the format that netCDF-C writes since 4.8.1."""


def rewrite(node: Node) -> Draft:
    """Say how a dataset with objects of 4.8.0 is written anew.

    Parameters
    ----------
    node : Node
        The root.
    """
    source = node.hierarchy.source
    return Draft(
        "suggest",
        note=f"copy the dataset from {source} into a netCDF file with nccopy of netCDF-C up to 4.9.0, because 4.9.1 does"
        " not read its types of characters, and that file to Zarr with one of today; 4.10 alone would lose the names of"
        " dimensions",
    )


def leave_out(_node: Node) -> Draft:
    """Say when objects of 4.8.0 can go."""
    return Draft("suggest", note="remove them, unless netCDF-C 4.8.0 is to read the dataset")


def in_lower_case(root: Node) -> Draft | None:
    """Give everything its name of today: with the superblock alone netCDF-C would see nothing, or refuse the dataset.

    Parameters
    ----------
    root : Node
        The root.
    """
    nodes = [node for node in root.hierarchy.walk() if isinstance(node, Array | Group)]
    in_keys = any(place.era == "keys" for node in nodes for place in _parts(node))
    drafts = [
        Draft("suggest", operations, node=node)
        for node in nodes
        if (operations := (*_renamed(node), *(_as_written_today(node) if in_keys else ())))
    ]
    return with_changes(drafts[0], also=tuple(drafts[1:])) if drafts else None


def _parts(node: Node) -> list[Place]:
    """Return where netCDF-C noted something on a node."""
    return [place for part in nczarr.KEYS if (place := nczarr.find(node, part)) is not None]


def _renamed(node: Node) -> list[Operation]:
    operations: list[Operation] = []
    for part, names in nczarr.KEYS.items():
        place = nczarr.find(node, part)
        if place is None or not place.is_upper:
            continue
        if place.era == "attributes" and part == "attr" and place.member("types")[1]:
            operations.extend(types_of_today(place, node))
        elif place.era != "objects":
            in_attributes = place.era == "attributes"
            today = (node.attribute_pointer if in_attributes else node.pointer)(names[0])
            operations.append(move(place.pointer, today))
            if part == "superblock" and not isinstance(place.value, dict):
                # 4.10 refuses the dataset for one that is no object
                operations.append(replace(today, {"version": VERSION}))
            if part == "array" and isinstance(node, Array):
                if nczarr.is_scalar(node):
                    operations.append(add(f"{today}/scalar", 1))
                if not in_attributes:
                    operations.extend(_names_for_xarray(node))
    return operations


def _names_for_xarray(array: Array) -> tuple[Operation, ...]:
    """Return what names dimensions for xarray, which reads the key in upper case, and not the one in lower case."""
    references = array.dimension_references
    if "_ARRAY_DIMENSIONS" in array.attributes or references is None or array.stored_shape == ():
        return ()
    names = [reference.rpartition("/")[2] for reference in references]
    return set_attribute(array, "_ARRAY_DIMENSIONS", names or [nczarr.SCALAR_DIMENSION])


def _as_written_today(node: Node) -> list[Operation]:
    """Return what 4.10 needs beside names where metadata are keys: attributes, if none, and its type of characters."""
    operations: list[Operation] = []
    if node.document(".zattrs") is None and node.main_document is not None:
        operations.append(add("/.zattrs", {}))
    if node.metadata.get("dtype") in nczarr.OLD_CHARACTERS and nczarr.stored_dtype(node) == "|S1":
        operations.append(replace(node.pointer("dtype"), ">S1"))
    return operations


def types_of_today(place: Place, node: Node) -> tuple[Operation, ...]:
    """Return what gives types the name that is read today, with the type that characters have today.

    Parameters
    ----------
    place : Place
        The types under another name.
    node : Node
        The node that has them.
    """
    types: Any = place.member("types")[1]
    if not isinstance(types, dict):
        return ()
    late = {
        key: ">S1" if isinstance(one, str) and "U" in one else one for key, one in types.items()
    }
    operations = set_attribute(node, "_nczarr_attr", {"types": {**late, "_nczarr_attr": "|J0"}})
    return (*operations, remove(place.pointer))


def names_as_printed(node: Node) -> list[str]:
    """Return the attributes whose names are of NCZarr but for the underscore with which its text prints them.

    Parameters
    ----------
    node : Node
        The node.
    """
    return [f"{names[0]}_" for names in nczarr.KEYS.values() if f"{names[0]}_" in node.attributes]


def without_underscore(root: Node) -> Draft | None:
    """Give everything that has a name as the text prints it the one that is read.

    Parameters
    ----------
    root : Node
        The root.
    """
    drafts = [
        Draft("suggest", operations, node=node)
        for node in root.hierarchy.walk()
        if isinstance(node, Array | Group)
        and (
            operations := tuple(
                move(node.attribute_pointer(key), node.attribute_pointer(key[:-1]))
                for key in names_as_printed(node)
                if key[:-1] not in node.attributes
            )
        )
    ]
    return with_changes(drafts[0], also=tuple(drafts[1:])) if drafts else None
