"""JSON: what holds for the text of every metadata document."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.zarr_versions import in_versions
from nz_explorer.documents import pointers
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, FixMaker
from nz_explorer.engine.fixes import Draft, replace
from nz_explorer.engine.registry import rule
from nz_explorer.model.data_type import parse_v3
from nz_explorer.model.dialects import multiscales, netcdf_json
from nz_explorer.text.file_kinds import START, FileKind, kind_of

if TYPE_CHECKING:
    from nz_explorer.documents import Document, DocumentProblem
    from nz_explorer.model import Node

MOST = 20
"""Failures of one kind reported for one document; the last one has the number of the others."""


def place(node: Node, document: Document, pointer: str = "") -> str:
    """Return a pointer inside a document as reports write it.

    Parameters
    ----------
    node : Node
        The node that the document belongs to.
    document : Document
        One of its documents.
    pointer : str, optional
        RFC 6901 pointer inside the document.
    """
    return f"/{document.name}{pointer}" if node.zarr_format == 2 else pointer


def _fail(node: Node, document: Document, pointer: str, message: str, **more: Any) -> Fail:
    """Return what is wrong with a document.

    The text of Zarr v2 has no .zmetadata: it is kept all the same, and so is NCZarr's, unless netCDF-C is told to read it.
    """
    beside = document.name == ".zmetadata" and "consolidated" not in node.hierarchy.modes
    return Fail(place(node, document, pointer), message, beside=beside, **more)


_NO_SYNTAX = {
    "zarr-python": "raises JSONDecodeError",
    "xarray": "cannot open the group, not only the node",
}
"""What readers do with a text that is not JSON."""
_NO_OBJECT = {
    "zarr-python": "raises MetadataValidationError, TypeError or AttributeError",
    "xarray": "cannot open the group",
}
"""What they do with JSON that is no object."""
_NCZARR_ERROR = "refuses the dataset: NCZarr error"
_INVALID = "cannot open the dataset: invalid argument"
_AS_BYTES = {
    "zarr-python": "raises UnicodeDecodeError",
    "xarray": "cannot open the group, not only the node",
}
"""What readers do with a document that is no text at all."""
_BARE_TOKENS = {
    "zarr-python": "writes and reads the bare tokens in attributes",
    "browsers": "throw SyntaxError in JSON.parse (Unexpected token), so the node is missing",
    "GDAL": "reads the bare tokens",
}
"""What readers do with bare tokens outside of the documents of arrays, the only ones that TensorStore reads."""


_READ_BY_NETCDF = frozenset((".zgroup", ".zarray", ".zattrs"))


def _with_netcdf(
    document: Document, others: Mapping[str, str], does: str
) -> Mapping[str, str] | None:
    """Return what readers do with a document, netCDF-C among them where it refuses it.

    Parameters
    ----------
    document : Document
        The document; only netCDF-C 4.8.0 looks at its own objects, later ones do not.
    others : mapping
        What other readers do.
    does : str
        What netCDF-C does, unless it takes the document for an object.
    """
    if document.name.startswith(".ncz"):
        return {}
    refused = document.name in _READ_BY_NETCDF and not netcdf_json.is_object(document.raw or b"")
    return {**others, "netCDF-C": does} if refused else others


def _of(document: Document, *kinds: str) -> list[DocumentProblem]:
    return [problem for problem in document.problems if problem.kind in kinds]


def _has_problems(_node: Node, document: Document) -> bool:
    return document.error is None and bool(document.problems)


@rule("JSON-001", on="document", when=_has_problems)
def utf8(node: Node, document: Document) -> Iterator[Fail]:
    """Fail on text that is not UTF-8; other rules see it with replacement characters."""
    for problem in _of(document, "utf8"):
        # Python's decoder of JSON tells UTF-16 by its byte order mark, and reads it.
        marked = (document.raw or b"").startswith((b"\xff\xfe", b"\xfe\xff"))
        read = marked or _has_surrogates_only(document.raw or b"")
        if _kind(document) is None:  # else it is no text, which JSON-002 tells
            yield _fail(
                node,
                document,
                "",
                problem.message,
                readers=_with_netcdf(document, {}, _NCZARR_ERROR) if read else None,
                fix=_advise(
                    "write the document again as UTF-8; if it is Latin-1, iconv -f LATIN1 -t UTF-8 does that"
                ),
            )


def _has_surrogates_only(raw: bytes) -> bool:
    """Whether nothing but halves of UTF-16 pairs is wrong: Python's decoder of JSON lets them pass."""
    try:
        raw.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return False
    return True


