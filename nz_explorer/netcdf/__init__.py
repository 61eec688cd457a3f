"""The netCDF side: CDL text with its sources, and the concepts of the NUG in NZ terms."""

from nz_explorer.netcdf.cdl import CdlLine, cdl
from nz_explorer.netcdf.concepts import Concept, Place, concepts

__all__ = ["CdlLine", "Concept", "Place", "cdl", "concepts"]
