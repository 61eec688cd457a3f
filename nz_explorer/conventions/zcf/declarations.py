"""ZCF: how nodes declare conventions of the Zarr conventions framework."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import UUID

from nz_explorer.conventions.zcf import known_conventions
from nz_explorer.conventions.zcf.read_by_zarr_cm import raised
from nz_explorer.documents.json_text import json_text
from nz_explorer.documents.json_types import json_type
from nz_explorer.engine.findings import Fail, FixMaker
from nz_explorer.engine.fixes import Draft, Safety, add, remove, replace, set_attribute
from nz_explorer.engine.registry import rule
from nz_explorer.model.dialects import multiscales

if TYPE_CHECKING:
    from nz_explorer.conventions.zcf.known_conventions import Convention
    from nz_explorer.model import Node


IDENTIFIERS = ("uuid", "schema_url", "spec_url")
MEMBERS = (*IDENTIFIERS, "name", "description")
_UNPINNED = re.compile(r"/refs/heads/[^/]+/|(?<!/refs/tags)/(main|master|HEAD)/")


def declares(node: Node) -> bool:
    """Whether a node has ``zarr_conventions``."""
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
    when=declares,
    provides="conventions list",
)
def list_of_objects(node: Node) -> Iterator[Fail]:
    """Require a list with an object for each convention."""
    given = node.attributes["zarr_conventions"]
    if not isinstance(given, list):
        hint = ""
        if (
            isinstance(given, dict)
            and given
            and all(known_conventions.UUID.fullmatch(key.lower()) for key in given)
        ):
            hint = "; an early draft had an object keyed by uuid here"
        yield Fail(
            pointer_to(node),
            f"zarr_conventions must be a list of objects, got {json_type(given)}{hint}",
            readers=None if isinstance(given, dict) else raised(given),
            fix=_as_list,
            covers=("CS-REG-001", "CS-REG-002"),  # nothing is declared in what is no list
        )
        return
    for i, entry in enumerate(given):
        if not isinstance(entry, dict):
            yield Fail(
                pointer_to(node, i),
                f"zarr_conventions must be a list of objects; entry {i} is {json_text(entry)}",
                readers=raised(given),
                fix=_names_as_objects,
            )


def _named(entry: Any) -> dict[str, Any] | None:
    """Return the entry of the one convention that a text in the list names, or identifies; None where it is no text, or names none."""
    if not isinstance(entry, str):
        return None
    found = [known for known in known_conventions.KNOWN if known.name == entry.rstrip(":")]
    identified = known_conventions.identify({"uuid": entry, "spec_url": entry})
    found += [identified] if identified is not None else []
    return dict(found[0].entry) if len(found) == 1 and found[0].entry else None


def _objects(given: list[Any]) -> list[Any]:
    """Return a list of entries with objects in place of names of conventions, where it has nothing else that is no object."""
    made = [entry if isinstance(entry, dict) else _named(entry) for entry in given]
    return given if None in made else made


def _names_as_objects(node: Node) -> Draft | None:
    given = node.attributes["zarr_conventions"]
    made = _objects(given)
    return None if made == given else Draft("unsafe", (replace(pointer_to(node), made),))


def _as_list(node: Node) -> Draft | None:
    given = node.attributes.get("zarr_conventions")
    if not isinstance(given, dict):
        return None
    if any(member in given for member in IDENTIFIERS):
        return Draft("unsafe", (replace(pointer_to(node), [given]),))
    made = [
        {**(_whole({"uuid": key}) if not value else {}), "uuid": key, **_renamed(value)}
        for key, value in given.items()
        if isinstance(value, dict)
    ]
    return Draft("unsafe", (replace(pointer_to(node), made),)) if len(made) == len(given) else None


def _renamed(entry: dict[str, Any]) -> dict[str, Any]:
    """Return an entry of the early draft as it is written now, where the URL of a schema names the version."""
    names = {"schema": "schema_url", "spec": "spec_url"}
    return {names.get(member, member): entry[member] for member in entry if member != "version"}


def _whole(entry: dict[str, Any]) -> Mapping[str, Any]:
    """Return all of the entry of a convention that is known."""
    known = known_conventions.identify(entry)
    return {} if known is None else known.entry


@rule(
    "ZCF-DECL-004",
    on="node",
    needs=("attributes", "conventions list"),
    when=declares,
)
def entry_members(node: Node) -> Iterator[Fail]:
    """Fail on members that the framework does not define."""
    for i, entry in entries(node):
        for member, value in entry.items():
            if member not in MEMBERS:
                yield Fail(
                    pointer_to(node, i, member),
                    f"entry {i} has the extra member {json_text(member)}; an entry only identifies the convention",
                    fix=partial(_without_member, pointer_to(node, i, member), value),
                )


def _without_member(pointer: str, value: Any, _: Node) -> Draft:
    if isinstance(value, dict | list) and value:
        note = (
            "what it holds is lost; if it is needed, it belongs into attributes of the convention"
        )
        return Draft("suggest", (remove(pointer),), note)
    return Draft("safe", (remove(pointer),))


@rule(
    "ZCF-DECL-005",
    on="node",
    needs=("attributes", "conventions list"),
    when=declares,
)
def entry_named(node: Node) -> Iterator[Fail]:
    """Require a name for people."""
    for i, entry in entries(node):
        name = entry.get("name")
        if not isinstance(name, str) or not name.strip():
            known = known_conventions.identify(entry)
            right = known.entry.get("name") if known is not None else None
            yield Fail(
                pointer_to(node, i, *(["name"] if "name" in entry else [])),
                f"the name of entry {i} must be a text that names it, got {json_text(name)}"
                if "name" in entry
                else f"entry {i} has no name",
                readers=raised([entry]),
                fix=_put(i, "name", right) if right is not None else None,
            )
        if not isinstance(entry.get("description", ""), str):
            yield Fail(
                pointer_to(node, i, "description"),
                f"the description of entry {i} must be text, got {json_text(entry['description'])}",
                readers=raised([entry]),
                fix=_without(i, "description"),
            )


def _without(i: int, member: str) -> FixMaker:
    return lambda node: Draft("safe", (remove(pointer_to(node, i, member)),))


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
    when=declares,
)
def entry_name_fits(node: Node) -> Iterator[Fail]:
    """Require the name that the convention has, with the colon of a prefix. NZ's own is NZ-REG-002."""
    for i, entry in entries(node):
        known, name = known_conventions.identify(entry), entry.get("name")
        unknown = not known_conventions.mentioned(entry) and known_conventions.identifier(entry)
        if unknown and isinstance(name, str) and _is_prefix(name, node):
            yield Fail(
                pointer_to(node, i, "name"),
                f"name {json_text(name)} is a prefix of attributes here, but lacks its colon",
                severity="info",
                fix=_put(i, "name", f"{name}:"),
            )
        if known is None or known is known_conventions.NZ or not known.entry or "name" not in entry:
            continue
        if known_conventions.at_odds(entry):
            continue  # ZCF-DECL-003
        right = known.entry["name"]
        nests = right in known.keys
        if not isinstance(name, str) or not name.strip():
            continue  # ZCF-DECL-005
        if name == right or (name == f"{right}:" and not nests):
            continue  # the colon of a prefix is recommended
        if known_conventions.is_first_proj(entry):
            right = "proj:"  # as the schema of the version that is declared has it
        short = f"{name}:" == right
        lacks = f"name {json_text(name)} lacks the colon of the prefix {right}"
        yield Fail(
            pointer_to(node, i, "name"),
            lacks if short else f"name {json_text(name)} should be {json_text(right)}",
            severity="info" if name.rstrip(":") == right.rstrip(":") else None,
            fix=_put(i, "name", right),
        )