@rule("JSON-002", on="document", when=_has_problems)
def syntax(node: Node, document: Document) -> Iterator[Fail]:
    """Fail on text that is not JSON: a mistake, an interrupted write, or nothing at all."""
    kind = _kind(document)
    for problem in _of(document, "syntax", "truncated", "empty"):
        if kind is not None:
            yield _fail(
                node,
                document,
                "",
                f"{document.key} is not JSON: it is {kind.name}",
                readers=_with_netcdf(
                    document, _AS_BYTES if _of(document, "utf8") else _NO_SYNTAX, _NCZARR_ERROR
                ),
                fix=_advise(kind.cure),
            )
            return
        excerpt = problem.detail.get("excerpt", "").split("\n")[0].strip()
        near = f", near {json_text(excerpt, 80)}" if excerpt else ""
        yield _fail(
            node,
            document,
            "",
            problem.message + near,
            readers=_with_netcdf(document, _NO_SYNTAX, _NCZARR_ERROR),
            fix=_write_again(problem),
        )


def _kind(document: Document) -> FileKind | None:
    """Return what a document is that is no JSON text."""
    return kind_of((document.raw or b"")[:START])


_BARE = re.compile(
    r":\s*([+-]?0\d+|[+-]?0[xX][\da-fA-F]+|\+\d[\d.]*|[+-]?\.\d+|[+-]?\d+\.|[+-]?(?:nan|inf))(?=\s*[,}\n])"
)
"""What stands for a value and is none in JSON, though C reads a number from it."""


def _write_again(problem: DocumentProblem) -> FixMaker:
    cure = (
        "JSON has no comments, no comma after the last entry, only double quotes, no line break in a text,"
        " and true, false and null in small letters"
    )
    if problem.kind == "truncated":
        cure = "upload the document again: its end is missing"
    elif problem.kind == "empty":
        cure = "write the document again, or delete it if it was never meant to be there"
    elif "Extra data" in problem.message:  # the rest of an older, longer document
        cure = f"delete all from line {problem.line}, column {problem.column} on: the document is whole before it"
    elif (bare := _BARE.search(problem.detail.get("excerpt", ""))) is not None:
        cure = f"put {bare[1]} in double quotes: netCDF-C writes a text that resembles a number without them"
    return _advise(cure)


def _advise(cure: str) -> FixMaker:
    return lambda _node: Draft("suggest", note=cure)


@rule("JSON-003", on="document", when=_has_problems)
def bare_token(node: Node, document: Document) -> Iterator[Fail]:
    """Fail where NaN, Infinity or -Infinity is used as a number."""
    found = _of(document, "bare-token")
    for problem in found[:MOST]:
        token, more = problem.detail["token"], len(found) - MOST
        where = place(node, document, problem.pointer) or document.name
        rest = (
            f" (and {more} more in this document)"
            if more > 0 and problem is found[MOST - 1]
            else ""
        )
        yield _fail(
            node,
            document,
            problem.pointer,
            f"{where}: bare {token} is not JSON; JavaScript and Julia readers reject the whole document{rest}",
            readers=None if _is_of_array(node, document) else _BARE_TOKENS,
            fix=_quote_token(problem.pointer, token, document.name) if problem.pointer else None,
        )


