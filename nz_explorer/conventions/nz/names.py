"""NZ: names that every language can spell (NZ-1.0, Naming Rules)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.nz.fill_values import xarray_error
from nz_explorer.conventions.zcf.declarations import entries
from nz_explorer.conventions.zcf.known_conventions import FRAMEWORK, identify
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, FixMaker
from nz_explorer.engine.fixes import Draft, move, remove
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array
from nz_explorer.model.dialects import multiscales
from nz_explorer.model.fill_values import decode_fill
from nz_explorer.model.paths import below
from nz_explorer.model.roles import CF_REFERENCES, names_in
from nz_explorer.text.identifiers import KEYS

if TYPE_CHECKING:
    from nz_explorer.model import Group, Node

S3_KEY = 1024
WINDOWS_PATH = 260
"""Bytes of a key that S3 takes, characters of a path that Windows takes."""
_DEVICES = re.compile(
    r"(con|prn|aux|nul|com[1-9]|lpt[1-9])(\..*)?|.*[^.].*\.", re.IGNORECASE | re.DOTALL
)
"""Names that no folder has on Windows: of devices, also with something after a period, and with a period at the end."""
_LETTER = re.compile(r"[A-Za-z]")
_ODD = re.compile(r"[^A-Za-z0-9_.\-/]")
"""Outside the recommended characters. ``.`` and ``-`` are discouraged only where attributes refer to
a name (NZ-NAME-005), and ``/`` has a rule of its own."""
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_.\-]*")

RESERVED = (
    "_FillValue", "_CRS", "_ARRAY_DIMENSIONS", "_Netcdf4", "_NetCDF4", "_NC", "_nc", "_Unsigned", "_Encoding", "_Coordinate",
    "_Quantize", "_ChunkSizes",
)  # fmt: skip
"""Beginnings of attribute names that conventions and writers have defined, underscore included."""


def _odd_characters(name: str) -> str:
    found = dict.fromkeys(_ODD.findall(name))
    return " ".join(json_text(character) for character in found)


@rule("NZ-NAME-001", on="members")
def nodes_start_with_letter(group: Group) -> Iterator[Fail]:
    """Require names of groups and arrays to begin with a letter from A to Z, unless a format prescribes them."""
    odd = [child for child in group.children or () if not _LETTER.match(child.name)]
    if not odd:
        return
    prescribed = multiscales.prescribed_names(group)
    for child in odd:
        if child.name not in prescribed:
            yield Fail(
                "",
                f"name {json_text(child.name)} should begin with one of A–Z and a–z",
                path=child.path,
                readers=_only_in_brackets(child.name),
                fix=lambda _node: Draft(
                    "unsafe",
                    note="rename it; programs and attributes that use the old name no longer find it",
                ),
            )


def _only_in_brackets(name: str) -> dict[str, str]:
    if name.isidentifier():
        return {}
    taken = json_text(name)
    return {"xarray": f"opens it; ds.{name} is a syntax error, ds[{taken}] works"}


@rule("NZ-NAME-002", on="name")
def node_characters(name: str) -> Iterator[Fail]:
    """Require names of groups and arrays to consist of letters, digits and underscores."""
    if odd := _odd_characters(name):
        yield Fail(
            "",
            f"name {json_text(name)} has characters other than letters, digits and underscore: {odd}{_unnamed(name)}",
            fix=lambda _node: Draft(
                "unsafe",
                note="rename it; programs and attributes that use the old name no longer find it",
            ),
        )


def _unnamed(name: str) -> str:
    """Return what a blank in a name leads to: attributes that list names are split at blanks."""
    return ", and attributes such as coordinates cannot name it" if " " in name else ""


def _of_conventions(node: Node) -> tuple[set[str], set[str]]:
    """Prefixes and attributes of the conventions that the node declares."""
    declared = [entry for _, entry in entries(node)]
    names = (entry.get("name") for entry in declared)
    prefixes = {name.rstrip(":").lower() for name in names if isinstance(name, str)}
    known = filter(None, map(identify, declared))
    return prefixes, {key for convention in known for key in convention.keys}


def _unusual(node: Node) -> Iterator[str]:
    """Attribute names with something unusual about them that no convention has put there, declared (ZCF-DECL-001) or not."""
    unusual = [name for name in node.attributes if not _PLAIN.fullmatch(name)]
    if unusual:
        prefixes, keys = _of_conventions(node)
        for name in unusual:
            prefix, colon, _ = name.partition(":")
            given = name in keys | FRAMEWORK or (colon and prefix.lower() in prefixes)
            if not name.startswith(RESERVED) and not given:
                yield name


@rule("NZ-NAME-001", on="node", needs=("attributes",))
def attribute_starts_with_letter(node: Node) -> Iterator[Fail]:
    """Require attribute names to begin with a letter, too; less strictly than names of nodes."""
    for name in _unusual(node):
        if name and not _LETTER.match(name):
            yield Fail(
                node.attribute_pointer(name),
                f"attribute name {json_text(name)} should begin with one of A–Z and a–z",
                severity="info",
                readers={},
            )


@rule("NZ-NAME-002", on="node", needs=("attributes",))
def attribute_characters(node: Node) -> Iterator[Fail]:
    """Require attribute names to consist of letters, digits and underscores, too."""
    for name in _unusual(node):
        if odd := _odd_characters(name):
            yield Fail(
                node.attribute_pointer(name),
                f"attribute name {json_text(name)} has characters other than letters, digits and underscore: {odd}",
                fix=_rename(name, re.sub(_ODD, "_", _without_accents(name.strip() or name))),
            )


def _without_accents(name: str) -> str:
    """Return a name with the letters that accents and dots are on, so that it still begins with one."""
    parts = unicodedata.normalize("NFKD", name)
    return "".join(part for part in parts if not unicodedata.combining(part))


@rule("NZ-NAME-003", on="node", needs=("attributes",))
def no_slash(node: Node) -> Iterator[Fail]:
    """Fail on a slash, which separates groups in paths and is no part of a name."""
    for name in node.attributes:
        if "/" in name:
            yield Fail(
                node.attribute_pointer(name),
                f'attribute name {json_text(name)} contains "/"',
                fix=_rename(name, name.replace("/", "_")),
            )


def _rename(old: str, new: str) -> FixMaker:
    def fix(node: Node) -> Draft | None:
        if new in node.attributes or old not in node.attributes:
            return None
        operation = move(node.attribute_pointer(old), node.attribute_pointer(new))
        note = "programs that look for the old name no longer find it"
        refused = _refused_then(node, new, node.attributes[old])
        return Draft("unsafe", (operation,), f"{note}; {refused}" if refused else note)

    return fix


def _refused_then(node: Node, name: str, value: Any) -> str | None:
    """Return that xarray cannot open a group in which an attribute begins to be `_FillValue`, None where it can."""
    if name == "_FillValue" and isinstance(node, Array) and xarray_error(node, value) is not None:
        return "xarray (up to 2026.9) cannot open the group then (NZ-FILL-006)"
    return None


def _alike(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Pairs of names that differ only by case."""
    seen: dict[str, str] = {}
    for name in names:
        lower = name.lower()  # not ß and ss, as casefold() has it
        # Most names are in lower case already: of hundreds of thousands no second ones are kept.
        first = seen.setdefault(name if lower == name else lower, name)
        if first != name:
            yield first, name


