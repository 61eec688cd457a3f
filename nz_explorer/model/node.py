"""Groups and arrays, as their documents describe them – also where the documents are wrong."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeGuard

from nz_explorer.model import nczarr, paths, pointers
from nz_explorer.model.data_type import DataType, parse_v2, parse_v3
from nz_explorer.model.document import Document, DocumentProblem
from nz_explorer.model.fill import FillValue, decode_fill, decode_storage_fill
from nz_explorer.store import ReadError

if TYPE_CHECKING:
    from nz_explorer.model.hierarchy import Hierarchy

Kind = Literal["group", "array", "unknown"]
State = Literal["ok", "missing", "malformed", "unreadable"]
ZarrFormat = Literal[2, 3]
NamesSource = Literal["dimension_names", "_ARRAY_DIMENSIONS", "nczarr"]

MAIN_DOCUMENTS = ("zarr.json", ".zarray", ".zgroup")
"""The documents that make a path a node, the one that counts first."""

SIDE_DOCUMENTS = frozenset(name for names in nczarr.SIDE_NAMES.values() for name in names)
"""Documents that netCDF-C 4.8.0 wrote beside those of Zarr."""

MODELS = 10_000
"""Nodes whose outlines are remembered, so that others are made like them; most stores have a few."""

OBJECT_CODECS = ("vlen-utf8", "vlen-bytes", "json2", "json", "msgpack2", "pickle")


class _Unset:
    """Marks a member that has not been looked at."""


_UNSET: Any = _Unset()


class Node:
    """A path of the hierarchy that has metadata documents, or at which some were expected.

    Attributes
    ----------
    path : str
        Absolute path, ``/`` for the root.
    kind : str
        ``group``, ``array``, or ``unknown`` where the documents do not say.
    state : str
        ``ok``; ``missing``: there is no document though there are nodes below;
        ``malformed``: the document cannot be understood; ``unreadable``: the store failed.
    problem : str or None
        What is wrong, in a sentence.
    zarr_format : int or None
        2 or 3, by the documents that were found.
    documents : tuple of Document
        All that were found, the one that counts first.
    outline : bytes or None
        Equal for nodes whose documents differ in nothing but attributes; None where that is not known.
    text : bytes or None
        The same object for nodes whose documents are equal to the letter; None where that is not known.
    """

    __slots__ = (
        "_main",
        "documents",
        "hierarchy",
        "outline",
        "path",
        "problem",
        "state",
        "text",
        "zarr_format",
    )
    kind: ClassVar[Kind] = "unknown"

    def __init__(
        self,
        hierarchy: Hierarchy,
        path: str,
        documents: tuple[Document, ...],
        *,
        state: State = "ok",
        problem: str | None = None,
    ) -> None:
        self.hierarchy = hierarchy
        self.path = path
        self.documents = documents
        self.state = state
        self.problem = problem
        self.outline: bytes | None = None
        self.text: bytes | None = None
        main = documents[0] if documents else None
        self._main = main if main is not None and main.name in MAIN_DOCUMENTS else None
        self.zarr_format: ZarrFormat | None = (
            None if self._main is None else 3 if self._main.name == "zarr.json" else 2
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.path} {self.state}>"

    @property
    def name(self) -> str:
        """The last part of the path, empty for the root."""
        return self.path.rpartition("/")[2]

    @property
    def parent(self) -> str | None:
        """The path of the group above, None for the root."""
        return None if self.path == "/" else paths.above(self.path)

    @property
    def main_document(self) -> Document | None:
        """The document that makes it a node: ``zarr.json``, ``.zarray`` or ``.zgroup``."""
        return self._main

    def document(self, name: str) -> Document | None:
        """Return a document by name, None where there is none."""
        return next((document for document in self.documents if document.name == name), None)

    @property
    def metadata(self) -> dict[str, Any]:
        """The decoded main document, empty where it is unusable."""
        value = None if self._main is None else self._main.value
        return value if isinstance(value, dict) else {}

    @property
    def attributes_document(self) -> Document | None:
        """The document that holds the attributes."""
        return self._main if self.zarr_format == 3 else self.document(".zattrs")

    @property
    def attributes(self) -> dict[str, Any]:
        """The user's attributes, empty where there are none or they are no object."""
        if self.zarr_format == 3:
            value = self.metadata.get("attributes")
        else:
            document = self.document(".zattrs")
            value = None if document is None else document.value
        return value if isinstance(value, dict) else {}

    def pointer(self, *members: str | int) -> str:
        """Return the pointer to a member of the main document, as reports write it."""
        base = "" if self.zarr_format != 2 or self._main is None else f"/{self._main.name}"
        return pointers.join(base, *members)

    def attribute_pointer(self, *members: str | int) -> str:
        """Return the pointer to an attribute, as reports write it."""
        return pointers.join("/.zattrs" if self.zarr_format == 2 else "/attributes", *members)

    def locate(self, pointer: str) -> tuple[Document | None, str]:
        """Return the document that a report's pointer speaks of, and the pointer inside it."""
        if self.zarr_format == 2:
            name, _, rest = pointer.removeprefix("/").partition("/")
            if (document := self.document(name)) is not None:
                return document, f"/{rest}" if rest else ""
        return self._main, pointer

    def like(self, path: str, document: Document) -> Self:
        """Return the node of another document with the same outline."""
        # Member by member, which is faster than through three constructors.
        twin = type(self).__new__(type(self))
        twin.hierarchy = self.hierarchy
        twin.path = path
        twin.documents = (document,)
        twin.state = self.state
        twin.problem = self.problem
        twin.outline = self.outline
        twin.text = None
        twin.zarr_format = self.zarr_format
        twin._main = document  # noqa: SLF001  # of the same class
        return twin

    def moved_to(self, hierarchy: Hierarchy) -> Self:
        """Return the same node in a copy of its hierarchy."""
        twin = copy.copy(self)
        twin.hierarchy = hierarchy
        return twin

    def release(self) -> None:
        """Forget decoded documents; they are decoded again when asked for."""
        for document in self.documents:
            document.release()


