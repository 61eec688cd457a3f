"""ZCF: how nodes declare conventions of the Zarr conventions framework; and how NZ and CF are declared there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from nz_explorer.model import Group, pyramids
from nz_explorer.model.document import json_type
from nz_explorer.model.json_text import json_text
from nz_explorer.rules import known_conventions
from nz_explorer.rules.declaration import IDENTIFIER, KEYS, declare_nz, declares_nz, fold, tokens
from nz_explorer.rules.findings import Fail, FixMaker
from nz_explorer.rules.fixes import Draft, Operation, add, remove, replace, set_attribute
from nz_explorer.rules.registry import rule

if TYPE_CHECKING:
    from nz_explorer.model import Node
    from nz_explorer.rules.known_conventions import Convention

IDENTIFIERS = ("uuid", "schema_url", "spec_url")
MEMBERS = (*IDENTIFIERS, "name", "description")
CF_ATTRIBUTES = ("grid_mapping", "standard_name")
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_UNPINNED = re.compile(r"/(refs/heads/)?(main|master|HEAD)/")
CF_TOKEN = re.compile(r"cf-\d.*")


def _declares(node: Node) -> bool:
    return "zarr_conventions" in node.attributes


def _at(node: Node, *members: str | int) -> str:
    return node.attribute_pointer("zarr_conventions", *members)


def entries(node: Node) -> list[tuple[int, dict[str, Any]]]:
    """Return the entries of ``zarr_conventions`` that are objects, with their places."""
    given = node.attributes.get("zarr_conventions")
    if not isinstance(given, list):
        return []
    return [(i, entry) for i, entry in enumerate(given) if isinstance(entry, dict)]


@rule(
    "ZCF-DECL-002",
    on="node",
    needs=("attributes",),
    reads="rare",
    when=_declares,
    provides="conventions list",
)
def list_of_objects(node: Node) -> Iterator[Fail]:
    """Want a list with an object for each convention."""
    given = node.attributes["zarr_conventions"]
    if not isinstance(given, list):
        hint = ""
        if isinstance(given, dict) and given and all(_UUID.fullmatch(key.lower()) for key in given):
            hint = "; an early draft had an object keyed by uuid here"
        yield Fail(
            _at(node),
            f"zarr_conventions must be a list of objects, got {json_type(given)}{hint}",
            fix=_as_list,
        )
        return
    for i, entry in enumerate(given):
        if not isinstance(entry, dict):
            yield Fail(
                _at(node, i),
                f"zarr_conventions must be a list of objects; entry {i} is {json_text(entry)}",
            )


def _as_list(node: Node) -> Draft | None:
    given = node.attributes.get("zarr_conventions")
    if not isinstance(given, dict):
        return None
    if any(member in given for member in IDENTIFIERS):
        return Draft("unsafe", (replace(_at(node), [given]),))
    made = [{"uuid": key, **value} for key, value in given.items() if isinstance(value, dict)]
    return Draft("unsafe", (replace(_at(node), made),)) if len(made) == len(given) else None


@rule(
    "ZCF-DECL-003",
    on="node",
    needs=("attributes", "conventions list"),
    reads="rare",
    when=_declares,
)
def entry_identifies(node: Node) -> Iterator[Fail]:
    """Want a uuid or a URL, because names are not unique."""
    for i, entry in entries(node):
        if not any(isinstance(entry.get(member), str) for member in IDENTIFIERS):
            yield Fail(
                _at(node, i),
                f"entry {i} identifies no convention: it has none of uuid, schema_url and spec_url",
                fix=lambda _node: Draft("suggest", note="add the uuid that the convention gives"),
            )


@rule(
    "ZCF-DECL-004",
    on="node",
    needs=("attributes", "conventions list"),
    reads="rare",
    when=_declares,
)
def entry_members(node: Node) -> Iterator[Fail]:
    """Fail on members that the framework does not define."""
    for i, entry in entries(node):
        for member in entry:
            if member not in MEMBERS:
                pointer = _at(node, i, member)
                yield Fail(
                    pointer,
                    f"entry {i} has the extra member {json_text(member)}; an entry only says which convention is meant",
                    fix=lambda _node, pointer=pointer: Draft("safe", (remove(pointer),)),  # type: ignore[misc]  # bound now
                )


@rule(
    "ZCF-DECL-005",
    on="node",
    needs=("attributes", "conventions list"),
    reads="rare",
    when=_declares,
)
def entry_named(node: Node) -> Iterator[Fail]:
    """Want a name for people."""
    for i, entry in entries(node):
        if "name" not in entry:
            known = known_conventions.identify(entry)
            name = known.entry.get("name") if known is not None else None
            yield Fail(
                _at(node, i),
                f"entry {i} has no name",
                fix=_put(i, "name", name) if name is not None else None,
            )


def _put(i: int, member: str, value: Any) -> Any:
    def fix(node: Node) -> Draft:
        known = dict(entries(node)).get(i, {})
        operation = replace if member in known else add
        return Draft("safe", (operation(_at(node, i, member), value),))

    return fix


@rule(
    "ZCF-DECL-006",
    on="node",
    needs=("attributes", "conventions list"),
    reads="rare",
    when=_declares,
)
def entry_name_fits(node: Node) -> Iterator[Fail]:
    """Want the name that the convention has. NZ's own is NZ-REG-002."""
    for i, entry in entries(node):
        known, name = known_conventions.identify(entry), entry.get("name")
        if known is None or known is known_conventions.NZ or not known.entry or "name" not in entry:
            continue
        right = known.entry["name"]
        # With and without the colon of its prefix are both in use, and mean the same.
        if not isinstance(name, str) or name.rstrip(":") != str(right).rstrip(":"):
            yield Fail(
                _at(node, i, "name"),
                f"name {json_text(name)} should be {json_text(right)}",
                fix=_put(i, "name", right),
            )


