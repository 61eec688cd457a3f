"""Quick looks as messages: numbers in buffers beside the JSON, for the browser to paint."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from nz_explorer.text.units import units_text
from nz_explorer.values.coordinates.date_ticks import date_ticks
from nz_explorer.widget import protocol
from nz_explorer.widget.text import on_screen

if TYPE_CHECKING:
    from nz_explorer.plots import QuickLook
    from nz_explorer.plots.lines.collect import Lines
    from nz_explorer.plots.picture import Axis
    from nz_explorer.plots.shown_values import Reading
    from nz_explorer.values.coordinates.auxiliary import PointCoordinate
    from nz_explorer.values.masks.cell_states import States
    from nz_explorer.values.whole_arrays.histograms import Histogram


class _Buffers:
    """Collects buffers and gives each its number."""

    def __init__(self) -> None:
        self.all: list[bytes] = []

    def add(self, values: np.ndarray[Any, Any] | None) -> int | None:
        if values is None:
            return None
        self.all.append(np.ascontiguousarray(values).tobytes())
        return len(self.all) - 1


def picture(
    look: QuickLook, *, finished: bool = True
) -> tuple[protocol.PictureResult, list[bytes]]:
    """Return a quick look as a message and its buffers.

    Parameters
    ----------
    look : QuickLook
        The picture.
    finished : bool
        Whether all of it is there: nobody points at what is still being read.
    """
    buffers = _Buffers()
    return _picture(look, buffers, finished=finished), buffers.all


def _picture(look: QuickLook, buffers: _Buffers, *, finished: bool) -> protocol.PictureResult:
    from nz_explorer.plots.captions import caption_of, place_text
    from nz_explorer.plots.drawing.aspect import aspect_of_axes

    curvilinear = _curvilinear(look, buffers)
    points = look.point_coordinates() if finished else ()
    return protocol.PictureResult(
        kind=look.kind,
        path=look.path,
        title=look.title,
        name=look.name or look.path.rpartition("/")[2],
        caption=caption_of(look),
        label=on_screen(look.label),
        message=look.message and on_screen(look.message),
        data_type=look.data_type,
        units=look.units,
        x=_axis(None if look.upright else look.x, buffers),
        y=_axis(look.x if look.upright else look.y, buffers),
        aside=list(look.aside),
        sliders=_same(
            [replace(one, label=place_text(one)) for one in look.sliders], list[protocol.Slider]
        ),
        values_type=look.values_type,
        values_buffer=buffers.add(look.values),
        rest_buffer=buffers.add(look.rest),
        states_buffer=buffers.add(look.cell_states),
        storage_states_buffer=buffers.add(_unlike(look.storage_states, look.cell_states)),
        states=_same(look.states, list[protocol.StateCount]),
        low=finite(look.low),
        high=finite(look.high),
        ranges={name: list(found) for name, found in look.ranges.items()},
        colormap=look.colours.colormap,
        signed=look.colours.signed,
        text=look.text,
        fill=look.fill,
        storage_fill=look.storage_fill,
        fill_source=look.fill_source,
        missing_value=", ".join(one.text for one in look.missing_values) or None,
        hidden_by_xarray=look.hidden_by_xarray,
        derived=look.derived,
        read=None
        if look.read is None
        else _same(replace(look.read, note=on_screen(look.read.note)), protocol.ReadFacts),
        errors=_same(look.errors, list[protocol.ChunkError]),
        kinds=list(look.kinds),
        parts=list(look.parts),
        part=look.part,
        image_buffer=buffers.add(look.image),
        histogram=None if look.histogram is None else _histogram(look.histogram, buffers),
        categories=_same(look.categories, list[protocol.Category]),
        dates=list(look.dates),
        packing=None if look.packing is None else _same(look.packing, protocol.Packing),
        valid_low=finite(look.valid_low),
        valid_high=finite(look.valid_high),
        aspect=aspect_of_axes(look.x, look.y),
        curvilinear=curvilinear,
        point_coordinates=_point_coordinates(points, curvilinear, buffers, upright=look.upright),
        earth=_earth(look, buffers),
        overview=look.overview and on_screen(look.overview),
        beside=None if look.beside is None else _picture(look.beside, buffers, finished=finished),
    )


def _unlike(states: States | None, others: States | None) -> States | None:
    """Leave out what is the same: it would be a sixth of every picture."""
    same = states is not None and others is not None and np.array_equal(states, others)
    return None if same else states


def histogram_message(
    found: Histogram | None,
) -> tuple[protocol.Histogram | None, list[bytes]]:
    """Return a histogram as a message and its buffers."""
    buffers = _Buffers()
    return (None if found is None else _histogram(found, buffers)), buffers.all


def lines(
    path: str, found: Lines, reading: Reading | None = None
) -> tuple[protocol.LinesResult, list[bytes]]:
    """Return lines as a message and their buffers.

    Parameters
    ----------
    path : str
        The group.
    found : Lines
        Its lines.
    reading : Reading, optional
        What counts as missing, and whether values are unpacked; ``_FillValue``, and they are, by default.

    Returns
    -------
    tuple of LinesResult and list of bytes
        The message, and the buffers that it refers to by index.
    """
    from nz_explorer.plots.drawing.mask import masked_states
    from nz_explorer.plots.shown_values import Reading

    buffers = _Buffers()
    x = _axis(found.x, buffers)
    assert x is not None  # noqa: S101  # there is one
    drawn = []
    asked = reading or Reading()
    for nth, look in zip(found.pins or count(), found.looks, strict=False):
        if look.values is None or look.cell_states is None:
            continue
        # What is made of several slices was masked and unpacked.
        meant = Reading() if look.derived else asked
        packing = look.packing if meant.decoded else None
        drawn.append(
            protocol.Line(
                path=look.path,
                label=look.name or look.path.rsplit("/", 1)[-1],
                units=look.units or (packing.units if packing else None),
                values_buffer=_added(buffers, decoded(look, unpacked=meant.decoded)),
                states_buffer=_added(
                    buffers, masked_states(look, meant.mask, decoded=meant.decoded)
                ),
                nth=nth,
            )
        )
    return (
        protocol.LinesResult(
            path,
            found.dimension,
            list(found.dimensions),
            x,
            drawn,
            found.message and on_screen(found.message),
        ),
        buffers.all,
    )


def decoded(look: QuickLook, *, unpacked: bool = True) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the numbers of a picture, float64: as they are meant, or as they are stored.

    Parameters
    ----------
    look : QuickLook
        The picture.
    unpacked : bool
        Whether packed values are unpacked.
    """
    assert look.values is not None  # noqa: S101  # who asks has looked
    packing = look.packing if unpacked else None
    numbers: np.ndarray[Any, np.dtype[np.float64]] = (
        look.values.astype(np.float64) if packing is None else packing.decode(look.values)
    )
    return numbers


