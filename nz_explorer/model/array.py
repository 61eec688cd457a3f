"""Arrays, as their documents describe them – also where the documents are wrong."""

from __future__ import annotations

import copy
import math
from typing import TYPE_CHECKING, Any, Literal, Self, TypeGuard

import msgspec

from nz_explorer.documents.document import Document
from nz_explorer.model.chunk_edges import edges_of
from nz_explorer.model.data_type import NO_DATA_TYPE, DataType, parse_v2, parse_v3
from nz_explorer.model.dialects import images, nczarr
from nz_explorer.model.fill_values import FillValue, decode_fill, decode_storage_fill, is_zero
from nz_explorer.model.node import Node, State

if TYPE_CHECKING:
    from nz_explorer.model.hierarchy import Hierarchy

NamesSource = Literal["dimension_names", "_ARRAY_DIMENSIONS", "nczarr"]

NAMED_DIMENSIONS = 256
"""Dimensions up to which their names are labels; NumPy has 64 at most."""

OBJECT_CODECS = ("vlen-utf8", "vlen-bytes", "json2", "json", "msgpack2", "pickle")


class _Unset:
    """Marks a member that has not been looked at."""


_UNSET: Any = _Unset()


class _Structure(msgspec.Struct, gc=False):
    """What was found out of an array that, in Zarr v3, does not depend on its attributes; part of no cycle."""

    shape: tuple[int, ...] | None = _UNSET
    grid_shape: tuple[int, ...] | None = _UNSET
    data_type: DataType = _UNSET
    dimension_names: tuple[tuple[str | None, ...] | None, NamesSource | None] = _UNSET
    lone_dimension: str | None = _UNSET
    decoded_bytes: int = _UNSET
    separate_chunks: int = _UNSET


