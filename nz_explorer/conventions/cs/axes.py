"""CS: names and abbreviations are those of one axis each, and those of the type of a reference system."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from typing import Any

from nz_explorer.conventions.cs.axis_coordinates import has_texts
from nz_explorer.conventions.cs.directions import told_abbreviation
from nz_explorer.conventions.cs.times.time_objects import has_time
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, FixMaker, RuleOutput
from nz_explorer.engine.fixes import Draft, Operation, add, replace
from nz_explorer.model.dialects.cs import ABBREVIATIONS, Axis, Crs


def once(
    systems: Iterable[Crs], place: Callable[..., str], *, of_group: bool = False
) -> RuleOutput:
    """Judge whether names and abbreviations are those of one axis each.

    Parameters
    ----------
    systems : iterable of Crs
        Reference systems that belong together.
    place : callable
        Returns the pointer to an axis, or to a member of one.
    of_group : bool
        Whether they are those of a group, which is told of what occurs twice in one of them; arrays are not told again.
    """
    systems = list(systems)
    again: set[int] = set()
    for name, (first, *others) in _by(lambda axis: axis.name, systems).items():
        again |= set(map(id, others))
        found = _told([first, *others], systems, of_group=of_group)
        if len(found) > 1:
            yield Fail(
                place(found[1]),
                f"axis {json_text(name)} occurs {len(found)} times",
                rule="CS-AX-002",
            )
    for abbreviation, axes in _by(_mark, systems).items():
        distinct = [axis for axis in axes if id(axis) not in again]
        found = _told(distinct, systems, of_group=of_group)
        if len(found) > 1:
            yield Fail(
                place(found[1], "abbreviation"),
                f"abbreviation {json_text(abbreviation)} occurs {len(found)} times",
                rule="CS-AX-004",
            )


def _mark(axis: Axis) -> Any:
    """Return the abbreviation of an axis; None for one of texts, which must have none (CS-AX-003)."""
    return axis.abbreviation if axis.abbreviation in ABBREVIATIONS and not has_texts(axis) else None


def _by(key: Callable[[Axis], Any], systems: Iterable[Crs]) -> dict[Any, list[Axis]]:
    """Return the axes of reference systems by something that they have."""
    found: dict[Any, list[Axis]] = {}
    for crs in systems:
        for axis in crs.axes:
            if (value := key(axis)) is not None:
                found.setdefault(value, []).append(axis)
    return found


def _told(axes: list[Axis], systems: Iterable[Crs], *, of_group: bool) -> list[Axis]:
    """Return axes without those that a group is told of, as another one of the same shared system comes before them."""
    if of_group:
        return axes
    asked = set(map(id, axes))
    shared = [[id(axis) for axis in crs.axes] for crs in systems if crs.is_shared]
    others = {one for own in shared for one in [one for one in own if one in asked][1:]}
    return [axis for axis in axes if id(axis) not in others]


_OF_TYPE = {"planar": "XY", "vertical": "Z", "temporal": "T", "undefined": ""}
"""The abbreviations of axes that belong to a reference system of each type; of compound ones any."""


def marked_letters(crs: Crs) -> set[str]:
    """Return the abbreviations that axes of a reference system have, apart from those of texts.

    Parameters
    ----------
    crs : Crs
        The reference system.

    Returns
    -------
    set of str
        Of X, Y, Z and T.
    """
    return {
        str(axis.abbreviation)
        for axis in crs.axes
        if axis.abbreviation in ABBREVIATIONS and not has_texts(axis)
    }


def fitting_type(letters: Collection[str]) -> str:
    """Return the type of a reference system whose axes have these abbreviations.

    Parameters
    ----------
    letters : collection of str
        Of X, Y, Z and T.

    Returns
    -------
    str
        A type.
    """
    fitting = [name for name, those in _OF_TYPE.items() if set(letters) <= set(those)]
    return "undefined" if not letters else fitting[0] if fitting else "compound"


def retyped(crs: Crs, letter: str) -> tuple[Operation, ...]:
    """Return the edit of the type that one more abbreviation needs.

    Parameters
    ----------
    crs : Crs
        The reference system.
    letter : str
        The abbreviation that one of its axes is to have.

    Returns
    -------
    tuple
        The edit, or nothing where the type fits.
    """
    given = crs.given.get("type")
    own = _OF_TYPE.get(given) if isinstance(given, str) else None
    if own is None or letter in own:
        return ()
    return (replace(crs.pointer("type"), fitting_type({letter, *marked_letters(crs)})),)


def axes_of_type(crs: Crs, beside: Iterable[Axis]) -> RuleOutput:
    """Judge whether the axes of a reference system are those of its type.

    Parameters
    ----------
    crs : Crs
        The reference system.
    beside : iterable of Axis
        Axes of others that belong to the same array.

    Yields
    ------
    Fail
        What is wrong.
    """
    given = crs.given.get("type")
    own = _OF_TYPE.get(given) if isinstance(given, str) else None
    if own is None:
        return
    if len(own) == len(crs.axes) == 1 and not has_texts(crs.axes[0]):
        yield from _unmarked(crs.axes[0], own)
    elif given == "planar" and len(crs.axes) <= len(own):
        taken = [one.abbreviation for one in (*crs.axes, *beside)]  # no set: of any type of JSON
        yield from _planar(crs, [letter for letter in own if letter not in taken])
    # what is there twice, and letters of texts, are reported as such: then the letter is wrong
    letters = Counter(
        axis.abbreviation for axis in (*crs.axes, *beside) if axis.abbreviation in ABBREVIATIONS
    )
    marked = {
        axis.abbreviation: axis
        for axis in crs.axes
        if axis.abbreviation in ABBREVIATIONS
        and letters[axis.abbreviation] == 1
        and not has_texts(axis)
    }
    strange = [axis for letter, axis in marked.items() if letter not in own]
    if not strange:
        return
    right = fitting_type(marked)
    yield Fail(
        crs.pointer("type"),
        f"type {json_text(given)} is for {' and '.join(own) or 'axes without an abbreviation'}, but axis"
        f" {json_text(strange[0].name)} is marked {strange[0].abbreviation}; if that is right, the type is {right}",
        fix=lambda _node: Draft("suggest", (replace(crs.pointer("type"), right),)),
        rule="CS-REV-001",
    )


def _added(pointer: str, letter: str) -> FixMaker:
    return lambda _node: Draft("suggest", (add(pointer, letter),))


def _planar(crs: Crs, free: list[str]) -> RuleOutput:
    """Judge axes of a planar system that nothing but its type tells to be X and Y."""
    unmarked = [axis for axis in crs.axes if "abbreviation" not in axis.given]
    for axis in unmarked:
        # one without coordinates is ordinal, such as the columns of a picture
        if (
            not axis.sets
            or has_texts(axis)
            or has_time(axis)
            or told_abbreviation(axis)
            or not free
        ):
            continue
        pointer, sure = axis.pointer("abbreviation"), len(free) == len(unmarked) == 1
        yield Fail(
            pointer,
            f"axis {json_text(axis.name)} has no abbreviation; judging by the type of its reference system"
            f" it is {' or '.join(free)}",
            severity="warning",
            fix=_added(pointer, free[0]) if sure else None,
            rule="CS-AX-003",
        )


def _unmarked(axis: Axis, letter: str) -> RuleOutput:
    """Judge the only axis of a temporal or vertical system that nothing else tells to be one."""
    told = axis.given.get("coordinates") is not None and told_abbreviation(axis) is not None
    if "abbreviation" not in axis.given and not told and not has_time(axis):
        pointer = axis.pointer("abbreviation")
        bare = axis.given.get("coordinates") is None
        what = "neither an abbreviation nor coordinates" if bare else "no abbreviation"
        yield Fail(
            pointer,
            f"axis {json_text(axis.name)} has {what}; judging by the type of its reference system it is {letter}",
            severity="warning",
            fix=None if bare else _added(pointer, letter),
            rule="CS-AX-003",
        )
