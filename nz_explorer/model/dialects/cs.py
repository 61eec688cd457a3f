"""The cs convention: coordinate systems that metadata describe, parsed and put together.

Source: https://github.com/R-CF/zarr_conventions_cs. Four revisions share one URL and are distinguished by their form:
``r1`` has a list of axes with a direction each; in ``r2`` sets of coordinates have the direction;
in ``r3`` axes are an object by name, times have ``unit`` and ``epoch``; in ``r4`` reference systems have a ``type``.
All are read alike here. What came before them had no reference systems, and is only recognised.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

from nz_explorer.documents import pointers
from nz_explorer.documents.json_text import json_text
from nz_explorer.model.array import Array
from nz_explorer.model.dialects.ref import DEEPEST, Reference, is_given, is_reference, resolve
from nz_explorer.model.group import Group
from nz_explorer.model.node import Node

if TYPE_CHECKING:
    from nz_explorer.store import Cancellation

Kind = Literal["regular", "explicit", "external", "ordinal", "unknown"]
Place = tuple[str | int, ...]
"""Members that lead to something in the attributes of a node."""

LOOKED_AT = 256
"""Nodes among which arrays are looked for that refer to a system, where whoever finds fault with it asks once for each of these."""

ABBREVIATIONS = ("X", "Y", "Z", "T")
_SINCE = re.compile(r"\s*\S+\s+since\s+\S", re.IGNORECASE)
_UNITS = {
    "s": "seconds",
    "sec": "seconds",
    "m": "minutes",  # by the text; CF means metres
    "min": "minutes",
    "h": "hours",
    "hr": "hours",
    "d": "days",
    "y": "years",
    "yr": "years",
}


@dataclass(frozen=True, slots=True)
class _Described:
    """A part of a coordinate system, and where it is described.

    Attributes
    ----------
    given : Any
        The object in the metadata.
    place : tuple
        Its place in the attributes of `home`.
    home : Node
        The node in whose attributes it is.
    base : Node
        Where relative paths in it begin: the array that refers to it, where a group keeps it.
    """

    given: Any
    place: Place
    home: Node
    base: Node

    def pointer(self, *members: str | int) -> str:
        """Return the pointer to it or to one of its members, in the documents of `home`."""
        return self.home.attribute_pointer(*self.place, *members)

    def follow(self, reference: Any, cancel: Cancellation | None = None) -> Reference:
        """Follow a reference in it."""
        return resolve(reference, self.home, cancel, base=self.base)


@dataclass(frozen=True, slots=True)
class CoordinateSet(_Described):
    """One set of coordinates of an axis.

    Attributes
    ----------
    given : mapping
        The object in the metadata.
    direction : Any
        Its own, or that of its axis.
    kind : str
        How values are given; ``ordinal`` where there are none.
    """

    given: Mapping[str, Any]
    direction: Any
    kind: Kind

    @property
    def name(self) -> str | None:
        """What distinguishes it from other sets of the axis."""
        name = self.given.get("name")
        return name if isinstance(name, str) else None

    @property
    def values(self) -> Any:
        """How its values are given, as in the metadata."""
        values = self.given.get("values")
        return values.get(self.kind) if isinstance(values, Mapping) else None

    @property
    def unit(self) -> str | None:
        """Its unit as text; of the uom convention the UCUM code."""
        unit = self.given.get("unit")
        if isinstance(unit, Mapping):
            inner = unit.get("uom", unit)
            code = inner.get("ucum", inner.get("unit")) if isinstance(inner, Mapping) else None
            unit = code.get("unit") if isinstance(code, Mapping) else code
        return unit if isinstance(unit, str) else None

    @property
    def cf_attributes(self) -> dict[str, Any]:
        """Units and calendar as CF has them, with attributes of the set's own."""
        own = self.given.get("attributes")
        attributes = dict(own) if isinstance(own, Mapping) else {}
        if (units := time_units(self.given.get("time"))) is not None:
            attributes["units"] = units
            calendar = self.given["time"].get("calendar")
            if isinstance(calendar, str):
                attributes["calendar"] = calendar
        elif self.unit is not None:
            attributes["units"] = self.unit
        return attributes

    def external(self, cancel: Cancellation | None = None) -> Array | None:
        """Return the array that holds its values, None where there is none that can be found."""
        return self.follow(self.values, cancel).array if self.kind == "external" else None

    @property
    def extents(self) -> tuple[float, float] | None:
        """How far a cell reaches below and above its coordinate, None where that is not constant."""
        boundaries = self.given.get("boundaries")
        regular = boundaries.get("regular") if isinstance(boundaries, Mapping) else None
        pair = numbers(regular, 2)
        return None if pair is None else (pair[0], pair[1])

    def bounds(self, cancel: Cancellation | None = None) -> Array | None:
        """Return the array that holds the limits of its cells, None where there is none."""
        boundaries = self.given.get("boundaries")
        given = boundaries.get("external") if isinstance(boundaries, Mapping) else None
        return None if given is None else self.follow(given, cancel).array


