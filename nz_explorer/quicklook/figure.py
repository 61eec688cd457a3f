"""A quick look as a matplotlib figure: what the browser shows, for export and for Python."""

from __future__ import annotations

import textwrap
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from nz_explorer.quicklook.colormaps import NAMES
from nz_explorer.quicklook.look import Axis, Numbers, QuickLook
from nz_explorer.quicklook.words import slice_text
from nz_explorer.values.states import (
    ABSENT,
    FILL,
    INF,
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

Mask = Literal["nz", "storage", "raw"]

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
}
_UNEVEN = 20
"""A grid whose widest cell is so many times its narrowest is drawn by number."""
_MOST_TICKS = 6
_LONGEST = 90
_lock = threading.RLock()  # fonts and text layout of matplotlib are shared


def figure(
    look: QuickLook,
    *,
    mask: Mask = "nz",
    colormap: str | None = None,
    low: float | None = None,
    high: float | None = None,
    log: bool = False,
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
        or nothing that is a number (``raw``).
    colormap
        A name that matplotlib knows; empty or None for the default.
    low, high
        Limits of colour or of the y axis; the range of what is shown where they are None.
    log
        Logarithmic colours or y axis; values that are not positive then take the lowest colour.
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
        view = _View(mask, colormap or NAMES[0], low, high, log)
        if look.kind == "map" and look.values is not None:
            _draw_map(drawn, axes, look, view)
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

    def states(self, look: QuickLook) -> States:
        """Return the states under the mask that was chosen."""
        assert look.cell_states is not None  # noqa: S101  # only pictures come here
        assert look.values is not None  # noqa: S101
        assert look.storage_states is not None  # noqa: S101
        if self.mask == "nz":
            return look.cell_states
        if self.mask == "storage":
            return look.storage_states
        # raw: a fill value is a number again; what was not read stays unread
        states = look.cell_states.copy()
        filled = states == FILL
        states[filled] = VALUE
        states[filled & np.isnan(look.values)] = NAN
        states[filled & (look.values == np.inf)] = INF
        states[filled & (look.values == -np.inf)] = NEG_INF
        return states

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
    from matplotlib import colormaps
    from matplotlib.colors import LogNorm, Normalize

    if look.x is None or look.y is None or look.values is None:
        return
    if view.colormap not in colormaps:
        raise ValueError(f"matplotlib has no colormap {view.colormap!r}")
    states = view.states(look)
    shown = np.ma.masked_array(look.values, mask=states != VALUE)
    low, high = view.limits(look.values[states == VALUE])
    norm = LogNorm(low, high, clip=True) if view.log else Normalize(low, high)
    x, y = _edges(look.x), _edges(look.y)
    for code in _present(states):
        _patch_area(axes, states == code, x, y, code)
    picture = _cells(axes, shown, x, y, cmap=view.colormap, norm=norm)
    _ticks(axes, look.x, "x")
    _ticks(axes, look.y, "y")
    axes.set_xlim(min(x[0], x[-1]), max(x[0], x[-1]))
    bottom, top = min(y[0], y[-1]), max(y[0], y[-1])
    # an index counts rows from the top; a coordinate grows upwards
    upwards = look.y.kind in ("number", "time")
    axes.set_ylim(*((bottom, top) if upwards else (top, bottom)))
    if (states == VALUE).any():
        extend = _extend(shown, low, high)
        bar = drawn.colorbar(picture, ax=axes, pad=0.02, extend=extend, aspect=30)
        bar.set_label(_safe(_quantity(look)))
        bar.outline.set_linewidth(0.5)  # type: ignore[operator, unused-ignore]
    _legend(axes, states)


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
    values = np.where(good, look.values, np.nan)
    alone = good & ~(np.roll(good, 1) | np.roll(good, -1)) if good.size > 2 else good
    axes.plot(x, values, lw=1.4, color="#1f5fa8", marker="o" if good.sum() <= 60 else "", ms=3)
    if alone.any():  # a point between gaps has no line to be seen by
        axes.plot(x[alone], values[alone], "o", ms=3, color="#1f5fa8")
    if view.log:
        axes.set_yscale("log")
    if view.low is not None or view.high is not None or not good.any():
        axes.set_ylim(*view.limits(look.values[good]))
    edges = _edges(look.x)
    for code in _present(states):
        for start, stop in _runs(states == code):
            paper, ink, hatch = _LOOKS[code]
            axes.axvspan(edges[start], edges[stop], fc=paper, ec=ink, hatch=hatch, lw=0, zorder=0.5)
    axes.set_xlim(min(edges[0], edges[-1]), max(edges[0], edges[-1]))
    axes.grid(visible=True, lw=0.4, alpha=0.5)
    axes.spines[["top", "right"]].set_visible(False)
    _ticks(axes, look.x, "x")
    axes.set_ylabel(_safe(_quantity(look)))
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
    return f"{name} ({_pretty(axis.units)})" if axis.units else name


def _quantity(look: QuickLook) -> str:
    name = look.name or look.path.rsplit("/", 1)[-1] or look.path
    return f"{name} ({_pretty(look.units)})" if look.units else name


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
    counts = np.bincount(states.reshape(-1), minlength=len(_LOOKS) + 1)
    return [code for code in _LOOKS if counts[code]]


def _legend(axes: Axes, states: States) -> None:
    from matplotlib.patches import Patch

    counts = np.bincount(states.reshape(-1), minlength=len(_LOOKS) + 1)
    patches: list[Patch] = []
    for code in _present(states):
        paper, ink, hatch = _LOOKS[code]
        share = 100 * counts[code] / states.size
        text = f"{TITLES[code]}  {'<0.1' if share < 0.1 else f'{share:.3g}'} %"
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
