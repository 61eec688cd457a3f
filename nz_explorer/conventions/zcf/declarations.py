"""ZCF: how nodes declare conventions of the Zarr conventions framework."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.zcf import known_conventions
from nz_explorer.documents.json_text import json_text
from nz_explorer.documents.json_types import json_type
from nz_explorer.engine.findings import Fail, FixMaker
from nz_explorer.engine.fixes import Draft, add, remove, replace, set_attribute
from nz_explorer.engine.registry import rule
from nz_explorer.engine.schema_convention import MOST_VIOLATIONS
from nz_explorer.model import Group
from nz_explorer.model.dialects import multiscales
from nz_explorer.model.dialects.cs import is_cs, is_shared, is_system
from nz_explorer.model.dialects.ref import is_reference

if TYPE_CHECKING:
    from nz_explorer.conventions.zcf.known_conventions import Convention
    from nz_explorer.model import Node


IDENTIFIERS = ("uuid", "schema_url", "spec_url")
MEMBERS = (*IDENTIFIERS, "name", "description")
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s]+")
_UNPINNED = re.compile(r"/(refs/heads/)?(main|master|HEAD)/")


def _declares(node: Node) -> bool:
    return "zarr_conventions" in node.attributes


def pointer_to(node: Node, *members: str | int) -> str:
    """Return the pointer to a place in a node's ``zarr_conventions``."""
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
    when=_declares,
    provides="conventions list",
)
def list_of_objects(node: Node) -> Iterator[Fail]:
    """Require a list with an object for each convention."""
    given = node.attributes["zarr_conventions"]
    if not isinstance(given, list):
        hint = ""
        if isinstance(given, dict) and given and all(_UUID.fullmatch(key.lower()) for key in given):
            hint = "; an early draft had an object keyed by uuid here"
        yield Fail(
            pointer_to(node),
            f"zarr_conventions must be a list of objects, got {json_type(given)}{hint}",
            fix=_as_list,
            covers=("CS-REG-001", "CS-REG-002"),  # nothing is declared in what is no list
        )
        return
    for i, entry in enumerate(given):
        if not isinstance(entry, dict):
            yield Fail(
                pointer_to(node, i),
                f"zarr_conventions must be a list of objects; entry {i} is {json_text(entry)}",
            )


def _as_list(node: Node) -> Draft | None:
    given = node.attributes.get("zarr_conventions")
    if not isinstance(given, dict):
        return None
    if any(member in given for member in IDENTIFIERS):
        return Draft("unsafe", (replace(pointer_to(node), [given]),))
    made = [{"uuid": key, **value} for key, value in given.items() if isinstance(value, dict)]
    return Draft("unsafe", (replace(pointer_to(node), made),)) if len(made) == len(given) else None


@rule(
    "ZCF-DECL-003",
    on="node",
    needs=("attributes", "conventions list"),
    when=_declares,
)
def entry_identifies(node: Node) -> Iterator[Fail]:
    """Require a uuid or a URL, because names are not unique."""
    for i, entry in entries(node):
        if not any(isinstance(entry.get(member), str) for member in IDENTIFIERS):
            there = [member for member in IDENTIFIERS if member in entry]
            why = (
                f"its {there[0]} is not a string"
                if there
                else "it has none of uuid, schema_url and spec_url"
            )
            yield Fail(
                pointer_to(node, i),
                f"entry {i} identifies no convention: {why}",
                fix=_identified(i, entry),
            )
            continue
        named = any(_leads(entry, member) for member in IDENTIFIERS)
        for member in ("schema_url", "spec_url"):
            if member in entry and not _leads(entry, member):
                yield Fail(
                    pointer_to(node, i, member),
                    f"{member} of entry {i} is no URL: {json_text(entry[member])}",
                    severity="warning" if named else None,
                )