@dataclass(frozen=True, slots=True)
class Axis(_Described):
    """An axis of a reference system.

    Attributes
    ----------
    given : mapping
        The object in the metadata.
    name : str or None
        The dimension that it belongs to.
    sets : tuple of CoordinateSet
        Its coordinates; none for an ordinal axis.
    """

    given: Mapping[str, Any]
    name: str | None
    sets: tuple[CoordinateSet, ...]

    @property
    def abbreviation(self) -> Any:
        """``X``, ``Y``, ``Z`` or ``T``."""
        return self.given.get("abbreviation")

    def length(self) -> int | None:
        """Return how many coordinates it has, as far as its own metadata give it."""
        for one in self.sets:
            if one.kind == "explicit" and isinstance(one.values, list):
                return len(one.values)
            if (array := one.external()) is not None and array.shape:
                return array.shape[0]
        return None


@dataclass(frozen=True, slots=True)
class Crs(_Described):
    """A reference system: some axes that belong together.

    Attributes
    ----------
    axes : tuple of Axis
        Its axes, as far as they can be understood.
    reference : Reference or None
        The reference that leads to it, if it is in another node.
    problem : str or None
        Why there is none.
    at : tuple
        Members that lead to what is wrong, from the object.
    cycle : bool
        Whether that is because references come to no end.
    """

    axes: tuple[Axis, ...] = ()
    reference: Reference | None = None
    problem: str | None = None
    at: Place = ()
    cycle: bool = False

    @property
    def name(self) -> str | None:
        """What it is called."""
        name = self.given.get("name") if isinstance(self.given, Mapping) else None
        return name if isinstance(name, str) else None

    @property
    def is_shared(self) -> bool:
        """Whether a group keeps it for arrays, in its attribute ``crs``."""
        return isinstance(self.home, Group) and self.place[:1] == ("crs",) and len(self.place) == 2


@dataclass(frozen=True, slots=True)
class CoordinateSystem:
    """The reference systems of an array, put together.

    Attributes
    ----------
    array : Array
        The array.
    given : Any
        Its attribute ``cs``.
    crs : tuple of Crs
        The entry of the list, with references resolved.
    """

    array: Array
    given: Any
    crs: tuple[Crs, ...]

    @property
    def axes(self) -> list[Axis]:
        """All axes, in the order of the list."""
        return [axis for crs in self.crs for axis in crs.axes]

    @property
    def names(self) -> tuple[str | None, ...] | None:
        """Names of the dimensions of the array, None where it has some without names."""
        return self.array.dimension_names if self.array.ndim else ()

    @property
    def dimensions(self) -> list[Axis | None]:
        """By dimension of the array, in its order: the axis of that name."""
        named = {axis.name: axis for axis in reversed(self.axes)}
        return [named.get(name) for name in self.names or ()]

    @property
    def extra(self) -> list[Axis]:
        """Axes of single values that are no dimension of the array, as far as its dimensions have names."""
        names = self.names
        return [] if names is None else [axis for axis in self.axes if axis.name not in names]


