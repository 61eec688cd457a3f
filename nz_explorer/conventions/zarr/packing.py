"""TREE: how a store is packed and uploaded: zip files, references, files that do not belong there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from posixpath import normpath
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import url2pathname

from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, Undecided
from nz_explorer.engine.fixes import Draft
from nz_explorer.engine.registry import rule
from nz_explorer.model.hierarchy import is_left_behind
from nz_explorer.text.phrases import listed
from nz_explorer.text.source_code import shell_command

if TYPE_CHECKING:
    from nz_explorer.model import Array, Group, Inside, Node


@rule("TREE-009", on="root")
def top_folder(node: Node) -> Iterator[Fail]:
    """Fail on a zip file in which everything is in one folder: readers look for the root at the top."""
    top = node.hierarchy.reader.packaging.top_folder
    if top:
        reader = node.hierarchy.reader
        parts = urlsplit(reader.url or "")
        file = url2pathname(parts.path) if parts.scheme == "file" else reader.label
        command = f"cd {shell_command(top)} && zip -0 -r ../right.zip ."
        by_netcdf = node.zarr_format == 2 and node.kind != "array"
        # what is packed may as well be a dataset of one array that lacks the document of its root
        lone = node.kind == "array" and node.zarr_format is not None
        root = "zarr.json" if node.zarr_format == 3 else ".zgroup"
        or_group = (
            f"; or, if {json_text(top)} is the only array of a dataset, add the {root} of its root group at the top"
            if lone
            else ""
        )
        yield Fail(
            "",
            f"everything in this zip file is in the top folder {json_text(top)}, and readers look for the root"
            f" document at the top{', all but netCDF-C, which writes zip files like this one' if by_netcdf else ''}",
            fix=lambda _node: Draft(
                "suggest",
                note=f"zip it again from inside the folder: unzip {shell_command(file)}; {command}{or_group}"
                + ("; keep this one for netCDF-C, which needs the folder" if by_netcdf else ""),
            ),
        )


@rule("TREE-010", on="root")
def repeated_names(node: Node) -> Iterator[Fail]:
    """Warn of a zip file that holds a name more than once: which of them is read is up to the reader."""
    repeated = node.hierarchy.reader.packaging.repeated
    if repeated:
        some = listed(f"{json_text(name)} {times} times" for name, times in repeated.items())
        yield Fail(
            "",
            f"this zip file holds {some}; Python reads the last of them, other programs may read the first",
            fix=lambda _node: Draft(
                "suggest", note="unzip it into a folder, which keeps the last of each, and zip that"
            ),
        )


_BAD_PARTS = ("", ".", "..")
"""Parts that the path of a key cannot have."""
_OF_NODES = ("zarr.json", ".zgroup", ".zarray")
"""Documents that make a node."""
_LISTED = {
    True: "raises ValueError: The path is invalid because it contains '.' or '..' segments",
    False: "raises RecursionError",
}
"""What becomes of a group in whose listing there is such a part, by whether it has a dot."""


@rule("TREE-016", on="root")
def names_that_are_no_keys(node: Node) -> Iterator[Fail]:
    """Fail on a zip file or references with names that have parts which no key has, such as a leading slash; TREE-015 has backslashes."""
    zipped = node.hierarchy.reader.kind == "zip file"
    odd = [name for name in node.hierarchy.reader.packaging.odd_names if "\\" not in name]
    if odd:
        some = listed([json_text(name) for name in odd[:3]])
        more = " and more" if len(odd) > 3 else ""
        raised = sorted({_LISTED[part != ""] for part in _listed_parts(node, odd, zipped)})
        lost = not raised and _hides_nodes(node, odd)
        does = (
            "does not see the node" if lost else f"{', or '.join(raised)}, when it lists the group"
        )
        readers = dict.fromkeys(("zarr-python", "xarray"), does)
        yield Fail(
            "",
            f"names in {'this zip file' if zipped else 'these references'} cannot be keys of a store: {some}{more}; they have"
            " to be relative, with slashes, and no part of them may be empty, . or ..",
            impact=None if raised else "values" if lost else "convention",
            readers=readers if raised or lost else {},
            fix=lambda _node: Draft(
                "suggest",
                note="unzip it (unzip and 7-Zip repair such names), and zip it again from inside the folder"
                if zipped
                else "take these parts out of the keys, or make the references anew with the right ones",
            ),
        )


def _listed_parts(node: Node, names: Iterable[str], zipped: bool) -> Iterator[str]:
    """Yield the parts that readers meet when they list groups, which they do where no consolidated metadata tell what is there.

    Of references fsspec lists no more than the root, and no part of it that is empty.
    """
    places = set()
    for name in names:
        parts = name.removesuffix("/").split("/")
        at = next(i for i, part in enumerate(parts) if part in _BAD_PARTS)
        places.add(("/" + "/".join(parts[:at]), parts[at]))
    if node.hierarchy.consolidated is None:
        for path, part in sorted(places):
            here = node if path == "/" else node.hierarchy.get(path)
            if here is not None and here.kind == "group" and (zipped or (path == "/" and part)):
                yield part


def _hides_nodes(node: Node, names: Iterable[str]) -> bool:
    """Whether one of the names would be the document of a node that is not in the store otherwise."""
    if node.hierarchy.consolidated is not None:
        return False
    keys = (normpath(name).lstrip("/").rpartition("/") for name in names)
    return any(
        document in _OF_NODES and node.hierarchy.get(f"/{path}") is None
        for path, _, document in keys
    )


@rule("TREE-020", on="root")
def targets_are_there(node: Node) -> Iterator[Fail]:
    """Fail on references to local files that are not there."""
    gone = node.hierarchy.reader.packaging.missing_targets
    if gone:
        which = "one file, which is" if len(gone) == 1 else f"{len(gone):,} files, which are"
        note = "put back what was moved, or make the references anew from where it is now"
        yield Fail(
            "",
            f"the references lead to {which} not there: {listed(gone[:3])}{' and more' if len(gone) > 3 else ''}",
            fix=lambda _node: Draft("suggest", note=note),
        )


@rule("TREE-017", on="root")
def missing_keys_are_told(node: Node) -> Iterator[Fail]:
    """Warn of a server that says "forbidden" where it should say that there is nothing."""
    denied = node.hierarchy.denied
    main = node.main_document
    if denied and main is not None and main.has_bytes:
        names = [document.name for document in denied]
        some = (
            listed(names[:3])
            if len(names) < 4
            else f"{', '.join(names[:2])} and {len(names) - 2} more"
        )
        yield Fail(
            "",
            f"access to {some} is denied; most likely nothing is there: a server that does not let its keys be listed"
            " denies access to what does not exist",
            fix=lambda _node: Draft(
                "suggest",
                note="allow listing (on S3 the permission s3:ListBucket): what does not exist is then answered by 404",
            ),
        )


@rule("TREE-011", on="root")
def folder_called_zip(node: Node) -> Iterator[Fail]:
    """Note a folder that is called like a zip file: who goes by the name cannot open it."""
    if node.hierarchy.reader.packaging.folder_called_zip:
        yield Fail(
            "",
            "this is a folder whose name ends in .zip: whoever goes by the name takes it for a zip file, and cannot open it",
            fix=lambda _node: Draft(
                "suggest",
                note="rename the folder, or write to zarr.storage.ZipStore to have a zip file",
            ),
        )


# --- files that do not belong there ---------------------------------------------------------------


@rule("TREE-012", on="members")
def left_behind_in_group(group: Group) -> Iterator[Fail | Undecided]:
    """Note files that a desktop has put into a group."""
    if group.hierarchy.metadata_source != "documents":
        yield Undecided("listing")
        return
    yield from _left_behind(group, group.other_names)


@rule("TREE-012", on="inside")
def left_behind_in_array(array: Array, inside: Inside) -> Iterator[Fail | Undecided]:
    """Note them beside chunks, too."""
    found = list(_left_behind(array, inside.other_names))
    if not found and not inside.complete:
        yield Undecided("listing")
    yield from found


def _left_behind(node: Node, names: Iterable[str]) -> Iterator[Fail]:
    found = [name for name in names if is_left_behind(name)]
    if not found:
        return
    one = len(found) == 1
    are, of, each = ("is a file", "belongs", "it") if one else ("are files", "belong", "each")
    it, parts = (
        ("it", "a group, an array or a chunk") if one else ("them", "groups, arrays or chunks")
    )
    some = listed(map(json_text, found))
    # nobody lists what is in an array
    warned = f"zarr-python warns of {each}, and " if node.kind == "group" else ""
    system = "macOS" if any(name[:1] in "._" for name in found) else "Windows"
    yield Fail(
        "",
        f"{some} in {node.path} {are} of {system} and {of} to no store: {warned}programs"
        f" that go through the folder themselves take {it} for {parts}",
        fix=_sweep,
    )


def _sweep(node: Node) -> Draft:
    where = shell_command(node.hierarchy.source)
    files = (".DS_Store", "Thumbs.db", "desktop.ini")
    if node.hierarchy.reader.kind == "zip file":  # of which find sees nothing
        patterns = shell_command("*__MACOSX/*", "._*", "*/._*", *(f"*{name}" for name in files))
        command = f"zip -d {where} {patterns}"
    else:  # the folder that macOS adds to zip files goes as a whole
        names = " -o ".join(f"-iname {name}" for name in ("__MACOSX", *files))
        command = f"find {where} '(' -name '._*' -o {names} ')' -prune -exec rm -r {{}} +"
    return Draft("suggest", note=f"delete them: {command}")
