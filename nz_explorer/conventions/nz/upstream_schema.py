"""NZ: where the schema that the convention publishes and its text disagree about a node.

What ``schema.json`` of zarr-conventions/nz at b4c2c21 asks for, written down; it is never what a node is
judged by: where schema and text disagree, the text governs.
https://github.com/zarr-conventions/nz/blob/b4c2c21/schema.json
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.nz.identifier import declares_nz
from nz_explorer.conventions.zcf.known_conventions import NZ_ENTRY
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Group
from nz_explorer.model.data_type import parse_v3

if TYPE_CHECKING:
    from nz_explorer.model import Node

ANNOTATIONS = "_nczarr_attr"
"""The attribute that the schema knows beside those of the text."""
IDENTIFIERS = ("schema_url", "spec_url", "uuid")


@rule("NZ-SCHEMA-001", on="node", formats=(3,))
def schema_agrees(node: Node) -> Iterator[Fail]:
    """Note nodes that the schema accepts and the text does not, or the other way round."""
    if not isinstance(node, Array | Group):
        return
    by_schema, by_text = _schema_error(node), _text_error(node)
    if (by_schema is None) == (by_text is None):
        return
    schema, text = ("accepts", "rejects") if by_schema is None else ("rejects", "accepts")
    yield Fail(
        "",
        f"upstream schema.json {schema} this node, the text of the convention {text} it: {by_schema or by_text}",
    )


def _schema_error(node: Array | Group) -> str | None:
    """Return the first thing that the schema has against a node."""
    if (format_error := _format_error(node.metadata, exact=False)) is not None:
        return format_error
    attributes = node.metadata.get("attributes")
    if not isinstance(attributes, dict):
        return "attributes is required"
    declared = attributes.get("zarr_conventions")
    if not isinstance(declared, list):
        return "zarr_conventions is required on every node"
    if not any(_is_entry(entry) for entry in declared):
        return "zarr_conventions has no entry for NZ as the schema spells it"
    if isinstance(node, Group):
        given = attributes.get("conventions")
        if not isinstance(given, str):
            return "conventions is required on every group"
        # The pattern is not anchored, and letters have to be capitals.
        if "NZ-1.0" not in given:
            return "conventions does not match NZ-1\\.0"
    elif (array_error := _array_error(node.metadata)) is not None:
        return array_error
    return _annotation_error(attributes.get(ANNOTATIONS, {"types": {}}))


def _format_error(metadata: dict[str, Any], *, exact: bool) -> str | None:
    """Return what is wrong with the members that every document has; to JSON Schema 3.0 is 3."""
    given = metadata.get("zarr_format")
    if isinstance(given, bool) or given != 3 or (exact and type(given) is not int):
        return "zarr_format must be 3"
    if metadata.get("node_type") not in ("array", "group"):
        return "node_type must be array or group"
    return None


def _annotation_error(given: Any) -> str | None:
    """Return what the schema has against the types of attributes, of which the text says nothing."""
    if not isinstance(given, dict) or set(given) != {"types"}:
        return f"{ANNOTATIONS} must be an object with types and nothing else"
    types = given["types"]
    if not isinstance(types, dict) or not all(map(_is_core_name, types.values())):
        return f"types of {ANNOTATIONS} must be names of data types of NZ"
    return None


def _is_core_name(value: Any) -> bool:
    return isinstance(value, str) and parse_v3(value).nz


def _is_entry(entry: Any) -> bool:
    return (
        isinstance(entry, dict)
        and set(entry) <= set(NZ_ENTRY)
        and any(member in entry for member in IDENTIFIERS)
        and all(
            entry[member] == NZ_ENTRY[member]
            for member in (*IDENTIFIERS, "name")
            if member in entry
        )
        and isinstance(entry.get("description", ""), str)
    )


def _is_length(value: Any) -> bool:
    """Whether JSON Schema takes a value for an integer that is not negative: 2.0 is one."""
    if type(value) is float:
        return value.is_integer() and value >= 0
    return type(value) is int and value >= 0


def _array_error(metadata: dict[str, Any]) -> str | None:
    names, shape = metadata.get("dimension_names"), metadata.get("shape")
    if not isinstance(names, list) or not all(isinstance(name, str) and name for name in names):
        return "dimension_names must be a list of names"
    if not isinstance(shape, list) or not all(map(_is_length, shape)):
        return "shape must be a list of integers"
    return None if isinstance(metadata.get("data_type", ""), str) else "data_type must be a string"


def _text_error(node: Array | Group) -> str | None:
    """Return the first thing that the text, or Zarr v3 below it, has against what the schema speaks of."""
    if (format_error := _format_error(node.metadata, exact=True)) is not None:
        return format_error
    if isinstance(node, Group):
        if node.is_root and not declares_nz(node.attributes):
            return "the root does not declare NZ-1.0"
        return None
    names, shape = node.metadata.get("dimension_names"), node.metadata.get("shape")
    if not isinstance(shape, list) or not all(type(n) is int and n >= 0 for n in shape):
        return "shape must be a list of integers"
    if not isinstance(names, list) or not all(isinstance(name, str) and name for name in names):
        return "every dimension needs a name"
    return None if len(names) == len(shape) else "there must be one name for each dimension"
