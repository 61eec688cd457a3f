"""A fill value as it was decoded, and what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, Literal

Dialect = Literal["literal", "name", "hex", "base64", "pair", "bool", "string"]
ProblemKind = Literal["type", "range", "list", "dialect", "rounding", "spelling"]
Safety = Literal["safe", "unsafe", "suggest"]


class Missing(Enum):
    """The type of `MISSING`."""

    MISSING = "missing"


MISSING: Final = Missing.MISSING
"""Stands for "no suggestion", since None is a JSON value."""


@dataclass(frozen=True, slots=True)
class FillProblem:
    """Something wrong, or worth a note, about a fill value.

    Parameters
    ----------
    kind
        ``type`` (not a value of the data type), ``range`` (can never match), ``list`` (not a
        scalar), ``dialect`` (xarray's base64), ``rounding`` (matched after rounding), ``spelling``
        (understood, yet better written otherwise).
    why
        A sentence for people.
    suggestion
        The JSON value to write instead; `MISSING` where there is none.
    safety
        Of the suggestion.
    """

    kind: ProblemKind
    why: str
    suggestion: Any = MISSING
    safety: Safety = "suggest"


@dataclass(frozen=True, slots=True, eq=False)
class FillValue:
    """A decoded fill value.

    Parameters
    ----------
    value
        A numpy scalar of the array's type; str for strings; bytes for byte strings; None where
        the value cannot be used.
    dialect
        How it was spelled.
    problems
        What is wrong with it.
    given
        The JSON value.
    text
        The decoded value in a few words.
    """

    value: Any
    dialect: Dialect
    problems: tuple[FillProblem, ...]
    given: Any
    text: str

    @property
    def usable(self) -> bool:
        """Whether there is a value to mask by."""
        return self.value is not None
