"""What a verdict depends on, as keys: stores repeat themselves, and so need not be judged node by node.

Ten thousand arrays rarely have more than a few shapes, codec chains or sets of attribute names, even
where no two documents are equal.
"""

from __future__ import annotations

import itertools
import marshal
import math
from collections.abc import Callable, Hashable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from nz_explorer.model import Array, nczarr
from nz_explorer.model.roles import CF_REFERENCES
from nz_explorer.rules.known_conventions import FRAMEWORK

if TYPE_CHECKING:
    from nz_explorer.model import Node

Reads = Literal[
    "problems",
    "text",
    "members",
    "fill",
    "rare",
    "attribute names",
    "attribute values",
    "attributes",
]
OF_DOCUMENTS: tuple[Reads, ...] = ("problems", "text")
ORDER: tuple[Reads, ...] = (
    "members",
    "fill",
    "rare",
    "attribute names",
    "attribute values",
    "attributes",
)
"""Parts of a node's documents; facts that others need are established by rules on ``members``."""

PACKING = ("scale_factor", "add_offset")
"""Attributes that say how values are packed."""
DECLARATIONS = ("conventions", "Conventions")

UNSHARED = frozenset(("cs", "crs", "ref", "_CRS"))
"""Attributes that refer to other nodes, or are so rare that sharing a verdict saves nothing."""

_PLAIN = (str, float, bool)
_EXACT = 2**53
_RARE = UNSHARED | frozenset(
    (*PACKING, *DECLARATIONS, *CF_REFERENCES, *FRAMEWORK, "zarr_conventions", "_ARRAY_DIMENSIONS")
)
_NOT_MEMBERS = frozenset({"attributes", "consolidated_metadata"})
_NAMES_IN_ATTRIBUTES = ("_ARRAY_DIMENSIONS", *nczarr.KEYS["array"])


_NUMBERS = itertools.count()


def _text(value: Any) -> bytes:
    # Faster than any JSON encoder, tells 1 from 1.0 and true, and NaN from null. Version 2 writes equal
    # values to equal bytes; later ones do not, because they write references to shared objects.
    try:
        return marshal.dumps(value, 2)
    except ValueError:  # nested deeper than it goes, which depends on Python: like nothing else
        return b"!%d" % next(_NUMBERS)


def _members(node: Node) -> Hashable:
    """Everything but the attributes, and in v2 the attributes that stand for members."""
    if node.outline is not None:
        return node.outline
    metadata = node.metadata
    members = {key: value for key, value in metadata.items() if key not in _NOT_MEMBERS}
    if node.zarr_format == 2:
        attributes = node.attributes
        names = [attributes[key] for key in _NAMES_IN_ATTRIBUTES if key in attributes]
        side = [document.raw for document in node.documents if document.name.startswith(".ncz")]
        others = [key for key in metadata if key in _NOT_MEMBERS]
        given = [key in attributes for key in _NAMES_IN_ATTRIBUTES]
        return _text((members, others, node.documents[0].origin, names, given, side))
    others = [key for key in metadata if key in _NOT_MEMBERS]
    return _text((members, others, type(metadata.get("attributes")).__name__))


def _consolidated(node: Node) -> Hashable:
    """Return the shape of what a node holds of others, without the entries."""
    if "consolidated_metadata" not in node.metadata:
        return ()
    held = node.metadata["consolidated_metadata"]
    if not isinstance(held, Mapping):
        return _text((node.path == "/", held))
    entries = held.get("metadata")
    kind = bool(entries) if isinstance(entries, Mapping) else _text(entries)
    others = {key: value for key, value in held.items() if key != "metadata"}
    return (node.path == "/", "metadata" in held, kind, _text(others))


def _fill(node: Node) -> Hashable:
    attributes = node.attributes
    if "_FillValue" not in attributes:
        return ()
    metadata = node.metadata
    if attributes["_FillValue"] in (math.inf, -math.inf):
        return None  # a bare token, or a number too large: only the text tells
    return _text(
        (
            attributes["_FillValue"],
            attributes.get("missing_value"),
            metadata.get("data_type"),
            metadata.get("dtype"),
            metadata.get("fill_value"),
            # Whether it is named like its dimension, which is all that the name matters for.
            isinstance(node, Array) and node.dimension_names == (node.name,),
        )
    )


