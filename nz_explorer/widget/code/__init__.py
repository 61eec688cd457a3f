"""Python that reproduces a view with zarr, with xarray, and with this package."""

from nz_explorer.widget.code.programs import STORE, code
from nz_explorer.widget.code.result import Code

__all__ = ["STORE", "Code", "code"]
