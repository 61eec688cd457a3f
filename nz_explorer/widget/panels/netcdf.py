"""What the concepts of netCDF have become in this dataset, and why an array is what it is."""

from __future__ import annotations

from nz_explorer.conventions import rules
from nz_explorer.model import Array, Group
from nz_explorer.model.roles import Role, RoleResult, RoleTest
from nz_explorer.netcdf import concepts
from nz_explorer.netcdf.concepts import MOST_GROUPS, groups_below
from nz_explorer.widget import protocol
from nz_explorer.widget.panels import blocks
from nz_explorer.widget.panels.blocks import Blocks
from nz_explorer.widget.panels.glossary import marked
from nz_explorer.widget.panels.registry import Context, page

ROLES = {
    "coordinate": ("Why is this a dimension coordinate?", "Because it passes every test."),
    "candidate": (
        "Is this a dimension coordinate?",
        "That is not decided: it has the name of one, but not enough of its values is known.",
    ),
    "auxiliary": (
        "Why is this not a dimension coordinate?",
        "It fails a test. It is auxiliary: another array refers to it.",
    ),
    "overview": (
        "Why is this not a dimension coordinate?",
        "It fails a test. It is an overview: a smaller copy of another array, to be shown in its place.",
    ),
    "scalar": (
        "Why is this a scalar?",
        "It has no dimensions, and so it cannot be the coordinate of one.",
    ),
    "data": (
        "Why is this not a dimension coordinate?",
        "It fails a test, and no array refers to it: it is a data array.",
    ),
}
RESULTS = {
    True: blocks.chip("✓\u00a0yes", "good"),
    False: blocks.chip("✗\u00a0no", "error"),
    None: blocks.chip("?\u00a0open", "info"),
}
NO_EQUIVALENT = blocks.chip("no equivalent", "warning")


@page("role")
def role(context: Context) -> Blocks:
    """Classify an array, test by test."""
    session, node = context.session, context.node
    if not isinstance(node, Array):
        return []
    session.monotonicity(node)
    found = _role(session.tree.role(node))
    if neighbours := _neighbours(context, node):
        found.append(blocks.paragraph(neighbours))
    return found


@page("concepts")
def concepts_page(context: Context) -> Blocks:
    """Fill the table of concepts with what is in the group."""
    session, node = context.session, context.node
    group = node if isinstance(node, Group) else node.hierarchy.get(node.parent or "/")
    if not isinstance(group, Group):
        return [blocks.paragraph([blocks.quiet("It is not in a group that can be read.")])]
    for one in (found := [group]):
        children = one.hierarchy.children(one, context.cancel)
        if group.path == "/" and len(found) < MOST_GROUPS:
            found += [child for child in children if isinstance(child, Group)]
    arrays = [array for one in groups_below(group) for array in one.arrays]
    roles = {array.path: session.tree.role(array).role for array in arrays}
    return [_concepts(group, roles)]


DERIVED = frozenset(("NZ-COORD-003", "NZ-COORD-004"))
"""Rules whose test NZ does not ask for in its own words: what has no order, or is missing, cannot rise or fall."""
FOLLOWS = "follows from the last: what rises or falls has an order and is there"


def _role(role: RoleResult) -> Blocks:
    question, answer = ROLES[role.role]
    rows = [
        blocks.row(
            test.test,
            _result(test),
            test.detail,
            protocol.Span(
                FOLLOWS if test.rule in DERIVED else str(rules()[test.rule].source),
                "quiet",
                title=rules()[test.rule].statement or None,
            ),
        )
        for test in role.tests
    ]
    return [
        blocks.heading(question),
        blocks.paragraph(answer),
        blocks.table("Tests", ["Test", "Result", "What is here", "Asked by"], rows),
    ]


def _result(test: RoleTest) -> protocol.Span:
    if test.rule == "NZ-AUX-001" and not test.passed:  # which nothing needs to pass
        return blocks.chip("– no", "info")
    return RESULTS[test.passed]


def _neighbours(context: Context, array: Array) -> protocol.Text:
    """Say which arrays of the group are the coordinates of this one's dimensions."""
    found: protocol.Text = []
    siblings = {}
    group = array.hierarchy.get(array.parent or "/")
    if isinstance(group, Group):
        siblings = {sibling.name: sibling for sibling in group.arrays}
    for name in dict.fromkeys(array.dimension_names or ()):
        there = siblings.get(name or "")
        if there is None or there.path == array.path:
            continue
        is_one = context.session.tree.role(there).role == "coordinate"
        found += [
            blocks.link(there.path, there.name, panel="netcdf"),
            " is its coordinate along " if is_one else " is named like its dimension ",
            f"{name}{'' if is_one else ', but is no coordinate'}. ",
        ]
    return found


def _concepts(group: Group, roles: dict[str, Role]) -> protocol.Block:
    rows = []
    for concept in concepts(group, roles):
        here = blocks.joined(blocks.link(place.path, place.label) for place in concept.here)
        if concept.total > len(concept.here):
            here.append(blocks.quiet(f" and {concept.total - len(concept.here)} more"))
        meaning: protocol.Text = (
            [NO_EQUIVALENT] if concept.nz is None else marked(concept.nz, group.path)
        )
        if concept.note:
            meaning += [" ", blocks.quiet(concept.note)]
        rows.append(
            blocks.row(
                NO_EQUIVALENT if concept.nug is None else marked(concept.nug, group.path),
                meaning,
                here or [blocks.quiet("not used here")],
            )
        )
    columns = ["NetCDF (NUG)", "Zarr (NZ)", "In this dataset"]
    return blocks.table("netCDF concepts", columns, rows)
