"""The attribute ``conventions`` as text: the identifiers in it, and NZ-1.0 put before them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

IDENTIFIER = "NZ-1.0"
KEYS = ("conventions", "Conventions")
"""The attribute, and the spelling that older netCDF conventions use."""
_MARKS = r"\s,;|\[\]\""
_BETWEEN = rf"[{_MARKS}]|(?<![A-Za-z])'|'(?![A-Za-z])"
"""What is between identifiers, and around those of a list that was written as text; the apostrophe of a word is not."""
_AND = r"(?<!\S)(?:[&+]|[aA][nN][dD])(?!\S)|(?<=\d)[&+](?=[A-Za-z]+-\d)"
_SEPARATORS = re.compile(
    rf"(?:{_BETWEEN}|(?<![A-Za-z])/(?![vV]?\d)|{_AND}|(?<=\d)\.(?=[{_MARKS}]|$))+"
)
"""The same, and a slash where it does not join parts of an identifier, "and" and signs for it, and a full stop at the end."""
_ADDRESS = re.compile(rf"[A-Za-z][A-Za-z0-9+.-]*://[^{_MARKS}']*")
CF_TOKEN = re.compile(r"cf-\d.*")
"""What identifies CF, in lower case."""

_FOLD = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


def separated(text: str) -> list[str]:
    """Return the identifiers in a text, whatever is between them; addresses are not taken apart.

    Parameters
    ----------
    text : str
        Such as ``NZ-1.0, CF-1.12``.
    """
    found: list[str] = []
    for part in re.split(rf"(?:{_BETWEEN})+", text):
        found += [part] if _ADDRESS.fullmatch(part) else _SEPARATORS.split(part)
    return [part for part in found if part]


def separators(text: str) -> list[str]:
    """Return what is between the identifiers in a text.

    Parameters
    ----------
    text : str
        Such as ``NZ-1.0, CF-1.12``.
    """
    return _SEPARATORS.findall(_ADDRESS.sub("x", text))


def fold(token: str) -> str:
    """Return an identifier in lower case, ASCII letters only."""
    return token.translate(_FOLD)


_MEANT = re.compile(r"nz(?:[-_]?v?1(?:\.0)?)?")
"""What NZ-1.0 takes the place of: the identifier itself, and what was meant to be it."""


def with_nz(attributes: Mapping[str, Any]) -> str:
    """Return a declaration of NZ-1.0, followed by whatever the attributes of a root group declare already."""
    given = next((attributes[key] for key in KEYS if key in attributes), "")
    others = separated(str(given))
    return " ".join([IDENTIFIER, *(token for token in others if not _MEANT.fullmatch(fold(token)))])