def _is_of_array(node: Node, document: Document) -> bool:
    """Whether a document is the one that makes its node an array, and not its attributes of Zarr v2."""
    from nz_explorer.model import Array

    return isinstance(node, Array) and document.name in (".zarray", "zarr.json")


def _quote_token(pointer: str, token: str, name: str) -> FixMaker:
    def fix(node: Node) -> Draft:
        kind, place_of = _in_array(node, pointer)
        means_the_same = kind in ("float", "complex") and f"{place_of}/".startswith(FILLS)
        base = f"/{name}" if node.zarr_format == 2 else ""
        if not means_the_same and _NUMBERS.search(place_of):
            return Draft("suggest", note=_NO_TEXT.format(token))
        return Draft(
            "safe" if means_the_same else "unsafe",
            (replace(base + pointer, token),),
            None
            if means_the_same
            else "the value becomes a string, which readers may treat differently",
        )

    return fix


_NUMBERS = re.compile(
    r"/\d+$|/(?:scale_factor|add_offset|valid_min|valid_max)$|^(?:/attributes)?/(?:multiscales|proj:projjson)/"
)
"""Places where a text is worse than no value: in a list, most likely one of numbers, and where conventions want a number."""
_NO_TEXT = (
    "write the number that is meant, or leave the attribute out where there is none:"
    ' in quotation marks "{}" is a text, and a number is wanted here'
)
FILLS = ("/fill_value/", "/attributes/_FillValue/", "/_FillValue/")


def _in_array(node: Node, pointer: str) -> tuple[str, str]:
    """Return the kind of data that a place belongs to, also one of a consolidated copy, and its pointer there."""
    from nz_explorer.model import Array

    if isinstance(node, Array):
        return node.data_type.kind, pointer
    parts = pointers.split(pointer)
    if parts[:2] != ["consolidated_metadata", "metadata"] or len(parts) < 4:
        return "", pointer
    entry: Any = node.metadata
    for name in parts[:3]:
        entry = multiscales.member(entry, name)
    return parse_v3(multiscales.member(entry, "data_type")).kind, pointers.join("", *parts[3:])


@rule("JSON-004", on="document", when=_has_problems)
def duplicate_name(node: Node, document: Document) -> Iterator[Fail]:
    """Fail where an object has the same name twice."""
    for problem in _of(document, "duplicate")[:MOST]:
        key, count = problem.detail["key"], problem.detail["count"]
        yield _fail(
            node,
            document,
            problem.pointer,
            f"{problem.pointer or document.name}: {json_text(key)} occurs {count} times; readers differ in which one they keep",
            fix=lambda _node: Draft(
                "suggest", note="keep the intended value and delete the others"
            ),
        )


@rule("JSON-005", on="document", when=_has_problems)
def byte_order_mark(node: Node, document: Document) -> Iterator[Fail]:
    """Fail on text that starts with EF BB BF."""
    for _ in _of(document, "bom"):
        yield _fail(
            node,
            document,
            "",
            f"{document.key.rsplit('/', 1)[-1]} starts with a byte order mark",
            fix=lambda _node: Draft(
                "safe",
                note="write the document again without its first three bytes",
                document=document.key,
                rewrites=True,
            ),
        )


@rule("JSON-006", on="document", when=_has_problems)
def not_object(node: Node, document: Document) -> Iterator[Fail]:
    """Fail where the outermost value is not an object; of .zattrs this is Z2-ATT-001."""
    if document.name != ".zattrs":
        for problem in _of(document, "not-object"):
            yield _fail(
                node,
                document,
                "",
                f"{document.name} contains a JSON {problem.detail['json_type']}, expected an object",
                # of a group below the root netCDF-C opens what is there all the same
                readers=_NO_OBJECT
                if document.name == ".zgroup" and not node.is_root
                else _in_consolidated_mode(node, document)
                or _with_netcdf(document, _NO_OBJECT, _INVALID),
            )


