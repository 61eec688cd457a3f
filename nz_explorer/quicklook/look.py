"""A quick look: reads what a picture of one slice of an array shows."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from nz_explorer.model import Array, Hierarchy
from nz_explorer.model.fill import FillValue, value_text
from nz_explorer.quicklook.kinds import PART_OF, PARTS, Choice, Kind, Part, axes_of, kinds_of
from nz_explorer.quicklook.picture import Axis, Numbers, QuickLook, Slider, StateCount
from nz_explorer.quicklook.summaries import categories, histogram
from nz_explorer.quicklook.words import describe, text_of, title_of
from nz_explorer.store import Cancellation, ReadError
from nz_explorer.values.axes import (
    COORDINATE_BUDGET,
    AxisCoordinates,
    axis_coordinates,
    coordinate_label,
    number_text,
    text_attribute,
)
from nz_explorer.values.cache import ChunkCache
from nz_explorer.values.cf import packing, valid_range
from nz_explorer.values.chunks import Progress
from nz_explorer.values.curvilinear import Curvilinear, curvilinear
from nz_explorer.values.decimate import extremes
from nz_explorer.values.locating import Located, locate, shows_nearly_nothing
from nz_explorer.values.opening import UnsupportedArray, open_for_reading
from nz_explorer.values.overviews import Overview, overview
from nz_explorer.values.states import CODES, STORAGE_FILL, UNREAD, UNREADABLE, VALUE, States
from nz_explorer.values.times import time_labels
from nz_explorer.values.window import (
    DEFAULT_BUDGET,
    Points,
    Window,
    bytes_text,
    inside,
    read_window,
)

_MOST_LINES = 200
_LONGEST_LINE = 2**24
_MOST_DATES = 10_000


def make(  # noqa: PLR0913  # each is a choice of the caller
    hierarchy: Hierarchy,
    array: Array | str,
    index: Mapping[str, int] | None = None,
    *,
    width: int = 800,
    height: int = 500,
    budget: int = DEFAULT_BUDGET,
    everything: bool = False,
    window: Mapping[str, Sequence[int]] | None = None,
    kind: Choice = "auto",
    part: Part | None = None,
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
        name of its own. The dimensions shown are the last two that are longer than 1.
    width, height
        Pixels that there is room for; no more points are returned (twice the width for a line).
    budget
        The most bytes to decode.
    everything
        Read the whole slice, whatever the budget says.
    window
        Part of a dimension that is shown, as first index and the one after the last.
    kind
        The kind of picture; the usual one where the array cannot have it.
    part
        Of complex numbers; the magnitude by default.
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
    Cancelled
        If it was cancelled.
    """
    if isinstance(array, str):
        node = hierarchy[array]
        if not isinstance(node, Array):
            return _nothing(node.path, f"{node.path} is not an array")
        array = node
    reading = _Reading(array, index or {}, window or {}, kind, part, cache, cancel)
    try:
        return reading.look(
            width=width,
            height=height,
            budget=None if everything else budget,
            progress=progress,
            partial=partial,
        )
    except (UnsupportedArray, ReadError) as error:
        return replace(_nothing(array.path, str(error)), data_type=array.data_type.text)


def _nothing(path: str, message: str) -> QuickLook:
    return QuickLook("none", path, path, f"no picture of {path}: {message}", message=message)


