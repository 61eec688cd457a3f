"""The readers that can be tried, each with what it does in the other process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from nz_explorer.diagnosis.probes.answers import Answers, Asked


@dataclass(frozen=True, slots=True)
class Probe:
    """How a reader is tried.

    Attributes
    ----------
    package : str
        The distribution that it needs.
    module : str
        Module of this package whose ``run`` opens the store.
    does : str
        What it tries, for people.
    decodes : bool
        Whether it finds codecs by name among installed packages.
    references : bool
        Whether it is given what references lead to, as the store that this package reads them by.
    """

    package: str
    module: str
    does: str
    decodes: bool = False
    references: bool = False

    @property
    def run(self) -> Callable[[Asked, Answers], None]:
        """What opens the store; its module is imported only now."""
        found: Callable[[Asked, Answers], None] = import_module(f"{__name__}.{self.module}").run
        return found


PROBES = {
    "zarr-python": Probe(
        "zarr",
        "with_zarr",
        "opens every node and decodes the first and the last chunk of each array",
        decodes=True,
        references=True,
    ),
    "xarray": Probe(
        "xarray",
        "with_xarray",
        "opens every group and decodes the first and the last chunk of each variable; one array that it refuses"
        " keeps it from all of the group",
        decodes=True,
        references=True,
    ),
    "xarray DataTree": Probe(
        "xarray",
        "with_datatree",
        "opens the whole hierarchy at once with open_datatree",
        decodes=True,
        references=True,
    ),
    "netCDF-C": Probe(
        "netCDF4",
        "with_netcdf",
        "opens the store through netCDF4-python, in the mode of the address, and reads the first and the last"
        " value of each variable",
    ),
    "plain NZ": Probe(
        "nz_explorer",
        "with_nz",
        "reads by the text of NZ-1.0 and no more: strict JSON, named dimensions, a fill value of the data type",
        decodes=True,
        references=True,
    ),
    "tensorstore": Probe(
        "tensorstore", "with_tensorstore", "opens each array and decodes its first and last chunk"
    ),
    "GDAL": Probe(
        "rasterio", "with_gdal", "opens each array of at least one dimension through rasterio"
    ),
    "zarrita": Probe(
        "zarrita",
        "with_zarrita",
        "opens each array in Node.js and decodes its first and last chunk",
    ),
}
"""By the name of the reader."""