def _in_consolidated_mode(node: Node, document: Document) -> Mapping[str, str] | None:
    """Return what readers do with consolidated metadata of Zarr v2 that netCDF-C, too, is told to use."""
    if document.name != ".zmetadata" or "consolidated" not in node.hierarchy.modes:
        return None
    if netcdf_json.is_object(document.raw or b""):
        return None
    return {**_NO_OBJECT, "netCDF-C": "refuses the dataset: Unknown Error"}


@rule("Z2-ATT-001", on="document", formats=(2,), when=_has_problems, provides="attributes")
def v2_attributes_not_object(node: Node, document: Document) -> Iterator[Fail]:
    """Fail where .zattrs holds something else than an object."""
    if document.name == ".zattrs":
        for problem in _of(document, "not-object"):
            kind = problem.detail["json_type"]
            yield Fail(
                "/.zattrs",
                f".zattrs must be an object, got {kind}",
                readers=_of_attributes(node, kind),
                fix=_attributes_again if kind == "null" else None,
            )


def _attributes_again(node: Node) -> Draft:
    """Return no attributes, or those that the consolidated metadata still have, which the fix would delete from there."""
    consolidated = node.hierarchy.consolidated
    kept = None if consolidated is None else consolidated.entry(node.path, ".zattrs")
    if isinstance(kept, dict) and kept:
        return Draft("suggest", (replace("/.zattrs", kept),), "as the consolidated metadata say")
    return Draft("safe", (replace("/.zattrs", {}),))


_NO_ATTRIBUTES = "cannot list the attributes of the group: invalid argument"


def _of_attributes(node: Node, kind: str) -> dict[str, str] | None:
    """Return what readers do with attributes of Zarr v2 that are no object, where the rule's entry does not say it."""
    if node.kind == "array":
        return None
    # it opens the rest of a dataset with such a group, of which ncdump asks for the attributes
    netcdf = {"netCDF-C": _INVALID if node.is_root else _NO_ATTRIBUTES}
    if kind == "null":  # to zarr-python before 3.3 as if they were not there
        return in_versions("since 3.3", "raises TypeError: Expected a JSON object") | netcdf
    return {"zarr-python": "raises TypeError", "xarray": "cannot open the group", **netcdf}


@rule("JSON-007", on="document", when=_has_problems)
def limits(node: Node, document: Document) -> Iterator[Fail]:
    """Note a document that is larger or deeper than what is read."""
    for problem in _of(document, "limit"):
        yield _fail(node, document, "", problem.message)


EXACT = 2**53 - 1


@rule("JSON-008", on="node")
def exact_members(node: Node) -> Iterator[Fail]:
    """Note integers that JavaScript rounds. Integers in copies of other documents are reported for the originals."""
    for member, value in node.metadata.items():
        if member not in ("attributes", "consolidated_metadata"):
            yield from _inexact(value, node.pointer(member))


@rule("JSON-008", on="node")
def exact_attributes(node: Node) -> Iterator[Fail]:
    """Note such integers in attributes, too."""
    for name, value in node.odd_attributes:
        yield from _inexact(value, node.attribute_pointer(name))


def _inexact(value: Any, pointer: str) -> Iterator[Fail]:
    for place_of, number in islice(_long_integers(value, pointer), MOST):
        yield Fail(
            place_of,
            f"{place_of}: {json_text(number)} is rounded by readers written in JavaScript",
        )


def _is_float64(value: int) -> bool:
    """Whether a float64 is the number itself, such as a power of two."""
    try:
        return int(float(value)) == value
    except OverflowError:
        return False


def _long_integers(value: Any, pointer: str) -> Iterator[tuple[str, int]]:
    if type(value) is int:
        if not -EXACT <= value <= EXACT and not _is_float64(value):
            yield pointer, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _long_integers(item, pointers.join(pointer, key))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from _long_integers(item, f"{pointer}/{i}")
