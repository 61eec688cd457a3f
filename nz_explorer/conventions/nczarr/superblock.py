"""NCZ: the revision of NCZarr, its superblock, and keys."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.nczarr.old_names import (
    VERSION,
    in_lower_case,
    leave_out,
    names_as_printed,
    rewrite,
    without_underscore,
)
from nz_explorer.conventions.nz.names import S3_KEY
from nz_explorer.conventions.zarr3.nodes import shown
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, Undecided
from nz_explorer.engine.fixes import Draft
from nz_explorer.engine.fixes import add as add_at
from nz_explorer.engine.fixes import replace as replace_at
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Group, paths
from nz_explorer.model.dialects import nczarr
from nz_explorer.model.dialects.nczarr_lists import is_reached
from nz_explorer.text.phrases import listed

if TYPE_CHECKING:
    from nz_explorer.engine.findings import FixMaker
    from nz_explorer.model import Node
    from nz_explorer.model.dialects.nczarr import Place


V2 = (2,)


_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def _eras(node: Node) -> dict[nczarr.Era, Place]:
    """Return the ways in which netCDF-C noted something on a node, with the first place of each."""
    found: dict[nczarr.Era, Place] = {}
    for part in ("superblock", "group", "array"):
        for place in nczarr.places(node, part):
            found.setdefault(place.era, place)
    return found


def _form(place: Place) -> str:
    """Return in which form something is noted."""
    if place.era == "attributes" and place.is_upper:
        return "attributes with names in upper case, as no netCDF-C writes them"
    return nczarr.ERAS[place.era]


def start_of_dataset(node: Node) -> str:
    """Return the path of the group in which the dataset of a node begins.

    It is the root, or where that has no superblock, the nearest group that has one: a group may hold datasets that
    netCDF-C opens one by one.

    Parameters
    ----------
    node : Node
        The node.
    """
    hierarchy = node.hierarchy
    if nczarr.find(hierarchy.root, "superblock") is None:
        for path in (node.path, *paths.all_above(node.path)):
            group = hierarchy.get(path)
            if isinstance(group, Group) and nczarr.find(group, "superblock") is not None:
                return path
    return "/"


@rule("NCZ-ERA-001", on="node")
def era(node: Node) -> Iterator[Fail | Undecided]:
    """Report the form of the NCZarr metadata, and whether all nodes have the same."""
    own = _eras(node)
    if node.is_root:
        if not own and (unknown := unreadable(node)):
            yield unknown
            return
        version = nczarr.library_version(node)
        writer = f" (written by netCDF-C {version})" if version else ""
        pointer = next(
            (place.pointer for place in own.values()), node.attribute_pointer(nczarr.PROPERTIES)
        )
        dialect = " and ".join(map(_form, own.values())) or "pure Zarr, without NCZarr metadata"
        if node.zarr_format == 3:
            dialect += "; netCDF-C up to 4.10 does not read Zarr v3"
        mixed = len(own) > 1
        yield Fail(
            pointer, f"NCZarr dialect: {dialect}{writer}", severity="warning" if mixed else None
        )
        return
    start = (own and node.hierarchy.get(start_of_dataset(node))) or node.hierarchy.root
    firsts = _eras(start) if own else {}
    for here, place in own.items():
        if here not in firsts:
            if unknown := unreadable(start):
                yield unknown
                return
            if has_lost_all(node):
                return
            there = " and ".join(map(_form, firsts.values())) or "nothing noted"
            yield Fail(
                place.pointer,
                f"this node has {_form(place)}; {'the root' if start.is_root else start.path} has {there}",
                related=(start.path,),
                severity="warning",
            )


@rule("NCZ-ERA-002", on="root", formats=V2)
def no_longer_read(node: Node) -> Iterator[Fail]:
    """Note what only the first versions of netCDF-C wrote, which fewer and fewer programs understand."""
    names = [document.name for document in node.documents if document.name.startswith(".ncz")]
    is_late = nczarr.is_read(node, "superblock")
    if names:
        yield Fail(
            f"/{names[0]}",
            f"{', '.join(sorted(names))}: objects that only netCDF-C 4.8.0 wrote, and 4.10 does not read"
            + ("; it goes by what is noted in the form of today" if is_late else ""),
            readers={} if is_late else None,
            fix=leave_out if is_late else rewrite,
        )
    if is_late:
        return  # what else has a name in upper case is NCZ-SB-002 and NCZ-VAR-006
    for part in ("superblock", "group"):
        place = nczarr.find(node, part)
        key = "" if place is None else place.pointer.rpartition("/")[2]
        if place is not None and key.isupper() and place.era == "attributes":
            yield Fail(
                place.pointer,
                f"{key}: a name in upper case, which netCDF-C up to 4.9.0 wrote into .zgroup only, and 4.10 does not read",
                fix=in_lower_case,
            )
            return
        if place is not None and key.isupper():
            yield Fail(
                place.pointer,
                f"{key}: a name in upper case, which netCDF-C up to 4.9.0 wrote, and 4.10 does not read",
                fix=in_lower_case,
            )
            return


def noted_below(root: Node) -> list[Node]:
    """Return what in the root has metadata of netCDF-C that 4.10 would read, where the root itself has lost all of them.

    Parameters
    ----------
    root : Node
        The root.
    """
    parts: tuple[nczarr.Part, ...] = ("superblock", "group")
    if not isinstance(root, Group) or any(nczarr.find(root, part) for part in parts):
        return []
    return [
        child
        for child in root.hierarchy.children(root)
        if (place := nczarr.find(child, "array" if isinstance(child, Array) else "group"))
        and place.era != "objects"  # of which 4.10 reads nothing anyway
        and nczarr.find(child, "superblock")
        is None  # a dataset of its own, which the root only holds
    ]


def has_lost_all(node: Node) -> bool:
    """Whether the root has lost all that netCDF-C noted and others have not, which NCZ-SB-001 says at the root, once for all nodes."""
    root = node.hierarchy.root
    return root.zarr_format == 2 and bool(noted_below(root)) and unreadable(root) is None


def read_today(node: Node, place: Place, found: Fail) -> Fail:
    """Return a failure as it matters today, which may be of what netCDF-C does not read.

    Parameters
    ----------
    node : Node
        Where it was found.
    place : Place
        Where it was found.
    found : Fail
        What a rule says of it.
    """
    if found.impact == "convention" and found.readers == {}:
        return found  # as it is everywhere, so that like nodes share it
    return found if place.read and is_reached(node) else unused(found)


def unused(found: Fail) -> Fail:
    """Return a failure of what netCDF-C does not use.

    Parameters
    ----------
    found : Fail
        What a rule says of it.
    """
    return replace(found, impact="convention", readers={})


def unread(place: Place) -> Undecided | None:
    """Return that an object of netCDF-C 4.8.0 holds nothing to judge, which is another rule's finding."""
    if place.era != "objects" or isinstance(place.value, dict):
        return None
    return Undecided(f"dependency: {'JSON-002' if place.value is None else 'JSON-006'}")


