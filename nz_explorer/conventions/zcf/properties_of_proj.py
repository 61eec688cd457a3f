"""ZCF: what proj: has for a reference system: a code, well-known text or PROJJSON."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.zarr3.nodes import set_to
from nz_explorer.conventions.zcf import known_conventions
from nz_explorer.conventions.zcf.declarations import entries
from nz_explorer.conventions.zcf.systems_as_text import meant_by
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, FixMaker
from nz_explorer.engine.fixes import Draft, add, remove, replace
from nz_explorer.model.dialects import crs
from nz_explorer.text.phrases import listed

if TYPE_CHECKING:
    from nz_explorer.model import Node


def code_in_other_letters(node: Node) -> Iterator[Fail]:
    """Note a code that the first version of proj: refuses where that is declared: v0.1, which came later, takes it.

    Its own text has the code IAU_2015:30100, so what is no matter of capitals and blanks is let pass.

    Parameters
    ----------
    node : Node
        The node.
    """
    code, first = node.attributes.get("proj:code"), re.compile("[A-Z]+:[0-9]+")
    right = re.sub(r"\s", "", code).upper() if isinstance(code, str) else ""
    if code == right or not first.fullmatch(right) or _has_blank(str(code)):
        return
    if _is_first_version(node):
        pointer = node.attribute_pointer("proj:code")
        yield Fail(
            pointer,
            f"proj: proj:code is {json_text(code)}, and the version that is declared here has capital letters, a colon and digits,"
            f" {json_text(right)}: by its schema this is no code",
            severity="info",
            fix=lambda _node: Draft("safe", (replace(pointer, right),)),
        )


def _is_first_version(node: Node) -> bool:
    """Whether a node declares the first version of proj:."""
    return any(known_conventions.is_first_proj(entry) for _, entry in entries(node))


def several_systems(node: Node) -> Iterator[Fail]:
    """Note that a system is described twice where the first version of proj: is declared: its text allows that, its schema does not.

    Parameters
    ----------
    node : Node
        The node.
    """
    given = [name for name in crs.PROJ_ATTRIBUTES if node.attributes.get(name) is not None]
    if len(given) > 1 and _is_first_version(node):
        yield Fail(
            node.attribute_pointer(given[1]),
            f"proj: {listed(given)} are there, and the version that is declared here has at least one of them by its text, and exactly"
            " one by its schema",
            severity="info",
            fix=lambda _node: Draft("suggest", note="leave one, or declare v0.1, which takes more"),
        )


_OF_PROJ = re.compile(r"(?:\+.*)?\+?init=(\S+).*|\+.*")
"""A string of PROJ, and the code that one of them had before there were codes alone."""
_FRACTION = re.compile(r"\s*(EPSG|ESRI):\s*\d+\.\d*\s*", re.IGNORECASE)
"""A code that was a float before it was text; PROJ takes it, and programs that look for a whole number do not."""


def code_is_none(node: Node) -> Iterator[Fail]:
    """Warn of what the schema of v0.1 takes, as it has one colon, and its text does not.

    That is an address, a string of PROJ, a blank in a code, and a code of EPSG or ESRI that is no number.

    Parameters
    ----------
    node : Node
        The node.
    """
    given, pointer = node.attributes.get("proj:code"), node.attribute_pointer("proj:code")
    found = wrong_code(given)
    if found is not None:
        said, right = found
        yield Fail(
            pointer,
            f"proj: {said}",
            severity="warning",
            fix=set_to(pointer, right, "suggest") if right else None,
        )


def wrong_code(given: Any) -> tuple[str, str | None] | None:
    """Return what is wrong with a code that the schema takes, and the code that is meant where that is known; None of others.

    Parameters
    ----------
    given
        What proj:code is.
    """
    if not isinstance(given, str) or [bool(part) for part in given.split(":")] != [True, True]:
        return None  # which the schema refuses
    shown = json_text(given)
    if (authority := crs.without_number(given)) is not None:
        why = f"codes of {authority} are numbers: readers find no such system"
        return f"proj:code is {shown}, and {why}", None
    if (fraction := _FRACTION.fullmatch(given)) is not None:
        right = crs.code(given)
        here = f", here {json_text(right)}" if right else ""
        return (
            f"proj:code is {shown}, and codes of {fraction[1].upper()} are whole numbers{here}",
            right,
        )
    of_proj = _OF_PROJ.fullmatch(given.strip())
    if "://" not in given and of_proj is None and not _has_blank(given):
        return None
    kind = "the address " if "://" in given else "the string of PROJ " if of_proj else ""
    right = crs.code(re.sub(r"\s", "", of_proj[1] or "" if of_proj else given))
    here = f", here {json_text(right)}" if right else ", such as EPSG:4326"
    return (
        f"proj:code is {kind}{shown}, and readers look for an authority, a colon and a code{here}",
        right,
    )


def _has_blank(code: str) -> bool:
    """Whether there is a blank within a code; those around it are let pass."""
    return re.search(r"\s", code.strip()) is not None


def as_it_is_described(node: Node, name: str) -> FixMaker | None:
    """Return the fix of a description that stands in the attribute of the other kind, or of PROJJSON as text.

    Parameters
    ----------
    node : Node
        The node.
    name : str
        The attribute that it stands in.
    """
    meant = meant_by(node.attributes.get(name))
    if meant is None:
        return None
    wrong, right = (node.attribute_pointer(one) for one in (name, meant[0]))
    if wrong == right:
        return set_to(right, meant[1], "suggest")
    if meant[0] in node.attributes:
        return None
    return lambda _node: Draft("suggest", (remove(wrong), add(right, meant[1])))


def of_stac(node: Node, code: Any) -> Fail:
    """Report the number of a system in the attribute that STAC had for it until 2024.

    Parameters
    ----------
    node : Node
        The node.
    code : object
        What the attribute has.
    """
    wrong, right = (node.attribute_pointer(f"proj:{name}") for name in ("epsg", "code"))
    whole = of_epsg(code)
    here = f", here {json_text(whole)}" if whole else ""
    return Fail(
        wrong,
        f"proj: proj:epsg is of STAC, and readers look for 'proj:code'{here}",
        severity="warning",
        fix=(lambda _node: Draft("suggest", (remove(wrong), add(right, whole)))) if whole else None,
    )


def of_epsg(code: Any) -> str | None:
    """Return the code of a system that is a mere number, of which EPSG is meant; None where it is none.

    Parameters
    ----------
    code : object
        What may be a number.
    """
    number = type(code) in (int, str) and re.fullmatch("[1-9][0-9]{3,5}", str(code).strip())
    return f"EPSG:{number[0]}" if number else None


def as_the_text_has_it(node: Node) -> Iterator[Fail]:
    """Note null, which the text of proj: allows beside another attribute, and its schema, by which zarr-cm goes, does not.

    Parameters
    ----------
    node : Node
        The node.
    """
    given = {name: value for name, value in node.attributes.items() if name.startswith("proj:")}
    named = {name: value for name, value in given.items() if value is not None}
    if not named.keys() & known_conventions.PROJ.keys:
        for name in filter(known_conventions.PROJ.keys.__contains__, given):
            yield Fail(
                node.attribute_pointer(name),
                f"{name} is null, which the text of proj: allows where data have no reference system, and its schema does not",
                severity="info",
            )
        return
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
