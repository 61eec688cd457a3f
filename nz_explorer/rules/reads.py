"""What a verdict depends on, as keys: stores repeat themselves, and so need not be judged node by node.

Ten thousand arrays rarely have more than a few shapes, codec chains or sets of attribute names, even
where no two documents are equal.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from nz_explorer.model import Node

Reads = Literal[
    "problems", "text", "members", "fill", "attribute names", "attribute lists", "attributes"
]
OF_DOCUMENTS: tuple[Reads, ...] = ("problems", "text")
ORDER: tuple[Reads, ...] = ("members", "fill", "attribute names", "attribute lists", "attributes")
"""Parts of a node's documents; facts that others need are established by rules on ``members``."""

_NOT_MEMBERS = frozenset({"attributes", "consolidated_metadata"})
_NAMES_IN_ATTRIBUTES = ("_ARRAY_DIMENSIONS", "_nczarr_array", "_NCZARR_ARRAY", "_nczarr_var")


def _text(value: Any) -> bytes:
    # Faster than any JSON encoder, tells 1 from 1.0 and true, and NaN from null. Version 2 writes equal
    # values to equal bytes; later ones do not, because they write references to shared objects.
    return marshal.dumps(value, 2)


def _members(node: Node) -> Hashable:
    """Everything but the attributes, and in v2 the attributes that stand for members."""
    metadata = node.metadata
    members = {key: value for key, value in metadata.items() if key not in _NOT_MEMBERS}
    if node.zarr_format == 2:
        attributes = node.attributes
        names = [attributes[key] for key in _NAMES_IN_ATTRIBUTES if key in attributes]
        side = [document.raw for document in node.documents if document.name.startswith(".ncz")]
        return _text((members, names, [key in attributes for key in _NAMES_IN_ATTRIBUTES], side))
    others = [key for key in metadata if key in _NOT_MEMBERS]
    return _text((members, others, type(metadata.get("attributes")).__name__))


def _fill(node: Node) -> Hashable:
    attributes, metadata = node.attributes, node.metadata
    if "_FillValue" not in attributes:
        return ()
    return _text((attributes["_FillValue"], metadata.get("data_type"), metadata.get("dtype")))


def _attribute_names(node: Node) -> Hashable:
    attributes = node.attributes
    declared = attributes.get("zarr_conventions")
    return tuple(attributes) if declared is None else (tuple(attributes), _text(declared))


def _attribute_lists(node: Node) -> Hashable:
    return _text([(name, value) for name, value in node.attributes.items() if type(value) is list])


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
    "attribute names": _attribute_names,
    "attribute lists": _attribute_lists,
}
"""Makes the key of each part, None where the verdict is not to be shared.

Rules on the whole ``text``, or on all ``attributes``, are run for each node.
"""
