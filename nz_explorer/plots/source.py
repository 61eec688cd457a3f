"""The array of a picture, and what is read beside its values: coordinates, labels of sliders, dates."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from nz_explorer.model import Array
from nz_explorer.plots.complex_parts import PARTS, Part
from nz_explorer.plots.earth.overlay import Overlay, on_axes
from nz_explorer.plots.picture import Axis, Slider
from nz_explorer.store import Cancellation
from nz_explorer.values.cf_decoding import packing
from nz_explorer.values.coordinates.auxiliary import (
    PointCoordinate,
    auxiliary_labels,
    point_coordinates,
)
from nz_explorer.values.coordinates.axes import (
    AxisCoordinates,
    axis_coordinates,
    coordinate_label,
)
from nz_explorer.values.coordinates.curvilinear import Curvilinear, curvilinear, northwards
from nz_explorer.values.coordinates.dimension_coordinate import COORDINATE_BUDGET
from nz_explorer.values.coordinates.image_axes import default_plane
from nz_explorer.values.coordinates.projections import projection
from nz_explorer.values.coordinates.times import time_labels
from nz_explorer.values.masks.cell_states import VALUE, States
from nz_explorer.values.overviews import Overview
from nz_explorer.values.points import Points, inside
from nz_explorer.values.reading.chunk_cache import ChunkCache
from nz_explorer.values.reading.opening import open_for_reading
from nz_explorer.values.reduction import Reduction
from nz_explorer.values.window import Window

_MOST_DATES = 10_000

_DATED = re.compile(r" -?\d{4,}-\d\d")


class PictureSource:
    """What a kind of picture is made from: an array at an index, with its coordinates.

    Parameters
    ----------
    array
        The array.
    index
        By dimension, where the picture does not run along it.
    part
        Of complex numbers; the magnitude by default.
    cache
        Where decoded chunks are kept.
    cancel
        Looked at between chunks.
    """

    axes: tuple[int, ...] = ()
    """The axes shown."""

    def __init__(
        self,
        array: Array,
        index: Mapping[str, int],
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
        first = default_plane(array)
        self.index = {
            axis: inside(index.get(self.names[axis], first.get(axis, 0)), self.shape[axis])
            for axis in ranks
            if self.shape is not None
        }
        self.part: Part | None = None
        if array.data_type.kind == "complex":
            self.part = part or PARTS[0]
        self.packing = packing(array)
        self.window: Mapping[str, Sequence[float]] = {}
        self.overview: Overview | None = None
        self.chunk_shape: tuple[int | list[int], ...] = ()
        self.parts: dict[int, tuple[int, int]] = {}
        self.reduction: Reduction | None = None
        self.coordinate_budget: int | None = COORDINATE_BUDGET
        self._known: dict[Any, Any] = {}

    def dates(self, stored: np.ndarray[Any, Any], states: States) -> tuple[str, ...]:
        """Return stored values that are times as dates, in their order.

        Parameters
        ----------
        stored
            Values in their own type.
        states
            Their cell states; what is no value has an empty text.

        Returns
        -------
        tuple of str
            Empty where no value is a time, or there are very many.
        """
        if stored.size > _MOST_DATES or self.packing is not None:
            return ()
        there = states == VALUE
        found = time_labels(stored[there], self.array.attributes)
        if not found:
            return ()
        dates = np.full(stored.shape, "", object)
        dates[there] = found
        return tuple(dates.ravel())

    def overview_text(self) -> str | None:
        """Return which smaller copy is read in place of the array, in a sentence; None where none is."""
        if self.overview is None:
            return None
        factors = " × ".join(str(self.overview.factors[axis]) for axis in self.axes)
        return f"the overview {self.overview.array.path} was read, {factors} times smaller"

    def axis(self, points: Points) -> Axis:
        """Return an axis of a picture, with its coordinates, for the points that were read along it."""
        key = ("axis", points)
        if key not in self._known:  # partial pictures ask again and again
            self._known[key] = self._make_axis(points)
        axis: Axis = self._known[key]
        return axis

    def _make_axis(self, points: Points) -> Axis:
        chunk = self.chunk_shape[points.axis]
        drawn, found = points, None
        if self.overview is not None:
            drawn = self.overview.in_array(points, (self.shape or ())[points.axis])
            factor = self.overview.factors[points.axis]
            chunk = [at * factor for at in chunk] if isinstance(chunk, list) else chunk * factor
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
            downwards=found.downwards and not self._northwards(points, found),
            units=found.units,
            coordinates=found.coordinates,
            labels=found.labels,
            title=found.title,
            why=found.why,
            chunk=chunk or None,
        )

    def _along(self, array: Array, points: Points) -> AxisCoordinates:
        return axis_coordinates(array, points, cache=self.cache, cancel=self.cancel)

    def _northwards(self, points: Points, found: AxisCoordinates) -> bool:
        """Return whether rows without coordinates of their own lead to the north."""
        if found.kind != "index" or points.axis not in self.axes[:1]:
            return False
        budget = self.coordinate_budget
        return northwards(
            self.array, self.axes, self._fixed(), budget, cache=self.cache, cancel=self.cancel
        )

    def curvilinear(self, window: Window) -> Curvilinear | None:
        """Return the two-dimensional coordinates of a map, None where there are none or they cost too much."""
        key = ("curvilinear", window.axes)
        if key not in self._known:
            array = self.overview.array if self.overview is not None else self.array
            self._known[key] = curvilinear(
                array,
                window.axes,
                self._fixed(),
                budget=self.coordinate_budget,
                cache=self.cache,
                cancel=self.cancel,
            )
        found: Curvilinear | None = self._known[key]
        return found

    def earth(self, x: Axis | None, y: Axis | None) -> Overlay | None:
        """Return coastlines and a graticule for straight axes; None where their degrees are not known.

        Parameters
        ----------
        x, y
            The axes of the picture.
        """
        if x is None or y is None:
            return None
        return on_axes(x, y, lambda: projection(self.array, x.units, self.cancel))

    def sliders(self) -> tuple[Slider, ...]:
        """Return the dimensions that the picture does not run along: at which index, or how reduced."""
        key = ("sliders",)
        if key not in self._known:
            self._known[key] = tuple(
                self._slider(axis) for axis in range(len(self.names)) if axis not in self.axes
            )
        sliders: tuple[Slider, ...] = self._known[key]
        return sliders

    def aside(self) -> tuple[str, ...]:
        """Return what else is known of where the slice lies, and is not said by the sliders."""
        key = ("aside",)
        if key not in self._known:
            found = auxiliary_labels(
                self.array, self._fixed(), cache=self.cache, cancel=self.cancel
            )
            said = [slider.label for slider in self.sliders()]
            # a date that a slider shows; of other values the same digits mean something else
            self._known[key] = tuple(
                one
                for one in found
                if not (
                    _DATED.search(one) and any(one.partition(" ")[2] in label for label in said)
                )
            )
        known: tuple[str, ...] = self._known[key]
        return known

    def point_coordinates(
        self, axes: Sequence[Axis | None], without: Collection[str]
    ) -> tuple[PointCoordinate, ...]:
        """Return the auxiliary coordinates that change along an axis of the picture.

        Parameters
        ----------
        axes
            Those of y and x, or the only one.
        without
            Names of coordinate arrays that are known.
        """
        drawn = [
            Points(number, one.start, one.step, one.size, one.length)
            for number, one in zip(self.axes, axes, strict=False)
            if one is not None
        ]
        return point_coordinates(
            self.array,
            drawn,
            self._fixed(),
            without=without,
            budget=self.coordinate_budget,
            cache=self.cache,
            cancel=self.cancel,
        )

    def _fixed(self) -> dict[int, int]:
        """Return the index of each dimension that is neither drawn nor reduced."""
        reduced = () if self.reduction is None else self.reduction.axes
        gone = {*self.axes, *reduced}
        return {axis: at for axis, at in self.index.items() if axis not in gone}

    def _slider(self, axis: int) -> Slider:
        index, length = self.index[axis], (self.shape or ())[axis]
        whole = self._bytes_along(axis)
        if self.reduction is not None and axis in self.reduction.axes:
            method = self.reduction.method
            text = self.reduction.text if axis == self.reduction.axes[-1] else method
            return Slider(
                self.names[axis], axis, length, index, text, method=method, whole_bytes=whole
            )
        label, units = coordinate_label(
            self.array, axis, index, cache=self.cache, cancel=self.cancel
        )
        return Slider(self.names[axis], axis, length, index, label, units, whole_bytes=whole)

    def _bytes_along(self, axis: int) -> int:
        """Return what decoding the picture takes at all indices of a dimension."""
        opened = open_for_reading(self.array, self.cache)
        reduced = () if self.reduction is None else self.reduction.axes
        chunks = 1
        for one in {*self.axes, *reduced, axis}:
            low, high = self.parts.get(one, (0, opened.shape[one]))
            chunks *= opened.across(one, low, min(high, opened.shape[one]))
        return chunks * opened.chunk_bytes
