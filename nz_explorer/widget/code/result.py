"""The programs of a view."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Code:
    """Python with zarr, with xarray, and with this package."""

    zarr: str
    xarray: str
    nz: str

    def using(self, package: Literal["zarr", "xarray", "nz_explorer"]) -> str:
        """Return the program that uses a package.

        Raises
        ------
        ValueError
            If there is none for it.
        """
        programs = {"zarr": self.zarr, "xarray": self.xarray, "nz_explorer": self.nz}
        if package not in programs:
            raise ValueError(f"using must be {', '.join(programs)}, not {package!r}")
        return programs[package]
