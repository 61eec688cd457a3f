"""Variables of xarray as arrays of Zarr: their types, chunks and attributes, and the values of a part of them."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from xarray import Dataset, Variable

_PACKING = ("scale_factor", "add_offset", "_Unsigned", "dtype", "_FillValue", "missing_value")
_LIMITS = ("valid_min", "valid_max", "valid_range")
UNKNOWN_TYPE = "_nz_unknown_type"
"""Under which the encoding of a variable says what it is where Zarr has no type for it."""
CHUNK_BYTES = 4 * 1024 * 1024
"""About how much a chunk takes of what has none of its own."""


@dataclass(frozen=True)
class Encoded:
    """A variable as an array of Zarr.

    Attributes
    ----------
    variable : Variable
        Where its values come from.
    name : str
        Its name.
    dtype : dtype
        Of the values as they are stored; ``str`` for texts.
    chunks : tuple of int
        The shape of a chunk.
    attributes : dict
        JSON values, with `_FillValue` as a literal.
    fill_value
        Of the storage; None for that of zarr.
    unknown_type : str or None
        What it is called where Zarr has no type for it, though zarr would store something.
    unchanged : bool
        Whether numbers are stored as the object has them, but for NaN where there is a fill value, and truth as 0 and 1.
    """

    variable: Variable
    name: str
    dtype: Any
    chunks: tuple[int, ...]
    attributes: dict[str, Any]
    fill_value: Any
    unknown_type: str | None = None
    unchanged: bool = False

    @property
    def type_name(self) -> str:
        """What the type is called where Zarr has no name for it."""
        return self.unknown_type or _type_name(np.dtype(self.dtype))

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the array."""
        return tuple(self.variable.shape)

    @property
    def dimensions(self) -> tuple[str, ...]:
        """Names of its dimensions."""
        return tuple(map(str, self.variable.dims))

    def computed_bytes(self, region: tuple[slice, ...]) -> int:
        """Return how many bytes the largest chunk of Dask has that a part of it lies in; of what has none, those of the part.

        Parameters
        ----------
        region : tuple of slice
            The part, a slice for each dimension.
        """
        lengths = [part.stop - part.start for part in region]
        for axis, sizes in enumerate(self.variable.chunks or ()):
            ends = np.cumsum(sizes)
            first, last = np.searchsorted(
                ends, (region[axis].start, region[axis].stop - 1), "right"
            )
            lengths[axis] = max(sizes[first : last + 1], default=0)
        return math.prod(map(int, lengths)) * int(self.variable.dtype.itemsize)

    def values(self, region: tuple[slice, ...]) -> np.ndarray[Any, Any]:
        """Return the stored values of a part of it.

        Parameters
        ----------
        region : tuple of slice
            The part, a slice for each dimension.
        """
        part = _encode(self.variable[region], self.name)
        return np.asarray(part.values, None if self.dtype is str else self.dtype)


def encoded(dataset: Dataset, *, packed: bool = False) -> tuple[dict[str, Encoded], dict[str, Any]]:
    """Return the variables and the attributes of a group as Zarr would hold them.

    Parameters
    ----------
    dataset : Dataset
        The group.
    packed : bool
        Whether values are packed again as those of the file that they were read from were.

    Returns
    -------
    tuple of dict
        Variables by name, and attributes.

    Raises
    ------
    ValueError
        If a name cannot be one of a Zarr node, or a variable cannot be encoded.
    """
    from xarray import conventions

    variables, attributes = conventions.encode_dataset_coordinates(_without_pandas(dataset))
    found = {}
    for name, variable in variables.items():
        text = _node_name(name)
        try:
            found[text] = _of_variable(variable if packed else _exact(variable), text)
        except (TypeError, ValueError, NotImplementedError) as error:
            raise ValueError(f"the variable {text} cannot be stored: {error}") from error
    return found, _attributes(attributes)


def _without_pandas(dataset: Dataset) -> Dataset:
    """Return a dataset with the levels of its multi-indexes, and with numbers or texts for other types of pandas."""
    levels = {name for name, one in dataset.indexes.items() if one.nlevels > 1}
    dataset = dataset.reset_index([name for name in dataset.dims if name in levels])
    plain = {
        name: variable.copy(data=_of_pandas(variable))
        for name, variable in dataset.reset_coords().variables.items()
        if not isinstance(variable.dtype, np.dtype)
    }
    return dataset.drop_indexes([name for name in plain if name in dataset.indexes]).assign(plain)


def _of_pandas(variable: Variable) -> np.ndarray[Any, Any]:
    """Return values of a type of pandas as numbers, or as texts; a missing one as NaN, or as an empty text."""
    values, missing = np.asarray(variable.values, object), variable.isnull().values
    if getattr(variable.dtype, "kind", "O") in "biuf":
        return np.where(missing, np.nan, values).astype(float)
    return np.where(missing, "", values.astype(str)).astype(object)


def _node_name(name: Hashable) -> str:
    text = str(name)
    if "/" in text or text in ("", ".", ".."):
        raise ValueError(f"{text!r} cannot be the name of a Zarr array")
    return text


def _exact(variable: Variable) -> Variable:
    """Return a variable without the encoding of its file that its values may not fit in.

    Values can have changed since: those of several files that were packed differently all have the encoding of the
    first after ``open_mfdataset``, in which others wrap around.
    """
    encoding = variable.encoding
    kept = variable.dtype
    if encoding.get("_nz_as_stored") or kept.kind not in "iufc":
        return variable
    given = np.dtype(encoding.get("dtype") or kept)
    scaled = "scale_factor" in encoding or "add_offset" in encoding
    if np.can_cast(kept, given) and not scaled:
        return variable
    variable = variable.copy(deep=False)
    if given.kind == kept.kind and not scaled:
        del variable.encoding["dtype"]
        return variable
    for name in _PACKING:
        variable.encoding.pop(name, None)
    scale, offset = encoding.get("scale_factor", 1), encoding.get("add_offset", 0)
    for name in _LIMITS:  # which are packed as the values were
        if name in variable.attrs:
            variable.attrs[name] = np.asarray(variable.attrs[name]) * scale + offset
    return variable