@rule(
    "ZCF-DECL-007",
    on="node",
    needs=("attributes", "conventions list"),
    reads="rare",
    when=_declares,
)
def entry_has_url(node: Node) -> Iterator[Fail]:
    """Want a URL at which to read what a uuid stands for."""
    for i, entry in entries(node):
        if "uuid" in entry and "schema_url" not in entry and "spec_url" not in entry:
            known = known_conventions.identify(entry)
            url = known.entry.get("spec_url") if known is not None else None
            yield Fail(
                _at(node, i),
                f"entry {i} has a uuid but no URL that says what it means",
                fix=_put(i, "spec_url", url) if url is not None else None,
            )


@rule(
    "ZCF-DECL-008",
    on="node",
    needs=("attributes", "conventions list"),
    reads="rare",
    when=_declares,
)
def entry_uuid(node: Node) -> Iterator[Fail]:
    """Want a uuid in its usual form, in lower case."""
    for i, entry in entries(node):
        uuid = entry.get("uuid", "")
        if "uuid" not in entry or (isinstance(uuid, str) and _UUID.fullmatch(uuid)):
            continue
        upper = isinstance(uuid, str) and _UUID.fullmatch(uuid.lower()) is not None
        yield Fail(
            _at(node, i, "uuid"),
            f"uuid {json_text(uuid)} is malformed"
            + (": its letters should be small" if upper else ""),
            severity="warning" if upper else None,
            fix=_put(i, "uuid", uuid.lower()) if upper else None,
        )


@rule(
    "ZCF-DECL-010",
    on="node",
    needs=("attributes", "conventions list"),
    reads="rare",
    when=_declares,
)
def entry_pinned(node: Node) -> Iterator[Fail]:
    """Want URLs that still say the same next year."""
    for i, entry in entries(node):
        url = entry.get("schema_url")
        if isinstance(url, str) and _UNPINNED.search(url):
            yield Fail(
                _at(node, i, "schema_url"),
                f"{url} is not pinned to a version",
                fix=lambda _node: Draft("suggest", note="use the URL of a tag or a commit"),
            )


