"""An array of the model as an array of zarr, without reading its metadata again.

zarr-python refuses documents for reasons that do not matter to the values, such as names of
dimensions or attributes. Here it gets a document of only what reading takes.
"""

from __future__ import annotations

import base64
import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from nz_explorer.documents.json_text import json_text
from nz_explorer.model.data_type import DataType
from nz_explorer.values.reading import size_limits
from nz_explorer.values.reading.chunk_grid import ChunkGrid, Coordinates, Edges
from nz_explorer.values.refusal import codec_names, reason_of

if TYPE_CHECKING:
    import zarr

    from nz_explorer.model import Array
    from nz_explorer.values.reading.chunk_cache import ChunkCache

_V3_MEMBERS = ("shape", "chunk_grid", "chunk_key_encoding", "codecs")
_V3_KNOWN = frozenset(
    (
        *_V3_MEMBERS,
        "zarr_format",
        "node_type",
        "data_type",
        "fill_value",
        "attributes",
        "dimension_names",
        "storage_transformers",
        "consolidated_metadata",
    )
)
MOST_DIMENSIONS = 32
"""What any NumPy takes."""
MOST_CODECS = 100
MOST_ELEMENTS = 2**63 - 1
_versions = itertools.count(1)


class UnsupportedArray(Exception):  # not a fault: a state of the array
    """Values that cannot be read; the message gives the reason."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class OpenArray(ChunkGrid):
    """An array whose values can be read.

    Parameters
    ----------
    zarr, shape, chunk_shape, shard_shape, storage_default, local, edges, shard_edges
        As of `ChunkGrid`.
    array
        The array of the model.
    version
        A number that no other opened array has.
    known
        What was found out about its values, by the name of the question: the cache that remembers the
        array remembers this with it.
    """

    array: Array
    version: int
    known: dict[str, Any] = field(default_factory=dict)

    @property
    def plain(self) -> ChunkGrid:
        """What it takes to read chunks, without what cannot be sent to another process."""
        return ChunkGrid(*(getattr(self, one.name) for one in fields(ChunkGrid)))

    @property
    def itemsize(self) -> int:
        """Bytes of one decoded element; a guess where elements vary."""
        return bytes_of((), self.array)

    @property
    def chunk_bytes(self) -> int:
        """Bytes that decoding one chunk makes."""
        return bytes_of(self.chunk_shape, self.array)


def bytes_of(shape: tuple[int, ...], array: Array) -> int:
    """Return how many bytes so many decoded elements of an array take; a guess where elements vary.

    Parameters
    ----------
    shape
        Of a part of the array.
    array
        The array, for its data type.
    """
    return size_limits.decoded_bytes(shape, array.data_type.itemsize)


def open_for_reading(array: Array, cache: ChunkCache | None = None) -> OpenArray:
    """Open an array of the model for reading.

    Parameters
    ----------
    array
        The array; its own documents are used, nothing is read.
    cache
        Remembers the array, so that its chunks are found again.

    Returns
    -------
    OpenArray

    Raises
    ------
    UnsupportedArray
        If zarr cannot read it, with the reason in a sentence.
    """
    if cache is not None:
        found = cache.opened(array)
        if found is not None:
            return found
    opened = _open(array)
    if cache is not None:
        cache.keep_opened(opened)
    return opened


def no_shape(array: Array) -> str:
    """Return what is said of an array whose shape is none.

    Parameters
    ----------
    array
        The array.
    """
    return f"{array.path} has no usable shape: {array.problem or 'no sizes'}"


def _open(array: Array) -> OpenArray:
    shape, chunk_shape, shard_shape = array.shape, array.chunk_shape, array.shard_shape
    if shape is None:
        raise UnsupportedArray(no_shape(array))
    edges = _edges(array)
    if edges is not None:
        largest = tuple(int(np.diff(along).max(initial=1)) for along in edges)
        if chunk_shape is None:
            chunk_shape = largest
        else:
            shard_shape = _largest_shard(array, edges, chunk_shape)
    lengths = (*shape, *(chunk_shape or ()), *(shard_shape or ()))
    if len(shape) > MOST_DIMENSIONS or any(length > MOST_ELEMENTS for length in lengths):
        raise UnsupportedArray(
            f"{array.path} has more dimensions, or elements along one, than can be read"
        )
    _refuse_unknown(array)
    _refuse_large(array, shard_shape)
    grid_shape = shard_shape or chunk_shape if edges is not None else array.grid_shape
    if chunk_shape is None or grid_shape is None:
        raise UnsupportedArray(f"{array.path} has no chunk grid that fits its shape")
    if 0 in chunk_shape or 0 in grid_shape:
        # zarr-python 3.0 wrote chunks of length 0 for empty dimensions
        if 0 not in shape:
            raise UnsupportedArray(f"{array.path} has chunks of length 0")
        chunk_shape = tuple(max(1, size) for size in chunk_shape)
    zarr_array, shard_edges = _zarr_array(array, grid_shape), None
    if edges is not None and shard_shape is not None:
        from nz_explorer.values.reading.guarded_pipeline import guarded_pipeline

        if guarded_pipeline(zarr_array).supports_partial_decode:
            inside = zip(edges, chunk_shape, strict=True)
            edges, shard_edges = None, tuple(along // size for along, size in inside)
        else:  # something is done to shards as a whole: they are decoded like chunks
            chunk_shape, shard_shape = shard_shape, None
    opened = OpenArray(
        array=array,
        zarr=zarr_array,
        shape=shape,
        chunk_shape=chunk_shape,
        shard_shape=shard_shape,
        storage_default=_storage_default(array, zarr_array),
        local=array.hierarchy.reader.local,
        edges=edges,
        shard_edges=shard_edges,
        version=next(_versions),
    )
    if edges is not None or shard_edges is not None:
        from nz_explorer.values.reading.guarded_array import RectilinearArray

        object.__setattr__(opened, "zarr", RectilinearArray.of(opened.plain))
    return opened


def _edges(array: Array) -> Edges | None:
    """Return where the chunks, or shards, of a rectilinear grid begin and end along each dimension."""
    edges = array.chunk_edges
    if edges is None:
        return None
    return tuple(np.cumsum((0, *along), dtype=np.int64) for along in edges)


def _largest_shard(array: Array, edges: Edges, chunk_shape: Coordinates) -> Coordinates:
    """Return the lengths of the largest shard of a rectilinear grid, each a multiple of that of the chunks inside."""
    for along, size in zip(edges, chunk_shape, strict=True):
        odd = [length for length in np.diff(along).tolist() if size < 1 or length % size]
        if odd:
            raise UnsupportedArray(
                f"{array.path} has shards of {odd[0]:,}, which its inner chunks of {size:,} do not divide"
            )
    lengths = (
        np.diff(along).max(initial=size) for along, size in zip(edges, chunk_shape, strict=True)
    )
    return tuple(map(int, lengths))


def _refuse_unknown(array: Array) -> None:
    """Refuse what would be read wrongly, or must not be read."""
    data_type = array.data_type
    member = "data_type" if array.zarr_format == 3 else "dtype"
    if data_type.given is None and member not in array.metadata:
        raise UnsupportedArray(f"{member} is missing from the metadata of {array.path}")
    if not data_type.known or (data_type.numpy is None and data_type.kind == "unknown"):
        what = "malformed" if data_type.status == "malformed" else "not known"
        raise UnsupportedArray(f"the data type of {array.path} is {what}: {data_type.text}")
    for number, name in enumerate(codec_names(array.codecs), 1):
        if number > MOST_CODECS:  # the time that zarr takes grows with the square of their number
            raise UnsupportedArray(f"{array.path} has more than {MOST_CODECS} codecs")
        if name in ("pickle", "numcodecs.pickle"):
            # unpickling runs whatever code the store's author put there
            raise UnsupportedArray(f"{array.path} uses the codec pickle, which could run any code")
    if array.zarr_format != 3:
        return
    transformers = array.metadata.get("storage_transformers")
    if transformers:
        shown = json_text(transformers)
        raise UnsupportedArray(f"{array.path} uses storage transformers, not supported: {shown}")
    for name, value in array.metadata.items():
        extension = isinstance(value, dict) and value.get("must_understand") is not False
        if name not in _V3_KNOWN and extension and "name" in value:
            raise UnsupportedArray(f"{array.path} needs the extension {name}, which is not known")


def _refuse_large(array: Array, shard_shape: Coordinates | None) -> None:
    """Refuse what takes too much memory before anything is read."""
    itemsize = bytes_of((), array)
    if itemsize > size_limits.MOST_ELEMENT_BYTES:
        raise UnsupportedArray(
            f"an element of {array.path} has {size_limits.bytes_text(itemsize)}, more than the limit of "
            f"{size_limits.bytes_text(size_limits.MOST_ELEMENT_BYTES)}"
        )
    number = math.prod(
        -(-shard // max(1, chunk))
        for shard, chunk in zip(shard_shape or (), array.chunk_shape or (), strict=False)
    )
    if number > size_limits.MOST_INNER_CHUNKS:
        raise UnsupportedArray(
            f"a shard of {array.path} has {number:,} chunks, more than the limit of "
            f"{size_limits.MOST_INNER_CHUNKS:,}"
        )


def _zarr_array(array: Array, grid_shape: Coordinates) -> zarr.Array[Any]:
    from nz_explorer.store import zarr_internals
    from nz_explorer.values.reading import guarded_array

    reader = array.hierarchy.reader
    where = reader.zarr_path(array.path)
    path = guarded_array.open_store_path(where.store, where.path)
    reasons: list[str] = []
    for document in _documents(array):
        if array.chunk_edges is not None:  # what zarr does not read: it only has to find the codecs
            regular = {"chunk_shape": [*grid_shape]}
            document["chunk_grid"] = {"name": "regular", "configuration": regular}
        try:
            with np.errstate(over="ignore"):  # a fill value beyond the type is infinity
                opened = guarded_array.open_array(path, document)
            _load_codecs(array)
        except Exception as error:  # noqa: BLE001  # codecs and data types raise what they like
            reasons.append(reason_of(array, error))
            continue
        most = guarded_array.most_stored_bytes(opened)
        zarr_internals.read_from(opened, reader.zarr_path(array.path, max_bytes=most))
        return opened
    # the first of three is about the document as it is stored; before it only the fill value was tried
    raise UnsupportedArray(f"zarr cannot read {array.path}: {reasons[-3]}")


def _load_codecs(array: Array) -> None:
    """Ask for the codecs of numcodecs, which zarr asks for only when it decodes a chunk with them.

    One that is missing here would be told as chunks that do not decode.
    """
    from numcodecs.errors import UnknownCodecError  # type: ignore[import-untyped]
    from numcodecs.registry import get_codec  # type: ignore[import-untyped]

    for name in codec_names(array.codecs):
        library, _, plain = name.partition(".")
        if library == "numcodecs":
            try:
                get_codec({"id": plain})
            except UnknownCodecError:
                raise
            except Exception:  # noqa: BLE001, S112  # it is there, and wants settings
                continue


def _documents(array: Array) -> Iterator[dict[str, Any]]:
    """Yield documents to try: what is stored, then spelled as zarr-python writes it."""
    make = _v2_document if array.zarr_format == 2 else _v3_document
    stored = array.storage_fill
    default = _default_json(array.data_type)
    usable = stored is not None and stored.usable
    given = stored.given if stored is not None and usable else default
    if array.zarr_format == 2 and not usable:
        given = None
    own = array.metadata.get("fill_value")
    if stored is not None and not usable and isinstance(own, str | int | float):
        # zarr makes a value of some that do not fit the type, such as "5" and 1e39
        yield make(array, array.data_type.given, own)
    yield make(array, array.data_type.given, given)
    yield make(array, _zarr_spelling(array.data_type, array.zarr_format or 3), given)
    yield make(array, _zarr_spelling(array.data_type, array.zarr_format or 3), default)


def _v3_document(array: Array, data_type: Any, fill_value: Any) -> dict[str, Any]:
    members = {name: array.metadata.get(name) for name in _V3_MEMBERS}
    return {
        **members,
        "shape": list(array.shape or ()),
        "zarr_format": 3,
        "node_type": "array",
        "data_type": data_type,
        "fill_value": fill_value,
        "attributes": {},
        "storage_transformers": [],
    }


def _v2_document(array: Array, data_type: Any, fill_value: Any) -> dict[str, Any]:
    metadata = array.metadata
    order = metadata.get("order")
    separator = metadata.get("dimension_separator")
    return {
        "zarr_format": 2,
        "shape": list(array.shape or ()),
        "chunks": list(array.grid_shape or ()),
        "dtype": data_type,
        "compressor": metadata.get("compressor"),
        "filters": _v2_filters(array),
        "order": order if order in ("C", "F") else "C",
        "dimension_separator": separator if separator in (".", "/") else ".",
        "fill_value": fill_value,
        "attributes": {},
    }


def _v2_filters(array: Array) -> list[Any] | None:
    """Return the filters of a v2 array, with the size that netCDF-C leaves out of its shuffle filter.

    It writes an ``elementsize`` of 0 and means that of the data type; numcodecs would not shuffle at all.
    """
    filters = array.metadata.get("filters")
    if not isinstance(filters, list):
        return filters or None
    return [
        {**codec, "elementsize": array.data_type.itemsize}
        if isinstance(codec, dict)
        and codec.get("id") == "shuffle"
        and codec.get("elementsize") == 0
        else codec
        for codec in filters
    ] or None


def _zarr_spelling(data_type: DataType, zarr_format: int) -> Any:
    """Return a data type as zarr-python 3 spells it."""
    dtype = data_type.numpy
    if dtype is None or dtype.hasobject:
        return "string" if data_type.name == "variable_length_utf8" else data_type.given
    if zarr_format == 2:
        return _v2_fields(dtype) if dtype.names else dtype.str
    return _v3_spelling(dtype, data_type.given)


def _v2_fields(dtype: np.dtype[Any]) -> list[list[Any]]:
    """Return the fields of a record; those with a shape, which zarr-python 3 has not, as bytes."""
    fields: list[list[Any]] = []
    for name in dtype.names or ():
        inner = dtype[name]
        if inner.names:
            fields.append([name, _v2_fields(inner)])
        else:
            fields.append([name, inner.str if inner.subdtype is None else f"|V{inner.itemsize}"])
    return fields


def _v3_spelling(dtype: np.dtype[Any], given: Any) -> Any:
    if dtype.names:
        fields = [[name, _v3_spelling(dtype[name], None)] for name in dtype.names]
        return {"name": "structured", "configuration": {"fields": fields}}
    fixed = {"V": "raw_bytes", "S": "null_terminated_bytes", "U": "fixed_length_utf32"}
    if dtype.kind in fixed:
        return {"name": fixed[dtype.kind], "configuration": {"length_bytes": dtype.itemsize}}
    if dtype.kind in "mM":
        if given is not None:
            return given
        unit, factor = np.datetime_data(dtype)
        name = "numpy.datetime64" if dtype.kind == "M" else "numpy.timedelta64"
        return {"name": name, "configuration": {"unit": unit, "scale_factor": factor}}
    return dtype.name


def _default_json(data_type: DataType) -> Any:
    plain: dict[str, Any] = {
        "bool": False,
        "float": 0.0,
        "complex": [0.0, 0.0],
        "string": "",
        "bytes": "",
    }
    if data_type.kind in ("raw", "struct"):
        return base64.b64encode(bytes(data_type.itemsize or 0)).decode()
    return plain.get(data_type.kind, 0)


def _storage_default(array: Array, opened: zarr.Array[Any]) -> Any:
    """Return the value of what was never written: that which zarr reads where the metadata give none of the type."""
    stored = array.storage_fill
    if stored is not None and stored.usable:
        return stored.value
    read = opened.fill_value
    if read is not None:
        return read
    if opened.dtype.kind in "mM":  # NaT; NumPy is to make none by name for times without a unit
        integers = np.dtype(np.int64).newbyteorder(opened.dtype.byteorder)
        return np.array(np.iinfo(np.int64).min, integers).view(opened.dtype)[()]
    try:
        return opened.metadata.dtype.default_scalar()
    except TypeError:  # raw bytes in a field: zarr-python 3 makes no value of 0 for them
        return np.zeros((), opened.dtype)[()]
    except ValueError as error:  # times without a unit, in a field
        raise UnsupportedArray(
            f"{array.path} has no value for what was never written: {error}"
        ) from error
