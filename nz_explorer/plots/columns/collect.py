"""The one-dimensional arrays of a group that share a dimension, as the columns of a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nz_explorer.model import Array, Group, Node
from nz_explorer.plots.axes import is_text
from nz_explorer.plots.picture import QuickLook, Selection
from nz_explorer.plots.shown_values import Reading, shown_values
from nz_explorer.plots.source import PictureSource
from nz_explorer.store import Cancellation, ReadError
from nz_explorer.values.categorical import (
    categories_of,
    first_columns,
    is_categorical,
    is_nullable,
    missing_code,
)
from nz_explorer.values.cf_decoding import valid_range
from nz_explorer.values.coordinates.axes import text_attribute
from nz_explorer.values.masks.cell_states import FILL, INVALID, UNREAD, UNREADABLE, VALUE, States
from nz_explorer.values.masks.masked import hides
from nz_explorer.values.points import Points
from nz_explorer.values.reading.chunk_cache import ChunkCache
from nz_explorer.values.reading.opening import UnsupportedArray, open_for_reading
from nz_explorer.values.window import DEFAULT_BUDGET, Window, read_points, read_window

MOST_COLUMNS = 100
_MOST_CATEGORIES = 2**20


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Parameters
    ----------
    name
        Of the array; of categories, and of values with a mask, that of the group which holds them.
    array
        What stands in it: of categories their codes.
    categories
        What the codes stand for.
    mask
        True where a value is missing, whatever is stored there.
    """

    name: str
    array: Array
    categories: Array | None = None
    mask: Array | None = None

    @property
    def title(self) -> str | None:
        """A longer name, where the array has one."""
        return text_attribute(self.array, "long_name", "standard_name")

    @property
    def numeric(self) -> bool:
        """Whether it holds numbers, which have an order of their own; a text or a truth value has none."""
        kind = self.array.data_type.kind
        return self.categories is None and kind != "bool" and not is_text(self.array)


@dataclass(frozen=True, slots=True)
class Table:
    """Arrays of a group that share a dimension.

    Parameters
    ----------
    dimension
        Its name; how many elements it has where it has no name; empty where there is none.
    dimensions
        Those that can be chosen, the one that most columns have first.
    length
        How many rows there are.
    columns
        The columns, the coordinate of the dimension first.
    message
        What was left out, in a sentence.
    """

    dimension: str
    dimensions: tuple[str, ...]
    length: int
    columns: tuple[Column, ...]
    message: str | None = None

    def column(self, name: object) -> Column | None:
        """Return a column by its name."""
        return next((column for column in self.columns if column.name == name), None)


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """What stands in some rows of a column.

    Parameters
    ----------
    column
        The column.
    values
        Decoded and masked, as `shown_values` has them; of categories what their codes stand for.
    states
        The cell states; `FILL` also where a category is missing.
    codes
        Of categories the codes.
    dates
        What values that are times mean; empty where they are none.
    words
        Of categories all there are, in their order.
    look
        What was read, as `shown_values` takes it; None where nothing could be.
    """

    column: Column
    values: np.ma.MaskedArray[Any, Any]
    states: States
    codes: np.ndarray[Any, Any] | None = None
    dates: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    look: QuickLook | None = None


def table(
    group: Group,
    children: Callable[[Group], Sequence[Node]],
    dimension: str | None = None,
) -> Table:
    """Return the table that the one-dimensional arrays of a group make.

    Parameters
    ----------
    group
        The group.
    children
        Returns what is in a group.
    dimension
        What its columns share; by default what most do.
    """
    found: list[tuple[str, Column]] = []
    for child in children(group):
        column: Column | None = None
        if isinstance(child, Array):
            column = Column(child.name, child, categories_of(child))
        elif isinstance(child, Group) and (is_categorical(child) or is_nullable(child)):
            inside = {one.name: one for one in children(child) if isinstance(one, Array)}
            if "codes" in inside and "categories" in inside:
                column = Column(child.name, inside["codes"], inside["categories"])
            elif "values" in inside and "mask" in inside:
                column = Column(child.name, inside["values"], mask=inside["mask"])
        if column is not None and column.array.ndim == 1 and (column.array.shape or (0,))[0] > 0:
            found.append((_shared(column.array), column))
    counts = Counter(name for name, _ in found)
    # One array alone is no table.
    names = tuple(name for name, count in counts.most_common() if count > 1)
    stated = first_columns(group)
    # of a table of HDMF the values of ragged columns may share a length, too
    usual = next((name for name, column in found if column.name == stated[0]), "")
    usual = usual if usual in names else next(iter(names), "")
    chosen = dimension if dimension in names else usual
    columns = [column for name, column in found if name == chosen]
    first = [chosen, *stated]
    columns.sort(key=lambda one: first.index(one.name) if one.name in first else len(first))
    lengths = Counter((column.array.shape or (0,))[0] for column in columns)
    length = lengths.most_common(1)[0][0] if lengths else 0
    same = [column for column in columns if (column.array.shape or (0,))[0] == length]
    notes = []
    if len(same) < len(columns):
        other = [column.name for column in columns if column not in same]
        notes.append(f"of another length: {', '.join(other[:10])}")
    here = {column.name for column in same}
    ragged = [str(name) for name in stated[1:] if name not in here and f"{name}_index" in here]
    if ragged:
        notes.append(f"any number of values for a row: {', '.join(ragged[:10])}")
    if len(same) > MOST_COLUMNS:
        notes.append(f"the first {MOST_COLUMNS} columns of {len(same):,} are shown")
    return Table(chosen, names, length, tuple(same[:MOST_COLUMNS]), "; ".join(notes) or None)


