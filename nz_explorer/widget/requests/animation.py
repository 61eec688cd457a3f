"""The pictures along a dimension as an animation: for Python, and as a file for the browser."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nz_explorer.model import Array
from nz_explorer.store import Cancellation
from nz_explorer.widget import protocol
from nz_explorer.widget.requests.answer import Answer, BadRequest, answers
from nz_explorer.widget.requests.export import drawing, file_name, looking
from nz_explorer.widget.requests.nodes import array_at
from nz_explorer.widget.session_view import SessionView

if TYPE_CHECKING:
    from matplotlib.animation import FuncAnimation

    from nz_explorer.plots import QuickLook

MEDIA_TYPES = {"gif": "image/gif", "mp4": "video/mp4"}


@answers("animate")
def animate(session: SessionView, params: protocol.AnimateParams, cancel: Cancellation) -> Answer:
    """Return the pictures along a dimension as a file; how many are drawn is sent meanwhile."""
    from nz_explorer.plots import film

    array = array_at(session, params.path)

    def progress(done: int, of: int) -> None:
        cancel.check()
        session.send_frames(done, of)

    try:
        shown = animated(
            session,
            array,
            params.dimension,
            params.index,
            params.view,
            params.fps,
            cancel,
            **drawing(params.view),
        )
        data = film(shown, params.format, params.fps, progress)
    except (KeyError, ValueError) as error:
        raise BadRequest(str(error.args[0])) from error
    look = session.quicklook(array, params.index, **looking(params.view))
    others = tuple(one for one in look.sliders if one.dimension != params.dimension)
    name = file_name(replace(look, sliders=others), params.format)
    return protocol.ExportResult(name, MEDIA_TYPES[params.format], 0), [data]


def animated(
    session: SessionView,
    array: Array,
    dimension: str,
    index: Mapping[str, int],
    view: Mapping[str, Any],
    fps: float,
    cancel: Cancellation | None = None,
    **options: Any,
) -> FuncAnimation:
    """Return the picture at each index of a dimension, as an animation.

    Parameters
    ----------
    session : SessionView
        The open hierarchy.
    array : Array
        What is shown.
    dimension : str
        Not along an axis of the picture.
    index : mapping of str to int
        At which index the other dimensions are fixed.
    view : mapping
        What is shown.
    fps : float
        Frames per second.
    cancel : Cancellation, optional
        Set when it is no longer wanted.
    **options
        How it is drawn; see `nz_explorer.plots.figure`.

    Raises
    ------
    KeyError
        If there is no such dimension beside the axes.
    """
    from nz_explorer.plots import animation

    shows = looking(view)

    def look(at: Mapping[str, int]) -> QuickLook:
        found = session.quicklook(array, at, width=1600, height=1000, cancel=cancel, **shows)
        return session.limits.known(array, found)

    sliders = look(index).sliders
    known = {one.dimension: one.length for one in sliders if one.method is None}
    if dimension not in known:
        names = ", ".join(known) or "none"
        raise KeyError(
            f"{dimension!r} is no dimension beside the axes of the picture that is not reduced; those are {names}"
        )
    return animation(
        lambda frame: look({**index, dimension: frame}), range(known[dimension]), fps=fps, **options
    )
