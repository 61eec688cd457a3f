"""What answers the browser: requests in, replies and events out, nothing that waits in between.

Messages may arrive on any thread (JupyterLab sends them over subshells). They are only taken in there; a pool
of workers that belongs to the session computes the answers and sends them. One thread more walks the
hierarchy and evaluates the rules.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import msgspec
from traitlets import TraitError

from nz_explorer.model import Array, Group, Hierarchy, NodeNotFound, is_candidate
from nz_explorer.model.printable import all_encodable
from nz_explorer.rules.engine import Evaluation
from nz_explorer.rules.what_if import CannotEdit, WhatIf
from nz_explorer.store import Cancellation, Cancelled, ReadError, SourceError
from nz_explorer.store.writing import WriteError
from nz_explorer.values.cache import ChunkCache
from nz_explorer.values.coordinates import Monotonicity
from nz_explorer.widget import (
    documents,
    exporting,
    findings,
    pages,
    pictures,
    protocol,
    words,
)
from nz_explorer.widget.prefetch import Prefetch
from nz_explorer.widget.rows import Tree
from nz_explorer.widget.scanning import Scans
from nz_explorer.widget.search import BadQuery, search
from nz_explorer.widget.trying import Trials

if TYPE_CHECKING:
    import xarray

    from nz_explorer.quicklook import Lines, QuickLook
    from nz_explorer.rules.two_stores import Comparison

Buffers = Sequence[bytes | memoryview]
Send = Callable[[dict[str, Any], Buffers], None]
SetTraits = Callable[[Mapping[str, Any]], dict[str, Any]]
Answer = tuple[protocol.Message, Buffers]

AT_ONCE = ("set", "lost")
"""Methods that are answered in the order in which they come, on the thread on which the host sets traits."""
WORKERS = 4
MAX_PAGE = 1000
MAX_SMALL_PICTURES = 60
ALL_POINTS = 2**40
"""More points along an axis than any slice has that fits in memory."""
MAX_PIXELS = 4096
EVENT_SECONDS = 0.25
"""Pause between two progress events; more would only keep the browser busy."""

DOING = {
    "nodes": "reading metadata",
    "coordinates": "reading coordinates",
    "listings": "looking inside arrays",
}

logger = logging.getLogger(__name__)


class BadRequest(Exception):
    """A message that does not follow the protocol."""


class Session:
    """One open hierarchy and the conversation about it.

    Parameters
    ----------
    evaluation : Evaluation
        The hierarchy with its rules.
    send : callable
        Takes a message and its buffers to the browser; called from any thread.
    budget : int
        Decoded bytes that a picture may take.
    set_traits : callable, optional
        Takes traits that the browser sets, and returns them as they are then; called within `receive`.
    """

    def __init__(
        self,
        evaluation: Evaluation,
        send: Send,
        *,
        budget: int,
        set_traits: SetTraits | None = None,
    ) -> None:
        self.base = evaluation
        self.what_if = WhatIf(evaluation, self._reread, self._edited)
        self._stored = Tree(evaluation)
        self.tree = self._stored
        """What is shown: the hierarchy as it is stored, or with the edits that were tried."""
        self.comparison: Comparison | None = None
        """With the store that was last compared."""
        self.outcome: str | None = None
        """What has come of the last thing that was done with the edits, in a sentence."""
        self._with_edits = True
        self._edition = 0
        self.cache = evaluation.cache = ChunkCache()
        self.budget = budget
        self.bookmarks: Sequence[str] = ()
        """Paths that someone wants to find again."""
        self._found: tuple[Any, list[str]] | None = None
        self._send = send
        self._set_traits = set_traits
        self._pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="nz-explorer")
        self._lock = threading.Lock()
        self._waiting: dict[int, Cancellation] = {}
        self._picture: tuple[dict[str, Any], Cancellation] | None = None
        self._prefetch = Prefetch(self.quicklook)
        self._scans = Scans(self._tell_scan)
        self.trials = Trials(evaluation.hierarchy, lambda: self.tell_page("readers"))
        self._walk: Cancellation | None = None
        self._walker: threading.Thread | None = None
        self._progress = protocol.Progress(
            "walk", self.hierarchy.loaded, self.hierarchy.nodes_total, ""
        )
        self._told = 0.0
        self._closed = False

    @property
    def evaluation(self) -> Evaluation:
        """The verdicts on what is shown."""
        return self.tree.evaluation

    @property
    def hierarchy(self) -> Hierarchy:
        """What is shown."""
        return self.tree.hierarchy

    # --- messages in ------------------------------------------------------------------------

    def receive(self, content: Any) -> None:
        """Take in a message; the answer comes later, from a worker."""
        try:
            if isinstance(content, Mapping) and content.get("kind") == "cancel":
                cancelled = msgspec.convert(dict(content), protocol.Cancel)
                with self._lock:
                    waiting = self._waiting.pop(cancelled.id, None)
                if waiting is not None:
                    waiting.cancel()
                return
            request = msgspec.convert(content, protocol.Request)
        except (msgspec.ValidationError, UnicodeError) as error:
            number = content.get("id") if isinstance(content, Mapping) else None
            if isinstance(number, int):
                self._fail(number, "bad_request", str(error))
            else:
                logger.warning("a message that is no request was ignored: %s", error)
            return
        cancel = Cancellation()
        with self._lock:
            if self._closed:
                return
            self._waiting[request.id] = cancel
            if request.method == "picture":
                self._prefetch.stop()
                # Two views, or two tabs, that show the same do not take it from each other.
                shows = {name: request.params.get(name) for name in ("path", "index")}
                if self._picture is not None and self._picture[0] != shows:
                    self._picture[1].cancel()
                self._picture = shows, cancel
            if request.method not in AT_ONCE:
                self._pool.submit(self._answer, request, cancel)
                return
        self._answer(request, cancel)

    def _answer(self, request: protocol.Request, cancel: Cancellation) -> None:
        try:
            cancel.check()
            kind = protocol.PARAMS[request.method]
            params = msgspec.convert(request.params, kind)
            method = getattr(self, f"_answer_{request.method}")
            result, buffers = method(params, cancel)
            cancel.check()
            self._reply(protocol.Reply(id=request.id, ok=True, result=result), buffers)
        except Cancelled:
            self._fail(request.id, "cancelled", "no longer wanted")
        except NodeNotFound as error:
            self._fail(request.id, "not_found", str(error))
        except (
            msgspec.ValidationError,
            UnicodeError,
            BadRequest,
            BadQuery,
            pages.CannotDo,
            CannotEdit,
            WriteError,
            TraitError,
        ) as error:
            self._fail(request.id, "bad_request", str(error))
        except (ReadError, SourceError, OSError) as error:
            self._fail(request.id, "unreadable", str(error), retry=True)
        except Exception as error:  # the user sees it, the log has the traceback
            logger.exception("request %s failed", request.method)
            text = f"{type(error).__name__}: {error}"
            self._fail(
                request.id, "internal", f"this is a mistake in nz_explorer: {text}", retry=True
            )
        finally:
            with self._lock:
                self._waiting.pop(request.id, None)

    def _fail(self, number: int, why: Any, message: str, *, retry: bool = False) -> None:
        failure = protocol.Failure(why, message, retry)
        self._reply(protocol.Reply(id=number, ok=False, error=failure), ())

    def _reply(self, reply: protocol.Message, buffers: Buffers) -> None:
        if self._closed:
            return
        message = msgspec.to_builtins(reply)
        try:
            msgspec.json.encode(message)
        except UnicodeEncodeError:  # what no message can carry, from the documents of a stranger
            message = all_encodable(message)
        self._send(message, buffers)

    # --- the background walk ----------------------------------------------------------------

    def start(self) -> None:
        """Begin, or go on, to walk the hierarchy and evaluate rules in the background."""
        with self._lock:
            if self._closed or (self._walker is not None and self._walker.is_alive()):
                return
            cancel = self._walk = Cancellation()
            self._walker = threading.Thread(
                target=self._run, args=(cancel,), name="nz-explorer-walk", daemon=True
            )
            self._walker.start()

    def stop(self) -> None:
        """Stop walking; what was found stays."""
        if self._walk is not None:
            self._walk.cancel()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the walk to end; return whether it did."""
        with self._lock:  # a walk that begins has begun
            walker = self._walker
        if walker is not None:
            walker.join(seconds)
        return walker is None or not walker.is_alive()

    def _run(self, cancel: Cancellation) -> None:
        try:
            self.base.run(cancel, self._on_progress)
        except (ReadError, SourceError) as error:
            self._set_progress("failed", str(error))
        except Exception as error:  # the header shows it, the log has the traceback
            logger.exception("the walk failed")
            self._set_progress("failed", f"{type(error).__name__}: {error}")
        else:
            if cancel.cancelled:
                self._set_progress("cancelled", "stopped")
            else:
                self._set_progress("done", "everything was read")
        if self.what_if.steps:
            with self._lock:
                if not self._closed:  # on all that is known by now
                    self._pool.submit(self._try_again)
        self._tell()

    def _on_progress(self, what: str, done: int, total: int | None) -> None:
        counters = self.hierarchy.reader.counters
        self._progress = protocol.Progress(
            "walk" if what == "nodes" else "values",
            done if what == "nodes" else self._progress.nodes,
            total if what == "nodes" else self._progress.total,
            DOING.get(what, what)
            + ("" if what == "nodes" or total is None else f" ({done} of {total})"),
            counters.requests,
            counters.bytes,
        )
        now = time.monotonic()
        if now - self._told >= EVENT_SECONDS:
            self._told = now
            self._tell()

    def _set_progress(self, phase: Any, message: str) -> None:
        counters = self.hierarchy.reader.counters
        nodes = self._nodes()
        total = nodes if phase == "done" else self._progress.total
        self._progress = protocol.Progress(
            phase, nodes, total, message, counters.requests, counters.bytes
        )

    def _tell(self) -> None:
        self._reply(protocol.Event(summary=self.summary()), ())

    # --- edits that are tried ----------------------------------------------------------------

    @property
    def shows_edits(self) -> bool:
        """Whether the hierarchy is shown with the edits."""
        return self.tree is not self._stored

    def show_edits(self, shown: bool) -> None:
        """Show the hierarchy with the edits, or as it is stored."""
        self._with_edits = shown
        self._edited()

    def _edited(self) -> None:
        """Show what an edit has made of the hierarchy."""
        shown = self.what_if.steps and self._with_edits
        self.tree = Tree(self.what_if.evaluation) if shown else self._stored
        self._edition += 1
        self.outcome = None
        self._tell()

    def tell_outcome(self, sentence: str) -> None:
        """Say what has come of something that was done with the edits."""
        self.outcome = sentence
        self.tell_page("changes")

    def _try_again(self) -> None:
        """Make the edits anew: more is known of the hierarchy than when they were made."""
        edits = self.what_if.edits
        self.what_if.reset()
        for edit in edits:
            self.what_if.edit(edit.key, edit.after)

    def _reread(self) -> None:
        """Read the store again, after something was written."""
        self.stop()
        self.wait()
        self.base.hierarchy.refresh("/")
        self.base.forget("/")
        self.cache.forget()
        self.base.run()

    def tell_page(self, name: str) -> None:
        """Tell the browser that a page says something else now."""
        self._reply(protocol.Event(event="page", page=name), ())

    def tell_traits(self, traits: dict[str, Any]) -> None:
        """Tell the browser what traits are now."""
        self._reply(protocol.Event(event="traits", traits=traits), ())

    def summary(self) -> protocol.Summary:
        """Return what the header shows."""
        counts = self.evaluation.counts("/")
        return protocol.Summary(
            source=self.hierarchy.source,
            store=self.hierarchy.reader.kind,
            zarr_format=self.hierarchy.zarr_format,
            listable=self.hierarchy.reader.listable,
            metadata=self.hierarchy.metadata_source,
            nodes=self._nodes(),
            counts=protocol.Counts(counts.error, counts.warning, counts.info, counts.complete),
            not_evaluated=self.evaluation.not_evaluated_total,
            conforms=self.evaluation.conforms,
            progress=self._progress,
            root=self.tree.row(self.hierarchy.root),
            edits=protocol.Edits(self.what_if.steps, self.tree is not self._stored, self._edition),
            mode=self.base.hierarchy.mode,
        )

    def _nodes(self) -> int:
        return max(self.hierarchy.loaded, sum(self.evaluation.nodes.values()))

    def close(self) -> None:
        """Stop everything; nothing is sent any more."""
        with self._lock:
            self._closed = True
            waiting = list(self._waiting.values())
        self.stop()
        for cancel in waiting:
            cancel.cancel()
        self._prefetch.close()
        self._scans.close()
        self.trials.close()
        self._pool.shutdown(wait=False, cancel_futures=True)

    # --- answers ----------------------------------------------------------------------------

    def _answer_open(self, params: protocol.OpenParams, cancel: Cancellation) -> Answer:
        return self.summary(), ()

    def _answer_lost(self, params: protocol.LostParams, cancel: Cancellation) -> Answer:
        with self._lock:
            return protocol.LostResult([n for n in params.ids if n not in self._waiting]), ()

    def _answer_set(self, params: protocol.SetParams, cancel: Cancellation) -> Answer:
        if self._set_traits is None:
            raise BadRequest("there are no traits to set")
        return protocol.SetResult(self._set_traits(params.traits)), ()

    def _answer_children(self, params: protocol.ChildrenParams, cancel: Cancellation) -> Answer:
        node = self.tree.node(params.path)
        if isinstance(node, Group):
            node.hierarchy.children(node, cancel)
        children = self.tree.children(node)
        page = _page(children, params.offset, params.limit)
        problem = node.listing_problem if isinstance(node, Group) else None
        rows = [self.tree.row(child) for child in page]
        return protocol.ChildrenResult(node.path, params.offset, len(children), rows, problem), ()

    def _answer_rows(self, params: protocol.RowsParams, cancel: Cancellation) -> Answer:
        rows = []
        for path in params.paths[:MAX_PAGE]:
            try:
                rows.append(self.tree.row(self.tree.node(path)))
            except NodeNotFound:
                continue  # it is gone from the store; the next listing shows that
        return protocol.RowsResult(rows), ()

    def _answer_reveal(self, params: protocol.RevealParams, cancel: Cancellation) -> Answer:
        node = self.tree.node(params.path)
        steps: list[protocol.Step] = []
        while node.parent is not None:
            parent = self.tree.node(node.parent)
            position = [child.path for child in self.tree.children(parent)].index(node.path)
            steps.append(protocol.Step(self.tree.row(node), position))
            node = parent
        return protocol.RevealResult(steps[::-1]), ()

    def _answer_search(self, params: protocol.SearchParams, cancel: Cancellation) -> Answer:
        found = self._search(params.query, cancel)
        rows = []
        for path in _page(found, params.offset, params.limit):
            cancel.check()
            node = self.hierarchy.get(path, cancel)
            if node is not None:
                rows.append(self.tree.row(node))
        complete = self.hierarchy.metadata_source == "consolidated" or self._progress.phase in (
            "values",
            "done",
        )
        return (
            protocol.SearchResult(params.query, params.offset, len(found), complete, rows),
            (),
        )

    def _search(self, query: str, cancel: Cancellation) -> list[str]:
        """Return what a query finds; its pages, asked for one by one, are found once."""
        known = self.hierarchy.loaded, self._progress.phase, self.evaluation.not_evaluated_total
        asked = (query, self._edition, tuple(self.bookmarks), self.evaluation.counts("/"), known)
        before = self._found
        if before is not None and before[0] == asked:
            return before[1]
        found = search(self.tree, query, bookmarks=self.bookmarks, cancel=cancel)
        self._found = (asked, found)
        return found

    def _answer_node(self, params: protocol.NodeParams, cancel: Cancellation) -> Answer:
        node = self.tree.node(params.path)
        small = self.tree.arrays(node, cancel) if isinstance(node, Group) else []
        return (
            protocol.NodeResult(
                row=self.tree.row(node),
                title=words.title(node),
                arrays=[self.tree.row(array) for array in small[:MAX_SMALL_PICTURES]],
            ),
            (),
        )

    def monotonicity(self, array: Array) -> Monotonicity | None:
        """Return what is known of a coordinate's values, reading them if that is cheap."""
        known = self.evaluation.monotonicity(array.path)
        if known is None and is_candidate(array):
            return self.evaluation.value_rules(array)
        return known

    def _answer_findings(self, params: protocol.FindingsParams, cancel: Cancellation) -> Answer:
        node = self.tree.node(params.path)
        return (
            findings.page(
                self.evaluation, node.path, params.below, params.offset, min(params.limit, MAX_PAGE)
            ),
            (),
        )

    def _answer_document(self, params: protocol.DocumentParams, cancel: Cancellation) -> Answer:
        node = self.tree.node(params.path)
        own = self.evaluation.findings(node.path, below=False)
        return (
            protocol.DocumentResult(node.path, documents.documents(node, own, params.pointer)),
            (),
        )

    def _array(self, path: str) -> Array:
        node = self.tree.node(path)
        if not isinstance(node, Array):
            raise BadRequest(f"{node.path} is no array")
        return node

    def _answer_picture(self, params: protocol.PictureParams, cancel: Cancellation) -> Answer:
        array = self._array(params.path)
        number = self._number_of(cancel)
        look = self.quicklook(
            array,
            params.index,
            width=min(params.width, MAX_PIXELS),
            height=min(params.height, MAX_PIXELS),
            everything=params.everything,
            window=params.window,
            kind=params.kind,
            part=params.part,
            cancel=cancel,
            partial=None if number is None else partial(self._show, number, cancel),
        )
        self._prefetch.shown(array, params, look)
        return pictures.picture(look)

    def _show(self, number: int, cancel: Cancellation, look: QuickLook) -> None:
        """Send a picture that is not finished yet."""
        result, buffers = pictures.picture(look)
        if not cancel.cancelled:
            self._reply(protocol.Partial(id=number, result=result), buffers)

    def _number_of(self, cancel: Cancellation) -> int | None:
        with self._lock:
            return next((n for n, one in self._waiting.items() if one is cancel), None)

    def _answer_lines(self, params: protocol.LinesParams, cancel: Cancellation) -> Answer:
        node = self.tree.node(params.path)
        if not isinstance(node, Group):
            raise BadRequest(f"{node.path} is no group")
        return pictures.lines(
            node.path, self.lines(node, params.dimension, width=params.width, cancel=cancel)
        )

    def lines(
        self,
        group: Group,
        dimension: str | None = None,
        *,
        width: int = 800,
        cancel: Cancellation | None = None,
    ) -> Lines:
        """Return the one-dimensional arrays of a group that share a dimension."""
        from nz_explorer.quicklook import lines

        look = partial(self.quicklook, index={}, width=width, kind="line", cancel=cancel)
        return lines(self.tree.arrays(group, cancel), look, dimension)

    def _answer_scan(self, params: protocol.ScanParams, cancel: Cancellation) -> Answer:
        array = self._array(params.path)
        if params.action == "start":
            self._scans.start(array)
        elif params.action == "cancel":
            self._scans.cancel(array.path)
        return self._scans.status(array)

    def _tell_scan(self, found: protocol.ScanResult, buffers: Buffers) -> None:
        self._reply(protocol.Event(event="scan", scan=found), buffers)

    def _answer_export(self, params: protocol.ExportParams, cancel: Cancellation) -> Answer:
        from nz_explorer.values import UnsupportedArray

        array = self._array(params.path)
        try:
            look, data = self.export(array, params.format, params.index, params.view, cancel)
        except (ValueError, TypeError, ImportError, UnsupportedArray) as error:
            raise BadRequest(str(error)) from error
        name = exporting.file_name(look, params.format)
        return protocol.ExportResult(name, exporting.MEDIA_TYPES[params.format], 0), [data]

    def export(
        self,
        array: Array,
        form: exporting.Format,
        index: Mapping[str, int],
        view: Mapping[str, Any],
        cancel: Cancellation | None = None,
        *,
        whole: bool = False,
    ) -> tuple[QuickLook, bytes]:
        """Return what is shown of an array, and the bytes of a file of it.

        Pictures are drawn as they are shown. Files of numbers hold every element of what is
        shown, unless there are more than the byte budget has room for, or than 4096 along an axis,
        and the whole is not asked for.
        """
        from nz_explorer.values.to_xarray import to_xarray

        looking = exporting.looking(view)
        size = (1600, 1000) if form in ("png", "svg") else (MAX_PIXELS, MAX_PIXELS)
        if whole and form not in ("png", "svg"):
            size = (ALL_POINTS, ALL_POINTS)
            looking["everything"] = True
        look = self.quicklook(array, index, width=size[0], height=size[1], cancel=cancel, **looking)

        def slice_of() -> xarray.DataArray:
            found: Any = to_xarray(array)
            return cast("xarray.DataArray", found[exporting.positions(look, len(found.shape))])

        return look, exporting.export(look, form, view, slice_of)

    def quicklook(
        self,
        array: Array,
        index: Mapping[str, int],
        *,
        width: int = 800,
        height: int = 500,
        cancel: Cancellation | None = None,
        **choices: Any,
    ) -> QuickLook:
        """Return the quick look of an array's slice; `choices` are those of `quicklook.make`."""
        from nz_explorer.quicklook import make

        return make(
            array.hierarchy,
            array,
            index,
            width=max(16, width if choices.get("everything") else min(width, MAX_PIXELS)),
            height=max(16, height if choices.get("everything") else min(height, MAX_PIXELS)),
            budget=self.budget,
            cancel=cancel,
            cache=self.cache,
            **choices,
        )

    def _answer_thumbnails(self, params: protocol.ThumbnailsParams, cancel: Cancellation) -> Answer:
        from nz_explorer.quicklook import missing, thumbnail

        small: list[protocol.Thumbnail] = []
        buffers: list[bytes] = []
        for path in params.paths[:MAX_SMALL_PICTURES]:
            cancel.check()
            node = self.tree.node(path)
            if not isinstance(node, Array):
                continue
            look = self.quicklook(node, {}, width=params.width, height=params.height, cancel=cancel)
            image = thumbnail(look, min(params.width, 512), min(params.height, 512))
            if image is None:
                said = look.message or look.text or "\n".join(missing(look))
                small.append(protocol.Thumbnail(path, 0, 0, label=" · ".join(said.splitlines())))
                continue
            kind: Any = look.kind if look.kind in ("image", "line", "map") else "none"
            small.append(
                protocol.Thumbnail(
                    path, image.shape[1], image.shape[0], len(buffers), kind, look.label
                )
            )
            buffers.append(image.tobytes())
        return protocol.ThumbnailsResult(small), buffers

    def _answer_netcdf(self, params: protocol.NetcdfParams, cancel: Cancellation) -> Answer:
        node = self.tree.node(params.path)
        return (
            protocol.NetcdfResult(node.path, documents.cdl_spans(node), documents.sources(node)),
            (),
        )

    def _answer_page(self, params: protocol.PageParams, cancel: Cancellation) -> Answer:
        context = pages.Context(self, params.path, params.params, cancel)
        return pages.compose(params.name, context), ()

    def _answer_act(self, params: protocol.ActParams, cancel: Cancellation) -> Answer:
        return pages.perform(params.name, pages.Context(self, params.path, params.params, cancel))

    def _answer_colormaps(self, params: protocol.ColormapsParams, cancel: Cancellation) -> Answer:
        from nz_explorer.quicklook import colormap_tables

        names, tables = colormap_tables()
        return protocol.ColormapsResult(list(names), 0), [tables.tobytes()]

    def _answer_retry(self, params: protocol.RetryParams, cancel: Cancellation) -> Answer:
        self.stop()
        self.wait()
        node = self.base.hierarchy.refresh(params.path, cancel)
        self.cache.forget(node.path)
        self._scans.forget(node.path)
        self.base.forget(node.path)
        self.start()
        return protocol.RetryResult(self._stored.row(node)), ()

    def _answer_walk(self, params: protocol.WalkParams, cancel: Cancellation) -> Answer:
        if params.action == "cancel":
            self.stop()
            self.wait()
        else:
            self.start()
        return protocol.WalkResult(self._progress), ()


def _page(items: Sequence[Any], offset: int, limit: int) -> Sequence[Any]:
    if offset < 0 or limit < 1:
        raise BadRequest("offset must not be negative and limit must be at least 1")
    return items[offset : offset + min(limit, MAX_PAGE)]
