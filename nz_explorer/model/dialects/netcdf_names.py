"""Names as netCDF-C takes them."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any

MAX_NAME = 256
"""The length of the longest name, in bytes."""
_LEGAL = re.compile(r"(?![ -/:-@\[-^`{-~])[^\x00-\x1f\x7f/]+(?<! )")


def names_read(given: Any) -> list[str] | None:
    """Return the names that netCDF-C 4.10 takes from a list of arrays or groups; None where it stops at one.

    Numbers are names to it, an object is a list of its names and values, and what is neither is an empty list.

    Parameters
    ----------
    given
        What stands in place of the list.
    """
    if isinstance(given, dict):
        items = [part for entry in given.items() for part in entry]
    else:
        items = given if isinstance(given, list) else []
    taken = [json.dumps(item) if isinstance(item, int | float) else item for item in items]
    return taken if all(isinstance(name, str) and is_legal(name) for name in taken) else None


def is_legal(name: str) -> bool:
    """Whether netCDF-C takes a name of a dimension, an array or a group.

    Parameters
    ----------
    name : str
        The name.
    """
    return _LEGAL.fullmatch(name) is not None and len(name.encode(errors="replace")) <= MAX_NAME


def in_its_form(name: str) -> str:
    """Return a name as netCDF-C keeps it: in the form of Unicode that has one character for an accented letter.

    Parameters
    ----------
    name : str
        The name.
    """
    return name if name.isascii() else unicodedata.normalize("NFC", name)


def can_be_key(name: str) -> bool:
    """Whether a name can be a part of a key.

    Parameters
    ----------
    name : str
        The name.
    """
    return bool(name) and "/" not in name and name not in (".", "..")