class Array(Node):
    """An array; what its document leaves unclear is None.

    Arrays whose documents differ in nothing but attributes share what was found out of the rest.
    """

    __slots__ = ("_fill", "_storage_fill", "_structure")
    kind = "array"

    def __init__(
        self,
        hierarchy: Hierarchy,
        path: str,
        documents: tuple[Document, ...],
        *,
        state: State = "ok",
        problem: str | None = None,
    ) -> None:
        super().__init__(hierarchy, path, documents, state=state, problem=problem)
        self._structure = _Structure()
        self._fill: FillValue | None = _UNSET
        self._storage_fill: FillValue | None = _UNSET

    def clone_structure(self, path: str, document: Document, text: bytes | None = None) -> Self:
        """Return the array of another document with the same structure, which is one of Zarr v3."""
        twin = super().clone_structure(path, document, text)
        twin._structure = self._structure  # noqa: SLF001
        twin._fill = twin._storage_fill = _UNSET  # noqa: SLF001
        return twin

    def moved_to(self, hierarchy: Hierarchy) -> Self:
        """Return the same array in a copy of its hierarchy, where other nodes may say something else of it."""
        twin = super().moved_to(hierarchy)
        twin._structure = copy.copy(self._structure)  # noqa: SLF001
        return twin

    @property
    def shape(self) -> tuple[int, ...] | None:
        """Lengths of its dimensions, None where the document gives none that can be used.

        A scalar of netCDF-C, which stores it with shape ``[1]``, has none.
        """
        found = self._structure.shape
        if found is _UNSET:
            found = self.stored_shape
            if self.zarr_format == 2 and found == (1,) and nczarr.counts(self.hierarchy):
                found = () if nczarr.is_scalar(self) else found
            self._structure.shape = found
        return found

    @property
    def stored_shape(self) -> tuple[int, ...] | None:
        """Lengths as the document gives them."""
        return lengths(self.metadata.get("shape"))

    @property
    def ndim(self) -> int | None:
        """Number of dimensions."""
        shape = self.shape
        return None if shape is None else len(shape)

    @property
    def data_type(self) -> DataType:
        """Its data type, of kind ``unknown`` if it cannot be determined."""
        found = self._structure.data_type
        if found is _UNSET:
            found = self._structure.data_type = (
                parse_v2(nczarr.stored_dtype(self), self._object_codec())
                if self.zarr_format == 2
                else parse_v3(self.metadata["data_type"])
                if "data_type" in self.metadata
                else NO_DATA_TYPE
            )
        return found

    @property
    def decoded_bytes(self) -> int:
        """How many bytes its values take when they are decoded, as far as that is known."""
        found = self._structure.decoded_bytes
        if found is _UNSET:
            found = math.prod(self.shape or ()) * (self.data_type.itemsize or 1)
            self._structure.decoded_bytes = found
        return found

    def _object_codec(self) -> str | None:
        """Return the filter of a v2 array that turns objects into bytes; it alone says what they are."""
        for codec in self.codecs:
            name = codec.get("id") if isinstance(codec, dict) else None
            if isinstance(name, str) and name in OBJECT_CODECS:
                return name
        return None

    @property
    def dimension_names(self) -> tuple[str | None, ...] | None:
        """The effective names of its dimensions, None where there are none that fit its shape."""
        found = self._structure.dimension_names
        return (self._names() if found is _UNSET else found)[0]

    @property
    def dimension_names_source(self) -> NamesSource | None:
        """Where the names come from."""
        return self._names()[1]

    def _names(self) -> tuple[tuple[str | None, ...] | None, NamesSource | None]:
        found = self._structure.dimension_names
        if found is _UNSET:
            found = self._structure.dimension_names = self._find_names()
        return found

    def _find_names(self) -> tuple[tuple[str | None, ...] | None, NamesSource | None]:
        if self.zarr_format == 3:
            names = self.metadata.get("dimension_names")
            return (
                (tuple(names), "dimension_names")
                if self._fits(names, (str, type(None)))
                else (None, None)
            )
        # The address may say, as to netCDF-C, whose names are meant: mode nczarr asks for its own notes first,
        # zarr and xarray for none of them, and noxarray not for the attribute either.
        modes = self.hierarchy.modes
        names = None if "noxarray" in modes else self.attributes.get("_ARRAY_DIMENSIONS")
        references = self.dimension_references if nczarr.counts(self.hierarchy) else None
        if self._fits(names, (str,)) and not ("nczarr" in modes and references is not None):
            return tuple(names), "_ARRAY_DIMENSIONS"
        if references is not None:
            return tuple(reference.rsplit("/", 1)[-1] for reference in references), "nczarr"
        return None, None

    @property
    def named_like_dimension(self) -> bool:
        """Whether its name is that of its only dimension."""
        lone = self._structure.lone_dimension
        if lone is _UNSET:
            names = self.dimension_names
            is_lone = names is not None and len(names) == 1 and self.ndim in (1, None)
            lone = self._structure.lone_dimension = names[0] if names and is_lone else None
        return lone is not None and lone == self.name

    @property
    def dimension_references(self) -> tuple[str, ...] | None:
        """Full names of its dimensions, such as ``/g1/lon``, where netCDF-C noted names that fit its shape."""
        notes = nczarr.array_notes(self)
        references = None if notes is None else notes.references
        fits = (
            references is not None and self.shape is not None and len(references) == len(self.shape)
        )
        return references if fits else None

    def _fits(self, names: Any, types: tuple[type, ...]) -> TypeGuard[list[Any]]:
        if not isinstance(names, list) or not all(isinstance(name, types) for name in names):
            return False
        return self.shape is None or len(names) == len(self.shape)

    @property
    def grid_shape(self) -> tuple[int, ...] | None:
        """Lengths of what one key holds: a chunk, or a shard where the array is sharded."""
        found = self._structure.grid_shape
        if found is _UNSET:
            found = self._structure.grid_shape = self._find_grid_shape()
        return found

    def _find_grid_shape(self) -> tuple[int, ...] | None:
        if self.zarr_format == 2:
            found = lengths(self.metadata.get("chunks"))
            if found == (1,) and self.shape == ():
                return ()  # a scalar of netCDF-C: its only chunk has the same key either way
        else:
            grid = configuration_of(self.metadata.get("chunk_grid"))
            found = lengths(grid.get("chunk_shape"))
        return found if found is not None and len(found) == self.ndim else None

    @property
    def chunk_edges(self) -> tuple[tuple[int, ...], ...] | None:
        """Lengths of the chunks along each dimension, of a rectilinear grid; None for a regular one."""
        if self.zarr_format != 3 or self.shape is None:
            return None
        return edges_of(self.metadata.get("chunk_grid"), self.shape)

    @property
    def shard_shape(self) -> tuple[int, ...] | None:
        """Lengths of a shard, None where the array is not sharded."""
        return self.grid_shape if self._sharding() is not None else None

    @property
    def separate_chunks(self) -> int:
        """How many chunks it has that are objects of their own; 0 where it has shards, or that is not known."""
        found = self._structure.separate_chunks
        if found is _UNSET:
            found = self._structure.separate_chunks = self._count_separate_chunks()
        return found

    def _count_separate_chunks(self) -> int:
        chunks, shape = self.grid_shape, self.shape
        if chunks is None or shape is None or min(chunks, default=1) < 1:
            return 0
        if self._sharding() is not None:
            return 0
        return math.prod(-(-n // c) for n, c in zip(shape, chunks, strict=True))

    @property
    def chunk_shape(self) -> tuple[int, ...] | None:
        """Lengths of what is decoded at once: of the inner chunks where the array is sharded."""
        sharding = self._sharding()
        if sharding is None:
            return self.grid_shape
        inner = lengths(sharding.get("chunk_shape"))
        return inner if inner is not None and len(inner) == self.ndim else None

    def _sharding(self) -> dict[str, Any] | None:
        for codec in self.codecs:
            if isinstance(codec, dict) and codec_name(codec) == "sharding_indexed":
                return configuration_of(codec)
        return None

    @property
    def codecs(self) -> list[Any]:
        """The codec chain: of v3 as given; of v2 the filters and the compressor."""
        if self.zarr_format == 2:
            filters = self.metadata.get("filters")
            compressor = self.metadata.get("compressor")
            return [
                *(filters if isinstance(filters, list) else ()),
                *([compressor] if compressor else ()),
            ]
        codecs = self.metadata.get("codecs")
        return codecs if isinstance(codecs, list) else []

    @property
    def fill(self) -> FillValue | None:
        """The value that marks missing data in what is shown, None where there is none.

        That is `nz_fill`, except that on Zarr v2 xarray and netCDF-C move the ``_FillValue`` of their arrays into
        ``fill_value``. It serves where they have named the dimensions and there is no ``_FillValue``; yet zero,
        which every other program writes there as the default, marks nothing, nor does true or false.
        """
        if self._fill is _UNSET:
            if "_FillValue" in self.attributes:
                self._fill = self.decoded("_FillValue")
            elif self._has_moved_fill:
                self._fill = self.storage_fill
            else:
                self._fill = None
        return self._fill

    @property
    def nz_fill(self) -> FillValue | None:
        """The value that marks missing data under NZ: that of the attribute ``_FillValue``, and nothing else."""
        return self.fill if "_FillValue" in self.attributes else None

    @property
    def fill_source(self) -> str | None:
        """The member of the metadata that `fill` is from: ``_FillValue``, on Zarr v2 also ``fill_value``."""
        if self.fill is None:
            return None
        return "_FillValue" if "_FillValue" in self.attributes else "fill_value"

    @property
    def _has_moved_fill(self) -> bool:
        stored = self.storage_fill
        return (
            self.zarr_format == 2
            and stored is not None
            and self.data_type.kind != "bool"
            and not (stored.usable and (is_zero(stored.value) or stored.given == 0))
            and self.metadata.get("fill_value") is not None
            and self.dimension_names is not None
        )

    @property
    def xarray_fill(self) -> FillValue | None:
        """The value that xarray takes for missing, None where there is none.

        On Zarr v2 that is any ``fill_value`` that is not null, whatever ``_FillValue`` says. Dates of NumPy have a
        missing value of their own, and it looks at no other; with structs and raw bytes, which it cannot compare, it fails.
        """
        numpy = self.data_type.numpy
        if numpy is not None and numpy.kind in "mM":
            return None
        if self.zarr_format == 2 and self.metadata.get("fill_value") is not None:
            return None if numpy is not None and numpy.kind == "V" else self.storage_fill
        return self.fill

    @property
    def missing_values(self) -> tuple[FillValue, ...]:
        """The values that CF's ``missing_value``, a number or a list of numbers, marks as missing beside `fill`.

        Notes
        -----
        Source: CF-1.11, 2.5.1 Missing data, valid and actual range of data. NZ knows ``_FillValue`` alone.
        See https://cfconventions.org/Data/cf-conventions/cf-conventions-1.11/cf-conventions.html.
        """
        given = self.attributes.get("missing_value")
        kind = self.data_type.kind
        if given is None or kind not in ("int", "uint", "float"):
            return ()
        numbers = (
            int(one) if kind != "float" and isinstance(one, float) and one.is_integer() else one
            for one in (given if isinstance(given, list) else [given])
            if isinstance(one, int | float) and not isinstance(one, bool)
        )
        decoded = (decode_fill(one, self.data_type) for one in numbers)
        return tuple(one for one in decoded if one.usable)

    def decoded(self, name: str) -> FillValue:
        """Return an attribute as a value of the array's data type, the way ``_FillValue`` is decoded.

        Parameters
        ----------
        name : str
            An attribute that it has.
        """
        value = self.attributes[name]
        return decode_fill(
            value, self.data_type, self._beyond_float64(self.attribute_pointer(name), value)
        )

    def _beyond_float64(self, pointer: str, value: Any) -> str | None:
        """Return how a fill value is spelled that is infinite, though no bare token Infinity; None where it is finite, or the token."""
        infinite = [
            place
            for place, item in (
                [(pointer, value)]
                if not isinstance(value, list)
                else [(f"{pointer}/{i}", item) for i, item in enumerate(value[:2])]
            )
            if type(item) is float and math.isinf(item)
        ]
        for place in infinite:
            document, inside = self.locate(place)
            problems = () if document is None else document.problems
            bare = [problem.pointer for problem in problems if problem.kind == "bare-token"]
            # in long documents the place is not reported
            if document is not None and inside not in bare and "" not in bare:
                # entries of consolidated metadata are decoded at once, or one by one: only then their text would be there
                spelled = document.token(inside) if document.origin == "stored" else None
                return spelled or "a number"
        return None

    @property
    def storage_fill(self) -> FillValue | None:
        """The value of what was never written, None where there is none."""
        if self._storage_fill is _UNSET:
            given = self.metadata.get("fill_value")
            self._storage_fill = (
                None
                if given is None
                else decode_storage_fill(
                    given,
                    self.data_type,
                    self.zarr_format or 3,
                    self._beyond_float64(self.pointer("fill_value"), given),
                )
            )
        return self._storage_fill

    @property
    def size_bytes(self) -> int | None:
        """Decoded size of the whole array in bytes, None where it cannot be known."""
        if self.shape is None or self.data_type.itemsize is None:
            return None
        return math.prod(self.shape) * self.data_type.itemsize

    def dimension_label(self, axis: int) -> str:
        """Return a name for an axis that is unique in the array: its own, that in its image, or ``dim_<axis>``."""
        names = self.dimension_names
        if names is None:
            level = images.image_level(self)
            names = None if level is None else level.names
        name = None if names is None or len(names) > NAMED_DIMENSIONS else names[axis]
        if names is None or not name or names.count(name) > 1:
            return f"dim_{axis}"
        return name


def codec_name(codec: Any) -> str | None:
    """Return the name of a codec, written in full or by its name alone; of v2 its id.

    Parameters
    ----------
    codec : object
        What stands in the list of codecs.
    """
    name = codec.get("name", codec.get("id")) if isinstance(codec, dict) else codec
    return name if isinstance(name, str) else None


def configuration_of(extension: Any) -> dict[str, Any]:
    """Return the settings of a codec, a grid or another extension of Zarr v3, none where it has no object of them.

    Parameters
    ----------
    extension : object
        What stands in the document.
    """
    settings = extension.get("configuration") if isinstance(extension, dict) else None
    return settings if isinstance(settings, dict) else {}


def lengths(given: Any) -> tuple[int, ...] | None:
    """Return a list of lengths as a tuple, None where it is none (2.0 is taken for 2, and true for 1, as readers do)."""
    if not isinstance(given, list):
        return None
    for length in given:
        if not isinstance(length, int) and not (type(length) is float and length.is_integer()):
            return None
        if length < 0:
            return None
    return tuple(int(length) for length in given)