@rule(
    "ZCF-DECL-011",
    on="node",
    needs=("attributes", "conventions list"),
    reads="rare",
    when=_declares,
)
def declared_once(node: Node) -> Iterator[Fail]:
    """Want one entry for each convention."""
    seen: set[str] = set()
    for i, entry in entries(node):
        name = known_conventions.identity(entry)
        if name is None:
            continue
        if name in seen:
            pointer = _at(node, i)
            yield Fail(
                pointer,
                f"{name} is declared twice",
                fix=lambda _node, pointer=pointer: Draft("safe", (remove(pointer),)),  # type: ignore[misc]  # bound now
            )
        seen.add(name)


@rule(
    "ZCF-DECL-012",
    on="node",
    needs=("attributes", "conventions list"),
    reads="rare",
    when=_declares,
)
def convention_known(node: Node) -> Iterator[Fail]:
    """Note a convention whose properties cannot be checked here."""
    for i, entry in entries(node):
        name = known_conventions.identity(entry)
        if name is not None and known_conventions.identify(entry) is None:
            yield Fail(_at(node, i), f"convention {json_text(name)} is not known here")


def declared_here(node: Node) -> set[Convention | None]:
    """Return the conventions that a node declares; None among them where one is not known."""
    return {known_conventions.identify(entry) for _, entry in entries(node)}


@rule(
    "ZCF-DECL-001",
    on="node",
    formats=(3,),
    needs=("attributes", "conventions list"),
    reads="rare",
)
def uses_are_declared(node: Node) -> Iterator[Fail]:
    """Want a declaration on each node that has attributes of a convention."""
    if not (known_conventions.FRAMEWORK & node.attributes.keys()):
        return
    declared = declared_here(node)
    for known, names in known_conventions.used(node.attributes).items():
        if known not in declared:
            belong = "belongs" if len(names) == 1 else "belong"
            yield Fail(
                node.attribute_pointer(names[0]),
                f"{', '.join(names)} {belong} to the {known.name} convention, which this node does not declare",
                fix=declare(known),
            )


def declare(known: Convention) -> FixMaker:
    """Return the fix that declares a convention at a node."""

    def fix(node: Node) -> Draft:
        if isinstance(node.attributes.get("zarr_conventions"), list):
            return Draft("safe", (add(_at(node, "-"), dict(known.entry)),))
        return Draft("safe", set_attribute(node, "zarr_conventions", [dict(known.entry)]))

    return fix


@rule("ZCF-DECL-013", on="members")
def children_declare(group: Group) -> Iterator[Fail]:
    """Note nodes that seem to count on what the group above declares: declarations are not inherited.

    That a node of v3 uses a convention known here without declaring it is ZCF-DECL-001.
    """
    for _, entry in entries(group):
        name = known_conventions.identity(entry)
        for child in group.children or () if name is not None else ():
            if any(known_conventions.identity(own) == name for _, own in entries(child)):
                continue
            attribute = _use(child, entry)
            if attribute is not None:
                yield Fail(
                    child.attribute_pointer(attribute),
                    f"{child.path} does not declare {entry.get('name', name)} itself; what {group.path} declares"
                    " does not hold for it",
                    related=(group.path,),
                    path=child.path,
                    fix=_declare_below(child.path, entry),
                )


def _use(node: Node, entry: dict[str, Any]) -> str | None:
    """Return the first attribute of a convention on a node, by what is known of it or by its prefix."""
    known, name = known_conventions.identify(entry), entry.get("name")
    if known is not None and node.zarr_format == 3:
        return None
    if known is not None:
        return next(iter(known_conventions.used(node.attributes).get(known, ())), None)
    if not isinstance(name, str) or not name.rstrip(":"):
        return None
    prefix = name.rstrip(":")
    return next((a for a in node.attributes if a == prefix or a.startswith(f"{prefix}:")), None)


def _declare_below(path: str, entry: dict[str, Any]) -> Any:
    def fix(node: Node) -> Draft | None:
        child = node.hierarchy.node_if_loaded(path)
        if child is None:
            return None
        declared = child.attributes.get("zarr_conventions")
        if declared is None:
            operations = set_attribute(child, "zarr_conventions", [dict(entry)])
        elif isinstance(declared, list):
            operations = (add(_at(child, "-"), dict(entry)),)
        else:
            return None
        return Draft("safe", operations, node=child)

    return fix


