"""The words of the NUG, of NZ and of Zarr, each shown by a node of the open store."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from nz_explorer.conventions import rules
from nz_explorer.model import Array, Group, Node
from nz_explorer.model.dialects import nczarr
from nz_explorer.widget import protocol
from nz_explorer.widget.panels import blocks
from nz_explorer.widget.panels.blocks import Blocks, Words
from nz_explorer.widget.panels.registry import Context, page

Example = tuple[str, str | None]
"""What a link to a node is called, and where in its document it leads to."""
Find = Callable[[Node, str | None], Example | None]
"""Takes a node and its role."""

NEARBY = 400
"""Nodes among which examples are looked for."""
GROUPS = 8
"""Groups that are read for this."""
SHOWN = 3


@dataclass(frozen=True, slots=True)
class Entry:
    """A word and what it means.

    Attributes
    ----------
    term : str
        The word; where NUG, NZ and Zarr have different ones, all of them.
    meaning : str
        What it means, in a sentence or two.
    rules : tuple of str
        Rules that explain more.
    find : callable or None
        Tells whether a node shows it, and where.
    """

    term: str
    meaning: str
    rules: tuple[str, ...]
    find: Find | None = None


def _array(find: Callable[[Array], Example | None]) -> Find:
    return lambda node, _: find(node) if isinstance(node, Array) else None


def _group(find: Callable[[Group], Example | None]) -> Find:
    return lambda node, _: find(node) if isinstance(node, Group) else None


def _role(role: str) -> Find:
    return lambda node, own: (node.name or "/", None) if own == role else None


def _member(array: Array, name: str, label: str) -> Example | None:
    return (label, array.pointer(name)) if name in array.metadata else None


def _attribute(node: Node) -> Example | None:
    for name in node.attributes:
        if not nczarr.is_hidden(name):
            return f"{node.name or '/'}: {name}", node.attribute_pointer(name)
    return None


def _dimension(array: Array) -> Example | None:
    names = array.dimension_names
    if not names or array.zarr_format != 3:
        return None
    return f"{array.name}: {', '.join(name or '(no name)' for name in names)}", array.pointer(
        "dimension_names"
    )


def _chunk(array: Array) -> Example | None:
    grid = array.grid_shape
    if not grid or array.chunk_shape is None:
        return None
    label = f"{array.name}: chunks of {' × '.join(map(str, array.chunk_shape))}"
    return label, array.pointer("chunks" if array.zarr_format == 2 else "chunk_grid")


def _codec(array: Array) -> Example | None:
    member = "compressor" if array.zarr_format == 2 else "codecs"
    names = [c.get("name", c.get("id")) for c in array.codecs if isinstance(c, dict)]
    shown = ", ".join(name for name in names if isinstance(name, str))
    return _member(array, member, f"{array.name}: {shown}") if shown else None


def _shard(array: Array) -> Example | None:
    if array.shard_shape is None:
        return None
    return f"{array.name}: shards of {' × '.join(map(str, array.shard_shape))}", array.pointer(
        "codecs"
    )


def _fill(array: Array) -> Example | None:
    if array.nz_fill is None:
        return None
    return f"{array.name}: {array.nz_fill.text}", array.attribute_pointer("_FillValue")


def _storage_fill(array: Array) -> Example | None:
    fill = array.storage_fill
    return None if fill is None else _member(array, "fill_value", f"{array.name}: {fill.text}")


def _data_type(array: Array) -> Example | None:
    member = "dtype" if array.zarr_format == 2 else "data_type"
    return _member(array, member, f"{array.name}: {array.data_type.text}")


def _packed(array: Array) -> Example | None:
    if "scale_factor" not in array.attributes:
        return None
    return f"{array.name}: scale_factor", array.attribute_pointer("scale_factor")


def _consolidated(group: Group) -> Example | None:
    if group.path != "/" or group.hierarchy.consolidated is None:
        return None
    return "the root", None if group.zarr_format == 2 else "/consolidated_metadata"


def _declaration(group: Group) -> Example | None:
    for key in ("conventions", "Conventions"):
        if group.path == "/" and key in group.attributes:
            return f"{key}: {group.attributes[key]}", group.attribute_pointer(key)
    return None


def _unlimited(group: Group) -> Example | None:
    notes = nczarr.group_notes(group)
    for dimension in () if notes is None else notes.dimensions.values():
        if dimension.unlimited:
            return f"{dimension.name}, as NCZarr notes it", dimension.pointer
    return None


ENTRIES = (
    Entry(
        "attribute",
        "A name and a value that describe a group or an array. A member of attributes in its document; its type is one that JSON has.",
        ("NZ-ATTR-001",),
        lambda node, _: _attribute(node),
    ),
    Entry(
        "auxiliary coordinate (CF), auxiliary array (NZ)",
        "An array that goes with others but is no dimension coordinate, such as a two-dimensional latitude. The others name it in an attribute of CF.",
        ("NZ-COORD-005",),
        _role("auxiliary"),
    ),
    Entry(
        "chunk",
        "A block of an array that is compressed and read as a whole. All are of one shape; one that was never written is not in the store.",
        ("Z3-GRID-001",),
        _array(_chunk),
    ),
    Entry(
        "codec",
        "A step between the values of a chunk and its bytes. NetCDF calls compression and shuffling filters.",
        ("Z3-CODEC-001", "Z3-CODEC-002"),
        _array(_codec),
    ),
    Entry(
        "consolidated metadata",
        "A copy of all metadata documents in that of the root, so that a single request is enough. It has to be kept up to date.",
        ("NZ-CONS-002", "NZ-CONS-003"),
        _group(_consolidated),
    ),
    Entry(
        "conventions",
        "The attribute of the root group that declares which conventions the dataset follows.",
        ("NZ-DECL-001",),
        _group(_declaration),
    ),
    Entry(
        "coordinate variable (NUG), dimension coordinate array (NZ)",
        "A one-dimensional array with the name of its dimension, whose values are the positions of the elements along it.",
        ("NZ-COORD-002", "NZ-COORD-003"),
        _role("coordinate"),
    ),
    Entry(
        "data type",
        "What an element is. NetCDF calls it the type of a variable.",
        ("NZ-TYPE-001",),
        _array(_data_type),
    ),
    Entry(
        "dimension",
        "An axis with a name and a length. In Zarr it exists only as a name that arrays of a group share.",
        ("NZ-DIM-001", "NZ-DIM-010"),
        _array(_dimension),
    ),
    Entry(
        "fill value: _FillValue",
        "The value that means “missing”. It masks.",
        ("NZ-FILL-002",),
        _array(_fill),
    ),
    Entry(
        "fill value: storage fill_value",
        "The value of chunks that were never written. It masks nothing.",
        ("NZ-FILL-007", "Z3-FV-001"),
        _array(_storage_fill),
    ),
    Entry(
        "group",
        "A node that holds other nodes, like a folder.",
        ("Z3-DOC-002",),
        _group(
            lambda group: (
                (group.path, "" if group.zarr_format == 2 else "/node_type") if group.name else None
            )
        ),
    ),
    Entry(
        "packed values",
        "Numbers stored as small integers; scale_factor and add_offset restore the original values. This is defined by CF, not by NZ.",
        ("NZ-FILL-011",),
        _array(_packed),
    ),
    Entry(
        "scalar",
        "An array without dimensions: one value, such as a height that holds for all.",
        ("NZ-SCAL-001",),
        _role("scalar"),
    ),
    Entry(
        "shard",
        "A stored object that holds several chunks and an index of them.",
        ("Z3-CODEC-008",),
        _array(_shard),
    ),
    Entry(
        "unlimited dimension",
        "A netCDF dimension that may grow. In Zarr every array may, and nothing marks the dimension; only NCZarr notes it.",
        (),
        _group(_unlimited),
    ),
    Entry(
        "variable (NUG), array (NZ, Zarr)",
        "Values of one type along dimensions, with attributes.",
        ("Z3-DOC-003", "NZ-DIM-001"),
        _role("data"),
    ),
)
"""The glossary, by the alphabet."""


WORDS = (
    ("coordinate variable", "coordinate variable (NUG), dimension coordinate array (NZ)"),
    ("dimension coordinate array", "coordinate variable (NUG), dimension coordinate array (NZ)"),
    ("auxiliary coordinate", "auxiliary coordinate (CF), auxiliary array (NZ)"),
    ("auxiliary array", "auxiliary coordinate (CF), auxiliary array (NZ)"),
    ("unlimited dimension", "unlimited dimension"),
    ("dimension", "dimension"),
    ("consolidated metadata", "consolidated metadata"),
    ("storage fill_value", "fill value: storage fill_value"),
    ("_FillValue", "fill value: _FillValue"),
    ("packing", "packed values"),
    ("scalar", "scalar"),
    ("variable", "variable (NUG), array (NZ, Zarr)"),
    ("data type", "data type"),
    ("codecs", "codec"),
    ("chunking", "chunk"),
    ("attribute", "attribute"),
    ("conventions", "conventions"),
    ("group", "group"),
    ("array", "variable (NUG), array (NZ, Zarr)"),
)
"""Words as they occur in a text, longer ones first, and the entry that explains them."""
_WORD = re.compile(
    "|".join(rf"(?<![\w.]){re.escape(word)}(?![\w])" for word, _ in WORDS), re.IGNORECASE
)


def marked(text: str, path: str) -> protocol.Text:
    """Return a text in which the words of the glossary carry their meaning, and lead there.

    Parameters
    ----------
    text : str
        The text.
    path : str
        The node whose glossary the words link to.
    """
    entries = {entry.term: entry for entry in ENTRIES}
    terms = {word.lower(): entries[term] for word, term in WORDS}
    found: protocol.Text = []
    at = 0
    for match in _WORD.finditer(text):
        entry = terms[match[0].lower()]
        found += [text[at : match.start()]] if match.start() > at else []
        found.append(
            protocol.Span(match[0], "term", path=path, panel="glossary", title=entry.meaning)
        )
        at = match.end()
    return [*found, text[at:]] if at < len(text) else found


@page("glossary")
def glossary(context: Context) -> Blocks:
    """Explain the words, with nodes near the selected one as examples."""
    session = context.session
    roles: dict[str, str | None] = {}
    nodes = list(_nearby(context))
    for node in nodes:
        roles[node.path] = session.tree.role(node).role if isinstance(node, Array) else None
    items: list[tuple[Words, Words]] = []
    for entry in ENTRIES:
        text: protocol.Text = [f"{entry.meaning} "]
        here = _examples(entry, nodes, roles)
        text += here or [blocks.quiet("There is none here. ")]
        for rule_id in entry.rules:
            text += [blocks.chip(rule_id, "info", rules()[rule_id].title), " "]
            text += [blocks.quiet(f"{rules()[rule_id].statement} ")]
        items.append((entry.term, text))
    return [
        blocks.paragraph(
            "The terms of netCDF (NUG), NZ and Zarr, with links to examples in this store."
        ),
        blocks.definitions(items),
    ]


def _examples(entry: Entry, nodes: list[Node], roles: dict[str, str | None]) -> protocol.Text:
    found: list[protocol.Span] = []
    for node in nodes:
        example = None if entry.find is None else entry.find(node, roles[node.path])
        if example is not None:
            label, pointer = example
            found.append(blocks.link(node.path, label, pointer=pointer))
        if len(found) == SHOWN:
            break
    return ["Here: ", *blocks.joined(found), ". "] if found else []


def _nearby(context: Context) -> Iterator[Node]:
    """Yield the selected node, what is in its group, and what is in the first groups of the root."""
    hierarchy, node = context.session.hierarchy, context.node
    group = node if isinstance(node, Group) else hierarchy.get(node.parent or "/")
    seen: set[str] = set()
    groups = 0
    queue: list[Node] = [node, hierarchy.root if group is None else group, hierarchy.root]
    for one in queue:
        if one.path in seen:
            continue
        seen.add(one.path)
        yield one
        if len(seen) == NEARBY:
            return
        if isinstance(one, Group) and groups < GROUPS:
            groups += 1
            queue += one.hierarchy.children(one, context.cancel)[:NEARBY]
