"""Where along a dimension a coordinate value is."""

from __future__ import annotations

from nz_explorer.model import Array
from nz_explorer.store import Cancellation
from nz_explorer.widget import protocol
from nz_explorer.widget.requests.answer import Answer, BadRequest, answers
from nz_explorer.widget.requests.nodes import array_at
from nz_explorer.widget.session_view import SessionView


@answers("locate")
def locate(session: SessionView, params: protocol.LocateParams, cancel: Cancellation) -> Answer:
    """Return the index of a coordinate value, or of where a step leads."""
    from nz_explorer.values.coordinates.label_lookup import index_of_text
    from nz_explorer.values.coordinates.label_steps import stepped

    array, axis = _axis(session, params)
    try:
        index = stepped(array, axis, params.value, params.index, cache=session.cache)
        if index is None:
            index = index_of_text(array, axis, params.value, cache=session.cache)
    except (KeyError, ValueError, TypeError) as error:
        raise BadRequest(str(error.args[0] if error.args else error)) from error
    return protocol.LocateResult(index), ()


@answers("complete")
def complete(session: SessionView, params: protocol.CompleteParams, cancel: Cancellation) -> Answer:
    """Return coordinate values that begin with what was typed."""
    from nz_explorer.values.coordinates.label_steps import completions

    array, axis = _axis(session, params)
    return protocol.CompleteResult(completions(array, axis, params.value, cache=session.cache)), ()


def _axis(
    session: SessionView, params: protocol.LocateParams | protocol.CompleteParams
) -> tuple[Array, int]:
    array = array_at(session, params.path)
    names = [array.dimension_label(axis) for axis in range(array.ndim or 0)]
    if params.dimension not in names:
        raise BadRequest(f"{array.path} has no dimension {params.dimension}")
    return array, names.index(params.dimension)
