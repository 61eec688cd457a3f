"""Makes stores of the cases of the conformance corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from zarr.abc.store import ByteRequest
from zarr.core.buffer import Buffer, BufferPrototype
from zarr.storage import MemoryStore

from nz_explorer.model import Hierarchy
from nz_explorer.store import resolve
from nz_explorer.testing.corpus.cases import bases, cases, contents, pack, refer, write

BASES: dict[str, dict[str, Any]] = bases()
CASES: list[dict[str, Any]] = cases()


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
        return pack(documents, folder / "packed.zip", **case["packed"])
    if "references" in case:
        return refer(documents, folder / "references.json", case["references"])
    if "fragment" in case:
        return f"{written.as_uri()}#{case['fragment']}"
    if case.get("served"):
        reader = resolve(written)
        reader.object_storage = True
        return Hierarchy(reader)
    return written