def _shared(array: Array) -> str:
    """Return what an array has in common with others of its table: a dimension, or only its length."""
    names = array.dimension_names
    if names and names[0]:
        return str(names[0])
    return f"{(array.shape or (0,))[0]:,} rows"


def read(
    column: Column,
    points: Points,
    reading: Reading,
    *,
    budget: int | None = DEFAULT_BUDGET,
    cache: ChunkCache | None = None,
    cancel: Cancellation | None = None,
) -> Cells:
    """Read some rows of a column.

    Parameters
    ----------
    column
        The column.
    points
        The rows.
    reading
        What is made of stored values.
    budget
        The most bytes to decode; None for no limit. Rows that this leaves no room for are not read.
    cache
        Where decoded chunks are kept.
    cancel
        Looked at between chunks.
    """
    array = column.array
    try:
        window = read_points(array, [points], {}, budget=budget, cache=cache, cancel=cancel)
        words = None if column.categories is None else _words(column.categories, cache)
        hidden = _hidden(column, window, cache, cancel)
    except (UnsupportedArray, ReadError):
        states = np.full(points.size, UNREADABLE, np.uint8)
        return Cells(column, np.ma.masked_array(np.zeros(points.size), mask=True), states)
    stored, states, storage = window.values, window.states, window.storage_states
    found_states = [np.where(hidden, FILL, one).astype(np.uint8) for one in (states, storage)]
    states, storage = found_states
    if window.axes[0] != points:  # fewer rows fit the budget
        wanted, there = points.indices, window.axes[0].indices
        at = np.flatnonzero(np.isin(wanted, there))
        inside = np.isin(there, wanted)
        stored = np.zeros(points.size, window.values.dtype)
        stored[at] = window.values[inside]
        states, storage = (np.full(points.size, UNREAD, np.uint8) for _ in range(2))
        states[at], storage[at] = found_states[0][inside], found_states[1][inside]
        hidden = np.isin(wanted, there[hidden])
    source = PictureSource(array, {}, None, cache, cancel)
    default = open_for_reading(array, cache).storage_default
    low, high = valid_range(array)
    look = QuickLook(
        "table",
        array.path,
        "",
        "",
        stored=stored,
        stored_states=(states, storage),
        packing=source.packing,
        valid_low=low,
        valid_high=high,
        missing_values=array.missing_values,
        absent_missing=(
            hides(array.fill, array, default),
            hides(array.storage_fill, array, default),
        ),
        missing_code=missing_code(array),
        source=Selection(
            array.path,
            (slice(points.start, points.start + points.step * (points.size - 1) + 1, points.step),),
            (0,),
        ),
    )
    values = shown_values(look, reading)
    if column.mask is not None:  # no reading of fill values brings back what the mask hides
        values = np.ma.masked_array(values.data, np.ma.getmaskarray(values) | hidden)
    states = (storage if reading.mask == "storage" else states).copy()
    gone = np.ma.getmaskarray(values)
    states[gone & (states == VALUE)] = INVALID if words is None else FILL
    if words is None:
        return Cells(column, values, states, dates=source.dates(stored, states), look=look)
    known = ~gone & (stored >= 0) & (stored < len(words))
    named = np.full(points.size, "", object)
    named[known] = words[stored[known]]
    states[~known & (states == VALUE)] = INVALID
    found = np.ma.masked_array(named, ~known)
    return Cells(column, found, states, codes=stored, words=tuple(words.tolist()), look=look)


def _hidden(
    column: Column, window: Window, cache: ChunkCache | None, cancel: Cancellation | None
) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return what of a window the mask of its column hides; also where that cannot be read."""
    if column.mask is None:
        return np.zeros(window.states.shape, np.bool_)
    found = read_points(column.mask, window.axes, {}, budget=None, cache=cache, cancel=cancel)
    hidden: np.ndarray[Any, np.dtype[np.bool_]] = found.values.astype(np.bool_)
    return hidden | np.isin(found.states, (UNREADABLE, UNREAD))


def _words(categories: Array, cache: ChunkCache | None) -> np.ndarray[Any, Any]:
    count = (categories.shape or (0,))[0]
    window = read_window(categories, (0,), {}, (min(count, _MOST_CATEGORIES),), cache=cache)
    words = np.empty(len(window.values), object)
    words[:] = [str(one) for one in window.values.tolist()]
    return words