@rule("NZ-NAME-004", on="members")
def siblings_differ_by_more_than_case(group: Group) -> Iterator[Fail]:
    """Warn of names of which one overwrites the other on a disk that ignores case."""
    stem = below(group.path)
    for first, second in _alike(group.child_names or ()):
        yield Fail(
            "",
            f"names {json_text(first)} and {json_text(second)} in {group.path} differ only by case",
            related=(stem + first, stem + second),
        )


@rule("NZ-NAME-004", on="node", needs=("attributes",))
def attributes_differ_by_more_than_case(node: Node) -> Iterator[Fail]:
    """Warn of attributes, too; the two spellings of the declaration are the one pair that may."""
    for first, second in _alike(node.attributes):
        if {first, second} != set(KEYS):
            yield Fail(
                node.attribute_pointer(second),
                f"attribute names {json_text(first)} and {json_text(second)} differ only by case",
            )


_LOOKALIKES = str.maketrans(
    "аеорсухіјѕАВЕКМНОРСТХΑΒΕΖΗΙΚΜΝΟΡΤΥΧο", "aeopcyxijsABEKMHOPCTXABEZHIKMNOPTYXo"
)
"""Cyrillic and Greek letters that are drawn like Latin ones."""


@rule("NZ-NAME-005", on="array", needs=("attributes",))
def referenced_name(array: Array) -> Iterator[Fail]:
    """Warn of names with a dot or a dash in attributes whose readers take them for something else."""
    for key in CF_REFERENCES:
        for word in dict.fromkeys(names_in(array, key)):
            name = word.rsplit("/", 1)[-1]
            odd = [mark for mark in ".-" if mark in name]
            if odd:
                yield Fail(
                    array.attribute_pointer(key),
                    f'{json_text(name)} is referenced by {key} and contains "{odd[0]}"',
                    fix=_rename_node,
                )


@rule("NZ-NAME-006", on="members")
def siblings_look_different(group: Group) -> Iterator[Fail]:
    """Note names that people cannot tell apart. Those that differ by case are NZ-NAME-004."""
    names = group.child_names or ()
    if all(map(str.isascii, names)):
        return
    stem = below(group.path)
    seen: dict[str, str] = {}
    for name in names:
        drawn = unicodedata.normalize("NFKC", name).translate(_LOOKALIKES)
        first = seen.setdefault(drawn, name)
        if first != name:
            yield Fail(
                "",
                f"names {json_text(first)} and {json_text(name)} in {group.path} look alike: {_unlike(first, name)}",
                related=(stem + first, stem + name),
            )


def _unlike(first: str, second: str) -> str:
    """Return the first characters that differ, as Unicode calls them."""
    pairs = ((a, b) for a, b in zip_longest(first, second) if a != b)
    return " and ".join("nothing" if c is None else _called(c) for c in next(pairs))


