"""The widget: traits shared with the browser, and the session that answers it, opened while it is needed."""

from __future__ import annotations

import logging
import os
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anywidget
import msgspec
import traitlets

from nz_explorer.engine.evaluation import Evaluation
from nz_explorer.report.report import Report
from nz_explorer.store import ReadError, SourceError
from nz_explorer.store.closing import close_soon, close_with
from nz_explorer.widget import channel, protocol
from nz_explorer.widget.explorer.traits import (
    OF_ARRAY,
    SHARED,
    PanelName,
    checked_view,
    integers,
)
from nz_explorer.widget.lifetimes import lifetimes
from nz_explorer.widget.session import Session
from nz_explorer.widget.session_view import Happening

if TYPE_CHECKING:
    from nz_explorer.editing.trial_edits.what_if import WhatIf
    from nz_explorer.store.writing import Edit

DEFAULT_BUDGET = 64 * 1024 * 1024
UNSEEN_SECONDS = 10.0
"""How long after the last view of it was removed an explorer that no variable holds lets go of its session."""

logger = logging.getLogger(__name__)


class SyncedWidget(anywidget.AnyWidget):
    """What `Explorer` shares with the browser, and its session.

    Parameters
    ----------
    evaluation : Evaluation
        The hierarchy with its rules.
    reopen : callable, optional
        Opens the store again after its session was let go of.
    path : str
        The node to select first.
    budget : int
        Decoded bytes that a picture may take.
    **options
        As every widget takes them.
    """

    path = traitlets.Unicode("/").tag(sync=True)
    index = traitlets.Dict(key_trait=traitlets.Unicode()).tag(sync=True)
    view = traitlets.Dict(key_trait=traitlets.Unicode()).tag(sync=True)
    bookmarks = traitlets.List(traitlets.Unicode()).tag(sync=True)
    pins = traitlets.List(traitlets.Dict(key_trait=traitlets.Unicode())).tag(sync=True)
    panel = PanelName("plot").tag(sync=True)
    _saved_page = traitlets.Unicode("").tag(sync=True)
    """What the front end shows where no kernel answers: an export by marimo, a saved notebook with its widgets."""
    _walks = traitlets.Int(0)
    """How many walks of the hierarchy have ended. This and the next are for who observes them here."""
    _limits_set = traitlets.Int(0)
    """How often other limits of colours have come to hold."""

    def __init__(
        self,
        evaluation: Evaluation,
        *,
        reopen: Callable[[], Evaluation] | None = None,
        path: str = "/",
        budget: int = DEFAULT_BUDGET,
        **options: Any,
    ) -> None:
        self._opening = threading.RLock()
        self._reopen = reopen
        self._source = evaluation.hierarchy.source
        self._budget = budget
        self._edits: list[Edit] = []
        """Edits that were tried when the session was let go of."""
        self._version: tuple[str, str] | None = None
        """The version of a repository that was shown then."""
        self._limits: Any = []
        """The limits of colours that held then."""
        self._open_session: Session | None = None
        self._unseen: threading.Timer | None = None
        self._views: dict[str, dict[str, Any]] = {}
        """What of the view belongs to one array, by path of those that were selected before."""
        self._sent_selection: dict[str, int | slice] = {}
        session = self._new_session(evaluation)
        super().__init__(path=path, **options)
        lifetimes.add(self)
        self.on_msg(self._receive)
        session.start()

    # --- the view ---------------------------------------------------------------------------

    @traitlets.validate("view")
    def _valid_view(self, proposal: Any) -> dict[str, Any]:
        return checked_view(proposal["value"])

    @traitlets.observe("path")
    def _change_view(self, change: Any) -> None:
        """Keep what belongs to the array that was selected, and take up what belongs to the one that is."""
        self._views[change["old"]] = {n: v for n, v in self.view.items() if n in OF_ARRAY}
        common = {name: value for name, value in self.view.items() if name not in OF_ARRAY}
        self.view = {**common, **self._views.get(change["new"], {})}
        if self._open_session is not None:
            self._open_session.send_traits({"view": self.view})  # pages begin with an empty one

    @traitlets.validate("index")
    def _valid_index(self, proposal: Any) -> dict[str, int]:
        return integers(proposal["value"])

    @traitlets.validate("pins")
    def _valid_pins(self, proposal: Any) -> list[dict[str, int]]:
        return [integers(pin) for pin in proposal["value"]]

    @traitlets.observe(*SHARED)
    def _confirm(self, change: Any) -> None:
        # A page whose connection broke may have lost what it set, and not hear what others set.
        if self._open_session is not None:
            self._open_session.send_traits({change["name"]: change["new"]})

    @traitlets.observe("bookmarks")
    def _keep_bookmarks(self, change: Any) -> None:
        if self._open_session is not None:
            self._open_session.bookmarks = tuple(change["new"])

    # --- the session ------------------------------------------------------------------------

    @property
    def _session(self) -> Session:
        """The open hierarchy and the conversation about it; opened again where it was let go of."""
        with self._opening:
            if self._open_session is not None:
                return self._open_session
            if self._reopen is None:
                raise RuntimeError("this explorer was closed, and cannot open its store again")
            session = self._new_session(self._reopen())
            session.bookmarks = tuple(self.bookmarks)
            session.limits.restore(self._limits)
            if self._version is not None:
                session.show_version(*self._version)
            session.start()
            edits, self._edits = self._edits, []
            session.try_edits(edits)
            return session

    def _new_session(self, evaluation: Evaluation) -> Session:
        session = Session(
            evaluation,
            self._send_message,
            budget=self._budget,
            set_traits=self._setter,
            happened=self._counter,
        )
        self._open_session = session
        # The session's threads must end with the last reference to the widget, not only with close().
        self._finalizer = close_with(self, session.close)
        return session

    @property
    def is_open(self) -> bool:
        """Whether the hierarchy is open; it is opened again when it is used."""
        return self._open_session is not None

    @property
    def held_limits(self) -> Any:
        """Limits of colours that hold, made of what JSON knows; those of another session hold where they are set."""
        session = self._open_session
        return self._limits if session is None else session.limits.kept()

    @held_limits.setter
    def held_limits(self, kept: Any) -> None:
        """Let those of another session hold."""
        self._session.limits.restore(kept)

    def forget_values(self) -> None:
        """Forget the chunks that were read; they are read again when they are needed."""
        if self._open_session is not None:
            self._open_session.forget_values()

    def release(self) -> None:
        """Let go of the hierarchy, its threads and its values, until the explorer is used again.

        This happens by itself when no output shows the explorer any more and no variable holds it. Selection,
        view, bookmarks and edits that were tried stay.
        """
        with self._opening:
            session = self._open_session
            if session is None or self._reopen is None:
                return
            self._edits = session.what_if.edits
            self._limits = session.limits.kept()
            self._version = None if session.history is None else session.history.reader.version
            self._open_session = None
            self._finalizer.detach()
        session.close()

    @property
    def what_if(self) -> WhatIf:
        """Edits and fixes to try on the metadata in memory; nothing is written.

        The widget shows what they make of the hierarchy. What was found by then is what it compares with, so
        wait for the walk to be over (`wait`).
        """
        return self._session.what_if

    @property
    def report(self) -> Report:
        """The findings; it grows while the hierarchy is walked."""
        return Report(self._session.base)

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until everything has been walked and evaluated.

        Parameters
        ----------
        seconds : float, optional
            How long to wait at most.

        Returns
        -------
        bool
            Whether it is done.
        """
        return self._session.wait(seconds)

    def save(
        self,
        file: str | os.PathLike[str],
        *,
        pictures: Mapping[str, Iterable[Mapping[str, int]]] | Iterable[str] = (),
    ) -> Path:
        """Write one HTML file that shows the hierarchy without a kernel and without a network.

        It holds the tree, every tab of each node, the findings, small pictures of arrays and the picture of the
        selection. Tabs, search and hovering over pictures work.

        Parameters
        ----------
        file : path
            Where it is written; what is there is replaced.
        pictures : iterable of str or mapping, optional
            Paths of other arrays that are drawn, at their first index; or for each path the indices.

        Returns
        -------
        Path
            The file.
        """
        from nz_explorer.widget.saved_page import saved_page

        self.wait()
        given = pictures if isinstance(pictures, Mapping) else {path: [{}] for path in pictures}
        wanted = {path: [dict(index) for index in indices] for path, indices in given.items()}
        if self._session.hierarchy[self.path].kind == "array":
            wanted.setdefault(self.path, []).append(dict(self.index))
        traits = {name: getattr(self, name) for name in SHARED}
        target = Path(file)
        target.write_text(saved_page(self._session, traits, wanted), "utf-8")
        return target

    # --- the conversation -------------------------------------------------------------------

    def open(self) -> None:
        """Open the channel to the browser."""
        super().open()
        channel.prepare(self)

    def _receive(self, _: Any, content: Any, __: Any) -> None:
        if isinstance(content, Mapping) and content.get("kind") == "shown":
            self._shown(content)
            return
        lifetimes.note_message(self)
        if not self.is_open and isinstance(content, Mapping) and content.get("kind") == "cancel":
            return
        try:
            session = self._session
        except (SourceError, ReadError, OSError) as error:
            failure = protocol.Failure("unreadable", str(error), retry=True)
            reply = protocol.Reply(id=content.get("id", 0), ok=False, error=failure)
            self._send_message(msgspec.to_builtins(reply), ())
            return
        session.receive(content)

    def _shown(self, content: Any) -> None:
        """Take notice of whether a page shows the widget."""
        try:
            said = msgspec.convert(dict(content), protocol.Shown)
        except msgspec.ValidationError as error:
            logger.warning("a message that does not follow the protocol was ignored: %s", error)
            return
        if self._unseen is not None:
            self._unseen.cancel()
            self._unseen = None
        if not lifetimes.shown(self, said.page, shown=said.shown):
            # A cell that is moved takes its output away and brings it back.
            self._unseen = threading.Timer(UNSEEN_SECONDS, _release_unseen, [weakref.ref(self)])
            self._unseen.daemon = True
            self._unseen.start()

    @property
    def _send_message(self) -> Callable[[dict[str, Any], Sequence[bytes | memoryview]], None]:
        """Sends without keeping the widget alive."""
        reference = weakref.ref(self)

        def send(message: dict[str, Any], buffers: Sequence[bytes | memoryview]) -> None:
            widget = reference()
            if widget is not None and widget.comm is not None:
                widget.send(message, list(buffers))

        return send

    @property
    def _setter(self) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
        """Sets traits without keeping the widget alive."""
        reference = weakref.WeakMethod(self._set_shared)

        def set_traits(traits: Mapping[str, Any]) -> dict[str, Any]:
            method = reference()
            return method(traits) if method is not None else {}

        return set_traits

    @property
    def _counter(self) -> Callable[[Happening], None]:
        """Counts what happens in the session without keeping the widget alive."""
        reference = weakref.WeakMethod(self._count)

        def count(what: Happening) -> None:
            method = reference()
            if method is not None:
                method(what)

        return count

    def _count(self, what: Happening) -> None:
        if what == "walk":
            self._walks += 1
        else:
            self._limits_set += 1

    def _set_shared(self, traits: Mapping[str, Any]) -> dict[str, Any]:
        for name in traits:
            if name not in SHARED:
                raise traitlets.TraitError(f"{name!r} is not the browser's to set")
        for name, value in traits.items():
            setattr(self, name, value)
        return {name: getattr(self, name) for name in SHARED}

    def __del__(self) -> None:
        # ipywidgets closes what is gone on the thread of the collector, where the session must not be closed.
        session, self._open_session = self.__dict__.get("_open_session"), None
        if session is not None:
            close_soon(session.close)
        super().__del__()

    def close(self) -> None:
        """Close the widget and let go of its threads."""
        if self._open_session is not None:
            self._open_session.close()
        super().close()


def _release_unseen(reference: weakref.ref[SyncedWidget]) -> None:
    explorer = reference()
    if explorer is not None and explorer.is_open:
        lifetimes.release_unseen(explorer)
