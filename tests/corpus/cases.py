"""Reads the conformance corpus and makes stores of its cases."""

from __future__ import annotations

import json
import warnings
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jsonpatch
from zarr.abc.store import ByteRequest
from zarr.core.buffer import Buffer, BufferPrototype
from zarr.storage import MemoryStore

from nz_explorer.model import Hierarchy
from nz_explorer.store import resolve

FOLDER = Path(__file__).parent.parent / "corpus"
BASES: dict[str, dict[str, Any]] = json.loads((FOLDER / "bases.json").read_text("utf-8"))
CASES: list[dict[str, Any]] = [
    case
    for file in sorted(FOLDER.glob("*.json"))
    if file.name != "bases.json"
    for case in json.loads(file.read_text("utf-8"))["cases"]
]


def contents(case: dict[str, Any]) -> dict[str, bytes]:
    """Return the bytes of each key of a case."""
    documents = dict(BASES[case["base"]]) if "base" in case else {}
    for key, patch in case.get("patch", {}).items():
        documents[key] = {"json": jsonpatch.apply_patch(documents[key]["json"], patch)}
    documents.update(case.get("documents", {}))
    return {key: _bytes(content) for key, content in documents.items() if content is not None}


def _bytes(content: dict[str, Any]) -> bytes:
    ((form, value),) = content.items()
    if form == "json":
        return json.dumps(value).encode()
    return bytes.fromhex(value) if form == "hex" else value.encode()


class FaultyStore(MemoryStore):
    """A store in memory that refuses some keys, and that may not be listable."""

    def __init__(self, documents: dict[str, bytes], unreadable: list[str], listable: bool) -> None:
        from zarr.core.buffer import cpu

        super().__init__(
            {key: cpu.Buffer.from_bytes(value) for key, value in documents.items()}, read_only=True
        )
        self.unreadable = unreadable
        self._listable = listable

    @property
    def supports_listing(self) -> bool:  # type: ignore[override]
        return self._listable

    async def get(
        self,
        key: str,
        prototype: BufferPrototype | None = None,
        byte_range: ByteRequest | None = None,
    ) -> Buffer | None:
        if key in self.unreadable:
            raise PermissionError(13, "Permission denied", key)
        return await super().get(key, prototype, byte_range)


def source(case: dict[str, Any], folder: Path) -> Any:
    """Return a store with the contents of a case: a folder where that will do."""
    documents = contents(case)
    unreadable, listable = case.get("unreadable", []), case.get("listable", True)
    if unreadable or not listable:
        return FaultyStore(documents, unreadable, listable)
    written = write(documents, folder / case["folder"] if "folder" in case else folder)
    if "packed" in case:
        return _pack(documents, folder / "packed.zip", **case["packed"])
    if "fragment" in case:
        return f"{written.as_uri()}#{case['fragment']}"
    if case.get("served"):
        reader = resolve(written)
        reader.object_storage = True
        return Hierarchy(reader)
    return written


def _pack(
    documents: dict[str, bytes], file: Path, *, top: str = "", again: Sequence[str] = ()
) -> Path:
    """Put keys into a zip file, below a top folder, some of them once more."""
    with warnings.catch_warnings(), zipfile.ZipFile(file, "w") as archive:
        warnings.simplefilter("ignore")
        for key in (*documents, *again):
            archive.writestr(f"{top}{key}", documents[key])
    return file


def write(documents: dict[str, bytes], folder: Path) -> Path:
    """Write some keys below a folder."""
    for key, value in documents.items():
        file = folder / key
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(value)
    return folder
