"""Datasets that are no Zarr stores, served as Zarr v3 would hold them: xarray objects, netCDF and HDF5 files."""
