"""A quick look as a matplotlib figure: what the browser shows, for export and for Python."""

from __future__ import annotations

import textwrap
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from nz_explorer.quicklook.colormaps import NAMES
from nz_explorer.quicklook.picture import Axis, Numbers, QuickLook
from nz_explorer.quicklook.words import slice_text
from nz_explorer.values.states import (
    ABSENT,
    FILL,
    INF,
    INVALID,
    NAN,
    NEG_INF,
    STORAGE_FILL,
    TITLES,
    UNREAD,
    UNREADABLE,
    VALUE,
    States,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    from nz_explorer.values.curvilinear import Curvilinear

_Doubles = np.ndarray[Any, np.dtype[np.float64]]
Mask = Literal["nz", "storage", "raw", "differences"]

_ONLY_NZ, _ONLY_STORAGE = 20, 21
"""Not states of the protocol: where the two masks differ."""

# paper, ink, hatch: never told apart by colour alone
_LOOKS: dict[int, tuple[str, str, str]] = {
    FILL: ("#dcdcdc", "#a8a8a8", "////"),
    NAN: ("#f2f2f2", "#8c8c8c", "...."),
    INF: ("#ecd9f2", "#963caa", "||||"),
    NEG_INF: ("#d3e6f2", "#146eaa", "----"),
    ABSENT: ("#fafafa", "#c4c4c4", "xxxx"),
    UNREADABLE: ("#f6cccc", "#c81e1e", "XXXX"),
    STORAGE_FILL: ("#dcdcdc", "#a8a8a8", "\\\\\\\\"),
    UNREAD: ("#ffffff", "#dddddd", ".."),
    INVALID: ("#f5e6c8", "#b8862b", "++++"),
    _ONLY_NZ: ("#ffd9a8", "#d9730d", "////"),
    _ONLY_STORAGE: ("#c9dcff", "#1f5fd0", "\\\\\\\\"),
}
_TITLES = {
    **TITLES,
    _ONLY_NZ: "missing under NZ only",
    _ONLY_STORAGE: "missing by the storage fill_value only",
}
_UNEVEN = 20
"""A grid whose widest cell is so many times its narrowest is drawn by number."""
_MOST_TICKS = 6
_MOST_CATEGORIES = 24
_LONGEST = 90
_lock = threading.RLock()  # fonts and text layout of matplotlib are shared


def figure(  # noqa: PLR0913  # each is a choice of the caller
    look: QuickLook,
    *,
    mask: Mask = "nz",
    colormap: str | None = None,
    low: float | None = None,
    high: float | None = None,
    log: bool = False,
    decoded: bool = True,
    curvilinear: bool = False,
    width: float = 8.0,
    height: float = 5.0,
    **_: object,
) -> Figure:
    """Draw a quick look.

    Parameters
    ----------
    look
        From `make`.
    mask
        What counts as missing: ``_FillValue`` (``nz``), the storage ``fill_value`` (``storage``),
        nothing that is a number (``raw``); or where the first two differ (``differences``).
    colormap
        A name that matplotlib knows; empty or None for the default.
    low, high
        Limits of colour or of the y axis; the range of what is shown where they are None.
    log
        Logarithmic colours or y axis; values that are not positive then take the lowest colour.
    decoded
        Apply CF's packing and valid range, where the array has them.
    curvilinear
        Draw a map on its two-dimensional coordinates, where it has them.
    width, height
        In inches.

    Returns
    -------
    matplotlib.figure.Figure
        With a canvas of its own; pyplot does not know it. Other keyword arguments, which a newer
        view may hold, are ignored.

    Raises
    ------
    ValueError
        If matplotlib knows no such colormap.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with _lock:
        drawn = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(drawn)
        axes = drawn.add_subplot()
        view = _View(mask, colormap or NAMES[0], low, high, log, decoded)
        if look.kind == "map" and look.values is not None:
            if curvilinear and look.curvilinear is not None:
                _draw_curvilinear(drawn, axes, look, view)
            else:
                _draw_map(drawn, axes, look, view)
        elif look.kind == "image" and look.image is not None:
            _draw_image(axes, look, view)
        elif look.kind == "histogram" and look.histogram is not None:
            _draw_histogram(axes, look, view)
        elif look.kind == "line" and look.values is not None:
            _draw_line(axes, look, view)
        else:
            _write(axes, look)
        _entitle(axes, look)
        return drawn


@dataclass(frozen=True, slots=True)
class _View:
    mask: Mask
    colormap: str
    low: float | None
    high: float | None
    log: bool
    decoded: bool = True

    def values(self, look: QuickLook) -> Numbers:
        """Return the numbers that are drawn: unpacked where that is wanted."""
        assert look.values is not None  # noqa: S101  # only pictures come here
        if self.decoded and look.packing is not None:
            decoded: Numbers = look.packing.decode(look.values)
            return decoded
        return look.values

    def states(self, look: QuickLook) -> States:
        """Return the states under the mask that was chosen."""
        assert look.cell_states is not None  # noqa: S101  # only pictures come here
        assert look.storage_states is not None  # noqa: S101
        nz, storage = (self._valid(look, s) for s in (look.cell_states, look.storage_states))
        if self.mask == "nz":
            return nz
        if self.mask == "storage":
            return storage
        if self.mask == "differences":
            only_storage = (nz == VALUE) & (storage != VALUE)
            only_nz = (nz != VALUE) & (storage == VALUE)
            return np.where(only_nz, _ONLY_NZ, np.where(only_storage, _ONLY_STORAGE, nz)).astype(
                "u1"
            )
        # raw: a fill value is a number again; what was not read stays unread
        states = look.cell_states.copy()
        filled = states == FILL
        states[filled] = VALUE
        if look.values is not None:
            states[filled & np.isnan(look.values)] = NAN
            states[filled & (look.values == np.inf)] = INF
            states[filled & (look.values == -np.inf)] = NEG_INF
        return states

    def _valid(self, look: QuickLook, states: States) -> States:
        """Mark what lies outside CF's valid range."""
        limits = (look.valid_low, look.valid_high)
        if not self.decoded or look.values is None or limits == (None, None):
            return states
        low, high = (
            (-np.inf if limits[0] is None else limits[0]),
            (np.inf if limits[1] is None else limits[1]),
        )
        outside = (states == VALUE) & ~((look.values >= low) & (look.values <= high))
        return np.where(outside, INVALID, states).astype(np.uint8)

    def limits(self, values: np.ndarray[Any, Any]) -> tuple[float, float]:
        """Return the limits in force for the values that are shown."""
        if self.log:
            values = values[values > 0]
        low = float(values.min()) if values.size else (0.1 if self.log else 0.0)
        high = float(values.max()) if values.size else 1.0
        low, high = low if self.low is None else self.low, high if self.high is None else self.high
        low, high = min(low, high), max(low, high)
        if self.log:
            high = high if high > 0 else 1.0
            low = low if low > 0 else high / 1000
        if low == high:  # one value takes the middle of the colours
            if self.log:
                low, high = low / 2, high * 2
            else:
                apart = max(0.5, 1e-6 * abs(low))
                low, high = low - apart, high + apart
        # matplotlib subtracts limits, and takes their logarithms
        least, most = (1e-100, 1e100) if self.log else (-1e300, 1e300)
        return min(max(low, least), most / 10), min(max(high, 10 * least), most)


# --- maps ------------------------------------------------------------------------------------


def _draw_map(drawn: Figure, axes: Axes, look: QuickLook, view: _View) -> None:
    if look.x is None or look.y is None or look.values is None:
        return
    _known_colormap(view)
    states = view.states(look)
    values = view.values(look)
    x, y = _edges(look.x), _edges(look.y)
    for code in _present(states):
        _patch_area(axes, states == code, x, y, code)
    colours = _colours(look, view, values, states)
    shown = np.ma.masked_array(colours.values, mask=states != VALUE)
    picture = _cells(axes, shown, x, y, cmap=colours.colormap, norm=colours.norm)
    _ticks(axes, look.x, "x")
    _ticks(axes, look.y, "y")
    axes.set_xlim(min(x[0], x[-1]), max(x[0], x[-1]))
    axes.set_ylim(*_upwards(look.y, y))
    _explain(drawn, axes, look, view, picture, colours, states)


def _known_colormap(view: _View) -> None:
    from matplotlib import colormaps

    if view.colormap not in colormaps:
        raise ValueError(f"matplotlib has no colormap {view.colormap!r}")


def _upwards(axis: Axis, edges: Numbers) -> tuple[float, float]:
    """Return the limits of a vertical axis: an index counts rows from the top, a coordinate grows."""
    bottom, top = float(min(edges[0], edges[-1])), float(max(edges[0], edges[-1]))
    return (bottom, top) if axis.kind in ("number", "time") else (top, bottom)


@dataclass(frozen=True, slots=True)
class _Colours:
    """How the values of a map are coloured."""

    values: Any
    colormap: Any
    norm: Any
    extend: str = "neither"


def _colours(look: QuickLook, view: _View, values: Numbers, states: States) -> _Colours:
    from matplotlib.colors import BoundaryNorm, ListedColormap, LogNorm, Normalize

    if look.categories:
        numbers = np.array([category.value for category in look.categories])
        order = np.searchsorted(numbers, look.values)  # type: ignore[arg-type]
        count = len(numbers)
        known = (order < count) & (numbers[np.minimum(order, count - 1)] == look.values)
        colours = [_category_colour(i) for i in range(count)]
        table = ListedColormap([*colours, (0.5, 0.5, 0.5)])
        norm: Any = BoundaryNorm(np.arange(count + 2) - 0.5, count + 1)
        return _Colours(np.where(known, order, count), table, norm)
    low, high = view.limits(values[states == VALUE])
    norm = LogNorm(low, high, clip=True) if view.log else Normalize(low, high)
    shown = values[states == VALUE]
    extend = _extend(shown, low, high)
    return _Colours(values, view.colormap, norm, extend)


def _category_colour(number: int) -> tuple[float, float, float]:
    """Return the colour of a category: the same as in the browser."""
    import colorsys

    hue = (210 + number * 137.5) % 360
    light = 0.48 + (number % 3 - 1) * 0.13
    return colorsys.hls_to_rgb(hue / 360, light, 0.58)


def _explain(
    drawn: Figure,
    axes: Axes,
    look: QuickLook,
    view: _View,
    picture: Any,
    colours: _Colours,
    states: States,
) -> None:
    """Add what the colours mean."""
    from matplotlib.patches import Patch

    patches: list[Patch] = []
    if look.categories:
        patches = [
            Patch(fc=_category_colour(i), label=_safe(category.label, 40))
            for i, category in enumerate(look.categories[:_MOST_CATEGORIES])
        ]
    elif (states == VALUE).any():
        bar = drawn.colorbar(picture, ax=axes, pad=0.02, extend=colours.extend, aspect=30)
        bar.set_label(_safe(_quantity(look, view)))
        bar.outline.set_linewidth(0.5)  # type: ignore[operator, unused-ignore]
    _legend(axes, states, patches)


def _draw_curvilinear(drawn: Figure, axes: Axes, look: QuickLook, view: _View) -> None:
    """Draw a map on its two-dimensional coordinates."""
    if look.curvilinear is None:
        return
    from matplotlib.colors import ListedColormap

    grid = look.curvilinear
    _known_colormap(view)
    states = view.states(look)
    colours = _colours(look, view, view.values(look), states)
    x, y, whole = _corners(grid)
    for code in _present(states):
        paper = ListedColormap([_LOOKS[code][0]])
        area = np.ma.masked_array(np.ones(states.shape), mask=(states != code) | ~whole)
        axes.pcolormesh(x, y, area, cmap=paper, rasterized=True, hatch=_LOOKS[code][2], ec="none")
    shown = np.ma.masked_array(colours.values, mask=(states != VALUE) | ~whole)
    picture = axes.pcolormesh(
        x, y, shown, cmap=colours.colormap, norm=colours.norm, rasterized=True
    )
    axes.set_xlabel(_safe(_named(grid.x_label, grid.x_units)))
    axes.set_ylabel(_safe(_named(grid.y_label, grid.y_units)))
    if _is_round(grid):  # what was unwrapped goes beyond a circle
        axes.xaxis.set_major_formatter(lambda value, _: f"{(value + 180) % 360 - 180:g}")
    axes.set_xlim(float(x[:-1, :-1][whole].min()), float(x[1:, 1:][whole].max()))
    axes.set_ylim(float(y[:-1, :-1][whole].min()), float(y[1:, 1:][whole].max()))
    _explain(drawn, axes, look, view, picture, colours, states)


def _is_round(grid: Curvilinear) -> bool:
    return (grid.x_units or "").startswith("degree") or grid.x_label.startswith("lon")


def _corners(
    grid: Curvilinear,
) -> tuple[_Doubles, _Doubles, np.ndarray[Any, np.dtype[np.bool_]]]:
    """Return the corners of the cells around points, and which cells can be drawn."""
    x, y = grid.x.astype(np.float64), grid.y.astype(np.float64)
    whole = np.isfinite(x) & np.isfinite(y)
    round_the_globe = _is_round(grid)
    if round_the_globe and whole.any():
        # neighbours differ by less than half a circle, whatever side of the date line they are on
        x = np.degrees(np.unwrap(np.unwrap(np.radians(np.where(whole, x, 0)), axis=1), axis=0))
        x -= 360 * np.round((np.median(x[whole]) - np.median(grid.x[whole])) / 360)
    corners = [_between(np.where(whole, c, np.mean(c[whole]))) for c in (x, y)]
    x, y = corners
    if round_the_globe:
        span = np.max([x[:-1, :-1], x[1:, :-1], x[:-1, 1:], x[1:, 1:]], axis=0) - np.min(
            [x[:-1, :-1], x[1:, :-1], x[:-1, 1:], x[1:, 1:]], axis=0
        )
        whole &= span < 90  # around a pole a cell would reach across the map
    return x, y, whole


def _between(middles: _Doubles) -> _Doubles:
    """Return the corners half-way between the middles of cells."""
    for axis in (0, 1):
        ends = [(0, 0), (0, 0)]
        ends[axis] = (1, 1)
        wide = (
            np.pad(middles, ends, mode="reflect", reflect_type="odd")
            if middles.shape[axis] > 1
            else (np.concatenate([middles - 1, middles, middles + 1], axis=axis))
        )
        low, high = (
            np.split(wide, [wide.shape[axis] - 1], axis=axis)[0],
            np.split(wide, [1], axis=axis)[1],
        )
        middles = (low + high) / 2
    return middles


def _draw_image(axes: Axes, look: QuickLook, view: _View) -> None:
    if look.x is None or look.y is None or look.image is None:
        return
    states = view.states(look)
    x, y = _edges(look.x), _edges(look.y)
    for code in _present(states):
        _patch_area(axes, states == code, x, y, code)
    extent = (float(x[0]), float(x[-1]), float(y[0]), float(y[-1]))
    axes.imshow(look.image, origin="lower", extent=extent, aspect="equal", interpolation="nearest")
    _ticks(axes, look.x, "x")
    _ticks(axes, look.y, "y")
    axes.set_xlim(min(x[0], x[-1]), max(x[0], x[-1]))
    axes.set_ylim(*_upwards(look.y, y))
    _legend(axes, states)


def _draw_histogram(axes: Axes, look: QuickLook, view: _View) -> None:
    if look.histogram is None:
        return
    edges = look.histogram.edges
    if view.decoded and look.packing is not None:
        edges = look.packing.decode(edges)
    axes.stairs(look.histogram.counts, edges, fill=True, color="#1f5fa8")
    if view.log:
        axes.set_yscale("log")
    axes.set_xlabel(_safe(_quantity(look, view)))
    axes.set_ylabel(f"number of {look.histogram.of.removeprefix('the ')}")
    axes.spines[["top", "right"]].set_visible(False)


def _cells(axes: Axes, values: Any, x: Numbers, y: Numbers, **options: Any) -> Any:
    """Draw cells between edges: as an image where they are even, which is much faster."""
    if _is_even(x) and _is_even(y):
        extent = (float(x[0]), float(x[-1]), float(y[0]), float(y[-1]))
        return axes.imshow(
            values,
            origin="lower",
            extent=extent,
            aspect="auto",
            interpolation="nearest",
            **options,
        )
    return axes.pcolormesh(x, y, values, rasterized=True, **options)


def _patch_area(axes: Axes, where: np.ndarray[Any, Any], x: Numbers, y: Numbers, code: int) -> None:
    """Fill the cells of a state with its colour and hatching."""
    from matplotlib.colors import ListedColormap

    paper, ink, hatch = _LOOKS[code]
    _cells(axes, np.ma.masked_equal(where, 0), x, y, cmap=ListedColormap([paper]))
    # A contour follows the middles of cells: give it two to a cell and a border, so that it
    # follows their edges.
    fine = np.repeat(np.repeat(np.pad(where, 1), 2, axis=0), 2, axis=1)[1:-1, 1:-1].astype("u1")
    if fine.size > 4_000_000:  # hatching a large picture takes longer than drawing it
        return
    area = axes.contourf(
        _contour_places(x), _contour_places(y), fine, levels=[0.5, 1.5], colors="none"
    )
    area.set_hatch(hatch)
    area.set_edgecolor(ink)
    area.set_linewidth(0)


def _contour_places(edges: Numbers) -> Numbers:
    """Return two places just inside each cell, and one just outside at both ends."""
    widths = np.diff(edges)
    inner = np.stack([edges[:-1] + 1e-3 * widths, edges[1:] - 1e-3 * widths], axis=1).reshape(-1)
    places: Numbers = np.concatenate(
        [[edges[0] - 1e-3 * widths[0]], inner, [edges[-1] + 1e-3 * widths[-1]]]
    )
    return places


def _extend(values: Any, low: float, high: float) -> str:
    below, above = bool((values < low).any()), bool((values > high).any())
    return {(True, True): "both", (True, False): "min", (False, True): "max"}.get(
        (below, above), "neither"
    )


# --- lines -----------------------------------------------------------------------------------


def _draw_line(axes: Axes, look: QuickLook, view: _View) -> None:
    if look.x is None or look.values is None:
        return
    states = view.states(look)
    x = _places(look.x)
    good = states == VALUE
    numbers = view.values(look)
    values = np.where(good, numbers, np.nan)
    alone = good & ~(np.roll(good, 1) | np.roll(good, -1)) if good.size > 2 else good
    axes.plot(x, values, lw=1.4, color="#1f5fa8", marker="o" if good.sum() <= 60 else "", ms=3)
    if alone.any():  # a point between gaps has no line to be seen by
        axes.plot(x[alone], values[alone], "o", ms=3, color="#1f5fa8")
    if view.log:
        axes.set_yscale("log")
    if view.low is not None or view.high is not None or not good.any():
        axes.set_ylim(*view.limits(numbers[good]))
    edges = _edges(look.x)
    for code in _present(states):
        for start, stop in _runs(states == code):
            paper, ink, hatch = _LOOKS[code]
            axes.axvspan(edges[start], edges[stop], fc=paper, ec=ink, hatch=hatch, lw=0, zorder=0.5)
    axes.set_xlim(min(edges[0], edges[-1]), max(edges[0], edges[-1]))
    axes.grid(visible=True, lw=0.4, alpha=0.5)
    axes.spines[["top", "right"]].set_visible(False)
    _ticks(axes, look.x, "x")
    if look.categories:
        few = look.categories[:_MOST_CATEGORIES]
        axes.set_yticks([c.value for c in few], [_safe(c.label, 24) for c in few])
    axes.set_ylabel(_safe(_quantity(look, view)))
    _legend(axes, states)


def _runs(where: np.ndarray[Any, Any], most: int = 500) -> list[tuple[int, int]]:
    """Return where something is true, as starts and stops."""
    steps = np.flatnonzero(np.diff(np.concatenate([[False], where, [False]])))
    return list(zip(steps[::2].tolist(), steps[1::2].tolist(), strict=True))[:most]


# --- axes ------------------------------------------------------------------------------------


def _places(axis: Axis) -> Numbers:
    """Return where the points of an axis lie."""
    if axis.coordinates is not None and axis.kind in ("number", "time"):
        steps = np.abs(np.diff(axis.coordinates))
        if not steps.size or steps.max() <= _UNEVEN * steps.min():
            return axis.coordinates
        # by number, yet in the direction in which coordinates grow
        order = np.arange(axis.size, dtype=np.float64)
        return order[::-1].copy() if axis.decreasing else order
    if axis.kind == "index":
        return axis.start + axis.step * np.arange(axis.size, dtype=np.float64)
    return np.arange(axis.size, dtype=np.float64)


def _edges(axis: Axis) -> Numbers:
    """Return the boundaries of the cells of an axis, half-way between its points."""
    places = _places(axis)
    if len(places) == 1:
        half = 0.5 * axis.step if axis.kind == "index" else max(0.5, 0.01 * abs(places[0]))
        return np.array([places[0] - half, places[0] + half])
    middle = (places[:-1] + places[1:]) / 2
    edges: Numbers = np.concatenate(
        [[2 * places[0] - middle[0]], middle, [2 * places[-1] - middle[-1]]]
    )
    return edges


def _is_even(edges: Numbers) -> bool:
    steps = np.diff(edges)
    return bool(np.all(np.abs(steps - steps.mean()) <= 0.01 * abs(steps.mean())))


def _ticks(axes: Axes, axis: Axis, which: Literal["x", "y"]) -> None:
    from matplotlib.ticker import MaxNLocator

    target = axes.xaxis if which == "x" else axes.yaxis
    places = _places(axis)
    by_number = axis.kind == "number" and axis.coordinates is not places
    if axis.labels is not None or by_number:
        most = _MOST_TICKS if which == "x" else 2 * _MOST_TICKS
        chosen = np.unique(np.linspace(0, axis.size - 1, min(most, axis.size)).round().astype(int))
        texts: Sequence[str]
        if axis.labels is not None:
            texts = [axis.labels[i] for i in chosen]
        else:
            assert axis.coordinates is not None  # noqa: S101  # numbers have coordinates
            texts = [f"{axis.coordinates[i]:.6g}" for i in chosen]
        target.set_ticks(places[chosen].tolist(), [_safe(text, 24) for text in texts])
    else:
        target.set_major_locator(MaxNLocator(8, integer=axis.kind == "index"))
        axes.ticklabel_format(axis=which, useOffset=False, style="plain")
    target.set_label_text(_safe(_axis_title(axis)))


def _axis_title(axis: Axis) -> str:
    name = axis.title or axis.label
    if axis.kind == "index":
        return f"{name} (index)"
    return _named(name, axis.units)


def _quantity(look: QuickLook, view: _View) -> str:
    name = look.name or look.path.rsplit("/", 1)[-1] or look.path
    if look.part not in (None, "magnitude"):
        name = f"{look.part} of {name}"
    units = look.units
    if look.packing is not None:
        units = look.packing.units if view.decoded else "as stored"
    return _named(name, units)


def _named(name: str, units: str | None) -> str:
    return f"{name} ({_pretty(units)})" if units else name


def _pretty(units: str | None) -> str:
    """Return units as a reader of a figure expects them."""
    degrees = {
        "degrees_north": "°N",
        "degree_north": "°N",
        "degrees_east": "°E",
        "degree_east": "°E",
        "degrees": "°",
        "degree": "°",
    }
    return "" if units is None else degrees.get(units, units)


# --- words -----------------------------------------------------------------------------------


def _present(states: States) -> list[int]:
    counts = np.bincount(states.reshape(-1), minlength=_ONLY_STORAGE + 1)
    return [code for code in _LOOKS if counts[code]]


def _legend(axes: Axes, states: States, first: Sequence[Patch] = ()) -> None:
    from matplotlib.patches import Patch

    counts = np.bincount(states.reshape(-1), minlength=_ONLY_STORAGE + 1)
    patches: list[Patch] = list(first)
    for code in _present(states):
        paper, ink, hatch = _LOOKS[code]
        share = 100 * counts[code] / states.size
        text = f"{_TITLES[code]}  {'<0.1' if share < 0.1 else f'{share:.3g}'} %"
        patches.append(Patch(fc=paper, ec=ink, hatch=hatch, lw=0.5, label=text))
    if patches:
        axes.figure.legend(  # type: ignore[union-attr, unused-ignore]
            handles=patches, loc="outside lower left", ncols=4, fontsize="small", frameon=False
        )


def _entitle(axes: Axes, look: QuickLook) -> None:
    slices = "   ".join(slice_text(slider) for slider in look.sliders)
    axes.set_title(_safe(look.path), loc="left", fontsize="medium", fontweight="bold")
    if slices:
        axes.set_title(_safe(slices, 70), loc="right", fontsize="medium")


def _write(axes: Axes, look: QuickLook) -> None:
    """Write what has no picture."""
    axes.set_axis_off()
    text = look.text if look.text is not None else (look.message or "")
    if look.kind == "scalar":
        text = f"{text} {_pretty(look.units)}".strip()
    size = {"scalar": 22, "text": 9}.get(look.kind, 11)
    lines = text.splitlines()[:30] if look.kind == "text" else textwrap.wrap(text, 70)[:12]
    axes.text(
        0.02,
        0.95,
        "\n".join(_safe(line, 110) for line in lines),
        transform=axes.transAxes,
        va="top",
        fontsize=size,
        family="monospace" if look.kind == "text" else "sans-serif",
    )


def _safe(text: str, longest: int = _LONGEST) -> str:
    """Return a text from a store as matplotlib can draw it: it takes ``$`` for mathematics."""
    clean = "".join(c if c.isprintable() else " " for c in text[: longest + 1])
    clean = clean if len(clean) <= longest else f"{clean[: longest - 1]}…"
    return clean.replace("$", r"\$")
