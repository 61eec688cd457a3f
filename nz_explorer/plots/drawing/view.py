"""How a picture is to be drawn: its mask, colours and limits, and how each cell state looks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from nz_explorer.plots.colours.colormaps import colormap, is_diverging
from nz_explorer.plots.colours.ranges import Limits, Range, Scale, threshold
from nz_explorer.plots.drawing.mask import ONLY_NZ, ONLY_STORAGE, Mask, masked_states
from nz_explorer.plots.picture import Numbers, QuickLook
from nz_explorer.values.masks.cell_states import (
    ABSENT,
    FILL,
    INF,
    INVALID,
    MISSING_VALUE,
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
    from matplotlib.colors import Colormap, Normalize

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
    MISSING_VALUE: ("#d6d6d6", "#9e9e9e", "----"),
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
        A name that matplotlib knows; empty for what suits the array.
    reverse
        Whether the colormap runs the other way.
    limits
        What limits of colour or of the y axis are taken from.
    low, high
        Limits in decoded values, instead of those.
    scale
        Of colour or of the y axis.
    levels
        Into how many colours the colormap is divided.
    decoded
        Apply CF's packing, ``missing_value`` and valid range.
    curvilinear
        Draw a map on its two-dimensional coordinates.
    coastlines, graticule
        Draw them, where longitudes and latitudes are known.
    window
        By name of such a coordinate its lowest and highest value; others are ignored.
    options
        Controls that only one kind of picture has, by name.
    """

    mask: Mask = "nz"
    colormap: str = ""
    reverse: bool = False
    limits: Limits = "held"
    low: float | None = None
    high: float | None = None
    scale: Scale = "linear"
    levels: int | None = None
    decoded: bool = True
    curvilinear: bool = True
    coastlines: bool = True
    graticule: bool = False
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

    # --- limits and colours ---------------------------------------------------------------

    def shown(self, look: QuickLook) -> Numbers:
        """Return the numbers that are drawn and not masked."""
        values: Numbers = self.values(look)[self.states(look) == VALUE]
        return values

    def left_out(self, look: QuickLook) -> int:
        """Return how many of the values shown have no logarithm, where one is wanted."""
        return int((self.shown(look) <= 0).sum()) if self.scale == "log" else 0

    def span(self, look: QuickLook, *, flat: bool = True) -> Range:
        """Return the limits in force, typed or not.

        Parameters
        ----------
        look
            The picture.
        flat
            Whether they are those of colours. Those of a vertical axis grow with what is shown, and have no middle.
        """
        low, high = self._automatic(look, flat=flat)
        low, high = low if self.low is None else self.low, high if self.high is None else self.high
        low, high = min(low, high), max(low, high)
        log = self.scale == "log"
        if log:
            high = high if high > 0 else 1.0
            low = low if low > 0 else high / 1000
        if low == high:  # one value takes the middle of the colours
            if log:
                low, high = low / 2, high * 2
            else:
                apart = max(0.5, 1e-6 * abs(low))
                low, high = low - apart, high + apart
        # matplotlib subtracts limits, and takes their logarithms
        least, most = (1e-100, 1e100) if log else (-1e300, 1e300)
        return min(max(low, least), most / 10), min(max(high, 10 * least), most)

    def heights(self, look: QuickLook) -> Range:
        """Return the limits of a vertical axis: with a little air where nobody has typed them."""
        low, high = self.span(look, flat=False)
        below, above = low, high
        if self.scale == "log":
            below, above = low / 1.15, high * 1.15
        elif np.isfinite(high - low):
            air = 0.05 * (high - low)
            # a program states them: not 2.3100000000000005
            below, above = (float(f"{end:.12g}") for end in (low - air, high + air))
        return below if self.low is None else low, above if self.high is None else high

    def _automatic(self, look: QuickLook, *, flat: bool) -> Range:
        """Return limits where none are typed."""
        found = look.ranges.get(self.limits) or look.ranges.get("frame")
        if found is not None and self.decoded and look.packing is not None:
            low, high = sorted(float(end) for end in look.packing.decode(found))
            found = low, high
        if found is None or not flat:
            values = self.shown(look)
            if self.scale == "log":
                values = values[values > 0]
            ends = [] if found is None else [*found]
            if values.size:
                ends += [float(values.min()), float(values.max())]
            elif not ends:
                ends = [0.1 if self.scale == "log" else 0.0, 1.0]
            found = min(ends), max(ends)
        chosen = not self.colormap or is_diverging(self.colormap)
        if flat and look.colours.signed and chosen and self.scale != "log":
            most = max(map(abs, found))
            found = -most, most
        return found

    def colormap_name(self, look: QuickLook) -> str:
        """Return the name of the colormap, as it runs."""
        name = self.colormap or look.colours.colormap
        if not self.reverse:
            return name
        return name.removesuffix("_r") if name.endswith("_r") else f"{name}_r"

    def colours(self, look: QuickLook) -> Colormap:
        """Return the colormap.

        Raises
        ------
        ValueError
            If there is none of that name.
        """
        return colormap(self.colormap_name(look), levels=self.levels)

    def norm(self, look: QuickLook) -> Normalize:
        """Return how values become colours."""
        return norm_of(self.span(look), self.scale)


def norm_of(span: Range, scale: Scale) -> Normalize:
    """Return how values become colours.

    Parameters
    ----------
    span
        The limits.
    scale
        Of the colours.
    """
    from matplotlib.colors import LogNorm, Normalize, SymLogNorm

    low, high = span
    if scale == "log":
        return LogNorm(low, high, clip=True)
    if scale == "symlog":
        return SymLogNorm(threshold(low, high), vmin=low, vmax=high)
    return Normalize(low, high)
