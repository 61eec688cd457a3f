"""The explorer: the widget in the notebook, and the same selection in Python."""

from nz_explorer.widget.explorer.explorer import Explorer
from nz_explorer.widget.explorer.opening import explore
from nz_explorer.widget.explorer.traits import PANELS

__all__ = ["PANELS", "Explorer", "explore"]
