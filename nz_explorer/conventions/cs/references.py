"""How a reference from one node to another, or to something in its document, can be wrong."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any
from unicodedata import normalize
from urllib.parse import unquote

from nz_explorer.conventions.cs.paths import (
    MOST_SYSTEMS,
    as_object,
    end_as_read,
    inner_pointer,
    is_for_others,
    keeps_lists,
    node_nearly_so,
    path_from_all,
    path_from_root,
    path_to,
    with_path,
    without_wrapper,
)
from nz_explorer.conventions.uris import is_uri, path_within
from nz_explorer.documents.json_text import json_text
from nz_explorer.documents.pointers import is_pointer, join, split
from nz_explorer.engine.findings import Fail, FixMaker, RuleOutput
from nz_explorer.engine.fixes import Draft, Operation, move, remove, replace
from nz_explorer.model import Group, Node
from nz_explorer.model.dialects.cs import is_by_name
from nz_explorer.model.dialects.ref import (
    EARLIER,
    MEMBERS,
    OF_CS,
    Reference,
    resolve,
    with_attributes,
)
from nz_explorer.model.paths import all_above

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_OF_KIND = {"form": "REF-001", "node": "REF-002", "attribute": "REF-005"}


def judge_reference(
    home: Node, reference: Reference, at: str, *, wanted: bool = True
) -> RuleOutput:
    """Judge a reference in a node, in what cs says or by itself.

    Parameters
    ----------
    home : Node
        The node.
    reference : Reference
        What becomes of the reference.
    at : str
        RFC 6901 pointer to it.
    wanted : bool
        False of one that leads to nothing of use.
    """
    if reference.uri is not None:
        yield from _elsewhere(home, reference, reference.uri, inner_pointer(reference, at))
    inner = inner_pointer(reference, at)
    if reference.kind in _OF_KIND and not is_for_others(home, reference, at):
        whole = reference.member is None or not isinstance(without_wrapper(reference), Mapping)
        yield Fail(
            inner if whole else join(inner, str(reference.member)),
            f"reference: {reference.problem}{_meant(reference, inner)}",
            readers={} if _is_found_all_the_same(home, reference) else None,
            fix=_repaired(home, reference, at),
            rule=_OF_KIND[reference.kind],
        )
    paths = [target.node.path for target in reference.targets]
    if isinstance(bare := without_wrapper(reference), str) and reference.kind != "form":
        right = as_object(reference, bare)
        yield Fail(
            inner,
            f"reference: it is a text, and must be an object, here {json_text(right)}",
            fix=lambda _node: Draft("suggest", (replace(inner, right),)),
            rule="REF-001",
        )
    if reference.targets and (reference.strayed or (reference.path or "").startswith("/")):
        yield _not_from_the_node(home, reference, at)
    elif reference.targets and (lost := _lost_from_the_array(home, reference)) is not None:
        yield Fail(
            at,
            f"{json_text(reference.path)} begins at the group of the array, as earlier texts had it; from the array, where ref and"
            f" the reader of the author of cs begin, it leads to {lost}",
            related=(paths[0],),
            fix=lambda _node: _from_the_array(home, reference, inner),
            rule="REF-008",
        )
    if len(paths) > 1 and wanted:
        bases = "the arrays in the group" if isinstance(home, Group) else "the node"
        other = "the group itself" if isinstance(home, Group) else "its group"
        yield Fail(
            at,
            f"{json_text(reference.path)} is ambiguous: relative to {bases} it leads to {paths[0]}, to {other} to {paths[1]}",
            severity="warning",
            readers={},
            related=tuple(paths),
            rule="REF-002",
        )


_SINCE_KEYED = "as the text has it since axes are an object by name"


def without_ref(
    at: str, given: Any, *, keyed: bool, why: str = _SINCE_KEYED, lost: str = "coordinates"
) -> RuleOutput:
    """Note a reference with nothing around it, as examples had it while axes were lists.

    Parameters
    ----------
    at : str
        RFC 6901 pointer to the reference.
    given : object
        What is there.
    keyed : bool
        Whether axes are an object by name there.
    why : str
        Which text has ref around it, in words.
    lost : str
        What that reader does not find, in words.
    """
    if keyed and isinstance(given, Mapping) and "node" in given and "ref" not in given:
        yield Fail(
            at,
            f"the reference is not inside ref; write {json_text({'ref': given})}, {why}:"
            " otherwise the reader of the author of cs finds no coordinates",
            severity="warning",
            readers={"xarray-zarr-xgroup": f"gives the array without {lost}"},
            fix=lambda _node: Draft("suggest", (replace(at, {"ref": given}),)),
            rule="REF-001",
        )


def _lost_from_the_array(home: Node, reference: Reference) -> str | None:
    """Return where a path that begins at the group of an array leads to from the array; None if that is the same, or nobody asks.

    Texts of cs before August 2026 began there. Axes that are a list nobody reads, wherever paths begin.
    """
    if reference.text != "earlier cs" or isinstance(home, Group) or reference.path is None:
        return None
    whole = home.attributes.get("cs")
    listed = whole.get("crs") if isinstance(whole, Mapping) else None
    systems = [target.value for target in reference.targets]
    systems += listed[:MOST_SYSTEMS] if isinstance(listed, list) else []
    if not any(map(is_by_name, systems)):
        return None
    end = end_as_read(home.path, reference.path)
    if any(target.node.path == end for target in reference.targets):
        return None
    nothing = home.hierarchy.get(end) is None
    return f"{end}, {'where nothing is' if nothing else f'which has no {reference.attribute}'}"


def _is_found_all_the_same(home: Node, reference: Reference) -> bool:
    """Whether the reader of the author of cs finds what a path leads to, or does not look for it; it never leaves the store."""
    if reference.text == "ref" or reference.kind != "node" or reference.path is None:
        return True
    return home.hierarchy.get(end_as_read(home.path, reference.path)) is not None


def _from_the_array(home: Node, reference: Reference, inner: str) -> Draft:
    """Return the fix of a path that begins at the group of an array."""
    same = {} if reference.attribute is None else {"attribute": reference.attribute}
    right = path_to(home, reference.targets[0].node.path, same, reference.text)
    return Draft("suggest", (with_path(reference, inner, right),))


def _elsewhere(home: Node, reference: Reference, uri: str, at: str) -> RuleOutput:
    """Judge a reference to another store, of which only the form can be known."""
    pointer = f"{at}/uri"
    # Of relative references only those to the document itself, which RFC 3986 spells so, mean something.
    itself = uri in ("", ".")
    within = "/" if itself else path_within(uri, str(home.hierarchy.source))
    # of a group of this store only where the node is there: it may be another store in the same folder
    path = reference.path if within in (None, "/") else posixpath.join(str(within), _in(reference))
    if within == "/" or (within is not None and path and home.hierarchy.get(path) is not None):
        what = (
            f"uri {json_text(uri)} names no other store" if itself else "uri is that of this store"
        )
        what = what if within == "/" else f"uri is that of {within} in this store"
        yield Fail(
            pointer,
            f"{what}: it must be omitted within the same store",
            fix=lambda _node: Draft("safe", _within_the_store(home, reference, path, at)),
            rule="REF-003",
        )
        return
    if not is_uri(uri):
        why = "" if _SCHEME.match(uri) else ": it has no scheme, such as https:"
        yield Fail(pointer, f"uri {json_text(uri)} is not a URI (RFC 3986){why}", rule="REF-004")
    path, attribute = reference.path, reference.attribute
    if path is not None and not path.startswith("/"):
        absolute = posixpath.normpath(f"/{path}")
        yield Fail(
            f"{at}/node",
            f"node {json_text(path)} is in another store, so it must be a path from its root, such as {json_text(absolute)}",
            readers={},  # that of the author of cs begins at the root all the same
            fix=lambda _node: Draft("suggest", (replace(f"{at}/node", absolute),)),
            rule="REF-002",
        )
    if attribute is not None and not is_pointer(attribute):
        yield Fail(
            f"{at}/attribute",
            f"reference: {json_text(attribute)} is not a JSON pointer (RFC 6901)",
            rule="REF-005",
        )


def _in(reference: Reference) -> str:
    """Return the path of a reference to a group that is taken for a store, from that group."""
    return posixpath.normpath(f"/{reference.path or ''}").lstrip("/")


def _within_the_store(
    home: Node, reference: Reference, path: str | None, at: str
) -> tuple[Operation, ...]:
    """Return the operations that make a reference to a store, which is this one, one within it: its path is from the root."""
    write = path_from_root
    if path is None:
        return (remove(f"{at}/uri"),)
    same = {} if reference.attribute is None else {"attribute": reference.attribute}
    target = posixpath.normpath(path)
    if not path.startswith("/"):  # as in a store itself, unless it had to begin elsewhere
        found = resolve({"node": path, **same}, home, text=reference.text)
        if not found.targets or found.strayed is None:
            return (remove(f"{at}/uri"),)
        target, write = found.targets[0].node.path, path_to
    usual = write(home, target, same, reference.text)
    relative = path_from_all(home, reference, at, target, usual)
    # from arrays at different depths no path leads there, and readers follow one from the root
    return remove(f"{at}/uri"), replace(f"{at}/node", relative or target)


def _not_from_the_node(home: Node, reference: Reference, at: str) -> Fail:
    """Report a path that begins at the group or the root, where the text has one from the node."""
    target, strayed, text = reference.targets[0].node.path, reference.strayed, reference.text
    inner, shown = inner_pointer(reference, at), json_text(reference.path)
    same = {} if reference.attribute is None else {"attribute": reference.attribute}
    usual = path_from_root(home, target, same, text)
    found = resolve({"node": usual, **same}, home, text=text).targets
    relative = usual if [one.node.path for one in found] == [target] else None
    relative = path_from_all(home, reference, at, target, relative)
    begins_at = "the node that refers" + " or to its group" * (text == "earlier cs")
    here = f", here {json_text(relative or usual)}"
    if text in OF_CS and isinstance(home, Group) and not keeps_lists(home):
        begins_at = "each array that refers to the system"
        here = here if relative else ", and no path leads there from all of them"
    rest = f"within a store it is relative to {begins_at}{here}"
    discouraged = text == "earlier cs"
    if strayed is None:  # readers follow it all the same
        which = ", which cs discourages" if discouraged else ""
        message = f"node {shown} is a path from the root{which}; {rest}"
    else:
        begins = "its group" if strayed == "group" else "the root"
        message = f"{shown} leads to a node from {begins} only, {target}; {rest}"
    from_root = strayed is None and text != "ref"
    tolerated = (
        strayed == "group"  # where texts and readers have begun
        or (strayed is None and discouraged)  # other texts have none
    )
    return Fail(
        inner if isinstance(without_wrapper(reference), str) else f"{inner}/node",
        message,
        severity="warning" if tolerated else None,
        impact="advice" if from_root else None,
        readers={} if strayed is None or text == "ref" else None,
        related=() if strayed is None else (target,),
        fix=None
        if relative is None
        else lambda _node: Draft("suggest", (with_path(reference, inner, relative),)),
        rule="REF-002",
    )


def _repaired(home: Node, reference: Reference, at: str) -> FixMaker:
    """Return the fix of a reference that leads nowhere: to what is there and nearly so."""
    path, inner = reference.path or "", inner_pointer(reference, at)

    def fix(_node: Node) -> Draft | None:
        operations: tuple[Operation, ...] = ()
        if reference.kind == "form":
            operations = _renamed(reference, inner)
        elif reference.kind == "node" and (near := node_nearly_so(home, path)) is not None:
            same = {} if reference.attribute is None else {"attribute": reference.attribute}
            beside = path_to(home, near, same, reference.text)
            right = path_from_all(home, reference, at, near, beside)
            operations = () if right is None else (with_path(reference, inner, right),)
        elif reference.kind == "attribute":
            operations = _to_attribute(home, reference, inner)
        return Draft("suggest", operations) if operations else None

    return fix


def _renamed(reference: Reference, inner: str) -> tuple[Operation, ...]:
    """Return the operation that gives the only member with a wrong name the one that is meant."""
    given = without_wrapper(reference)
    if not isinstance(given, Mapping):
        return ()
    strange = [member for member in given if member not in MEMBERS]
    if len(strange) != 1 or not isinstance(given[strange[0]], str):
        return ()
    (wrong,) = strange
    right = "node" if wrong in ("array", "group", "path") else None
    close = [right] if right else get_close_matches(wrong.lower(), MEMBERS, 1, 0.75)
    if not close or close[0] in given:
        return ()
    return (move(join(inner, wrong), join(inner, close[0])),)


def _meant(reference: Reference, inner: str) -> str:
    """Return the question whether another member is meant by one with a strange name; nothing where that is told or not known."""
    renamed = _renamed(reference, inner) if reference.kind == "form" else ()
    if not renamed or reference.member in EARLIER:
        return ""
    return f"; did you mean {split(renamed[0]['path'])[-1]}?"


def _to_attribute(home: Node, reference: Reference, inner: str) -> tuple[Operation, ...]:
    """Return the operation that makes a pointer, or the path beside it, lead to something."""
    path, given = reference.path or "", reference.attribute or ""
    taken = _referred_to(home, path)
    for right in _pointers(home, path, given):
        if right in taken:
            continue  # by another entry, whose axes would be there twice
        found = resolve({"node": path, "attribute": right}, home, text=reference.text)
        if found.targets and right != "/attributes":
            end = found.targets[0].node.path
            beside = path_to(home, end, {"attribute": right}, reference.text)
            stays = path.startswith("/") or end_as_read(home.path, path) == end
            moved = () if stays else (replace(f"{inner}/node", beside),)
            return replace(f"{inner}/attribute", right), *moved
    for group in all_above(home.path):  # too far up, or not far enough
        beside = path_to(home, group, {"attribute": given}, reference.text)
        if resolve({"node": beside, "attribute": given}, home, text=reference.text).targets:
            return (replace(f"{inner}/node", beside),)
    return ()


def _referred_to(home: Node, path: str) -> set[str]:
    """Return the pointers of the other systems of a node that an array has already."""
    whole = home.attributes.get("cs")
    listed = whole.get("crs") if isinstance(whole, Mapping) else None
    entries = (
        resolve(one, home) for one in (listed if isinstance(listed, list) else ())[:MOST_SYSTEMS]
    )
    return {one.attribute for one in entries if one.path == path and one.attribute and one.targets}


def _pointers(home: Node, path: str, given: str) -> Iterator[str]:
    """Yield the pointers that may be meant, the likeliest first."""
    plain = unquote(given).removeprefix("#").removeprefix("$").strip("/. ")
    for one in (given, plain, *(plain.replace(wrong, "/") for wrong in (".", "~1", "~"))):
        yield with_attributes(one)
        yield f"/{one.removeprefix('/')}"
    # names that are spelled nearly so, or with other characters for the same letters
    tokens = split(f"/{plain}")
    for found in resolve({"node": path, "attribute": join("", *tokens[:-1])}, home).targets:
        if isinstance(found.value, Mapping):
            by_name = {normalize("NFC", name).lower(): name for name in found.value}
            close = get_close_matches(normalize("NFC", tokens[-1]).lower(), by_name, 1, 0.75)
            yield from (join("", *tokens[:-1], by_name[one]) for one in close)
