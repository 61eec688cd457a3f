"""Search: a page of the nodes that a query means."""

from __future__ import annotations

from nz_explorer.store import Cancellation
from nz_explorer.widget import protocol
from nz_explorer.widget.requests.answer import Answer, answers, page_of
from nz_explorer.widget.session_view import SessionView


@answers("search")
def search(session: SessionView, params: protocol.SearchParams, cancel: Cancellation) -> Answer:
    """Return a page of what a query finds."""
    hierarchy, phase = session.hierarchy, session.progress.phase
    # Its pages, asked for one by one, are found once, as long as no more is known.
    known = hierarchy.loaded, phase, session.evaluation.not_evaluated_total
    shown = session.serial, hierarchy.generation, session.evaluation.counts("/")
    found = session.searches.find(
        session.tree,
        params.query,
        bookmarks=session.bookmarks,
        state=(known, shown),
        cancel=cancel,
    )
    rows = []
    for path in page_of(found, params.offset, params.limit):
        cancel.check()
        node = hierarchy.get(path, cancel)
        if node is not None:
            rows.append(session.tree.row(node))
    complete = hierarchy.metadata_source == "consolidated" or phase in ("values", "done")
    return protocol.SearchResult(params.query, params.offset, len(found), complete, rows), ()