class Group(Node):
    """A group.

    Attributes
    ----------
    child_names : tuple of str or None
        Names of the nodes in it, None before it was listed.
    listing_problem : str or None
        Why its nodes could not (all) be found.
    unlisted : bool
        Whether that is a failure: there may be nodes that were not seen.
    known_children : tuple or None
        The names, and the nodes of these names once someone has asked for them.
    other_names : tuple of str
        Names that the store lists in it and that are no nodes: documents, and what does not belong there.
    """

    __slots__ = ("child_names", "known_children", "listing_problem", "other_names", "unlisted")
    kind = "group"

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
        self.child_names: tuple[str, ...] | None = None
        self.known_children: tuple[tuple[str, ...], list[Node]] | None = None
        self.listing_problem: str | None = None
        self.unlisted = False
        self.other_names: tuple[str, ...] = ()

    def like(self, path: str, document: Document) -> Self:
        """Return the group of another document with the same outline."""
        twin = super().like(path, document)
        twin.child_names = twin.known_children = twin.listing_problem = None
        twin.unlisted = False
        twin.other_names = ()
        return twin

    def moved_to(self, hierarchy: Hierarchy) -> Self:
        """Return the same group in a copy of its hierarchy."""
        twin = super().moved_to(hierarchy)
        twin.known_children = None
        return twin

    @property
    def children(self) -> list[Node] | None:
        """The nodes directly in it, None before it was listed."""
        return self.hierarchy.loaded_children(self)

    @property
    def arrays(self) -> list[Array]:
        """The arrays directly in it, as far as they are loaded."""
        return [child for child in self.children or () if isinstance(child, Array)]

    @property
    def groups(self) -> list[Group]:
        """The groups directly in it, as far as they are loaded."""
        return [child for child in self.children or () if isinstance(child, Group)]