def _is_prefix(name: str, node: Node) -> bool:
    """Whether a name is one that attributes begin with, before a colon, and no attribute's own."""
    return (
        bool(name.strip())
        and name not in node.attributes
        and any(one.startswith(f"{name}:") for one in node.attributes)
    )


@rule(
    "ZCF-DECL-007",
    on="node",
    needs=("attributes", "conventions list"),
    when=declares,
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
    when=declares,
)
def entry_uuid(node: Node) -> Iterator[Fail]:
    """Require a uuid in its usual form, in lower case."""
    for i, entry in entries(node):
        uuid = entry.get("uuid", "")
        if "uuid" not in entry or (
            isinstance(uuid, str) and known_conventions.UUID.fullmatch(uuid)
        ):
            continue
        if not any(isinstance(entry.get(member), str) for member in IDENTIFIERS):
            continue  # which is ZCF-DECL-003
        upper = isinstance(uuid, str) and known_conventions.UUID.fullmatch(uuid.lower()) is not None
        right = _well_formed(uuid)
        yield Fail(
            pointer_to(node, i, "uuid"),
            f"uuid {json_text(uuid)} is malformed: "
            + (
                "its letters must be lower-case"
                if upper
                else "it must be 8, 4, 4, 4 and 12 hexadecimal digits with hyphens between them"
            ),
            severity="warning" if upper else None,
            readers=raised([entry]),
            fix=None if right is None else _put(i, "uuid", right),
        )


