"""How a picture is to be drawn: its mask, colours and limits, and how each cell state looks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from nz_explorer.plots.drawing.colormaps import NAMES
from nz_explorer.plots.drawing.mask import ONLY_NZ, ONLY_STORAGE, Mask, masked_states
from nz_explorer.plots.picture import Numbers, QuickLook
from nz_explorer.values.masks.cell_states import (
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
    States,
)

Doubles = np.ndarray[Any, np.dtype[np.float64]]
Pattern = tuple[str, str, str]

# paper, ink, hatch: states never differ by colour alone; the browser's on a light page
PATTERNS: dict[int, Pattern] = {
    FILL: ("#d6d6d6", "#9e9e9e", "////"),
    NAN: ("#f0f0f0", "#666666", "...."),
    INF: ("#e0c5e6", "#963caa", "||||"),
    NEG_INF: ("#b9d4e6", "#146eaa", "----"),
    ABSENT: ("#f5f5f5", "#bfbfbf", "xxxx"),
    UNREADABLE: ("#f1c7c7", "#c81e1e", "XXXX"),
    STORAGE_FILL: ("#d6d6d6", "#9e9e9e", "\\\\\\\\"),
    UNREAD: ("#ffffff", "#cccccc", ".."),
    INVALID: ("#f2e6d1", "#b8862b", "++++"),
    ONLY_NZ: ("#d6006e", "#ff96cd", "////"),
    ONLY_STORAGE: ("#eb7800", "#ffd678", "\\\\\\\\"),
}

FADED = 0.72
"""How near white everything else is where the masks' differences are looked for."""


def faded(colour: str) -> str:
    """Return a colour as it is where the masks' differences are looked for."""
    from matplotlib.colors import to_hex, to_rgb

    red, green, blue = (part + (1 - part) * FADED for part in to_rgb(colour))
    return to_hex((red, green, blue))


STATE_TITLES = {
    **TITLES,
    ONLY_NZ: "missing under NZ only",
    ONLY_STORAGE: "missing by the storage fill_value only",
}


@dataclass(frozen=True, slots=True)
class View:
    """How a picture is to be drawn; see `nz_explorer.plots.figure.figure`.

    Parameters
    ----------
    mask
        What counts as missing.
    colormap
        A name that matplotlib knows.
    low, high
        Limits of colour or of the y axis, in decoded values; None for the range of what is shown.
    log
        Logarithmic colours or y axis.
    decoded
        Apply CF's packing and valid range.
    curvilinear
        Draw a map on its two-dimensional coordinates.
    window
        By name of such a coordinate its lowest and highest value; others are ignored.
    options
        Controls that only one kind of picture has, by name.
    """

    mask: Mask = "nz"
    colormap: str = NAMES[0]
    low: float | None = None
    high: float | None = None
    log: bool = False
    decoded: bool = True
    curvilinear: bool = True
    window: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, given: Mapping[str, Any], controls: Iterable[str]) -> View:
        """Return a view with those of the given options that are among the controls.

        Parameters
        ----------
        given
            Options by name; None and an empty text stand for the default.
        controls
            Those that a kind of picture has.
        """
        chosen = {name: given[name] for name in controls if given.get(name) not in (None, "")}
        own = [one.name for one in fields(cls) if one.name != "options"]
        return cls(
            **{name: value for name, value in chosen.items() if name in own},
            options={name: value for name, value in chosen.items() if name not in own},
        )

    @property
    def alpha(self) -> float | None:
        """How strong values are: they step back where differences are looked for."""
        return 1 - FADED if self.mask == "differences" else None

    def pattern(self, code: int) -> Pattern:
        """Return paper, ink and hatch of a state."""
        paper, ink, hatch = PATTERNS[code]
        if self.alpha is None or code in (ONLY_NZ, ONLY_STORAGE):
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
        return masked_states(look, self.mask, decoded=self.decoded)

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