def _of_variable(variable: Variable, name: str) -> Encoded:
    given = variable.dtype
    if given.kind in "mMO":
        # which units fit, and which type texts have, is told by all of the values only
        variable = _encode(variable, name)
    unknown = variable.encoding.get(UNKNOWN_TYPE)
    sample = variable if unknown else _encode(variable[(slice(0, 1),) * variable.ndim], name)
    texts = "OTU" if variable.encoding.get("_nz_as_stored") else "OT"  # U: strings of a file
    dtype: Any = str if sample.dtype.kind in texts else sample.dtype
    fill = sample.attrs.get("_FillValue")
    usable = fill is not None and dtype is not str and np.ndim(fill) == 0
    return Encoded(
        variable,
        name,
        dtype,
        _chunks(variable, 32 if dtype is str else sample.dtype.itemsize),
        _attributes(sample.attrs),
        fill if usable else None,
        unknown_type=unknown,
        unchanged=given.kind == "b" or (given.kind in "iufc" and dtype == given),
    )


def _encode(variable: Variable, name: str) -> Variable:
    from xarray import conventions

    if variable.encoding.get("_nz_as_stored"):
        return variable
    if variable.dims == (name,) and "_FillValue" not in variable.encoding:
        variable = variable.copy(deep=False)
        variable.encoding["_FillValue"] = None  # a coordinate has no missing values
    encoded = conventions.encode_cf_variable(variable, name=name)
    if encoded.dtype.kind != "O":
        return encoded
    missing = encoded.isnull().values  # pandas has NaN and None among texts
    return encoded.copy(data=np.where(missing, "", encoded.values)) if missing.any() else encoded


def as_stored(dataset: Dataset, ragged: Mapping[str, Any]) -> Dataset:
    """Note on the variables of a dataset that was opened without decoding that their values are the stored ones.

    The names that an enumeration gives numbers become CF's ``flag_values`` and ``flag_meanings``.

    Parameters
    ----------
    dataset : Dataset
        A group of a file.
    ragged : mapping of str to dtype
        Types of the items of its variables whose values are sequences of their own lengths, by their names.
    """
    for name, variable in dataset.variables.items():
        variable.encoding["_nz_as_stored"] = True
        metadata = (variable.encoding.get("dtype") or variable.dtype).metadata or {}
        item = ragged.get(str(name), metadata.get("vlen"))
        if item not in (None, str, bytes):
            variable.encoding[UNKNOWN_TYPE] = f"{np.dtype(item)}(*)"
        if "flag_values" not in variable.attrs and (members := metadata.get("enum")):
            names = ("_".join(str(member).split()) for member in members)
            variable.attrs["flag_values"] = [*members.values()]
            variable.attrs["flag_meanings"] = " ".join(names)
    return dataset


def _type_name(dtype: np.dtype[Any]) -> str:
    """Return the name of a type, of a compound one those of its members, too."""
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return f"{_type_name(base)}[{', '.join(map(str, shape))}]"
    metadata: Mapping[str, Any] = dtype.metadata or {}
    if "ref" in metadata:
        return "HDF5 reference"
    if item := metadata.get("vlen"):
        return "string" if item in (str, bytes) else f"{_type_name(np.dtype(item))}(*)"
    if dtype.fields is None:
        return dtype.name if dtype.kind in "biufc" else str(dtype)
    members = (f"{name}: {_type_name(field[0])}" for name, field in dtype.fields.items())
    return f"compound {{{', '.join(members)}}}"


def _chunks(variable: Variable, itemsize: int) -> tuple[int, ...]:
    """Return the shape of a chunk: Dask's, the file's, or one of about `CHUNK_BYTES`."""
    given = variable.chunks
    own = tuple(sizes[0] for sizes in given) if given else variable.encoding.get("chunksizes")
    shape = tuple(max(1, length) for length in variable.shape)
    if own and len(own) == len(shape) and all(isinstance(size, int) and size > 0 for size in own):
        return tuple(min(size, length) for size, length in zip(own, shape, strict=True))
    chunks = [*shape]
    for axis in range(len(chunks)):  # maps stay whole as long as possible
        rest = math.prod(chunks[axis + 1 :]) * itemsize
        chunks[axis] = max(1, min(chunks[axis], CHUNK_BYTES // max(1, rest)))
        if math.prod(chunks) * itemsize <= CHUNK_BYTES:
            break
    return tuple(chunks)


def _attributes(attributes: Mapping[Any, Any]) -> dict[str, Any]:
    return {
        # a fill value is compared with stored values, so all of its digits count
        str(key): _json(value.item() if key == "_FillValue" and _is_scalar(value) else value)
        for key, value in attributes.items()
    }


def _is_scalar(value: Any) -> bool:
    return isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.size == 1)


def _json(value: Any) -> Any:
    """Return the value of an attribute as JSON, with NaN and infinities by their names."""
    if isinstance(value, np.ndarray):
        return (
            [_json(item) for item in value.reshape(-1)] if value.size != 1 else _json(value.flat[0])
        )
    if isinstance(value, np.generic):
        value = float(str(value)) if isinstance(value, np.float32) else value.item()
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, complex):
        return [_json(value.real), _json(value.imag)]
    if isinstance(value, dict):
        return {str(key): _json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_json(item) for item in value]
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
