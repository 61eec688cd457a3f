"""Stores for the tests of slow and failing ones."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any


def without_consolidated(store: Path) -> Path:
    """Take the consolidated metadata out of the root's document."""
    root = store / "zarr.json"
    document = json.loads(root.read_text("utf-8"))
    del document["consolidated_metadata"]
    root.write_text(json.dumps(document), "utf-8")
    return store


def many_nodes(groups: int, arrays: int) -> dict[str, bytes]:
    """Return the documents of so many groups of so many arrays, some of them at fault."""
    group = json.dumps({"zarr_format": 3, "node_type": "group"}).encode()
    array = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [10],
        "data_type": "float32",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [10]}},
        "chunk_key_encoding": {"name": "default"},
        "fill_value": 0.0,
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        "dimension_names": ["x"],
    }
    good = json.dumps(array).encode()
    bad = json.dumps({**array, "attributes": {"_FillValue": "none"}}).encode()
    documents = {"zarr.json": group}
    for i in range(groups):
        documents[f"g{i}/zarr.json"] = group
        for j in range(arrays):
            documents[f"g{i}/a{j}/zarr.json"] = bad if (i + j) % 50 == 0 else good
    return documents


def fails_sometimes(documents: dict[str, bytes], *, share: float, seed: int) -> Any:
    """Return a store in memory whose requests fail with this likelihood, as they do over networks."""
    from zarr.core.buffer import default_buffer_prototype
    from zarr.storage import MemoryStore, WrapperStore

    dice = random.Random(seed)
    faults = (
        ConnectionResetError("connection reset by peer"),
        OSError("503 Service Unavailable"),
        TimeoutError(),
    )
    levels: dict[str, set[str]] = {}
    for key in documents:
        parts = key.split("/")
        for depth, name in enumerate(parts):
            levels.setdefault("/".join(parts[:depth]), set()).add(name)

    def maybe_fail() -> None:
        if dice.random() < share:
            raise dice.choice(faults)

    class Flaky(WrapperStore[Any]):
        def __str__(self) -> str:
            return "many nodes"

        async def get(self, *arguments: Any, **options: Any) -> Any:
            maybe_fail()
            return await self._store.get(*arguments, **options)

        async def list_dir(self, prefix: str) -> Any:
            maybe_fail()
            for name in levels.get(prefix.rstrip("/"), ()):  # MemoryStore looks at every key
                yield name

    make = default_buffer_prototype().buffer.from_bytes
    return Flaky(MemoryStore({key: make(data) for key, data in documents.items()}))
