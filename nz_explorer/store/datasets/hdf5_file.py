"""HDF5 files, and so those of netCDF-4, as Datasets, read with h5py.

libhdf5 (2.1) crashes where a file is open twice and closed once: texts and sequences of any length, and default values
of them, keep a pointer to the one that is closed. So a file is open only while it is read, and one thread reads at
a time. That also lets other programs write it, and leaves alone what the user does with netCDF-C, which has a libhdf5
of its own.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from xarray import Coordinates, Dataset, Variable
from xarray.backends import BackendArray
from xarray.backends.locks import HDF5_LOCK
from xarray.core.indexing import IndexingSupport, LazilyIndexedArray, explicit_indexing_adapter

from nz_explorer.store.datasets.encoding import UNKNOWN_TYPE

_LARGEST = {"f": 8, "c": 16}
"""Bytes of the largest numbers that Zarr has a type for."""
TYPE = "hdf5_type"
"""The attribute that says what a variable is in the file, where it is shown as another type."""
_HIDDEN = {
    "CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST", "DIMENSION_LABELS", "_Netcdf4Dimid", "_Netcdf4Coordinates",
    "_nc3_strict", "_NCProperties", "_NCCOPY",
}  # fmt: skip
"""Attributes that stand for dimensions, or for how netCDF-C wrote the file."""
_NO_COORDINATE = "_nc4_non_coord_"
"""With which netCDF-C begins the name of a variable that has that of a dimension without being its coordinate."""
_NO_VARIABLE = b"This is a netCDF dimension but not a netCDF variable"


def groups_of_file(path: Path) -> tuple[dict[str, Dataset], bool]:
    """Return the groups of an HDF5 file by their paths, and whether it is one of netCDF.

    Values are read when they are asked for. Names of dimensions are those of their scales, else their labels, else
    those that netCDF-C gives them.

    Parameters
    ----------
    path : Path
        The file.

    Raises
    ------
    OSError
        If it cannot be read, or if netCDF-C reads what h5py does not.
    """
    groups: dict[str, dict[str, Variable]] = {}
    attributes: dict[str, dict[str, Any]] = {}
    with _opened(path) as file:
        nodes = dict(_nodes(file))
        is_netcdf = _is_netcdf(nodes.values())
        dimensions = _Dimensions(nodes)
        for where, one in nodes.items():
            if isinstance(one, h5py.Group):
                groups[where], attributes[where] = {}, _attributes(one)
                continue
            group, _, name = where.rpartition("/")
            if isinstance(one, str):
                groups[group or "/"][name] = Variable((), 0, encoding={UNKNOWN_TYPE: one})
            elif not _attribute(one, "NAME", b"").startswith(_NO_VARIABLE):
                if is_netcdf and (lacking := _lacking_filter(one)) and find_spec("netCDF4"):
                    raise OSError(f"h5py has no filter {lacking}")
                variable = _variable(path, where, one, dimensions.of(group or "/", one))
                groups[group or "/"][name.removeprefix(_NO_COORDINATE)] = variable
    return {
        where: _dataset(variables, attributes[where]) for where, variables in groups.items()
    }, is_netcdf


@contextmanager
def _opened(path: Path) -> Iterator[h5py.File]:
    with HDF5_LOCK, h5py.File(path, "r") as file:
        yield file


def _dataset(variables: dict[str, Variable], attributes: dict[str, Any]) -> Dataset:
    """Return a Dataset without indexes, for which values would be read."""
    own = {name: one for name, one in variables.items() if one.dims == (name,)}
    others = {name: one for name, one in variables.items() if name not in own}
    return Dataset(others, Coordinates(own, indexes={}), attributes)


def _is_netcdf(nodes: Iterable[h5py.Group | h5py.Dataset | str]) -> bool:
    marks = ("_NCProperties", "_Netcdf4Dimid", "_nc3_strict")
    return any(mark in one.attrs for one in nodes if not isinstance(one, str) for mark in marks)


def _lacking_filter(one: h5py.Dataset) -> str | None:
    """Return the name of a filter that values need, and h5py has not."""
    created = one.id.get_create_plist()
    for code, _, _, name in map(created.get_filter, range(created.get_nfilters())):
        if not h5py.h5z.filter_avail(code):
            return name.decode() or str(code)
    return None


def _nodes(file: h5py.File) -> Iterator[tuple[str, h5py.Group | h5py.Dataset | str]]:
    """Yield what a file holds by paths, each group before what is in it and once; of other links what they are."""
    seen = {file["/"]: "/"}
    waiting = [("/", file["/"])]
    while waiting:
        where, one = waiting.pop()
        yield where, one
        if not isinstance(one, h5py.Group):
            continue
        below = []
        for name in one:
            path = f"{where.rstrip('/')}/{name}"
            linked = _linked(one, name)
            if isinstance(linked, h5py.Group):
                if linked in seen:
                    linked = f"HDF5 link to {seen[linked]}"
                else:
                    seen[linked] = path
            if not isinstance(linked, h5py.Datatype):
                below.append((path, linked))
        waiting += reversed(below)


def _linked(group: h5py.Group, name: str) -> Any:
    """Return what a name in a group leads to; a text that says so where it cannot be opened, or should not be.

    A file comes from a stranger: it may not have others read that lie elsewhere, as a folder may not by symbolic links.
    """
    here = group.file.filename
    link = group.get(name, getlink=True)
    target = " in ".join(
        str(getattr(link, part)) for part in ("path", "filename") if hasattr(link, part)
    )
    outside = "which is not in the folder of the file: it is not followed"
    if isinstance(link, h5py.ExternalLink) and _is_outside(here, link.filename):
        return f"HDF5 link to {target}, {outside}"
    try:
        found = group[name]
    except (KeyError, OSError, RuntimeError):
        return f"HDF5 link to {target or 'an object'}, which cannot be opened"
    if _is_outside(here, found.file.filename):
        return f"HDF5 link to {target}, {outside}"
    for source in _sources(found):
        if _is_outside(here, source):
            return f"HDF5 dataset with values in {source}, {outside}"
    return found


def _is_outside(here: str, file: str) -> bool:
    """Whether a file is neither this one nor in its folder."""
    if file == here:  # as nearly always: nothing is asked of the file system for each name
        return False
    folder = Path(here).resolve().parent
    return not (folder / file).resolve().is_relative_to(folder)


def _sources(one: Any) -> Iterator[str]:
    """Yield the other files that hold values of a dataset."""
    if isinstance(one, h5py.Dataset):
        yield from (file for file, _, _ in one.external or ())
        if one.is_virtual:
            yield from {source.file_name for source in one.virtual_sources()} - {"."}


class _Dimensions:
    """Names of the dimensions of the datasets of a file."""

    def __init__(self, nodes: Mapping[str, h5py.Group | h5py.Dataset | str]) -> None:
        self._by_id = {
            int(one.attrs["_Netcdf4Dimid"]): _own_name(one)
            for one in nodes.values()
            if not isinstance(one, str) and "_Netcdf4Dimid" in one.attrs and _is_scale(one)
        }
        self._lengths: dict[str, dict[str, int]] = defaultdict(dict)
        self._unnamed: dict[str, dict[int, list[str]]] = defaultdict(dict)
        self._number = max(self._by_id, default=-1) + 1
        needed: dict[str, Counter[int]] = {}
        for path, one in nodes.items():
            if isinstance(one, h5py.Group):
                needed[path] = Counter()  # first that of the root group, as netCDF-C counts
            elif not isinstance(one, str) and not _is_scale(one):
                # also as netCDF-C: in a dataset, each is another one
                axes = enumerate(one.shape or ())
                lengths = (length for axis, length in axes if _given(one, axis) is None)
                needed[path.rpartition("/")[0] or "/"] |= Counter(lengths)
        for group, numbers in needed.items():
            for length, number in numbers.items():
                names = [f"phony_dim_{self._number + i}" for i in range(number)]
                self._number += number
                self._unnamed[group][length] = names

    def of(self, group: str, one: h5py.Dataset) -> list[str]:
        """Return the names of the dimensions of a dataset in a group."""
        shape = one.shape or ()
        ids = _attribute(one, "_Netcdf4Coordinates", ())
        if _is_scale(one) and len(shape) == 1:
            names: list[str | None] = [_own_name(one)]
        elif _is_scale(one) and len(ids) == len(shape):
            names = [self._by_id.get(int(number)) for number in ids]
        else:
            names = [_given(one, axis) for axis in range(len(shape))]
        used: Counter[int] = Counter()
        lengths, unnamed = self._lengths[group], self._unnamed[group]
        found = []
        for name, length in zip(names, shape, strict=True):
            if name is not None and lengths.setdefault(name, length) == length:
                found.append(name)
                continue
            # a name stands for one length in a group
            known = unnamed.setdefault(length, [])
            if used[length] == len(known):
                known.append(f"phony_dim_{self._number}")
                self._number += 1
            found.append(known[used[length]])
            used[length] += 1
        return found


def _own_name(one: h5py.Dataset) -> str:
    return str(one.name).rpartition("/")[2].removeprefix(_NO_COORDINATE)


def _is_scale(one: Any) -> bool:
    return bool(_attribute(one, "CLASS", b"") == b"DIMENSION_SCALE")


def _given(one: h5py.Dataset, axis: int) -> str | None:
    """Return the name of the last scale of an axis, as netCDF-C does, or its label."""
    try:
        dimension = one.dims[axis]
        return (
            _own_name(dimension[len(dimension) - 1]) if len(dimension) else dimension.label or None
        )
    except (KeyError, OSError, RuntimeError, ValueError):
        return None  # its scale is not in the file any more


def _variable(path: Path, where: str, one: h5py.Dataset, dimensions: list[str]) -> Variable:
    attributes, dtype = _attributes(one), one.dtype
    encoding = {"dtype": dtype, "chunksizes": one.chunks}
    if one.shape is None:
        if dtype.kind not in "iufc":
            encoding[UNKNOWN_TYPE] = f"HDF5 dataset without a value, of {dtype}"
            return Variable((), 0, attributes, encoding)
        limits = np.iinfo(dtype) if dtype.kind in "iu" else None
        fill = np.nan if limits is None else limits.min or limits.max
        value = np.array(fill, dtype if dtype.itemsize <= _LARGEST.get(dtype.kind, 8) else float)
        attributes |= {TYPE: f"{dtype}, without a value", "_FillValue": value[()]}
        return Variable((), value, attributes, {"chunksizes": None})
    shown: Any = dtype
    if (kind := h5py.check_ref_dtype(dtype)) is not None:
        attributes[TYPE] = "region reference" if kind is h5py.RegionReference else "reference"
        shown = np.dtype(object)
    elif dtype.kind == "b":
        shown = np.dtype("i1", metadata={"enum": {"FALSE": 0, "TRUE": 1}})
    elif dtype.itemsize > _LARGEST.get(dtype.kind, dtype.itemsize):
        shown = np.dtype(f"{dtype.kind}{_LARGEST[dtype.kind]}")
        attributes[TYPE] = f"{dtype}, shown as {shown}"
    elif _is_text(dtype):
        shown = np.dtype(object)
    if shown is not dtype:
        encoding["dtype"] = shown
    values = LazilyIndexedArray(_Values(path, where, one.shape, shown))
    return Variable(dimensions, values, attributes, encoding)


def _is_text(dtype: Any) -> bool:
    """Whether values are texts, but for single characters."""
    text = h5py.check_string_dtype(dtype)
    return text is not None and text.length != 1


class _Values(BackendArray):
    """The values of a dataset: texts for texts and references, which name what they lead to."""

    def __init__(
        self, path: Path, where: str, shape: tuple[int, ...], dtype: np.dtype[Any]
    ) -> None:
        self.path, self.where, self.shape, self.dtype = path, where, shape, dtype

    def __getitem__(self, key: Any) -> Any:
        return explicit_indexing_adapter(key, self.shape, IndexingSupport.BASIC, self._part)

    def _part(self, key: tuple[Any, ...]) -> np.ndarray[Any, Any]:
        with _opened(self.path) as file:
            dataset = file[self.where]
            if _is_text(dataset.dtype):
                return np.asarray(dataset.asstr(errors="replace")[key], object)
            values = np.asarray(dataset[key])
            if h5py.check_ref_dtype(dataset.dtype) is None:
                return values.astype(self.dtype, copy=False)
            targets = np.empty(values.shape, object)
            for at in np.ndindex(values.shape):
                targets[at] = _target(file, values[at])
            return targets


def _target(file: h5py.File, reference: Any) -> str:
    """Return the path that a reference leads to, of a region with its bounds; empty for one that leads nowhere."""
    try:
        target = file[reference]
        path = str(target.name)
        if not isinstance(reference, h5py.RegionReference):
            return path
        first, last = h5py.h5r.get_region(reference, target.id).get_select_bounds()
    except (KeyError, OSError, RuntimeError, ValueError):
        return ""
    bounds = (f"{start}:{stop + 1}" for start, stop in zip(first, last, strict=True))
    return f"{path}[{', '.join(bounds)}]"


def _attributes(one: h5py.Group | h5py.Dataset) -> dict[str, Any]:
    return {name: _attribute(one, name) for name in one.attrs if name not in _HIDDEN}


def _attribute(one: Any, name: str, default: Any = None) -> Any:
    """Return an attribute, references in it as paths; a text that says so for one that h5py does not read."""
    try:
        value = one.attrs.get(name, default)
    except (KeyError, OSError, RuntimeError, TypeError, ValueError) as error:
        return f"(not readable: {error})"
    if isinstance(value, h5py.Empty):
        return "" if value.dtype.kind in "SO" else None
    if isinstance(value, h5py.Reference):
        return _target(one.file, value)
    if isinstance(value, np.ndarray) and h5py.check_ref_dtype(value.dtype) is not None:
        return [_target(one.file, reference) for reference in value.flat]
    # netCDF writes a single value as a sequence of one
    return value.reshape(-1)[0] if isinstance(value, np.ndarray) and value.size == 1 else value