class Array(Node):
    """An array; what its document leaves unclear is None."""

    __slots__ = ("_data_type", "_dimension_names", "_fill", "_shape", "_storage_fill")
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
        self._shape: tuple[int, ...] | None = _UNSET
        self._data_type: DataType = _UNSET
        self._dimension_names: tuple[tuple[str | None, ...] | None, NamesSource | None] = _UNSET
        self._fill: FillValue | None = _UNSET
        self._storage_fill: FillValue | None = _UNSET

    def settle(self) -> None:
        """Find out all that does not depend on attributes, which nodes made like this one then share."""
        self._shape = lengths(self.metadata.get("shape"))
        self._data_type = parse_v3(self.metadata.get("data_type"))
        self._dimension_names = self._find_names()

    def like(self, path: str, document: Document) -> Self:
        """Return the array of another document with the same outline."""
        twin = super().like(path, document)
        twin._shape = self._shape  # noqa: SLF001
        twin._data_type = self._data_type  # noqa: SLF001
        twin._dimension_names = self._dimension_names  # noqa: SLF001
        twin._fill = twin._storage_fill = _UNSET  # noqa: SLF001
        return twin

    @property
    def shape(self) -> tuple[int, ...] | None:
        """Lengths of its dimensions, None where the document gives none that can be used.

        A scalar of netCDF-C, which stores it with shape ``[1]``, has none.
        """
        if self._shape is _UNSET:
            self._shape = self.stored_shape
            if self.zarr_format == 2 and self._shape == (1,) and nczarr.is_scalar(self):
                self._shape = ()
        return self._shape

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
        """Its data type, of kind ``unknown`` where it cannot be told."""
        if self._data_type is _UNSET:
            self._data_type = (
                parse_v2(nczarr.stored_dtype(self.metadata), self._object_codec())
                if self.zarr_format == 2
                else parse_v3(self.metadata.get("data_type"))
            )
        return self._data_type

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
        found = self._dimension_names
        return (self._names() if found is _UNSET else found)[0]

    @property
    def dimension_names_source(self) -> NamesSource | None:
        """Where the names come from."""
        return self._names()[1]

    def _names(self) -> tuple[tuple[str | None, ...] | None, NamesSource | None]:
        if self._dimension_names is _UNSET:
            self._dimension_names = self._find_names()
        return self._dimension_names

    def _find_names(self) -> tuple[tuple[str | None, ...] | None, NamesSource | None]:
        if self.zarr_format == 3:
            names = self.metadata.get("dimension_names")
            return (
                (tuple(names), "dimension_names")
                if self._fits(names, (str, type(None)))
                else (None, None)
            )
        names = self.attributes.get("_ARRAY_DIMENSIONS")
        if self._fits(names, (str,)):
            return tuple(names), "_ARRAY_DIMENSIONS"
        references = self.dimension_references
        if references is not None:
            return tuple(reference.rsplit("/", 1)[-1] for reference in references), "nczarr"
        return None, None

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
        if self.zarr_format == 2:
            found = lengths(self.metadata.get("chunks"))
            if found == (1,) and self.shape == ():
                return ()  # a scalar of netCDF-C: its only chunk has the same key either way
        else:
            grid = self.metadata.get("chunk_grid")
            configuration = grid.get("configuration") if isinstance(grid, dict) else None
            given = configuration.get("chunk_shape") if isinstance(configuration, dict) else None
            found = lengths(given)
        return found if found is not None and len(found) == self.ndim else None

    @property
    def shard_shape(self) -> tuple[int, ...] | None:
        """Lengths of a shard, None where the array is not sharded."""
        return self.grid_shape if self._sharding() is not None else None

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
            if isinstance(codec, dict) and codec.get("name") == "sharding_indexed":
                configuration = codec.get("configuration")
                return configuration if isinstance(configuration, dict) else {}
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
        """The value that marks missing data under NZ, None where there is none.

        On Zarr v2 a ``fill_value`` that is not null serves where there is no ``_FillValue``, as
        xarray writes it.
        """
        if self._fill is _UNSET:
            attributes = self.attributes
            if "_FillValue" in attributes:
                self._fill = decode_fill(attributes["_FillValue"], self.data_type)
            elif self.zarr_format == 2 and self.metadata.get("fill_value") is not None:
                self._fill = self.storage_fill
            else:
                self._fill = None
        return self._fill

    @property
    def storage_fill(self) -> FillValue | None:
        """The value of what was never written, None where there is none."""
        if self._storage_fill is _UNSET:
            given = self.metadata.get("fill_value")
            self._storage_fill = (
                None
                if given is None
                else decode_storage_fill(given, self.data_type, self.zarr_format or 3)
            )
        return self._storage_fill

    @property
    def size_bytes(self) -> int | None:
        """Decoded size of the whole array in bytes, None where it cannot be known."""
        if self.shape is None or self.data_type.itemsize is None:
            return None
        return math.prod(self.shape) * self.data_type.itemsize

    def dimension_label(self, axis: int) -> str:
        """Return a name for an axis that is unique in the array: its own, or ``dim_<axis>``."""
        names = self.dimension_names
        name = None if names is None else names[axis]
        if names is None or not name or names.count(name) > 1:
            return f"dim_{axis}"
        return name


