"""A zarr store of a folder that links do not lead out of."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from zarr.storage import LocalStore

from nz_explorer.store.links import Links


class ContainedStore(LocalStore):
    """Reads the chunks of a folder, and follows links as `Links` says."""

    def __init__(self, root: Path | str, *, read_only: bool = True) -> None:
        super().__init__(root, read_only=read_only)
        self._links = Links(str(root))

    async def get(self, key: str, *arguments: Any, **options: Any) -> Any:
        """Return the value of a key, or a part of it; None where there is none."""
        self._links.check(key)
        return await super().get(key, *arguments, **options)

    async def get_partial_values(self, prototype: Any, key_ranges: Iterable[Any]) -> Any:
        """Return parts of the values of some keys."""
        wanted = list(key_ranges)
        for key, _ in wanted:
            self._links.check(key)
        return await super().get_partial_values(prototype, wanted)