def _identified(i: int, entry: dict[str, Any]) -> FixMaker:
    """Return the fix of an entry that identifies no convention: the whole entry of the one that is called so."""
    name = str(entry.get("name")).rstrip(":").lower()
    called = [one for one in known_conventions.KNOWN if one.name.lower() == name and one.entry]
    if not called:
        return lambda _node: Draft("suggest", note="add the uuid of the convention")
    whole = dict(called[0].entry)
    return lambda node: Draft("suggest", (replace(pointer_to(node, i), whole),))


def _leads(entry: Any, member: str) -> bool:
    """Whether a member is there and can name the convention: the form of a uuid is ZCF-DECL-008."""
    given = entry.get(member)
    return isinstance(given, str) and (member == "uuid" or URL.match(given) is not None)


@rule(
    "ZCF-DECL-004",
    on="node",
    needs=("attributes", "conventions list"),
    when=_declares,
)
def entry_members(node: Node) -> Iterator[Fail]:
    """Fail on members that the framework does not define."""
    for i, entry in entries(node):
        for member in entry:
            if member not in MEMBERS:
                pointer = pointer_to(node, i, member)
                yield Fail(
                    pointer,
                    f"entry {i} has the extra member {json_text(member)}; an entry only identifies the convention",
                    fix=lambda _node, pointer=pointer: Draft("safe", (remove(pointer),)),  # type: ignore[misc]  # bound now
                )


@rule(
    "ZCF-DECL-005",
    on="node",
    needs=("attributes", "conventions list"),
    when=_declares,
)
def entry_named(node: Node) -> Iterator[Fail]:
    """Require a name for people."""
    for i, entry in entries(node):
        if not isinstance(entry.get("name"), str):
            known = known_conventions.identify(entry)
            name = known.entry.get("name") if known is not None else None
            yield Fail(
                pointer_to(node, i, *(["name"] if "name" in entry else [])),
                f"the name of entry {i} must be text, got {json_text(entry['name'])}"
                if "name" in entry
                else f"entry {i} has no name",
                fix=_put(i, "name", name) if name is not None else None,
            )


def _put(i: int, member: str, value: Any) -> Any:
    def fix(node: Node) -> Draft:
        known = dict(entries(node)).get(i, {})
        operation = replace if member in known else add
        return Draft("safe", (operation(pointer_to(node, i, member), value),))

    return fix


@rule(
    "ZCF-DECL-006",
    on="node",
    needs=("attributes", "conventions list"),
    when=_declares,
)
def entry_name_fits(node: Node) -> Iterator[Fail]:
    """Require the name that the convention has, with the colon of a prefix. NZ's own is NZ-REG-002."""
    for i, entry in entries(node):
        known, name = known_conventions.identify(entry), entry.get("name")
        if known is None or known is known_conventions.NZ or not known.entry or "name" not in entry:
            continue
        right = known.entry["name"]
        if not isinstance(name, str) or name in (right, f"{right}:"):
            continue  # a name that is no text is ZCF-DECL-005; a colon more does not hurt
        short = f"{name}:" == right
        lacks = f"name {json_text(name)} lacks the colon of the prefix {right}"
        yield Fail(
            pointer_to(node, i, "name"),
            lacks if short else f"name {json_text(name)} should be {json_text(right)}",
            severity="info" if short else None,
            fix=_put(i, "name", right),
        )


@rule(
    "ZCF-DECL-007",
    on="node",
    needs=("attributes", "conventions list"),
    when=_declares,
)
def entry_has_url(node: Node) -> Iterator[Fail]:
    """Require a URL beside a uuid, where the convention can be read."""
    for i, entry in entries(node):
        if (
            isinstance(entry.get("uuid"), str)
            and "schema_url" not in entry
            and "spec_url" not in entry
        ):
            known = known_conventions.identify(entry)
            url = known.entry.get("spec_url") if known is not None else None
            yield Fail(
                pointer_to(node, i),
                f"entry {i} has a uuid but no URL",
                fix=_put(i, "spec_url", url) if url is not None else None,
            )


