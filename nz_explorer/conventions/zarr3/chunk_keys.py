"""Z3: whether the keys of chunks are spelled as the chunk key encoding says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from nz_explorer.conventions.zarr3.nodes import V3, set_to
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, Undecided
from nz_explorer.engine.fixes import Draft
from nz_explorer.engine.registry import rule
from nz_explorer.model import Inside
from nz_explorer.model.hierarchy import inside_arrays
from nz_explorer.store import ReadError
from nz_explorer.text.phrases import listed

if TYPE_CHECKING:
    from nz_explorer.engine.findings import FixMaker
    from nz_explorer.model import Array
    from nz_explorer.values.contents import Contents

Encoding = tuple[str, str]
"""Name and separator of a chunk key encoding."""
_COPIED = re.compile(r"(?<=\d) \([^()/]*\)$|(?<=\d) - copy$", re.IGNORECASE)
MOST_LOOKED_AT = 100
"""Names in the folder of an array that are looked at for chunks under other keys."""
ENCODINGS: tuple[Encoding, ...] = (("default", "/"), ("default", "."), ("v2", "."), ("v2", "/"))


def _encoding(array: Array) -> Encoding | None:
    """Return the encoding that an array declares; None where it is none of the specification's own."""
    given = array.metadata.get("chunk_key_encoding")
    name = given.get("name") if isinstance(given, dict) else given
    configuration = given.get("configuration", {}) if isinstance(given, dict) else {}
    if name not in ("default", "v2") or not isinstance(configuration, dict):
        return None
    separator = configuration.get("separator", "/" if name == "default" else ".")
    return (name, separator) if separator in ("/", ".") else None


def _fits(name: str, encoding: Encoding, rank: int, inside: Inside) -> bool:
    """Return whether what lies directly in an array's folder may be a chunk, or a folder of chunks."""
    of_another_kind = inside.files if _are_in_folders(encoding, rank) else inside.folders
    return name not in of_another_kind and _is_spelled(name, encoding, rank)


def _are_in_folders(encoding: Encoding, rank: int) -> bool:
    """Return whether chunks lie in folders of the array's folder, and not in that itself."""
    kind, separator = encoding
    return separator == "/" and rank > (kind == "v2")


def _is_spelled(name: str, encoding: Encoding, rank: int) -> bool:
    """Return whether a name is that of a chunk, or of a folder of chunks."""
    kind, separator = encoding
    if kind == "default" and (separator == "/" or not rank):
        return name == "c"
    first, *indices = name.split(".") if kind == "default" else ("c", *name.split("."))
    wanted = 1 if separator == "/" or not rank else rank
    return first == "c" and len(indices) == wanted and all(map(_is_index, indices))


def _is_index(text: str) -> bool:
    return text.isdecimal() and text.isascii() and (text == "0" or text[0] != "0")


def _example(encoding: Encoding, rank: int) -> str:
    kind, separator = encoding
    indices = ["0"] * rank
    return separator.join(["c", *indices] if kind == "default" else indices or ["0"])


@rule("Z3-CHUNK-005", on="inside", formats=V3)
def keys_as_declared(array: Array, inside: Inside) -> Iterator[Fail | Undecided]:
    """Fail where the chunks have the names of another encoding: to readers they are missing."""
    encoding, rank = _encoding(array), array.ndim
    if encoding is None or rank is None:
        return
    wrong = [name for name in inside.chunk_names if not _fits(name, encoding, rank, inside)]
    if not wrong:
        if not inside.complete:
            yield Undecided("listing")
        return
    right = len(wrong) < len(inside.chunk_names)
    meant = () if right else ENCODINGS
    meant = tuple(one for one in meant if all(_fits(name, one, rank, inside) for name in wrong))
    if meant and not _is_deep_enough(array, wrong[0], meant[0], rank):
        meant = ()
    names = [f"{name}/" if name in inside.folders else name for name in wrong]
    yield _misspelled(array, names, right=right, meant=meant[0] if meant else None)


def _is_deep_enough(array: Array, name: str, encoding: Encoding, rank: int) -> bool:
    """Return whether chunks lie as many folders down as an encoding puts them; True where that cannot be seen."""
    levels = rank - (encoding[0] == "v2") if _are_in_folders(encoding, rank) else 0
    reader, folder = array.hierarchy.reader, f"{array.path.strip('/')}/{name}".strip("/")
    for level in range(1, levels + 1):
        (listing,) = reader.list_many([folder], limit=MOST_LOOKED_AT)
        if isinstance(listing, ReadError):
            return True
        indices = [one for one in listing.names if _is_index(one)]
        last = level == levels
        if not indices or indices[0] in (listing.folders if last else listing.files):
            return False
        folder = f"{folder}/{indices[0]}"
    return True


@rule("Z3-CHUNK-005", on="contents", formats=V3)
def keys_below_as_declared(array: Array, contents: Contents) -> Iterator[Fail | Undecided]:
    """Note what lies below the folder of the chunks and is none."""
    presence = contents.presence
    if presence is not None and presence.misnamed:
        yield _misspelled(array, list(presence.misnamed), right=len(presence.places) > 0)


def lie_elsewhere(array: Array, contents: Contents) -> bool:
    """Return whether chunks of an array, none of which is found, are there under keys that are not the declared ones.

    Parameters
    ----------
    array : Array
        The array.
    contents : Contents
        What is stored for it.
    """
    if contents.presence is not None and contents.presence.misnamed:
        return True
    encoding = _encoding(array)
    (inside,) = inside_arrays(array.hierarchy, [array], limit=MOST_LOOKED_AT)
    if encoding is None or not isinstance(inside, Inside):
        return False
    return not all(_fits(name, encoding, array.ndim or 0, inside) for name in inside.chunk_names)


def _misspelled(
    array: Array, names: list[str], *, right: bool, meant: Encoding | None = None
) -> Fail:
    encoding = _encoding(array) or ENCODINGS[0]
    declared = f"the declared keys are like {_example(encoding, array.ndim or 0)}"
    if meant is not None:
        there = _example(meant, array.ndim or 0)
        return Fail(
            "/chunk_key_encoding",
            f"the chunks in the array's folder have keys like {there}, but {declared}:"
            " no reader finds them, and every value reads as the fill_value",
            fix=_declare(meant),
        )
    some = listed(map(json_text, names[:3])) + (
        f" and {len(names) - 3:,} more" if len(names) > 3 else ""
    )
    is_none = "is no chunk" if len(names) == 1 else "are no chunks"
    none = (
        ""
        if right
        else ", and no chunk is there under its right key: every value reads as the fill_value"
    )
    return Fail(
        "/chunk_key_encoding",
        f"{some} in the array's folder {is_none}: {declared}{none}",
        severity="info" if right else None,
        impact="advice" if right else None,
        readers={} if right else None,
        fix=_rename(names),
    )


def _rename(names: list[str]) -> FixMaker | None:
    """Return what to do about copies of chunks, such as ``c/0/0 (1)``."""
    plain = _COPIED.sub("", names[0])
    if plain == names[0]:
        return None
    rest = ", the others likewise" * (len(names) > 1)
    note = f"rename {names[0]} to {plain} where that is not there{rest}; else delete it"
    return lambda _node: Draft("suggest", note=note)


def _declare(encoding: Encoding) -> FixMaker:
    name, separator = encoding
    value = {"name": name, "configuration": {"separator": separator}}
    return set_to("/chunk_key_encoding", value, "suggest", "if these are the chunks of the array")
