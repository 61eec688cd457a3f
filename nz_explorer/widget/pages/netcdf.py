"""What the concepts of netCDF have become in this dataset."""

from __future__ import annotations

from nz_explorer.model import Array, Group
from nz_explorer.netcdf import concepts
from nz_explorer.widget import blocks, protocol
from nz_explorer.widget.blocks import Blocks
from nz_explorer.widget.pages.registry import Context, page

ROLES = {
    "coordinate": "This array is a dimension coordinate.",
    "candidate": "This array may be a dimension coordinate; that is not yet decided.",
    "auxiliary": "This array is auxiliary: it goes with other arrays but is no dimension coordinate.",
    "scalar": "This array is a scalar.",
    "data": "This array is a data array.",
}
VERDICTS = {
    True: protocol.Span("✓", "good", title="passed"),
    False: protocol.Span("✗", "error", title="failed"),
    None: protocol.Span("?", "warning", title="not known"),
}


@page("netcdf")
def netcdf(context: Context) -> Blocks:
    """Say what an array is, test by test, and fill the table of concepts."""
    session, node = context.session, context.node
    found: Blocks = []
    if isinstance(node, Array):
        session.monotonicity(node)
        role = session.tree.role(node)
        tests: list[protocol.Text] = [
            [VERDICTS[t.passed], " ", t.test, " ", blocks.quiet(t.detail)] for t in role.tests
        ]
        found += [
            blocks.heading("What it is"),
            blocks.paragraph(ROLES[role.role]),
            blocks.listing(tests, "Tests"),
        ]
    group = node if isinstance(node, Group) else node.hierarchy.get(node.parent or "/")
    if not isinstance(group, Group):
        return found
    group.hierarchy.children(group, context.cancel)
    roles = {array.path: session.tree.role(array).role for array in group.arrays}
    rows = []
    for concept in concepts(group, roles):
        here: protocol.Text = []
        for place in concept.here:
            here += [blocks.link(place.path, place.label), " "]
        if concept.total > len(concept.here):
            here.append(blocks.quiet(f"and {concept.total - len(concept.here)} more"))
        meaning: protocol.Text = [concept.nz]
        if concept.note:
            meaning += [" ", blocks.quiet(concept.note)]
        rows.append(blocks.row(concept.nug, meaning, here or [blocks.quiet("none")]))
    columns = ["NetCDF (NUG)", "Zarr (NZ)", "In this dataset"]
    return [
        *found,
        blocks.heading("From NUG to NZ"),
        blocks.table("netCDF concepts", columns, rows),
    ]
