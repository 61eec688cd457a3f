"""A quick look as a matplotlib figure: what the browser shows, for export and for Python."""

from __future__ import annotations

import textwrap
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from nz_explorer.quicklook.colormaps import NAMES
from nz_explorer.quicklook.figure_parts import (
    category_colour,
    edges_of,
    is_even,
    named,
    places_of,
    pretty,
    safe,
    set_ticks,
)
from nz_explorer.quicklook.mesh import mesh
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
    from matplotlib.patches import Patch, PathPatch

    from nz_explorer.quicklook.lines import Lines


_Doubles = np.ndarray[Any, np.dtype[np.float64]]
Mask = Literal["nz", "storage", "raw", "differences"]
_Pattern = tuple[str, str, str]

_ONLY_NZ, _ONLY_STORAGE = 20, 21
"""Not states of the protocol: where the two masks differ."""

# paper, ink, hatch: never told apart by colour alone; the browser's on a light page
LOOKS: dict[int, _Pattern] = {
    FILL: ("#d6d6d6", "#9e9e9e", "////"),
    NAN: ("#f0f0f0", "#666666", "...."),
    INF: ("#e0c5e6", "#963caa", "||||"),
    NEG_INF: ("#b9d4e6", "#146eaa", "----"),
    ABSENT: ("#f5f5f5", "#bfbfbf", "xxxx"),
    UNREADABLE: ("#f1c7c7", "#c81e1e", "XXXX"),
    STORAGE_FILL: ("#d6d6d6", "#9e9e9e", "\\\\\\\\"),
    UNREAD: ("#ffffff", "#cccccc", ".."),
    INVALID: ("#f2e6d1", "#b8862b", "++++"),
    _ONLY_NZ: ("#d6006e", "#ff96cd", "////"),
    _ONLY_STORAGE: ("#eb7800", "#ffd678", "\\\\\\\\"),
}
FADED = 0.72
"""How near white everything else is where the masks' differences are looked for."""


def faded(colour: str) -> str:
    """Return a colour as it is where the masks' differences are looked for."""
    from matplotlib.colors import to_hex, to_rgb

    red, green, blue = (part + (1 - part) * FADED for part in to_rgb(colour))
    return to_hex((red, green, blue))


_TITLES = {
    **TITLES,
    _ONLY_NZ: "missing under NZ only",
    _ONLY_STORAGE: "missing by the storage fill_value only",
}
_MOST_CATEGORIES = 24
_INK = "#1f5fa8"
_STRIP = 0.03
"""How high the strip below a line is that says which points are missing, as a part of the height."""
_AIR = 0.05
"""Room above and below a line, as a part of its height."""
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
    with _lock:
        drawn, axes = _empty(width, height)
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


def lines_figure(found: Lines, *, width: float = 8.0, height: float = 5.0) -> Figure:
    """Draw the one-dimensional arrays of a group together.

    Parameters
    ----------
    found
        From `quicklook.lines.lines`.
    width, height
        In inches.

    Returns
    -------
    matplotlib.figure.Figure
        Arrays in different units each have a scale of their own, from their lowest to their highest.
    """
    with _lock:
        drawn, axes = _empty(width, height)
        edges = edges_of(found.x) if found.x.size else np.array([0.0, 1.0])
        units = [look.packing.units if look.packing else look.units for look in found.looks]
        together = len(set(units)) <= 1
        for number, (look, unit) in enumerate(zip(found.looks, units, strict=True)):
            name = safe(named(look.name or look.path.rsplit("/", 1)[-1], unit), 40)
            values = _lone_line(look, scaled=not together)
            colour = category_colour(number)
            axes.plot(places_of(found.x), values, lw=1.4, color=colour, label=name)
        axes.margins(y=_AIR)
        axes.set_xlim(min(edges[0], edges[-1]), max(edges[0], edges[-1]))
        axes.grid(visible=True, lw=0.4, alpha=0.5)
        set_ticks(axes, found.x, "x")
        if together:
            axes.set_ylabel(safe(pretty(units[0]) if units else ""))
        else:
            axes.set_yticks([])
        if found.message:
            axes.set_title(safe(found.message), loc="left", fontsize="medium")
        if found.looks:
            drawn.legend(loc="outside lower left", ncols=4, fontsize="small", frameon=False)
        return drawn


