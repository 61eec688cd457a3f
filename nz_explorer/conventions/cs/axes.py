"""CS: names and abbreviations are those of one axis each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from nz_explorer.conventions.cs.axis_coordinates import has_texts
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, RuleOutput
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
