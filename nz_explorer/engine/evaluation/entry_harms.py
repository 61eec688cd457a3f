"""What readers do where a consolidated entry says something else than the stored document.

zarr-python and xarray use the consolidated metadata of the root unless they are told not to, xarray also for a group=
below it, and netCDF-C uses them where its mode says so: what is wrong with a document alone does not hurt them, and what
is wrong with its entry alone does.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING

from nz_explorer.engine.findings import Violation
from nz_explorer.engine.impact import HARMS, affected, impact_of, readers_of
from nz_explorer.engine.plan import breaks
from nz_explorer.model.dialects import nczarr
from nz_explorer.model.node_of_documents import build_node

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Sequence

    from nz_explorer.engine.findings import FixMaker
    from nz_explorer.engine.fixes import Draft
    from nz_explorer.engine.impact import Impact
    from nz_explorer.engine.plan import RuleResults
    from nz_explorer.model import Consolidated, Node
    from nz_explorer.model.hierarchy import Hierarchy

USERS = ("zarr-python", "xarray")
"""Readers that use consolidated metadata where there are some."""
NETCDF_C = "netCDF-C"
UNLESS = "unless told not to use consolidated metadata"


def with_entry(
    node: Node,
    consolidated: Consolidated,
    documents: RuleResults,
    entry: RuleResults,
    judge: Callable[[Node], RuleResults],
) -> tuple[RuleResults, RuleResults]:
    """Return the results on the documents of a node and on its entry, with what readers of the entry do.

    Parameters
    ----------
    node : Node
        As it is stored.
    consolidated : Consolidated
        Where its entry is.
    documents, entry : RuleResults
        The results on its documents, and on how its entry differs from them.
    judge : callable
        Returns the results on the documents of a node.
    """
    if node.path not in consolidated:  # what is wrong with the documents hurts no one
        return documents, _not_safe(entry, documents.violations, _users(node))
    seen = _seen(node.hierarchy, node.path, consolidated)
    if seen is None:
        return documents, entry
    of_entry = judge(seen)
    known = {one.rule.id for one in documents.violations}
    stops = {} if node.path == "/" else _stops(of_entry, known)  # they read documents of the root
    if stops and not entry.violations:
        return documents, entry  # the documents cannot be compared with it, and are no better
    entry = _stopping(entry, stops)
    broken = {one.rule.id for one in of_entry.violations}
    users = _users(node)
    new = [one for one in documents.violations if one.rule.id not in broken]
    return dataclasses.replace(
        documents,
        violations=tuple(
            _unseen(one, broken, users) for one in as_entry(documents, broken).violations
        ),
    ), _not_safe(entry, new, users)


_OF_GROUPS = (
    *(key for keys in nczarr.KEYS.values() for key in keys),
    "shape",
    "_ARRAY_DIMENSIONS",
)
"""Members and attributes by which netCDF-C goes where it reads what is in a group."""
_OF_VALUES = ("compressor", "filters", "dtype", "chunks")


def together(group: Node, results: RuleResults) -> RuleResults:
    """Return the results on a group and its children, with what netCDF-C does where it has their entries instead.

    Parameters
    ----------
    group : Node
        The group, as it is stored.
    results : RuleResults
        The results on it and its children.
    """
    return _by_entries(group, results, _OF_GROUPS)


def in_folder(array: Node, results: RuleResults) -> RuleResults:
    """Return the results on what lies in an array's folder, with what netCDF-C does where it has its entry instead.

    Parameters
    ----------
    array : Node
        The array, as it is stored.
    results : RuleResults
        The results on its folder.
    """
    return _by_entries(array, results, _OF_VALUES)


def _by_entries(node: Node, results: RuleResults, members: Iterable[str]) -> RuleResults:
    hierarchy = node.hierarchy
    told = "consolidated" in hierarchy.modes and hierarchy.metadata_source == "documents"
    consolidated = hierarchy.consolidated
    if not told or consolidated is None or not results.violations:
        return results
    violations = []
    for one in results.violations:
        concerned = {node.path, one.fail.path or node.path, *one.fail.related}
        other = any(_is_other(hierarchy, path, consolidated, members) for path in concerned)
        # what the entry says instead is NZ-CONS-002 and its like
        violations.append(_spared(one, (NETCDF_C,)) if other else one)
    return dataclasses.replace(results, violations=tuple(violations))


def _is_other(
    hierarchy: Hierarchy, path: str, consolidated: Consolidated, members: Iterable[str]
) -> bool:
    """Whether an entry of Zarr v2 says something else of the members than the documents."""
    node = hierarchy.node_if_loaded(path)
    for name in (".zarray", ".zgroup", ".zattrs"):
        document = None if node is None else node.document(name)
        stored = document.value if document is not None and document.ok else None
        entry = consolidated.entry(path, name)
        if not isinstance(stored, Mapping) or not isinstance(entry, Mapping):
            if stored != entry:
                return True
        elif any(stored.get(one) != entry.get(one) for one in members):
            return True
    return False


def as_entry(documents: RuleResults, broken: Container[str] | None = None) -> RuleResults:
    """Return the results on a document whose entry is no better: what hides an array on its own stops readers of its entry.

    Parameters
    ----------
    documents : RuleResults
        The results on the documents of a node.
    broken : container of str, optional
        Ids of the rules that the entry breaks; those that the documents break, if not given.
    """
    if not any(_hides(one) for one in documents.violations):
        return documents
    stopped = dict.fromkeys(USERS, f"{_NO_ROOT}, {UNLESS}")
    kept = [
        dataclasses.replace(
            one,
            fail=dataclasses.replace(
                one.fail, impact="blocks", readers={**readers_of(one), **stopped}
            ),
        )
        if _hides(one) and (broken is None or one.rule.id in broken)
        else one
        for one in documents.violations
    ]
    return dataclasses.replace(documents, violations=tuple(kept))


def without_document(
    hierarchy: Hierarchy,
    path: str,
    consolidated: Consolidated,
    entry: RuleResults,
    judge: Callable[[Node], RuleResults],
) -> RuleResults:
    """Return the results on an entry that belongs to no document, with what readers of the entry do.

    Parameters
    ----------
    hierarchy : Hierarchy
        The documents that are stored.
    path : str
        The node that the entry is for.
    consolidated : Consolidated
        Where the entry is.
    entry : RuleResults
        The results on that it has no document.
    judge : callable
        Returns the results on the documents of a node.
    """
    seen = _seen(hierarchy, path, consolidated)
    return entry if seen is None else _stopping(entry, _stops(judge(seen), ()))


def _seen(hierarchy: Hierarchy, path: str, consolidated: Consolidated) -> Node | None:
    """Return the node that an entry describes; None where it describes none."""
    if consolidated.why_no_node(path) is not None:
        return None
    documents = consolidated.documents(path)
    seen = build_node(hierarchy, path, documents)
    is_v2_array = seen is not None and seen.zarr_format == 2 and seen.kind == "array"
    if seen is not None and is_v2_array and "shape" not in seen.metadata:
        return None  # zarr-python takes it for that of a group
    usable = seen is not None and seen.kind != "unknown" and all(one.ok for one in documents)
    return seen if usable else None


def _stops(results: RuleResults, known: Container[str]) -> dict[str, str]:
    """Return by reader what it does with an entry that breaks rules that the document keeps."""
    found: dict[str, str] = {}
    for one in results.violations:
        if one.rule.id in known:
            continue
        does = readers_of(one)
        all_stop = _hides(one) or impact_of(one, undeclared=True) == "blocks"
        for reader in affected(one) if all_stop else one.fail.stops:
            if reader in USERS and reader in does:
                said = _NO_ROOT if _hides(one) else does[reader]
                found.setdefault(reader, f"{said}, {UNLESS}: {one.fail.message}")
    return found


_NO_ROOT = "cannot open the root"


def _hides(one: Violation) -> bool:
    """Whether readers see no array for this reason; an entry that is no better they take for that of one, and stop."""
    return bool(one.fail.hidden_from) and one.fail.impact == "values" and one.rule.required


def _stopping(entry: RuleResults, stops: dict[str, str]) -> RuleResults:
    """Return the results on an entry, of which the first failure says that readers stop at it."""
    if not stops or not entry.violations:
        return entry
    first, *others = entry.violations
    readers = {**(first.fail.readers or {}), **stops}
    stopped = {*first.fail.stops, *stops}
    if first.fail.impact == "values" and readers.keys() - stopped:  # others read on by the entry
        kept = tuple(name for name in readers if name in stopped)
        fail = dataclasses.replace(first.fail, readers=readers, stops=kept)
    else:
        fail = dataclasses.replace(first.fail, readers=readers, impact="blocks")
    return dataclasses.replace(entry, violations=(dataclasses.replace(first, fail=fail), *others))


def _not_safe(entry: RuleResults, new: Iterable[Violation], users: Sequence[str]) -> RuleResults:
    """Return the results on an entry, whose fixes are not safe where readers then fail as they do with the documents."""
    notes = [
        f"then {reader} {does}: mend that first ({one.rule.id})"
        for one in new
        if impact_of(one, undeclared=True) == "blocks"
        for reader, does in readers_of(one).items()
        if reader in users
    ]
    if not notes:
        return entry

    def marked(make: FixMaker) -> FixMaker:
        def fix(node: Node) -> Draft | None:
            draft = make(node)
            copies = draft is not None and any(one["op"] != "remove" for one in draft.operations)
            if draft is None or not copies or draft.safety != "safe":
                return draft
            return dataclasses.replace(draft, safety="unsafe", note=notes[0])

        return fix

    def with_note(one: Violation) -> Violation:
        make = one.fail.fix
        if make is None:
            return one
        return dataclasses.replace(one, fail=dataclasses.replace(one.fail, fix=marked(make)))

    return dataclasses.replace(entry, violations=tuple(map(with_note, entry.violations)))


def _users(node: Node) -> tuple[str, ...]:
    """Return the readers that have the entry of a node in place of its documents; netCDF-C where the mode says so."""
    told = (NETCDF_C,) if "consolidated" in node.hierarchy.modes else ()
    return told if node.path == "/" else (*USERS, *told)


def _unseen(one: Violation, broken: Container[str], users: Sequence[str]) -> Violation:
    """Return a failure of a document without what readers would do that have another entry in its place."""
    return one if one.fail.path is not None or one.rule.id in broken else _spared(one, users)


def _spared(one: Violation, users: Sequence[str]) -> Violation:
    """Return a failure that does not hurt some readers, of whom it says why."""
    fail = one.fail
    hurt = [name for name in users if name in affected(one)]
    if not hurt or (fail.impact not in HARMS and one.rule.impact not in HARMS):
        return one
    does = readers_of(one)
    readers = {name: does.get(name, "") for name in affected(one) if name not in hurt}
    several = ", ".join(hurt[:-1])
    see = f"{several} and {hurt[-1]} see" if several else f"{hurt[-1]} sees"
    # NCZarr is not kept all the same, though that hurts no one then
    defines = NETCDF_C in hurt and one.rule.level == "DEF" and breaks(one)
    unhurt: Impact | None = "convention" if defines else None
    fail = dataclasses.replace(
        fail,
        message=f"{fail.message}; {see} this only without the consolidated metadata",
        readers=readers,
        impact=fail.impact if readers or fail.impact not in (None, *HARMS) else unhurt,
    )
    return dataclasses.replace(one, fail=fail)
