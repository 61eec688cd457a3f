"""Pictures: a bounded look at an array, for the browser and as a matplotlib figure."""

from nz_explorer.quicklook.colormaps import colormap_tables
from nz_explorer.quicklook.figure import figure, lines_figure
from nz_explorer.quicklook.lines import Lines, lines
from nz_explorer.quicklook.look import make
from nz_explorer.quicklook.picture import Axis, QuickLook, Slider, StateCount
from nz_explorer.quicklook.thumbnail import thumbnail
from nz_explorer.quicklook.words import missing

__all__ = [
    "Axis",
    "Lines",
    "QuickLook",
    "Slider",
    "StateCount",
    "colormap_tables",
    "figure",
    "lines",
    "lines_figure",
    "make",
    "missing",
    "thumbnail",
]
