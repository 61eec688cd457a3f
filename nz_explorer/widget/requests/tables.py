"""The arrays of a group that share a dimension: their table, and two of them as a scatter."""

from __future__ import annotations

import io
import itertools
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from nz_explorer.model import Group, Node
from nz_explorer.plots.columns.along import label
from nz_explorer.plots.columns.collect import Cells, Column, Table, read, table
from nz_explorer.plots.columns.scatter import (
    MOST_POINTS,
    Scatter,
    records,
    scatter,
    scatter_figure,
    table_figure,
    texts,
)
from nz_explorer.plots.shown_values import Reading
from nz_explorer.store import Cancellation
from nz_explorer.values.categorical import is_data_frame
from nz_explorer.values.masks.cell_states import UNREAD
from nz_explorer.values.points import Points
from nz_explorer.widget import protocol
from nz_explorer.widget.requests.answer import MAX_PAGE, Answer, BadRequest, answers
from nz_explorer.widget.session_view import SessionView
from nz_explorer.widget.text import on_screen

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from nz_explorer.widget.code.result import Code

KINDS = ("table", "scatter")
"""What the ``kind`` of a view makes of a group."""
USUAL_COLOURS = "viridis"
_ROWS = 50_000
"""Rows that are read at a time for a file."""


class Columns:
    """The columns of a group, as a view shows them.

    Parameters
    ----------
    session : SessionView
        What is open.
    group : Group
        The group.
    view : mapping
        See `Explorer.view`.
    cancel : Cancellation, optional
        Set when they are no longer wanted.
    whole : bool
        Whether every row is wanted, however many bytes that takes.
    """

    def __init__(
        self,
        session: SessionView,
        group: Group,
        view: Mapping[str, Any],
        cancel: Cancellation | None = None,
        *,
        whole: bool = False,
    ) -> None:
        self.group = group
        self.budget = session.budget
        self.view = view
        self.whole = whole
        name = str(view.get("colormap") or USUAL_COLOURS)
        turned = name.removesuffix("_r") if name.endswith("_r") else f"{name}_r"
        self.colours = turned if view.get("reverse") else name
        self.table: Table = table(group, session.tree.children, _text(view, "dimension"))
        budget = None if whole else session.budget
        self.read: Callable[[Column, Points], Cells] = partial(
            read, reading=Reading.of(view), budget=budget, cache=session.cache, cancel=cancel
        )

    def rows(self, offset: int, limit: int) -> list[Cells]:
        """Return some rows of all columns.

        Parameters
        ----------
        offset, limit : int
            The first row, and how many.
        """
        points = part(self.table, offset, limit)
        return [self.read(column, points) for column in self.table.columns]

    def scatter(self) -> Scatter | None:
        """Return two columns against each other; None where there are no two."""
        most = self.table.length if self.whole else MOST_POINTS
        return scatter(self.table, self.view, self.read, max(1, most))

    def cells(self) -> list[Cells]:
        """Return what is shown: the same rows of each column."""
        if self.view.get("kind") == "scatter":
            found = self.scatter()
            return [] if found is None else list(found.cells)
        return self.rows(0, self.table.length)

    def values(self) -> np.ma.MaskedArray[Any, Any]:
        """Return what is shown as an array with a field for each column."""
        pieces = [self.cells()] if self.view.get("kind") == "scatter" else list(self._pieces())
        if any((one.states == UNREAD).any() for cells in pieces for one in cells):
            warnings.warn("rows that the byte budget has no room for are masked", stacklevel=3)
        found = [records(cells) for cells in pieces]
        values = np.concatenate([one.data for one in found])
        return np.ma.masked_array(values, np.concatenate([one.mask for one in found]))

    def _pieces(self) -> Iterator[list[Cells]]:
        """Yield all rows of a table, some at a time: each of these has room in the byte budget."""
        for offset in range(0, max(1, self.table.length), _ROWS):
            yield self.rows(offset, _ROWS)

    def figure(self, *, width: float = 8.0, height: float = 5.0) -> Figure:
        """Return what is shown, drawn by matplotlib.

        Parameters
        ----------
        width, height : float
            In inches.
        """
        if self.view.get("kind") == "scatter":
            return scatter_figure(self.scatter(), self.colours, width=width, height=height)
        return table_figure(self.table, self.read, width=width, height=height)

    def file(self, form: str) -> bytes:
        """Return what is shown as the bytes of a file.

        Parameters
        ----------
        form : {"png", "svg", "npy", "csv"}
            What file. Tables of text hold every row, an empty cell where there is no value.

        Raises
        ------
        ValueError
            If it cannot be written so.
        """
        target = io.BytesIO()
        if form in ("png", "svg"):
            self.figure().savefig(target, format=form, dpi=150)
        elif form == "npy":
            # Numbers that are missing are NaN: a file has no mask.
            np.save(target, filled(self.values()), allow_pickle=False)
        elif form == "csv":
            return self._csv().encode()
        else:
            raise ValueError("netCDF has no such table: ex.to_xarray() has the arrays")
        return target.getvalue()

    def _csv(self) -> str:
        from nz_explorer.widget.requests.csv_text import cell, csv_rows

        def rows(cells: list[Cells]) -> Iterator[tuple[Any, ...]]:
            columns = []
            for one in cells:
                gone = np.ma.getmaskarray(one.values).tolist()
                said = zip(texts(one), gone, strict=True)
                columns.append(["" if missing else cell(text) for text, missing in said])
            return zip(*columns, strict=True)

        if self.view.get("kind") == "scatter":
            cells = list({one.column.name: one for one in self.cells()}.values())
            return csv_rows([[cell(one.column.name) for one in cells], *rows(cells)])
        head = [cell(column.name) for column in self.table.columns]
        lines = (line for cells in self._pieces() for line in rows(cells))
        return csv_rows(itertools.chain([head], lines))


