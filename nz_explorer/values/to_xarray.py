"""Arrays and groups as xarray has them, also of stores that xarray itself refuses.

xarray opens them through its own front door: what is given to it is a data store, with dimension
names that are unique and fit, and with ``_FillValue`` as the value that it means. Masking, times,
packing, coordinates and indexes are xarray's own work (CF), as for any other file.
"""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import xarray
from xarray.backends import AbstractDataStore, BackendArray
from xarray.core import indexing

from nz_explorer.model import Array, Group, Hierarchy, Node, is_candidate
from nz_explorer.model.dialects.nczarr import typed_attributes
from nz_explorer.values.coordinates.dimension_coordinate import find_coordinate
from nz_explorer.values.coordinates.image_axes import described_coordinates
from nz_explorer.values.coordinates.metadata_coordinates import MetadataCoordinates
from nz_explorer.values.reading.decoding import error_text
from nz_explorer.values.reading.opening import OpenArray, UnsupportedArray, open_for_reading
from nz_explorer.values.reading.size_limits import SizeLimitExceeded, check_unasked

_OWN_NAME = "values"  # of an array that is the root, and so has no name


class LeftOut(UserWarning):
    """Something of a store that is not in the xarray object made of it."""


def to_xarray(
    node: Node, hierarchy: Hierarchy | None = None
) -> xarray.DataArray | xarray.Dataset | xarray.DataTree:
    """Return a node as xarray has it, masked and decoded.

    Parameters
    ----------
    node
        An array or a group.
    hierarchy
        Where it is; its own hierarchy by default.

    Returns
    -------
    DataArray, Dataset or DataTree
        For an array; for a group without groups; for a group with groups. Values are read when
        they are used, those of dimension coordinates at once. Arrays that zarr cannot read, and
        dimension coordinates that take more than the limits for what is read unasked, are left out
        with a `LeftOut` warning. What takes more than a limit when it is used raises
        `nz_explorer.values.reading.size_limits.SizeLimitExceeded`. Dimensions without a usable name are called
        ``dim_<axis>``; where arrays disagree about the length of a dimension, those that differ
        get one called ``<name>_<length>``.

    Raises
    ------
    UnsupportedArray
        If the array itself cannot be read by zarr, or the node is neither a group nor an array.
    """
    hierarchy = node.hierarchy if hierarchy is None else hierarchy
    if isinstance(node, Array):
        return _data_array(hierarchy, node)
    if not isinstance(node, Group):
        raise UnsupportedArray(node.unreadable())
    groups = [
        child
        for child in hierarchy.walk(node.path)
        if isinstance(child, Group) and child.path != node.path
    ]
    own = _arrays(hierarchy, node)
    top = _dataset([*own, *_coordinates_above(own)], typed_attributes(node))
    return _tree(hierarchy, node, top, groups) if groups else top


def _arrays(hierarchy: Hierarchy, group: Group) -> list[Array]:
    return [child for child in hierarchy.children(group) if isinstance(child, Array)]


def _data_array(hierarchy: Hierarchy, array: Array) -> xarray.DataArray:
    opened = open_for_reading(array)  # raises for this one; others of its group are merely left out
    parent = None if array.parent is None else hierarchy.get(array.parent)
    beside = _arrays(hierarchy, parent) if isinstance(parent, Group) else [array]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeftOut)
        beside = [*beside, *_coordinates_above([array])]
        dataset = _dataset(beside, {}, described_of=[array], asked=array)
    if (array.name or _OWN_NAME) not in dataset:
        _open(_Store([opened], {}), decode_cf=False)  # raises what has kept xarray from reading it
    found = dataset[array.name or _OWN_NAME]
    return found if array.name else found.rename(None)


def _coordinates_above(arrays: list[Array]) -> list[Array]:
    """Return the coordinates that arrays have from groups above their own."""
    found: dict[str, Array] = {}
    names = {array.name for array in arrays}
    for array in arrays:
        for axis in range(array.ndim or 0):
            coordinate, _ = find_coordinate(array, axis)
            outside = coordinate is not None and coordinate.parent != array.parent
            if coordinate is not None and outside and coordinate.name not in names:
                found.setdefault(coordinate.name, coordinate)
    return list(found.values())


