"""The difference of two pictures: another index, or another array, subtracted point by point."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from nz_explorer.model import Array, Hierarchy
from nz_explorer.plots.captions import describe, place_text
from nz_explorer.plots.colours.defaults import difference_colours
from nz_explorer.plots.colours.ranges import Range, robust
from nz_explorer.plots.numbers import state_counts, value_range
from nz_explorer.plots.picture import Axis, QuickLook
from nz_explorer.plots.registry import kind_of
from nz_explorer.plots.shown_values import Reading, shown_values
from nz_explorer.plots.summaries import histogram
from nz_explorer.text.phrases import listed
from nz_explorer.text.units import hemispheres
from nz_explorer.values.coordinates.axes import number_text
from nz_explorer.values.coordinates.times import is_time
from nz_explorer.values.masks.cell_states import INF, NAN, NEG_INF, States

if TYPE_CHECKING:
    from collections.abc import Callable

    Look = Callable[[Array, Mapping[str, int]], QuickLook]

_SAME = "itself"
_BRING_TOGETHER = "interpolate one of them first, as xarray's interp_like does"
_SORT = "sort one of them first, as xarray's sortby does"
_KINDS = ("map", "line", "lines", "table", "histogram", "cells")


@dataclass(frozen=True, slots=True)
class Against:
    """What is subtracted.

    Parameters
    ----------
    path
        Of an array; empty for the same.
    index
        At which index dimensions are fixed, where that is another one.
    elsewhere
        Whether it is in the store that this one was compared with.
    show
        ``a`` or ``b`` for one of the two pictures in place of their difference, ``both`` for both.
    """

    path: str
    index: Mapping[str, int]
    elsewhere: bool = False
    show: str = ""

    @classmethod
    def of(cls, given: Any) -> Against | None:
        """Return what a view asks for; None for nothing.

        Parameters
        ----------
        given
            A path, or a mapping of ``path``, ``store``, ``show`` and indices by dimension.
        """
        if isinstance(given, str) and given:
            return cls(given, {})
        if not isinstance(given, Mapping) or not given:
            return None
        path = given.get("path")
        index = {
            str(name): int(at)
            for name, at in given.items()
            if name != "path" and isinstance(at, int) and not isinstance(at, bool)
        }
        path = path if isinstance(path, str) else ""
        return cls(path, index, bool(given.get("store")), str(given.get("show", "")))


def subtract(
    hierarchy: Hierarchy | None, array: Array, shown: QuickLook, against: Against, look: Look
) -> QuickLook:
    """Return a picture with another one subtracted from it.

    Parameters
    ----------
    hierarchy
        Where the other array is; None where no store was compared with this one.
    array
        That is shown.
    shown
        Its picture.
    against
        What is subtracted.
    look
        Makes the picture of an array at an index, of the same kind, window and axes.

    Returns
    -------
    QuickLook
        float64, decoded and masked before; without values, and with a message, where the two do not have the same
        points.
    """
    if shown.kind == "none":
        return shown
    if shown.kind not in _KINDS or shown.part is not None:
        what = f"pictures of the kind {shown.kind}" if shown.part is None else "complex numbers"
        return _refused(shown, f"no difference is made of {what}")
    if hierarchy is None:
        return _refused(shown, "no other store was compared with this one: call ex.compare first")
    path = against.path or array.path
    other = array if not against.path and not against.elsewhere else hierarchy.get(path)
    if not isinstance(other, Array):
        where = f" in {hierarchy.source}" if against.elsewhere else ""
        return _refused(shown, f"there is no array {path}{where} to subtract")
    index = {slider.dimension: slider.index for slider in shown.sliders}
    minus = look(other, {**index, **against.index})
    places = {slider.dimension: place_text(slider) for slider in minus.sliders}
    sliders = tuple(replace(one, minus=places.get(one.dimension)) for one in shown.sliders)
    shown = replace(shown, sliders=sliders)
    if minus.kind == "none":
        return _refused(shown, minus.message or f"{other.path} has no picture")
    notes = list(_notes(shown, minus, against))
    apart = _other_points(shown, minus) or ("" if against.show else _other_times(array, other))
    if apart:
        return _refused(shown, apart)
    text = _minus(shown, minus)
    if against.elsewhere:
        text = f"{hierarchy.source.rpartition('/')[2]} {text.removeprefix(_SAME)}".strip()
    if against.show == "both":
        names = [one.path.rpartition("/")[2] for one in (shown, minus)]
        if against.elsewhere:
            sources = (array.hierarchy.source, hierarchy.source)
            names = [source.rpartition("/")[2] for source in sources]
        made, beside = (
            replace(
                _difference(one, two, text, "a"),
                title=one.title,
                name=one.name,
                aside=one.aside if names[0] == names[1] else (*one.aside, name),
            )
            for name, (one, two) in zip(names, ((shown, minus), (minus, shown)), strict=True)
        )
        made = replace(made, beside=replace(beside, message=None))
    else:
        made = _difference(shown, minus, text, against.show)
        what = {"a": "A", "b": f"B: {text}"}.get(against.show, f"minus {text}")
        made = replace(made, aside=(what, *shown.aside))
    if made.minus is None:
        return made
    made = replace(made, message="; ".join(filter(None, (*notes, made.message))))
    if made.minus is None:
        return made
    home = hierarchy if against.elsewhere else None
    return replace(made, minus=replace(made.minus, hierarchy=home, beside=against.show))


def _refused(shown: QuickLook, message: str) -> QuickLook:
    label = f"no picture of {shown.path}: {message}"
    return QuickLook(
        "none",
        shown.path,
        shown.title,
        label,
        message=message,
        data_type=shown.data_type,
        sliders=shown.sliders,
        kinds=shown.kinds,
        read=shown.read,
    )


def _notes(shown: QuickLook, minus: QuickLook, against: Against) -> Iterator[str]:
    """Yield what is otherwise than one may think."""
    if shown.units and minus.units and shown.units != minus.units:
        yield f"A is in {shown.units} and B in {minus.units}: the numbers are taken as they are"
    drawn = [one.label for one in (shown.y, shown.x) if one and one.label in against.index]
    if drawn:
        yield f"{' and '.join(drawn)} of B is not fixed, as it is an axis of the picture"


def _other_points(shown: QuickLook, minus: QuickLook) -> str:
    """Return how the points of two pictures differ; empty where they are the same."""
    for one, two in ((shown.x, minus.x), (shown.y, minus.y)):
        if one is None and two is None:
            continue
        if one is None or two is None or one.label != two.label:
            return (
                f"{minus.path} lies along {_along(minus)}, and {shown.path} along {_along(shown)}: choose another B, or "
                "rename the dimensions of one of them"
            )
        if (one.start, one.step, one.size) != (two.start, two.step, two.size):
            why = f"{minus.path} has other points along {one.label}: {_points(two)}, not {_points(one)}"
            return f"{why}; {_BRING_TOGETHER}"
        if not _same_places(one, two):
            why = f"{minus.path} has other coordinates along {one.label}: {_ends(two)}, not {_ends(one)}"
            return f"{why}; {_SORT if _same_places(one, _reversed(two)) else _BRING_TOGETHER}"
    one_grid, other_grid = shown.curvilinear, minus.curvilinear
    if one_grid is None or other_grid is None:
        return ""
    for here, there, label in (
        (one_grid.x, other_grid.x, one_grid.x_label),
        (one_grid.y, other_grid.y, one_grid.y_label),
    ):
        if not np.allclose(here, there, rtol=1e-5, atol=1e-4, equal_nan=True):
            return f"{minus.path} has other values of {label} than {shown.path}; {_BRING_TOGETHER}"
    return ""


def _along(look: QuickLook) -> str:
    return listed([one.label for one in (look.y, look.x) if one]) or "no dimension"


def _ends(axis: Axis) -> str:
    texts = axis.labels
    if texts is None and axis.coordinates is not None:
        texts = [number_text(value) for value in axis.coordinates[[0, -1]]]
    return "none" if texts is None else f"{texts[0]} … {texts[-1]}"


def _reversed(axis: Axis) -> Axis:
    labels, coordinates = axis.labels, axis.coordinates
    return replace(
        axis,
        labels=None if labels is None else labels[::-1],
        coordinates=None if coordinates is None else coordinates[::-1],
    )


def _other_times(one: Array, two: Array) -> str:
    """Return how two arrays count times, if not in the same way; empty where they do, or where none of them has times."""
    counts = []
    for array in (one, two):
        unit, calendar = array.attributes.get("units"), array.attributes.get("calendar", "standard")
        dtype = array.data_type.numpy
        if dtype is not None and dtype.kind in "mM":
            counts.append(dtype.name)
        elif is_time(array.attributes):
            usual = "standard" if calendar == "gregorian" else calendar
            counts.append(f"{unit} in the calendar {usual}")
        else:
            counts.append("no times")
    if counts[0] == counts[1]:
        return ""
    return f"A has {counts[0]}, B has {counts[1]}: their numbers cannot be subtracted, but xarray decodes both"


def _points(axis: Axis) -> str:
    return f"{axis.size} of {axis.length}"


def _same_places(one: Axis, two: Axis) -> bool:
    if one.labels is not None or two.labels is not None:
        return one.labels == two.labels
    if one.coordinates is None or two.coordinates is None:
        return True
    return bool(np.allclose(one.coordinates, two.coordinates, rtol=1e-6, atol=1e-6))


def _difference(shown: QuickLook, minus: QuickLook, text: str, show: str) -> QuickLook:
    """Return a picture minus another one; of ``show`` ``a`` or ``b`` only one of them, read in the same way."""
    first, second = _numbers(shown), _numbers(minus)
    with np.errstate(invalid="ignore", over="ignore"):
        apart = np.ma.getdata(first) - np.ma.getdata(second)
    gone = np.ma.getmaskarray(first), np.ma.getmaskarray(second)
    both = ~(gone[0] | gone[1]) & np.isfinite(apart)
    sides = [(gone[1], minus), (gone[0], shown)]
    ranges: dict[str, Range | None] = {}
    values: np.ndarray[Any, Any]
    if show in ("a", "b"):
        pair = (
            _cells(np.ma.getdata(first).copy(), sides[1:]),
            _cells(np.ma.getdata(second).copy(), sides[:1]),
        )
        values, states = pair[show == "b"]
        alone = minus if show == "b" else shown
        if alone.packing is None and alone.stored is not None and alone.stored.dtype == np.float32:
            values = values.astype(np.float32)  # without digits that nobody has stored
        # in the limits of both
        ends = [end for side in pair for end in value_range(*side) if end is not None]
        ranges["frame"] = (min(ends), max(ends)) if ends else None
        ranges["robust"] = robust(
            np.concatenate([side[0] for side in pair]), np.concatenate([side[1] for side in pair])
        )
    else:
        values, states = _cells(apart, sides)
        ranges["robust"] = robust(values, states)
    low, high = value_range(values, states)
    units = shown.packing.units if shown.packing else shown.units
    if not show and units:
        units = units.partition(" since ")[0]
    name = shown.name or shown.path.rsplit("/", 1)[-1]
    how = {"a": "beside", "b": "beside it:"}.get(show, "minus")
    made = replace(
        shown,
        title=f"{shown.title} {how} {text}",
        name=f"{name} {how} {text}",
        units=units,
        values=values,
        cell_states=states,
        storage_states=states,
        stored=values,
        stored_states=(states, states),
        absent_missing=(True, True),
        states=state_counts(states, states),
        low=low,
        high=high,
        categories=(),
        dates=(),
        rest=None,
        packing=None,
        valid_low=None,
        valid_high=None,
        missing_values=(),
        hidden_by_xarray=0,
        histogram=histogram(values, states) if shown.histogram is not None else None,
        ranges={name: found for name, found in ranges.items() if found is not None},
        colours=shown.colours if show in ("a", "b") else difference_colours(),
        message="; ".join(
            filter(
                None,
                (_statistics(first, apart, both, (shown.y, shown.x), units, text), shown.message),
            )
        ),
        minus=minus.source,
    )
    kind = kind_of(made)
    return made if kind is None else replace(made, label=describe(made, kind))


def _numbers(look: QuickLook) -> np.ma.MaskedArray[Any, np.dtype[np.float64]]:
    """Return the values of a picture as float64; of times their ticks, NaN where there is none."""
    values = shown_values(look, Reading())
    found = np.ma.asarray(values, np.float64)
    if values.dtype.kind in "mM":
        found = np.ma.masked_array(np.where(np.isnat(values.data), np.nan, found.data), found.mask)
    return found


def _cells(
    values: np.ndarray[Any, np.dtype[np.float64]],
    masks: Sequence[tuple[np.ndarray[Any, np.dtype[np.bool_]], QuickLook]],
) -> tuple[np.ndarray[Any, np.dtype[np.float64]], States]:
    """Return values, NaN where pictures mask them, and their cell states."""
    states: States = np.zeros(values.shape, np.uint8)
    states[np.isnan(values)] = NAN
    states[values == np.inf] = INF
    states[values == -np.inf] = NEG_INF
    for mask, one in masks:
        assert one.stored_states is not None  # noqa: S101  # there are values
        states[mask] = np.maximum(one.stored_states[0][mask], 1)
        values[mask] = np.nan
    return values, states


def _minus(shown: QuickLook, minus: QuickLook) -> str:
    """Return what is subtracted: the array where it is another one, and where it is sliced otherwise."""
    before = {slider.dimension: (slider.index, slider.label) for slider in shown.sliders}
    words = [] if minus.path == shown.path else [minus.path.rsplit("/", 1)[-1]]
    words += [
        f"{slider.dimension} {slider.label}"
        for slider in minus.sliders
        if slider.method is None and before.get(slider.dimension) != (slider.index, slider.label)
    ]
    return " · ".join(words) or _SAME


def _statistics(
    first: np.ma.MaskedArray[Any, Any],
    apart: np.ndarray[Any, Any],
    there: np.ndarray[Any, np.dtype[np.bool_]],
    axes: Sequence[Axis | None],
    units: str | None,
    text: str,
) -> str:
    """Return how two pictures differ where both have a value."""
    rows = axes[0]
    if text == _SAME:
        return "A and B are the same slice: choose another B beside the slider"
    values = apart[there]
    if not values.size:
        return f"A − B, minus {text}: no point has both values"
    if not values.any():
        return f"A − B: both are equal ({_points_of(values.size, axes)})"
    bias = _short(values.mean())
    if rows is not None and rows.coordinates is not None and hemispheres(rows.units) == "NS":
        weights = np.cos(np.radians(rows.coordinates))[:, None] * there
        if weights.sum() > 0:
            weighed = np.where(there, apart, 0) * weights
            bias += f" ({_short(weighed.sum() / weights.sum())} weighted by area)"
    rms, largest = np.sqrt(np.mean(values**2)), np.abs(values).max()
    found = f"bias {bias}, RMS {_short(rms)}, largest {_short(largest)}"
    found += f" {units}" if units else ""
    one = np.ma.getdata(first)[there]
    two = one - values
    if one.std() > 0 and two.std() > 0:
        found += f", correlation {_short(np.corrcoef(one, two)[0, 1])}"
    # What is subtracted stands in the title; the numbers fit on a line beside the tree.
    return f"A − B: {found} ({_points_of(values.size, axes)})"


def _points_of(count: int, axes: Sequence[Axis | None]) -> str:
    """Return over how many points numbers are, and whether there are more of them."""
    thinned = [f"1 in {one.step} along {one.label}" for one in axes if one and one.step > 1]
    if thinned:
        return f"over the {count:,} points drawn, {' and '.join(thinned)}"
    cut = any(one and one.size < one.length for one in axes)
    return f"over {count:,} points{' of this part' * cut}"


def _short(number: float) -> str:
    """Return a number of a sentence: four digits, with the minus sign that the rest of the window has."""
    text = number_text(float(f"{number:.4g}"))
    return text.replace("e-0", "e-").replace("-", "−")
