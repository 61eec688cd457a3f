"""Registered conventions that zarr-cm does not know: what identifies them, and what their properties must be.

They are in ``registered.json`` beside this file. The schemas there say in JSON Schema what the texts of the conventions
require, in the version that each entry names, and what was seen upstream is noted with them: ``make conventions`` tells
what has changed since. Nothing is fetched while a dataset is checked.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_suffix(".json")


@dataclass(frozen=True, slots=True)
class Registered:
    """A registered convention.

    Attributes
    ----------
    name : str
        Its name here; two versions of one convention have different ones.
    entry : mapping
        The object that declares it, as its authors write it; of a version that nobody should write any more its uuid.
    schemas : mapping
        By attribute what its value has to be.
    """

    name: str
    entry: Mapping[str, str]
    schemas: Mapping[str, Mapping[str, Any]]


def _read() -> tuple[Registered, ...]:
    given = json.loads(FILE.read_text("utf-8"))["conventions"]
    return tuple(Registered(one["name"], one["entry"], one["schemas"]) for one in given)


CONVENTIONS = _read()
SCHEMAS: Mapping[str, Mapping[str, Any]] = {
    attribute: schema for one in CONVENTIONS for attribute, schema in one.schemas.items()
}
"""By the attribute that each describes."""
