"""What a node is: facts and attributes, its dimensions, and Python that gets here."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from nz_explorer.model import Array, Group, dimension_table, nz_type
from nz_explorer.model.fill_values import value_text
from nz_explorer.widget import protocol, text
from nz_explorer.widget.code import Code, code
from nz_explorer.widget.panels import blocks
from nz_explorer.widget.panels.blocks import Blocks, Words
from nz_explorer.widget.panels.registry import Context, page
from nz_explorer.widget.requests import dimensions, documents, tables

STATES: dict[str, protocol.Span | None] = {
    "yes": blocks.chip("coordinate", "good"),
    "candidate": blocks.chip("candidate", "info"),
    "no": blocks.chip("not a coordinate", "warning"),
    "none": None,
}
MAX_GROUPS = 50
"""Groups whose dimensions are listed at once."""
MAX_NAMED = 20
"""Users of a dimension that are named."""
PARTS: dict[type, str] = {dict: "member", list: "element"}
MAX_DEPTH, MAX_MEMBERS = 4, 200
"""How deep, and how many at a time, members of nested attributes are listed."""
MAX_VALUE = 2000
"""Characters of a member's value."""
MAX_TEXT = 20_000
"""Characters of one value that are unfolded."""
SHORT = 100
"""Characters of a value that has parts, in the table; longer ones unfold."""
ARROWS = {"increasing": " ↑", "decreasing": " ↓", None: ""}


@page("about")
def about(context: Context) -> Blocks:
    """List the attributes with their types; what has parts unfolds."""
    node = context.node
    found = documents.attributes(node)
    if not found:
        return [blocks.paragraph([blocks.quiet("No attributes.")])]
    rows = []
    for one in found:
        name = blocks.link(node.path, one.name, pointer=one.pointer)
        kind = protocol.Span(one.nz_type, "type", title=one.note)
        if one.name == "_FillValue" and isinstance(node, Array):
            kind = protocol.Span(node.data_type.text, "type", title="It has the type of the array.")
            fill = node.decoded("_FillValue")
            if fill.usable and fill.dialect in ("hex", "base64"):  # people cannot read those
                said = [blocks.code(one.value), blocks.quiet(f" is {value_text(fill.value)}")]
                rows.append(blocks.row(name, kind, said))
                continue
        rows.append(_member(name, kind, one.value, node.attributes[one.name]))
    return [blocks.table("Attributes", ["Attribute", "NZ type", "Value"], rows)]


def _member(name: Words, kind: protocol.Span, shown: str, value: Any) -> protocol.TableRow:
    """Return a row for a value, under which its parts unfold where they are many or nested."""
    if not isinstance(value, (dict, list)) or len(shown) <= SHORT:
        return blocks.row(name, kind, blocks.code(shown))
    parts = text.counted(len(value), PARTS[type(value)])
    return blocks.row(name, kind, blocks.quiet(parts), inside=_inside(value))


def _inside(value: Any, depth: int = 1) -> Blocks:
    """Return the members of a value as a table; what is deep, or not made of objects, as JSON."""
    members = (
        list(value.items())
        if isinstance(value, dict)
        else [(str(at), item) for at, item in enumerate(value)]
    )
    flat = isinstance(value, list) and not any(isinstance(item, dict) for item in value)
    if flat or depth > MAX_DEPTH or len(members) > MAX_MEMBERS:
        whole = json.dumps(value, indent=2, ensure_ascii=False)
        shown = whole if len(whole) <= MAX_TEXT else f"{whole[:MAX_TEXT]}\n…"
        return [blocks.listed_code(shown, "json", "Value")]
    rows = []
    for name, item in members:
        kind = nz_type(item)
        whole = json.dumps(item, ensure_ascii=False)
        typed = protocol.Span(kind.name, "type", title=kind.note)
        if isinstance(item, (dict, list)) and len(whole) > SHORT:
            parts = blocks.quiet(text.counted(len(item), PARTS[type(item)]))
            rows.append(blocks.row(name, typed, parts, inside=_inside(item, depth + 1)))
        else:
            shown = whole if len(whole) <= MAX_VALUE else f"{whole[:MAX_VALUE]}…"
            rows.append(blocks.row(name, typed, blocks.code(shown)))
    return [blocks.table("Members", ["Member", "Type", "Value"], rows)]


