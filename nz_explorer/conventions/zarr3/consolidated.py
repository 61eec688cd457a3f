"""Z3: the form of consolidated metadata as zarr-python writes them into Zarr v3 documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from nz_explorer.conventions.zarr3.nodes import V3, shown
from nz_explorer.documents import pointers
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, Undecided
from nz_explorer.engine.fixes import Draft, add, move, remove
from nz_explorer.engine.registry import rule
from nz_explorer.text.phrases import listed, plural

if TYPE_CHECKING:
    from nz_explorer.engine.findings import FixMaker
    from nz_explorer.model import Array, Consolidated, Group, Node

_MEMBERS = ("kind", "must_understand", "metadata")
MOST_ODD_ENTRIES = 100_000
"""Consolidated entries that are no nodes, of which each is looked at; what has more has no rest worth counting."""


@rule("Z3-CM-001", on="group", formats=V3)
def consolidated_form(group: Group) -> Iterator[Fail]:
    """Require the one form that readers have agreed on."""
    if "consolidated_metadata" not in group.metadata:
        return
    held = group.metadata["consolidated_metadata"]
    base = "/consolidated_metadata"
    if held is None:
        yield Fail(
            base,
            "consolidated_metadata is null, which zarr-python writes where there are none; readers take it for absent",
            severity="info",
            readers={"zarr-python": "treats null as absent"},
            fix=lambda _node: Draft("safe", (remove(base),)),
        )
        return
    if not isinstance(held, Mapping):
        yield Fail(
            base,
            f"consolidated_metadata must be an object, got {shown(held)}",
            impact="blocks" if held else None,
            readers=_stopped_by("an error") if held else None,
            fix=lambda _node: Draft("suggest", (remove(base),)),
        )
        return
    if not held:
        yield Fail(
            base,
            "consolidated_metadata is an empty object, without kind and entries; readers take it for absent",
            fix=lambda _node: Draft("safe", (remove(base),)),
        )
        return
    if held.get("must_understand") is not False:
        yield Fail(
            f"{base}/must_understand",
            "consolidated_metadata: must_understand must be false, otherwise readers that do not know this member must not open the group",
            fix=lambda _node: Draft("safe", (add(f"{base}/must_understand", False),)),
        )
    entries = isinstance(held.get("metadata"), Mapping)
    if held.get("kind") != "inline":
        yield Fail(
            f"{base}/kind",
            f'kind must be "inline", got {shown(held["kind"])}'
            if "kind" in held
            else 'kind is missing; it must be "inline"',
            impact="blocks",
            readers=_stopped_by("ValueError: Consolidated metadata kind"),
            fix=_set_kind if entries else None,
        )
    if not entries:
        yield Fail(
            f"{base}/metadata",
            "consolidated_metadata: metadata must be an object",
            impact="blocks",
            readers=_stopped_by("TypeError"),
            fix=lambda _node: Draft(
                "suggest", (remove(base),), note="or consolidate the metadata again"
            ),
        )
    elif others := [member for member in held if member not in _MEMBERS]:
        yield _with_others(others)


def _with_others(others: Sequence[str]) -> Fail:
    """Return that consolidated metadata have members that the text does not show; it forbids none by a word."""
    at = [pointers.join("/consolidated_metadata", member) for member in others]
    some = listed([*map(json_text, others[:3]), *([f"{len(others) - 3} more"] * (len(others) > 3))])
    it = "it" if len(others) == 1 else "them"
    return Fail(
        at[0],
        f"consolidated_metadata has {some} beside {listed(_MEMBERS)}: readers ignore {it}, and nothing of {it} is left"
        " when the metadata are consolidated again",
        severity="info",
        impact="advice",
        readers={},
        fix=lambda _node: Draft("suggest", tuple(map(remove, at))),
    )


def _stopped_by(error: str) -> dict[str, str]:
    """Return what readers do that take the metadata of a group from here."""
    said = f"raises {error}, unless told not to use consolidated metadata"
    return {"zarr-python": said, "xarray": said}


def _set_kind(_node: Node) -> Draft:
    """Draft the one kind there is: the entries are those of it."""
    return Draft("safe", (add("/consolidated_metadata/kind", "inline"),))


_REFUSED = {
    "zarr-python": "raises MetadataValidationError",
    "xarray": "cannot open the group",
}


@rule("Z3-CM-003", on="array", formats=V3)
def consolidated_on_array(array: Array) -> Iterator[Fail]:
    """Fail on consolidated metadata of something that holds no nodes."""
    if "consolidated_metadata" in array.metadata:
        held = array.metadata["consolidated_metadata"]
        skipped = isinstance(held, Mapping) and held.get("must_understand") is False
        yield Fail(
            "/consolidated_metadata",
            "consolidated_metadata is allowed only in groups",
            covers=("Z3-DOC-004",),
            impact=None if skipped else "blocks",
            readers={} if skipped else _REFUSED,
            fix=lambda _node: Draft("safe", (remove("/consolidated_metadata"),)),
        )


@rule("Z3-CM-002", on="root", formats=V3)
def consolidated_entries(node: Node) -> Iterator[Fail | Undecided]:
    """Require entries that are nodes, with keys that are paths, and parents that have entries."""
    consolidated = node.hierarchy.consolidated
    if consolidated is None:
        return
    for number, (key, why) in enumerate(_odd_entries(consolidated)):
        if number == MOST_ODD_ENTRIES:
            yield Undecided("budget")
            return
        yield Fail(
            pointers.join(consolidated.base, key),
            f"consolidated entry {json_text(key)}: {why}",
            impact=None if key.strip("/") else "convention",
            readers=None if key.strip("/") else {},
            fix=_called_by_its_path(key)
            if _odd_key(key)
            else _drop(key)
            if consolidated.array_above(f"/{key}")
            else _again,
        )


@rule("Z3-CM-002", on="group", formats=V3)
def entries_in_a_group(group: Group) -> Iterator[Fail]:
    """Require the same of what a group below the root has of its own, at which zarr-python stops for all that is above it."""
    held = group.metadata.get("consolidated_metadata")
    entries = held.get("metadata") if isinstance(held, Mapping) else None
    if group.is_root or not isinstance(entries, Mapping):
        return
    for key, entry in entries.items():
        kind = entry.get("node_type") if isinstance(entry, Mapping) else None
        if kind not in ("array", "group"):
            yield Fail(
                pointers.join("/consolidated_metadata/metadata", key),
                f"consolidated entry {json_text(key)}: it is {shown(entry)}, so it describes no node",
                fix=lambda _node: Draft("suggest", (remove("/consolidated_metadata"),)),
            )
            return


def _odd_entries(consolidated: Consolidated) -> Iterator[tuple[str, str]]:
    yield from consolidated.rejected.items()
    for some in consolidated.some_at_a_time():
        if not _are_usual(consolidated, some):
            yield from _odd_ones(consolidated, some)


def _are_usual(consolidated: Consolidated, some: Sequence[tuple[str, str]]) -> bool:
    """Whether there is nothing wrong with any of some entries, decided without a look at each."""
    keys = [key for _, key in some]
    text = "\n".join(("", *keys, ""))
    return (
        not any(ending in text for ending in ("\n\n", "\n/", "/\n", "zarr.json\n"))
        and all(
            above in consolidated and not consolidated.is_array(above)
            for above in {path.rpartition("/")[0] for path, _ in some}
            if above
        )
        and consolidated.are_nodes(keys)
    )


def _odd_ones(
    consolidated: Consolidated, some: Iterable[tuple[str, str]]
) -> Iterator[tuple[str, str]]:
    for path, key in some:
        if path == "/":
            yield key, "its key is that of the group itself, which has no entry"
            continue
        above = path.rpartition("/")[0]
        if (odd := _odd_key(key)) is not None:
            yield key, odd
        elif above and above not in consolidated:
            yield key, f"there is no entry for its group {above}"
        elif (array := consolidated.array_above(path)) is not None:
            yield key, f"it lies inside the array {array}, which holds no nodes"
        elif (why := consolidated.why_no_node(path)) is not None:
            yield key, f"{why}, so it describes no node"


@rule("Z3-CM-004", on="members", formats=V3)
def copy_in_a_group(group: Group) -> Iterator[Fail]:
    """Require consolidated metadata of a group below the root to list its children: zarr-python sees no others."""
    main, held = group.main_document, group.metadata.get("consolidated_metadata")
    entries = held.get("metadata") if isinstance(held, Mapping) else None
    if (
        group.is_root
        or main is None
        or main.origin == "consolidated"
        or not isinstance(entries, Mapping)
    ):
        return
    hidden = [
        child.path
        for child in group.children or ()
        if child.name not in entries and child.state == "ok"
    ]
    if hidden:
        lists = "are empty" if not entries else f"lack {plural(len(hidden), 'node')}"
        yield Fail(
            "/consolidated_metadata",
            f"the consolidated metadata of the group {group.path} {lists}: zarr-python does not see {listed(hidden)}",
            related=tuple(hidden),
            fix=lambda _node: Draft("safe", (remove("/consolidated_metadata"),)),
        )


def _odd_key(key: str) -> str | None:
    if key.startswith("/") or key.endswith("/"):
        return "its key begins or ends with a slash"
    if key == "zarr.json" or key.endswith("/zarr.json"):
        return "its key is that of a document, not the path of a node"
    return None


def _called_by_its_path(key: str) -> FixMaker:
    """Return the fix that gives an entry the key that readers know, where no other entry has it."""

    def fix(node: Node) -> Draft:
        entries = node.metadata["consolidated_metadata"]["metadata"]
        right = key.removesuffix("zarr.json").strip("/")
        if not right or right in entries:
            return _again(node)
        base = "/consolidated_metadata/metadata"
        return Draft("suggest", (move(pointers.join(base, key), pointers.join(base, right)),))

    return fix


def _drop(key: str) -> FixMaker:
    pointer = pointers.join("/consolidated_metadata/metadata", key)
    return lambda _node: Draft("suggest", (remove(pointer),))


def _again(_node: Node) -> Draft:
    return Draft("suggest", note="consolidate the metadata again")