@rule(
    "ZCF-SCHEMA-001",
    on="node",
    needs=("attributes", "conventions list"),
    reads="rare",
    when=_declares,
)
def properties_valid(node: Node) -> Iterator[Fail]:
    """Want properties that the declared convention allows, as zarr-cm checks them."""
    declared = declared_here(node)
    used = known_conventions.used(node.attributes)
    for known, names in used.items():
        if known in declared and (
            error := known_conventions.property_error(known, node.attributes)
        ):
            yield Fail(node.attribute_pointer(names[0]), f"{known.name}: {error}")
    family = pyramids.family(node.attributes)
    if known_conventions.MULTISCALES in declared and family not in (None, "multiscales"):
        yield Fail(
            node.attribute_pointer("multiscales" if "multiscales" in node.attributes else "ome"),
            f"the multiscales convention is declared, but this has the form of {family}",
            severity="warning",
        )


# --- NZ in zarr_conventions ----------------------------------------------------------------------


def _nz_entries(node: Node) -> list[tuple[int, dict[str, Any]]]:
    return [
        (i, entry)
        for i, entry in entries(node)
        if known_conventions.identify(entry) is known_conventions.NZ
    ]


def _is_group(node: Node) -> bool:
    return isinstance(node, Group)


@rule("NZ-REG-001", on="root", needs=("attributes",), when=_is_group)
def registered(node: Node) -> Iterator[Fail]:
    """Note a root that does not list NZ among its conventions of the framework, which is its own choice."""
    if not _nz_entries(node):
        yield Fail(
            _at(node),
            "NZ is not listed in zarr_conventions (optional)",
            fix=declare(known_conventions.NZ),
        )


@rule("NZ-REG-002", on="root", needs=("attributes",), when=_is_group)
def registration_agrees(node: Node) -> Iterator[Fail]:
    """Want an entry for NZ to say what the convention says of itself, and the attribute to say it as well."""
    for i, entry in _nz_entries(node):
        why = _odd_entry(entry)
        if why is not None:
            yield Fail(
                _at(node, i),
                f"the NZ entry in zarr_conventions {why}",
                fix=lambda node, i=i: Draft(  # type: ignore[misc]  # bound now
                    "safe", (replace(_at(node, i), known_conventions.NZ_ENTRY),)
                ),
            )
        elif not declares_nz(node.attributes):
            yield Fail(
                _at(node, i),
                'the NZ entry in zarr_conventions is there, but the attribute "conventions", which declares NZ,'
                " does not name it",
                fix=declare_nz,
            )


def _odd_entry(entry: dict[str, Any]) -> str | None:
    """Return what is odd about an entry for NZ; members that no entry may have are ZCF-DECL-004."""
    for member in IDENTIFIERS:
        value = entry.get(member)
        if isinstance(value, str) and known_conventions.identify({member: value}) not in (
            known_conventions.NZ,
            None,
        ):
            return f"has the {member} of another convention"
    if isinstance(entry.get("uuid"), str) and entry["uuid"].lower() != known_conventions.NZ.uuid:
        return f"has the URL of NZ but the uuid {json_text(entry['uuid'])}"
    name = entry.get("name", known_conventions.NZ_ENTRY["name"])
    if name != known_conventions.NZ_ENTRY["name"]:
        return f"is named {json_text(name)} instead of {json_text(IDENTIFIER)}"
    return None


@rule("NZ-DOM-001", on="root", needs=("attributes", "conventions"), when=_is_group)
def domain_declared(node: Node) -> Iterator[Fail]:
    """Want a domain convention that the data follow to be named beside NZ."""
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
                "suggest", note="add the version that the data follow, such as CF-1.12"
            ),
        )


def _add_token(token: str) -> Any:
    def fix(node: Node) -> Draft | None:
        given = node.attributes.get("conventions")
        if not isinstance(given, str):
            return None
        operations: tuple[Operation, ...] = set_attribute(
            node, "conventions", f"{given.rstrip()} {token}"
        )
        return Draft("safe", operations)

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
        if found is not None:
            yield Fail(
                group.attribute_pointer("conventions"),
                f'{array.path} uses {found} of CF, which "conventions" does not name',
                related=(array.path,),
                severity="info",
            )
            return
