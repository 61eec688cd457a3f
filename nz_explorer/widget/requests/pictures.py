"""Pictures of arrays, in full and small, and of the lines of a group."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nz_explorer.model import Array, Group
from nz_explorer.store import Cancellation
from nz_explorer.widget import picture_messages, protocol
from nz_explorer.widget.requests.answer import Answer, BadRequest, answers
from nz_explorer.widget.requests.nodes import MAX_SMALL_PICTURES, array_at
from nz_explorer.widget.session_view import MAX_PIXELS, SessionView

if TYPE_CHECKING:
    from nz_explorer.plots import QuickLook


@answers("picture")
def picture(session: SessionView, params: protocol.PictureParams, cancel: Cancellation) -> Answer:
    """Return the picture of an array; what there is of it is sent while it is being read."""
    from nz_explorer.plots.cached import with_cached

    array = array_at(session, params.path)
    send = session.unfinished_sender(cancel)

    def message(
        look: QuickLook, *, finished: bool = True
    ) -> tuple[protocol.PictureResult, list[bytes]]:
        known = session.limits.known(array, look, finished=finished)
        return picture_messages.picture(known, finished=finished)

    is_shown = params.width > 1  # not the value at a pin, which is asked for beside the picture
    if is_shown and (params.everything or send is not None):  # not for a page that is saved
        given = array, params.index, params.choices
        session.whole_slice.show(*given, whole=params.everything)
    look = session.quicklook(
        array,
        params.index,
        width=min(params.width, MAX_PIXELS),
        height=min(params.height, MAX_PIXELS),
        everything=params.everything,
        cancel=cancel,
        **params.choices,
        partial=None if send is None else lambda part: send(*message(part, finished=False)),
    )
    look = with_cached(look, array, session.cache)
    if is_shown:
        session.prefetch.shown(array, params, look)
    return message(look)


@answers("lines")
def lines(session: SessionView, params: protocol.LinesParams, cancel: Cancellation) -> Answer:
    """Return the one-dimensional arrays of a group that share a dimension."""
    node = session.tree.node(params.path)
    if not isinstance(node, Group):
        raise BadRequest(f"{node.path} is no group")
    found = session.lines(node, params.dimension, width=params.width, cancel=cancel)
    return picture_messages.lines(node.path, found)


SMALL_LINES = 6
"""Of a text that stands where a small picture would: as many as a card has room for."""


@answers("thumbnails")
def thumbnails(
    session: SessionView, params: protocol.ThumbnailsParams, cancel: Cancellation
) -> Answer:
    """Return small pictures of arrays, or a message for those that have none."""
    from nz_explorer.plots import missing, thumbnail
    from nz_explorer.plots.drawing.aspect import aspect_of_axes

    small: list[protocol.Thumbnail] = []
    buffers: list[bytes] = []
    for path in params.paths[:MAX_SMALL_PICTURES]:
        cancel.check()
        node = session.tree.node(path)
        if not isinstance(node, Array):
            continue
        look = session.quicklook(node, {}, width=params.width, height=params.height, cancel=cancel)
        image = thumbnail(look, min(params.width, 512), min(params.height, 512))
        if image is None:
            lines = (look.text or look.message or "\n".join(missing(look))).splitlines()
            small.append(protocol.Thumbnail(path, 0, 0, label=" · ".join(lines[:SMALL_LINES])))
            continue
        small.append(
            protocol.Thumbnail(
                path,
                image.shape[1],
                image.shape[0],
                len(buffers),
                "image" if image.ndim == 3 else look.kind,
                look.label,
                look.colours.colormap,
                aspect_of_axes(look.x, look.y),
            )
        )
        buffers.append(image.tobytes())
    return protocol.ThumbnailsResult(small), buffers


@answers("colormaps")
def colormaps(
    session: SessionView, params: protocol.ColormapsParams, cancel: Cancellation
) -> Answer:
    """Return the colours of all colormaps."""
    from nz_explorer.plots import colormap_tables, is_diverging

    names, tables = colormap_tables(params.others)
    diverging = [name for name in names if is_diverging(name)]
    return protocol.ColormapsResult(list(names), 0, diverging), [tables.tobytes()]
