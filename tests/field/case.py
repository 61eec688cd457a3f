"""What a case of the field guide is, and how it is declared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, Literal

Reader = Callable[[Any], Any]
"""Opens a store and loads all of it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a reader makes of a store.

    Attributes
    ----------
    reader : callable
        One of `tests.field.readers`.
    raises : type or tuple of types, optional
        What it raises.
    match : str
        A part of the text of that.
    sees : callable, optional
        Given what was read, tells whether that is what the case says.
    """

    reader: Reader
    raises: type[BaseException] | tuple[type[BaseException], ...] | None = None
    match: str = ""
    sees: Callable[[Any], Any] | None = None


def fails(
    reader: Reader,
    raises: type[BaseException] | tuple[type[BaseException], ...],
    match: str = "",
) -> Outcome:
    """Return that a reader fails."""
    return Outcome(reader, raises, match)


def sees(reader: Reader, function: Callable[[Any], Any]) -> Outcome:
    """Return that a reader opens a store, and what it finds there."""
    return Outcome(reader, sees=function)


def opens(reader: Reader) -> Outcome:
    """Return that a reader opens a store, and loads all of it."""
    return Outcome(reader)


@dataclass(frozen=True, slots=True)
class Case:
    """A failure that was reported, as a store.

    Attributes
    ----------
    name : str
        That of the function.
    source : str
        Repository and number, such as ``pydata/xarray#9970``.
    symptom : str
        In the words of the report.
    rule, path, words : str, str, tuple of str
        What must be found: the rule, the node, and words of the message.
    values : str
        Which values are read, as for `nz_explorer.check`.
    before : tuple of Outcome
        What readers do.
    after : tuple of Outcome
        What they do when the finding was cured; empty where it cannot be.
    by_hand : callable, optional
        Cures the store as the finding advises, where no patch can; returns the store.
    choice : int
        Which of the ways out is taken.
    beside : tuple of str
        Rules that report other facts of the store, as grave.
    kind : str
        Whether the source is an issue or a pull request.
    make : callable
        Makes the store in a folder, and returns it.
    """

    name: str
    source: str
    symptom: str
    rule: str
    path: str
    words: tuple[str, ...]
    make: Callable[[Path], Any]
    values: Literal["none", "coordinates", "all"] = "coordinates"
    before: tuple[Outcome, ...] = ()
    after: tuple[Outcome, ...] = ()
    by_hand: Callable[[Any], Any] | None = None
    choice: int = 0
    beside: tuple[str, ...] = ()
    kind: Literal["issues", "pull"] = "issues"
    theme: str = field(default="")

    @property
    def project(self) -> str:
        """Where it was reported, such as ``pydata/xarray``."""
        return self.source.partition("#")[0]

    @property
    def url(self) -> str:
        """The thread."""
        project, _, number = self.source.partition("#")
        return f"https://github.com/{project}/{self.kind}/{number}"


_CASES: list[Case] = []


def reported(
    source: str,
    symptom: str,
    *,
    finding: tuple[str, ...],
    before: Outcome | tuple[Outcome, ...] = (),
    after: Outcome | tuple[Outcome, ...] = (),
    **more: Any,
) -> Callable[[Callable[[Path], Any]], Callable[[Path], Any]]:
    """Register a case; see `Case` and the README.

    Parameters
    ----------
    source, symptom : str
        Who reported what.
    finding : tuple of str
        Rule, node, and words of the message.
    before, after : Outcome or tuple of Outcome
        What readers do.
    **more
        Other attributes of `Case`.
    """
    rule, path, *words = finding

    def register(make: Callable[[Path], Any]) -> Callable[[Path], Any]:
        _CASES.append(
            Case(
                make.__name__,
                source,
                symptom,
                rule,
                path,
                tuple(words),
                make,
                before=before if isinstance(before, tuple) else (before,),
                after=after if isinstance(after, tuple) else (after,),
                theme=make.__module__.rpartition(".")[2],
                **more,
            )
        )
        return make

    return register


def cases() -> list[Case]:
    """Return all cases, in the order in which they are written."""
    for module in _modules():
        import_module(module)
    return sorted(_CASES, key=lambda case: case.theme)


def _modules() -> Iterator[str]:
    package = import_module("tests.field.cases")
    for module in iter_modules(package.__path__):
        yield f"{package.__name__}.{module.name}"
