"""How a reference from one node to another, or to something in its document, can be wrong."""

from __future__ import annotations

from collections.abc import Mapping

from nz_explorer.conventions.uris import is_uri
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, FixMaker, RuleOutput
from nz_explorer.engine.fixes import Draft, remove, replace
from nz_explorer.model import Node
from nz_explorer.model.dialects.ref import Reference, resolve, with_attributes

_OF_KIND = {"form": "REF-001", "node": "REF-002", "attribute": "REF-005"}


def _reference(home: Node, reference: Reference, at: str) -> RuleOutput:
    """Judge a reference in a node."""
    if reference.uri is not None:
        yield from _uri(home, reference.uri, _inner(reference, at))
    if reference.kind in _OF_KIND:
        yield Fail(
            at,
            f"reference: {reference.problem}",
            fix=_from_root(home, reference, at) if reference.kind == "attribute" else None,
            rule=_OF_KIND[reference.kind],
        )
    paths = [target.node.path for target in reference.targets]
    if len(paths) > 1:
        yield Fail(
            at,
            f"{reference.path} is ambiguous: relative to the node or to its group it leads to {' or '.join(paths)}",
            related=tuple(paths),
            rule="REF-002",
        )


def _uri(home: Node, uri: str, at: str) -> RuleOutput:
    pointer = f"{at}/uri"
    # Of relative references only those to the document itself, which RFC 3986 spells so, mean something.
    if uri in ("", ".") or uri.rstrip("/") == str(home.hierarchy.source).rstrip("/"):
        yield Fail(
            pointer,
            "uri must be omitted within the same store",
            fix=lambda _node: Draft("safe", (remove(pointer),)),
            rule="REF-003",
        )
    elif not is_uri(uri):
        yield Fail(pointer, f"uri {json_text(uri)} is not valid (RFC 3986)", rule="REF-004")


def _from_root(home: Node, reference: Reference, at: str) -> FixMaker | None:
    right = with_attributes(reference.attribute or "")
    found = resolve({"node": reference.path, "attribute": right}, home)
    if not found.targets:
        return None
    pointer = f"{_inner(reference, at)}/attribute"
    return lambda _node: Draft("suggest", (replace(pointer, right),))


def _inner(reference: Reference, at: str) -> str:
    """Return where the members of a reference are: below ``ref``, or there without it."""
    given = reference.given
    return f"{at}/ref" if isinstance(given, Mapping) and "ref" in given else at
