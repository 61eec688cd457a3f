"""Pictures: a bounded look at an array, for the browser and as a matplotlib figure.

Each kind of picture is a folder and is listed in `nz_explorer.plots.registry`: which arrays it suits, how it is read
and drawn, its controls and its words.
"""

from nz_explorer.plots.builder import make
from nz_explorer.plots.captions import missing
from nz_explorer.plots.colours.colormaps import colormap, colormap_tables, is_diverging
from nz_explorer.plots.derived.difference import Against
from nz_explorer.plots.drawing.animation import animation, film
from nz_explorer.plots.figure import figure
from nz_explorer.plots.lines.collect import Lines, lines
from nz_explorer.plots.lines.draw import lines_figure
from nz_explorer.plots.lines.series import series
from nz_explorer.plots.picture import Axis, QuickLook, Slider, StateCount
from nz_explorer.plots.registry import is_drawn
from nz_explorer.plots.thumbnail import thumbnail

__all__ = [
    "Against",
    "Axis",
    "Lines",
    "QuickLook",
    "Slider",
    "StateCount",
    "animation",
    "colormap",
    "colormap_tables",
    "figure",
    "film",
    "is_diverging",
    "is_drawn",
    "lines",
    "lines_figure",
    "make",
    "missing",
    "series",
    "thumbnail",
]
