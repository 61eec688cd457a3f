"""CS: the arrays with positions: what they say of themselves, and whether they are those that x and y should name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from nz_explorer.conventions.cs.axis_coordinates import has_no_numbers
from nz_explorer.conventions.cs.positions.systems import HELD, KINDS
from nz_explorer.documents.json_text import json_text
from nz_explorer.documents.pointers import join
from nz_explorer.engine.findings import Fail, RuleOutput
from nz_explorer.engine.fixes import Draft, plain, replace
from nz_explorer.model import Array, Node
from nz_explorer.model.dialects.ref import Reference
from nz_explorer.text.phrases import listed
from nz_explorer.text.units import hemispheres

DIRECTIONS = ("x", "y")
Follow = Callable[[Any], Reference]
"""Returns where a reference leads."""

_CALLED = re.compile(
    r"(?<![^_])[a-z]?(?:(lon(?:g|gitude)?s?|easting|x)|lat(?:itude)?s?|northing|y)(?![^_])",
    re.IGNORECASE,
)
"""Words in the names of arrays that have longitudes or eastings, the group, or latitudes or northings, such as in nav_lat."""

_METRES = ("m", "metre", "metres", "meter", "meters", "km")
"""Units that no longitude or latitude has."""


def are_positions(reference: Reference, at: str) -> RuleOutput:
    """Judge whether a reference leads to an array, and that to numbers.

    Parameters
    ----------
    reference : Reference
        What x or y of the positions is.
    at : str
        RFC 6901 pointer to it.
    """
    found = reference.array
    if reference.no_array is not None:
        what, needed = f"{reference.no_array} is not an array", "positions are the values of arrays"
    elif found is not None and has_no_numbers(found):
        what, needed = f"{found.path} has {found.data_type.text}", "positions are real numbers"
    else:
        return  # of one that leads nowhere judge_reference tells
    yield Fail(
        at,
        f"{what}; {needed}",
        related=tuple(target.node.path for target in reference.targets[:1]),
        rule="CS-GEO-001",
    )


def swapped(
    follow: Follow, pair: Mapping[str, Any], kind: str, entry: str | None, at: str
) -> RuleOutput:
    """Judge whether x names an array that says of itself that it has what y should name, or the other way round.

    Parameters
    ----------
    follow : callable
        Returns where a reference leads.
    pair : mapping
        The references x and y.
    kind : str
        ``geodetic`` or ``planar``.
    entry : str or None
        RFC 6901 pointer to what leads to the positions, where another node has them.
    at : str
        RFC 6901 pointer to the pair.
    """
    found = {direction: follow(pair[direction]) for direction in DIRECTIONS}
    names = {direction: _named(reference) for direction, reference in found.items()}
    arrays = {one: array for one, reference in found.items() if (array := reference.array)}
    wrong = [one for one, array in arrays.items() if _runs(array) not in (None, one)]
    called = not any(map(_runs, arrays.values())) and [*map(_called, found.values())] == ["y", "x"]
    wrong = list(DIRECTIONS) if called else wrong
    if not wrong:
        yield from _unfit(arrays, names, kind, entry, at)
        return
    wanted = {
        "geodetic": "x is longitude, and y latitude",
        "planar": "x is easting, and y northing",
    }[kind]
    named = " and ".join(f"{one} names {names[one]}" for one in wrong)
    own = "their names" if called else "their own units or standard names"
    right = (
        replace(join(at, "x"), plain(pair["y"])),
        replace(join(at, "y"), plain(pair["x"])),
    )
    yield Fail(
        entry or join(at, wrong[0]),
        f"{named}, by its own units or standard name the other one: {wanted}"
        if len(wrong) == 1
        else f"{named}, by {own} the other way round: {wanted}",
        related=tuple(arrays[one].path for one in wrong if one in arrays),
        severity="warning" if called else None,
        fix=(lambda _node: Draft("suggest", right)) if entry is None and len(wrong) == 2 else None,
        rule="CS-GEO-001",
    )


def _unfit(
    arrays: Mapping[str, Array],
    names: Mapping[str, str | None],
    kind: str,
    entry: str | None,
    at: str,
) -> Iterator[Fail]:
    """Judge whether x and y are two arrays, and whether they say of themselves that they are in the other system."""
    if names["x"] is not None and names["x"] == names["y"]:
        yield Fail(
            entry or join(at, "y"),
            f"x and y of {kind} both name {names['y']}, and one array cannot have {HELD[kind]}",
            related=(arrays["y"].path,) if "y" in arrays else (),
            rule="CS-GEO-001",
        )
        return
    other = "planar" if kind == "geodetic" else "geodetic"
    wrong = {name: array.path for name, array in arrays.items() if _says(array) == other}
    if wrong:
        named = " and ".join(f"{name} names {path}" for name, path in wrong.items())
        own = (
            "its own units or standard name"
            if len(wrong) == 1
            else "their own units or standard names"
        )
        yield Fail(
            entry or join(at, next(iter(wrong))),
            f"{named}, by {own} {HELD[other]}; {kind} positions are {HELD[kind]}",
            related=tuple(wrong.values()),
            severity="warning",
            rule="CS-GEO-001",
        )


def in_both(follow: Follow, given: Mapping[str, Any], entry: str | None, at: str) -> Iterator[Fail]:
    """Judge whether positions in both systems are in arrays of their own; of those that say what they have that is told.

    Parameters
    ----------
    follow : callable
        Returns where a reference leads.
    given : mapping
        The object of the geolocation convention.
    entry : str or None
        RFC 6901 pointer to what leads to the positions, where another node has them.
    at : str
        RFC 6901 pointer to the object.
    """
    if not all(kind in given for kind in KINDS):
        return
    geodetic, planar = (
        {
            name: reference.array
            for one in DIRECTIONS
            if (name := _named(reference := follow(given[kind][one])))
        }
        for kind in KINDS
    )
    both = {name: geodetic[name] for name in sorted(geodetic.keys() & planar.keys())}
    arrays = list(filter(None, both.values()))
    if both and not any(map(_says, arrays)):
        yield Fail(
            entry or join(at, "planar"),
            f"geodetic and planar both name {' and '.join(both)}, and no array has positions in both systems",
            related=tuple(array.path for array in arrays),
            rule="CS-GEO-001",
        )


def _named(reference: Reference) -> str | None:
    """Return which array a reference names, of another store by what it says alone; None where there is none."""
    if reference.uri and reference.path:
        return f"{reference.path} of {reference.uri}"
    return None if reference.array is None else reference.array.path


def _says(array: Array) -> str | None:
    """Return in which of the two systems the values of an array are, as it says itself; None where it does not."""
    name, units = array.attributes.get("standard_name"), array.attributes.get("units")
    if name in ("grid_longitude", "grid_latitude"):
        return None  # of a rotated pole, which are neither, whatever units are written beside them
    if name in ("longitude", "latitude") or hemispheres(units):
        return "geodetic"
    metres = isinstance(units, str) and units in _METRES
    planar = metres or name in ("projection_x_coordinate", "projection_y_coordinate")
    return "planar" if planar else None


def _runs(array: Array) -> str | None:
    """Return which of x and y the values of an array are, as it says itself; None where it does not."""
    name = array.attributes.get("standard_name")
    sides = hemispheres(array.attributes.get("units"))
    for direction, side, names in (
        ("x", "EW", ("longitude", "projection_x_coordinate")),
        ("y", "NS", ("latitude", "projection_y_coordinate")),
    ):
        if sides == side or name in names:
            return direction
    return None


def _called(reference: Reference) -> str | None:
    """Return which of x and y the values of an array are by its name; None where that does not tell."""
    path = (reference.path or "") if reference.uri else getattr(reference.array, "path", "")
    found = {"x" if word else "y" for word in _CALLED.findall(path.rpartition("/")[2])}
    return found.pop() if len(found) == 1 else None


def of_shape(
    reference: Reference, home: Node, expected: list[list[int]] | None, at: str
) -> Iterator[Fail]:
    """Judge whether a reference leads to an array of one of the expected shapes, and along the dimensions in their order.

    Parameters
    ----------
    reference : Reference
        What x or y of the positions is.
    home : Node
        The array that the positions are for, or a group.
    expected : list of list of int or None
        The shapes that will do; any where there is None.
    at : str
        RFC 6901 pointer to the reference.
    """
    found = reference.array
    if found is None or found.shape is None:
        return
    shown = f"{found.path} has shape {list(found.shape)}"
    if expected is not None and list(found.shape) not in expected:
        yield Fail(
            at,
            f"{shown}; the positions of this array need the shape {expected[0]}",
            related=(found.path,),
            rule="CS-GEO-001",
        )
    elif isinstance(home, Array) and (order := _other_order(found, home)):
        yield Fail(
            at,
            f"{shown}, with the dimensions {_listed(found.dimension_names)}; this array has them in the order {_listed(order)}:"
            " readers that go by the place of an element take the position of another one",
            related=(found.path,),
            severity="warning",
            rule="CS-GEO-001",
        )


def _other_order(found: Array, array: Array) -> list[str]:
    """Return the dimensions of positions in the order in which their array has them; none where that is the same or not known."""
    names = [name for name in array.dimension_names or () if name is not None]
    own = list(found.dimension_names or ())
    ordered = [name for name in names if name in own]
    return ordered if sorted(ordered) == sorted(map(str, own)) and ordered != own else []


def turned(node: Node, reference: Reference) -> list[list[int]] | None:
    """Return the shape of arrays of positions that have theirs the other way round, where no names of dimensions tell.

    Others of another shape may be fewer positions than elements.

    Parameters
    ----------
    node : Node
        What they are the positions of.
    reference : Reference
        What leads to one of them.
    """
    found = reference.array
    if not isinstance(node, Array) or found is None:
        return None
    if any(node.dimension_names or ()) and any(found.dimension_names or ()):
        return None
    given, whole = found.shape or (), node.shape or ()
    right = given[::-1]
    return [list(right)] if _is_along(right, whole) and not _is_along(given, whole) else None


def _is_along(some: Iterable[int], lengths: Iterable[int]) -> bool:
    """Whether lengths are among others, in their order."""
    left = iter(lengths)
    return all(length in left for length in some)


def _listed(names: Iterable[str | None] | None) -> str:
    return listed(map(json_text, names or ()))


def differ(follow: Follow, pair: Mapping[str, Any]) -> list[list[int]]:
    """Return the shapes of the arrays with x and y, where they are not the same.

    Parameters
    ----------
    follow : callable
        Returns where a reference leads.
    pair : mapping
        The references x and y.
    """
    held = (follow(pair[direction]).array for direction in DIRECTIONS)
    shapes = [list(one.shape) for one in held if one is not None and one.shape is not None]
    return shapes if len(shapes) == 2 and shapes[0] != shapes[1] else []
