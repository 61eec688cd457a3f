"""Makes a file with the structure of the monthly ERA-Interim winds of xarray's tutorial.

The original's licence does not allow passing it on. Its structure is worth a test all the same:
netCDF-3, packed int16 with a negative ``scale_factor``, a ``_FillValue`` that is NaN, a dimension
coordinate without attributes and latitudes that fall.
"""

from __future__ import annotations

from pathlib import Path

import netCDF4
import numpy as np

PACKED = {
    # name: standard name, long name, units, scale_factor, add_offset, significant digits
    "z": ("geopotential", "Geopotential", "m**2 s**-2", -1.7250274674967954, 66825.5, 5),
    "u": ("eastward_wind", "U component of wind", "m s**-1", -0.0015727, 26.96875, 2),
    "v": ("northward_wind", "V component of wind", "m s**-1", -0.00047782, -1.46875, 2),
}


def write(path: Path) -> Path:
    """Write the file and return its path."""
    with netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_OFFSET") as dataset:
        dataset.Conventions = "CF-1.0"
        coordinates = {
            "longitude": (np.arange(-180, 180, 0.75, "f4"), "degrees_east", "longitude"),
            "latitude": (np.arange(90, -90.1, -0.75, "f4"), "degrees_north", "latitude"),
            "level": (np.array([200, 500, 850], "i4"), "millibars", "pressure_level"),
            "month": (np.array([1, 7], "i4"), None, None),
        }
        for name, (values, units, long_name) in coordinates.items():
            dataset.createDimension(name, len(values))
            fill = np.nan if values.dtype.kind == "f" else None
            variable = dataset.createVariable(name, values.dtype, (name,), fill_value=fill)
            if units is not None:
                variable.setncatts({"units": units, "long_name": long_name})
            variable[:] = values
        on = ("month", "level", "latitude", "longitude")
        longitude, latitude = (np.radians(coordinates[name][0]) for name in on[:1:-1])
        for number, (name, known) in enumerate(PACKED.items(), 1):
            standard_name, long_name, units, scale, offset, digits = known
            variable = dataset.createVariable(name, "i2", on)
            variable.set_auto_maskandscale(False)
            variable.setncatts(
                {
                    "number_of_significant_digits": np.int32(digits),
                    "units": units,
                    "scale_factor": scale,
                    "long_name": long_name,
                    "add_offset": offset,
                    "_FillVALUE": np.nan,
                    "standard_name": standard_name,
                }
            )
            waves = np.outer(np.cos(latitude), np.sin(number * longitude))
            for level in np.ndindex(2, 3):
                variable[level] = np.rint(32766 * waves / (1 + sum(level))).astype("i2")
    # netCDF-C refuses to write a `_FillValue` of another type than the variable's, which other programs
    # have written: the name is put in afterwards. In the header of netCDF-3 names are plain bytes.
    path.write_bytes(path.read_bytes().replace(b"_FillVALUE", b"_FillValue"))
    return path
