"""REF: references in attributes called ``ref``."""

from __future__ import annotations

from collections.abc import Mapping

from nz_explorer.conventions.cs.references import _reference
from nz_explorer.conventions.zcf import known_conventions
from nz_explorer.conventions.zcf.declarations import declared_here
from nz_explorer.engine.findings import RuleOutput
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
    when=lambda node: isinstance(node.attributes.get("ref"), Mapping),
)
def reference(node: Node) -> RuleOutput:
    """Judge a reference that is an attribute of a node."""
    if known_conventions.REF in declared_here(node) or is_reference(node.attributes["ref"]):
        found = resolve({"ref": node.attributes["ref"]}, node)
        yield from _reference(node, found, node.attribute_pointer("ref"))
