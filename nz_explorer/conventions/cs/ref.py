"""REF: references in attributes called ``ref``."""

from __future__ import annotations

from collections.abc import Mapping

from nz_explorer.conventions.cs.references import _reference
from nz_explorer.conventions.zcf import known_conventions
from nz_explorer.conventions.zcf.declarations import declared_here
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, RuleOutput
from nz_explorer.engine.registry import rule
from nz_explorer.model import Node
from nz_explorer.model.dialects.ref import is_reference, resolve


@rule(
    "REF-001",
    "REF-002",
    "REF-003",
    "REF-004",
    "REF-005",
    on="node",
    formats=(3,),
    needs=("attributes",),
    when=lambda node: "ref" in node.attributes,
)
def reference(node: Node) -> RuleOutput:
    """Judge a reference that is an attribute of a node."""
    given, at = node.attributes["ref"], node.attribute_pointer("ref")
    declared = known_conventions.REF in declared_here(node)
    if isinstance(given, Mapping) and (declared or is_reference(given)):
        yield from _reference(node, resolve(given, node, in_cs=False), at, in_cs=False)
    elif declared:
        yield Fail(at, f"reference: it must be an object, got {json_text(given)}", rule="REF-001")