@rule(
    "ZCF-DECL-008",
    on="node",
    needs=("attributes", "conventions list"),
    when=_declares,
)
def entry_uuid(node: Node) -> Iterator[Fail]:
    """Require a uuid in its usual form, in lower case."""
    for i, entry in entries(node):
        uuid = entry.get("uuid", "")
        if "uuid" not in entry or (isinstance(uuid, str) and _UUID.fullmatch(uuid)):
            continue
        upper = isinstance(uuid, str) and _UUID.fullmatch(uuid.lower()) is not None
        yield Fail(
            pointer_to(node, i, "uuid"),
            f"uuid {json_text(uuid)} is malformed"
            + (": its letters must be lower-case" if upper else ""),
            severity="warning" if upper else None,
            fix=_put(i, "uuid", uuid.lower()) if upper else None,
        )


@rule(
    "ZCF-DECL-010",
    on="node",
    needs=("attributes", "conventions list"),
    when=_declares,
)
def entry_pinned(node: Node) -> Iterator[Fail]:
    """Require URLs of a fixed version."""
    for i, entry in entries(node):
        url = entry.get("schema_url")
        known = known_conventions.identify(entry)
        printed = known is not None and url == known.entry.get("schema_url")
        if isinstance(url, str) and _UNPINNED.search(url) and not printed:
            yield Fail(
                pointer_to(node, i, "schema_url"),
                f"the address {url} names a branch, not a version: what is there may change",
                fix=lambda _node: Draft("suggest", note="use the URL of a tag or a commit"),
            )


@rule(
    "ZCF-DECL-011",
    on="node",
    needs=("attributes", "conventions list"),
    when=_declares,
)
def declared_once(node: Node) -> Iterator[Fail]:
    """Require one entry for each convention."""
    seen: set[str] = set()
    for i, entry in entries(node):
        name = known_conventions.identity(entry)
        if name is None:
            continue
        if name in seen:
            pointer = pointer_to(node, i)
            yield Fail(
                pointer,
                f"convention {name} is declared twice",
                fix=lambda _node, pointer=pointer: Draft("safe", (remove(pointer),)),  # type: ignore[misc]  # bound now
            )
        seen.add(name)


@rule(
    "ZCF-DECL-012",
    on="node",
    needs=("attributes", "conventions list"),
    when=_declares,
)
def convention_known(node: Node) -> Iterator[Fail]:
    """Note a convention whose properties cannot be checked here."""
    for i, entry in entries(node):
        name = known_conventions.identity(entry)
        if name is not None and known_conventions.identify(entry) is None:
            yield Fail(pointer_to(node, i), f"convention {json_text(name)} is not known here")


def declared_here(node: Node) -> set[Convention | None]:
    """Return the conventions that a node declares; None among them where one is not known."""
    return {known_conventions.identify(entry) for _, entry in entries(node)}


@rule(
    "ZCF-DECL-001",
    on="node",
    formats=(3,),
    needs=("attributes", "conventions list"),
)
def uses_are_declared(node: Node) -> Iterator[Fail]:
    """Require a declaration on each node that has attributes of a convention."""
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

    def fix(node: Node) -> Draft | None:
        given = node.attributes.get("zarr_conventions")
        if isinstance(given, list):
            return Draft("safe", (add(pointer_to(node, "-"), dict(known.entry)),))
        if given is not None:
            return None  # what it holds would be lost
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
                    f"{child.path} does not declare {entry.get('name', name)} itself; the declaration of"
                    f" {group.path} does not apply to it",
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
            operations = (add(pointer_to(child, "-"), dict(entry)),)
        else:
            return None
        return Draft("safe", operations, node=child)

    return fix


