"""What a node is: facts and attributes, its dimensions, and Python that gets here."""

from __future__ import annotations

from nz_explorer.model import Array, Group
from nz_explorer.widget import blocks, code, dimensions, documents, protocol, words
from nz_explorer.widget.blocks import Blocks, Words
from nz_explorer.widget.pages.registry import Context, page

STATES: dict[str, protocol.Span | None] = {
    "yes": blocks.chip("coordinate", "good"),
    "candidate": blocks.chip("candidate", "info"),
    "no": blocks.chip("not a coordinate", "warning"),
    "none": None,
}
ARROWS = {"increasing": " ↑", "decreasing": " ↓", None: ""}


@page("about")
def about(context: Context) -> Blocks:
    """List facts and attributes."""
    node = context.node
    facts = blocks.definitions(words.facts(node))
    found = documents.attributes(node)
    if not found:
        return [facts, blocks.paragraph([blocks.quiet("No attributes.")])]
    rows = [
        blocks.row(
            blocks.link(node.path, one.name, pointer=one.pointer),
            protocol.Span(one.nz_type, "type", title=one.note),
            blocks.code(one.value),
        )
        for one in found
    ]
    return [facts, blocks.table("Attributes", ["Attribute", "NZ type", "Value"], rows)]


@page("dimensions")
def dimension_table(context: Context) -> Blocks:
    """List the dimensions of a group, or those of an array."""
    session, node = context.session, context.node
    group = node if isinstance(node, Group) else session.tree.node(node.parent or "/")
    arrays: list[Array] = []
    if isinstance(group, Group):
        group.hierarchy.children(group, context.cancel)
        arrays = [child for child in session.tree.children(group) if isinstance(child, Array)]
    own = [node] if isinstance(node, Array) else arrays
    if isinstance(node, Array) and not arrays:
        arrays = own  # the root is an array
    rows, uses = dimensions.table(arrays, own, session.monotonicity)
    if rows:
        columns = ["Dimension", "Length", "Coordinate", "First … last", "Step", "Units", "Used by"]
        made = [_dimension(row, used) for row, used in zip(rows, uses, strict=True)]
        return [blocks.table("Dimensions", columns, made)]
    if node.kind == "unknown":
        note = node.problem or "It is not known what this is."
    elif isinstance(node, Array):
        note = "no dimensions: a scalar"
    else:
        note = "no arrays with dimensions directly in this group"
    return [blocks.paragraph([blocks.quiet(note)])]


def _dimension(row: dimensions.DimensionRow, uses: list[str]) -> protocol.TableRow:
    name = blocks.quiet("no name") if row.name is None else row.name
    lengths: protocol.Text = []
    for use in row.lengths:
        lengths += [words.number(use.length), " "]
        if row.conflict:
            lengths += blocks.links(use.arrays, short=True)
    coordinate: protocol.Text = []
    if row.coordinate is not None:
        coordinate += [blocks.link(row.coordinate, blocks.name_of(row.coordinate)), " "]
    if (state := STATES[row.coordinate_state]) is not None:
        coordinate += [state, " "]
    coordinate.append(blocks.quiet(row.why))
    ends: Words = ""
    if row.first is not None:
        ends = f"{row.first} … {row.last}{ARROWS[row.direction]}"
    return blocks.row(
        [name, " ", blocks.chip("conflicting lengths", "error")] if row.conflict else name,
        lengths,
        coordinate,
        ends,
        row.step or "",
        row.units or "",
        blocks.links(uses, len(uses), short=True),
        tone="error" if row.conflict else None,
    )


@page("code")
def code_page(context: Context) -> Blocks:
    """Write Python that gets here."""
    given = context.params.get("index", {})
    index = {str(name): int(at) for name, at in given.items()}
    found = code.code(context.session.hierarchy, context.node, index)
    parts = [
        ("With nz_explorer", "Opens what xarray refuses, masks as the convention says.", found.nz),
        ("With zarr", "Nothing but zarr and numpy.", found.zarr),
        ("With xarray", "", found.xarray),
    ]
    return [
        blocks.listed_code(source, "python", f"{title}: Python", [title, " ", blocks.quiet(note)])
        for title, note, source in parts
    ]
