"""CS: the calendar of a time object, where it is missing or not known."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from nz_explorer.conventions.cs.times.epochs import EPOCH, has_date
from nz_explorer.engine.fixes import Draft, add, replace
from nz_explorer.model.calendars import ALIASES, CALENDARS, DECODED
from nz_explorer.model.dialects.cs import time_units
from nz_explorer.text.phrases import listed

USUAL = ("standard", "proleptic_gregorian")
"""What applications take where no calendar is given, by the text."""


def fitting_calendar(epoch: re.Match[str] | None) -> tuple[str | None, str]:
    """Return a calendar for times without one, None where it cannot be told from their epoch; and why it is that.

    Parameters
    ----------
    epoch : re.Match or None
        What `EPOCH` finds in the epoch.
    """
    usual = [one for one in USUAL if epoch is None or has_date(one, epoch)]
    named = [one for one in DECODED if one not in ALIASES]
    having = usual or [one for one in named if epoch is not None and has_date(one, epoch)]
    if epoch is None or not having or usual:  # one that no calendar has is told of by itself
        right = (having or USUAL)[0]
        return right, f"{right} is usual; a climate model may have another one"
    if len(having) > 1:
        return None, f"{epoch[0]} exists in {listed(having)}: write the one that is meant"
    return having[0], f"of the calendars that have names, only {having[0]} has {epoch[0]}"


def with_calendar(given: Mapping[str, Any], pointer: str, said: Mapping[str, str]) -> Draft:
    """Return the fix of a calendar that is missing, unless it is said beside the time object, or not known.

    Parameters
    ----------
    given : mapping
        The time object.
    pointer : str
        RFC 6901 pointer to the calendar.
    said : mapping
        The calendar that stands beside it, if any.
    """
    wrong = given.get("calendar")
    if wrong is None and said:
        write = replace if "calendar" in given else add
        return Draft("suggest", (write(pointer, said["calendar"]),))
    if wrong is None:
        epoch = (time_units(given) or "").partition(" since ")[2]
        right, why = fitting_calendar(EPOCH.fullmatch(epoch.strip()))
        write = replace if "calendar" in given else add
        return Draft("suggest", () if right is None else (write(pointer, right),), why)
    alone = wrong[0] if isinstance(wrong, list) and len(wrong) == 1 else wrong
    close = get_close_matches(alone.strip().lower(), CALENDARS, 1) if isinstance(alone, str) else []
    operations = (replace(pointer, close[0]),) if close else ()
    return Draft("suggest", operations, None if close else f"write one of {', '.join(CALENDARS)}")