class _Reading:
    """Collects what one quick look needs."""

    def __init__(
        self,
        array: Array,
        index: Mapping[str, int],
        window: Mapping[str, Sequence[int]],
        kind: Choice,
        part: Part | None,
        cache: ChunkCache | None,
        cancel: Cancellation | None,
    ) -> None:
        self.array = array
        # coordinates and values of one picture share what they read
        self.cache = ChunkCache() if cache is None else cache
        self.cancel = cancel
        self.shape = array.shape
        ranks = range(len(self.shape or ()))
        self.names = [array.dimension_label(axis) for axis in ranks]
        self.index = {
            axis: inside(index.get(self.names[axis], 0), self.shape[axis])
            for axis in ranks
            if self.shape is not None
        }
        self.given = {axis: at for axis, at in self.index.items() if self.names[axis] in index}
        self.kinds = kinds_of(array)
        self.kind: Kind = kind if kind in self.kinds else self.kinds[0]
        self.axes = axes_of(array, self.kind)
        self.parts = {
            axis: (low, high)
            for axis in self.axes
            for low, high in [_pair(window.get(self.names[axis], ()))]
            if low < high
        }
        self.part: Part | None = None
        if array.data_type.kind == "complex":
            self.part = part or PARTS[0]
        self.packing = packing(array)
        self.overview: Overview | None = None
        self.chunk_shape: tuple[int, ...] = ()
        self.coordinate_budget: int | None = COORDINATE_BUDGET
        self._known: dict[Any, Any] = {}
        self._lock = threading.RLock()

    def look(
        self,
        *,
        width: int,
        height: int,
        budget: int | None,
        progress: Progress | None,
        partial: Callable[[QuickLook], object] | None,
    ) -> QuickLook:
        array, shape = self.array, self.shape
        if shape is None:
            return _nothing(array.path, array.problem or f"{array.path} has no usable shape")
        if 0 in shape:
            empty = ", ".join(
                name for name, size in zip(self.names, shape, strict=True) if not size
            )
            look = _nothing(array.path, f"it holds no values: the length of {empty} is 0")
            return replace(look, data_type=array.data_type.text)
        most = (height, width, 4)[: len(self.axes)] if len(self.axes) > 1 else (2 * width,)
        if self.kind == "text":
            rows = _MOST_LINES if budget is not None else max(_MOST_LINES, height)
            most = (rows, _MOST_LINES) if len(self.axes) == 2 else (rows,)
        whole_line = self._whole_line(budget)
        if budget is not None and not whole_line and self.kind != "text":
            self.overview = self._overview(most)
        source = self.overview.array if self.overview else array
        self.chunk_shape = open_for_reading(source, self.cache).chunk_shape

        def finish(window: Window) -> QuickLook:
            if budget is not None:
                left = max(0, budget - window.facts.decoded_bytes)
                self.coordinate_budget = min(COORDINATE_BUDGET, left)
            with self._lock:
                return self._look(window, most[0])

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

    # --- what is read ----------------------------------------------------------------------

    def _where_something_is(self, window: Window, budget: int) -> Located | None:
        """Return where else to look if here is next to nothing."""
        if not shows_nearly_nothing(window):
            return None
        given = {axis: at for axis, at in self.given.items() if axis not in self.axes}
        return locate(open_for_reading(self.array, self.cache), self.axes, given, budget)

    def _whole_line(self, budget: int | None) -> bool:
        """Tell whether all elements of a line can be read, so that none of its spikes is lost."""
        if len(self.axes) != 1 or self.kind not in ("line", "histogram"):
            return False
        axis = self.axes[0]
        low, high = self.parts.get(axis, (0, (self.shape or ())[axis]))
        opened = open_for_reading(self.array, self.cache)
        size = opened.chunk_shape[axis]
        cost = (-(-high // size) - low // size) * opened.chunk_bytes
        return high - low <= _LONGEST_LINE and (budget is None or cost <= budget)

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

    def _look(self, window: Window, most: int) -> QuickLook:
        array = self.array
        low, high = valid_range(array)
        shared: dict[str, Any] = {
            "path": array.path,
            "data_type": array.data_type.text,
            # of packed values the units are those of the unpacked ones
            "units": None if self.packing else text_attribute(array, "units"),
            "name": text_attribute(array, "long_name", "standard_name"),
            "sliders": self._sliders(window),
            "fill": _fill_text(array.fill),
            "storage_fill": _fill_text(array.storage_fill),
            "read": window.facts,
            "errors": window.errors,
            "states": _counts(window),
            "kinds": self.kinds,
            "packing": self.packing,
            "valid_low": low,
            "valid_high": high,
            "overview": self._overview_text(),
        }
        shared["title"] = title_of(array, shared["sliders"])
        if not window.facts.chunks_read and (window.states == UNREAD).all():
            chunk = bytes_text(window.facts.whole_bytes // max(1, window.facts.chunks_total))
            message = f"one chunk takes {chunk}, more than the budget; nothing was read"
            label = f"no picture of {array.path}: {message}"
            return QuickLook("none", label=label, message=message, **shared)
        if not _is_numeric(window.values):
            return self._texts(window, shared)
        if not window.axes:
            return self._scalar(window, shared)
        if self.kind == "image":
            return self._image(window, shared)
        return self._picture(window, shared, most)

    def _overview_text(self) -> str | None:
        if self.overview is None:
            return None
        factors = " × ".join(str(self.overview.factors[axis]) for axis in self.axes)
        return f"the overview {self.overview.array.path} was read, {factors} times smaller"

    def _picture(self, window: Window, shared: dict[str, Any], most: int) -> QuickLook:
        values, note = _numbers(window.values, self.part)
        stored, states, storage = window.values, window.states, window.storage_states
        lost = (states == UNREADABLE) | (states == UNREAD)
        if lost.any():
            values[lost] = np.nan
        low, high = _range(values, states)
        drawn = list(window.axes)
        notes = [note, _broken(window)]
        counted = histogram(values, states) if self.kind == "histogram" else None
        if self.kind == "line" and drawn[0].step == 1 and drawn[0].size > most:
            chosen, drawn[0] = extremes(values, states, drawn[0], most)
            notes.append(
                f"of every {2 * drawn[0].step:,} elements the lowest and the highest are shown"
            )
            stored, values = stored[chosen], values[chosen]
            states, storage = states[chosen], storage[chosen]
        axes = [self._axis(points) for points in drawn]
        look = QuickLook(
            self.kind,
            label="",
            message="; ".join(text for text in notes if text) or None,
            x=axes[-1],
            y=axes[0] if len(axes) == 2 else None,
            values=values,
            cell_states=states,
            storage_states=storage,
            low=low,
            high=high,
            parts=() if self.part is None else PARTS,
            part=self.part,
            histogram=counted,
            categories=categories(self.array, stored, states),
            dates=self._dates(stored, states),
            curvilinear=self._curvilinear(window) if self.kind == "map" else None,
            stored=stored,
            **{**shared, "units": _units(self.part, shared["units"])},
        )
        return replace(look, label=describe(look))

    def _dates(self, stored: np.ndarray[Any, Any], states: States) -> tuple[str, ...]:
        if stored.size > _MOST_DATES or self.packing is not None:
            return ()
        there = states == VALUE
        found = time_labels(stored[there], self.array.attributes)
        if not found:
            return ()
        dates = np.full(stored.shape, "", object)
        dates[there] = found
        return tuple(dates.ravel())

    def _image(self, window: Window, shared: dict[str, Any]) -> QuickLook:
        """Make an image of colours; a point is missing where none of its colours is a value."""
        colours = np.full((*window.values.shape[:2], 4), 255, np.uint8)
        colours[..., : window.values.shape[2]] = window.values
        states, storage = (_of_colours(s) for s in (window.states, window.storage_states))
        colours[states != VALUE] = 0
        look = QuickLook(
            "image",
            label="",
            message=_broken(window),
            y=self._axis(window.axes[0]),
            x=self._axis(window.axes[1]),
            cell_states=states,
            storage_states=storage,
            image=colours,
            stored=window.values,
            **{**shared, "states": _count(states, storage)},
        )
        return replace(look, label=describe(look))

    def _scalar(self, window: Window, shared: dict[str, Any]) -> QuickLook:
        values, note = _numbers(window.values, self.part)
        low, high = _range(values, window.states)
        code = int(window.states)
        text = value_text(window.values[()])
        labels = categories(self.array, window.values, window.states)
        times = time_labels(window.values.reshape(1), self.array.attributes)
        if code == UNREADABLE:
            text = "unreadable"
        elif times and code == VALUE:
            text = f"{times[0]} ({text})" if window.values.dtype.kind != "M" else times[0]
        elif self.packing is not None and code == VALUE:
            meant = number_text(float(self.packing.decode(window.values)))
            text = f"{' '.join(filter(None, (meant, self.packing.units)))} (stored {text})"
        elif code == VALUE and window.values.dtype.kind in "iu":
            meant = next((c.label for c in labels if c.value == window.values), text)
            text = text if meant == text else f"{meant} ({text})"
        if self.part is not None:  # the text has both parts
            note = None
        notes = [note, _broken(window)]
        look = QuickLook(
            "scalar",
            label="",
            text=text,
            message="; ".join(part for part in notes if part) or None,
            values=values,
            cell_states=window.states,
            storage_states=window.storage_states,
            low=low,
            high=high,
            parts=() if self.part is None else PARTS,
            part=self.part,
            categories=labels,
            stored=window.values,
            **shared,
        )
        return replace(look, label=describe(look))

    def _texts(self, window: Window, shared: dict[str, Any]) -> QuickLook:
        text = text_of(window.values, window.states, window.axes)
        notes = [_broken(window)]
        if any(points.size < points.length for points in window.axes):
            shown, all_of_them = (
                math.prod(sizes)
                for sizes in zip(
                    *((points.size, points.length) for points in window.axes), strict=True
                )
            )
            notes.append(f"{shown} of {all_of_them} elements are shown")
        axes = [self._axis(points) for points in window.axes]
        look = QuickLook(
            "text",
            label="",
            text=text,
            message="; ".join(note for note in notes if note) or None,
            x=axes[-1] if axes else None,
            y=axes[0] if len(axes) == 2 else None,
            stored=window.values,
            **shared,
        )
        return replace(look, label=describe(look))

    def _axis(self, points: Points) -> Axis:
        key = ("axis", points)
        if key not in self._known:  # looks at what is there so far ask again and again
            self._known[key] = self._make_axis(points)
        axis: Axis = self._known[key]
        return axis

    def _make_axis(self, points: Points) -> Axis:
        chunk = self.chunk_shape[points.axis]
        drawn, found = points, None
        if self.overview is not None:
            drawn = self.overview.in_array(points, (self.shape or ())[points.axis])
            chunk *= self.overview.factors[points.axis]
            found = self._along(self.overview.array, points)
        if found is None or found.kind == "index":
            found = self._along(self.array, drawn)
        return Axis(
            label=self.names[points.axis],
            kind=found.kind,
            start=drawn.start,
            step=drawn.step,
            size=drawn.size,
            length=drawn.length,
            decreasing=found.decreasing,
            units=found.units,
            coordinates=found.coordinates,
            labels=found.labels,
            title=found.title,
            why=found.why,
            chunk=chunk,
        )

    def _along(self, array: Array, points: Points) -> AxisCoordinates:
        return axis_coordinates(array, points, cache=self.cache, cancel=self.cancel)

    def _curvilinear(self, window: Window) -> Curvilinear | None:
        key = ("curvilinear", window.axes)
        if key not in self._known:
            array = self.overview.array if self.overview is not None else self.array
            self._known[key] = curvilinear(
                array,
                window.axes,
                budget=self.coordinate_budget,
                cache=self.cache,
                cancel=self.cancel,
            )
        found: Curvilinear | None = self._known[key]
        return found

    def _sliders(self, window: Window) -> tuple[Slider, ...]:
        key = ("sliders",)
        if key not in self._known:
            self._known[key] = tuple(self._slider(axis) for axis in sorted(window.index))
        sliders: tuple[Slider, ...] = self._known[key]
        return sliders

    def _slider(self, axis: int) -> Slider:
        index = self.index[axis]
        label, units = coordinate_label(
            self.array, axis, index, cache=self.cache, cancel=self.cancel
        )
        return Slider(self.names[axis], axis, (self.shape or ())[axis], index, label, units)


def _pair(given: Sequence[int]) -> tuple[int, int]:
    return (max(0, given[0]), given[1]) if len(given) == 2 else (0, 0)


def _units(part: Part | None, units: str | None) -> str | None:
    return "rad" if part == "phase" else units


def _of_colours(states: States) -> States:
    """Return what a point is, of what its colours are: a value where one of them is."""
    least: States = states.min(axis=2)
    lost = np.isin(states, (UNREADABLE, UNREAD))
    return np.where(lost.any(axis=2), np.where(lost, states, 0).max(axis=2), least).astype(np.uint8)


def _is_numeric(values: np.ndarray[Any, Any]) -> bool:
    return values.dtype.kind in "biufcmM"


def _numbers(values: np.ndarray[Any, Any], part: Part | None = None) -> tuple[Numbers, str | None]:
    """Return values as floats that a browser can draw, and what was done to them."""
    dtype = values.dtype
    if dtype.kind == "c":
        small = dtype.itemsize <= 8
        part = part or PARTS[0]
        with np.errstate(invalid="ignore", over="ignore"):
            numbers: np.ndarray[Any, Any] = np.asarray(PART_OF[part](values))
        what = f"{part} part" if part in ("real", "imaginary") else part
        note = f"of complex numbers the {what} is shown"
        return (numbers.astype(np.float32) if small else numbers.astype(np.float64)), note
    if dtype.kind in "mM":
        unit = np.datetime_data(dtype)[0]
        note = f"times are shown in {unit}" + (" since 1970-01-01" if dtype.kind == "M" else "")
        numbers = values.astype("i8").astype(np.float64)
        numbers[np.isnat(values)] = np.nan
        return numbers, note
    small = dtype.itemsize <= 2 or (dtype.kind == "f" and dtype.itemsize == 4)
    return np.ascontiguousarray(values, np.float32 if small else np.float64).reshape(
        values.shape
    ).copy(), None


def _range(values: Numbers, states: States) -> tuple[float | None, float | None]:
    shown = states == VALUE
    good = values if shown.all() else values[shown]
    if not good.size:
        return None, None
    return float(good.min()), float(good.max())


def _counts(window: Window) -> tuple[StateCount, ...]:
    return _count(window.states, window.storage_states)


def _count(states: States, storage_states: States) -> tuple[StateCount, ...]:
    counts = []
    for state, code in CODES.items():
        # many times faster than bincount, which would turn each byte into eight
        where = storage_states if code == STORAGE_FILL else states
        count = int(np.count_nonzero(where == code))
        if count:
            counts.append(StateCount(state, code, count))
    return tuple(counts)


def _broken(window: Window) -> str | None:
    if not window.errors:
        return None
    count = len(window.errors)
    first = window.errors[0]
    what = "a chunk" if count == 1 else f"{count} chunks"
    return f"{what} could not be read, the first is {first.chunk} ({first.message})"


def _fill_text(fill: FillValue | None) -> str | None:
    if fill is None:
        return None
    faults = [p.why for p in fill.problems if p.kind in ("type", "range", "list")]
    return f"{fill.text}: {faults[0]}" if faults else fill.text