def _histogram(found: Histogram, buffers: _Buffers) -> protocol.Histogram:
    return protocol.Histogram(
        edges_buffer=_added(buffers, found.edges),
        counts_buffer=_added(buffers, found.counts),
        of=found.of,
    )


def _curvilinear(look: QuickLook, buffers: _Buffers) -> protocol.Curvilinear | None:
    from nz_explorer.plots.drawing.aspect import aspect_of_coordinates

    found = look.curvilinear
    if found is None:
        return None
    return protocol.Curvilinear(
        x_label=found.x_label,
        y_label=found.y_label,
        x_buffer=_added(buffers, found.x),
        y_buffer=_added(buffers, found.y),
        limits=list(found.limits),
        aspect=aspect_of_coordinates(found),
        x_units=_units(found.x_units),
        y_units=_units(found.y_units),
        turn=found.circle,
        nearest_buffer=buffers.add(found.nearest),
        columns=0 if found.nearest is None else found.nearest.shape[1],
    )


def _point_coordinates(
    points: Iterable[PointCoordinate],
    curvilinear: protocol.Curvilinear | None,
    buffers: _Buffers,
    *,
    upright: bool,
) -> list[protocol.PointCoordinate]:
    found = []
    if curvilinear is not None:
        for label, units, buffer in (
            (curvilinear.y_label, curvilinear.y_units, curvilinear.y_buffer),
            (curvilinear.x_label, curvilinear.x_units, curvilinear.x_buffer),
        ):
            found.append(protocol.PointCoordinate(label, True, True, buffer, "float32", units))
    for one in points:
        narrow = one.values is not None and one.values.dtype == np.float32
        down, across = (one.across, one.down) if upright else (one.down, one.across)
        found.append(
            protocol.PointCoordinate(
                one.label,
                down,
                across,
                buffer=buffers.add(one.values),
                type="float32" if narrow else "float64",
                units=_units(one.units),
                texts=list(one.texts),
            )
        )
    return found


def _earth(look: QuickLook, buffers: _Buffers) -> protocol.Earth | None:
    found = look.earth
    if found is None:
        return None
    return protocol.Earth(
        coastlines_buffer=buffers.add(found.coastlines),
        graticule_buffer=buffers.add(found.graticule),
        labels=[protocol.EarthLabel(*label) for label in found.labels],
        places_buffer=buffers.add(found.places),
        why=found.why,
    )


def _added(buffers: _Buffers, values: np.ndarray[Any, Any]) -> int:
    number = buffers.add(values)
    assert number is not None  # noqa: S101  # there are values
    return number


def _same(value: Any, kind: Any) -> Any:
    """Turn dataclasses into messages with the same fields."""
    return msgspec.convert(value, kind, from_attributes=True)


def _units(units: str | None) -> str | None:
    return None if units is None else units_text(units)


def _axis(axis: Axis | None, buffers: _Buffers) -> protocol.Axis | None:
    if axis is None:
        return None
    return protocol.Axis(
        label=axis.label,
        kind=axis.kind,
        start=axis.start,
        step=axis.step,
        size=axis.size,
        length=axis.length,
        decreasing=axis.decreasing,
        downwards=axis.downwards,
        units=_units(axis.units),
        coordinates_buffer=buffers.add(axis.coordinates),
        labels=axis.labels,
        ticks=[
            [protocol.DateTick(*tick) for tick in ticks]
            for ticks in (date_ticks(axis.labels) if axis.labels and axis.kind == "time" else ())
        ],
        chunk=axis.chunk,
    )


def finite(value: float | None) -> float | None:
    """JSON has neither NaN nor infinities."""
    return float(value) if value is not None and math.isfinite(value) else None
