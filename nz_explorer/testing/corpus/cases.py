"""The definitions of the cases, and the bytes that each of them consists of."""

from __future__ import annotations

import json
import re
import warnings
import zipfile
from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jsonpatch

BASES = "bases.json"
"""The file of the stores that keep every rule."""
_HALF = re.compile("[\ud800-\udfff]")


@cache
def folder() -> Path:
    """Return the folder of the definitions.

    A wheel carries them in the package; a checkout has them in ``tests/corpus``.
    """
    packaged = Path(__file__).with_name("definitions")
    return packaged if packaged.is_dir() else Path(__file__).parents[3] / "tests" / "corpus"


@cache
def bases() -> dict[str, dict[str, Any]]:
    """Return the stores that cases change, by name: an object from key to content."""
    found: dict[str, dict[str, Any]] = json.loads((folder() / BASES).read_text("utf-8"))
    return found


@cache
def cases() -> list[dict[str, Any]]:
    """Return the definitions of all cases, as ``tests/corpus/README.md`` describes them."""
    return [
        case
        for file in sorted(folder().glob("*.json"))
        if file.name != BASES
        for case in json.loads(file.read_text("utf-8"))["cases"]
    ]


def contents(case: dict[str, Any]) -> dict[str, bytes]:
    """Return the bytes of each key of a case.

    Parameters
    ----------
    case : dict
        Its definition.
    """
    documents = dict(bases()[case["base"]]) if "base" in case else {}
    for key, patch in case.get("patch", {}).items():
        documents[key] = {"json": jsonpatch.apply_patch(documents[key]["json"], patch)}
    documents.update(case.get("documents", {}))
    return {key: _bytes(content) for key, content in documents.items() if content is not None}


def _bytes(content: dict[str, Any]) -> bytes:
    ((form, value),) = content.items()
    if form == "json":
        text = json.dumps(value, ensure_ascii=False)
        # of half a surrogate pair there is only the escape
        return (json.dumps(value) if _HALF.search(text) else text).encode()
    return bytes.fromhex(value) if form == "hex" else value.encode()


def write(documents: dict[str, bytes], store: Path) -> Path:
    """Write some keys below a folder, and return the folder.

    Parameters
    ----------
    documents : dict of str to bytes
        What is stored, by key.
    store : Path
        The folder.
    """
    for key, value in documents.items():
        file = store / key
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(value)
    return store


def pack(
    documents: dict[str, bytes],
    file: Path,
    *,
    top: str = "",
    again: Sequence[str] = (),
    damaged: Sequence[str] = (),
    names: Mapping[str, str] | None = None,
) -> Path:
    """Put keys into a zip file, and return the file.

    Parameters
    ----------
    documents : dict of str to bytes
        What is stored, by key.
    file : Path
        The zip file.
    top : str
        A folder that every key is put below.
    again : sequence of str
        Keys that are put there once more.
    damaged : sequence of str
        Keys that something else is written over.
    names : dict of str to str, optional
        What keys are called in the zip file, where that is something else, such as a name that no file can have.
    """
    with warnings.catch_warnings(), zipfile.ZipFile(file, "w") as archive:
        warnings.simplefilter("ignore")
        for key in (*documents, *again):
            archive.writestr(f"{top}{(names or {}).get(key, key)}", documents[key])
        at = [archive.getinfo(f"{top}{key}").header_offset for key in damaged]
    with file.open("r+b") as opened:
        for place in at:
            opened.seek(place)
            opened.write(b"over")
    return file


def refer(documents: dict[str, bytes], file: Path, elsewhere: dict[str, str]) -> Path:
    """Put keys into a file of references, and return it.

    Parameters
    ----------
    documents : dict of str to bytes
        What is stored, by key.
    file : Path
        The file of references.
    elsewhere : dict of str to str
        Files that keys lead to, relative to the references.
    """
    inside = {key: f"base64:{b64encode(data).decode()}" for key, data in documents.items()}
    found = inside | {key: [name, 0, 1] for key, name in elsewhere.items()}
    file.write_text(json.dumps({"version": 1, "refs": found}), "utf-8")
    return file
