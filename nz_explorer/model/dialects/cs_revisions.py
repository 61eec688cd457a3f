"""The revisions of the cs convention, which share one address: what each looks like, and which one a system follows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from nz_explorer.model.dialects.cs import CoordinateSet, Crs

Revision = Literal["r1", "r2", "r3", "r4"]

REVISIONS: dict[Revision, str] = {
    "r1": "axes are a list and have a direction, times have a reference",
    "r2": "axes are a list, sets of coordinates have a direction, times have a reference, or a unit and an epoch",
    "r3": "axes are an object by name, sets of coordinates have a direction, times have a unit and an epoch",
    "r4": "as in r3, and reference systems have a type",
}
"""What each revision looks like, in words. They share one address, so a dataset cannot name its own."""


def revision(crs: Crs) -> set[Revision]:
    """Return the revision whose form a reference system has: none if that is not clear, several if it mixes them."""
    signs = [sign for _, sign in signs_of_revisions(crs)]
    fitting: set[Revision] = set.intersection(*signs)
    if fitting:
        return fitting if len(fitting) == 1 else set()
    for sign in sorted(signs, key=len):
        if not fitting & sign:
            fitting.add(min(sign))
    return fitting


def signs_of_revisions(crs: Crs) -> list[tuple[str, set[Revision]]]:
    """Return what tells the revision of a reference system: pointers, and the revisions that have it so.

    Parameters
    ----------
    crs : Crs
        The reference system.
    """
    typed = isinstance(crs.given, Mapping) and "type" in crs.given
    signs: list[tuple[str, set[Revision]]] = [
        (crs.pointer("type"), {"r4"} if typed else {"r1", "r2", "r3"})
    ]
    for axis in crs.axes:
        keyed = isinstance(axis.place[-1], str)
        signs.append((crs.pointer("axes"), {"r3", "r4"} if keyed else {"r1", "r2"}))
        if "direction" in axis.given and axis.sets:  # an ordinal axis has no other place for it
            signs.append((axis.pointer("direction"), {"r1"}))
        for one in axis.sets:
            signs += _signs(one)
    return signs


def _signs(one: CoordinateSet) -> Iterator[tuple[str, set[Revision]]]:
    """Yield where a set has members that differ between revisions, and the revisions that have them."""
    if "direction" in one.given:
        yield one.pointer("direction"), {"r2", "r3", "r4"}
    time = one.given.get("time")
    members = time.keys() & {"reference", "unit", "epoch"} if isinstance(time, Mapping) else set()
    # both are CS-TIME-002, and so is a reference where axes are by name
    keyed = isinstance(one.place[-3], str)
    if members and not ("reference" in members and (keyed or len(members) > 1)):
        # What the text demands in its tables, it has with axes in a list: r2 but for the times of its examples.
        yield (
            one.pointer("time"),
            {"r1", "r2"} if "reference" in members else {"r2", "r3", "r4"},
        )
