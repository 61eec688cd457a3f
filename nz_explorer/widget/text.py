"""Numbers, codecs and chunk grids in words."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Iterator
from typing import Any

from nz_explorer.model import Array, Group, Node
from nz_explorer.model.dialects import images
from nz_explorer.text.phrases import noun
from nz_explorer.values.coordinates.axes import long_name
from nz_explorer.values.reading.size_limits import bytes_text

MAX_LABEL = 200
"""Characters of an attribute that heads something."""
ABOUT = (
    "summary",
    "institution",
    "source",
    "conventions",
    "Conventions",
    "time_coverage_start",
    "time_coverage_end",
    "license",
)
"""Attributes that describe a group; its title is above them."""


def number(count: int) -> str:
    """Return an integer with narrow no-break spaces between its thousands, as the front end writes them."""
    return f"{count:,}".replace(",", "\u202f")


_THOUSANDS = re.compile(r"(?<![\w.,'\"\[])\d{1,3}(?:,\d{3})+(?![\w'\"]|[.,]\d)")


def on_screen(sentence: str) -> str:
    """Return a sentence with its large numbers as `number` writes them; on paper they have commas.

    Parameters
    ----------
    sentence : str
        It may quote what is stored, as JSON: lists and texts stay as they are.
    """
    return _THOUSANDS.sub(lambda found: found[0].replace(",", "\u202f"), sentence)


def counted(count: int, word: str) -> str:
    """Return a number with its noun, such as ``1 024 chunks``.

    Parameters
    ----------
    count : int
        How many there are.
    word : str
        The singular.
    """
    return f"{number(count)} {noun(count, word)}"


def lengths(shape: tuple[int, ...]) -> str:
    """Return lengths such as ``60 × 121 × 240``."""
    return " × ".join(number(length) for length in shape) if shape else "one value"


def label(node: Node) -> str | None:
    """Return what people call a node, by its attributes; None where there are none."""
    name = long_name(node) if isinstance(node, Array) else node.attributes.get("title")
    if name is None and isinstance(node, Group):
        ome = images.ome(node.attributes)
        # Some writers give an image the name of its group.
        name = ome.name if ome and ome.name not in ("/", node.name) else None
    return " ".join(name.split())[:MAX_LABEL] or None if isinstance(name, str) else None


def about(node: Node) -> list[tuple[str, str]]:
    """Return the attributes that describe a group, in the order of CF and ACDD."""
    found = []
    ome = images.ome(node.attributes) if isinstance(node, Group) else None
    if ome is not None:
        what = " ".join((ome.version or "without a version:", ome.kind))
        axes = f" with the axes {', '.join(ome.axes)}" if ome.axes else ""
        found.append(("OME-Zarr", f"{what}{axes}"[:MAX_LABEL]))
    for name in ABOUT:
        value = node.attributes.get(name)
        if isinstance(value, str) and value.strip():
            found.append((name, " ".join(value.split())[:MAX_LABEL]))
    return found


def title(node: Node) -> str:
    """Return what a node is in one line: ``float32 (time 240, lat 721)``."""
    if isinstance(node, Array):
        if node.shape is None:
            return f"{node.data_type.text}, shape unknown"
        names = node.dimension_names
        inside = ", ".join(
            f"{(names[axis] if names else None) or '?'} {number(length)}"
            for axis, length in enumerate(node.shape)
        )
        return f"{node.data_type.text} ({inside})" if inside else f"{node.data_type.text} scalar"
    if isinstance(node, Group):
        children = node.children
        if children is None:
            return "group"
        arrays, groups = len(node.arrays), len(node.groups)
        parts = [
            f"{n} {word}{'s' * (n != 1)}" for n, word in ((groups, "group"), (arrays, "array")) if n
        ]
        return "group of " + " and ".join(parts) if parts else "empty group"
    return "a node that cannot be understood"


def codec(given: Any) -> str:
    """Return a codec in words: ``zstd (level 3)``."""
    if isinstance(given, str):
        return given
    if not isinstance(given, dict):
        return json.dumps(given)
    name = given.get("name", given.get("id", "?"))
    configuration = given.get(
        "configuration", {k: v for k, v in given.items() if k not in ("name", "id")}
    )
    if not isinstance(configuration, dict):
        return str(name)
    parts = []
    for key, value in configuration.items():
        if key == "endian":
            parts.append(f"{value} endian")
        elif key in ("codecs", "index_codecs") and isinstance(value, list):
            parts.append(f"{key.replace('_', ' ')}: {' → '.join(codec(item) for item in value)}")
        elif key == "chunk_shape" and isinstance(value, list):
            parts.append(f"inner chunks {' × '.join(map(str, value))}")
        else:
            parts.append(f"{key} {value if isinstance(value, str) else json.dumps(value)}")
    return f"{name} ({', '.join(parts)})" if parts else str(name)


def facts(node: Node) -> list[tuple[str, str]]:
    """Return a description of a node's storage, from its documents."""
    found: list[tuple[str, str]] = []
    if node.problem is not None:
        found.append(("Problem", node.problem))
    if node.zarr_format is not None:
        documents = ", ".join(f"{d.name} ({d.origin})" for d in node.documents)
        found.append(("Zarr format", f"v{node.zarr_format}: {documents}"))
    if isinstance(node, Array):
        found.extend(_array_facts(node))
    elif isinstance(node, Group):
        if node.children is not None:
            found.append(("Contents", title(node)))
        if node.listing_problem is not None:
            found.append(("Listing", node.listing_problem))
    return found


