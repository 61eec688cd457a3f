"""NZ: where consolidated metadata are: on the root, and below it where groups have their own (NZ-1.0, Consolidated Metadata)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.nz.consolidated.kinds import copied, why_not_copied
from nz_explorer.conventions.nz.consolidated.words import is_bare_token, shown
from nz_explorer.documents import pointers
from nz_explorer.engine.entry_comparison import differences
from nz_explorer.engine.findings import Fail, FixMaker, Undecided
from nz_explorer.engine.fixes import Draft, remove, replace
from nz_explorer.engine.registry import rule
from nz_explorer.model import Group
from nz_explorer.model.paths import all_above, below
from nz_explorer.text.phrases import listed

if TYPE_CHECKING:
    from nz_explorer.documents import Document
    from nz_explorer.model import Node

MOST_ENTRIES = 10_000
"""Entries of a group below the root that are compared with documents; zarr-python opens none there by itself."""


@rule("NZ-CONS-001", on="root")
def present_on_object_storage(node: Node) -> Iterator[Fail]:
    """Require consolidated metadata where each document costs a request."""
    reader = node.hierarchy.reader
    if (
        isinstance(node, Group)
        and reader.object_storage
        and node.hierarchy.consolidated is None
        and "icechunk" not in reader.kind.lower()
    ):
        yield Fail(
            "",
            f"{reader.label} is on object storage and has no consolidated metadata:"
            " readers have to request every document",
            fix=lambda _node: Draft("suggest", note="zarr.consolidate_metadata(store) writes them"),
        )


@rule("NZ-CONS-005", on="group", formats=(3,))
def on_the_root(group: Group) -> Iterator[Fail]:
    """Note consolidated metadata below a root that has none. Empty ones mean nothing."""
    held = group.metadata.get("consolidated_metadata")
    if (
        not group.is_root
        and isinstance(held, Mapping)
        and held.get("metadata")
        and group.hierarchy.consolidated is None
    ):
        yield Fail(
            "/consolidated_metadata",
            "this group has consolidated metadata, but the root has not",
            fix=_consolidate_the_root,
        )
    among = group.attributes.get("consolidated_metadata")
    if isinstance(among, Mapping) and "metadata" in among:
        yield Fail(
            "/attributes/consolidated_metadata",
            "consolidated metadata stand among the attributes; readers look for them beside these, in the document itself",
            readers={"zarr-python": "does not use them"},
            fix=_consolidate_the_root,
        )


def _consolidate_the_root(_node: Node) -> Draft:
    return Draft("suggest", note="consolidate the metadata of the root")


@rule("NZ-CONS-002", "NZ-CONS-004", on="members", formats=(3,))
def below_the_root(group: Group) -> Iterator[Fail | Undecided]:
    """Compare the members of a group with the entries that it, or a group above it, has for them.

    That entries are missing is Z3-CM-004.
    """
    if group.hierarchy.metadata_source != "documents":
        return
    for path in [group.path, *all_above(group.path)]:
        home = None if path == "/" else group.hierarchy.node_if_loaded(path)
        held = None if home is None else home.metadata.get("consolidated_metadata")
        entries = held.get("metadata") if isinstance(held, Mapping) else None
        if home is None or not isinstance(entries, Mapping) or not entries:
            continue
        if len(entries) > MOST_ENTRIES:
            yield Undecided("not compared")
        elif _lacks_children(home, entries):
            for rule_id in ("NZ-CONS-002", "NZ-CONS-004"):
                yield Undecided("dependency: Z3-CM-004", rule_id)
        else:
            yield from _members(group, home, entries)


def _lacks_children(home: Node, entries: Mapping[str, Any]) -> bool:
    """Whether the entries are so far from what is there that they should go, which is Z3-CM-004."""
    children = (home.children if isinstance(home, Group) else None) or ()
    return any(child.name not in entries and child.state == "ok" for child in children)


def _members(group: Group, home: Node, entries: Mapping[str, Any]) -> Iterator[Fail | Undecided]:
    stem = below(group.path)[len(below(home.path)) :]
    there = {child.name: child for child in group.children or () if child.state != "missing"}
    for name, child in there.items():
        document = child.main_document
        if document is None or not document.ok or stem + name not in entries:
            continue
        found = differences(document, entries[stem + name])
        if found and not all(map(is_bare_token, found)):
            places = [difference.pointer for difference in found]
            yield Fail(
                places[0],
                f"the consolidated metadata of {home.path} differ from {document.key} at {listed(places)};"
                f" readers that use them see {shown(found[0].consolidated)} instead of {shown(found[0].stored)}",
                path=child.path,
                related=(home.path,),
                fix=_renew(home, child, document, stem + name),
            )
    listed_there: dict[str, list[str]] = {}
    for name in entries:
        if name.startswith(stem):
            listed_there.setdefault(name[len(stem) :].partition("/")[0], []).append(name)
    for inside, names in listed_there.items():
        if inside not in there and (name := stem + inside) in entries:
            yield Fail(
                _entry_pointer(name),
                f"the consolidated metadata of {home.path} list {below(home.path)}{name}, which does not exist",
                path=home.path,
                fix=_without(home, names),
                rule="NZ-CONS-004",
            )


def _entry_pointer(name: str) -> str:
    return pointers.join("/consolidated_metadata/metadata", name)


def _renew(home: Node, child: Node, document: Document, name: str) -> FixMaker:
    operation = replace(_entry_pointer(name), copied(document))
    key = None if home.main_document is None else home.main_document.key
    if why := why_not_copied(child, document):
        return lambda _node: Draft("suggest", note=why)
    return lambda _node: Draft("safe", (operation,), document=key)


def _without(home: Node, names: list[str]) -> FixMaker:
    document = home.main_document
    key = None if document is None else document.key
    operations = tuple(remove(_entry_pointer(name)) for name in names)
    return lambda _node: Draft("safe", operations, document=key)
