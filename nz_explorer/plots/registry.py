"""The kinds of picture that an array can have; each is a folder beside this module."""

from __future__ import annotations

from nz_explorer.model import Array
from nz_explorer.plots.cells import CELLS
from nz_explorer.plots.histogram import HISTOGRAM
from nz_explorer.plots.image import IMAGE
from nz_explorer.plots.kind import PictureKind
from nz_explorer.plots.line import LINE
from nz_explorer.plots.lines_of_rows import LINES_OF_ROWS
from nz_explorer.plots.map import MAP
from nz_explorer.plots.picture import QuickLook
from nz_explorer.plots.scalar import SCALAR
from nz_explorer.plots.table import TABLE
from nz_explorer.plots.text import TEXT

_NO_KIND = ("auto", "none")
"""Names that the protocol has for other things: the usual kind, and no picture."""

_kinds: dict[str, PictureKind] = {
    kind.name: kind
    for kind in (IMAGE, CELLS, MAP, LINE, LINES_OF_ROWS, HISTOGRAM, TABLE, SCALAR, TEXT)
}
"""By name, the usual one first where several suit an array."""


def register(kind: PictureKind) -> None:
    """Add a kind of picture, which comes after those that are there.

    Parameters
    ----------
    kind
        The kind.

    Raises
    ------
    ValueError
        If its name is taken.
    """
    if kind.name in _kinds or kind.name in _NO_KIND:
        raise ValueError(f"there is a kind of picture named {kind.name!r} already")
    _kinds[kind.name] = kind


def registered() -> tuple[PictureKind, ...]:
    """Return all kinds of picture."""
    return tuple(_kinds.values())


def kinds_of(array: Array) -> tuple[PictureKind, ...]:
    """Return the kinds of picture that an array can have, the usual one first."""
    suitable = [kind for kind in _kinds.values() if kind.suits(array)]
    return tuple(sorted(suitable, key=lambda kind: not kind.is_usual(array)))


def kind_of(look: QuickLook) -> PictureKind | None:
    """Return the kind of a picture, None where there is nothing to show."""
    return _kinds.get(look.kind)


def is_drawn(look: QuickLook) -> bool:
    """Return whether a picture is drawn; else it is a text or a message."""
    kind = kind_of(look)
    return kind is not None and kind.drawn
