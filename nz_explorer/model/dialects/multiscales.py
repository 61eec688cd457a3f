"""Pyramids: the levels that ``multiscales`` names, in each of the conventions that use this word.

GeoZarr draft 8.2 has an object with ``tile_matrix_set``, zarr-conventions/multiscales one with ``layout``, which was the draft's clause 7 before,
OME-NGFF a list with ``datasets``; so has ndpyramid, in a form of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from nz_explorer.model.array import Array
from nz_explorer.model.group import Group
from nz_explorer.model.node import Node
from nz_explorer.model.paths import all_above, below

Family = Literal["GeoZarr", "multiscales", "OME-NGFF"]
_OF_MAPS = frozenset(("pixels_per_tile", "crs", "level"))
"""What ndpyramid says of a level, and OME-NGFF does not."""
_METHODS = frozenset(
    ("pyramid_coarsen", "pyramid_create", "pyramid_regrid", "pyramid_reproject", "pyramid_resample")
)
"""The functions of ndpyramid, which it names in the metadata of a pyramid."""


@dataclass(frozen=True, slots=True)
class Level:
    """A level of a pyramid.

    Attributes
    ----------
    name : str
        Its path below the group that names it; empty for the group itself.
    path : str
        Its absolute path.
    arrays : dict of str to tuple of int
        Shapes of the arrays in it, by name; of the level itself where it is an array.
    """

    name: str
    path: str
    arrays: dict[str, tuple[int, ...]]


def family(attributes: Mapping[str, Any]) -> Family | None:
    """Return the convention whose form ``multiscales`` has, None where there is none."""
    given = attributes.get("multiscales")
    if isinstance(given, list) or "ome" in attributes:
        return None if _is_of_maps(given) else "OME-NGFF"
    if isinstance(given, Mapping):
        return "multiscales" if "layout" in given else "GeoZarr"
    return None


def _is_of_maps(given: Any) -> bool:
    """Whether a list has levels as ndpyramid writes them, which are groups with maps in them."""
    image = given[0] if isinstance(given, list) and given else None
    datasets = member(image, "datasets")
    level = datasets[0] if isinstance(datasets, list) and datasets else None
    if not isinstance(level, Mapping):
        return False
    method = member(member(image, "metadata"), "method")
    return not _OF_MAPS.isdisjoint(level) or (isinstance(method, str) and method in _METHODS)


def tile_size(attributes: Mapping[str, Any]) -> int | None:
    """Return how many pixels the tiles of a pyramid of maps have on each side, None where nothing tells it.

    Parameters
    ----------
    attributes : mapping
        Of the group that describes the pyramid.
    """
    given: Any = attributes.get("multiscales")
    if not _is_of_maps(given):
        return None
    sizes = [one.get("pixels_per_tile") for one in given[0]["datasets"] if isinstance(one, Mapping)]
    size = sizes[0]
    alike = isinstance(size, int) and size > 0 and all(other == size for other in sizes)
    return size if alike else None


def levels(group: Group) -> list[Level]:
    """Return the levels of the pyramid that a group describes, those that are there.

    Parameters
    ----------
    group : Group
        With ``multiscales`` among its attributes.
    """
    found = []
    for name in level_names(group.attributes):
        path = below(group.path) + name if name else group.path
        node = group.hierarchy.get(path)
        if isinstance(node, Group):
            children = group.hierarchy.children(node)
            arrays = {c.name: c.shape for c in children if isinstance(c, Array) and c.shape}
            found.append(Level(name, path, arrays))
        elif isinstance(node, Array):
            found.append(Level(name, path, {node.name: node.shape or ()}))
    return found


def levels_above(node: Node) -> Iterator[tuple[str, list[str]]]:
    """Yield what groups above call a node, and the levels that their multiscales name.

    Parameters
    ----------
    node : Node
        The node.
    """
    for path in all_above(node.path):
        above = node.hierarchy.node_if_loaded(path)
        if above is not None and (names := level_names(above.attributes)):
            yield node.path.removeprefix(path).strip("/"), names


def level_names(attributes: Mapping[str, Any]) -> list[str]:
    """Return the paths of levels below the group that names them, also of those that are not there."""
    given = attributes.get("multiscales")
    ome = attributes.get("ome")
    if given is None and isinstance(ome, Mapping):
        given = ome.get("multiscales")
    names: list[Any] = []
    if isinstance(given, list):
        for scales in given:
            datasets = scales.get("datasets") if isinstance(scales, Mapping) else None
            names += [member(one, "path") for one in datasets] if isinstance(datasets, list) else []
    elif isinstance(given, Mapping) and isinstance(given.get("layout"), list):
        names = [_place_of_level(one) for one in given["layout"]]
    elif isinstance(given, Mapping):
        names = _tile_matrices(given)
    clean = [name.strip("/") for name in names if isinstance(name, str) and ".." not in name]
    return list(dict.fromkeys("" if name == "." else name for name in clean))


def _place_of_level(entry: Any) -> Any:
    """Return the path of a level in a layout: its asset, or what clause 7 of the GeoZarr draft had for that."""
    names = ("asset", "path", "id")
    return next((found for name in names if (found := member(entry, name)) is not None), None)


def prescribed_names(group: Group) -> set[str]:
    """Return the names of children that OME-NGFF or another convention of pyramids prescribes.

    Parameters
    ----------
    group : Group
        With levels, wells, fields of view or series in it.
    """
    names = {name.split("/")[0] for name in level_names(group.attributes)}
    for held in _ome_attributes(group):
        images = member(held.get("well"), "images")
        names |= (
            {str(member(one, "path")) for one in images if member(one, "path")}
            if isinstance(images, list)
            else set()
        )
        if "bioformats2raw.layout" in held:
            names |= {child.name for child in group.children or () if child.name.isdecimal()}
    return names | _columns(group)


MOST_SERIES = 16
"""So many images of bioformats2raw are looked for, which numbers them from 0, where nothing lists them."""


def named_children(group: Group) -> set[str]:
    """Return the names of children that OME-NGFF or another convention of pyramids gives, for stores without listing.

    Parameters
    ----------
    group : Group
        With levels, rows, wells, fields of view or labels in it.
    """
    names = prescribed_names(group)
    for held in _ome_attributes(group):
        wells, labels = member(held.get("plate"), "wells"), held.get("labels")
        paths = [member(one, "path") for one in wells] if isinstance(wells, list) else []
        paths += labels if isinstance(labels, list) else []
        names |= {one.strip("/").split("/")[0] for one in paths if isinstance(one, str)}
        # an image may have them, which nothing says
        names |= {"labels"} if isinstance(held.get("multiscales"), list) else set()
        if "bioformats2raw.layout" in held:
            names |= {"OME", *map(str, range(MOST_SERIES))}
    above = None if group.parent is None else group.hierarchy.node_if_loaded(group.parent)
    for name in () if above is None else level_names(above.attributes):
        first, _, rest = name.partition("/")
        names |= {rest.split("/")[0]} if first == group.name else set()
    return names - {"", ".", ".."}


def _ome_attributes(group: Node) -> tuple[Mapping[str, Any], ...]:
    """Return where metadata of OME-NGFF may be: among the attributes, since 0.5 below ``ome``."""
    inside = group.attributes.get("ome")
    return (group.attributes, inside) if isinstance(inside, Mapping) else (group.attributes,)


def _columns(group: Group) -> set[str]:
    """Return the names of columns where a group is a row of a plate."""
    plate = None if group.parent is None else group.hierarchy.node_if_loaded(group.parent)
    if plate is None:
        return set()
    found = set()
    for held in _ome_attributes(plate):
        wells = member(held.get("plate"), "wells")
        for well in wells if isinstance(wells, list) else ():
            row, _, column = str(member(well, "path")).partition("/")
            if row == group.name:
                found.add(column)
    return found


def _tile_matrices(given: Mapping[str, Any]) -> list[Any]:
    """Return the names of levels; limits, which some of them may have, say nothing of the others."""
    matrix_set = given.get("tile_matrix_set")
    names: list[Any] = []
    if isinstance(matrix_set, Mapping):
        matrices = matrix_set.get("tileMatrices", matrix_set.get("tileMatrix"))
        if isinstance(matrices, list):
            names += [level_name(identifier(one)) for one in matrices]
    elif isinstance(matrix_set, str):
        # of a set that is known by name, the levels are called by number
        names = [str(number) for number in range(31)]
    return names


def identifier(matrix: Any) -> Any:
    """Return the id of a tile matrix, in either version of the standard.

    Parameters
    ----------
    matrix : object
        A tile matrix.
    """
    found = member(matrix, "id")
    return member(matrix, "identifier") if found is None else found


def level_name(given: Any) -> str | None:
    """Return the level that the id of a tile matrix means; that of a number, which it must not be, is its digits.

    Parameters
    ----------
    given : object
        The id.
    """
    if isinstance(given, float) and given.is_integer():
        given = int(given)
    return str(given) if type(given) in (str, int) else None


def member(value: Any, name: str) -> Any:
    """Return a member of an object, None where there is no object.

    Parameters
    ----------
    value : object
        A JSON value.
    name : str
        Name of the member.
    """
    return value.get(name) if isinstance(value, Mapping) else None
