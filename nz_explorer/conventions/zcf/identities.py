"""ZCF: what identifies the convention that an entry declares."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.zarr3.nodes import set_to
from nz_explorer.conventions.zcf import known_conventions
from nz_explorer.conventions.zcf.declarations import (
    IDENTIFIERS,
    declares,
    entries,
    is_unpinned,
    pointer_to,
)
from nz_explorer.conventions.zcf.read_by_zarr_cm import raised
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, FixMaker
from nz_explorer.engine.fixes import Draft, remove, replace
from nz_explorer.engine.registry import rule

if TYPE_CHECKING:
    from nz_explorer.conventions.zcf.known_conventions import Convention
    from nz_explorer.model import Node


_WITH_ADDRESSES = (known_conventions.PROJ, known_conventions.SPATIAL, known_conventions.MULTISCALES)
"""Conventions whose schema prescribes the addresses in an entry."""
_OF_CS = (known_conventions.CS, known_conventions.REF, known_conventions.GEOLOCATION)
"""Those of which CS-REG-005 tells."""


@rule(
    "ZCF-DECL-003",
    on="node",
    needs=("attributes", "conventions list"),
    when=declares,
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
                readers=raised([entry]),
                fix=_identified(i, entry),
            )
            continue
        yield from _of_nobody(node, i, entry)
        if (both := _declared_and_meant(entry)) is not None:
            yield _uuid_of_another(node, i, entry, *both)
            continue
        named = any(_leads(entry, member) for member in IDENTIFIERS)
        yield from _exchanged(node, i, entry)
        for member in ("schema_url", "spec_url"):
            yield from _of_another(node, i, entry, member)
            if member in entry and not _leads(entry, member):
                yield Fail(
                    pointer_to(node, i, member),
                    f"{member} of entry {i} is no URL: {json_text(entry[member])}",
                    severity="warning" if named else None,
                    readers=raised([entry]),
                )


@rule(
    "ZCF-DECL-011",
    on="node",
    needs=("attributes", "conventions list"),
    when=declares,
)
def declared_once(node: Node) -> Iterator[Fail]:
    """Require one entry for each convention."""
    seen: set[str] = set()
    for i, entry in entries(node):
        name = known_conventions.identity(entry)
        if name is None or _declared_and_meant(entry) is not None:
            continue  # one of two that is meant to be another is not the one to remove
        if name in seen:
            pointer = pointer_to(node, i)
            yield Fail(
                pointer,
                f"convention {name} is declared twice",
                fix=lambda _node, pointer=pointer: Draft("safe", (remove(pointer),)),  # type: ignore[misc]  # bound now
            )
        seen.add(name)


def _of_another(node: Node, i: int, entry: dict[str, Any], member: str) -> Iterator[Fail]:
    """Warn of an address that is known, and that of another convention than the entry names first. NZ's own is NZ-REG-002."""
    known = known_conventions.identify(entry)
    other = known_conventions.identify({member: entry.get(member)})
    if known is not None and other is not None and known_conventions.is_another(known, other):
        yield Fail(
            pointer_to(node, i, member),
            f"{member} of entry {i} is that of {other.name}, and the rest that of {known.name}",
            severity="warning",
            readers=_by_address(entry, member),
            fix=_replaced(pointer_to(node, i, member), known.entry.get(member)),
            covers=("CS-REG-005",),
        )
    elif (
        known in _WITH_ADDRESSES
        and _leads(entry, member)
        and (other is None or _is_schema(entry[member]) is (member == "spec_url"))
    ):
        yield Fail(
            pointer_to(node, i, member),
            f"{member} of entry {i} is {json_text(entry[member])}, and by the schema of {known.name} it is"
            f" {json_text(known.entry[member])}"
            + (": readers that go by the uuid alone do not mind" if "uuid" in entry else ""),
            severity="info",
            readers=_by_address(entry, member),
            fix=_replaced(pointer_to(node, i, member), known.entry[member]),
        )
    elif known is not None and member == "schema_url" and other is known:
        yield from _of_no_version(node, i, entry, known)


def _exchanged(node: Node, i: int, entry: dict[str, Any]) -> Iterator[Fail]:
    """Warn of the address of a text in the place of that of a schema, and the other way round, by the ends of both.

    Where schemas prescribe the addresses, each of the two is told by itself.
    """
    schema, text = entry.get("schema_url"), entry.get("spec_url")
    if not (isinstance(schema, str) and isinstance(text, str)):
        return
    told = known_conventions.identify(entry) in (*_WITH_ADDRESSES, *_OF_CS)
    if told or not (_TEXT.search(schema) and text.lower().endswith(".json")):
        return
    places = {"schema_url": text, "spec_url": schema}
    right = tuple(replace(pointer_to(node, i, one), url) for one, url in places.items())
    yield Fail(
        pointer_to(node, i, "schema_url"),
        f"schema_url and spec_url of entry {i} are exchanged: {json_text(schema)} is no JSON schema, and the other one is",
        severity="warning",
        readers=_by_address(entry, "schema_url"),
        fix=lambda _node: Draft("suggest", right),
    )


