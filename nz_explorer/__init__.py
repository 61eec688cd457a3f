"""nz_explorer: explore, teach and debug Zarr hierarchies under NZ-1.0."""
