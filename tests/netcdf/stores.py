"""The datasets whose CDL is compared with ncdump's, written by netCDF-C itself.

Run as a program, because netCDF-C has been seen to end the process that it runs in:

    python stores.py write URL [plain]    writes the dataset to a URL, or to a netCDF-4 file
    python stores.py copy URL FILE        copies what netCDF-C reads there to a netCDF-4 file, for ncdump
    python stores.py few URL              writes a small dataset, which netCDF-C can read in every mode
    python stores.py variables URL        prints the names and lengths of the dimensions of its variables, as JSON
"""

from __future__ import annotations

import ctypes
import json
import sys
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np

NUMBERS = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8")


def write(url: str, plain: bool) -> None:
    """Write everything that netCDF has and NCZarr can hold.

    Numbers have at most six digits, because netCDF-C writes no more of them into JSON. A `plain` dataset
    leaves out what netCDF-C cannot read again where it notes no types.
    """
    root = netCDF4.Dataset(url, "w")
    root.title = "All of it"
    root.Conventions = "CF-1.10"
    for name, length in (("time", None), ("x", 3), ("y", 2), ("unused", 7)):
        root.createDimension(name, length)
    time = root.createVariable("time", "f8", ("time",))
    time.units = "days since 2000-01-01"
    time[:] = [1, 2, 3, 4]
    for code in NUMBERS:
        _number(root, code)
    characters = root.createVariable("characters", "S1", ("y",))
    characters[:] = np.array([b"a", b"b"])
    strings = root.createVariable("strings", str, ("x",))
    strings[:] = np.array(["ä", "bb", "c c"], object)
    strings.setncattr_string("several", ["a", "b"])
    scalar = root.createVariable("scalar", "f4")
    scalar[...] = 4
    scalar.long_name = "a scalar"
    root.createVariable("group", "i4").comment = "a word of CDL"
    _texts(root)
    start = [1.5] if plain else [1, 1.5, np.nan, np.inf, -np.inf]
    for code in ("f4", "f8"):
        values = [*start, 0, -0.25, 1e20, 1e-20, 0.1, 3.14159, 123456.0, 1e15, 1e16, 100, 1e-5]
        root.setncattr(f"floats_{code}", np.array(values, code))
    _groups(root)
    root.close()


def _number(root: Any, code: str) -> None:
    variable = root.createVariable(
        f"v_{code}", code, ("time", "x"), fill_value=np.array(7, code)[()]
    )
    variable.one = np.array(5, code)[()]
    variable.many = np.array([1, 2, 3], code)
    if code[0] in "iu":
        variable.most = np.array(np.iinfo(code).max, code)[()]
        variable.least = np.array(np.iinfo(code).min, code)[()]
    variable[:] = np.ones((4, 3), code)


def _texts(root: Any) -> None:
    root.quoted = "a \"b\" 'c' \\ \t tab\nnew line\r return \x08 \x0c"
    root.control = "bell \x07 escape \x1b delete \x7f"
    root.unicode = "äö°€"
    root.empty = ""
    root.setncattr_string("one_string", "one")
    root.setncattr_string("several_strings", ["one", 'two "q"'])
    root.json = '{"a": 1, "b": [1,2]}'
    root.number = "5"


def _groups(root: Any) -> None:
    group = root.createGroup("g1")
    group.createDimension("lon", 4)
    group.createDimension("records", None)
    group.history = "made for a test"
    position = group.createVariable("pos", "f4", ("y", "lon"), fill_value=-9999.0)
    position.units = "m"
    position.valid_range = np.array([0, 1], "f4")
    position[:] = 1
    packed = group.createVariable(
        "r", "i2", ("records", "x"), zlib=True, complevel=3, shuffle=True, chunksizes=(1, 3)
    )
    packed[:2] = 1
    below = group.createGroup("sub group")
    below.createDimension("x", 4)
    below.createVariable("w", "i4", ("lon",))[:] = 1
    below.createVariable("name with (brackets)", "i4", ("time",))
    below.createVariable("2m", "i4", ("x",))


def few(url: str) -> None:
    """Write what is read in another way where the notes of netCDF-C do not count."""
    with netCDF4.Dataset(url, "w") as root:
        root.createDimension("y", 2)
        root.createDimension("x", 3)
        root.createVariable("grid", "f4", ("y", "x"))
        root.createVariable("letters", "S1", ("y",))
        root.createVariable("scalar", "i4")
        root.createGroup("below").createVariable("row", "f8", ("x",))


def variables(url: str) -> None:
    """Print what netCDF-C reads of the dimensions."""
    with netCDF4.Dataset(url) as root:
        groups = (root, *root.groups.values())
        found = [variable for group in groups for variable in group.variables.values()]
        print(json.dumps({one.name: [one.dimensions, one.shape] for one in found}))


def copy(url: str, file: str) -> None:
    """Copy what netCDF-C reads at a URL, with the types of attributes, to a netCDF-4 file."""
    folder = Path(netCDF4.__file__).parent.parent / "netcdf4.libs"
    library = ctypes.CDLL(str(next(folder.glob("libnetcdf-*"))))
    with netCDF4.Dataset(url) as source, netCDF4.Dataset(file, "w") as target:
        _copy(library, source, target)


def _copy(library: Any, source: Any, target: Any) -> None:
    for dimension in source.dimensions.values():
        target.createDimension(dimension.name, None if dimension.isunlimited() else len(dimension))
    for variable in source.variables.values():
        kind = str if variable.dtype is str else variable.dtype
        twin = target.createVariable(variable.name, kind, variable.dimensions)
        _copy_attributes(library, (source, variable), (target, twin), variable.ncattrs())
        if variable.dtype is not str and any(d.isunlimited() for d in variable.get_dims()):
            twin.set_auto_maskandscale(False)
            variable.set_auto_maskandscale(False)
            twin[:] = variable[:]
    _copy_attributes(library, (source, None), (target, None), source.ncattrs())
    for group in source.groups.values():
        _copy(library, group, target.createGroup(group.name))


def _copy_attributes(library: Any, source: Any, target: Any, names: list[str]) -> None:
    ids = [
        number
        for group, variable in (source, target)
        for number in (group._grpid, -1 if variable is None else variable._varid)
    ]
    for name in names:
        if name != "_NCProperties":
            status = library.nc_copy_att(*ids[:2], name.encode(), *ids[2:])
            if status:
                raise OSError(status, f"{name} could not be copied")


if __name__ == "__main__":
    command, *words = sys.argv[1:]
    if command == "write":
        write(words[0], "plain" in words[1:])
    else:
        {"copy": copy, "few": few, "variables": variables}[command](*words)
