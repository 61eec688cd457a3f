"""The calendars that CF names, for what reads times and what judges them.

Source: CF-1.11, 4.4.2 Calendar.
"""

from __future__ import annotations

DECODED = (
    "standard",
    "gregorian",
    "proleptic_gregorian",
    "julian",
    "noleap",
    "365_day",
    "all_leap",
    "366_day",
    "360_day",
)
"""Those that cftime decodes."""

CALENDARS = (*DECODED, "utc", "tai", "none")
"""Those that have a name in CF; others are defined by the lengths of their months."""