def _packing(node: Node) -> Hashable:
    attributes, metadata = node.attributes, node.metadata
    packed = [name for name in PACKING if name in attributes]
    return _text((packed, "_FillValue" in attributes, metadata.get("codecs"))) if packed else ()


def _references(node: Node) -> Hashable:
    """Attributes that refer to arrays by names with a dot or a dash."""
    attributes = node.attributes
    found = [
        (key, value)
        for key in CF_REFERENCES
        if isinstance(value := attributes.get(key), str) and ("." in value or "-" in value)
    ]
    return tuple(found)


def _declaration(node: Node) -> Hashable:
    attributes = node.attributes
    found = [(key, attributes[key]) for key in DECLARATIONS if key in attributes]
    return (node.path == "/", _text(found)) if found else ()


def _conventions(node: Node) -> Hashable:
    """Return what it declares in zarr_conventions, and what is there to be declared."""
    attributes = node.attributes
    declared = attributes.get("zarr_conventions", ())
    prefixed = {name: value for name, value in attributes.items() if name in FRAMEWORK}
    if declared == () and not prefixed:
        return ()
    ome = "ome" in attributes  # which has a multiscales of its own
    return _text((node.kind, declared, prefixed, ome, node.metadata.get("shape"), node.path == "/"))


def _rare(node: Node) -> Hashable:
    """Return what only few nodes have, so that most of them are told apart from those by one look."""
    attributes = node.attributes
    if _RARE.isdisjoint(attributes) and "consolidated_metadata" not in node.metadata:
        return ()
    if not UNSHARED.isdisjoint(attributes):
        return None
    old = attributes.get("_ARRAY_DIMENSIONS")
    return (
        _consolidated(node),
        _packing(node),
        _references(node),
        _declaration(node),
        _conventions(node),
        "_ARRAY_DIMENSIONS" in attributes
        and _text((old, node.metadata.get("dimension_names"), node.metadata.get("shape"))),
    )


def _attribute_names(node: Node) -> Hashable:
    return _names_of(node.attributes)


def _names_of(attributes: dict[str, Any]) -> Hashable:
    declared = attributes.get("zarr_conventions")
    return tuple(attributes) if declared is None else (tuple(attributes), _text(declared))


def _attribute_values(node: Node) -> Hashable:
    """Attributes that are no plain text or number; most nodes of a store have few, and the same."""
    return _odd_of(node.attributes)


def _odd_of(attributes: dict[str, Any]) -> Hashable:
    odd = [
        (name, value)
        for name, value in attributes.items()
        if type(value) not in _PLAIN and not (type(value) is int and -_EXACT < value < _EXACT)
    ]
    return _text(odd) if odd else ()


def _problems(node: Node) -> Hashable:
    """Names of the documents, if nothing is wrong with the text of any of them."""
    for document in node.documents:
        if document.error is not None or document.problems:
            return None
    return tuple([document.name for document in node.documents])


KEYS: dict[Reads, Callable[[Node], Hashable]] = {
    "problems": _problems,
    "members": _members,
    "fill": _fill,
    "rare": _rare,
    "attribute names": _attribute_names,
    "attribute values": _attribute_values,
}
"""Makes the key of each part, None where the verdict is not to be shared.

Rules on the whole ``text``, or on all ``attributes``, are run for each node.
"""


def whole(node: Node) -> Hashable:
    """Return all of these keys as one, for nodes that are described by one document without problems."""
    outline, attributes = node.outline, node.attributes
    if outline is None or not attributes:
        return outline
    rare = () if _RARE.isdisjoint(attributes) else _rare(node)
    if rare is None:
        return None
    return (
        outline,
        _names_of(attributes),
        _odd_of(attributes),
        _fill(node) if "_FillValue" in attributes else (),
        rare,
    )