@rule(
    "ZCF-SCHEMA-001",
    on="node",
    needs=("attributes", "conventions list"),
    when=_declares,
)
def properties_valid(node: Node) -> Iterator[Fail]:
    """Require properties that the declared convention allows, as zarr-cm checks them."""
    declared = declared_here(node)
    family = multiscales.family(node.attributes)
    of_others = known_conventions.MULTISCALES if family not in (None, "multiscales") else None
    used = known_conventions.used(node.attributes, declared - {of_others})
    for known, names in used.items():
        if known not in declared:
            continue
        if known is known_conventions.PROJ and (told := list(_as_the_text_has_it(node))):
            yield from told
            continue
        schema = [*known_conventions.schema_errors(known, node.attributes)]
        for place, message in schema[:MOST_VIOLATIONS]:
            yield Fail(node.attribute_pointer(*place), f"{known.name.rstrip(':')}: {message}")
        if not schema and (error := known_conventions.property_error(known, node.attributes)):
            name = next((one for one in names if f"'{one}'" in error), names[0])
            place = known_conventions.place_of(error, node.attributes[name])
            yield Fail(node.attribute_pointer(name, *place), f"{known.name.rstrip(':')}: {error}")
    yield from _without_properties(node, {*used, of_others})
    if of_others in declared and of_others is not None:
        yield Fail(
            node.attribute_pointer("multiscales" if "multiscales" in node.attributes else "ome"),
            f"the multiscales convention is declared, but the attribute has the form of {family}",
            severity="warning",
        )


def _without_properties(node: Node, used: Container[Convention | None]) -> Iterator[Fail]:
    """Note conventions that are declared and ask for attributes of which the node has none, not in another attribute either."""
    for i, entry in entries(node):
        known = known_conventions.identify(entry)
        if known is None or not known.keys or known in used:
            continue
        # what a group says of the reference system its arrays have as well
        parent = node.hierarchy.node_if_loaded(node.parent) if node.parent else None
        if parent is not None and known.keys & parent.attributes.keys():
            continue
        error = known_conventions.property_error(known, node.attributes)
        if error is None or any(True for _ in _members(node.attributes, known.keys)):
            continue
        if known is not known_conventions.PROJ or not _has_place_of_proj(node):
            yield Fail(
                pointer_to(node, i),
                f"{known.name.rstrip(':')} is declared, and this node has none of its attributes: {error}",
                severity="info",
            )


def _has_place_of_proj(node: Node) -> bool:
    """Whether other conventions may have attributes of proj: there, in a member that is wrong, or where a reference leads.

    What is wrong with them is CS-ARR-001 and CS-ID-004.
    """
    declared, attributes = declared_here(node), node.attributes
    places: list[Iterator[Any]] = []
    if known_conventions.CS in declared:
        places = [_members(attributes, {"id"})]
        systems = attributes["cs"]["crs"] if is_cs(attributes.get("cs")) else None
        shared = attributes.get("crs")
        if ("cs" in attributes and not isinstance(systems, list)) or (
            "crs" in attributes and not (is_shared(shared) or is_system(shared))
        ):
            return True
        places.append(filter(is_reference, systems or ()))
    if known_conventions.GEOLOCATION in declared:
        places += [_members(one, {"id", "crs"}) for one in _members(attributes, {"geolocation"})]
    return any(True for place in places for _ in place)


def _members(given: Any, names: Container[str]) -> Iterator[Any]:
    """Yield the members of some names in a JSON value, at any depth."""
    rest = [given]
    while rest:  # a document may be nested deeper than Python calls functions
        one = rest.pop()
        if isinstance(one, dict):
            yield from (value for name, value in one.items() if name in names)
            rest += one.values()
        elif isinstance(one, list):
            rest += one


def _as_the_text_has_it(node: Node) -> Iterator[Fail]:
    """Note null, which the text of proj: allows beside another attribute, and its schema, by which zarr-cm goes, does not."""
    given = {name: value for name, value in node.attributes.items() if name.startswith("proj:")}
    named = {name: value for name, value in given.items() if value is not None}
    if known_conventions.property_error(known_conventions.PROJ, named) is not None:
        return
    for name in given:
        if name not in named:
            pointer = node.attribute_pointer(name)
            yield Fail(
                pointer,
                f"{name} is null, which the text of proj: allows and its schema does not: leave it out",
                severity="info",
                fix=lambda _node, pointer=pointer: Draft("safe", (remove(pointer),)),  # type: ignore[misc]  # bound now
            )
