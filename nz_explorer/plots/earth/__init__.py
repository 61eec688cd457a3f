"""Coastlines and a graticule, laid over a map wherever its longitudes and latitudes are known."""

from nz_explorer.plots.earth.overlay import coastlines, graticule

__all__ = ["coastlines", "graticule"]
