"""CS: whether a node declares what it uses, and follows one revision of it."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.uris import is_uri
from nz_explorer.conventions.zarr3.nodes import set_to
from nz_explorer.conventions.zcf import known_conventions
from nz_explorer.conventions.zcf.declarations import (
    IDENTIFIERS,
    declare,
    declared_here,
    declares,
    entries,
    pointer_to,
)
from nz_explorer.conventions.zcf.identities import goes_first
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, RuleOutput
from nz_explorer.engine.fixes import Draft, replace
from nz_explorer.engine.registry import rule
from nz_explorer.model import Group, Node
from nz_explorer.model.dialects.cs import CoordinateSet, Crs
from nz_explorer.model.dialects.cs_revisions import REVISIONS, revision, signs_of_revisions

if TYPE_CHECKING:
    from nz_explorer.conventions.zcf.known_conventions import Convention


def registered(node: Node, systems: Iterable[Crs], attribute: str) -> RuleOutput:
    """Judge whether the conventions that a node uses are declared there.

    Parameters
    ----------
    node : Node
        The node.
    systems : iterable of Crs
        The reference systems that it has or refers to.
    attribute : str
        The attribute that they are in, ``cs`` or ``crs``.
    """
    declared = declared_here(node)
    if known_conventions.CS not in declared:
        found = undeclared(node, attribute, attribute, known_conventions.CS, "CS-REG-001")
        # a name is enough for the reader of the author, and what a group declares it does not ask
        read = isinstance(node, Group) or any(one.get("name") == "cs" for _, one in entries(node))
        yield dataclasses.replace(found, readers={}) if read else found
    own = [crs for crs in systems if crs.home is node or crs.reference is not None]
    used: dict[Convention, str] = {}
    whole = node.attributes.get("cs")
    if attribute == "cs" and isinstance(whole, Mapping) and _is_of_proj(whole.get("id")):
        used[known_conventions.PROJ] = "id"
    for crs in own:
        if crs.reference is not None:
            used[known_conventions.REF] = "a reference"
        used |= _used_in(crs) if crs.home is node else {}
    inside: dict[Convention, str] = {}
    for crs in own:
        if crs.home is node and isinstance(crs.given, Mapping):
            inside |= companions(crs.given.get("geolocation"))
    for known, what in (inside | used).items():
        if known not in declared:
            by = "" if what == known.name else f" (by {what})"
            found = undeclared(node, attribute, f"{known.name}{by}", known, "CS-REG-002")
            if known not in used:
                # the examples of geolocation declare what is inside it, those of cs that have geolocation do not
                found = dataclasses.replace(found, severity="info")
            yield found


def _is_of_proj(given: Any) -> bool:
    """Whether an id is one of proj: by its members; one that is not is CS-ID-004."""
    return isinstance(given, Mapping) and bool(known_conventions.PROJ.keys & given.keys())


def _used_in(crs: Crs) -> dict[Convention, str]:
    """Return the conventions that a reference system uses by itself, and in which member."""
    given = crs.given if isinstance(crs.given, Mapping) else {}
    used: dict[Convention, str] = {}
    if _is_of_proj(given.get("id")):
        used[known_conventions.PROJ] = "id"
    if "geolocation" in given:
        used[known_conventions.GEOLOCATION] = "geolocation"
    for one in (one for axis in crs.axes for one in axis.sets):
        if "external" in {one.kind, *(key for more in _more_values(one) for key in more)}:
            used[known_conventions.REF] = "external"
        unit = one.given.get("unit")
        if isinstance(unit, Mapping) and unit.keys() & {"uom", "ucum"}:
            used[known_conventions.UOM] = "unit"
    return used


SYSTEMS = ("crs", "id")
"""What geolocation calls the reference system of positions: in the table of its text, and in its examples."""


def companions(geolocation: Any) -> dict[Convention, str]:
    """Return the conventions that an object of the geolocation convention uses, and in which member.

    Parameters
    ----------
    geolocation : object
        What is given as that object.
    """
    pairs = geolocation.values() if isinstance(geolocation, Mapping) else ()
    given = [pair for pair in pairs if isinstance(pair, Mapping)]
    found = {known_conventions.REF: "geolocation"} if given else {}
    if any(isinstance(pair.get(name), Mapping) for pair in given for name in SYSTEMS):
        found[known_conventions.PROJ] = "geolocation"
    return found


def _more_values(one: CoordinateSet) -> list[Mapping[str, Any]]:
    """Return the objects of a set of coordinates that may refer to arrays: its boundaries, and the terms of its formula."""
    formula = one.given.get("parametric")
    terms = formula.get("terms") if isinstance(formula, Mapping) else None
    given = (one.given.get("boundaries"), *(terms.values() if isinstance(terms, Mapping) else ()))
    return [values for values in given if isinstance(values, Mapping)]


def undeclared(node: Node, attribute: str, what: str, known: Convention, rule_id: str) -> Fail:
    """Report a convention that is used and not declared; an entry that only has its name does not declare it.

    Parameters
    ----------
    node : Node
        The node.
    attribute : str
        The attribute that uses it.
    what : str
        The convention in words.
    known : Convention
        The convention.
    rule_id : str
        The rule that is broken.
    """
    names = (known.name, f"{known.name}:")
    named = [
        i
        for i, entry in entries(node)
        if entry.get("name") in names and not any(member in entry for member in IDENTIFIERS)
    ]
    rest = f"does not declare {known.name} in zarr_conventions"
    if (why := _not_read(node, names)) is not None:
        rest += f": {why}"
    if named:
        rest = (
            f"entry {named[0]} of zarr_conventions has only the name {known.name}: "
            "the uuid or a URL has to identify the convention, since names are not unique"
        )
    whole = dict(known.entry)
    overruled = [
        (i, goes_first(entry))
        for i, entry in entries(node)
        if known in known_conventions.mentioned(entry)
        and known_conventions.identify(entry) is not known
    ]
    if overruled:
        i, member = overruled[0]
        at, right = pointer_to(node, i, member), known.entry.get(member)
        return Fail(
            node.attribute_pointer(attribute),
            f"this node uses {what}, but the {member} of entry {i} of zarr_conventions is that of another convention, and counts"
            f" for more than its other members, which are those of {known.name}",
            fix=set_to(at, right, "suggest") if right else None,
            rule=rule_id,
        )
    return Fail(
        node.attribute_pointer(attribute),
        f"this node uses {what}, but {rest}",
        fix=(lambda _node: Draft("safe", (replace(pointer_to(node, named[0]), whole),)))
        if named
        else declare(known),
        # of proj:, which examples of the text use and do not declare
        severity="warning" if known is known_conventions.PROJ else None,
        rule=rule_id,
    )


def _not_read(node: Node, names: tuple[str, ...]) -> str | None:
    """Return why a list that seems to declare a convention does not, None where it does not seem to, or only has its name."""
    if "zarr_conventions" not in node.attributes:
        return None
    listed = node.attributes["zarr_conventions"]
    if not isinstance(listed, list):
        return f"that must be a list of objects, got {json_text(listed)}"
    for i, entry in enumerate(listed):
        if isinstance(entry, str) and entry in names:
            return f"entry {i} is the text {json_text(entry)}, and must be an object with a uuid or a URL"
        if isinstance(entry, Mapping) and entry.get("name") in names:
            member = next((one for one in IDENTIFIERS if one in entry), None)
            if member is not None:
                return (
                    f"entry {i} is called {json_text(entry['name'])}, and its {member},"
                    f" {json_text(entry[member])}, is not that of {names[0]}"
                )
    return None


@rule("CS-REG-005", on="node", formats=(3,), needs=("attributes",), when=declares)
def addresses(node: Node) -> RuleOutput:
    """Warn of entries for cs, ref and geolocation with addresses of something else; of those of others ZCF-DECL-003 says it."""
    for i, entry in entries(node):
        known = known_conventions.identify(entry)
        if known is None or known not in _WITH_ADDRESSES:
            continue
        for member in ("schema_url", "spec_url"):
            url = entry.get(member)
            right = known.entry[member]
            if url == right or not isinstance(url, str) or not is_uri(url):
                continue  # that it is no URL is ZCF-DECL-003
            other = known_conventions.identify({member: url})
            if other is None or known_conventions.is_another(known, other):
                whose = f"is that of {other.name}, and" if other else "is"
                what = f"{whose} not that of {known.name}"
            elif _file_name(url) == _file_name(known.entry[_OTHER[member]]):
                led, wanted = _LEADS_TO[_OTHER[member]], _LEADS_TO[member]
                what = f"leads to the {led} of {known.name}, and not to its {wanted}"
            elif member == "schema_url" and _PAGE.match(url):
                what = f"leads to a page about {known.name}, and not to its schema"
            else:
                continue
            yield Fail(
                pointer_to(node, i, member),
                f"{member} of entry {i} {what}, {right}",
                fix=set_to(pointer_to(node, i, member), right, "suggest"),
            )


_PAGE = re.compile(r"https?://(www\.)?github\.com/(?![^/]+/[^/]+/raw/)", re.IGNORECASE)
"""An address at GitHub that gives HTML, whatever it is about."""
_WITH_ADDRESSES = (known_conventions.CS, known_conventions.REF, known_conventions.GEOLOCATION)
"""The conventions of one author, whose schemas prescribe the addresses."""
_OTHER = {"schema_url": "spec_url", "spec_url": "schema_url"}
_LEADS_TO = {"schema_url": "schema", "spec_url": "text"}


def _file_name(url: str) -> str:
    """Return the name of the file that an address leads to, which all versions share."""
    return url.rpartition("/")[2]


def one_revision(node: Node, systems: Iterable[Crs], attribute: str) -> RuleOutput:
    """Judge whether the reference systems that a node describes follow one revision.

    Parameters
    ----------
    node : Node
        The node.
    systems : iterable of Crs
        The reference systems that it has or refers to.
    attribute : str
        The attribute that they are in, ``cs`` or ``crs``.
    """
    own = [crs for crs in systems if crs.home is node]
    found = sorted({r for crs in own for r in revision(crs)})
    if len(found) > 1:
        signs = [sign for crs in own for sign in signs_of_revisions(crs)]
        # the place that differs from the most others; of two that are as frequent it is the older revision's
        usual = max(found, key=lambda one: (sum(one in sign for _, sign in signs), one))
        odd = [pointer for pointer, sign in signs if usual not in sign]
        forms = " and ".join(f"{one} ({REVISIONS[one]})" for one in found)
        differing = {_differs(pointer, sign) for pointer, sign in signs if usual not in sign}
        if len(differing) == 1:
            what = differing.pop()
            forms = f"{what}, and the rest is {usual} ({REVISIONS[usual]})"
            if what == _AT_AXES:
                forms += "; the first example of the text and geozarr for R have it so"
        yield Fail(
            odd[0] if odd else node.attribute_pointer(attribute),
            f"this mixes revisions of cs: {forms}",
            rule="CS-REV-001",
        )


_AT_AXES = "axes have the direction, as in r1"


def _differs(pointer: str, sign: Collection[str]) -> str:
    """Return what a place has that belongs to other revisions than the rest."""
    member = pointer.rpartition("/")[2]
    if member == "direction":
        return _AT_AXES if "r1" in sign else "sets of coordinates have a direction, as since r2"
    return {
        ("type", True): "a reference system has a type, as in r4",
        ("type", False): "a reference system has no type, as before r4",
        ("axes", True): "axes are an object by name, as since r3",
        ("axes", False): "axes are a list, as in r1 and r2",
        ("time", True): "times have a unit and an epoch, as since r2",
        ("time", False): "times have a reference, as in r1 and r2",
    }[member, "r4" in sign]
