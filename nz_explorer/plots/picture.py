"""What a picture of one slice of an array shows, before it is drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from nz_explorer.model import Hierarchy
from nz_explorer.model.fill_values import FillValue
from nz_explorer.plots.colours.defaults import Colours
from nz_explorer.plots.colours.ranges import Range
from nz_explorer.plots.complex_parts import Part
from nz_explorer.plots.earth.overlay import Overlay
from nz_explorer.plots.summaries import Category
from nz_explorer.values.cf_decoding import Packing
from nz_explorer.values.coordinates.auxiliary import PointCoordinate
from nz_explorer.values.coordinates.curvilinear import Curvilinear
from nz_explorer.values.masks.cell_states import States
from nz_explorer.values.reduction import Reduction
from nz_explorer.values.whole_arrays.histograms import Histogram
from nz_explorer.values.window import ChunkError, ReadFacts

AxisKind = Literal["index", "number", "time", "category"]
Numbers = np.ndarray[Any, np.dtype[np.float32]] | np.ndarray[Any, np.dtype[np.float64]]


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
    downwards
        Whether larger values, or later rows, are drawn further down, along a vertical axis.
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
    chunk
        Array elements of a chunk along it; where chunks differ in length the indices at which others begin.
    """

    label: str
    kind: AxisKind
    start: int
    step: int
    size: int
    length: int
    decreasing: bool = False
    downwards: bool = False
    units: str | None = None
    coordinates: np.ndarray[Any, np.dtype[np.float64]] | None = None
    labels: list[str] | None = None
    title: str | None = None
    why: str | None = None
    chunk: int | list[int] | None = None

    @property
    def upright(self) -> bool:
        """Whether values along it are a profile, from the top down: along depth or pressure."""
        return self.kind == "number" and self.downwards


@dataclass(frozen=True, slots=True)
class Slider:
    """A dimension that a picture shows at one index, or reduced; the fields are those of the protocol."""

    dimension: str
    axis: int
    length: int
    index: int
    label: str
    units: str | None = None
    cached: tuple[tuple[int, int], ...] = ()
    method: str | None = None
    whole_bytes: int = 0
    minus: str | None = None


@dataclass(frozen=True, slots=True)
class StateCount:
    """How many of the points shown are in a cell state; the fields are those of the protocol."""

    state: str
    code: int
    count: int


@dataclass(frozen=True, slots=True)
class Selection:
    """What was read for a picture.

    Parameters
    ----------
    path
        Of the array: that of the picture, or of a smaller copy of it.
    parts
        By axis an index, or a slice.
    order
        The axes of the values, in their order.
    hierarchy
        Where the array is, if that is another store.
    beside
        ``a`` or ``b`` where one of two pictures is shown in place of their difference, ``both`` where both are.
    """

    path: str
    parts: tuple[int | slice, ...]
    order: tuple[int, ...]
    hierarchy: Hierarchy | None = None
    beside: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class QuickLook:
    """A picture of a slice of an array, before it is drawn.

    Fields are named as in the protocol's ``PictureResult``; what travels as a buffer there is an
    array here.

    Parameters
    ----------
    kind
        Name of a kind in `nz_explorer.plots.registry`; ``none`` where there is nothing to draw; `message` then has the reason.
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
    aside
        What else is known of where the slice lies, such as ``height 2 m``: auxiliary coordinates.
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
    reduction
        What was made of the values along other dimensions.
    latitudes
        The axis that gave its weights.
    minus
        What was subtracted.
    beside
        The other picture, where two are shown in place of their difference.
    ranges
        What limits can be taken from, in stored values: ``held``, ``whole`` and ``robust``, as far as they are known; of
        two pictures that are shown in turn, or beside each other, also ``frame``.
    colours
        Those that suit the array.
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
    kinds
        The kinds of picture that can be made of the array.
    parts, part
        The parts of complex numbers that can be shown, and the one that is.
    image
        uint8 of shape (y, x, 4), red, green, blue and opacity, for kind ``image``.
    histogram
        How often values occur, for kind ``histogram``.
    categories
        What values stand for, where they are no quantities.
    dates
        What values that are times mean, in the order of `values`; empty where one is none.
    rest
        What integers are more than `values`, which are the nearest of float64; of their shape, float32.
    packing
        How stored values are decoded according to CF.
    valid_low, valid_high
        CF's valid range, in stored values.
    missing_values
        Those of CF's ``missing_value``, in stored values.
    curvilinear
        Two-dimensional coordinates of a map.
    point_coordinates
        Reads the auxiliary coordinates of its points, without those of `curvilinear`: only who points at them needs them.
    earth
        Coastlines and a graticule, where longitudes and latitudes are known.
    overview
        Which smaller copy was read instead, in a sentence.
    stored
        All values that were read, in their own type; also where a line draws only some of them.
    stored_states
        The cell states of these under NZ, and those if the storage fill value were the mask.
    absent_missing
        Whether what chunks hold that were never written is missing under NZ, and under the storage fill value.
    source
        What was read.
    hidden_by_xarray
        How many of the values that are shown xarray takes for missing.
    missing_code
        The code of a categorical column that stands for a missing value.
    fill_source
        The member of the metadata that the ``_FillValue`` is from.
    """

    kind: str
    path: str
    title: str
    label: str
    message: str | None = None
    data_type: str | None = None
    units: str | None = None
    x: Axis | None = None
    y: Axis | None = None
    sliders: tuple[Slider, ...] = ()
    aside: tuple[str, ...] = ()
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
    kinds: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    part: Part | None = None
    image: np.ndarray[Any, np.dtype[np.uint8]] | None = None
    histogram: Histogram | None = None
    categories: tuple[Category, ...] = ()
    dates: tuple[str, ...] = ()
    rest: np.ndarray[Any, np.dtype[np.float32]] | None = None
    packing: Packing | None = None
    valid_low: float | None = None
    valid_high: float | None = None
    missing_values: tuple[FillValue, ...] = ()
    curvilinear: Curvilinear | None = None
    point_coordinates: Callable[[], tuple[PointCoordinate, ...]] = tuple
    earth: Overlay | None = None
    overview: str | None = None
    stored: np.ndarray[Any, Any] | None = None
    stored_states: tuple[States, States] | None = None
    absent_missing: tuple[bool, bool] = (False, False)
    source: Selection | None = None
    hidden_by_xarray: int = 0
    missing_code: int | None = None
    fill_source: str | None = None
    ranges: Mapping[str, Range] = field(default_factory=dict)
    reduction: Reduction | None = None
    latitudes: Axis | None = None
    minus: Selection | None = None
    beside: QuickLook | None = None
    upright: bool = False
    """Whether it is a line from the top down."""
    colours: Colours = field(default_factory=Colours)

    @property
    def derived(self) -> bool:
        """Whether values were decoded and masked before something was made of them."""
        return self.reduction is not None or self.minus is not None

    @property
    def values_type(self) -> Literal["float32", "float64"] | None:
        """The type of `values`, as the protocol names it."""
        if self.values is None:
            return None
        return "float32" if self.values.dtype == np.float32 else "float64"