def coordinate_system(array: Array, cancel: Cancellation | None = None) -> CoordinateSystem | None:
    """Return the coordinate system that an array describes, None where it describes none.

    Parameters
    ----------
    array : Array
        The array.
    cancel : Cancellation, optional
        Stops following references.
    """
    given = array.attributes.get("cs")
    if given is None:
        return None
    entries = given.get("crs") if isinstance(given, Mapping) else None
    found = tuple(
        _followed(entry, ("cs", "crs", i), array, cancel)
        for i, entry in enumerate(entries if isinstance(entries, list) else ())
    )
    return CoordinateSystem(array, given, found)


def shared_systems(group: Group) -> list[tuple[str, Crs]]:
    """Return the reference systems that a group keeps for arrays, by key."""
    given = group.attributes.get("crs")
    if not isinstance(given, Mapping):
        return []
    return [(key, _crs(value, ("crs", key), group, group)) for key, value in given.items()]


def users(group: Group, system: str, most: int | None = None) -> list[Array]:
    """Return the arrays that refer to a system that a group keeps, wherever they are.

    Parameters
    ----------
    group : Group
        The group.
    system : str
        RFC 6901 pointer to the system, in the document of the group.
    most : int, optional
        Nodes among which they are looked for, the first ones of the store; all by default.
    """
    looked_at = islice(group.hierarchy.walk(), most)
    return [one for one in looked_at if isinstance(one, Array) and uses(one, group, system)]


def uses(array: Array, group: Group, system: str) -> bool:
    """Whether an array refers to a system that a group keeps.

    Parameters
    ----------
    array : Array
        The array.
    group : Group
        The group.
    system : str
        RFC 6901 pointer to the system, in the document of the group.
    """
    found = coordinate_system(array)
    return found is not None and any(
        crs.home.path == group.path and crs.pointer() == system for crs in found.crs
    )


def is_cs(value: Any) -> bool:
    """Whether a value of the attribute ``cs`` is that of this convention."""
    return isinstance(value, Mapping) and "crs" in value


def is_first_form(value: Any) -> bool:
    """Whether a value of the attribute ``cs`` is what the convention had before there were reference systems."""
    return (
        isinstance(value, Mapping)
        and "crs" not in value
        and bool(value.keys() & {"axes", "composite"})
    )


def is_shared(value: Any) -> bool:
    """Whether a value of the attribute ``crs`` of a group is that of this convention."""
    return isinstance(value, Mapping) and any(
        isinstance(one, Mapping) and "axes" in one for one in value.values()
    )


def is_system(value: Any) -> bool:
    """Whether a value of the attribute ``crs`` is one reference system, which is to have a name there."""
    axes = value.get("axes") if isinstance(value, Mapping) else None
    axes = list(axes.values()) if isinstance(axes, Mapping) else axes
    return isinstance(axes, list) and bool(axes) and all(isinstance(one, Mapping) for one in axes)


def is_by_name(system: Any) -> bool:
    """Whether the axes of a reference system are an object by name, as the reader of the author of cs wants them."""
    return isinstance(system, Mapping) and isinstance(system.get("axes"), Mapping)


