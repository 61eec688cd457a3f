"""Differences between entries of consolidated metadata and documents, in words."""

from __future__ import annotations

import math
from typing import Any

from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.entry_comparison import ABSENT, Difference
from nz_explorer.engine.fixes import plain


def is_bare_token(difference: Difference) -> bool:
    """Whether there is NaN here and "NaN" there: the bare token is the fact, and has its own finding.

    Parameters
    ----------
    difference : Difference
        Of an entry and the document.
    """
    values = (difference.stored, difference.consolidated)
    bare = any(isinstance(value, float) and not math.isfinite(value) for value in values)
    return bare and plain(values[0]) == plain(values[1])


def shown(value: Any) -> str:
    """Return a value that one of the two has, as text for people.

    Parameters
    ----------
    value : object
        A JSON value, or `ABSENT`.
    """
    return "nothing" if value is ABSENT else json_text(value)
