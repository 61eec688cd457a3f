"""CS: in which direction an axis and its coordinates run."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from nz_explorer.conventions.cs.axis_coordinates import is_text, is_text_of
from nz_explorer.conventions.cs.members import beside
from nz_explorer.conventions.cs.times.time_objects import has_time
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, RuleOutput
from nz_explorer.engine.fixes import Draft, add, remove, replace
from nz_explorer.model.dialects import crs as known_crs
from nz_explorer.model.dialects.cs import ABBREVIATIONS, Axis, CoordinateSet, numbers
from nz_explorer.text.units import PRESSURES, known_unit

DIRECTIONS = frozenset(
    (
        "north",
        "northNorthEast",
        "northEast",
        "eastNorthEast",
        "east",
        "eastSouthEast",
        "southEast",
        "southSouthEast",
        "south",
        "southSouthWest",
        "southWest",
        "westSouthWest",
        "west",
        "westNorthWest",
        "northWest",
        "northNorthWest",
        "up",
        "down",
        "geocentricX",
        "geocentricY",
        "geocentricZ",
        "future",
        "past",
        "columnPositive",
        "columnNegative",
        "rowPositive",
        "rowNegative",
        "displayRight",
        "displayLeft",
        "displayUp",
        "displayDown",
        "forward",
        "aft",
        "port",
        "starboard",
        "clockwise",
        "counterClockwise",
        "towards",
        "awayFrom",
        "unspecified",
    )
)
"""OGC 18-005r5, Table 48."""

NONE_IN_R = "OTHER"
"""What the package geozarr for R writes where an axis has no direction."""
USUAL = {"X": ("east",), "Y": ("north",), "Z": ("up", "down"), "T": ("future", "past")}


def is_physical(axis: Axis) -> bool:
    """Whether an axis is marked as one in space or time."""
    return isinstance(axis.abbreviation, str) and axis.abbreviation in ABBREVIATIONS


def directions(axis: Axis, *, at_axis: bool) -> RuleOutput:
    """Judge the direction of an axis, and those that sets of its coordinates have of their own.

    Parameters
    ----------
    axis : Axis
        The axis.
    at_axis : bool
        Whether its own direction counts, as in r1.
    """
    ordinal = axis.given.get("coordinates") is None and not is_physical(axis)
    if ordinal and "direction" in axis.given:
        yield from _no_direction(axis, axis.pointer("direction"), "ordinal")
    texts: list[bool | None] = []
    for one in axis.sets:
        if "direction" in one.given or not at_axis:
            yield from _contradiction(axis, one)
            yield from _direction(axis, one, is_text_of(axis, one))
            yield from _vertically(axis, one)
        else:
            texts.append(is_text_of(axis, one))
    if texts:
        known = [text for text in texts if text is not None]
        yield from _direction(axis, axis, min(known, default=None))


def _contradiction(axis: Axis, one: CoordinateSet) -> RuleOutput:
    """Warn where an axis has one direction and its coordinates have another."""
    own, of_axis = one.given.get("direction"), axis.given.get("direction")
    if own is not None and of_axis is not None and own != of_axis:
        yield Fail(
            axis.pointer("direction"),
            f"axis {json_text(axis.name)} has the direction {json_text(of_axis)} and its coordinates have {json_text(own)};"
            " the text has it at the coordinates only",
            severity="warning",
            fix=lambda _node: Draft("suggest", (remove(axis.pointer("direction")),)),
            rule="CS-AX-005",
        )


def _direction(axis: Axis, holder: Axis | CoordinateSet, text: bool | None) -> RuleOutput:
    pointer, given = holder.pointer("direction"), holder.given.get("direction")
    usual = USUAL.get(axis.abbreviation) if isinstance(axis.abbreviation, str) else None
    beside_times = isinstance(holder, CoordinateSet) and "time" not in holder.given
    if axis.abbreviation == "T" and beside_times and not text and has_time(axis):
        usual = None  # of what is no time, such as where a ship was
    if given is None:
        if text is False:
            yield Fail(
                pointer,
                f"the numeric coordinates of axis {json_text(axis.name)} have no direction",
                fix=lambda _node: (
                    Draft("suggest", (add(pointer, _likely(axis, holder, usual)),))
                    if usual
                    else Draft(
                        "suggest",
                        note='write a direction of OGC 18-005r5, Table 48; "unspecified" is one of them',
                    )
                ),
                rule="CS-AX-005",
            )
        return
    if not isinstance(given, str) or given not in DIRECTIONS:
        right = _right_direction(pointer, given)
        if given == NONE_IN_R and text is False:  # of numbers one has to be given
            likely = _likely(axis, holder, usual) if usual else "unspecified"
            right = Draft("suggest", (replace(pointer, likely),))
        yield Fail(
            pointer,
            f"{json_text(given)} is not a direction of OGC 18-005r5, Table 48{_as_in_r(given)}",
            fix=lambda _node: right,
            rule="CS-AX-007",
        )
        return
    if text is True and usual is None:  # of one in space and time CS-AX-003 says so
        yield from _no_direction(axis, pointer, "string")
    if usual is not None and given not in usual:
        yield Fail(
            pointer,
            f"axis {axis.abbreviation} usually points {' or '.join(usual)}, not {given}",
            rule="CS-AX-008",
        )


def _likely(axis: Axis, holder: Axis | CoordinateSet, usual: tuple[str, ...]) -> str:
    """Return the usual direction that coordinates without one have: by ``positive`` of CF, or of pressures and depths down."""
    sets = axis.sets if isinstance(holder, Axis) else (holder,)
    for one in sets:
        said = [value for _, value in beside(axis, one, "positive") if value in usual]
        if said:
            return str(said[0])
    downwards = _DOWNWARDS.search(axis.name or "") or any(map(_is_pressure, sets))
    return "down" if downwards and "down" in usual else usual[0]


def _vertically(axis: Axis, one: CoordinateSet) -> RuleOutput:
    """Warn of pressures, depths and heights that are said to grow the other way, as levels are mostly listed so."""
    given, below = one.given.get("direction"), _below(one)
    if axis.abbreviation != "Z" or given not in USUAL["Z"]:
        return
    named = json_text(axis.name)
    if _is_pressure(one):
        right, what = "down", f"pressures, here in {one.unit}, increase downwards"
    elif "depth" in (axis.name or "").lower() and below:
        right, what = "up", f"depths below 0, here of {named}, increase upwards"
    elif "depth" in (axis.name or "").lower() and below is False:
        right, what = "down", f"depths that are not negative, here of {named}, increase downwards"
    # other units are those of levels that are counted, which ICON calls heights, and counts from the top
    elif _HEIGHTS.match(axis.name or "") and below is False and known_unit(one.unit) in _LENGTHS:
        right, what = "up", f"heights, here of {named}, increase upwards"
    else:
        return
    if given == right:
        return
    pointer = one.pointer("direction")
    yield Fail(
        pointer,
        f"the direction is that of increasing values, and {what}",
        severity="warning",
        fix=lambda _node: Draft("suggest", (replace(pointer, right),)),
        rule="CS-AX-008",
    )


def _is_pressure(one: CoordinateSet) -> bool:
    return one.unit in PRESSURES or known_unit(one.unit) in PRESSURES


def _below(one: CoordinateSet) -> bool | None:
    """Whether coordinates are on the negative side of 0; None where they are on both, at 0, or not known."""
    given = one.values if isinstance(one.values, list) else []
    found = numbers(given, len(given)) or (0.0,)  # of regular ones the first and the increment
    if one.kind == "external" or min(found) < 0 < max(found) or not any(found):
        return None
    return min(found) < 0


_DOWNWARDS = re.compile(r"depth|press|plev", re.IGNORECASE)
"""What names of axes have in them whose values increase downwards, by the table of the text."""
_HEIGHTS = re.compile(r"(?!.*(?:below|under|depth)).*(?:height|elevation|altitude)", re.IGNORECASE)
"""And upwards; a height below something is none."""
_LENGTHS = ("m", "km", "cm")
_DECORATION = re.compile(r"[-_ ]|wards?$|er(?:n|ly)$")
"""What words for directions have beside the names of the table: hyphens, and endings as in eastward."""


def _right_direction(pointer: str, given: Any) -> Draft | None:
    """Return the fix of a direction in other letters, or in another form of the word; None where it is another word."""
    if given == NONE_IN_R:
        return Draft("suggest", (remove(pointer),))
    plain = str(given).lower()
    names = {name.lower(): name for name in DIRECTIONS}
    if plain in names:
        return Draft("safe", (replace(pointer, names[plain]),))
    right = names.get(_DECORATION.sub("", plain))
    return None if right is None else Draft("suggest", (replace(pointer, right),))


def _as_in_r(given: Any) -> str:
    """Return what is said of directions as the author's package for R writes them: in capitals, with underscores."""
    if given == NONE_IN_R:
        return "; geozarr for R writes it where there is none"
    if not isinstance(given, str) or given != given.upper():
        return ""
    names = {name.lower(): name for name in DIRECTIONS}
    right = names.get(given.lower().replace("_", ""))
    return "" if right is None else f", which has {json_text(right)}; geozarr for R writes capitals"