def _lone_line(look: QuickLook, *, scaled: bool) -> _Doubles:
    """Return the decoded values of a line, NaN where it is broken; from 0 to 1 where `scaled`."""
    view = _View("nz", NAMES[0], None, None, log=False)
    good = view.states(look) == VALUE
    values = np.where(good, view.values(look).astype(np.float64), np.nan)
    if not scaled or not good.any():
        return values
    low, high = values[good].min(), values[good].max()
    return np.where(good, 0.5, np.nan) if low == high else (values - low) / (high - low)


def _empty(width: float, height: float) -> tuple[Figure, Axes]:
    """Return a figure that pyplot does not know."""
    from nz_explorer.quicklook.shown import ShownFigure

    drawn = ShownFigure(width, height)
    return drawn, drawn.add_subplot()


@dataclass(frozen=True, slots=True)
class _View:
    mask: Mask
    colormap: str
    low: float | None
    high: float | None
    log: bool
    decoded: bool = True

    @property
    def alpha(self) -> float | None:
        """How strong values are: they step back where differences are looked for."""
        return 1 - FADED if self.mask == "differences" else None

    def pattern(self, code: int) -> _Pattern:
        """Return paper, ink and hatch of a state."""
        paper, ink, hatch = LOOKS[code]
        if self.alpha is None or code in (_ONLY_NZ, _ONLY_STORAGE):
            return paper, ink, hatch
        return faded(paper), faded(ink), hatch

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
    x, y = edges_of(look.x), edges_of(look.y)
    for code in _present(states):
        _patch_area(axes, states == code, x, y, view.pattern(code))
    colours = _colours(look, view, values, states)
    shown = np.ma.masked_array(colours.values, mask=states != VALUE)
    picture = _cells(axes, shown, x, y, cmap=colours.colormap, norm=colours.norm, alpha=view.alpha)
    set_ticks(axes, look.x, "x")
    set_ticks(axes, look.y, "y")
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
        colours = [category_colour(i) for i in range(count)]
        table = ListedColormap([*colours, (0.5, 0.5, 0.5)])
        norm: Any = BoundaryNorm(np.arange(count + 2) - 0.5, count + 1)
        return _Colours(np.where(known, order, count), table, norm)
    low, high = view.limits(values[states == VALUE])
    norm = LogNorm(low, high, clip=True) if view.log else Normalize(low, high)
    shown = values[states == VALUE]
    extend = _extend(shown, low, high)
    return _Colours(values, view.colormap, norm, extend)


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
            Patch(fc=category_colour(i), label=safe(category.label, 40))
            for i, category in enumerate(look.categories[:_MOST_CATEGORIES])
        ]
    elif (states == VALUE).any():
        bar = drawn.colorbar(picture, ax=axes, pad=0.02, extend=colours.extend, aspect=30)
        bar.set_label(safe(_quantity(look, view)))
        bar.outline.set_linewidth(0.5)  # type: ignore[operator, unused-ignore]
    _legend(axes, states, patches)


