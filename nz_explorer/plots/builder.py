"""Reads what a picture of one slice of an array shows, and has its kind make the picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial as partial_of
from typing import Any, cast

from nz_explorer.model import Array, Group, Hierarchy
from nz_explorer.plots.axes import Squeezed, with_chosen
from nz_explorer.plots.captions import describe, hidden_by_xarray, hidden_text, title_of
from nz_explorer.plots.complex_parts import Part
from nz_explorer.plots.derived.difference import Against, subtract
from nz_explorer.plots.kind import PictureKind
from nz_explorer.plots.numbers import fill_text, is_numeric, shown_fill, window_counts
from nz_explorer.plots.picture import Axis, QuickLook, Selection
from nz_explorer.plots.registry import kinds_of
from nz_explorer.plots.source import PictureSource
from nz_explorer.plots.text import TEXT
from nz_explorer.store import Cancellation, ReadError
from nz_explorer.text.units import hemispheres
from nz_explorer.values.categorical import missing_code
from nz_explorer.values.cf_decoding import valid_range
from nz_explorer.values.coordinates.auxiliary import PointCoordinate
from nz_explorer.values.coordinates.axes import (
    long_name,
    units_label,
    unusable_packing,
)
from nz_explorer.values.coordinates.curvilinear import parts_of_box
from nz_explorer.values.coordinates.dimension_coordinate import COORDINATE_BUDGET
from nz_explorer.values.masks.cell_states import UNREAD
from nz_explorer.values.masks.masked import hides
from nz_explorer.values.nonempty_region import NonemptyRegion, locate, shows_nearly_nothing
from nz_explorer.values.overviews import Overview, overview
from nz_explorer.values.points import Points, spread
from nz_explorer.values.reading.chunk_cache import ChunkCache
from nz_explorer.values.reading.chunks import Progress
from nz_explorer.values.reading.opening import UnsupportedArray, no_shape, open_for_reading
from nz_explorer.values.reading.size_limits import bytes_text
from nz_explorer.values.reduction import (
    Reduction,
    TooMuch,
    reduced_window,
    reduction_of,
    with_latitudes,
)
from nz_explorer.values.window import DEFAULT_BUDGET, Window, read_window

_LONGEST_LINE = 2**24
_SMALL, _SMALL_CHUNKS = 2**16, 64
"""Elements and chunks up to which a picture has all of them, though there is room for fewer: counts are of the whole slice."""
_FEW, _BUDGET_OF_FEW = 8, DEFAULT_BUDGET // 2
"""Points along each axis that tell of what kind a picture is, and bytes that are decoded for them."""


def make(  # noqa: PLR0913  # each is a choice of the caller
    hierarchy: Hierarchy,
    array: Array | str,
    index: Mapping[str, int] | None = None,
    *,
    width: int = 800,
    height: int = 500,
    budget: int = DEFAULT_BUDGET,
    everything: bool = False,
    thin: bool = True,
    window: Mapping[str, Sequence[float]] | None = None,
    x: str | None = None,
    y: str | None = None,
    kind: str = "auto",
    part: Part | None = None,
    reduce: Mapping[str, str] | None = None,
    against: str | Mapping[str, Any] | None = None,
    other: Hierarchy | None = None,
    cancel: Cancellation | None = None,
    cache: ChunkCache | None = None,
    progress: Progress | None = None,
    partial: Callable[[QuickLook], object] | None = None,
) -> QuickLook:
    """Look at a slice of an array.

    Parameters
    ----------
    hierarchy
        Where the array is.
    array
        The array, or its path.
    index
        At which index dimensions are fixed: by name, or ``dim_<axis>`` where a dimension has no
        name of its own.
    width, height
        Pixels that there is room for; no more points are returned (twice the width for a line).
    budget
        The most bytes to decode.
    everything
        Read the whole slice, regardless of the budget.
    thin
        Of a line of more elements than there is room for, show the lowest and the highest of as many parts.
    window
        Part of a dimension that is shown, as first index and the one after the last; of a two-dimensional
        coordinate its lowest and highest value, of which the smallest part of the array is shown that holds them.
    x, y
        Names of the dimensions along the axes, instead of the last two that are longer than 1.
    kind
        Name of the kind of picture; the usual one where the array cannot have it.
    part
        Of complex numbers; the magnitude by default.
    reduce
        By name of a dimension ``mean``, ``min``, ``max``, ``std`` or ``any``, the same for all: what is shown in place
        of its values. They are decoded and masked before; a mean along latitudes is weighted by area.
    against
        What is subtracted: the path of another array, or an index by dimension, as in ``{"time": 0}``, with ``path``
        for that of another array and ``store`` where it is in `other`; with ``show`` ``a`` or ``b``, one of the two, or ``both``.
    other
        A hierarchy that may be compared with this one.
    cancel
        Looked at between chunks.
    cache
        Where decoded chunks are kept.
    progress
        Called with the number of chunks done and of all.
    partial
        Called now and then, from any thread, with the picture as far as it is there.

    Returns
    -------
    QuickLook
        Of kind ``none``, with a message, where there is nothing to show. Bad data raises nothing.

    Raises
    ------
    NodeNotFound
        If `array` is a path at which there is nothing.
    ValueError
        If dimensions are to be reduced in several ways, or in one that there is not.
    Cancelled
        If it was cancelled.
    """
    if isinstance(array, str):
        node = hierarchy[array]
        if not isinstance(node, Array):
            is_group = isinstance(node, Group)
            return nothing(
                node.path, f"{node.path} is not an array" if is_group else node.unreadable()
            )
        array = node
    minus = Against.of(against)
    if minus is not None:
        options: dict[str, Any] = {
            "width": width,
            "height": height,
            "budget": budget,
            "everything": everything,
            "window": window,
            "x": x,
            "y": y,
            "reduce": reduce,
            "cancel": cancel,
            "cache": cache,
        }

        def look(one: Array, at: Mapping[str, int], kind: str = kind) -> QuickLook:
            return make(hierarchy, one, at, kind=kind, thin=False, **options)

        shown = look(array, index or {})
        where = other if minus.elsewhere else hierarchy
        return subtract(where, array, shown, minus, partial_of(look, kind=shown.kind))
    reading = _Reading(array, index or {}, window or {}, part, cache, cancel)
    reading.choose(kind, (x, y), reduce or {})
    try:
        return reading.picture(
            width=width,
            height=height,
            budget=None if everything else budget,
            thin=thin,
            progress=progress,
            partial=partial,
        )
    except (UnsupportedArray, ReadError) as error:
        return replace(nothing(array.path, str(error)), data_type=array.data_type.text)


def nothing(path: str, message: str) -> QuickLook:
    """Return that there is no picture of a node.

    Parameters
    ----------
    path
        Of the node.
    message
        Why, in a sentence.
    """
    return QuickLook("none", path, path, f"no picture of {path}: {message}", message=message)


class _Reading(PictureSource):
    """Reads what one picture shows."""

    latitudes: Axis | None = None

    def __init__(
        self,
        array: Array,
        index: Mapping[str, int],
        window: Mapping[str, Sequence[float]],
        part: Part | None,
        cache: ChunkCache | None,
        cancel: Cancellation | None,
    ) -> None:
        super().__init__(array, index, part, cache, cancel)
        self.given = {axis: at for axis, at in self.index.items() if self.names[axis] in index}
        self.window = window

    def choose(
        self, kind: str, along: tuple[str | None, str | None], reduce: Mapping[str, str]
    ) -> None:
        """Choose what kind of picture is made, along which axes, and what is made of others."""
        array, window = self.array, self.window
        self.reduction = reduction_of(array, self.names, reduce)
        if self.reduction is not None:
            array = cast("Array", Squeezed(array, self.reduction.axes))
        suitable = [one for one in kinds_of(array) if one.reduces or self.reduction is None]
        if self.reduction is None and kind not in [one.name for one in suitable]:
            told = [one for one in suitable if one.is_told_by_values(array) and self._told(one)]
            suitable = [*told, *(one for one in suitable if one not in told)]
        self.kinds = tuple(one.name for one in suitable)
        self.kind = suitable[self.kinds.index(kind) if kind in self.kinds else 0]
        self.axes = self.kind.axes(array)
        if self.kind.any_axes:
            wanted = [None if one in reduce else one for one in along]
            self.axes = with_chosen(array, self.axes, *wanted)
        self.parts = {
            axis: (max(0, int(part[0])), int(part[1]))
            for axis in self.axes[:2]  # of an image all colours are shown
            for part in [window.get(self.names[axis], ())]
            if len(part) == 2 and max(0, int(part[0])) < int(part[1])
        }

    def _told(self, kind: PictureKind) -> bool:
        """Return whether a few values, the same ones for all slices, tell that an array is usually shown so."""
        axes = kind.axes(self.array)
        few = (_FEW,) * len(axes)
        try:
            some = read_window(self.array, axes, {}, few, budget=_BUDGET_OF_FEW, cache=self.cache)
        except (UnsupportedArray, ReadError):
            return False
        return kind.suits_values(some)

    def picture(
        self,
        *,
        width: int,
        height: int,
        budget: int | None,
        thin: bool,
        progress: Progress | None,
        partial: Callable[[QuickLook], object] | None,
    ) -> QuickLook:
        array = self.array
        if (unusable := self._without_values()) is not None:
            return unusable
        if self.window.keys() - set(self.names):
            self.parts |= parts_of_box(
                array, self.axes, self.window, self._fixed(), cache=self.cache, cancel=self.cancel
            )
        most = self.kind.most_points(self.axes, width, height, bounded=budget is not None)
        if self.reduction is not None:
            return self._reduced(self.reduction, most, budget)
        whole_line = self._whole_line(budget)
        if self.kind.overviews and not whole_line:
            most = self._least_thinned(most, overviews=budget is not None)
        source = self.overview.array if self.overview else array
        self.chunk_shape = open_for_reading(source, self.cache).borders

        def finish(window: Window) -> QuickLook:
            if budget is not None:
                left = max(0, budget - window.facts.decoded_bytes)
                self.coordinate_budget = min(COORDINATE_BUDGET, left)
            return self._picture(window, most[0] if thin else _LONGEST_LINE)

        def show(window: Window) -> None:
            if partial is not None:
                partial(finish(window))

        def read() -> Window:
            return read_window(
                source,
                self.axes,
                self._in_source(self.index),
                (_LONGEST_LINE,)
                if whole_line and most[0] < _LONGEST_LINE
                else most[: len(self.axes)],
                parts=self._parts_in_source(),
                budget=budget,
                cache=self.cache,
                cancel=self.cancel,
                progress=progress,
                partial=None if partial is None else show,
            )

        window = read()
        if budget is not None and not self.parts and self.overview is None and self.axes:
            located = self._where_something_is(window, budget)
            if located is not None:
                self.index |= located.index
                self.parts = located.parts
                window = read()
                note = f"{located.text}; {window.facts.note}"
                window = replace(window, facts=replace(window.facts, note=note))
        return finish(window)

    def _without_values(self) -> QuickLook | None:
        """Return why an array has no values; None where it has."""
        array, shape = self.array, self.shape
        if shape is None:
            return nothing(array.path, no_shape(array))
        if 0 not in shape:
            return None
        empty = ", ".join(name for name, size in zip(self.names, shape, strict=True) if not size)
        look = nothing(array.path, f"it holds no values: the length of {empty} is 0")
        return replace(look, data_type=array.data_type.text)

    def _reduced(self, reduction: Reduction, most: Sequence[int], budget: int | None) -> QuickLook:
        """Return the picture of what is made of the values along some dimensions."""
        array, shape = self.array, self.shape or ()
        self.chunk_shape = open_for_reading(array, self.cache).borders
        for axis in reduction.axes:
            along = self.axis(Points(axis, 0, 1, shape[axis], shape[axis]))
            if hemispheres(along.units) == "NS" and along.coordinates is not None:
                reduction = with_latitudes(reduction, {axis: along.coordinates})
                if reduction.latitudes is not None:
                    self.latitudes = along
                    break
        self.reduction = reduction
        points = [
            spread(axis, shape[axis], size, *self.parts.get(axis, ()))
            for axis, size in zip(self.axes, most, strict=False)
        ]
        try:
            window = reduced_window(
                array,
                points,
                self.index,
                reduction,
                self.packing,
                budget=budget,
                cache=self.cache,
                cancel=self.cancel,
            )
        except TooMuch as question:
            look = nothing(array.path, str(question))
            return replace(
                look,
                data_type=array.data_type.text,
                read=question.facts,
                sliders=self.sliders(),
                kinds=self.kinds,
            )
        return self._picture(window, _LONGEST_LINE)

    # --- what is read ----------------------------------------------------------------------

    def _where_something_is(self, window: Window, budget: int) -> NonemptyRegion | None:
        """Return where else to look if here is next to nothing."""
        if not shows_nearly_nothing(window):
            return None
        given = {axis: at for axis, at in self.given.items() if axis not in self.axes}
        return locate(
            open_for_reading(self.array, self.cache), self.axes, given, budget, self.cancel
        )

    def _whole_line(self, budget: int | None) -> bool:
        """Return whether all elements of a line can be read, so that none of its spikes is lost."""
        if len(self.axes) != 1 or not self.kind.every_element:
            return False
        elements, chunks = self._extent()
        cost = chunks * open_for_reading(self.array, self.cache).chunk_bytes
        return elements <= _LONGEST_LINE and (budget is None or cost <= budget)

    def _extent(self) -> tuple[int, int]:
        """Return how many elements the parts that are shown have, and in how many chunks."""
        opened = open_for_reading(self.array, self.cache)
        elements = chunks = 1
        for axis in self.axes:
            low, high = self.parts.get(axis, (0, (self.shape or ())[axis]))
            elements *= high - low
            chunks *= opened.across(axis, low, high)
        return elements, chunks

    def _least_thinned(self, most: tuple[int, ...], *, overviews: bool) -> tuple[int, ...]:
        """Choose an overview, if there is one that suffices; else return all points where they are few."""
        self.overview = self._overview(most) if overviews else None
        elements, chunks = self._extent()
        if self.overview or elements > _SMALL or chunks > _SMALL_CHUNKS or len(self.axes) < 2:
            return most
        return tuple((self.shape or ())[axis] for axis in self.axes)

    def _overview(self, most: Sequence[int]) -> Overview | None:
        found = overview(self.array, self.axes, most[: len(self.axes)], self.parts, self.cancel)
        if found is not None:
            try:
                open_for_reading(found.array, self.cache)
            except UnsupportedArray:
                return None
        return found

    def _in_source(self, index: Mapping[int, int]) -> dict[int, int]:
        if self.overview is None:
            return dict(index)
        return {axis: self.overview.index(axis, at) for axis, at in index.items()}

    def _parts_in_source(self) -> dict[int, tuple[int, int]]:
        if self.overview is None:
            return self.parts
        return {axis: self.overview.part(axis, *part) for axis, part in self.parts.items()}

    # --- what is made of it ----------------------------------------------------------------

    def _picture(self, window: Window, most: int) -> QuickLook:
        array = self.array
        plain = self.reduction is None
        low, high = valid_range(array) if plain else (None, None)
        shared: dict[str, Any] = {
            "path": array.path,
            "data_type": array.data_type.text,
            "units": self._units(),
            "name": long_name(array),
            "sliders": self.sliders(),
            "aside": self.aside(),
            "fill": shown_fill(array),
            "fill_source": array.fill_source,
            "storage_fill": fill_text(array.storage_fill),
            "read": window.facts,
            "errors": window.errors,
            "states": window_counts(window),
            "kinds": self.kinds,
            "packing": self.packing if plain else None,
            "valid_low": low,
            "valid_high": high,
            "missing_values": array.missing_values if plain else (),
            "overview": self.overview_text(),
        }
        shared["title"] = title_of(array, shared["sliders"])
        if not window.facts.chunks_read and (window.states == UNREAD).all():
            chunk = bytes_text(window.facts.whole_bytes // max(1, window.facts.chunks_total))
            message = f"one chunk takes {chunk}, more than the budget; nothing was read"
            label = f"no picture of {array.path}: {message}"
            return QuickLook("none", label=label, message=message, **shared)
        kind = self.kind if is_numeric(window.values) or not self.kind.numeric else TEXT
        look = kind.build(self, window, shared, most)
        default = open_for_reading(array, self.cache).storage_default
        return replace(
            look,
            label=describe(look, kind),
            point_coordinates=partial_of(self._point_coordinates, look),
            message="; ".join(
                filter(None, (look.message, hidden_text(array, window) if plain else None))
            )
            or None,
            hidden_by_xarray=hidden_by_xarray(array, window) if plain else 0,
            reduction=self.reduction,
            latitudes=self.latitudes,
            stored=window.values,
            stored_states=(window.states, window.storage_states),
            absent_missing=(
                hides(array.fill, array, default),
                hides(array.storage_fill, array, default),
            ),
            source=self._source(window),
            missing_code=missing_code(array) if plain else None,
        )

    def _point_coordinates(self, look: QuickLook) -> tuple[PointCoordinate, ...]:
        grid = look.curvilinear
        known = () if grid is None else (grid.x_label, grid.y_label)
        return self.point_coordinates([look.y, look.x] if len(self.axes) > 1 else [look.x], known)

    def _source(self, window: Window) -> Selection:
        source = self.array if self.overview is None else self.overview.array
        parts: list[int | slice] = [window.index.get(axis, 0) for axis in range(source.ndim or 0)]
        for points in window.axes:
            stop = points.start + points.step * (points.size - 1) + 1
            parts[points.axis] = slice(points.start, stop, points.step)
        order = tuple(points.axis for points in window.axes)
        if self.reduction is not None:
            order += self.reduction.axes
            for axis in self.reduction.axes:
                parts[axis] = slice(0, (source.shape or ())[axis], 1)
        return Selection(source.path, tuple(parts), order)

    def _units(self) -> str | None:
        """Return the units of what is stored; those that a packed array names are of the unpacked values."""
        if self.reduction is not None:
            return None if self.reduction.method == "any" else units_label(self.array)
        if name := unusable_packing(self.array):
            return f"as stored: {name} is not a number"
        return None if self.packing else units_label(self.array)
