"""CS: what stands where a coordinate set, a list of reference systems, an object of them or an identifier must be."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import Any

from nz_explorer.conventions.cs.paths import inner_pointer, path_to
from nz_explorer.conventions.zcf import known_conventions
from nz_explorer.conventions.zcf.properties_of_proj import wrong_code
from nz_explorer.documents.json_text import json_text
from nz_explorer.documents.pointers import join
from nz_explorer.engine.findings import Fail, FixMaker, RuleOutput
from nz_explorer.engine.fixes import Draft, Operation, add, move, remove, replace, set_attribute
from nz_explorer.model import Array, Group, Node
from nz_explorer.model.dialects import crs as known_crs
from nz_explorer.model.dialects.cs import (
    Crs,
    coordinate_system,
    is_cs,
    is_first_form,
    is_shared,
    is_system,
    users,
)
from nz_explorer.model.dialects.ref import Reference, Target, Text, has_types, is_reference
from nz_explorer.model.paths import all_above
from nz_explorer.text.phrases import listed


def not_a_set(array: Array, given: Any) -> Fail:
    """Report an attribute ``cs`` that is not an object with a list ``crs``.

    Parameters
    ----------
    array : Array
        The array.
    given : object
        Its attribute.
    """
    wanted, pointer = 'cs must be an object with a list "crs"', array.attribute_pointer("cs")
    if isinstance(given, Mapping) and "crs" in given:
        inner, pointer = given["crs"], array.attribute_pointer("cs", "crs")
        right = [inner] if is_system(inner) or is_reference(inner) else None
        if right is None and is_shared(inner):
            right = list(inner.values())  # as groups keep them
        return Fail(
            pointer,
            f"crs of cs must be a list of reference systems, got {json_text(inner)}",
            fix=_instead(replace(pointer, right)) if right else None,
        )
    if is_first_form(given):
        alone = is_system(given) and "composite" not in given
        what = "the axes are" if alone else "axes and composite are"
        first = (
            f"here {what} in cs itself, as in its first form, before there were reference systems"
        )
        axes = given.get("axes") if alone else ()
        axes = axes.values() if isinstance(axes, Mapping) else axes or ()
        return Fail(
            pointer,
            f"{wanted}; {first}",
            fix=_instead(replace(pointer, {"crs": [given]}))
            if alone and not any(map(is_reference, axes))
            else None,
        )
    if is_reference(given):
        return Fail(pointer, f"{wanted}; only the entries of that list may be references")
    fix: FixMaker | None = None
    if isinstance(given, list) and given and all(map(_is_entry, given)):
        fix = _instead(replace(pointer, {"crs": given}))
    elif isinstance(given, Mapping):
        near = next((name for name in given if name.lower() == "crs"), None)
        fix = _instead(move(join(pointer, near), join(pointer, "crs"))) if near else None
    elif isinstance(given, str) and is_cs(inside := _parsed(given)):
        fix = _instead(replace(pointer, inside))
    return Fail(pointer, f"{wanted}, got {json_text(given)}", fix=fix)


def _parsed(given: str) -> Any:
    """Return the JSON value that a text is, None where it is none."""
    try:
        return json.loads(given)
    except (ValueError, RecursionError):
        return None


def not_by_name(group: Group, given: Any) -> Fail:
    """Report an attribute ``crs`` of a group that is not an object of reference systems.

    Parameters
    ----------
    group : Group
        The group.
    given : object
        Its attribute.
    """
    pointer = group.attribute_pointer("crs")
    listed = isinstance(given, list) and given and all(map(is_system, given))
    names = [one.get("name") for one in given] if listed else []
    named = len(set(map(str, names))) == len(names) and all(isinstance(n, str) and n for n in names)
    right = dict(zip(names, given, strict=True)) if listed and named else None
    wanted = "of reference systems by name" if listed else "with at least one reference system"
    return Fail(
        pointer,
        f"crs must be an object {wanted}, got {json_text(given)}",
        fix=None
        if right is None
        else lambda _node: keyed(group, right, {str(i): name for i, name in enumerate(right)}),
    )


def keyed(group: Group, right: Mapping[str, Any], keys: Mapping[str, str]) -> Draft:
    """Return the fix that gives the reference systems of a group names, and tells the arrays that refer to them.

    Parameters
    ----------
    group : Group
        The group.
    right : mapping
        What its attribute ``crs`` is to be.
    keys : mapping
        By what arrays have behind the pointer to that attribute: the name of the system.
    """
    pointer = group.attribute_pointer("crs")
    names = {join(pointer, *filter(None, (old,))): join(pointer, key) for old, key in keys.items()}
    referring = {array.path: array for old in names for array in users(group, old)}
    also = []
    for array in referring.values():
        system = coordinate_system(array)
        operations = tuple(
            replace(
                f"{inner_pointer(crs.reference, array.attribute_pointer('cs', 'crs', i))}/attribute",
                names[target.pointer],
            )
            for i, crs in enumerate(() if system is None else system.crs)
            if crs.reference is not None
            for target in crs.reference.targets[:1]
            if target.node.path == group.path and target.pointer in names
        )
        if operations:
            also.append(Draft("suggest", operations, node=array))
    return Draft("suggest", (replace(pointer, right),), also=tuple(also))


def has_systems(array: Array, name: str = "crs") -> bool:
    """Whether an array has reference systems, or a whole coordinate set, in its attribute ``crs``, which is one of groups.

    Parameters
    ----------
    array : Array
        The array.
    name : str
        How the attribute is spelled.
    """
    given: Any = array.attributes.get(name)
    entries = given["crs"] if is_cs(given) else given
    has_entries = isinstance(entries, list) and all(map(_is_entry, entries))
    return (
        is_shared(given)
        or is_system(given)
        # other conventions have lists of objects with uri as well
        or (has_entries and any("axes" in one or "ref" in one for one in entries))
    )


def into_set(node: Node, name: str = "crs") -> Draft | None:
    """Return the fix that makes a coordinate set of what an array has in ``crs``, where it has none.

    Parameters
    ----------
    node : Node
        The array.
    name : str
        How the attribute is spelled.
    """
    given = node.attributes[name]
    if "cs" in node.attributes:
        return None
    systems = given if isinstance(given, list) else [given]
    if is_shared(given) and not is_system(given):
        systems = list(given.values())
    whole = is_cs(given) and isinstance(given["crs"], list)
    operations = (
        *set_attribute(node, "cs", given if whole else {"crs": systems}),
        remove(node.attribute_pointer(name)),
    )
    return Draft("suggest", operations)


def not_an_entry(array: Array, i: int, crs: Crs) -> Fail:
    """Report an entry of the list that is neither a reference system nor a reference to one.

    Parameters
    ----------
    array : Array
        The array.
    i : int
        The place in the list.
    crs : Crs
        The entry, with a problem.
    """
    given, pointer = crs.given, array.attribute_pointer("cs", "crs", i)
    if crs.at:
        return Fail(crs.pointer(*crs.at), f"crs[{i}]: {crs.problem}", rule="CS-ARR-002")
    if not isinstance(given, str):
        message = f"crs[{i}] is neither a reference system nor a reference: {crs.problem}"
        return Fail(pointer, message, rule="CS-ARR-002")
    right = _shared_by_name(array, given)
    such = json_text({"ref": right or {"node": "..", "attribute": "/attributes/crs/name"}})
    return Fail(
        pointer,
        f"crs[{i}] is the text {json_text(given)}, and must be a reference system or a reference to one, such as {such}",
        fix=None if right is None else _instead(replace(pointer, {"ref": right})),
        rule="CS-ARR-002",
    )


def shared_by(
    array: Array, reference: Reference, target: Target, pointer: str, others: Collection[str]
) -> FixMaker | None:
    """Return the fix that names a reference system of the group that a reference leads to, None where it has none.

    Parameters
    ----------
    array : Array
        Which refers.
    reference : Reference
        The reference.
    target : Target
        What it leads to.
    pointer : str
        Where it is.
    others : collection of str
        Attributes that other entries refer to.
    """
    shared = target.node.attributes.get("crs") if isinstance(target.node, Group) else None
    if not isinstance(shared, Mapping) or not is_shared(shared):
        return None
    systems = {join("/attributes/crs", name): one for name, one in shared.items()}
    if reference.attribute in systems:  # the system is wrong, and another one is not meant
        return None
    names = [name for name, one in systems.items() if is_system(one) and name not in others]
    if not names:
        return None
    at = f"{pointer}/ref" if "ref" in reference.given else pointer
    named = {"attribute": names[0]}
    path = path_to(array, target.node.path, named, reference.text)
    # one from the node stays, unless it is lost from the group
    from_node = reference.path == posixpath.relpath(target.node.path, array.path)
    operations: tuple[Operation, ...] = (add(f"{at}/attribute", names[0]),)
    if isinstance(reference.given.get("ref"), str):  # a path by itself, which is REF-001
        operations = (replace(at, {"node": path, **named}),)
    elif from_node and path != reference.path:
        operations = (*operations, replace(f"{at}/node", path))
    note = f"name one of the reference systems of {target.node.path}: {listed(names)}"
    return lambda _node: Draft("suggest", operations if len(names) == 1 else (), note)


def _shared_by_name(array: Array, given: str) -> dict[str, str] | None:
    """Return the reference to the system of a group above that a text ends in."""
    name = given.rpartition("/")[2]
    for path in all_above(array.path):
        group = array.hierarchy.get(path)
        if not isinstance(group, Group):
            continue
        shared = group.attributes.get("crs")
        if isinstance(shared, Mapping) and is_shared(shared) and name in shared:
            named = {"attribute": join("/attributes/crs", name)}
            text: Text = "cs" if has_types(group) or has_types(array) else "earlier cs"
            return {"node": path_to(array, path, named, text), **named}
    return None


def _is_entry(given: Any) -> bool:
    return is_system(given) or is_reference(given)


def _instead(operation: Operation) -> FixMaker:
    return lambda _node: Draft("suggest", (operation,))


def identifier(pointer: str, given: Any, name: str = "id") -> RuleOutput:
    """Check the identifier of a system.

    Parameters
    ----------
    pointer : str
        RFC 6901 pointer to the identifier.
    given : object
        The identifier as the document has it.
    name : str
        What it is called there.
    """
    message: str | None = (
        f'{name} must be an object such as {{"proj:code": …}}, got {json_text(given)}'
    )
    if isinstance(given, Mapping) and known_conventions.PROJ.keys & given.keys():
        # the text of proj: allows null beside another member
        named = {key: value for key, value in given.items() if value is not None}
        error = known_conventions.property_error(known_conventions.PROJ, named or given)
        message = None if error is None else f"{name}: {error}"
        wrong = [key for key in known_conventions.PROJ.keys if error and f"'{key}'" in error]
        pointer = join(pointer, wrong[0]) if len(wrong) == 1 and wrong[0] in given else pointer
    if message is not None:
        yield Fail(pointer, message, fix=lambda _node: _as_proj(pointer, given), rule="CS-ID-004")
    elif (found := wrong_code(given.get("proj:code"))) is not None:
        said, right = found
        at = join(pointer, "proj:code")
        yield Fail(
            at,
            f"{name}: {said}",
            severity="warning",  # the schema takes anything with a colon
            fix=(lambda _node: Draft("suggest", (replace(at, right),))) if right else None,
            rule="CS-ID-004",
        )


_PREFIX = re.compile(r"^proj[^a-z]")
_WKT2 = re.compile(
    r"(?:BASE|BOUND|COMPOUND|ENG|GEOD|GEOG|PROJ|TIME|VERT)[A-Z]*CRS\[.*\]", re.DOTALL
)
"""A reference system in well-known text, version 2; version 1 has other words."""


def _as_proj(pointer: str, given: Any) -> Draft | None:
    """Return the fix that makes an object of proj: of a text by itself, or of a member with nearly its name; None where that is not clear."""
    right: dict[str, Any] = {}
    if isinstance(given, str):
        code, wkt2 = known_crs.code(given), _WKT2.fullmatch(given.strip())
        right = {"proj:wkt2": given.strip()} if wkt2 else {"proj:code": code}
    elif isinstance(given, Mapping) and len(given) == 1:
        ((name, value),) = given.items()
        full = f"proj:{_PREFIX.sub('', name.lower())}"
        right = dict.fromkeys(get_close_matches(full, known_conventions.PROJ.keys, 1), value)
    if known_conventions.property_error(known_conventions.PROJ, right) is not None:
        return None
    return Draft("suggest", (replace(pointer, right),))


def judge_name(pointer: str, holder: Mapping[str, Any]) -> RuleOutput:
    """Check the name of a coordinate set or of a reference system, where it has one.

    Parameters
    ----------
    pointer : str
        RFC 6901 pointer to the name.
    holder : mapping
        What has the name.
    """
    given = holder.get("name")
    why: str | None = None
    if "name" not in holder:
        return
    if not isinstance(given, str):
        why = f"name must be a text, got {json_text(given)}"
    elif "/" in given:
        why = f"{json_text(given)} has a slash, which names of nodes in Zarr cannot have"
    elif not given.strip("."):
        why = f"{json_text(given)} cannot be the name of a node in Zarr: it has nothing but dots"
        why = why if given else "name is empty, which the name of a node in Zarr cannot be"
    elif given.startswith("__") or given == "zarr.json":
        why = f"{json_text(given)} is reserved in Zarr, so it cannot be the name of a node"
    if why is not None:
        yield Fail(pointer, why, rule="CS-NAME-001")


def judge_attributes(pointer: str, holder: Mapping[str, Any]) -> RuleOutput:
    """Check the attributes of a coordinate set, an axis, coordinates or boundaries, where there are any.

    Parameters
    ----------
    pointer : str
        RFC 6901 pointer to the attributes.
    holder : mapping
        What has them.
    """
    given = holder.get("attributes")
    if "attributes" in holder and not isinstance(given, Mapping):
        yield Fail(
            pointer, f"attributes must be an object, got {json_text(given)}", rule="CS-ATT-001"
        )