def _well_formed(given: Any) -> str | None:
    """Return the uuid that is in a text, or is meant by one without hyphens."""
    if not isinstance(given, str):
        return None
    inside = known_conventions.UUID.search(given.lower())
    try:
        return inside[0] if inside is not None else str(UUID(given))
    except ValueError:
        return None


def is_unpinned(url: str) -> bool:
    """Whether an address is that of a branch, and not of a version.

    Parameters
    ----------
    url : str
        That of a schema.
    """
    return _UNPINNED.search(url) is not None


@rule(
    "ZCF-DECL-010",
    on="node",
    needs=("attributes", "conventions list"),
    when=declares,
)
def entry_pinned(node: Node) -> Iterator[Fail]:
    """Require URLs of a fixed version."""
    for i, entry in entries(node):
        url = entry.get("schema_url")
        # that of another convention is ZCF-DECL-003
        whose = [known_conventions.identify(one) for one in (entry, {"schema_url": url})]
        printed = url in [known.entry.get("schema_url") for known in whose if known is not None]
        if isinstance(url, str) and is_unpinned(url) and not printed:
            yield Fail(
                pointer_to(node, i, "schema_url"),
                f"the address {url} names a branch, not a version: what is there may change",
                readers=raised([entry]),
                fix=_pinned(pointer_to(node, i, "schema_url"), whose[0]),
            )


def _pinned(pointer: str, known: Convention | None) -> FixMaker:
    """Return the fix that names the version which the authors of a convention name now, where that is known."""
    right = known.entry.get("schema_url", "") if known is not None else ""
    if not right or is_unpinned(right):
        return lambda _node: Draft("suggest", note="use the URL of a tag or a commit")
    note = "if the data follow this version"
    return lambda _node: Draft("suggest", (replace(pointer, right),), note)


@rule(
    "ZCF-DECL-012",
    on="node",
    needs=("attributes", "conventions list"),
    when=declares,
)
def convention_known(node: Node) -> Iterator[Fail]:
    """Note a convention whose properties cannot be checked here."""
    for i, entry in entries(node):
        name = known_conventions.identity(entry)
        if name is None or not (
            known_conventions.UUID.fullmatch(name.lower()) or known_conventions.URL.fullmatch(name)
        ):
            continue  # that it is malformed is reported
        if not known_conventions.mentioned(entry):  # else ZCF-DECL-003
            yield Fail(pointer_to(node, i), f"convention {json_text(name)} is not known here")


def pointer_to_entry(node: Node, known: Convention) -> str:
    """Return the pointer to the first entry of a convention.

    Parameters
    ----------
    node : Node
        The node.
    known : Convention
        One that the node declares itself.
    """
    identify = known_conventions.identify
    return pointer_to(node, next(i for i, one in entries(node) if identify(one) is known))


def declared_here(node: Node) -> set[Convention | None]:
    """Return the conventions that a node declares; None among them where one is not known."""
    return {known_conventions.identify(entry) for _, entry in entries(node)}


def levels(node: Node) -> Iterator[tuple[tuple[str | int, ...], dict[str, Any]]]:
    """Yield the levels of a pyramid of the multiscales convention that are objects, with their places in the attributes."""
    if multiscales.family(node.attributes) != "multiscales":
        return
    layout = node.attributes["multiscales"]["layout"]
    for i, level in enumerate(layout if isinstance(layout, list) else ()):
        if isinstance(level, dict):
            yield ("multiscales", "layout", i), level


def declare(known: Convention, *, wrong: bool = False) -> FixMaker:
    """Return the fix that declares a convention at a node.

    Parameters
    ----------
    known : Convention
        The convention.
    wrong : bool
        Whether its properties are wrong, so that declaring it makes errors of them.
    """
    safety: Safety = "suggest" if wrong else "safe"
    note = "what is wrong with its properties is an error then" if wrong else None

    def fix(node: Node) -> Draft | None:
        given = node.attributes.get("zarr_conventions")
        if isinstance(given, list):
            made = _objects(given)
            if made == given:
                return Draft(safety, (add(pointer_to(node, "-"), dict(known.entry)),), note)
            if known.name not in {entry.get("name") for entry in made}:
                made = [*made, dict(known.entry)]
            return Draft("suggest", (replace(pointer_to(node), made),), note)
        if given is not None:
            return None  # what it holds would be lost
        return Draft(safety, set_attribute(node, "zarr_conventions", [dict(known.entry)]), note)

    return fix
