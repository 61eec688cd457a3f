"""Coastlines and a graticule, laid over a map wherever its longitudes and latitudes are known."""
