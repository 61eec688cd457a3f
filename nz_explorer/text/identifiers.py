"""The attribute ``conventions`` as text: the identifiers in it, and NZ-1.0 put before them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

IDENTIFIER = "NZ-1.0"
KEYS = ("conventions", "Conventions")
"""The attribute, and the spelling that older netCDF conventions use."""
SEPARATORS = re.compile(r"(?:[\s,;]|(?<![A-Za-z])/(?!\d))+")
"""What is between identifiers; a slash only where it does not join parts of one."""
CF_TOKEN = re.compile(r"cf-\d.*")
"""What identifies CF, in lower case."""

_FOLD = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


def fold(token: str) -> str:
    """Return an identifier in lower case, ASCII letters only."""
    return token.translate(_FOLD)


_MEANT = re.compile(r"nz(?:[-_]?v?1(?:\.0)?)?")
"""What NZ-1.0 takes the place of: the identifier itself, and what was meant to be it."""


def with_nz(attributes: Mapping[str, Any]) -> str:
    """Return a declaration of NZ-1.0, followed by whatever the attributes of a root group declare already."""
    given = next((attributes[key] for key in KEYS if key in attributes), "")
    others = [token for token in SEPARATORS.split(str(given)) if token]
    return " ".join([IDENTIFIER, *(token for token in others if not _MEANT.fullmatch(fold(token)))])
