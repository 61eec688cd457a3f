"""How a reference from one node to another, or to something in its document, can be wrong."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Mapping
from urllib.parse import unquote, urlsplit

from nz_explorer.conventions.uris import is_uri
from nz_explorer.documents.json_text import json_text
from nz_explorer.documents.pointers import is_pointer
from nz_explorer.engine.findings import Fail, FixMaker, RuleOutput
from nz_explorer.engine.fixes import Draft, remove, replace
from nz_explorer.model import Node
from nz_explorer.model.dialects.ref import Reference, resolve, with_attributes

_OF_KIND = {"form": "REF-001", "node": "REF-002", "attribute": "REF-005"}


def _reference(home: Node, reference: Reference, at: str) -> RuleOutput:
    """Judge a reference in a node."""
    if reference.uri is not None:
        yield from _elsewhere(home, reference, reference.uri, _inner(reference, at))
    if reference.kind in _OF_KIND:
        yield Fail(
            at,
            f"reference: {reference.problem}",
            fix=_from_root(home, reference, at) if reference.kind == "attribute" else None,
            rule=_OF_KIND[reference.kind],
        )
    paths = [target.node.path for target in reference.targets]
    inner = _inner(reference, at)
    bare = reference.given if inner == at else reference.given["ref"]
    if isinstance(bare, str):
        yield Fail(
            inner,
            f"reference: it is a text, and must be an object, here {json_text({'node': bare})}",
            severity="warning",
            fix=lambda _node: Draft("suggest", (replace(inner, {"node": bare}),)),
            rule="REF-001",
        )
    if reference.targets and (reference.path or "").startswith("/"):
        yield _absolute(home, reference, at)
    if len(paths) > 1:
        yield Fail(
            at,
            f"{json_text(reference.path)} is ambiguous: relative to the node or to its group it leads to {' or '.join(paths)}",
            related=tuple(paths),
            rule="REF-002",
        )


def _elsewhere(home: Node, reference: Reference, uri: str, at: str) -> RuleOutput:
    """Judge a reference to another store, of which only the form can be known."""
    pointer = f"{at}/uri"
    # Of relative references only those to the document itself, which RFC 3986 spells so, mean something.
    if uri in ("", ".") or _is_here(uri, str(home.hierarchy.source)):
        yield Fail(
            pointer,
            "uri must be omitted within the same store",
            fix=lambda _node: Draft("safe", (remove(pointer),)),
            rule="REF-003",
        )
        return
    if not is_uri(uri):
        yield Fail(pointer, f"uri {json_text(uri)} is not valid (RFC 3986)", rule="REF-004")
        return
    path, attribute = reference.path, reference.attribute
    if path is not None and not path.startswith("/"):
        absolute = posixpath.normpath(f"/{path}")
        yield Fail(
            f"{at}/node",
            f"node {json_text(path)} is in another store, so it must be a path from its root, such as {json_text(absolute)}",
            fix=lambda _node: Draft("suggest", (replace(f"{at}/node", absolute),)),
            rule="REF-002",
        )
    if attribute is not None and not is_pointer(attribute):
        yield Fail(
            f"{at}/attribute",
            f"reference: {json_text(attribute)} is no JSON pointer (RFC 6901)",
            rule="REF-005",
        )


def _is_here(uri: str, source: str) -> bool:
    """Whether a URI is the address of a store; that of a folder may be written in two ways."""
    if uri.startswith("file:") and "://" not in source:
        uri, source = unquote(urlsplit(uri).path), os.path.abspath(source)  # noqa: PTH100  # nothing is resolved
    return uri.rstrip("/") == source.rstrip("/")


def _absolute(home: Node, reference: Reference, at: str) -> Fail:
    """Note a path from the root, which readers follow, where the text has one from the node."""
    target = reference.targets[0].node.path
    relative = posixpath.relpath(target, home.path)
    pointer = f"{_inner(reference, at)}/node"
    found = resolve({"node": relative}, home).targets
    leads_there = [one.node.path for one in found] == [target]
    return Fail(
        pointer,
        f"node {json_text(reference.path)} is a path from the root; within a store it is relative to the node that refers, here {json_text(relative)}",
        severity="info",
        impact="advice",
        fix=(lambda _node: Draft("suggest", (replace(pointer, relative),)))
        if leads_there
        else None,
        rule="REF-002",
    )


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