def filled(values: np.ma.MaskedArray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return masked columns as an array whose missing numbers are NaN, and missing texts empty.

    Parameters
    ----------
    values : MaskedArray
        With a field for each column.
    """
    kinds = []
    for name in values.dtype.names or ():
        gone = bool(np.ma.getmaskarray(values[name]).any())
        kind = values.dtype[name]
        kinds.append((name, np.dtype(np.float64) if gone and kind.kind in "biu" else kind))
    found = np.zeros(values.shape, kinds)
    for name, kind in kinds:
        found[name] = values[name].data.astype(kind)
        if kind.kind in "fc":
            found[name][np.ma.getmaskarray(values[name])] = np.nan
    return found


def part(found: Table, offset: int, limit: int) -> Points:
    """Return some rows of a table, as far as there are such.

    Parameters
    ----------
    found : Table
        The table.
    offset, limit : int
        The first row, and how many.
    """
    first = max(0, min(offset, found.length))
    size = max(0, min(limit, found.length - first))
    return Points(0, first, 1, size, found.length, first, first + size)


def group_at(session: SessionView, path: str) -> Group:
    """Return a group.

    Parameters
    ----------
    session : SessionView
        What is open.
    path : str
        Where.

    Raises
    ------
    BadRequest
        If it is none.
    """
    node = session.tree.node(path)
    if not isinstance(node, Group):
        raise BadRequest(f"{node.path} is no group")
    return node


def _text(view: Mapping[str, Any], name: str) -> str | None:
    value = view.get(name)
    return value if isinstance(value, str) else None


@answers("table")
def answer_table(
    session: SessionView, params: protocol.TableParams, cancel: Cancellation
) -> Answer:
    """Return rows of the table of a group."""
    group = group_at(session, params.path)
    found = Columns(session, group, params.view, cancel)
    if not found.table.columns:
        raise BadRequest(f"{group.path} has no arrays of one dimension that share it")
    cells = found.rows(params.offset, min(max(0, params.limit), MAX_PAGE))
    columns = [
        _column(one.column, texts(one), "".join(map(str, one.states.tolist()))) for one in cells
    ]
    shown = found.table
    return protocol.TableResult(
        group.path,
        shown.dimension,
        list(shown.dimensions),
        shown.length,
        params.offset,
        columns,
        shown.message and on_screen(shown.message),
    ), ()


@answers("scatter")
def answer_scatter(
    session: SessionView, params: protocol.ScatterParams, cancel: Cancellation
) -> Answer:
    """Return two columns of the table of a group against each other."""
    group = group_at(session, params.path)
    found = Columns(session, group, params.view, cancel)
    drawn = found.scatter()
    if drawn is None:
        raise BadRequest(f"{group.path} has no two columns that share a dimension")
    axes = [
        protocol.ScatterAxis(
            one.label,
            *one.span,
            one.scale,
            list(one.words),
            list(one.texts),
            [protocol.ScatterTick(value, text) for value, text in one.ticks],
        )
        for one in drawn.axes
    ]
    return protocol.ScatterResult(
        group.path,
        [_column(column) for column in found.table.columns],
        [one.column.name for one in drawn.cells],
        axes,
        drawn.points.start,
        drawn.points.step,
        list(range(len(axes))),
        found.colours,
        drawn.note and on_screen(drawn.note),
    ), [one.places.tobytes() for one in drawn.axes]


def _column(column: Column, cells: list[str] | None = None, states: str = "") -> protocol.Column:
    return protocol.Column(column.name, label(column), column.array.path, cells or [], states)


def shown(
    session: SessionView, node: Node, view: Mapping[str, Any], *, whole: bool = False
) -> Columns | None:
    """Return the columns of a group whose view shows them; None of all else, and where there are none.

    Parameters
    ----------
    session : SessionView
        What is open.
    node : Node
        What is selected.
    view : mapping
        See `Explorer.view`.
    whole : bool
        Whether every row is wanted, however many bytes that takes.
    """
    if not isinstance(node, Group):
        return None
    kind = view.get("kind", "auto")
    if (default_kind(node) if kind == "auto" else kind) not in KINDS:
        return None
    found = Columns(session, node, view, whole=whole)
    least = 2 if kind == "scatter" else 1
    return found if len(found.table.columns) >= least else None


def default_kind(group: Group) -> Literal["pictures", "table"]:
    """Return what is shown of a group where its view has no ``kind``."""
    return "table" if is_data_frame(group) else "pictures"


def code(columns: Columns) -> Code:
    """Return Python that gets to what is shown of columns.

    Parameters
    ----------
    columns : Columns
        From `shown`.
    """
    from nz_explorer.widget.code.columns import code_of_columns

    group, view, colours = columns.group, columns.view, columns.colours
    drawn = columns.scatter() if view.get("kind") == "scatter" else None
    cells = columns.cells() if drawn is None else drawn.cells
    return code_of_columns(group.hierarchy, group, cells, view, colours, columns.budget, drawn)
