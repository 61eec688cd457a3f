"""The ``ref`` convention: how one node points at another, or at something in its document.

Source: https://github.com/R-CF/zarr_convention_ref. By its text a relative path begins at the node that refers, and so it does
in cs since August 2026, when reference systems got a type. Earlier texts of cs and their examples begin there or at
the group that the node is in, so of references in systems without a type both are tried. In a system that a group keeps, a path
begins at each array that refers to the system; where none is asked for, at the arrays in the group, as an example of cs has it,
or at the group. Examples of geolocation by itself begin at the group of the array, whatever cs says beside it.
What leads nowhere from there is looked for from the group and from the root, where it may have been meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

from nz_explorer.documents import pointers
from nz_explorer.documents.json_text import json_text
from nz_explorer.model.array import Array
from nz_explorer.model.group import Group
from nz_explorer.model.node import Node
from nz_explorer.model.paths import below

if TYPE_CHECKING:
    from nz_explorer.store import Cancellation

MEMBERS = ("uri", "node", "attribute")
EARLIER = {"array": "node", "group": "node", "index": "attribute", "name": "attribute"}
"""Members that references had before they had these (until 04b59e1), and what took their places."""

Text = Literal["ref", "geolocation", "cs", "earlier cs"]
"""By which text a path is followed; ``cs`` is that since August 2026, ``geolocation`` that convention by itself."""
OF_CS = ("cs", "earlier cs")

DEEPEST = 8
"""References that are followed from one to the next."""

_LOOKED_AT = 64
"""Reference systems of a node of which it is looked at whether they have a type; arrays have few."""

_INDEX = re.compile(r"0|[1-9][0-9]*")
"""A place in a list, as RFC 6901 spells it."""


@dataclass(frozen=True, slots=True)
class Target:
    """What a reference leads to.

    Attributes
    ----------
    node : Node
        The node.
    value : Any
        What the pointer leads to in its document; None where the node itself is meant.
    pointer : str
        RFC 6901 pointer in the node's document, empty where the node itself is meant.
    """

    node: Node
    value: Any = None
    pointer: str = ""

    @property
    def array(self) -> Array | None:
        """The array that is meant; None where that is a group, or something in a document."""
        return self.node if isinstance(self.node, Array) and not self.pointer else None

    def __str__(self) -> str:
        return f"{self.pointer} of {self.node.path}" if self.pointer else self.node.path


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference, as far as it can be followed.

    Attributes
    ----------
    given : Any
        The value there.
    path, attribute, uri : str or None
        The members that can be used.
    targets : tuple of Target
        What it may lead to, the likeliest first; more than one where bases disagree.
    strayed : str or None
        Where the path had to begin to lead anywhere, if it must not: ``group``, ``root``, or ``keeper`` for the group that keeps
        a system, where an array refers to it.
    problem : str or None
        Why it leads nowhere.
    kind : str or None
        What kind of problem that is: ``form``, ``node``, ``attribute``, ``uri``.
    member : str or None
        The member that has the problem; None where that is the whole.
    text : str
        The text by which its path was followed.
    """

    given: Any
    path: str | None = None
    attribute: str | None = None
    uri: str | None = None
    targets: tuple[Target, ...] = ()
    strayed: str | None = None
    problem: str | None = None
    kind: str | None = None
    member: str | None = None
    text: Text = "ref"

    @property
    def array(self) -> Array | None:
        """The array that it leads to, None where there is none."""
        return next((array for one in self.targets if (array := one.array) is not None), None)

    @property
    def no_array(self) -> str | None:
        """What it leads to, in words, where that is known to be no array, also of another store."""
        if self.targets:
            return None if self.array is not None else str(self.targets[0])
        return (
            f"{self.attribute} of {self.path} in {self.uri}"
            if self.uri and self.attribute
            else None
        )


def is_reference(given: Any) -> bool:
    """Whether an object is a reference, written bare or below ``ref``."""
    return (
        isinstance(given, Mapping)
        and "axes" not in given
        and (
            any(member in given for member in (*MEMBERS, "ref"))
            # as they were before there was node
            or (("array" in given or "group" in given) and given.keys() <= EARLIER.keys())
        )
    )


