"""The scan of all values of an array: begun, stopped, and how far it is."""

from __future__ import annotations

from nz_explorer.store import Cancellation
from nz_explorer.widget import protocol
from nz_explorer.widget.requests.answer import Answer, answers
from nz_explorer.widget.requests.nodes import array_at
from nz_explorer.widget.session_view import SessionView


@answers("scan")
def scan(session: SessionView, params: protocol.ScanParams, cancel: Cancellation) -> Answer:
    """Start or stop a scan, and return how far it is."""
    array = array_at(session, params.path)
    if params.action == "start":
        session.scans.start(array)
    elif params.action == "cancel":
        session.scans.cancel(array)
    return session.scans.status(array)
