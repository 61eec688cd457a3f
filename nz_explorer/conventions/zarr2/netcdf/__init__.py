"""Z2: what netCDF-C makes of arrays, attributes and names of Zarr v2, where it differs from other readers."""
