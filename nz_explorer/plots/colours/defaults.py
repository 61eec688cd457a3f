"""Which colours suit an array: by what it measures, and whether its values have a sign."""

from __future__ import annotations

import re
from dataclasses import dataclass

from nz_explorer.model import Array
from nz_explorer.plots.colours.colormaps import NAMES, installed
from nz_explorer.plots.complex_parts import Part
from nz_explorer.values.coordinates.axes import text_attribute
from nz_explorer.values.coordinates.times import is_time

_SIGNED = frozenset(
    [
        "anomaly",
        "anomalies",
        "anom",
        "departure",
        "difference",
        "differences",
        "diff",
        "tendency",
        "trend",
        "bias",
        "increment",
        "deviation",
        "residual",
        "correlation",
        "covariance",
        "velocity",
        "vorticity",
        "divergence",
        "curl",
        "eastward",
        "northward",
    ]
)
"""Words for quantities of which zero is the middle, whatever the values at hand."""
_ABSOLUTE = frozenset({"K", "kelvin", "degK"})
"""Units of what is never below zero; only the difference of two is."""
_BALANCED = 0.15
"""Values on both sides of zero have a sign where the shorter side is so large a part of the longer one."""
_BY_WORD: dict[str, tuple[str, str]] = {
    word: colours
    for words, colours in {
        "temperature sst": ("cmo.thermal", "plasma"),
        "salinity": ("cmo.haline", "viridis"),
        "precipitation rain rainfall humidity moisture": ("cmo.rain", "YlGnBu"),
        "chlorophyll vegetation ndvi leaf biomass": ("cmo.algae", "YlGn"),
        "ice cloud snow": ("cmo.ice", "Blues"),
        "bathymetry depth": ("cmo.deep", "YlGnBu"),
        "speed": ("cmo.speed", "viridis"),
        "reflectance radiance albedo": ("cmo.gray", "gray"),
        "direction phase": ("cmo.phase", "twilight"),
    }.items()
    for word in words.split()
}
_GROUND = frozenset({"elevation", "topography", "altitude", "orography", "dem"})


@dataclass(frozen=True, slots=True)
class Colours:
    """The colormap that a picture has by default, and whether zero is in its middle."""

    colormap: str = NAMES[0]
    signed: bool = False


def default_colours(
    array: Array, low: float | None, high: float | None, part: Part | None = None
) -> Colours:
    """Return the colours of an array, from its name, its attributes and a range of its values.

    Parameters
    ----------
    array
        The array.
    low, high
        The range of what is meant by its values; None where none is known.
    part
        Of complex numbers.
    """
    if part == "phase":
        return _kind("direction")
    words = set(
        re.findall(
            r"[a-z]+",
            " ".join(
                [
                    array.name,
                    *(text_attribute(array, n) or "" for n in ("standard_name", "long_name")),
                ]
            ).lower(),
        )
    )
    units = (text_attribute(array, "units") or "").strip()
    # a moment from which times are counted is in the middle of nothing
    if low is None or high is None or is_time({"units": units}):
        low = high = 0.0
    # of temperatures, too: their anomalies and trends have a sign, whose names are often those of the temperatures
    apart = low < 0 and units in _ABSOLUTE
    if apart or (words & _SIGNED and array.data_type.kind != "uint"):
        return Colours(_chosen("cmo.balance", "RdBu_r"), signed=True)
    both = low < 0 < high and min(-low, high) >= _BALANCED * max(-low, high)
    if words & _GROUND:
        return Colours(_chosen("cmo.topo", "BrBG_r"), True) if low < 0 < high else _kind("ground")
    known = [word for word in _BY_WORD if word in words]
    if known:
        return _kind(known[0])
    return Colours(_chosen("cmo.balance", "RdBu_r"), signed=True) if both else Colours()


def difference_colours() -> Colours:
    """Return the colours of a difference: zero is in their middle."""
    return Colours(_chosen("cmo.balance", "RdBu_r"), signed=True)


def _kind(word: str) -> Colours:
    return Colours(_chosen(*_BY_WORD.get(word, ("terrain", "terrain"))))


def _chosen(ocean: str, other: str) -> str:
    return ocean if installed("cmocean") else other
