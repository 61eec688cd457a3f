"""How NZ and CF are declared in the Zarr conventions framework."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.nz.declaration import declare_nz, older_with_nz
from nz_explorer.conventions.nz.identifier import declares_nz, tokens
from nz_explorer.conventions.zcf import known_conventions
from nz_explorer.conventions.zcf.declarations import (
    IDENTIFIERS,
    declare,
    declared_here,
    entries,
    pointer_to,
)
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.fixes import Draft, replace, set_attribute
from nz_explorer.engine.registry import rule
from nz_explorer.model import Group
from nz_explorer.text.identifiers import CF_TOKEN, IDENTIFIER, KEYS, fold

if TYPE_CHECKING:
    from nz_explorer.model import Node

CF_ATTRIBUTES = ("grid_mapping", "standard_name")


def _nz_entries(node: Node) -> list[tuple[int, dict[str, Any]]]:
    return [(i, entry) for i, entry in entries(node) if _is_nz(entry)]


def _is_nz(entry: dict[str, Any]) -> bool:
    """Whether an entry is that of NZ, or is meant to be: one with an address of NZ's, and a uuid that nobody knows."""
    known = known_conventions.identify(entry)
    return known is known_conventions.NZ or (
        known is None and known_conventions.NZ in known_conventions.mentioned(entry)
    )


def _is_group(node: Node) -> bool:
    return isinstance(node, Group)


@rule("NZ-REG-001", on="root", needs=("attributes",), when=_is_group)
def registered(node: Node) -> Iterator[Fail]:
    """Note a root that does not list NZ among its conventions of the framework, which is its own choice."""
    if not _nz_entries(node):
        yield Fail(
            pointer_to(node),
            "NZ is not listed in zarr_conventions (optional)",
            fix=declare(known_conventions.NZ),
        )


@rule("NZ-REG-002", on="root", needs=("attributes",), when=_is_group)
def registration_agrees(node: Node) -> Iterator[Fail]:
    """Require an entry for NZ to have the convention's own identifiers, and the attribute to agree with it."""
    for i, entry in _nz_entries(node):
        why = _odd_entry(entry)
        if why is not None:
            yield Fail(
                pointer_to(node, i),
                f"the NZ entry in zarr_conventions {why}",
                fix=lambda node, i=i: Draft(  # type: ignore[misc]  # bound now
                    "safe", (replace(pointer_to(node, i), known_conventions.NZ_ENTRY),)
                ),
            )
        elif not declares_nz(node.attributes):
            yield Fail(
                pointer_to(node, i),
                'there is an NZ entry in zarr_conventions, but the attribute "conventions", which declares NZ,'
                " does not name it",
                fix=declare_nz,
            )


_ADDRESS = "zarr-conventions/nz"
"""What every address of NZ's own documents has in it."""


def _odd_entry(entry: dict[str, Any]) -> str | None:
    """Return what is odd about an entry for NZ; members that no entry may have are ZCF-DECL-004."""
    for member in IDENTIFIERS:
        value = entry.get(member)
        if isinstance(value, str) and known_conventions.identify({member: value}) not in (
            known_conventions.NZ,
            None,
        ):
            return f"has the {member} of another convention"
    for member in ("schema_url", "spec_url"):
        value = entry.get(member)
        if isinstance(value, str) and _ADDRESS not in value.lower():
            return f"has the {member} {json_text(value)}, which is not NZ's"
    if isinstance(entry.get("uuid"), str) and entry["uuid"].lower() != known_conventions.NZ.uuid:
        return f"has the URL of NZ but the uuid {json_text(entry['uuid'])}"
    name = entry.get("name", known_conventions.NZ_ENTRY["name"])
    if name != known_conventions.NZ_ENTRY["name"]:
        return f"is named {json_text(name)} instead of {json_text(IDENTIFIER)}"
    return None


@rule("NZ-DOM-001", on="root", needs=("attributes", "conventions"), when=_is_group)
def domain_declared(node: Node) -> Iterator[Fail]:
    """Require a domain convention that the data follow to be declared beside NZ."""
    attributes = node.attributes
    named = [fold(token) for token in tokens(attributes.get("conventions"))]
    if any(CF_TOKEN.fullmatch(token) for token in named) or not declares_nz(attributes):
        return
    legacy = [
        token
        for token in tokens(attributes.get("Conventions"), KEYS[1])
        if CF_TOKEN.fullmatch(fold(token))
    ]
    if "conventions" in attributes and legacy:
        yield Fail(
            node.attribute_pointer("conventions"),
            f'{legacy[0]} is named in "Conventions" but not in "conventions"',
            fix=_add_token(legacy[0]),
        )
    elif known_conventions.CF in declared_here(node) and not legacy:
        yield Fail(
            node.attribute_pointer("conventions"),
            'CF is listed in zarr_conventions but not named in "conventions"',
            fix=lambda _node: Draft(
                "suggest", note="add the version that the data follow, for example CF-1.12"
            ),
        )


def _add_token(token: str) -> Any:
    def fix(node: Node) -> Draft | None:
        given = node.attributes.get("conventions")
        if not isinstance(given, str):
            return None
        named = set_attribute(node, "conventions", f"{given.rstrip()} {token}")
        return Draft("safe", (*named, *older_with_nz(node)))

    return fix


@rule("NZ-DOM-001", on="members")
def domain_used(group: Group) -> Iterator[Fail]:
    """Note attributes of CF on arrays of a root that names no CF."""
    if group.path != "/" or not isinstance(group.attributes.get("conventions", ""), str):
        return
    named = [fold(token) for key in KEYS for token in tokens(group.attributes.get(key), key)]
    if (
        any(CF_TOKEN.fullmatch(token) for token in named)
        or known_conventions.CF in declared_here(group)
        or not declares_nz(group.attributes)
    ):
        return
    for array in group.arrays:
        found = next((name for name in CF_ATTRIBUTES if name in array.attributes), None)
        array.release()  # of a group with 300,000 arrays not all can stay decoded
        if found is not None:
            yield Fail(
                group.attribute_pointer("conventions"),
                f'{array.path} uses {found} of CF, which "conventions" does not name',
                related=(array.path,),
                severity="info",
            )
            return
