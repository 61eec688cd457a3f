"""An xarray object as a zarr store: documents at once, each chunk when it is asked for. Nothing is written anywhere."""

from __future__ import annotations

import asyncio
import json
import math
import threading
import warnings
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from itertools import product
from typing import TYPE_CHECKING, Any

from zarr.storage import MemoryStore

from nz_explorer.store.datasets.encoding import Encoded, encoded
from nz_explorer.store.errors import ReadError, TooLarge
from nz_explorer.store.read_only_store import BoundedStore
from nz_explorer.store.reader import MAX_OBJECT_BYTES
from nz_explorer.text.identifiers import KEYS, with_nz

if TYPE_CHECKING:
    import zarr
    from xarray import Dataset
    from zarr.abc.buffer import Buffer

_ROOT = "zarr.json"


class DatasetStore(BoundedStore):
    """Serves the groups and variables of an xarray object as groups and arrays of Zarr v3 that declare NZ-1.0.

    Chunks are those of Dask, else those of the file that it was read from, else a few MB each; they are computed
    when they are asked for, one at a time, and not kept. What takes more than it may is not computed.

    Parameters
    ----------
    groups : mapping of str to Dataset
        The groups by their paths. Variables are stored as they are if they were opened without decoding, else as
        xarray would encode them.
    reading : callable, optional
        Returns a context manager, in which values are read.
    packed : bool
        Whether values are packed again as those of the file that they were read from were, in which they may not fit.

    Raises
    ------
    ValueError
        If a name cannot be one of a Zarr node, or a variable cannot be encoded.
    """

    supports_listing = True

    def __init__(
        self,
        groups: Mapping[str, Dataset],
        reading: Callable[[], AbstractContextManager[None]] = nullcontext,
        *,
        packed: bool = False,
    ) -> None:
        super().__init__()
        self._documents: dict[str, Buffer] = {}
        self._memory = MemoryStore(self._documents)
        self._variables: dict[str, tuple[Encoded, zarr.Array[Any]]] = {}
        self.unsupported: list[str] = []
        """Paths of variables whose data type Zarr has not."""
        self._busy = threading.Lock()
        self._reading = reading
        with reading():  # what decides about types
            found = {path: encoded(dataset, packed=packed) for path, dataset in groups.items()}
        for path, one in found.items():
            self._add_group(path.strip("/"), *one)
        self._keys = frozenset(self._documents)

    # --- documents --------------------------------------------------------------------------

    def _add_group(
        self, path: str, variables: Mapping[str, Encoded], attributes: dict[str, Any]
    ) -> None:
        import zarr

        if not path:
            attributes = _declared(attributes)
        zarr.create_group(self._memory, path=path, attributes=attributes, zarr_format=3)
        for name, variable in variables.items():
            where = f"{path}/{name}" if path else name
            with warnings.catch_warnings():
                # of data types that no specification has yet: the rules say so
                warnings.simplefilter("ignore")
                try:
                    array = created(
                        self._memory, variable, name=where, compressors=None, filters=None
                    )
                except (TypeError, ValueError, NotImplementedError):
                    self._put(f"{where}/{_ROOT}", _unsupported(variable))
                    self.unsupported.append(f"/{where}")
                else:
                    self._variables[where] = variable, array
                    self._complete(f"{where}/{_ROOT}", variable)

    def _complete(self, key: str, variable: Encoded) -> None:
        """Say what zarr leaves out: a scalar's empty list of names, which NZ requires, and the byte order of structures."""
        more: dict[str, Any] = {} if variable.dimensions else {"dimension_names": []}
        if variable.dtype is not str and variable.dtype.fields is not None:
            more["codecs"] = [{"name": "bytes", "configuration": {"endian": "little"}}]
        if more:
            self._put(key, json.loads(self._documents[key].to_bytes()) | more)

    def _put(self, key: str, document: Mapping[str, Any]) -> None:
        from zarr.buffer import default_buffer_prototype

        text = json.dumps(document, indent=2)
        self._documents[key] = default_buffer_prototype().buffer.from_bytes(text.encode())

    def documents(self) -> dict[str, Any]:
        """Return the documents of all nodes by their keys."""
        return {key: json.loads(self._documents[key].to_bytes()) for key in self._keys}

    def variable(self, path: str) -> Encoded | None:
        """Return what an array is made of; None for a group."""
        found = self._variables.get(path)
        return None if found is None else found[0]

    # --- chunks -----------------------------------------------------------------------------

    def _chunk(self, key: str) -> tuple[str, tuple[int, ...]] | None:
        """Return the variable and the place in its grid that a key stands for."""
        path, mark, rest = key.rpartition("/c/") if "/c/" in key else (key[:-2], "", "")
        if path not in self._variables or not (mark or key.endswith("/c")):
            return None
        parts = rest.split("/") if rest else []
        grid = _grid(self._variables[path][1])
        if len(parts) != len(grid) or not all(part.isascii() and part.isdigit() for part in parts):
            return None
        at = tuple(map(int, parts))
        inside = all(i < n for i, n in zip(at, grid, strict=True))
        return (path, at) if inside and parts == [*map(str, at)] else None

    def _check_size(self, key: str, path: str, at: tuple[int, ...], max_bytes: int) -> None:
        """Refuse a chunk whose bytes, or what Dask computes for them, are too many."""
        variable, array = self._variables[path]
        computed = variable.computed_bytes(_region(array, at))
        if computed > MAX_OBJECT_BYTES:
            detail = f"Dask computes {computed:,} bytes for it; the limit is {MAX_OBJECT_BYTES:,}"
            raise ReadError(key, "too much to compute", detail)
        size = 0 if variable.dtype is str else math.prod(array.chunks) * array.dtype.itemsize
        if size > max_bytes:
            raise TooLarge(key, max_bytes, size)

    def _compute(self, key: str, path: str, at: tuple[int, ...]) -> bytes:
        variable, array = self._variables[path]
        region = _region(array, at)
        with self._busy:
            # Dask's threads wait for nothing of zarr's, so this thread may wait for both
            with self._reading():
                values = variable.values(region)
            array[region or ...] = values
            return self._documents.pop(key).to_bytes()

    # --- what zarr asks for -----------------------------------------------------------------

    async def read(self, key: str, start: int, stop: int | None, max_bytes: int) -> bytes | None:
        """Return the bytes of a document or a chunk; see `BoundedStore.read`."""
        if key in self._keys:
            data = self._documents[key].to_bytes()
        elif (chunk := self._chunk(key)) is not None:
            whole = start == 0 and stop is None
            self._check_size(key, *chunk, max_bytes if whole else MAX_OBJECT_BYTES)
            data = await asyncio.to_thread(self._compute, key, *chunk)
        else:
            return None
        part = data[start:stop]
        if len(part) > max_bytes:
            raise TooLarge(key, max_bytes, len(part))
        return part

    async def exists(self, key: str) -> bool:
        """Return whether there is a document or a chunk of this key."""
        return key in self._keys or self._chunk(key) is not None

    async def list(self) -> AsyncIterator[str]:
        """Yield all keys."""
        async for key in self.list_prefix(""):
            yield key

    async def list_prefix(self, prefix: str) -> AsyncIterator[str]:
        """Yield all keys that begin with a prefix."""
        for key in self._keys:
            if key.startswith(prefix):
                yield key
        for path in self._variables:
            if path.startswith(prefix) or prefix.startswith(f"{path}/"):
                for key in self._chunk_keys(path):
                    if key.startswith(prefix):
                        yield key

    def _chunk_keys(self, path: str) -> Iterator[str]:
        for at in product(*map(range, _grid(self._variables[path][1]))):
            yield "/".join((path, "c", *map(str, at)))

    async def list_dir(self, prefix: str) -> AsyncIterator[str]:
        """Yield the names directly below a prefix."""
        folder = prefix.strip("/")
        stem = f"{folder}/" if folder else ""
        for name in {key[len(stem) :].split("/")[0] for key in self._keys if key.startswith(stem)}:
            yield name
        path, mark, rest = f"{folder}/".partition("/c/")
        if folder in self._variables:
            yield "c"
        elif mark and path in self._variables:
            depth = len([part for part in rest.split("/") if part])
            grid = _grid(self._variables[path][1])
            for number in range(grid[depth] if depth < len(grid) else 0):
                yield str(number)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def __str__(self) -> str:
        return "xarray object"


