"""CS: where the paths of references lead, and how they are written so that they lead elsewhere."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from difflib import get_close_matches
from itertools import islice
from typing import Any
from urllib.parse import unquote

from nz_explorer.documents.pointers import join, split
from nz_explorer.engine.fixes import Operation, replace
from nz_explorer.model import Array, Group, Node
from nz_explorer.model.dialects.cs import LOOKED_AT, is_by_name, users, uses
from nz_explorer.model.dialects.ref import OF_CS, Reference, Text, joined, paths_of_arrays
from nz_explorer.model.paths import all_above, below

MOST_SYSTEMS = 64
"""Reference systems of an array of which it is looked at whether axes are by name; arrays have few."""


def is_for_others(home: Node, reference: Reference, at: str) -> bool:
    """Whether only arrays elsewhere can tell that a path in a system that a group keeps leads nowhere, as it begins at each of them.

    Parameters
    ----------
    home : Node
        The node that has it.
    reference : Reference
        The reference.
    at : str
        RFC 6901 pointer to it.
    """
    if (
        reference.kind != "node"
        or reference.text not in OF_CS
        or split(at)[:2] != ["attributes", "crs"]
    ):
        return False
    if not isinstance(home, Group) or keeps_lists(home):
        return False
    # from an array only .. leads to anything, and those in the group begin where the group itself can look
    goes_up = (reference.path or "").startswith("../")
    return goes_up and not _is_used_here(home, join("", *split(at)[:3]))


def _is_used_here(group: Group, system: str) -> bool:
    """Whether an array of a group refers to a system that the group keeps, by its pointer in the document of the group."""
    return any(
        isinstance(child, Array) and uses(child, group, system)
        for child in group.hierarchy.children(group)
    )


def path_from_all(
    keeper: Node,
    reference: Reference,
    at: str,
    target: str,
    otherwise: str | None,
    user: Array | None = None,
) -> str | None:
    """Return the path that leads to a node from all arrays that refer to a system which a group keeps; None where none does.

    Parameters
    ----------
    keeper : Node
        The group.
    reference : Reference
        What is in the system, and leads to a node.
    at : str
        RFC 6901 pointer to it.
    target : str
        Absolute path of the node.
    otherwise : str or None
        What is returned where no array refers to the system, or no group keeps it.
    user : Array, optional
        One that refers to it, which in a large store may not be among the first nodes, where the others are looked for.
    """
    place, shared = split(at), keeper.attributes.get("crs")
    if not isinstance(keeper, Group) or not isinstance(shared, Mapping):
        return otherwise
    in_system = place[:2] == ["attributes", "crs"] and len(place) > 2
    if not in_system or reference.attribute is not None or reference.text not in OF_CS:
        return otherwise
    by_name = is_by_name(shared.get(place[2]))  # those of lists begin at the group
    referring = users(keeper, join("", *place[:3]), LOOKED_AT)
    referring += () if user is None else (user,)
    bases = [array.path if by_name else array.parent or "/" for array in referring]
    if not bases:
        return otherwise
    from_root = "../" * len(list(all_above(bases[0]))) + target.removeprefix("/")
    tried = (posixpath.relpath(target, bases[0]), from_root)
    return next((one for one in tried if all(joined(base, one) == target for base in bases)), None)


def end_as_read(base: str, path: str) -> str:
    """Return where the reader of the author of cs is led to by a relative path from an absolute one.

    Parameters
    ----------
    base : str
        Where the path begins.
    path : str
        The path.
    """
    parts = [part for part in base.split("/") if part]
    for part in path.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    return "/" + "/".join(parts)


def path_to(home: Node, target: str, same: Mapping[str, str], text: Text) -> str:
    """Return the relative path to a node: from the node that refers, of what a group keeps from the arrays in it.

    While axes were a list, what a group kept began at the group, by its text as by ref; so it is written there, unless that
    leads to something else from the arrays.

    Parameters
    ----------
    home : Node
        The node that refers.
    target : str
        Absolute path of the other one.
    same : mapping
        The attribute, where there is one.
    text : str
        The text by which the path is to be followed.
    """
    if text not in OF_CS or not isinstance(home, Group) or same:
        return posixpath.relpath(target, home.path)
    an_array = f"{below(home.path)}*"
    if text == "earlier cs" and keeps_lists(home):
        path = posixpath.relpath(target, home.path)
        end = joined(an_array, path) if path.startswith("../") else None
        if end is None or home.hierarchy.get(end) is None:
            return path
    return posixpath.relpath(target, an_array)


def keeps_lists(group: Node) -> bool:
    """Whether axes are a list in the reference systems that a group keeps, and in none of them an object by name.

    Parameters
    ----------
    group : Node
        The group.
    """
    shared = group.attributes.get("crs")
    systems = list(islice(shared.values(), MOST_SYSTEMS)) if isinstance(shared, Mapping) else []
    listed = [isinstance(one, Mapping) and isinstance(one.get("axes"), list) for one in systems]
    return any(listed) and not any(map(is_by_name, systems))


def path_from_root(home: Node, target: str, same: Mapping[str, str], text: Text) -> str:
    """Return the relative path for one from the root, which leads to the same from every array that refers to a shared system.

    In a system that a group keeps it goes up to the root, so that it does from arrays in groups beside that one as well;
    while axes were a list, it began at that group.

    Parameters
    ----------
    home : Node
        The node that refers.
    target : str
        Absolute path of the other one.
    same : mapping
        The attribute, where there is one.
    text : str
        The text by which the path is to be followed.
    """
    lists = text == "earlier cs" and isinstance(home, Group) and keeps_lists(home)
    if text not in OF_CS or not isinstance(home, Group) or same or lists:
        return path_to(home, target, same, text)
    return "../" * len(list(all_above(f"{below(home.path)}*"))) + target.removeprefix("/")


_LIMITS = re.compile(r"(?:bnds|bounds)$", re.IGNORECASE)
"""How names of limits end, which are nearly those of what they are the limits of."""


def node_nearly_so(home: Node, path: str, keeper: Node | None = None) -> str | None:
    """Return the node that a path should lead to: its end in a group above, or a name that is spelled nearly so.

    Names of what belongs together differ in a letter, such as hyam and hybm, so no array is meant that another reference has.

    Parameters
    ----------
    home : Node
        The node that refers.
    path : str
        The path.
    keeper : Node, optional
        The group that keeps the path, where that is in a shared system.
    """
    path = unquote(path).strip()  # paths are no URIs, where a character may be written so
    end = re.sub(r"^(\.{0,2}/)+", "", path)
    own = [home.path] if isinstance(home, Group) else []
    for group in (*own, *all_above(home.path)):
        place = joined(group, end)
        if place not in (None, "/", home.path) and home.hierarchy.get(place) is not None:
            return place
    in_it = [f"{below(home.path)}*"] if isinstance(home, Group) and path.startswith("../") else []
    taken = {home.path, *paths_of_arrays((keeper or home).attributes, home)}
    for base in (*in_it, home.path, home.parent or "/"):
        place = joined(base, path) or "/"
        beside = home.hierarchy.get(posixpath.dirname(place))
        if isinstance(beside, Group):
            wanted = posixpath.basename(place).lower()
            names = {
                child.name.lower(): child.name
                for child in beside.hierarchy.children(beside)
                if child.path not in taken
                and bool(_LIMITS.search(child.name)) == bool(_LIMITS.search(wanted))
            }
            if close := get_close_matches(wanted, names, 1, 0.75):
                return below(beside.path) + names[close[0]]
    return None


def with_path(reference: Reference, inner: str, path: str) -> Operation:
    """Return the operation that gives a reference another path, also where it is a path by itself.

    Parameters
    ----------
    reference : Reference
        The reference.
    inner : str
        RFC 6901 pointer to its members.
    path : str
        The other path.
    """
    if isinstance(without_wrapper(reference), str):
        return replace(inner, as_object(reference, path))
    return replace(f"{inner}/node", path)


def as_object(reference: Reference, path: str) -> dict[str, Any]:
    """Return what a reference that is a text should be: with ``ref`` around it, where that is not there already.

    Parameters
    ----------
    reference : Reference
        The reference.
    path : str
        The path.
    """
    wrapped = reference.text == "ref" or isinstance(reference.given, Mapping)
    return {"node": path} if wrapped else {"ref": {"node": path}}


def without_wrapper(reference: Reference) -> Any:
    """Return a reference without ``ref`` around it.

    Parameters
    ----------
    reference : Reference
        The reference.
    """
    given = reference.given
    return given["ref"] if isinstance(given, Mapping) and "ref" in given else given


def inner_pointer(reference: Reference, at: str) -> str:
    """Return where the members of a reference are: below ``ref``, or there without it.

    Parameters
    ----------
    reference : Reference
        The reference.
    at : str
        RFC 6901 pointer to it.
    """
    given = reference.given
    return f"{at}/ref" if isinstance(given, Mapping) and "ref" in given else at
