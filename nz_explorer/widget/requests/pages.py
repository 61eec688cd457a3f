"""Pages that panels compose, and what their buttons do."""

from __future__ import annotations

from nz_explorer.store import Cancellation
from nz_explorer.widget import panels, protocol
from nz_explorer.widget.requests.answer import Answer, answers
from nz_explorer.widget.session_view import SessionView


@answers("page")
def page(session: SessionView, params: protocol.PageParams, cancel: Cancellation) -> Answer:
    """Return a page."""
    context = panels.Context(session, params.path, params.params, cancel)
    return panels.compose(params.name, context), ()


@answers("act")
def act(session: SessionView, params: protocol.ActParams, cancel: Cancellation) -> Answer:
    """Perform the action of a button."""
    return panels.perform(params.name, panels.Context(session, params.path, params.params, cancel))
