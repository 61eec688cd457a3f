"""A quick look: everything that a picture of one slice of an array shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from nz_explorer.model import Array, Hierarchy
from nz_explorer.model.fill import FillValue, value_text
from nz_explorer.quicklook.words import describe, packed_note, text_of, title_of
from nz_explorer.store import Cancellation, ReadError
from nz_explorer.values.axes import axis_coordinates, coordinate_label, text_attribute
from nz_explorer.values.cache import ChunkCache
from nz_explorer.values.chunks import Progress
from nz_explorer.values.opening import UnsupportedArray
from nz_explorer.values.states import CODES, STORAGE_FILL, UNREAD, UNREADABLE, VALUE, States
from nz_explorer.values.times import time_labels
from nz_explorer.values.window import (
    DEFAULT_BUDGET,
    ChunkError,
    Points,
    ReadFacts,
    Window,
    bytes_text,
    inside,
    read_window,
)

Kind = Literal["line", "map", "scalar", "text", "none"]
AxisKind = Literal["index", "number", "time", "category"]
Numbers = np.ndarray[Any, np.dtype[np.float32]] | np.ndarray[Any, np.dtype[np.float64]]

_TEXT_KINDS = ("string", "bytes", "raw", "struct")
_MOST_LINES = 200


@dataclass(frozen=True, slots=True, eq=False)
class Axis:
    """One axis of a picture; the fields are those of the protocol.

    Parameters
    ----------
    label
        Name of the dimension, or ``dim_<axis>``.
    kind
        What stands along it.
    start, step, size
        The array indices of the points are ``start + step * i`` for ``i`` in ``range(size)``.
    length
        Length of the dimension.
    decreasing
        Whether coordinate values fall with the index.
    units
        Of the coordinate values.
    coordinates
        float64, one per point; None for kinds ``index`` and ``category``.
    labels
        A text per point, for kinds ``time`` and ``category``.
    title
        A longer name, where the coordinate array has one.
    why
        Why there are no coordinates, in a sentence.
    """

    label: str
    kind: AxisKind
    start: int
    step: int
    size: int
    length: int
    decreasing: bool = False
    units: str | None = None
    coordinates: np.ndarray[Any, np.dtype[np.float64]] | None = None
    labels: list[str] | None = None
    title: str | None = None
    why: str | None = None


@dataclass(frozen=True, slots=True)
class Slider:
    """A dimension that a picture shows at one index; the fields are those of the protocol."""

    dimension: str
    axis: int
    length: int
    index: int
    label: str
    units: str | None = None


@dataclass(frozen=True, slots=True)
class StateCount:
    """How many of the points shown are in a cell state; the fields are those of the protocol."""

    state: str
    code: int
    count: int


@dataclass(frozen=True, slots=True, eq=False)
class QuickLook:
    """A picture of a slice of an array, before it is drawn.

    Fields are named as in the protocol's ``PictureResult``; what travels as a buffer there is an
    array here.

    Parameters
    ----------
    kind
        ``none`` where there is nothing to draw; `message` then says why.
    path
        Of the array.
    title
        Name of what is shown and of the slice.
    label
        The picture in a sentence, for assistive technology.
    message
        Why there is no picture, or what is odd about it.
    data_type, units
        Of the values.
    x, y
        The axes; a line has only `x`.
    sliders
        The dimensions that are fixed at an index.
    values
        float32 or float64, shape (y, x) or (x,): stored values, whatever masks them; NaN where
        nothing was read.
    cell_states
        uint8 of the same shape: states under NZ (`states_buffer` in the protocol).
    storage_states
        The same if the storage fill value were the mask.
    states
        How often each state occurs.
    low, high
        The range of finite values that are not masked.
    text
        The value of a scalar; a table line by line for texts.
    fill, storage_fill
        The two fill values as decoded.
    read
        What it cost.
    errors
        The first chunks that could not be read.
    name
        A longer name of the values, where the array has one.
    """

    kind: Kind
    path: str
    title: str
    label: str
    message: str | None = None
    data_type: str | None = None
    units: str | None = None
    x: Axis | None = None
    y: Axis | None = None
    sliders: tuple[Slider, ...] = ()
    values: Numbers | None = None
    cell_states: States | None = None
    storage_states: States | None = None
    states: tuple[StateCount, ...] = ()
    low: float | None = None
    high: float | None = None
    text: str | None = None
    fill: str | None = None
    storage_fill: str | None = None
    read: ReadFacts | None = None
    errors: tuple[ChunkError, ...] = field(default=())
    name: str | None = None

    @property
    def values_type(self) -> Literal["float32", "float64"] | None:
        """The type of `values`, as the protocol names it."""
        if self.values is None:
            return None
        return "float32" if self.values.dtype == np.float32 else "float64"


def make(  # noqa: PLR0913  # each is a choice of the caller
    hierarchy: Hierarchy,
    array: Array | str,
    index: Mapping[str, int] | None = None,
    *,
    width: int = 800,
    height: int = 500,
    budget: int = DEFAULT_BUDGET,
    everything: bool = False,
    cancel: Cancellation | None = None,
    cache: ChunkCache | None = None,
    progress: Progress | None = None,
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
    cancel
        Looked at between chunks.
    cache
        Where decoded chunks are kept.
    progress
        Called with the number of chunks done and of all.

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
    reading = _Reading(array, index or {}, cache, cancel)
    try:
        return reading.look(
            width=width,
            height=height,
            budget=None if everything else budget,
            progress=progress,
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

    def look(
        self, *, width: int, height: int, budget: int | None, progress: Progress | None
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
        axes = self._axes_shown()
        most = (height, width) if len(axes) == 2 else (2 * width,)
        if array.data_type.kind in _TEXT_KINDS or array.data_type.numpy is None:
            axes = axes[-1:]
            most = (_MOST_LINES,)
        window = read_window(
            array,
            axes,
            self.index,
            most[: len(axes)],
            budget=budget,
            cache=self.cache,
            cancel=self.cancel,
            progress=progress,
        )
        return self._look(window)

    def _axes_shown(self) -> tuple[int, ...]:
        """Return the last two axes that are longer than 1: a line of 240 × 1 × 1 is a line."""
        return tuple(axis for axis, size in enumerate(self.shape or ()) if size > 1)[-2:]

    def _look(self, window: Window) -> QuickLook:
        array = self.array
        shared: dict[str, Any] = {
            "path": array.path,
            "data_type": array.data_type.text,
            # of packed values the units are those of the unpacked ones
            "units": None if packed_note(array) else text_attribute(array, "units"),
            "name": text_attribute(array, "long_name", "standard_name"),
            "sliders": self._sliders(window),
            "fill": _fill_text(array.fill),
            "storage_fill": _fill_text(array.storage_fill),
            "read": window.facts,
            "errors": window.errors,
            "states": _counts(window),
        }
        shared["title"] = title_of(array, shared["sliders"])
        unread = bool(window.states.size) and bool((window.states == UNREAD).all())
        if unread:
            chunk = bytes_text(window.facts.whole_bytes // max(1, window.facts.chunks_total))
            message = f"one chunk takes {chunk}, more than the budget; nothing was read"
            label = f"no picture of {array.path}: {message}"
            return QuickLook("none", label=label, message=message, **shared)
        if not _is_numeric(window.values):
            return self._texts(window, shared)
        if not window.axes:
            return self._scalar(window, shared)
        return self._picture(window, shared)

    def _picture(self, window: Window, shared: dict[str, Any]) -> QuickLook:
        values, note = _numbers(window.values)
        lost = (window.states == UNREADABLE) | (window.states == UNREAD)
        if lost.any():
            values[lost] = np.nan
        low, high = _range(values, window.states)
        axes = [self._axis(points) for points in window.axes]
        kind: Kind = "map" if len(axes) == 2 else "line"
        notes = [note, packed_note(self.array), _broken(window)]
        look = QuickLook(
            kind,
            label="",
            message="; ".join(text for text in notes if text) or None,
            x=axes[-1],
            y=axes[0] if kind == "map" else None,
            values=values,
            cell_states=window.states,
            storage_states=window.storage_states,
            low=low,
            high=high,
            **shared,
        )
        return replace(look, label=describe(look))

    def _scalar(self, window: Window, shared: dict[str, Any]) -> QuickLook:
        values, note = _numbers(window.values)
        low, high = _range(values, window.states)
        code = int(window.states)
        text = value_text(window.values[()])
        times = time_labels(window.values.reshape(1), self.array.attributes)
        if code == UNREADABLE:
            text = "unreadable"
        elif times and code == VALUE:
            text = f"{times[0]} ({text})" if window.values.dtype.kind != "M" else times[0]
        notes = [note, packed_note(self.array), _broken(window)]
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
            **shared,
        )
        return replace(look, label=describe(look))

    def _texts(self, window: Window, shared: dict[str, Any]) -> QuickLook:
        points = window.axes[0] if window.axes else None
        text = text_of(window.values, window.states, points)
        message = _broken(window)
        if points is not None and points.size < points.length:
            rest = f"{points.size} of {points.length} elements are shown"
            message = rest if message is None else f"{message}; {rest}"
        look = QuickLook(
            "text",
            label="",
            text=text,
            message=message,
            x=None if points is None else self._axis(points),
            **shared,
        )
        return replace(look, label=describe(look))

    def _axis(self, points: Points) -> Axis:
        found = axis_coordinates(self.array, points, cache=self.cache, cancel=self.cancel)
        return Axis(
            label=self.names[points.axis],
            kind=found.kind,
            start=points.start,
            step=points.step,
            size=points.size,
            length=points.length,
            decreasing=found.decreasing,
            units=found.units,
            coordinates=found.coordinates,
            labels=found.labels,
            title=found.title,
            why=found.why,
        )

    def _sliders(self, window: Window) -> tuple[Slider, ...]:
        sliders = []
        for axis, index in sorted(window.index.items()):
            label, units = coordinate_label(
                self.array, axis, index, cache=self.cache, cancel=self.cancel
            )
            length = (self.shape or ())[axis]
            sliders.append(Slider(self.names[axis], axis, length, index, label, units))
        return tuple(sliders)


def _is_numeric(values: np.ndarray[Any, Any]) -> bool:
    return values.dtype.kind in "biufcmM"


def _numbers(values: np.ndarray[Any, Any]) -> tuple[Numbers, str | None]:
    """Return values as floats that a browser can draw, and what was done to them."""
    dtype = values.dtype
    if dtype.kind == "c":
        part = np.float32 if dtype.itemsize <= 8 else np.float64
        return np.abs(values).astype(part), "complex numbers are shown by their magnitude"
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
    counts = []
    for state, code in CODES.items():
        states = window.storage_states if code == STORAGE_FILL else window.states
        # many times faster than bincount, which would turn each byte into eight
        count = int(np.count_nonzero(states == code))
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
