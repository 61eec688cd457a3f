"""Two columns of a table against each other, in the colours of a third."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from nz_explorer.plots.captions import text_of_bytes
from nz_explorer.plots.colours.categories import category_colour
from nz_explorer.plots.colours.ranges import Scale, threshold
from nz_explorer.plots.columns.along import (
    LONGEST_WORD,
    Along,
    limits,
    outside,
    placed,
    span,
    ticks,
)
from nz_explorer.plots.columns.collect import Cells, Column, Table
from nz_explorer.plots.drawing.canvas import empty, lock
from nz_explorer.plots.drawing.legends import write
from nz_explorer.plots.drawing.parts import safe
from nz_explorer.plots.drawing.view import norm_of
from nz_explorer.values.masks.cell_states import FILL, TITLES, VALUE
from nz_explorer.values.points import Points, spread

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_POINTS = 10_000
"""Of more rows, evenly spaced ones are drawn."""
MOST_NAMED = 24
"""Categories that the legend names."""
_DRAWN_ROWS, _DRAWN_COLUMNS, _WIDTH = 24, 7, 12


@dataclass(frozen=True, slots=True, eq=False)
class Scatter:
    """Points of two columns.

    Parameters
    ----------
    table
        What the columns are from.
    points
        The rows that were read.
    axes
        The columns along x and y, and that of the colours, where there is one. A row that is not drawn has no place
        along any of them.
    note
        How many rows are drawn, and why not all, in a sentence.
    """

    table: Table
    points: Points
    axes: tuple[Along, ...]
    note: str

    @property
    def cells(self) -> tuple[Cells, ...]:
        """What stands in the rows of the columns."""
        return tuple(one.cells for one in self.axes)


def scatter(
    table: Table, view: Mapping[str, Any], read: Callable[[Column, Points], Cells], most: int
) -> Scatter | None:
    """Return two columns of a table against each other; None where it has no two columns.

    Parameters
    ----------
    table
        The table.
    view
        ``x``, ``y`` and ``color``: names of columns; by default the first two of numbers, and no colour. ``window``:
        limits by the name of a column. ``low``, ``high`` and ``scale`` are of the colours where those are numbers, else
        of the vertical axis.
    read
        Reads rows of a column.
    most
        The most rows.
    """
    if len(table.columns) < 2:  # x and y
        return None
    numbers = [column for column in table.columns if column.numeric]
    first = [column for column in numbers if column.name != table.dimension]
    free = [*first, *numbers, *table.columns]
    x = table.column(view.get("x")) or free[0]
    y = table.column(view.get("y")) or next(one for one in free if one is not x)
    third = table.column(view.get("color"))
    points = spread(0, table.length, most)
    found = [placed(read(one, points)) for one in (x, y, *([] if third is None else [third]))]
    valued = 2 if third is not None and not (found[2].words or found[2].texts) else 1
    scales: list[Scale] = ["linear"] * len(found)
    if not found[valued].texts:
        scales[valued] = view.get("scale") or "linear"
    ends = [limits(view, one.cells.column, of_values=at == valued) for at, one in enumerate(found)]
    gone = np.any([np.isnan(one.places) for one in found], axis=0)
    # colours beyond their limits are those of the limits
    beyond = [
        outside(one, (None, None) if at == 2 else ends[at], scales[at])
        for at, one in enumerate(found)
    ]
    left_out = ~gone & np.any(beyond, axis=0)
    axes = []
    for at, one in enumerate(found):
        places = np.where(gone | left_out, np.nan, one.places)
        across = span(one, places, ends[at], scales[at], air=at < 2)
        shown = replace(one, places=places, span=across, scale=scales[at])
        axes.append(replace(shown, ticks=ticks(shown, across, across=at == 0)))
    drawn = int((~(gone | left_out)).sum())
    reasons = [f"1 in {points.step:,} is read"] if points.step > 1 else []
    if gone.any():
        lost = int(gone.sum())
        why = _why([one.cells for one in found], gone)
        reasons.append(f"{lost:,} {'has' if lost == 1 else 'have'} no value: {why}")
    if left_out.any():
        lost = int(left_out.sum())
        where = "beyond the limits" if "log" not in scales else "beyond the limits, or not above 0"
        reasons.append(f"{lost:,} {'is' if lost == 1 else 'are'} {where}")
    note = "; ".join([f"{drawn:,} of {table.length:,} rows are drawn", *reasons])
    return Scatter(table, points, tuple(axes), note)


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
    named = cells.codes is not None or cells.column.mask is not None
    return "missing" if named and state == FILL else TITLES[state]


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
        x, y, *third = found.axes
        there = np.isfinite(x.places)
        at = x.places[there], y.places[there]
        if not third:
            axes.scatter(*at, color=category_colour(0), **given)
        elif third[0].words:
            shades = [category_colour(int(number)) for number in third[0].places[there]]
            axes.scatter(*at, c=shades, **given)
            for number, word in enumerate(third[0].words[:MOST_NAMED]):
                axes.scatter([], [], color=category_colour(number), label=safe(word, 40), s=20)
            drawn.legend(loc="outside right upper", fontsize="small", frameon=False)
        else:
            shown = third[0].places[there]
            norm = norm_of(third[0].span, third[0].scale)
            points = axes.scatter(*at, c=shown, cmap=colormap(colours), norm=norm, **given)
            bar = drawn.colorbar(points, ax=axes, label=safe(third[0].label, 60))
            if third[0].ticks:
                bar.set_ticks(
                    [place for place, _ in third[0].ticks],
                    labels=[safe(text, 24) for _, text in third[0].ticks],
                )
        for one, which in ((x, axes.xaxis), (y, axes.yaxis)):
            if one.scale != "linear":
                options = {"linthresh": threshold(*one.span)} if one.scale == "symlog" else {}
                axes.set_yscale(one.scale, **options)
            if one.ticks:
                which.set_ticks(
                    [place for place, _ in one.ticks],
                    [safe(text, LONGEST_WORD) for _, text in one.ticks],
                )
            which.set_label_text(safe(one.label, 80))
        axes.set_xlim(*x.span)
        axes.set_ylim(*y.span)
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
            found.append(date or (text_of_bytes(value) if isinstance(value, bytes) else str(value)))
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