def _no_direction(axis: Axis, pointer: str, kind: str) -> RuleOutput:
    yield Fail(
        pointer,
        f"the {kind} axis {json_text(axis.name)} has a direction, which is allowed only if there is a natural one",
        rule="CS-AX-006",
    )


_NAMED = {
    **dict.fromkeys(("longitude", "lon", "easting"), "X"),
    **dict.fromkeys(("latitude", "lat", "northing"), "Y"),
}
"""Axes of these names have these abbreviations, by the table of the text."""


def marked_unlike_its_name(axis: Axis, others: Iterable[Axis]) -> RuleOutput:
    """Note an axis in the plane that is marked as the other one, and whose direction does not tell so.

    Parameters
    ----------
    axis : Axis
        The axis.
    others : iterable of Axis
        The others there; of a name or an abbreviation that occurs twice CS-AX-002 and CS-AX-004 say so.
    """
    given = axis.abbreviation
    meant = _NAMED.get((axis.name or "").lower())
    if meant is None or given not in ("X", "Y") or given == meant:
        return
    twice = any(one.abbreviation == given or one.name == axis.name for one in others)
    if not twice and all(one.direction in (None, *USUAL[given]) for one in axis.sets):
        yield Fail(
            axis.pointer("abbreviation"),
            f"axis {json_text(axis.name)} is marked {given}, and by its name it is {meant}: longitude and easting are X, latitude and"
            " northing Y; readers go by one of them",
            severity="warning",
            rule="CS-AX-008",
        )


def told_abbreviation(axis: Axis) -> tuple[str, str] | None:
    """Return what tells which abbreviation an axis has to have, and that; None where nothing does."""
    name = (axis.name or "").lower()
    if name in known_crs.X_NAMES | known_crs.Y_NAMES:
        return "name", "X" if name in known_crs.X_NAMES else "Y"
    # that of texts is one that they have by nature, in space and time or not; where names come first, such as those of
    # stations, or sets run in several directions, where these are, the axis runs in none of them
    if len(axis.sets) > 1 and is_text(axis.sets[0]) is not False:
        return None
    numeric = [one for one in axis.sets if not is_text(one)]
    found = {one.direction for one in numeric if isinstance(one.direction, str)}
    right = next((key for key, usual in USUAL.items() if found and found <= set(usual)), None)
    return None if right is None else ("direction", right)