def _tree(
    hierarchy: Hierarchy, node: Group, top: xarray.Dataset, groups: list[Group]
) -> xarray.DataTree:
    base = "" if node.path == "/" else node.path
    datasets = {"/": top}
    for group in groups:
        arrays = _arrays(hierarchy, group)
        datasets[group.path.removeprefix(base)] = _dataset(arrays, typed_attributes(group))
    name = node.name or None
    try:
        return xarray.DataTree.from_dict(datasets, name=name)
    except ValueError:
        # In NZ a label belongs to its group; xarray inherits dimensions and requires them to be aligned.
        apart = {
            path: dataset if path == "/" else _renamed(dataset, path)
            for path, dataset in datasets.items()
        }
        warnings.warn(
            "groups share names of dimensions that are not the same; each got a name of its own",
            LeftOut,
            stacklevel=3,
        )
        return xarray.DataTree.from_dict(apart, name=name)


def _renamed(dataset: xarray.Dataset, path: str) -> xarray.Dataset:
    suffix = path.strip("/").replace("/", "_")
    names = {name: f"{name}_{suffix}" for name in dataset.dims}
    return dataset.rename({k: v for k, v in names.items() if v not in dataset.variables})


# --- one group -------------------------------------------------------------------------------


def _dataset(
    arrays: Iterable[Array],
    attributes: Mapping[str, Any],
    described_of: Iterable[Array] | None = None,
    asked: Array | None = None,
) -> xarray.Dataset:
    """Return arrays of one group, with the coordinates that metadata describe for some of them.

    Parameters
    ----------
    arrays, attributes
        Of the group.
    described_of
        The arrays whose described coordinates are added; all by default.
    asked
        An array whose values are wanted: it is not left out because of the time that they take.
    """
    arrays = list(arrays)
    readable: list[OpenArray] = []
    for array in arrays:
        try:
            opened = open_for_reading(array)
            if array is not asked and array.dimension_names == (array.name,):
                _check_unasked(opened)  # xarray reads it at once
            readable.append(opened)
        except (UnsupportedArray, SizeLimitExceeded) as error:
            warnings.warn(f"{array.path} is left out: {error}", LeftOut, stacklevel=4)
    store = _Store(readable, attributes)
    try:
        dataset = _open(store)
    except Exception:  # noqa: BLE001  # xarray raises many kinds for attributes that are no CF
        dataset = _piecewise(store)
    return _with_described(dataset, arrays if described_of is None else described_of, store)


def _with_described(
    dataset: xarray.Dataset, arrays: Iterable[Array], store: _Store
) -> xarray.Dataset:
    """Add coordinates from metadata; arrays that contain some of them become coordinates, too."""
    new: dict[str, xarray.Variable] = {}
    for array in arrays:
        dimensions = store.dimensions.get(array.path)
        for one in described_coordinates(array) if dimensions is not None else ():
            name = one.name if one.label is None else f"{one.name}_{one.label}"
            if one.axis is not None and dimensions and f"{name}_{one.length}" in dimensions:
                name = dimensions[one.axis]  # as the dimension of this length is called
            # An array of that name and those values is decoded anew, by its attributes here.
            taken = name in dataset.variables and not _is_held_by(one, name, array)
            variable = None if taken else _described(one, dimensions or ())
            if variable is None:
                continue
            if name in new and not new[name].identical(variable):  # type: ignore[no-untyped-call, unused-ignore]
                warnings.warn(
                    f"{array.path} describes other coordinates for {name} than an array beside it",
                    LeftOut,
                    stacklevel=4,
                )
                continue
            new[name] = variable
            if (bounds := _bounds(one, variable)) is not None:
                new[f"{name}_bnds"] = bounds
                variable.attrs["bounds"] = f"{name}_bnds"
    if not new:
        return dataset
    try:
        coordinates = xarray.decode_cf(xarray.Dataset(coords=new))
    except Exception:  # noqa: BLE001  # times that no calendar can hold
        coordinates = xarray.decode_cf(xarray.Dataset(coords=new), decode_times=False)
    same = [name for name in new if name in dataset.variables]
    return dataset.drop_vars(same).assign_coords(coordinates.coords)


def _is_held_by(one: MetadataCoordinates, name: str, array: Array) -> bool:
    held = one.array
    return held is not None and held.parent == array.parent and held.name == name


def _described(one: MetadataCoordinates, dimensions: tuple[str, ...]) -> xarray.Variable | None:
    """Return described coordinates as a variable, encoded; None where they cannot be read."""
    attributes = dict(one.attributes)
    try:
        if one.array is None:
            check_unasked(1, one.length * np.dtype(np.float64).itemsize)
            values = one.all_values()
        else:
            values = _all_values(one.array)
            attributes = {**_own_attributes(one.array), **attributes}
    except Exception as error:  # noqa: BLE001  # stores and codecs raise what they like
        warnings.warn(f"{one.path} is left out: {error_text(error)}", LeftOut, stacklevel=5)
        return None
    if one.axis is None:
        return xarray.Variable((), values[0], attributes)
    return xarray.Variable((dimensions[one.axis],), values, attributes)