def is_given(given: Any) -> bool:
    """Whether there is an object, and not only a reference to one."""
    if not isinstance(given, Mapping):
        return False
    return given.keys().isdisjoint(("ref", "node")) or not given.keys() <= {"ref", *MEMBERS}


def resolve(
    given: Any,
    home: Node,
    cancel: Cancellation | None = None,
    *,
    text: Text = "cs",
    base: Node | None = None,
) -> Reference:
    """Follow a reference to a node of the same store, or to something in its document.

    Parameters
    ----------
    given
        A path, an object with ``node``, or one with ``ref``.
    home : Node
        The node in whose document it is.
    cancel : Cancellation, optional
        Stops reading.
    text : str
        The text that it belongs to; of cs, in whose earlier texts paths may begin at the group of the node as well, it is found
        out which one.
    base : Node, optional
        The array that refers to it, where it is in a system that a group keeps: paths begin there.
    """
    base = home if base is None else base
    if text not in OF_CS:
        return _follow(given, home, base, cancel, text)
    if has_types(home):
        return _follow(given, home, base, cancel, "cs")
    found = _follow(given, home, base, cancel, "earlier cs")
    # of an array with nothing but references, what they lead to tells, or the other systems there
    typed = any(_is_typed(target.value) for target in found.targets)
    if not typed and found.path is not None and found.attribute is not None:
        end = joined(home.path, found.path)
        there = None if end is None else home.hierarchy.get(end, cancel)
        typed = there is not None and has_types(there)
    return _follow(given, home, base, cancel, "cs") if typed else found


def has_types(node: Node) -> bool:
    """Whether reference systems that a node describes have a type, as in cs since August 2026."""
    whole, shared = node.attributes.get("cs"), node.attributes.get("crs")
    listed = whole.get("crs") if isinstance(whole, Mapping) else None
    systems = [
        *islice(listed if isinstance(listed, list) else (), _LOOKED_AT),
        *islice(shared.values() if isinstance(shared, Mapping) else (), _LOOKED_AT),
    ]
    return any(map(_is_typed, systems))


def _is_typed(system: Any) -> bool:
    return isinstance(system, Mapping) and "type" in system


def _follow(
    given: Any, home: Node, base: Node, cancel: Cancellation | None, text: Text
) -> Reference:
    """Follow a reference by one of the texts."""
    inner = given["ref"] if isinstance(given, Mapping) and "ref" in given else given
    if isinstance(inner, str):
        inner = {"node": inner}
    if (wrong := _malformed(inner)) is not None:
        member, why = wrong
        return Reference(given, problem=why, kind="form", member=member, text=text)
    path, uri, attribute = (inner.get(member) for member in ("node", "uri", "attribute"))
    if not path:
        what = "missing" if path is None else "empty"
        why = f"node is {what}"
        return Reference(
            given, None, attribute, uri, problem=why, kind="form", member="node", text=text
        )
    if uri is not None:
        why = "other stores are not read"
        return Reference(given, path, attribute, uri, problem=why, kind="uri", text=text)
    nodes, strayed = _nodes(path, home, base, cancel, text)
    if not nodes:
        or_in_it = " or the arrays in it" if text in OF_CS and _begins_in(base, path) else ""
        why = f"{json_text(path)} does not lead to a node from {base.path}{or_in_it}"
        return Reference(given, path, attribute, problem=why, kind="node", member="node", text=text)
    if attribute is None:
        return Reference(
            given, path, targets=tuple(map(Target, nodes.values())), strayed=strayed, text=text
        )
    if not pointers.is_pointer(attribute):
        why = f'{json_text(attribute)} is not a JSON pointer (RFC 6901), such as "/attributes/crs/name"'
        return Reference(
            given, path, attribute, problem=why, kind="attribute", member="attribute", text=text
        )
    targets = tuple(t for node in nodes.values() if (t := _inside(node, attribute)) is not None)
    if not targets:
        why = f"{attribute} leads to nothing in the document of {' or '.join(nodes)}"
        return Reference(
            given, path, attribute, problem=why, kind="attribute", member="attribute", text=text
        )
    return Reference(given, path, attribute, targets=targets, strayed=strayed, text=text)


