"""CF: times that were appended are counted as those before them (CF-1.11, 4.4 Time Coordinate)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nz_explorer.conventions.cf.times import is_time
from nz_explorer.conventions.zarr3.nodes import is_finite, is_number, shown
from nz_explorer.engine.findings import Fail, FixMaker, Undecided
from nz_explorer.engine.fixes import Draft
from nz_explorer.engine.registry import rule

if TYPE_CHECKING:
    from nz_explorer.model import Array, Node
    from nz_explorer.values.coordinates.monotonicity import Monotonicity

SECONDS = {
    "days": 86400.0,
    "hours": 3600.0,
    "minutes": 60.0,
    "seconds": 1.0,
    "milliseconds": 1e-3,
    "microseconds": 1e-6,
    "nanoseconds": 1e-9,
}
FEWEST_BEFORE = 3
"""Values before the change, from which the next one follows."""
EXACT = 1e-7
"""How far, as a part of it, a value may be from the one that follows."""
_UNIT = re.compile(r"\s*([a-z]+?)s?\s+since\s", re.IGNORECASE)
_EPOCH = "1970-01-01"


@dataclass(frozen=True, slots=True)
class _Change:
    """From where on values are counted otherwise: two neighbours, the value that follows from those before, and in what."""

    at: int
    before: float
    after: float
    expected: float
    units: str


@rule("CF-TIME-011", on="values", when=lambda array, _: is_time(array))
def counted_alike(array: Array, found: Monotonicity) -> Iterator[Fail | Undecided]:
    """Warn of times that go on from some index on in another unit, such as seconds after hours."""
    if found.result == "unreadable":
        yield Undecided(f"unreadable: {found.note}" if found.note else "unreadable")
        return
    change = _change(array, found)
    if change is None:
        return
    from nz_explorer.values.cf_decoding import date_of

    read, meant = (date_of(array.attributes, v) for v in (change.after, change.expected))
    reads = f"reads as {read}" if read else "is no date"
    yield Fail(
        array.attribute_pointer("units"),
        f"value[{change.at}] = {change.after:g}, after {change.before:g}, {reads}; in {change.units} it would be"
        f" {meant or shown(change.expected)}, the next time: from there on times seem to be in other units than"
        f" {shown(array.attributes['units'])}",
        fix=_count_alike(change),
        covers=("NZ-COORD-002",),
    )


def _change(array: Array, found: Monotonicity) -> _Change | None:
    """Return where times begin to be counted in another unit, or since 1970, so that the next value is just what follows."""
    jump: tuple[int, Any, Any] | None = found.jump
    if found.result == "not" and found.repeated is None and found.index is not None:
        jump = (found.index, found.before, found.after)
    unit = _seconds(array)
    if jump is None or jump[0] < FEWEST_BEFORE or unit is None:
        return None
    at, before, after = jump
    first = found.first
    if not all(map(is_finite, (first, before, after))):
        return None
    step = (before - first) / (at - 1)
    expected = before + step
    for name, seconds in SECONDS.items():
        for since, shift in (("", 0.0), *_since_1970(array)):
            if seconds == unit and not shift:
                continue
            counted = (expected * unit + shift) / seconds
            goes_on = math.isclose(counted, after, rel_tol=EXACT, abs_tol=0.0)
            if goes_on and _steps_fit(array, found, at, step * unit / seconds):
                own = str(array.attributes["units"])
                units = f"{name} since {since or own.partition('since')[2].strip()}"
                return _Change(at, before, after, expected, units)
    return None


def _steps_fit(array: Array, found: Monotonicity, at: int, step: float) -> bool:
    """Return whether the values after a change go on in its steps; where it is not known, whether one value may decide."""
    number = (array.shape or (0,))[0] - 1 - at
    if found.result == "not":
        return True
    if number < 1 or found.jump is None or not is_number(found.last):
        return False
    return math.isclose((found.last - found.jump.after) / number, step, rel_tol=1e-6)


def _seconds(array: Array) -> float | None:
    unit = _UNIT.match(str(array.attributes.get("units")))
    return None if unit is None else SECONDS.get(f"{unit[1].lower()}s")


def _since_1970(array: Array) -> list[tuple[str, float]]:
    """Return the date since which NumPy and pandas count, and how many seconds before that of the units it is."""
    from nz_explorer.values.cf_decoding import date_of

    calendar = str(array.attributes.get("calendar", "standard")).lower()
    date = date_of(array.attributes, 0)
    if date is None or calendar not in ("standard", "gregorian", "proleptic_gregorian"):
        return []
    try:
        apart = np.datetime64(date[:19], "s") - np.datetime64(_EPOCH, "s")
    except ValueError:
        return []
    return [(_EPOCH, float(apart.astype(np.int64)))] if apart else []


def _count_alike(change: _Change) -> FixMaker:
    def fix(node: Node) -> Draft:
        return Draft(
            "suggest",
            note=f"write the values from index {change.at} on again: they are in {change.units}; to_zarr(append_dim={node.name!r})"
            " counts datetime64 as the store does, and numbers that are decoded already as they are",
        )

    return fix