_TEXT = re.compile(r"\.(?:md|rst|adoc|html?|pdf)(?:[?#].*)?$", re.IGNORECASE)
"""The end of an address of something to read."""


def _of_no_version(node: Node, i: int, entry: dict[str, Any], known: Convention) -> Iterator[Fail]:
    """Note an address that the text of a convention may have had, and by which zarr-cm knows no version of it."""
    url = entry["schema_url"]
    refused = raised([{"uuid": entry.get("uuid"), "schema_url": url}])
    if entry.get("uuid") != known.uuid or not refused or is_unpinned(url):
        return
    here = known_conventions.repository(url)
    name = here.partition("/")[2]
    # one of the same name has the same versions
    others = sorted(known.urls, key=lambda one: (not one.endswith(f"/{name}"), one))
    moved = (url.replace(here, one) for one in others)
    right = next((one for one in moved if not raised([{**entry, "schema_url": one}])), None)
    yield Fail(
        pointer_to(node, i, "schema_url"),
        f"zarr-cm knows no version of {known.name} by the schema_url of entry {i}, {url}"
        + (f", but by {right}" if right else ""),
        severity="info",
        readers=refused,
        fix=_replaced(pointer_to(node, i, "schema_url"), right),
    )


def _is_schema(url: str) -> bool:
    """Whether an address is that of a schema of the conventions whose addresses are prescribed, in any version."""
    return url.endswith("/schema.json")


def _by_address(entry: dict[str, Any], member: str) -> dict[str, str]:
    """Return what zarr-cm does with an address: it looks at that of the schema, which tells it the version, and at no other."""
    return raised([entry]) if member == "schema_url" else {}


def _declared_and_meant(entry: dict[str, Any]) -> tuple[Convention, Convention] | None:
    """Return the convention of an entry's uuid, and the one of its name and addresses, where they are two. NZ's own is NZ-REG-002."""
    known = known_conventions.identify({"uuid": entry.get("uuid")})
    named = [entry[member] for member in ("schema_url", "spec_url") if member in entry]
    others = {known_conventions.identify({"spec_url": url}) for url in named}
    other = others.pop() if len(others) == 1 else None
    if known is None or other is None or other not in named_like(entry):
        return None
    return (known, other) if known_conventions.is_another(known, other) else None


def _uuid_of_another(
    node: Node, i: int, entry: dict[str, Any], known: Convention, meant: Convention
) -> Fail:
    pointer = pointer_to(node, i, "uuid")
    return Fail(
        pointer,
        f"uuid of entry {i} is that of {known.name}, and its name and addresses are those of"
        f" {meant.name}: by the uuid, which goes first, {meant.name} is not declared",
        severity="warning",
        readers=raised([entry]),
        fix=_replaced(pointer, meant.uuid),
    )


def _of_nobody(node: Node, i: int, entry: dict[str, Any]) -> Iterator[Fail]:
    """Warn of what goes first, and that nobody knows, beside an address that is known. NZ's own is NZ-REG-002."""
    others = known_conventions.mentioned(entry)
    if known_conventions.identify(entry) is not None or known_conventions.NZ in others:
        return
    for other in others[:1]:
        wrong = goes_first(entry)
        yield Fail(
            pointer_to(node, i, wrong),
            f"{wrong} of entry {i}, which goes first, is not that of {other.name}, whose address the entry has",
            severity="warning",
            fix=_replaced(pointer_to(node, i, wrong), other.entry.get(wrong)),
        )


def goes_first(entry: dict[str, Any]) -> str:
    """Return the member by which an entry identifies its convention, whatever the others say.

    Parameters
    ----------
    entry : dict
        Of ``zarr_conventions``, with something that identifies a convention.
    """
    first = str(known_conventions.identifier(entry)).lower()
    return next(one for one in IDENTIFIERS if str(entry.get(one)).lower() == first)


def _replaced(pointer: str, right: str | None) -> FixMaker | None:
    return set_to(pointer, right, "suggest") if right else None


def named_like(entry: dict[str, Any]) -> list[Convention]:
    """Return the conventions that are known and have the name of an entry.

    Parameters
    ----------
    entry : dict
        Of ``zarr_conventions``.
    """
    name = str(entry.get("name")).rstrip(":").lower()
    return [one for one in known_conventions.KNOWN if one.name.lower() == name and one.entry]


def _identified(i: int, entry: dict[str, Any]) -> FixMaker:
    """Return the fix of an entry that identifies no convention: the whole entry of the one that is called so."""
    called = named_like(entry)
    if not called:
        return lambda _node: Draft("suggest", note="add the uuid of the convention")
    whole = dict(called[0].entry)
    return lambda node: Draft("suggest", (replace(pointer_to(node, i), whole),))


def _leads(entry: Any, member: str) -> bool:
    """Whether a member is there and can name the convention: the form of a uuid is ZCF-DECL-008."""
    given = entry.get(member)
    return isinstance(given, str) and (
        member == "uuid" or known_conventions.URL.fullmatch(given) is not None
    )