@page("dimensions")
def dimensions_page(context: Context) -> Blocks:
    """List the dimensions of a group, or those of an array."""
    session, node = context.session, context.node
    group = node if isinstance(node, Group) else session.tree.node(node.parent or "/")
    arrays = session.tree.arrays(group, context.cancel) if isinstance(group, Group) else []
    own = [node] if isinstance(node, Array) else arrays
    if isinstance(node, Array) and not arrays:
        arrays = own  # the root is an array
    rows, uses = dimensions.table(arrays, own, session.monotonicity)
    if rows:
        columns = ["Dimension", "Length", "Coordinate", "First … last", "Used by"]
        made = [_dimension(row, used) for row, used in zip(rows, uses, strict=True)]
        return [blocks.table("Dimensions", columns, made)]
    if isinstance(node, Group) and (below := _below(context, node)):
        return below
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
        lengths += ["; "] if lengths else []
        lengths.append(text.number(use.length))
        if row.conflict:
            lengths += [" in ", *blocks.links(use.arrays, short=True)]
    coordinate: protocol.Text = []
    if row.coordinate is not None:
        coordinate += [blocks.link(row.coordinate, blocks.name_of(row.coordinate)), " "]
    if (state := STATES[row.coordinate_state]) is not None:
        coordinate += [state, " "]
    coordinate.append(blocks.quiet(text.on_screen(row.why)))
    return blocks.row(
        [name, *_marks(row)],
        lengths,
        coordinate,
        _values(row),
        blocks.links(uses, MAX_NAMED, short=True, notes=dict.fromkeys(row.auxiliary, "auxiliary")),
        tone="error" if row.conflict else None,
    )


def _marks(row: dimensions.DimensionRow) -> protocol.Text:
    marks: protocol.Text = []
    if row.conflict:
        marks += [" ", blocks.chip("conflicting lengths", "error")]
    if row.unlimited:
        marks += [" ", blocks.chip("unlimited", "info", "netCDF-C notes that it can grow")]
    return marks


def _values(row: dimensions.DimensionRow) -> Words:
    """Return the ends of a coordinate, its step and units, as far as they are known."""
    found: protocol.Text = []
    if row.first is not None:
        ends = row.first if row.first == row.last else f"{row.first} … {row.last}"
        found.append(f"{ends}{ARROWS[row.direction]} ")
    if row.step is not None:
        found.append(blocks.quiet(f"step {row.step} "))
    if row.units is not None:
        # Of "hours since 2000-01-01" the step has the hours.
        unit, since, moment = row.units.partition(" since ")
        if row.step is not None and since:
            unit, since = unit.removesuffix("s") if row.step == "1" else unit, f",{since}"
        found.append(blocks.quiet(f"{unit}{since}{moment}"))
    return found


def _below(context: Context, group: Group) -> Blocks:
    """List the dimensions of the groups in a group that has no arrays of its own."""
    context.session.hierarchy.children(group, context.cancel)
    rows = []
    at_hand = group.hierarchy.metadata_source == "consolidated"
    for child in group.groups[:MAX_GROUPS]:
        if at_hand:  # elsewhere what the walk has not come to yet is not read for this
            child.hierarchy.children(child, context.cancel)
        found = [
            f"{one.name} ({' or '.join(text.number(length) for length in one.lengths)})"
            for one in dimension_table(child.arrays)
            if one.name is not None
        ]
        none = "not read yet" if child.children is None else "no arrays with dimensions of its own"
        inside = ", ".join(found) if found else blocks.quiet(none)
        rows.append(blocks.row(blocks.link(child.path, panel="dimensions"), inside))
    if not rows:
        return []
    left_out = len(group.groups) - len(rows)
    note = "This group has no arrays of its own. A dimension belongs to the group of its arrays."
    more = f" {left_out} more groups are not listed." if left_out else ""
    return [
        blocks.paragraph([blocks.quiet(note + more)]),
        blocks.table("Dimensions of the groups in here", ["Group", "Dimensions"], rows),
    ]


def _code_of_view(context: Context, view: Mapping[str, Any]) -> Code:
    """Return Python that gets to what is shown of a node."""
    from nz_explorer.widget.requests.export import looking

    session, node, look = context.session, context.node, None
    if columns := tables.shown(session, node, view):
        return tables.code(columns)
    if isinstance(node, Array):
        options = looking(view)
        look = session.quicklook(node, context.index, cancel=context.cancel, thin=False, **options)
        look = session.limits.known(node, look)
    return code(session.hierarchy, node, context.index, view, look, session.budget)


@page("code")
def code_page(context: Context) -> Blocks:
    """Write Python that gets here."""
    view = context.params.get("view")
    found = _code_of_view(context, view if isinstance(view, Mapping) else {})
    parts = [
        ("With nz_explorer", "Opens what xarray cannot, and masks by the convention.", found.nz),
        ("With zarr", "Nothing but zarr and numpy.", found.zarr),
        ("With xarray", "", found.xarray),
    ]
    return [
        blocks.listed_code(source, "python", f"{title}: Python", [title, " ", blocks.quiet(note)])
        for title, note, source in parts
    ]
