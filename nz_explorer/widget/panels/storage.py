"""How an array is stored: its chunk grid and codecs in words, which chunks are there, what they take."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nz_explorer.model import Array, Group
from nz_explorer.store import ReadError
from nz_explorer.values.reading.chunk_presence import Presence, listed, stored_size
from nz_explorer.values.reading.opening import OpenArray, UnsupportedArray, open_for_reading
from nz_explorer.values.reading.size_limits import bytes_text
from nz_explorer.widget import protocol, text
from nz_explorer.widget.panels import blocks
from nz_explorer.widget.panels.blocks import Blocks
from nz_explorer.widget.panels.registry import Context, page

WHAT_CODECS_DO = {
    "bytes": "numbers become bytes",
    "transpose": "axes change places before anything else",
    "sharding_indexed": "many small chunks share one object, with an index of where each begins",
    "vlen-utf8": "texts become bytes, each with its length",
    "vlen-bytes": "byte strings follow each other, each with its length",
    "gzip": "compresses",
    "zlib": "compresses",
    "zstd": "compresses",
    "blosc": "shuffles bytes of the same place together and compresses",
    "lz4": "compresses",
    "shuffle": "bytes of the same place in each number come together",
    "delta": "differences of neighbours instead of values",
    "fixedscaleoffset": "values become small integers; decimals are lost",
    "quantize": "decimals are rounded off",
    "bitround": "bits that carry no information are cleared",
    "crc32c": "a checksum is added, so that damage is noticed",
    "adler32": "a checksum is added, so that damage is noticed",
    "fletcher32": "a checksum is added, so that damage is noticed",
    "scale_offset": "values are scaled and shifted",
    "cast_value": "values become another data type",
    "reshape": "axes are merged or split; the order of values stays",
    "packbits": "true and false, or short integers, share bytes",
    "zfp": "compresses numbers in small blocks; in most of its modes decimals are lost",
    "n5_default": "the chunk format of N5, with its own header",
    "conditional": "compresses only where that is worth it",
}
"""What known codecs do to a chunk as it is written."""
MOST_ROWS, MOST_COLUMNS = 60, 160
"""Squares of the map; where there are more chunks, each stands for several."""
MOST_ARRAYS = 200
MOST_TARGETS = 50
STORED, ABSENT, LINES = (38, 118, 184, 255), (128, 128, 128, 60), (128, 128, 128, 170)


@page("storage")
def storage(context: Context) -> Blocks:
    """Explain how an array is stored; of a group, list its arrays."""
    node = context.node
    facts = blocks.definitions(text.facts(node))
    if isinstance(node, Group):
        return [facts, *_group(context, node)]
    if not isinstance(node, Array):
        return [blocks.paragraph([blocks.quiet(node.unreadable())])]
    return [facts, *_grid(node), *_codecs(node), *_chunks(context, node)]


def _group(context: Context, group: Group) -> Blocks:
    arrays = context.session.tree.arrays(group, context.cancel)
    if not arrays:
        return [blocks.paragraph([blocks.quiet("This group has no arrays of its own.")])]
    rows = [
        blocks.row(
            blocks.link(array.path, array.name, panel="storage"),
            "?" if array.size_bytes is None else bytes_text(array.size_bytes),
            text.chunks(array) or "?",
            " → ".join(text.codec(given) for given in array.codecs) or "none",
        )
        for array in arrays[:MOST_ARRAYS]
    ]
    found: Blocks = [
        blocks.table(
            "Arrays and how they are stored", ["Array", "Decoded", "Chunks", "Codecs"], rows
        )
    ]
    if len(arrays) > MOST_ARRAYS:
        more = text.number(len(arrays) - MOST_ARRAYS)
        found.append(blocks.paragraph([blocks.quiet(f"and {more} more arrays")]))
    return found


def _grid(array: Array) -> Blocks:
    shape, chunk, shard = array.shape, array.chunk_shape, array.shard_shape
    if shape and array.chunk_edges is not None:
        return _rectilinear(array, shape, array.chunk_edges)
    if not shape or chunk is None:
        return []
    rows = []
    for axis, (length, part) in enumerate(zip(shape, chunk, strict=True)):
        count = -(-length // max(1, part))
        last = length - (count - 1) * part if count else 0
        cells = [array.dimension_label(axis), text.number(length), text.number(part)]
        cells += [text.number(count), "full" if last == part else f"{text.number(last)} long"]
        rows.append(blocks.row(*cells, *([text.number(shard[axis])] if shard else [])))
    columns = ["Dimension", "Length", "Chunk", "Chunks", "The last one"]
    item = array.data_type.itemsize
    number = text.grid_size(shape, chunk)
    each = f" of {bytes_text(math.prod(chunk) * item)}" if item else ""
    what = "inner chunk" if shard else "chunk"
    said = f"{text.counted(number, what)}{each} decoded"
    if shard:
        said += f", in {text.counted(text.grid_size(shape, shard), 'shard')}"
    return [
        blocks.heading("Chunk grid"),
        blocks.paragraph([f"{array.data_type.text}: {said}. Reading one value reads one {what}."]),
        blocks.table("Chunk grid", [*columns, *(["Shard"] if shard else [])], rows),
    ]


def _rectilinear(
    array: Array, shape: tuple[int, ...], edges: tuple[tuple[int, ...], ...]
) -> Blocks:
    """Explain a grid whose chunks differ in length."""
    rows = [
        blocks.row(
            array.dimension_label(axis),
            text.number(length),
            text.number(len(along)),
            "–" if not along else f"{text.number(min(along))} to {text.number(max(along))}",
            text.edges(along),
        )
        for axis, (length, along) in enumerate(zip(shape, edges, strict=True))
    ]
    inner = array.chunk_shape
    what = "chunk" if inner is None else "shard"
    number = math.prod(map(len, edges))
    said = f"{array.data_type.text}: {text.counted(number, what)}, which differ in length (rectilinear grid)."
    if inner is not None:
        count = text.counted(text.grid_size(shape, inner), "inner chunk")
        said += f" In them are {count} of {text.lengths(inner)}."
    columns = ["Dimension", "Length", f"{what.title()}s", "Long", "One after the other"]
    each = "chunk" if inner is None else "inner chunk"
    return [
        blocks.heading("Chunk grid"),
        blocks.paragraph([f"{said} Reading one value reads one {each}."]),
        blocks.table("Chunk grid", columns, rows),
    ]


def _codecs(array: Array) -> Blocks:
    if not array.codecs:
        return []
    rows = [_codec(given) for given in array.codecs]
    return [
        blocks.heading("Codecs, in the order of writing"),
        blocks.table("Codecs", ["Codec", "What it does"], rows),
    ]


def _codec(given: Any) -> protocol.TableRow:
    name = given if isinstance(given, str) else ""
    if isinstance(given, dict):
        name = str(given.get("name", given.get("id", "?")))
    does = WHAT_CODECS_DO.get(name.removeprefix("numcodecs.").lower())
    return blocks.row(blocks.code(text.codec(given)), does or blocks.quiet("an unknown codec"))


def _chunks(context: Context, array: Array) -> Blocks:
    """Say which chunks are in the store, and what they take, as far as that is cheap to know."""
    if not array.shape:
        return []
    found: Blocks = [blocks.heading("In the store")]
    try:
        opened = open_for_reading(array, context.session.cache)
    except UnsupportedArray as error:
        return [*found, blocks.paragraph(f"Its chunks cannot be looked for: {error}", "warning")]
    presence = listed(array, opened, cancel=context.cancel)
    what = "shards" if opened.shard_shape else "chunks"
    if presence is None or not presence.complete:
        why = (
            "the store cannot be listed"
            if not array.hierarchy.reader.listable
            else f"there are too many {what} to list them"
        )
        return [*found, blocks.paragraph(f"It is not known which {what} exist: {why}.", "info")]
    total, there = math.prod(opened.object_grid), len(presence.places)
    number = text.number
    said = f"The store has {number(there)} of {number(total)} {what}"
    said += "." if there == total else "; those that it lacks read as the fill_value."
    found += [blocks.paragraph([said, " ", *_bytes(context, array, opened, presence)])]
    found += _map(array, opened, presence, what)
    found += _targets(array, opened, presence)
    if presence.outside:
        names = ", ".join(presence.outside[:5])
        more = f" and {len(presence.outside) - 5} more" if len(presence.outside) > 5 else ""
        found.append(blocks.paragraph(f"The shape has no place for {names}{more}.", "warning"))
    return found


def _bytes(context: Context, array: Array, opened: OpenArray, presence: Presence) -> protocol.Text:
    stored = stored_size(opened, presence, cancel=context.cancel)
    if stored is None:
        return []
    whole = stored.asked == len(presence.places)
    taken = round(stored.total * len(presence.places) / stored.asked)
    said = f"They take {'' if whole else 'about '}{bytes_text(taken)}"
    if array.data_type.itemsize and taken:
        part = len(presence.places) / math.prod(opened.object_grid)
        ratio = (array.size_bytes or 0) * part / taken
        said += (
            f", {ratio:.2g} times less than decoded" if ratio >= 1.05 else ", no less than decoded"
        )
    return [
        f"{said}.",
        *([] if whole else [blocks.quiet(f" Estimated from {stored.asked} of them.")]),
    ]


def _targets(array: Array, opened: OpenArray, presence: Presence) -> Blocks:
    """List the files that hold the chunks of an array, where references lead to them."""
    reader = array.hierarchy.reader
    rows = []
    for place in presence.stored[:MOST_TARGETS]:
        try:
            target = reader.target_of(opened.object_key(place))
        except ReadError as error:
            target = ("?", error.detail)
        if target is None:
            return []
        where, problem = target
        said = blocks.quiet("read from there") if not problem else f"Not read: {problem}."
        rows.append(blocks.row(", ".join(map(str, place)) or "–", blocks.code(where), said))
    if not rows:
        return []
    found: Blocks = [
        blocks.heading("Where the chunks are"),
        blocks.table("Where the chunks are", ["Chunk", "File and bytes", ""], rows),
    ]
    if (more := len(presence.stored) - len(rows)) > 0:
        found.append(blocks.paragraph([blocks.quiet(f"and {text.counted(more, 'more chunk')}")]))
    return found


def _map(array: Array, opened: OpenArray, presence: Presence, what: str) -> Blocks:
    """Draw which chunks are there, along the two axes that have most of them."""
    counts = opened.object_grid
    if math.prod(counts) < 2:
        return []
    most = sorted(range(len(counts)), key=lambda axis: -counts[axis])[:2]
    several = sorted(axis for axis in most if counts[axis] > 1)
    axes = [None, *several] if len(several) == 1 else several
    shape = [1 if axis is None else counts[axis] for axis in axes]
    steps = [-(-shape[0] // MOST_ROWS), -(-shape[1] // MOST_COLUMNS)]
    squares = np.zeros([-(-n // step) for n, step in zip(shape, steps, strict=True)])
    for place in presence.stored:
        at = [
            0 if axis is None else place[axis] // step
            for axis, step in zip(axes, steps, strict=True)
        ]
        squares[at[0], at[1]] += 1
    # The last squares may stand for fewer chunks.
    reach = [
        np.minimum(step, n - np.arange(0, n, step)) for n, step in zip(shape, steps, strict=True)
    ]
    others = math.prod(counts) // math.prod(shape)
    squares /= np.outer(*reach) * others
    names = ["" if axis is None else array.dimension_label(axis) for axis in axes]
    label = f"Filled squares are {what} in the store, hatched ones are absent"
    if others * steps[0] * steps[1] > 1:
        label += "; a square stands for several, and is filled as far as these are there"
    label += f". To the right {names[1]}, {shape[1]} {what}"
    label += f"; downwards {names[0]}, {shape[0]}." if names[0] else "."
    edges = opened.edges or opened.shard_edges
    if edges is not None and steps == [1, 1]:
        label += " Each is drawn as long as it is."
        along = [[1] if axis is None else np.diff(edges[axis]) for axis in axes]
        return [blocks.png(_draw(squares, [_to_scale(one) for one in along]), label)]
    return [blocks.png(_draw(squares), label)]


def _to_scale(lengths: Any) -> list[int]:
    """Return how many pixels parts of an axis get, each enough to be seen."""
    part = 22 * len(lengths) / sum(lengths)
    return [max(4, min(640, round(length * part))) for length in lengths]


def _draw(squares: np.ndarray[Any, Any], sizes: Sequence[Sequence[int]] | None = None) -> bytes:
    """Draw squares, filled from below as far as they are full and hatched above."""
    from matplotlib.image import imsave

    side = int(max(4, min(22, 640 // squares.shape[1])))
    heights, widths = sizes or [[side] * count for count in squares.shape]
    tops, lefts = np.cumsum((0, *heights)), np.cumsum((0, *widths))
    image = np.zeros((tops[-1], lefts[-1], 4), np.uint8)
    for (i, j), full in np.ndenumerate(squares):
        high, wide = heights[i], widths[j]
        rows, columns = np.indices((high, wide))
        filled = rows >= round((1 - full) * (high - 1))
        hatch = (rows + columns) % 4 == 0
        square = np.where(filled[..., None], STORED, np.where(hatch[..., None], LINES, ABSENT))
        image[tops[i] : tops[i] + high - 1, lefts[j] : lefts[j] + wide - 1] = square[:-1, :-1]
    file = io.BytesIO()
    imsave(file, image, format="png")
    return file.getvalue()