def _malformed(inner: Any) -> tuple[str | None, str] | None:
    """Return which member of a value has not the form of a reference, and why; None where it has."""
    if not isinstance(inner, Mapping):
        return None, f"it must be an object with node, got {json_text(inner)}"
    strange = next((member for member in inner if member not in MEMBERS), None)
    if strange in EARLIER:
        why = f"{json_text(strange)} is of an earlier form of ref, which has {EARLIER[strange]} instead"
        return strange, why
    if strange is not None:
        return strange, f"it may have {', '.join(MEMBERS)}, and has {json_text(strange)}"
    wrong = next((m for m in MEMBERS if m in inner and not isinstance(inner[m], str)), None)
    return (
        None if wrong is None else (wrong, f"{wrong} must be a text, got {json_text(inner[wrong])}")
    )


def _nodes(
    path: str, home: Node, base: Node, cancel: Cancellation | None, text: Text
) -> tuple[dict[str, Node], str | None]:
    """Return the nodes that a path may lead to, and where it had to begin for that, if it must not."""
    above = [] if isinstance(home, Group) else [home.parent or "/"]
    # an example of cs has a path in a group that begins at the arrays in it
    arrays = [f"{below(home.path)}*"] if text in OF_CS and _begins_in(home, path) else []
    keeper = None if base is home else "keeper"
    own = [] if base is home else [base.path]
    tried: list[tuple[str | None, list[str]]]
    if text in ("earlier cs", "geolocation"):
        tried = [(None, [*own, *arrays, home.path, *above])]
    else:
        tried = [(None, own), (keeper, arrays), (keeper, [home.path]), ("group", above)]
    tried.append(("root", ["/"]))
    for strayed, homes in [(None, ["/"])] if path.startswith("/") else tried:
        ends = [found for one in homes if (found := joined(one, path)) is not None]
        nodes = [node for one in ends if (node := home.hierarchy.get(one, cancel)) is not None]
        if nodes:
            return {node.path: node for node in nodes}, strayed
    return {}, None


def _begins_in(home: Node, path: str) -> bool:
    """Whether a path of cs may begin at the arrays in a group that keeps a system."""
    return isinstance(home, Group) and path.startswith("../")


def joined(home: str, path: str) -> str | None:
    """Return where a path leads to, None where that is out of the store.

    Parameters
    ----------
    home : str
        Absolute path of the node where it begins.
    path : str
        The path.
    """
    parts = [part for part in home.split("/") if part]
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/" + "/".join(parts)


def _inside(node: Node, attribute: str) -> Target | None:
    """Return what a pointer leads to in the document of a node."""
    value: Any = node.metadata if node.zarr_format == 3 else {"attributes": node.attributes}
    for name in pointers.split(attribute):
        if isinstance(value, Mapping) and name in value:
            value = value[name]
        elif isinstance(value, list) and _INDEX.fullmatch(name) and int(name) < len(value):
            value = value[int(name)]
        else:
            return None
    return Target(node, value, attribute)


def with_attributes(attribute: str) -> str:
    """Return a pointer with ``/attributes``, which was forgotten, in front."""
    return "/attributes/" + attribute.removeprefix("/")


def paths_of_arrays(given: Any, node: Node) -> Iterator[str]:
    """Yield where the references to arrays lead that an attribute of a node has in it, at any depth.

    Paths begin at the node, in earlier texts of cs at the group of an array as well, and in a group perhaps at the arrays in it:
    all of these are yielded, whether an array is there or not.

    Parameters
    ----------
    given : object
        The value of the attribute, such as ``cs``.
    node : Node
        The node.
    """
    homes = [node.path]
    if isinstance(node, Group):
        homes.append(f"{below(node.path)}*")
    elif not has_types(node):
        homes.append(node.parent or "/")
    rest = [given]
    while rest:  # a document may be nested deeper than Python calls functions
        one = rest.pop()
        if isinstance(one, list):
            rest += one
        elif isinstance(one, Mapping):
            rest += one.values()
            inner = one.get("ref")
            named = inner if isinstance(inner, Mapping) else {}
            path = named.get("node")
            if isinstance(path, str) and not {"uri", "attribute"} & named.keys():
                yield from filter(None, (joined(home, path) for home in homes))
