"""Writing of nodes and of their documents."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import zarr

Json = dict[str, Any]


def empty_folder(folder: str | Path) -> Path:
    """Return a folder that is there and empty.

    Raises
    ------
    FileExistsError
        If there is something in it.
    """
    root = Path(folder)
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise FileExistsError(f"{root} is not an empty folder")
    root.mkdir(parents=True, exist_ok=True)
    return root


class Writer:
    """Writes groups and arrays with zarr-python."""

    def __init__(self, root: Path) -> None:
        self._store = zarr.storage.LocalStore(root)

    def group(self, path: str, **attributes: Any) -> None:
        """Write a group."""
        zarr.create_group(self._store, path=path, attributes=attributes, zarr_format=3)

    def array(
        self,
        path: str,
        dims: Sequence[str],
        values: npt.ArrayLike,
        *,
        chunks: tuple[int, ...] | None = None,
        shards: tuple[int, ...] | None = None,
        fill_value: Any = None,
        **attributes: Any,
    ) -> None:
        """Write an array with its values.

        Parameters
        ----------
        path : str
            Where it is.
        dims : sequence of str
            Names of its dimensions.
        values
            All that it holds.
        chunks, shards : tuple of int, optional
            Their shapes; by default one chunk holds all.
        fill_value
            That of the storage.
        **attributes
            Its attributes.
        """
        data = np.asarray(values)
        text = data.dtype.kind in "UOT"
        array = zarr.create_array(
            self._store,
            name=path,
            shape=data.shape,
            dtype=str if text else data.dtype,
            chunks=chunks or data.shape,
            shards=shards,
            fill_value=fill_value,
            dimension_names=list(dims),
            attributes=attributes,
            zarr_format=3,
        )
        array[...] = data.astype(object) if text else data


def read_document(document: Path) -> Json:
    """Return what a document says."""
    meta: Json = json.loads(document.read_text("utf-8"))
    return meta


def write_document(document: Path, meta: Json) -> None:
    """Write a document as zarr-python lays it out.

    Parameters
    ----------
    document
        Its file.
    meta
        What it says.
    """
    document.write_text(
        json.dumps(meta, indent=2, ensure_ascii=False) + "\n", "utf-8", newline="\n"
    )


def consolidate(root: Path) -> None:
    """Consolidate as zarr-python does, but from the documents as they are."""
    entries = {
        document.parent.relative_to(root).as_posix(): read_document(document)
        for document in sorted(root.rglob("zarr.json"))
        if document.parent != root
    }
    meta = read_document(root / "zarr.json")
    meta["consolidated_metadata"] = {
        "kind": "inline",
        "must_understand": False,
        "metadata": entries,
    }
    write_document(root / "zarr.json", meta)


def edit_document(root: Path, path: str, change: Callable[[Json], None]) -> None:
    """Change what a node's document says.

    Parameters
    ----------
    root
        The folder of the store.
    path
        The node.
    change
        Changes what the document says.
    """
    document = root / path / "zarr.json"
    meta = read_document(document)
    change(meta)
    write_document(document, meta)
