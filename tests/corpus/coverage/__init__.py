"""Which rules look at each sentence of the texts; read by the tests and by the documentation."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Sentence:
    """A sentence of a text.

    Attributes
    ----------
    section : str
        The heading that it is under.
    says : str
        The sentence, shortened where it is long.
    rules : tuple of str
        The rules that look at it.
    none : str
        Why there are none: no dataset can break it.
    note : str
        How it is understood, where the text contradicts itself or leaves something open.
    """

    section: str
    says: str
    rules: tuple[str, ...] = ()
    none: str = ""
    note: str = ""


def texts() -> dict[str, list[Sentence]]:
    """Return the sentences of each text that has been gone through, by its name."""
    found = {}
    for file in sorted(FOLDER.glob("*.toml")):
        given = tomllib.loads(file.read_text("utf-8"))
        found[given["text"]] = [
            Sentence(**{**one, "rules": tuple(one.get("rules", ()))}) for one in given["sentence"]
        ]
    return found