def _declared(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the attributes of a root group that declares NZ-1.0, before what netCDF's own attribute names."""
    others = {key: value for key, value in attributes.items() if key not in KEYS}
    return {"conventions": with_nz(attributes), **others}


def _unsupported(variable: Encoded) -> dict[str, Any]:
    """Return the document of a variable whose data type Zarr has not: the explorer says what it is."""
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": list(variable.shape),
        "data_type": variable.type_name,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(variable.chunks)}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": 0,
        "codecs": [{"name": "bytes"}],
        "attributes": variable.attributes,
        "dimension_names": list(variable.dimensions),
    }


def created(store: Any, variable: Encoded, **options: Any) -> zarr.Array[Any]:
    """Create the array of a variable, without values, in which every chunk is written.

    Parameters
    ----------
    store : object
        Where zarr creates it.
    variable : Encoded
        What it is to hold.
    **options
        More for ``zarr.create_array``.

    Raises
    ------
    TypeError
        If Zarr has no type for its values.
    """
    import zarr

    if variable.unknown_type:
        raise TypeError(f"Zarr has no type for {variable.type_name}")
    return zarr.create_array(
        store,
        shape=variable.shape,
        chunks=variable.chunks or "auto",
        dtype=variable.dtype,
        fill_value=variable.fill_value,
        attributes=variable.attributes,
        dimension_names=list(variable.dimensions),
        config={"write_empty_chunks": True},
        **options,
    )


def _region(array: zarr.Array[Any], at: tuple[int, ...]) -> tuple[slice, ...]:
    return tuple(
        slice(i * size, min((i + 1) * size, length))
        for i, size, length in zip(at, array.chunks, array.shape, strict=True)
    )


def _grid(array: zarr.Array[Any]) -> tuple[int, ...]:
    return tuple(
        math.ceil(length / max(1, size))
        for length, size in zip(array.shape, array.chunks, strict=True)
    )
