"""Small stores in a few lines, and what goes wrong with them afterwards."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import zarr


def group(folder: Path, zarr_format: int = 3, **attributes: Any) -> zarr.Group:
    """Make a group in a folder."""
    return zarr.open_group(folder, mode="w", zarr_format=zarr_format, attributes=attributes)  # type: ignore[arg-type]


def array(
    parent: zarr.Group,
    name: str,
    values: Any,
    dims: Sequence[str] | None = None,
    *,
    chunks: Sequence[int] | None = None,
    fill_value: Any = 0,
    **attributes: Any,
) -> zarr.Array[Any]:
    """Make an array of some values in a group; not compressed, so that its chunks can be looked at."""
    data = np.asarray(values)
    version = parent.metadata.zarr_format
    if dims is not None and version == 2:
        attributes = {"_ARRAY_DIMENSIONS": list(dims), **attributes}
    options: dict[str, Any] = {} if version == 2 else {"dimension_names": dims}
    if data.dtype.kind != "O":
        options["compressors"] = None
    made = parent.create_array(
        name,
        shape=data.shape,
        dtype=data.dtype if data.dtype.kind != "O" else str,
        chunks=tuple(chunks or data.shape) or "auto",
        fill_value=fill_value,
        attributes=attributes,
        config={"write_empty_chunks": True},
        **options,
    )
    made[...] = data
    return made


def edit(document: Path, change: Callable[[Any], Any]) -> None:
    """Change a JSON document in place."""
    content = json.loads(document.read_text("utf-8"))
    change(content)
    document.write_text(json.dumps(content), "utf-8")


def without(document: Path, *members: str | int) -> None:
    """Take a member out of a JSON document, given by the names that lead to it."""

    def change(content: Any) -> None:
        for member in members[:-1]:
            content = content[member]
        del content[members[-1]]

    edit(document, change)


def put(document: Path, value: Any, *members: str | int) -> None:
    """Put a value into a JSON document."""

    def change(content: Any) -> None:
        for member in members[:-1]:
            content = content[member]
        content[members[-1]] = value

    edit(document, change)


def zipped(folder: Path, file: Path, top: str = "") -> Path:
    """Put a folder into a zip file, below a top folder where one is given."""
    with zipfile.ZipFile(file, "w") as archive:
        for one in sorted(folder.rglob("*")):
            if one.is_file():
                archive.write(one, f"{top}{one.relative_to(folder).as_posix()}")
    return file