def as_object(pointer: str, given: Any) -> FixMaker | None:
    """Return the fix of an object that was written as a text: to write the object.

    Parameters
    ----------
    pointer : str
        Where it is.
    given
        What is there.
    """
    try:
        meant = json.loads(given) if isinstance(given, str) else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(meant, dict):
        return None
    return lambda _node: Draft("suggest", (replace_at(pointer, meant),))


def unreadable(node: Node) -> Undecided | None:
    """Return that what netCDF-C noted on a node may stand in attributes that nobody can read.

    Parameters
    ----------
    node : Node
        A node of which nothing of netCDF-C was found.
    """
    document = node.attributes_document
    if node.zarr_format != 2 or document is None or document.ok:
        return None
    if document.error is not None:
        return Undecided("dependency: TREE-007")
    is_json = document.value is not None or document.text.strip() == "null"
    return Undecided(f"dependency: {'Z2-ATT-001' if is_json else 'JSON-002'}")


@rule("NCZ-SB-001", on="root")
def superblock(node: Node) -> Iterator[Fail | Undecided]:
    """Require a superblock where there are other NCZarr metadata."""
    group = nczarr.find(node, "group")
    place = nczarr.find(node, "superblock")
    if place is not None and (problem := unread(place)):
        yield problem
    elif place is not None and not isinstance(place.value, dict):
        malformed = Fail(
            place.pointer,
            f"the NCZarr superblock must be an object, got {shown(place.value)}",
            impact="blocks",
            readers={"netCDF-C": "refuses the dataset: NCZarr error"},
            fix=as_object(place.pointer, place.value) or _with_today(place),
        )
        yield read_today(node, place, malformed)
    elif place is not None:
        name = "nczarr_version" if place.era == "objects" else "version"
        if name not in place.value and "version" in place.value:
            name = "version"  # 4.8.1: an object has the content of the key that took its place
        given = place.member(name)[1]
        if given is None:
            yield Fail(
                place.at(name),
                f"the NCZarr superblock has no {name}",
                fix=_with_today(place, {**place.value, name: VERSION}),
            )
        elif not isinstance(given, str):
            yield _unusual_version(node, place, name, given, "be a string")
        elif not _VERSION.match(given):
            yield _unusual_version(node, place, name, given, "begin with a number")
    elif group is not None:
        where = {
            "objects": "/.nczarr",
            "keys": node.pointer("_nczarr_superblock"),
            "attributes": node.attribute_pointer("_nczarr_superblock"),
        }[group.era]
        yield Fail(
            where,
            f"there is no NCZarr superblock, although the group has NCZarr metadata: {AS_PURE}",
            fix=None if group.era == "objects" or group.is_upper else _add_superblock(group),
        )
    elif (printed := names_as_printed(node)) and not has_lost_all(node):
        yield Fail(
            node.attribute_pointer(printed[0]),
            f"{listed(printed)}: names of NCZarr have no underscore at the end, which its text prints: {AS_PURE}",
            fix=without_underscore,
        )