def _called(character: str) -> str:
    return f"{unicodedata.name(character, 'a character without a name')} (U+{ord(character):04X})"


@rule("NZ-NAME-007", on="node", needs=("attributes",))
def attribute_has_name(node: Node) -> Iterator[Fail]:
    """Note an attribute called nothing."""
    if "" in node.attributes:
        pointer = node.attribute_pointer("")
        yield Fail(
            pointer,
            "there is an attribute with an empty name",
            fix=lambda _node: Draft("unsafe", (remove(pointer),)),
        )


@rule("NZ-PROP-002", on="node", needs=("attributes",))
def reserved_place(node: Node) -> Iterator[Fail]:
    """Note reserved attributes inside of others, where nobody looks for them, and a misspelled `_FillValue`."""
    wanted = ("_FillValue",) if isinstance(node, Array) else ("conventions", "Conventions")
    if isinstance(node, Array) and "_FillValue" not in node.attributes:
        for name in node.attributes:
            if _plainly(name) == "fillvalue":
                yield Fail(
                    node.attribute_pointer(name),
                    f"the attribute {json_text(name)} marks no missing values; did you mean _FillValue?",
                    covers=("NZ-NAME-001",),
                    fix=_rename(name, "_FillValue") if _fits(node, name) else _type_first,
                )
    for name, value in node.odd_attributes:
        if isinstance(value, dict) and name not in wanted:
            for key in wanted:
                if key in value:
                    pointer = node.attribute_pointer(name, key)
                    yield Fail(
                        pointer,
                        f"{json_text(key)} must be directly in attributes, found at {pointer}",
                        fix=_lift(key, pointer, value[key]),
                    )


def _type_first(_node: Node) -> Draft:
    return Draft(
        "unsafe", note="give the attribute _FillValue, with a value of the array's data type"
    )


def _fits(array: Array, name: str) -> bool:
    """Whether an attribute holds a value of the array's type, as `_FillValue` must."""
    decoded = decode_fill(array.attributes[name], array.data_type)
    return all(problem.kind == "rounding" for problem in decoded.problems)


def _plainly(name: str) -> str:
    return name.replace("_", "").lower()


def _lift(key: str, pointer: str, value: Any) -> FixMaker:
    def fix(node: Node) -> Draft | None:
        if key in node.attributes:
            return None
        moved = move(pointer, node.attribute_pointer(key))
        return Draft("unsafe", (moved,), _refused_then(node, key, value))

    return fix


# --- names of nodes in Zarr v3 -------------------------------------------------------------------


def _rename_node(_node: Node) -> Draft:
    return Draft(
        "unsafe", note="rename it; programs and attributes that use the old name no longer find it"
    )


@rule("Z3-NAME-001", on="name", formats=(3,))
def legal_name(name: str) -> Iterator[Fail]:
    """Fail on names that are no names: of periods only, or with a slash."""
    if not name.strip(".") or "/" in name:
        yield Fail(
            "",
            f"{json_text(name)} is not a valid node name: no slash is allowed, nor periods alone",
        )


@rule("Z3-NAME-002", on="name", formats=(3,))
def not_reserved(name: str) -> Iterator[Fail]:
    """Fail on the prefix that is kept for extensions."""
    if name.startswith("__"):
        yield Fail("", f'{json_text(name)} begins with "__", which is reserved', fix=_rename_node)


@rule("Z3-NAME-003", on="name", formats=(3,))
def not_a_document(name: str) -> Iterator[Fail]:
    """Fail on the name that the document of the group above has."""
    if name == "zarr.json":
        yield Fail("", "a node cannot be called zarr.json", fix=_rename_node)


@rule("Z3-NAME-004", on="name", formats=(3,))
def portable_name(name: str) -> Iterator[Fail]:
    """Warn of characters that some stores change. NZ-NAME-002 covers the same, and comes first."""
    if _odd_characters(name) or not unicodedata.is_normalized("NFKC", name):
        yield Fail(
            "", f"{json_text(name)} uses characters that some stores change", fix=_rename_node
        )


@rule("Z3-NAME-005", on="members", formats=(3,))
def short_keys(group: Group) -> Iterator[Fail]:
    """Note names and paths that common stores cannot hold."""
    stem = len(group.path) + len("/zarr.json")
    names = group.child_names or ()
    for name in filter(_DEVICES.fullmatch, names):
        path = f"{'' if group.path == '/' else group.path}/{name}"
        why = "Windows keeps this name for a device, or cuts off its last period: no folder can be called so"
        yield Fail("", f"{json_text(name)}: {why}", path=path)
    if not names or stem + max(map(len, names)) <= WINDOWS_PATH // 2:
        return
    for name in names:
        path = f"{'' if group.path == '/' else group.path}/{name}"
        size = len(f"{path[1:]}/zarr.json".encode())
        if size > WINDOWS_PATH:
            what = "more than S3 allows" if size > S3_KEY else "more than Windows allows"
            yield Fail("", f"the key of this node is {size} bytes long, {what}", path=path)
