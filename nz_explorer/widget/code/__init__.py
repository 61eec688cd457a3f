"""Python that reproduces a view with zarr, with xarray, and with this package."""

from nz_explorer.widget.code.programs import STORE, Code, code

__all__ = ["STORE", "Code", "code"]