def _with_today(place: Place, whole: Mapping[str, Any] | None = None) -> FixMaker | None:
    """Return the fix that writes a superblock as netCDF-C of today has it; None in an object, which has the version of another text."""
    if place.era == "objects":
        return None
    right = dict(whole or {"version": VERSION})
    return lambda _node: Draft("suggest", (replace_at(place.pointer, right),))


def _add_superblock(group: Place) -> FixMaker:
    """Return the fix that adds a superblock beside what is noted of the root, where all that is noted then leads somewhere."""
    beside = f"{group.pointer.rpartition('/')[0]}/_nczarr_superblock"

    def add_it(node: Node) -> Draft:
        arrays = (one for one in node.hierarchy.walk(node.path) if isinstance(one, Array))
        lost = next((name for one in arrays for name, _ in nczarr.unresolved(one)), None)
        if lost is None:
            return Draft("suggest", (add_at(beside, {"version": VERSION}),))
        # as of a group that was copied out of its dataset, which netCDF-C opens as it is
        note = f"first mend the references to dimensions, such as {lost} (NCZ-VAR-002): with a superblock netCDF-C goes by them, and opens nothing"
        return Draft("suggest", note=note)

    return add_it


AS_PURE = "netCDF-C 4.10 takes the dataset for pure Zarr, without scalars and unlimited dimensions"


@rule("NCZ-SB-001", on="node")
def superblock_below(node: Node) -> Iterator[Fail]:
    """Note a superblock below the root, where it says nothing."""
    place = None if node.is_root else nczarr.find(node, "superblock")
    if place is not None:
        # of an older form netCDF-C of today looks at none at all
        is_old = place.era == "objects" or place.is_upper
        opened = (
            "" if isinstance(node, Array) or is_old else ", unless it opens this group by itself"
        )
        yield Fail(
            place.pointer,
            f"a superblock belongs to the root, and netCDF-C does not look at this one{opened}",
        )


_VERSION = re.compile(r"\s*[+-]?[0-9]")
"""How a version begins of which netCDF-C reads the first number; it takes every number."""


def _unusual_version(node: Node, place: Place, name: str, given: object, must: str) -> Fail:
    """Return that the version is none, which netCDF-C minds where it is a text, as true is, that begins with no number."""
    text = str(given).strip() if isinstance(given, bool | str) else ""
    refused = bool(text) and not _VERSION.match(text)
    found = Fail(
        place.at(name),
        f"{name} of the NCZarr superblock must {must}, got {json_text(given)}",
        impact="blocks" if refused else None,
        readers={"netCDF-C": "refuses the dataset: NCZarr error"} if refused else None,
        fix=_with_today(place, {**place.value, name: VERSION}),
    )
    return read_today(node, place, found)


@rule("NCZ-KEY-001", on="root")
def keys_hold_or_are_folders(node: Node) -> Iterator[Fail]:
    """Require that no name in a zip file is one of something stored, and one of a folder."""
    names = node.hierarchy.reader.packaging.holding_names
    if names:
        some = listed(map(json_text, names[:3])) + (" and more" if len(names) > 3 else "")
        yield Fail(
            "",
            f"what is stored under {some} is also the beginning of other keys",
            fix=lambda _node: Draft("suggest", note="give one of them another name"),
        )


@rule("NCZ-KEY-002", on="name")
def control_characters(name: str) -> Iterator[Fail]:
    """Require names without control characters, which are no part of netCDF-C's keys."""
    if _CONTROL.search(name):
        yield Fail("", f"the name {json_text(name)}, and so its keys, contain control characters")


@rule("NCZ-KEY-003", on="members", formats=V2)
def short_keys(group: Group) -> Iterator[Fail]:
    """Require keys within the limit of S3, which counts bytes and not characters."""
    stem = paths.below(group.path)[1:]
    for child in group.children or ():
        main = child.main_document
        name = ".zgroup" if main is None else main.name
        size = len(f"{stem}{child.name}/{name}".encode())
        if size > S3_KEY:
            yield Fail(
                "",
                f"the key of its {name} is {size} bytes long, more than S3 allows",
                path=child.path,
            )
