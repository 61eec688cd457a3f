"""Names for the dimensions of an array that has none, from what is beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, count, permutations
from typing import Any

from nz_explorer.engine.fixes import Draft, add, set_attribute
from nz_explorer.model import Array, Group, Node, paths
from nz_explorer.model.dialects import images, multiscales, nczarr
from nz_explorer.model.dialects.cs import Axis, coordinate_system
from nz_explorer.text.phrases import listed

MADE_UP = "dim_"
"""What names begin with that nothing suggests; xarray calls its own so."""

MOST_PERMUTED = 6
"""Axes that are tried in every order."""

MOST_LEVELS = 32
"""Levels of a pyramid in which names are looked for."""

Layout = tuple[tuple[str | None, ...] | None, tuple[int, ...] | None]
"""Names and lengths of the dimensions of an array; many arrays of a group have the same."""

_MOST_NAMES = 8
"""Of how many names, where that is too many, it is tried which are meant."""


def suggested_names(array: Array) -> tuple[list[str], bool]:
    """Return names for the dimensions of an array, and whether its own metadata give them.

    Looked for in what it says itself (`names_given`), in its consolidated entry, in what netCDF-C noted, in the axes of an
    OME-Zarr image, in ``spatial:dimensions`` of itself and the groups above, in the axes of cs, in its own name where an array beside it has
    such a dimension, in an array beside it of the same shape, in the other levels of a pyramid, and in the one-dimensional
    arrays beside it of the right lengths.

    Parameters
    ----------
    array : Array
        The array; its shape is sound.

    Returns
    -------
    tuple of (list of str, bool)
        A name for each dimension, and whether these need not be checked.
    """
    shape = array.shape or ()
    if (given := names_given(array)) is not None:
        return given[1], True
    noted = [reference.rpartition("/")[2] for reference in array.dimension_references or ()]
    if named := _names_in_entry(array) or (noted if all(noted) else []):
        return named, True
    if len(shape) == 1 and nczarr.is_scalar(array):
        return [nczarr.SCALAR_DIMENSION], True
    if (level := images.image_level(array)) is not None:
        return list(level.names), True
    group = None if array.parent is None else array.hierarchy.node_if_loaded(array.parent)
    if group is not None and (axes := images.axis_names(group.attributes, len(shape))):
        return axes, True
    spatial = _spatial_dimensions(array)
    if len(spatial) == len(shape):
        return spatial, True
    orders = _orders_of_axes(array)
    if len(orders) == 1:
        return orders[0], False
    beside_it = group if isinstance(group, Group) else None
    layouts = [*beside_it.layouts] if beside_it is not None else []
    if beside := _names_beside(array, layouts, orders):
        return beside, False
    if orders:
        return orders[0], False
    if of_levels := _names_of_levels(array):
        return of_levels, False
    names_by_length = _coordinates(beside_it)
    guessed = [
        found[0]
        if len(found := names_by_length.get(length, [])) == 1 and shape.count(length) == 1
        else made_up
        for length, made_up in zip(shape, _made_up(array, layouts), strict=True)
    ]
    # of an array with more dimensions than these the last ones, as rasters have them
    return guessed[: -len(spatial)] + spatial if 0 < len(spatial) < len(shape) else guessed, False


def _coordinates(group: Group | None) -> dict[int, list[str]]:
    """Return the names of the arrays that have the name of their only dimension, by its length."""
    found: dict[int, list[str]] = {}
    for array in group.coordinates.values() if group is not None else ():
        if array.shape is not None:
            found.setdefault(array.shape[0], []).append(array.name)
    return found


_MEANT = frozenset(("arraydimension", "dimensionname"))
"""What names of dimensions are given under, in any case, with or without underscores and the s at the end."""


def names_given(array: Array) -> tuple[str, list[str]] | None:
    """Return what an array calls its dimensions under any name, and where; None where it does not.

    Parameters
    ----------
    array : Array
        The array; its shape is sound.

    Returns
    -------
    tuple of (str, list of str), optional
        A pointer, and a name for each dimension.
    """
    for members, pointer in (
        (array.attributes, array.attribute_pointer),
        (array.metadata, array.pointer),
    ):
        ranked = sorted(members, key=("_ARRAY_DIMENSIONS", "dimension_names").__contains__)
        for member in reversed(ranked):
            own = members[member]
            named = isinstance(own, list) and all(isinstance(n, str) and n for n in own)
            plain = member.lower().replace("_", "").removesuffix("s")
            if named and plain in _MEANT and len(own) == len(array.shape or ()):
                return pointer(member), own
    return None


def names_left(array: Array, given: Sequence[Any]) -> list[str] | None:
    """Return those of too many names that can be the dimensions of an array; None where others can be, too.

    They are known by the lengths that they have in the arrays beside it; nothing else tells which is too many.

    Parameters
    ----------
    array : Array
        The array; its shape is sound.
    given : sequence
        Its list of names, which is longer than the shape.
    """
    shape = array.shape or ()
    names = [name for name in given if isinstance(name, str) and name]
    if len(names) == len(shape) == len({*names}):
        return names
    group = array.hierarchy.node_if_loaded(array.parent or "/")
    lengths: dict[str | None, set[int]] = {}
    for other in group.arrays if isinstance(group, Group) else ():
        for name, length in zip(other.dimension_names or (), other.shape or (), strict=False):
            if other is not array:
                lengths.setdefault(name, set()).add(length)
    if len(names) > _MOST_NAMES or lengths.keys().isdisjoint(names):
        return None
    fitting = {
        some: sum(name in lengths for name in some)
        for some in combinations(names, len(shape))
        if len({*some}) == len(some)
        and all(
            length in lengths.get(name, (length,)) for name, length in zip(some, shape, strict=True)
        )
    }
    likely = [some for some, known in fitting.items() if known == max(fitting.values())]
    return [*likely[0]] if len(likely) == 1 else None


def _names_in_entry(array: Array) -> list[str]:
    """Return the names in the consolidated metadata, by which readers go where the document of the array has lost them."""
    consolidated = array.hierarchy.consolidated
    if consolidated is None:
        return []
    document, member = (
        (".zattrs", "_ARRAY_DIMENSIONS")
        if consolidated.zarr_format == 2
        else ("zarr.json", "dimension_names")
    )
    entry = consolidated.entry(array.path, document)
    names = entry.get(member) if isinstance(entry, Mapping) else None
    if not isinstance(names, list) or len(names) != len(array.shape or ()):
        return []
    return list(names) if all(isinstance(name, str) and name for name in names) else []


def _orders_of_axes(array: Array) -> list[list[str]]:
    """Return the orders in which the axes of cs may be the dimensions of an array, the likeliest first; none where nothing tells it."""
    system = coordinate_system(array) if array.zarr_format == 3 else None
    shape, axes = array.shape or (), [] if system is None else list(system.axes)
    if len(axes) != len(shape):  # single values need no dimension
        axes = [axis for axis in axes if axis.length() != 1]
    names = {axis.name for axis in axes if axis.name}
    if not axes or not len(axes) == len(shape) == len(names):
        return []
    own = array.dimension_names or (None,) * len(shape)

    def fits(order: Sequence[Axis]) -> bool:
        return all(
            axis.length() in (None, length) and (not name or name == axis.name)
            for axis, length, name in zip(order, shape, own, strict=True)
        )

    usual = sorted(axes, key=lambda axis: "TZYX".find(str(axis.abbreviation or "?")))
    likely = [order for order in (usual, axes) if fits(order)]
    if len(axes) <= MOST_PERMUTED:
        others = [list(order) for order in permutations(axes) if fits(order)]
        likely = others if len(others) == 1 else [*likely, *others] if likely else []
    return [[str(axis.name) for axis in order] for order in likely]


def _names_beside(
    array: Array, layouts: Sequence[Layout], orders: Sequence[list[str]]
) -> list[str] | None:
    """Return the names that arrays beside an array tell for all of its dimensions; None where they tell none."""
    shape = array.shape or ()
    if len(shape) == 1:  # the coordinate of a dimension that others have is along it
        own = (array.name, shape[0])
        if any(
            own in [*zip(names or (), lengths or (), strict=False)] for names, lengths in layouts
        ):
            return [array.name]
    for given, lengths in layouts:
        names = [str(name) for name in given or () if name]
        if lengths == shape and len(names) == len(shape) and names in (orders or [names]):
            return names
    return None


def _names_of_levels(array: Array) -> list[str] | None:
    """Return the names that the same array has in another level of the pyramid that it is in; None where it has none there."""
    for name, levels in multiscales.levels_above(array):
        around = [one for one in levels if not one or f"{name}/".startswith(f"{one}/")]
        if not around:
            continue
        own = max(around, key=len)
        rest = name.removeprefix(own).strip("/")
        # levels that are arrays are beside each other, where a name has one length
        for one in levels[:MOST_LEVELS] if rest else ():
            place = "/".join(filter(None, (one, rest)))
            other = array.hierarchy.get(array.path.removesuffix(name) + place)
            names = other.dimension_names if isinstance(other, Array) and one != own else None
            if names and all(names) and len(names) == array.ndim:
                return [str(one) for one in names]
    return None


def _made_up(array: Array, layouts: Sequence[Layout]) -> list[str]:
    """Return a name for each dimension: the same that nameless ones of that length beside it get, and that no other has."""
    own = (array.dimension_names, array.shape)
    beside = layouts if own in layouts else [*layouts, own]
    taken = {name for names, _ in beside for name in names or ()}
    free = (other for number in count() if (other := f"{MADE_UP}{number}") not in taken)
    made: dict[tuple[int, int], str] = {}
    for layout in beside:
        for _, key, name in _to_name(layout):
            if name:
                made.setdefault(key, name)
    for layout in beside:
        for axis, key, _ in _to_name(layout):
            if key not in made:
                usual = f"{MADE_UP}{axis}"
                made[key] = usual if usual not in taken else next(free)
                taken.add(made[key])
    of_axes = {axis: made[key] for axis, key, _ in _to_name(own)}
    return [of_axes.get(axis, f"{MADE_UP}{axis}") for axis in range(array.ndim or 0)]


def _to_name(layout: Layout) -> Iterator[tuple[int, tuple[int, int], str | None]]:
    """Yield dimensions without a name, or with one that was made up: its length and how many of that length came before."""
    seen: dict[int, int] = {}
    lengths = layout[1] or ()
    names = layout[0] or (None,) * len(lengths)
    for axis, (length, name) in enumerate(zip(lengths, names, strict=False)):
        if not name or name.startswith(MADE_UP):
            yield axis, (length, seen.get(length, 0)), name
            seen[length] = seen.get(length, 0) + 1


def _spatial_dimensions(array: Array) -> list[str]:
    """Return what the convention spatial: says of the dimensions of an array, at itself or the nearest group that says it."""
    for path in (array.path, *paths.all_above(array.path)):
        node = array.hierarchy.node_if_loaded(path)
        given = None if node is None else node.attributes.get("spatial:dimensions")
        if isinstance(given, list):
            sound = all(isinstance(name, str) and name for name in given)
            return given if sound and len({*given}) == len(given) else []
    return []


def add_names(node: Node) -> Draft | None:
    """Make the fix that gives all dimensions of an array names; None where its shape is not known.

    Parameters
    ----------
    node : Node
        The array; its shape is sound.
    """
    if not isinstance(node, Array) or node.shape is None:
        return None
    names, certain = suggested_names(node)
    note = None if certain else where_from(names, node)
    if node.zarr_format == 2:
        return Draft("suggest", set_attribute(node, "_ARRAY_DIMENSIONS", names), note)
    return Draft("safe" if certain else "suggest", (add("/dimension_names", names),), note)


def where_from(names: Sequence[str], array: Array) -> str:
    """Return where suggested names that have to be checked come from.

    Parameters
    ----------
    names : sequence of str
        Those that `suggested_names` returned, or some of them.
    array : Array
        The array.
    """
    them = "the name" if len(names) == 1 else "the names"
    if {*names} <= {name for order in _orders_of_axes(array) for name in order}:
        of = "an axis" if len(names) == 1 else "the axes"
        return f"{them} of {of} of cs, in the order of the shape where that tells it: check {them}"
    if {*names} <= {*(_names_of_levels(array) or ())}:
        return f"{them} that other levels of the pyramid have: check {them}"
    made_up = [name for name in names if name.startswith(MADE_UP)]
    if not made_up:
        return f"guessed from other arrays in the group: check {them}"
    if len(made_up) < len(names):
        return f"{listed(made_up)} made up, the rest guessed from other arrays in the group: check {them}"
    better = "a better one" if len(names) == 1 else "better ones"
    return f"made up, as nothing in the group tells {them}: choose {better}"