def _all_values(array: Array) -> np.ndarray[Any, Any]:
    """Return the values of an array that nobody asked for by its name.

    Raises
    ------
    SizeLimitExceeded
        If that takes more than the limits for it.
    Exception
        Whatever a store or a codec raises for a chunk that cannot be read.
    """
    opened = open_for_reading(array)
    _check_unasked(opened)
    return np.asarray(opened.zarr[...])


def _check_unasked(opened: OpenArray) -> None:
    check_unasked(math.prod(opened.grid), opened.chunk_bytes)


def _own_attributes(array: Array) -> dict[str, Any]:
    return {
        k: v for k, v in array.attributes.items() if k in ("long_name", "standard_name", "units")
    }


def _bounds(one: MetadataCoordinates, variable: xarray.Variable) -> xarray.Variable | None:
    """Return the limits of cells as CF has them, one pair for each coordinate."""
    if one.extents is not None and variable.dtype.kind in "iuf":
        low, high = one.extents
        pairs = np.stack([variable.values + low, variable.values + high], axis=-1)
    elif one.bounds is not None:
        try:
            pairs = _all_values(one.bounds).T
        except Exception as error:  # noqa: BLE001  # stores and codecs raise what they like
            warnings.warn(
                f"{one.bounds.path} is left out: {error_text(error)}", LeftOut, stacklevel=5
            )
            return None
        pairs = pairs.reshape(*variable.shape, 2)
    else:
        return None
    return xarray.Variable((*variable.dims, "bnds"), pairs)


def _open(store: _Store, **options: Any) -> xarray.Dataset:
    # xarray (2026) takes integers in days for durations where it masks, not where it decodes: one that is missing is -2**63.
    numbers = (one.array for one in store.readable if "dtype" not in one.array.attributes)
    options["decode_timedelta"] = {one.name or _OWN_NAME: False for one in numbers}
    return xarray.open_dataset(store, engine="store", **options)  # type: ignore[arg-type, unused-ignore]


def _piecewise(store: _Store) -> xarray.Dataset:
    """Open what xarray can decode, and the rest with less and less decoding."""
    whole = store.readable
    stages: list[dict[str, Any]] = [
        {"decode_cf": True},
        {"decode_times": False},
        {"decode_cf": False},
    ]
    left, parts = list(whole), []
    for options in stages:
        good = [one for one in left if _opens(one, options)]
        left = [one for one in left if one not in good]
        if good:
            parts.append(_open(_Store(good, store.attributes, whole), **options))
        if options is not stages[0] and good:
            names = ", ".join(one.array.path for one in good)
            warnings.warn(f"not wholly decoded by xarray: {names}", LeftOut, stacklevel=5)
    for one in left:  # values of dimension coordinates are read at once
        warnings.warn(f"{one.array.path} is left out: {_why(one)}", LeftOut, stacklevel=5)
    merged = xarray.merge(parts, compat="override", join="outer", combine_attrs="override")
    merged.attrs = dict(store.get_attrs())
    return merged


def _opens(one: OpenArray, options: dict[str, Any]) -> bool:
    return _why(one, **options) is None


def _why(one: OpenArray, **options: Any) -> str | None:
    """Return why xarray cannot open an array by itself, None where it can."""
    try:
        _open(_Store([one], {}), **(options or {"decode_cf": False}))
    except Exception as error:  # noqa: BLE001  # the next stage asks for less
        return error_text(error)
    return None


class _Store(AbstractDataStore):
    """Arrays of one group, as a data store of xarray."""

    def __init__(
        self,
        readable: list[OpenArray],
        attributes: Mapping[str, Any],
        beside: list[OpenArray] | None = None,
    ) -> None:
        self.readable = readable
        self.attributes = attributes
        self.dimensions = _dimensions(readable if beside is None else beside)

    def get_variables(self) -> dict[str, xarray.Variable]:
        """Return the arrays, encoded."""
        return {
            one.array.name or _OWN_NAME: _variable(one, self.dimensions[one.array.path])
            for one in self.readable
        }

    def get_attrs(self) -> dict[str, Any]:
        """Return the attributes of the group, without those of netCDF-C's own book-keeping."""
        return {k: v for k, v in self.attributes.items() if not k.lower().startswith("_nc")}

    def get_dimensions(self) -> dict[str, int]:
        """Return the dimensions."""
        return {
            name: length
            for one in self.readable
            for name, length in zip(self.dimensions[one.array.path], one.shape, strict=True)
        }


