"""Nodes: rows of the tree, and what a group holds."""

from __future__ import annotations

from nz_explorer.model import Array, Group, NodeNotFound, dimension_table
from nz_explorer.store import Cancellation
from nz_explorer.text.phrases import capitalized
from nz_explorer.widget import protocol, text
from nz_explorer.widget.requests.answer import MAX_PAGE, Answer, BadRequest, answers, page_of
from nz_explorer.widget.requests.tables import default_kind
from nz_explorer.widget.session_view import SessionView

MAX_SMALL_PICTURES = 60


def array_at(session: SessionView, path: str) -> Array:
    """Return the array at a path.

    Parameters
    ----------
    session : SessionView
        The open hierarchy.
    path : str
        Where it should be.

    Raises
    ------
    BadRequest
        If the node is a group, or cannot be read.
    NodeNotFound
        If there is none.
    """
    node = session.tree.node(path)
    if not isinstance(node, Array):
        is_group = isinstance(node, Group)
        raise BadRequest(f"{node.path} is no array" if is_group else node.unreadable())
    return node


@answers("open")
def opened(session: SessionView, params: protocol.OpenParams, cancel: Cancellation) -> Answer:
    """Return what the header shows."""
    return session.summary(), ()


@answers("children")
def children(session: SessionView, params: protocol.ChildrenParams, cancel: Cancellation) -> Answer:
    """Return a page of the nodes in a group."""
    node = session.tree.node(params.path)
    if isinstance(node, Group):
        node.hierarchy.children(node, cancel)
    found = session.tree.children(node)
    page = page_of(found, params.offset, params.limit)
    problem = node.listing_problem if isinstance(node, Group) else None
    rows = [session.tree.row(child) for child in page]
    return protocol.ChildrenResult(node.path, params.offset, len(found), rows, problem), ()


@answers("rows")
def rows(session: SessionView, params: protocol.RowsParams, cancel: Cancellation) -> Answer:
    """Return the rows of nodes, as far as they are there."""
    found = []
    for path in params.paths[:MAX_PAGE]:
        try:
            found.append(session.tree.row(session.tree.node(path)))
        except NodeNotFound:
            continue  # it is gone from the store; the next listing shows that
    return protocol.RowsResult(found), ()


@answers("reveal")
def reveal(session: SessionView, params: protocol.RevealParams, cancel: Cancellation) -> Answer:
    """Return the way to a node, with its place among its siblings at each step."""
    node = session.tree.node(params.path)
    steps: list[protocol.Step] = []
    while node.parent is not None:
        parent = session.tree.node(node.parent)
        position = [child.path for child in session.tree.children(parent)].index(node.path)
        steps.append(protocol.Step(session.tree.row(node), position))
        node = parent
    return protocol.RevealResult(steps[::-1]), ()


@answers("node")
def node(session: SessionView, params: protocol.NodeParams, cancel: Cancellation) -> Answer:
    """Return what a node is, and of a group what is in it."""
    tree = session.tree
    node = tree.node(params.path)
    result = protocol.NodeResult(row=tree.row(node), title=text.title(node))
    if isinstance(node, Group):
        arrays = tree.data_first(tree.arrays(node, cancel))
        groups = [child for child in tree.children(node) if isinstance(child, Group)]
        result.arrays = [tree.row(array) for array in arrays[:MAX_SMALL_PICTURES]]
        result.arrays_total = len(arrays)
        result.groups = [tree.card(group) for group in groups[:MAX_SMALL_PICTURES]]
        result.groups_total = len(groups)
        result.dimensions = [
            protocol.Lengths(one.name, list(one.lengths))
            # the levels of a pyramid call theirs alike, of which those of the first are meant
            for one in dimension_table([one for one in arrays if tree.copied(one) is None])[
                :MAX_SMALL_PICTURES
            ]
            if one.name is not None
        ]
        result.about = [protocol.Fact(name, said) for name, said in text.about(node)]
        result.attributes_total = len(node.attributes)
        result.default_kind = default_kind(node)
        if node.listing_problem is not None and not tree.children(node):
            problem = node.listing_problem
            problem = f"{capitalized(problem)}. Type a path into the search, such as ocean/temp."
            result.row.problem = result.row.problem or problem
    return result, ()