def _array_facts(array: Array) -> list[tuple[str, str]]:
    found = [("Data type", array.data_type.text)]
    shape = array.shape
    if shape is not None:
        found.append(("Shape", lengths(shape)))
    if array.size_bytes is not None:
        found.append(("Size decoded", bytes_text(array.size_bytes)))
    source = array.dimension_names_source
    if array.dimension_names is not None and source != "dimension_names":
        found.append(
            ("Dimension names", f"from {'what netCDF-C notes' if source == 'nczarr' else source}")
        )
    if array.dimension_references:
        found.append(("Dimension references", ", ".join(array.dimension_references)))
    chunk, shard, item = array.chunk_shape, array.shard_shape, array.data_type.itemsize
    if chunk is not None and shape is not None:
        each = f", {bytes_text(math.prod(chunk) * item)} each" if item else ""
        found.append(
            ("Chunks", f"{lengths(chunk)}{each}, {number(grid_size(shape, chunk))} in the grid")
        )
        if shard is not None:
            found.append(
                ("Shards", f"{lengths(shard)}, {number(grid_size(shape, shard))} in the grid")
            )
        elif array.chunk_edges is not None:
            found.append(("Shards", _rectilinear(array)))
    elif array.chunk_edges is not None:
        found.append(("Chunks", _rectilinear(array)))
    elif shape is not None:
        grid = array.metadata.get("chunk_grid")
        name = grid.get("name") if isinstance(grid, dict) else None
        found.append(
            ("Chunks", f"chunk grid {name!r}, which is not read here" if name else "not described")
        )
    found.append(("Codecs", " → ".join(codec(given) for given in array.codecs) or "none"))
    found.extend(_missing_facts(array))
    found.append(
        ("Storage fill_value", "none" if array.storage_fill is None else array.storage_fill.text)
    )
    return found


def _missing_facts(array: Array) -> Iterator[tuple[str, str]]:
    """Yield what marks values as missing."""
    marks = ", ".join(one.text for one in array.missing_values)
    if array.nz_fill is not None:
        yield "_FillValue", array.nz_fill.text
        yield from (("", problem.why) for problem in array.nz_fill.problems)
    elif array.fill is not None:
        how = f"masked is the fill_value {array.fill.text}, as xarray reads Zarr v2"
        yield "_FillValue", f"none: {how}"
    else:
        yield "_FillValue", "none" if marks else "none: nothing is masked"
    if marks:
        yield "missing_value", f"{marks}, masked as CF says; NZ knows _FillValue alone"


def _rectilinear(array: Array) -> str:
    count = number(math.prod(map(len, array.chunk_edges or ())))
    return f"{chunks(array)}, {count} in the grid, which is rectilinear"


MOST_EDGES = 12
"""Chunks of a dimension whose lengths are listed."""


def edges(along: tuple[int, ...]) -> str:
    """Return the lengths of chunks along a dimension: ``31, 28, 2 × 31, 30``.

    Parameters
    ----------
    along : tuple of int
        One after the other.
    """
    runs = [(size, len([*same])) for size, same in itertools.groupby(along)]
    shown = [number(size) if n == 1 else f"{number(n)} × {number(size)}" for size, n in runs]
    more = " …" if len(shown) > MOST_EDGES else ""
    return ", ".join(shown[:MOST_EDGES]) + more


def chunks(array: Array) -> str | None:
    """Return how long the chunks of an array are, or its shards where they differ in length; None where that is not known.

    Parameters
    ----------
    array : Array
        The array.
    """
    if array.chunk_edges is None:
        return None if array.chunk_shape is None else lengths(array.chunk_shape)
    spans = [
        number(max(along, default=0))
        if min(along, default=0) == max(along, default=0)
        else f"{number(min(along))}–{number(max(along))}"
        for along in array.chunk_edges
    ]
    return " × ".join(spans)


def grid_size(shape: tuple[int, ...], chunk: tuple[int, ...]) -> int:
    """Return how many chunks cover a shape.

    Parameters
    ----------
    shape : tuple of int
        The shape of the array.
    chunk : tuple of int
        The shape of a chunk.
    """
    return math.prod(-(-length // max(1, part)) for length, part in zip(shape, chunk, strict=True))
