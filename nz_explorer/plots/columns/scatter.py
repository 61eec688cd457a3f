"""Two columns of a table against each other, in the colours of a third."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nz_explorer.plots.columns.collect import Cells, Column, Table
from nz_explorer.plots.drawing.canvas import empty, lock
from nz_explorer.plots.drawing.legends import write
from nz_explorer.plots.drawing.parts import category_colour, named, safe
from nz_explorer.values.cf_decoding import packing
from nz_explorer.values.coordinates.axes import text_attribute
from nz_explorer.values.masks.cell_states import FILL, TITLES, VALUE
from nz_explorer.values.points import Points, spread

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_POINTS = 10_000
"""Of more rows, evenly spaced ones are drawn."""
MOST_NAMED = 24
"""Categories that the legend names."""
_DRAWN_ROWS, _DRAWN_COLUMNS, _WIDTH = 24, 7, 12
Doubles = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, slots=True, eq=False)
class Scatter:
    """Points of two columns.

    Parameters
    ----------
    table
        What the columns are from.
    points
        The rows that were read.
    cells
        The columns along x and y, and that of the colours, where there is one.
    x, y
        Where each row lies; NaN where it has no place, for one of the numbers is missing.
    colour
        The value, or the number of the category, that gives each row its colour; None without.
    categories
        What the numbers of categories stand for.
    note
        How many rows are drawn, and why not all, in a sentence.
    """

    table: Table
    points: Points
    cells: tuple[Cells, ...]
    x: Doubles
    y: Doubles
    colour: Doubles | None
    categories: tuple[str, ...]
    note: str


def scatter(
    table: Table, view: Mapping[str, Any], read: Callable[[Column, Points], Cells], most: int
) -> Scatter | None:
    """Return two columns of a table against each other; None where it has no two columns of numbers.

    Parameters
    ----------
    table
        The table.
    view
        ``x``, ``y`` and ``color``: names of columns; by default the first two, and no colour.
    read
        Reads rows of a column.
    most
        The most rows.
    """
    numbers = [column for column in table.columns if column.numeric]
    free = [column for column in numbers if column.name != table.dimension] or numbers
    if len(numbers) < 2:  # x and y
        return None
    x = table.column(view.get("x")) or free[0]
    y = table.column(view.get("y")) or next(one for one in (*free, *numbers) if one is not x)
    third = table.column(view.get("color"))
    points = spread(0, table.length, most)
    cells = [read(column, points) for column in (x, y, *([] if third is None else [third]))]
    across, up = _numbers(cells[0]), _numbers(cells[1])
    colour, words = (None, ()) if third is None else _colours(cells[2])
    gone = ~np.isfinite(across) | ~np.isfinite(up)
    if colour is not None:
        gone |= ~np.isfinite(colour)
    across[gone] = up[gone] = np.nan
    if colour is not None:
        colour[gone] = np.nan  # the colours span what is drawn
    drawn = int((~gone).sum())
    note = f"{drawn:,} of {table.length:,} rows"
    reasons = [f"1 in {points.step:,} is read"] if points.step > 1 else []
    if gone.any():
        lost = int(gone.sum())
        reasons.append(f"{lost:,} {'has' if lost == 1 else 'have'} no number: {_why(cells, gone)}")
    note = "; ".join([f"{note} are drawn", *reasons])
    return Scatter(table, points, tuple(cells), across, up, colour, words, note)


def _why(cells: list[Cells], gone: np.ndarray[Any, np.dtype[np.bool_]]) -> str:
    found = {
        (int(code), state_title(one, int(code)))
        for one in cells
        for code in np.unique(one.states[gone])
        if code != VALUE
    }
    return ", ".join(title for _, title in sorted(found)) or "not finite"


def state_title(cells: Cells, state: int) -> str:
    """Return why there is no value in a cell, in a word.

    Parameters
    ----------
    cells
        Of a column.
    state
        The cell state.
    """
    return "missing" if cells.codes is not None and state == FILL else TITLES[state]


def _numbers(cells: Cells) -> Doubles:
    values = cells.values if cells.codes is None else np.ma.masked_array(cells.codes)
    if values.dtype.kind == "c":
        values = np.abs(values)
    if values.dtype.kind not in "biuf":
        return np.full(cells.states.size, np.nan)
    found: Doubles = np.ma.filled(np.ma.asarray(values, np.float64), np.nan).astype(np.float64)
    return found


def _colours(cells: Cells) -> tuple[Doubles, tuple[str, ...]]:
    """Return what gives rows their colours: numbers, or the numbers of categories and what these are called."""
    if cells.column.numeric:
        return _numbers(cells), ()
    gone = np.ma.getmaskarray(cells.values)
    words, numbers = np.unique(
        np.asarray(cells.values.data, dtype=object)[~gone].astype(str), return_inverse=True
    )
    colour = np.full(gone.size, np.nan)
    colour[~gone] = numbers
    return colour, tuple(words.tolist())


def label(column: Column) -> str:
    """Return what stands along an axis: what it is called, and in which units."""
    found = packing(column.array)
    units = text_attribute(column.array, "units") if found is None else found.units
    return named(column.title or column.name, units)


def scatter_figure(
    found: Scatter | None, colours: str, *, width: float = 8.0, height: float = 5.0
) -> Figure:
    """Draw a scatter by matplotlib.

    Parameters
    ----------
    found
        From `scatter`.
    colours
        Name of the colormap.
    width, height
        In inches.
    """
    from nz_explorer.plots.colours.colormaps import colormap

    with lock:
        drawn, axes = empty(width, height)
        if found is None:
            write(axes, ["no two columns of numbers share a dimension"], size=11)
            return drawn
        given: dict[str, Any] = {"s": 9, "linewidths": 0, "rasterized": True}
        if found.colour is None:
            axes.scatter(found.x, found.y, color=category_colour(0), **given)
        elif found.categories:
            there = np.flatnonzero(np.isfinite(found.x))
            colours_of = [category_colour(int(number)) for number in found.colour[there]]
            axes.scatter(found.x[there], found.y[there], c=colours_of, **given)
            for number, word in enumerate(found.categories[:MOST_NAMED]):
                axes.scatter([], [], color=category_colour(number), label=safe(word, 40), s=20)
            drawn.legend(loc="outside right upper", fontsize="small", frameon=False)
        else:
            there = np.isfinite(found.x)
            points = axes.scatter(
                found.x[there],
                found.y[there],
                c=found.colour[there],
                cmap=colormap(colours),
                **given,
            )
            drawn.colorbar(points, ax=axes, label=safe(label(found.cells[2].column), 60))
        axes.set_xlabel(safe(label(found.cells[0].column), 80))
        axes.set_ylabel(safe(label(found.cells[1].column), 80))
        axes.grid(visible=True, lw=0.4, alpha=0.5)
        axes.set_title(safe(found.note, 120), loc="left", fontsize="medium")
        return drawn


def texts(cells: Cells) -> list[str]:
    """Return what stands in the cells of a column, of those without a value why there is none."""
    gone = np.ma.getmaskarray(cells.values)
    dates = cells.dates or ("",) * len(gone)
    found = []
    for value, missing, state, date in zip(
        cells.values.data, gone.tolist(), cells.states.tolist(), dates, strict=True
    ):
        if missing:
            found.append(state_title(cells, state))
        else:
            found.append(date or str(value))
    return found


def table_figure(
    table: Table,
    read: Callable[[Column, Points], Cells],
    *,
    width: float = 8.0,
    height: float = 5.0,
) -> Figure:
    """Write the first rows and columns of a table by matplotlib.

    Parameters
    ----------
    table
        The table.
    read
        Reads rows of a column.
    width, height
        In inches.
    """
    size = min(table.length, _DRAWN_ROWS)
    points = Points(0, 0, 1, size, table.length, 0, size)
    columns = table.columns[:_DRAWN_COLUMNS]
    cells = [[column.name, *texts(read(column, points))] for column in columns]
    lines = [
        " ".join(cell[:_WIDTH].rjust(_WIDTH) for cell in row) for row in zip(*cells, strict=True)
    ]
    if table.length > size or len(table.columns) > len(columns):
        lines.append("…")
    with lock:
        drawn, axes = empty(width, height)
        write(axes, lines or ["no columns share a dimension"], size=8, family="monospace")
        return drawn


def records(cells: Sequence[Cells]) -> np.ma.MaskedArray[Any, Any]:
    """Return columns as one array with a field for each, masked where there is no value.

    Parameters
    ----------
    cells
        The same rows of each column.
    """
    cells = list({one.column.name: one for one in cells}.values())
    data = [
        one.values.data.astype(object).astype(np.str_)
        if one.values.dtype.kind in "OT"
        else np.asarray(one.values.data)
        for one in cells
    ]
    names = [one.column.name for one in cells]
    size = cells[0].states.size if cells else 0
    dtype = np.dtype([(name, one.dtype) for name, one in zip(names, data, strict=True)])
    values, gone = np.zeros(size, dtype), np.zeros(size, [(name, np.bool_) for name in names])
    for name, one, given in zip(names, cells, data, strict=True):
        values[name] = given
        gone[name] = np.ma.getmaskarray(one.values)
    return np.ma.masked_array(values, mask=gone)