def _variable(opened: OpenArray, dimensions: tuple[str, ...]) -> xarray.Variable:
    array = opened.array
    attributes = {
        name: value
        for name, value in typed_attributes(array).items()
        if name != "_FillValue"
        and not name.lower().startswith("_nc")
        and not _useless(name, value, array)
    }
    text = array.data_type.kind == "bytes" and array.dimension_references is not None
    if text and array.data_type.itemsize != 1:
        attributes["_Encoding"] = "utf-8"  # strings of netCDF; characters are of one byte
    masked = array.fill is not None and array.fill.usable
    if array.fill is not None and masked and ("_FillValue" in array.attributes or not text):
        attributes["_FillValue"] = array.fill.value
    missing = attributes.get("missing_value")
    kind = array.data_type.numpy
    if kind is not None and kind.kind == "f" and isinstance(missing, int | float):
        # else xarray takes 1e20 for another value than the one of float32 that is nearest to it
        attributes["missing_value"] = kind.type(missing)
    preferred: Sequence[int | tuple[int, ...]] = opened.chunk_shape
    if opened.edges is not None:
        ends = (np.minimum(a, n) for a, n in zip(opened.edges, opened.shape, strict=True))
        preferred = [tuple(np.diff(along).tolist()) for along in ends]
    encoding: dict[str, Any] = {"preferred_chunks": dict(zip(dimensions, preferred, strict=True))}
    if opened.edges is None:
        encoding["chunks"] = opened.chunk_shape
    data = indexing.LazilyIndexedArray(_Lazy(opened))
    return xarray.Variable(dimensions, data, attributes, encoding)


def _useless(name: str, value: Any, array: Array) -> bool:
    """Return whether an attribute would make xarray fail, and only when values are read."""
    if name not in ("scale_factor", "add_offset", "missing_value"):
        return False
    if name == "missing_value" and array.data_type.kind in ("string", "bytes"):
        return False
    useless = not isinstance(value, np.number | np.ndarray) and not _is_numeric(value)
    if useless:
        warnings.warn(
            f"{array.path} is not wholly decoded by xarray: {name} is no number",
            LeftOut,
            stacklevel=7,
        )
    return useless


def _is_numeric(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and all(_is_numeric(item) for item in value)
    return isinstance(value, int | float) and not isinstance(value, bool)


def _dimensions(readable: list[OpenArray]) -> dict[str, tuple[str, ...]]:
    """Return by array the names of its dimensions, each of one length in all."""
    lengths: dict[str, Counter[int]] = {}
    settled: dict[str, int] = {}
    for one in readable:
        for axis, length in enumerate(one.shape):
            name = one.array.dimension_label(axis)
            lengths.setdefault(name, Counter())[length] += 1
        if is_candidate(one.array):
            settled[one.array.name] = one.shape[0]
    for name, counts in lengths.items():
        settled.setdefault(name, counts.most_common(1)[0][0])
    taken = set(lengths)
    others: dict[tuple[str, int], str] = {}
    for name, counts in lengths.items():
        for length in counts:
            if length != settled[name]:
                others[name, length] = unused(f"{name}_{length}", taken)
    return {
        one.array.path: tuple(
            others.get((name, length), name)
            for name, length in zip(_labels(one), one.shape, strict=True)
        )
        for one in readable
    }


def _labels(one: OpenArray) -> list[str]:
    return [one.array.dimension_label(axis) for axis in range(len(one.shape))]


def unused(name: str, taken: set[str]) -> str:
    """Return a name, with underscores behind it if it is taken, and take it.

    Parameters
    ----------
    name
        The name wanted.
    taken
        Names in use; what is returned is added.
    """
    while name in taken:
        name += "_"
    taken.add(name)
    return name


class _Lazy(BackendArray):
    """Values that are read when they are used."""

    def __init__(self, opened: OpenArray) -> None:
        self.opened = opened
        self.shape = opened.shape
        dtype = opened.zarr.dtype
        # netCDF gives variable-length strings as objects; what xarray reads from it does, too
        self.dtype = np.dtype(object) if dtype.kind == "T" else dtype

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        return indexing.explicit_indexing_adapter(
            key, self.shape, indexing.IndexingSupport.OUTER, self._read
        )

    def _read(self, key: tuple[Any, ...]) -> Any:
        array = self.opened.zarr
        values = np.asarray(array.oindex[key] if key else array[()])
        return values.astype(self.dtype, copy=False)
