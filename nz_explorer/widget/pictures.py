"""Quick looks as messages: numbers in buffers beside the JSON, for the browser to paint."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from nz_explorer.widget import protocol

if TYPE_CHECKING:
    from nz_explorer.quicklook import QuickLook
    from nz_explorer.quicklook.look import Axis


class _Buffers:
    """Collects buffers and gives each its number."""

    def __init__(self) -> None:
        self.all: list[bytes] = []

    def add(self, values: np.ndarray[Any, Any] | None) -> int | None:
        if values is None:
            return None
        self.all.append(np.ascontiguousarray(values).tobytes())
        return len(self.all) - 1


def picture(look: QuickLook) -> tuple[protocol.PictureResult, list[bytes]]:
    """Return a quick look as a message and its buffers."""
    buffers = _Buffers()
    return (
        protocol.PictureResult(
            kind=look.kind,
            path=look.path,
            title=look.title,
            label=look.label,
            message=look.message,
            data_type=look.data_type,
            units=look.units,
            x=_axis(look.x, buffers),
            y=_axis(look.y, buffers),
            sliders=_same(look.sliders, list[protocol.Slider]),
            values_type=look.values_type,
            values_buffer=buffers.add(look.values),
            states_buffer=buffers.add(look.cell_states),
            storage_states_buffer=buffers.add(look.storage_states),
            states=_same(look.states, list[protocol.StateCount]),
            low=_finite(look.low),
            high=_finite(look.high),
            text=look.text,
            fill=look.fill,
            storage_fill=look.storage_fill,
            read=None if look.read is None else _same(look.read, protocol.ReadFacts),
            errors=_same(look.errors, list[protocol.ChunkError]),
        ),
        buffers.all,
    )


def _same(value: Any, kind: Any) -> Any:
    """Turn dataclasses into messages with the same fields."""
    return msgspec.convert(value, kind, from_attributes=True)


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
        units=axis.units,
        coordinates_buffer=buffers.add(axis.coordinates),
        labels=axis.labels,
    )


def _finite(value: float | None) -> float | None:
    """JSON has neither NaN nor infinities."""
    return value if value is not None and math.isfinite(value) else None
