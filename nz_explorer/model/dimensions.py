"""The dimension table: which dimensions the arrays of a group share (NZ-1.0, Dimension).

A label belongs to the group that contains the arrays; the same label in another group is another
dimension.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from nz_explorer.model.array import Array
from nz_explorer.model.dialects import nczarr
from nz_explorer.model.group import Group
from nz_explorer.model.paths import all_above, below


@dataclass(frozen=True, slots=True)
class Use:
    """One axis of one array."""

    array: Array
    axis: int
    length: int


@dataclass(slots=True)
class Dimension:
    """A dimension of a group.

    Attributes
    ----------
    name : str or None
        Its label; None for one that has none, which then belongs to a single axis.
    uses : list of Use
        Every axis that runs along it.
    candidate : Array or None
        The array that is its coordinate if its values are strictly monotonic: named like it, with it
        as the only dimension.
    namesake : Array or None
        An array of that name which cannot be its coordinate.
    reference : str or None
        Where netCDF-C noted it: its name with the group that declares it, such as ``/g1/lon``, where all
        uses agree in that.
    unlimited : bool
        Whether it can grow, which only netCDF-C marks.
    """

    name: str | None
    uses: list[Use] = field(default_factory=list)
    candidate: Array | None = None
    namesake: Array | None = None
    reference: str | None = None
    unlimited: bool = False

    @property
    def lengths(self) -> dict[int, list[Array]]:
        """The arrays by the length they give it, the most frequent length first."""
        found: dict[int, list[Array]] = {}
        for use in self.uses:
            arrays = found.setdefault(use.length, [])
            if use.array not in arrays:
                arrays.append(use.array)
        return dict(sorted(found.items(), key=lambda item: -len(item[1])))

    @property
    def conflict(self) -> bool:
        """Whether arrays disagree about its length."""
        return len({use.length for use in self.uses}) > 1


def dimension_table(arrays: Iterable[Array]) -> list[Dimension]:
    """Return the dimensions of some arrays of one group, in the order in which they appear.

    Parameters
    ----------
    arrays : iterable of Array
        All arrays directly in the group, or one of them for its own dimensions.
    """
    named: dict[str, Dimension] = {}
    anonymous: list[Dimension] = []
    arrays = list(arrays)
    for array in arrays:
        shape, names = array.shape, array.dimension_names
        for axis, length in enumerate(shape or ()):
            name = None if names is None else names[axis]
            if name:
                named.setdefault(name, Dimension(name)).uses.append(Use(array, axis, length))
            else:
                anonymous.append(Dimension(None, [Use(array, axis, length)]))
    for array in arrays:
        dimension = named.get(array.name)
        if dimension is not None:
            if is_candidate(array):
                dimension.candidate = array
            else:
                dimension.namesake = array
    for dimension in named.values():
        if dimension.uses[0].array.zarr_format == 2:
            _look_up(dimension)
    return [*named.values(), *anonymous]


def _look_up(dimension: Dimension) -> None:
    """Add what netCDF-C noted of a dimension."""
    references = {_reference(use) for use in dimension.uses}
    if len(references) == 1 and (reference := references.pop()) is not None:
        dimension.reference = reference
        found = nczarr.dimension(dimension.uses[0].array.hierarchy, reference)
        dimension.unlimited = found is not None and found[1].unlimited


def _reference(use: Use) -> str | None:
    references = use.array.dimension_references
    return None if references is None else references[use.axis]


def unlike_above(group: Group) -> Iterator[tuple[str, int, Array, int]]:
    """Yield dimensions of a group whose length is not that of their name in the nearest group above that has it.

    Parameters
    ----------
    group : Group
        The group. Groups above are looked at as far as they are loaded.

    Yields
    ------
    tuple of str, int, Array and int
        The dimension, its length in the group, an array above with that dimension, the coordinate where there is one, and the
        length there.
    """
    lengths = {name: length for name, (length, _) in _lengths(group).items()}
    for path in all_above(group.path) if lengths else ():
        above = group.hierarchy.node_if_loaded(path)
        there = _lengths(above) if isinstance(above, Group) else {}
        for name in list(lengths):
            coordinate = group.hierarchy.node_if_loaded(below(path) + name)
            if isinstance(coordinate, Array) and is_candidate(coordinate):
                length = lengths.pop(name)
                match coordinate.shape:  # missing or longer in documents that are not valid
                    case (other,) if other != length:
                        yield name, length, coordinate, other
            elif name in there:
                length, (other, array) = lengths.pop(name), there[name]
                if other != length:
                    yield name, length, array, other


def _lengths(group: Group) -> dict[str, tuple[int, Array]]:
    """Return the lengths of the dimensions of a group, each with the first array that has it."""
    found: dict[str, tuple[int, Array]] = {}
    for (names, shape), arrays in group.layouts.items():
        for name, length in zip(names or (), shape or (), strict=False):
            if name and "/" not in name:
                found.setdefault(name, (length, arrays[0]))
    return found


def same_above(group: Group) -> Iterator[tuple[Array, Array]]:
    """Yield coordinates of a group with the nearest one of their name above it, where both are as long and stored alike.

    Parameters
    ----------
    group : Group
        The group. Groups above are looked at as far as they are loaded.
    """
    own = dict(group.coordinates)
    for path in all_above(group.path) if own else ():
        for name in list(own):
            coordinate = group.hierarchy.node_if_loaded(below(path) + name)
            if isinstance(coordinate, Array) and is_candidate(coordinate):
                array = own.pop(name)
                if array.shape == coordinate.shape and all(
                    array.attributes.get(key) == coordinate.attributes.get(key) for key in MEANING
                ):
                    yield array, coordinate


MEANING = ("units", "calendar", "scale_factor", "add_offset", "_FillValue")
"""Attributes by which equal numbers may be different values, and different numbers equal values."""


def is_candidate(array: Array) -> bool:
    """Whether an array is a dimension coordinate if only its values allow it.

    Its name is that of its only dimension (NZ-1.0, Dimension Coordinate Array).
    """
    return array.named_like_dimension