def _outlined(
    x: np.ndarray[Any, Any],
    y: np.ndarray[Any, Any],
    where: np.ndarray[Any, Any],
    pattern: _Pattern,
) -> PathPatch:
    """Return the cells of a state as one path, which alone can be hatched; a mesh cannot."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    paper, ink, hatch = pattern
    corners = np.stack([x, y], axis=-1)
    round_about = (corners[:-1, :-1], corners[:-1, 1:], corners[1:, 1:], corners[1:, :-1])
    # the first corner once more, which closes a cell
    outlines = np.stack([corner[where] for corner in (*round_about, round_about[0])], axis=1)
    codes = np.full(outlines.shape[:2], Path.LINETO, Path.code_type)
    codes[:, 0], codes[:, -1] = Path.MOVETO, Path.CLOSEPOLY
    path = Path(outlines.reshape(-1, 2), codes.reshape(-1))
    return PathPatch(path, fc=paper, ec=ink, hatch=hatch, lw=0, rasterized=True)


def _draw_curvilinear(drawn: Figure, axes: Axes, look: QuickLook, view: _View) -> None:
    """Draw a map on its two-dimensional coordinates."""
    cells = None if look.curvilinear is None else mesh(look.curvilinear)
    if look.curvilinear is None or cells is None:
        return

    grid = look.curvilinear
    _known_colormap(view)
    states = view.states(look)
    colours = _colours(look, view, view.values(look), states)
    for turn in cells.turns:
        for code in _present(states):
            where = (states == code) & cells.whole
            if where.any():
                axes.add_patch(_outlined(cells.x + turn, cells.y, where, view.pattern(code)))
        shown = np.ma.masked_array(colours.values, mask=(states != VALUE) | ~cells.whole)
        picture = axes.pcolormesh(
            cells.x + turn,
            cells.y,
            shown,
            cmap=colours.colormap,
            norm=colours.norm,
            alpha=view.alpha,
            rasterized=True,
        )
    axes.set_xlabel(safe(named(grid.x_label, grid.x_units)))
    axes.set_ylabel(safe(named(grid.y_label, grid.y_units)))
    axes.set_xlim(*cells.x_limits)
    axes.set_ylim(*cells.y_limits)
    _explain(drawn, axes, look, view, picture, colours, states)


def _draw_image(axes: Axes, look: QuickLook, view: _View) -> None:
    if look.x is None or look.y is None or look.image is None:
        return
    states = view.states(look)
    x, y = edges_of(look.x), edges_of(look.y)
    for code in _present(states):
        _patch_area(axes, states == code, x, y, view.pattern(code))
    extent = (float(x[0]), float(x[-1]), float(y[0]), float(y[-1]))
    axes.imshow(look.image, origin="lower", extent=extent, aspect="equal", interpolation="nearest")
    set_ticks(axes, look.x, "x")
    set_ticks(axes, look.y, "y")
    axes.set_xlim(min(x[0], x[-1]), max(x[0], x[-1]))
    axes.set_ylim(*_upwards(look.y, y))
    _legend(axes, states)


def _draw_histogram(axes: Axes, look: QuickLook, view: _View) -> None:
    if look.histogram is None:
        return
    counts, edges = look.histogram.counts, look.histogram.edges
    if view.decoded and look.packing is not None:
        edges = look.packing.decode(edges)
    axes.stairs(counts, edges, fill=True, color=_INK)
    most = max(1.0, float(counts.max()))
    if view.log:  # a single one is to be seen, and none is no height
        axes.set_yscale("function", functions=(np.log1p, np.expm1))
        axes.set_yticks(10.0 ** np.arange(np.floor(np.log10(most)) + 1))
    axes.set_ylim(0, most)
    axes.set_xlim(float(edges.min()), float(edges.max()))
    axes.set_xlabel(safe(_quantity(look, view)))
    axes.set_ylabel(f"number of {look.histogram.of.removeprefix('the ')}")
    axes.spines[["top", "right"]].set_visible(False)


def _cells(axes: Axes, values: Any, x: Numbers, y: Numbers, **options: Any) -> Any:
    """Draw cells between edges: as an image where they are even, which is much faster."""
    if is_even(x) and is_even(y):
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


def _patch_area(
    axes: Axes, where: np.ndarray[Any, Any], x: Numbers, y: Numbers, pattern: _Pattern
) -> None:
    """Fill the cells of a state with its colour and hatching."""
    from matplotlib.colors import ListedColormap

    paper, ink, hatch = pattern
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
    x = places_of(look.x)
    good = states == VALUE
    numbers = view.values(look)
    values = np.where(good, numbers, np.nan)
    alone = good & ~(np.roll(good, 1) | np.roll(good, -1)) if good.size > 2 else good
    axes.plot(x, values, lw=1.4, color=_INK, marker="o" if good.sum() <= 60 else "", ms=3)
    if alone.any():  # a point between gaps has no line to be seen by
        axes.plot(x[alone], values[alone], "o", ms=3, color=_INK)
    if view.log:
        axes.set_yscale("log")
    if view.low is not None or view.high is not None or not good.any():
        axes.set_ylim(*view.limits(numbers[good]))
    edges = edges_of(look.x)
    for code in _present(states):
        for start, stop in _runs(states == code):
            paper, ink, hatch = LOOKS[code]
            ends = float(edges[start]), float(edges[stop])
            axes.axvspan(*ends, fc=ink, alpha=0.12, lw=0, zorder=0.5)
            axes.axvspan(*ends, ymax=_STRIP, fc=paper, ec=ink, hatch=hatch, lw=0, zorder=0.6)
    axes.set_xlim(min(edges[0], edges[-1]), max(edges[0], edges[-1]))
    axes.grid(visible=True, lw=0.4, alpha=0.5)
    axes.spines[["top", "right"]].set_visible(False)
    set_ticks(axes, look.x, "x")
    if look.categories:
        few = look.categories[:_MOST_CATEGORIES]
        axes.set_yticks([c.value for c in few], [safe(c.label, 24) for c in few])
    axes.set_ylabel(safe(_quantity(look, view)))
    _legend(axes, states)


def _runs(where: np.ndarray[Any, Any], most: int = 500) -> list[tuple[int, int]]:
    """Return where something is true, as starts and stops."""
    steps = np.flatnonzero(np.diff(np.concatenate([[False], where, [False]])))
    return list(zip(steps[::2].tolist(), steps[1::2].tolist(), strict=True))[:most]


def _quantity(look: QuickLook, view: _View) -> str:
    name = look.name or look.path.rsplit("/", 1)[-1] or look.path
    if look.part not in (None, "magnitude"):
        name = f"{look.part} of {name}"
    units = look.units
    if look.packing is not None:
        units = look.packing.units if view.decoded else "as stored"
    return named(name, units)


# --- words -----------------------------------------------------------------------------------


def _present(states: States) -> list[int]:
    counts = np.bincount(states.reshape(-1), minlength=_ONLY_STORAGE + 1)
    return [code for code in LOOKS if counts[code]]


def _legend(axes: Axes, states: States, first: Sequence[Patch] = ()) -> None:
    from matplotlib.patches import Patch

    counts = np.bincount(states.reshape(-1), minlength=_ONLY_STORAGE + 1)
    patches: list[Patch] = list(first)
    for code in _present(states):
        paper, ink, hatch = LOOKS[code]
        share = 100 * counts[code] / states.size
        text = f"{_TITLES[code]}  {'<0.1' if share < 0.1 else f'{share:.3g}'} %"
        patches.append(Patch(fc=paper, ec=ink, hatch=hatch, lw=0.5, label=text))
    if patches:
        axes.figure.legend(  # type: ignore[union-attr, unused-ignore]
            handles=patches, loc="outside lower left", ncols=4, fontsize="small", frameon=False
        )


def _entitle(axes: Axes, look: QuickLook) -> None:
    slices = "   ".join(slice_text(slider) for slider in look.sliders)
    axes.set_title(safe(look.path), loc="left", fontsize="medium", fontweight="bold")
    if slices:
        axes.set_title(safe(slices, 70), loc="right", fontsize="medium")


def _write(axes: Axes, look: QuickLook) -> None:
    """Write what has no picture."""
    axes.set_axis_off()
    text = look.text if look.text is not None else (look.message or "")
    if look.kind == "scalar":
        text = f"{text} {pretty(look.units)}".strip()
    size = {"scalar": 22, "text": 9}.get(look.kind, 11)
    lines = text.splitlines()[:30] if look.kind == "text" else textwrap.wrap(text, 70)[:12]
    axes.text(
        0.02,
        0.95,
        "\n".join(safe(line, 110) for line in lines),
        transform=axes.transAxes,
        va="top",
        fontsize=size,
        family="monospace" if look.kind == "text" else "sans-serif",
    )