def _followed(entry: Any, place: Place, array: Array, cancel: Cancellation | None) -> Crs:
    """Return what an entry of the list is, following references."""
    if not is_reference(entry):
        return _crs(entry, place, array, array)
    home: Node = array
    first: Reference | None = None
    seen: set[tuple[str, str]] = set()
    given = entry
    problem = f"there are more than {DEEPEST} references in a row"
    for _ in range(DEEPEST):
        reference = resolve(given, home, cancel)
        first = first or reference
        if not reference.targets:
            told = reference if reference.kind == "uri" else first  # which may be right itself
            return Crs(entry, place, array, array, reference=told, problem=reference.problem)
        target = reference.targets[0]
        step = (target.node.path, target.pointer)
        if step in seen:
            problem = "the references are circular"
            break
        seen.add(step)
        if not is_reference(target.value):
            inside = tuple(pointers.split(target.pointer)[1:])
            # axes that are a list are of texts that begin at the group, and nobody reads them
            kept = isinstance(target.node, Group) and is_by_name(target.value)
            found = _crs(target.value, inside, target.node, array if kept else target.node)
            return dataclasses.replace(found, reference=first)
        given, home = target.value, target.node
    return Crs(entry, place, array, array, reference=first, problem=problem, cycle=True)


def _crs(given: Any, place: Place, home: Node, base: Node) -> Crs:
    if not isinstance(given, Mapping):
        return Crs(given, place, home, base, problem="it is not an object")
    if "axes" not in given:
        return Crs(given, place, home, base, problem="it has no axes")
    axes = given["axes"]
    if isinstance(axes, Mapping):
        pairs: Iterator[tuple[str | int, Any]] = iter(axes.items())
    elif isinstance(axes, list):
        pairs = iter(enumerate(axes))
    else:
        why = f"axes must be an object of axes by name, got {json_text(axes)}"
        return Crs(given, place, home, base, problem=why, at=("axes",))
    if not axes:
        return Crs(given, place, home, base, problem="axes are empty", at=("axes",))
    listed = list(pairs)
    found = tuple(
        _axis(value, key, (*place, "axes", key), home, base)
        for key, value in listed
        if is_given(value)
    )
    odd = next((key for key, value in listed if not is_given(value)), None)
    if odd is None:
        return Crs(given, place, home, base, found)
    wrong = dict(listed)[odd]
    what = "an axis, and only whole systems are referred to" if is_reference(wrong) else "an object"
    why = f"axis {json_text(odd)} is {json_text(wrong)}, not {what}"
    return Crs(given, place, home, base, found, problem=why, at=("axes", odd))


def _axis(given: Mapping[str, Any], key: str | int, place: Place, home: Node, base: Node) -> Axis:
    name = key if isinstance(key, str) else given.get("name")
    coordinates = given.get("coordinates")
    sets = tuple(
        CoordinateSet(
            one,
            (*place, "coordinates", i),
            home,
            base,
            one.get("direction", given.get("direction")),
            _kind(one.get("values")),
        )
        for i, one in enumerate(coordinates if isinstance(coordinates, list) else ())
        if isinstance(one, Mapping)
    )
    return Axis(given, place, home, base, name if isinstance(name, str) else None, sets)


def _kind(values: Any) -> Kind:
    if isinstance(values, Mapping):
        for kind in ("regular", "explicit", "external"):
            if kind in values:
                return kind
    return "unknown"


def time_units(time: Any) -> str | None:
    """Return the units of a time as CF writes them, such as ``days since 1850-01-01``; None where there are none."""
    if not isinstance(time, Mapping):
        return None
    reference = time.get("reference")
    if isinstance(reference, str) and _SINCE.match(reference):
        return reference
    unit, epoch = time.get("unit"), time.get("epoch")
    if isinstance(unit, str) and isinstance(epoch, str) and unit and epoch:
        return f"{_UNITS.get(unit, unit)} since {epoch}"
    return None


def numbers(given: Any, count: int) -> tuple[float, ...] | None:
    """Return a list of so many finite numbers, None where it is none.

    Parameters
    ----------
    given : object
        A JSON value.
    count : int
        How many numbers there must be.
    """
    if not isinstance(given, list) or len(given) != count:
        return None
    if not all(isinstance(item, int | float) and not isinstance(item, bool) for item in given):
        return None
    try:
        found = tuple(float(item) for item in given)
    except OverflowError:  # JSON has integers of any size
        return None
    return found if all(math.isfinite(item) for item in found) else None