def lengths(given: Any) -> tuple[int, ...] | None:
    """Return a list of lengths as a tuple, None where it is none (2.0 is taken for 2)."""
    if not isinstance(given, list):
        return None
    for length in given:
        if type(length) is not int and not (type(length) is float and length.is_integer()):
            return None
        if length < 0:
            return None
    return tuple(int(length) for length in given)


def build_node(hierarchy: Hierarchy, path: str, documents: Iterable[Document]) -> Node | None:
    """Make the node that some documents describe.

    Parameters
    ----------
    hierarchy : Hierarchy
        Where it belongs.
    path : str
        Its absolute path.
    documents : iterable of Document
        What was found there; those that are absent have neither bytes nor error.

    Returns
    -------
    Node or None
        None where there is no document that makes a node.
    """
    found = tuple([d for d in documents if d.error is not None or d.has_bytes])
    if len(found) == 1 and found[0].name == "zarr.json":
        return _node_of_outline(hierarchy, path, found[0])
    return _node_of_documents(hierarchy, path, found)


def _node_of_outline(hierarchy: Hierarchy, path: str, document: Document) -> Node | None:
    """Make a node like another one whose document says the same, apart from the attributes."""
    text = document.raw
    if text is not None and (same := hierarchy.texts.get(text)) is not None:
        document.says_what(same.documents[0])
        node = same.like(path, document)
        node.text = same.text
        return node
    outline = document.outline
    if outline is None:
        return _node_of_documents(hierarchy, path, (document,))
    model = hierarchy.models.get(outline)
    if model is not None:
        made: Node | None = model.like(path, document)
    else:
        made = _node_of_documents(hierarchy, path, (document,))
        if made is not None and len(hierarchy.models) < MODELS:
            made.outline = outline
            if isinstance(made, Array):
                made.settle()
            hierarchy.models[outline] = made
    if made is not None and text is not None and len(hierarchy.texts) < MODELS:
        made.text = text
        hierarchy.texts[text] = made
    return made


def _node_of_documents(hierarchy: Hierarchy, path: str, found: tuple[Document, ...]) -> Node | None:
    main = next((d for name in MAIN_DOCUMENTS for d in found if d.name == name), None)
    if main is None:
        return None
    ordered = (main, *(d for d in found if d is not main))
    if main.error is not None:
        return Node(hierarchy, path, ordered, state="unreadable", problem=str(main.error))
    value = main.value
    if not isinstance(value, dict):
        return Node(hierarchy, path, ordered, state="malformed", problem=_why(main.problems, main))
    if main.name != "zarr.json":
        make = Array if main.name == ".zarray" else Group
        required: tuple[str, ...] = ("shape", "dtype") if make is Array else ()
    else:
        node_type = value.get("node_type")
        looks_like_array = "shape" in value or "data_type" in value or "chunk_grid" in value
        make = (
            Array if node_type == "array" or (node_type != "group" and looks_like_array) else Group
        )
        required = ("shape", "data_type", "codecs") if make is Array else ()
        if node_type not in ("array", "group"):
            given = "is missing" if node_type is None else f"is {node_type!r}"
            return make(
                hierarchy,
                path,
                ordered,
                state="malformed",
                problem=f"node_type {given}; taken for {_article(make)}",
            )
    lacking = [member for member in required if member not in value]
    if lacking:
        return make(
            hierarchy,
            path,
            ordered,
            state="malformed",
            problem=f"its metadata lacks {', '.join(lacking)}",
        )
    if make is Array and lengths(value.get("shape")) is None:
        return make(
            hierarchy,
            path,
            ordered,
            state="malformed",
            problem="shape is not a list of non-negative integers",
        )
    for document in ordered[1:]:
        if document.name in SIDE_DOCUMENTS:
            continue  # what netCDF-C noted beside it takes nothing from the array
        if isinstance(document.error, ReadError):
            return make(hierarchy, path, ordered, state="unreadable", problem=str(document.error))
        if document.name == ".zattrs" and not document.ok:
            return make(
                hierarchy,
                path,
                ordered,
                state="malformed",
                problem=_why(document.problems, document),
            )
    return make(hierarchy, path, ordered)


def _article(make: type[Node]) -> str:
    return "an array" if make is Array else "a group"


def _why(problems: tuple[DocumentProblem, ...], document: Document) -> str:
    for problem in problems:
        if problem.kind in ("syntax", "truncated", "empty", "limit", "not-object"):
            return problem.message
    return problems[0].message if problems else f"{document.key} cannot be understood"
