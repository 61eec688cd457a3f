"""A table of values: every number, with its coordinates and its state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nz_explorer.model import Array
from nz_explorer.plots.axes import is_text, long_axes, plane_axes
from nz_explorer.plots.drawing.legends import write
from nz_explorer.plots.drawing.view import STATE_TITLES, View
from nz_explorer.plots.kind import PictureKind
from nz_explorer.plots.numeric import numeric_picture
from nz_explorer.plots.picture import Axis, QuickLook
from nz_explorer.plots.source import PictureSource
from nz_explorer.values.coordinates.axes import number_text
from nz_explorer.values.masks.cell_states import VALUE
from nz_explorer.values.window import Window

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_ROWS, _MOST_COLUMNS = 1024, 1536
"""Of more, evenly spaced ones are listed."""
_LONGEST = 2**18
_DRAWN_ROWS, _DRAWN_COLUMNS = 24, 7
_WIDTH = 12


class Table(PictureKind):
    """Numbers in rows and columns."""

    name = "table"
    noun = "table of values"
    controls = ("mask", "decoded")
    drawn = False
    overviews = False

    def suits(self, array: Array) -> bool:
        """Return whether an array of numbers has an axis that is longer than 1."""
        return not is_text(array) and bool(long_axes(array.shape or ()))

    def axes(self, array: Array) -> tuple[int, ...]:
        """Return the axes of what a map would show; the only one of a line."""
        return plane_axes(array)

    def most_points(
        self, axes: Sequence[int], width: int, height: int, *, bounded: bool
    ) -> tuple[int, ...]:
        """Return the most rows and columns; see `PictureKind.most_points`."""
        if len(axes) == 1:
            return (_LONGEST if bounded else max(_LONGEST, width),)
        return (
            (_MOST_ROWS, _MOST_COLUMNS)
            if bounded
            else (max(_MOST_ROWS, height), max(_MOST_COLUMNS, width))
        )

    def build(
        self, source: PictureSource, window: Window, shared: dict[str, Any], most: int
    ) -> QuickLook:
        """Return the numbers of what was read; see `PictureKind.build`."""
        return numeric_picture(self.name, source, window, shared)

    def draw(self, drawn: Figure, axes: Axes, look: QuickLook, view: View) -> None:
        """Write the first rows and columns; see `PictureKind.draw`."""
        rows = [_row(cells) for cells in table_rows(look, view, _DRAWN_ROWS, _DRAWN_COLUMNS)]
        long, wide = (
            1 if one is None else one.size for one in (look.y or look.x, look.y and look.x)
        )
        if long > _DRAWN_ROWS or wide > _DRAWN_COLUMNS:
            rows.append("…")
        write(axes, rows, size=8, family="monospace")


TABLE = Table()


def table_rows(look: QuickLook, view: View, rows: int, columns: int) -> Iterator[list[str]]:
    """Yield the first rows of a table of values, as texts: what stands above them, and then place and values of each.

    Parameters
    ----------
    look
        The table.
    view
        What counts as missing, and whether values are decoded.
    rows, columns
        The most of them.
    """
    down = look.x if look.y is None else look.y
    if down is None or look.values is None:
        return
    across = None if look.y is None else look.x
    values, states = (
        one.reshape(down.size, -1)[:rows, :columns]
        for one in (view.values(look), view.states(look))
    )
    names = [down.label]
    if across is not None:
        names[0] = f"{down.label} \\ {across.label}"
        names += _places(across, values.shape[1])
    else:
        names.append(look.name or look.path.rsplit("/", 1)[-1])
    yield names
    for place, numbers, codes in zip(_places(down, len(values)), values, states, strict=True):
        cells = [
            f"{number:.6g}" if code == VALUE else STATE_TITLES[code]
            for number, code in zip(numbers.tolist(), codes.tolist(), strict=True)
        ]
        yield [place, *cells]


def _row(cells: Sequence[str]) -> str:
    return " ".join(cell[:_WIDTH].rjust(_WIDTH) for cell in cells)


def _places(axis: Axis, most: int) -> list[str]:
    if axis.labels is not None:
        return axis.labels[:most]
    if axis.coordinates is not None:
        return [number_text(float(value)) for value in axis.coordinates[:most]]
    return [str(axis.start + axis.step * i) for i in np.arange(most).tolist()]
