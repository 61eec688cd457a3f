"""One open hierarchy: what is shown of it, the edits that are tried on it, and what goes on in the background."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from nz_explorer.editing.trial_edits.edited_documents import CannotEdit
from nz_explorer.editing.trial_edits.what_if import WhatIf
from nz_explorer.engine.evaluation import Evaluation
from nz_explorer.model import Array, Group, Hierarchy, NodeNotFound, is_candidate
from nz_explorer.store import Cancellation, Cancelled, ReadError, SourceError
from nz_explorer.store.writing import Edit
from nz_explorer.values.coordinates.monotonicity import Monotonicity
from nz_explorer.values.reading.chunk_cache import shared_cache
from nz_explorer.widget import protocol
from nz_explorer.widget.background.prefetch import Prefetch
from nz_explorer.widget.background.reader_trials import Trials
from nz_explorer.widget.background.scans import Scans
from nz_explorer.widget.background.version_history import HISTORY, history_of
from nz_explorer.widget.requests import (  # noqa: F401  # all that answer
    animation,
    documents,
    export,
    findings,
    locate,
    nodes,
    pages,
    pictures,
    scan,
    search,
    series,
    tables,
)
from nz_explorer.widget.requests.answer import ANSWERS, Answer, BadRequest
from nz_explorer.widget.search import Searches
from nz_explorer.widget.session.conversation import ACTING, Conversation, Send
from nz_explorer.widget.session.walker import Walker
from nz_explorer.widget.session_view import MAX_PIXELS, Happening, SendUnfinished, SetTraits
from nz_explorer.widget.slice_limits import SliceLimits
from nz_explorer.widget.tree import Tree
from nz_explorer.widget.whole_slice import WholeSlice

if TYPE_CHECKING:
    from nz_explorer.plots import Lines, QuickLook
    from nz_explorer.report.store_diff import Comparison

ANSWER_SECONDS = 120.0
"""How long a picture, or whatever else is shown, takes at most where the user states no deadline."""


class Session:
    """One open hierarchy and the conversation about it.

    Requests and panels see it as a `SessionView`.

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
    happened : callable, optional
        Called, from any thread, with what is other than before: see `Happening`.
    """

    def __init__(
        self,
        evaluation: Evaluation,
        send: Send,
        *,
        budget: int,
        set_traits: SetTraits | None = None,
        happened: Callable[[Happening], None] = lambda _: None,
    ) -> None:
        self._happened = happened
        self.base = evaluation
        self.what_if = WhatIf(evaluation, self._reread, self._edited)
        self._stored = Tree(evaluation)
        self.tree = self._stored
        """What is shown: the hierarchy as it is stored, or with the edits that were tried."""
        self._comparison: tuple[int, Comparison] | None = None
        self.outcome: str | None = None
        """What has come of the last thing that was done with the edits, in a sentence."""
        self._with_edits = True
        self._showing = threading.Lock()
        """Held while what is shown is chosen: who comes last has seen the last edit."""
        self.serial = 0
        """Grows as the store is read again or edited, and as it is shown with its edits or without."""
        self.cache = evaluation.cache = shared_cache()
        self.budget = budget
        self.bookmarks: Sequence[str] = ()
        self.set_traits = set_traits
        self.searches = Searches()
        self.prefetch = Prefetch(self.quicklook)
        self.scans = Scans(self._send_scan)
        self.limits = SliceLimits(self.scans, lambda: happened("limits"))
        self.whole_slice = WholeSlice()
        self.trials = Trials(evaluation.hierarchy, lambda: self.page_changed("readers"))
        self.history = history_of(evaluation.hierarchy, lambda: self.page_changed("history"))
        """The versions of the store, where it has a history."""
        self.walker = Walker(
            evaluation, shown=lambda: self.evaluation, notify=self._notify, ended=self._walk_ended
        )
        self.conversation = Conversation(
            send, self._computed, self.prefetch.make_way, self.walker.sent, seconds=self._seconds
        )
        self._own: dict[str, Callable[[Any, Cancellation], Answer]] = {
            "lost": self._answer_lost,
            "set": self._answer_set,
            "retry": self._answer_retry,
            "walk": self._answer_walk,
        }
        """What is answered here, because it is about the session itself."""

    @property
    def evaluation(self) -> Evaluation:
        """The verdicts on what is shown."""
        return self.tree.evaluation

    @property
    def hierarchy(self) -> Hierarchy:
        """What is shown."""
        return self.tree.hierarchy

    @property
    def comparison(self) -> Comparison | None:
        """With the store that was last compared, unless this one was read again since."""
        known = self._comparison
        return known[1] if known and known[0] == self.base.hierarchy.generation else None

    def keep_comparison(self, generation: int, found: Comparison) -> None:
        """Show how the store differs from another, compared with what it was in a generation.

        Parameters
        ----------
        generation : int
            The generation of the store that was compared; an older one is shown as outdated.
        found : Comparison
            The comparison.
        """
        self._comparison = generation, found

    def summary(self) -> protocol.Summary:
        """Return what the header shows."""
        counts = self.evaluation.counts("/")
        repository = None if self.history is None else self.history.reader
        return protocol.Summary(
            source=self.hierarchy.source if repository is None else repository.origin,
            store=self.hierarchy.reader.kind,
            zarr_format=self.hierarchy.zarr_format,
            listable=self.hierarchy.reader.listable,
            metadata=self.hierarchy.metadata_source,
            nodes=self.walker.nodes(),
            counts=protocol.Counts(counts.error, counts.warning, counts.info, counts.complete),
            not_evaluated=self.evaluation.not_evaluated_total,
            conforms=self.evaluation.conforms,
            progress=self.progress,
            root=self.tree.row(self.hierarchy.root),
            edits=protocol.Edits(self.what_if.steps, self.tree is not self._stored, self.serial),
            mode=self.base.hierarchy.mode,
            readers=self.tree.impacts.readers(),
            steps=self.tree.impacts.steps(),
            version=None if repository is None else " ".join(repository.version),
            versions=[] if repository is None else [*repository.names, HISTORY],
        )

    # --- the conversation -------------------------------------------------------------------

    def receive(self, content: Any) -> None:
        """Take in a message; the answer comes later, from a worker."""
        self.conversation.receive(content)

    def answer(self, method: str, params: Any) -> Answer:
        """Return what a request is answered with, and its buffers, for whoever asks in the browser's place.

        Parameters
        ----------
        method : str
            Of the protocol.
        params : Message
            Its parameters, see `protocol.PARAMS`.
        """
        return self._computed(method, params, Cancellation())

    def _seconds(self, method: str) -> float | None:
        """Return how long an answer may take: where a network is waited for, and nothing is done but shown."""
        reader = self.hierarchy.reader
        return None if reader.local or method in ACTING else reader.deadline or ANSWER_SECONDS

    def _computed(self, name: str, params: Any, cancel: Cancellation) -> Answer:
        """Compute an answer; again, if meanwhile the store was read again, edited, or is shown otherwise."""
        method = self._own.get(name) or partial(ANSWERS[name], self)
        while True:
            serial = self.serial
            try:
                answer = method(params, cancel)
            except (NodeNotFound, Cancelled):
                if serial == self.serial or cancel.cancelled or name in ACTING:
                    raise
            else:
                if serial == self.serial or name in ACTING:
                    return answer

    def _notify(self) -> None:
        self.conversation.send(protocol.Event(summary=(summary := self.summary())))
        self.walker.sent(summary)

    def page_changed(self, name: str) -> None:
        """Notify the browser that the content of a page has changed."""
        self.conversation.send(protocol.Event(event="page", page=name))

    def send_traits(self, traits: dict[str, Any]) -> None:
        """Send the browser the values of traits."""
        self.conversation.send(protocol.Event(event="traits", traits=traits))

    def _send_scan(self, array: Array, found: protocol.ScanResult, buffers: list[bytes]) -> None:
        shown = self.hierarchy.node_if_loaded(array.path)
        if shown is not None and shown.generation != array.generation:
            return  # as it was before it was read again, or is without the edits
        self.conversation.send(protocol.Event(event="scan", scan=found), buffers)

    def send_frames(self, done: int, of: int) -> None:
        """Send how far an animation is.

        Parameters
        ----------
        done, of : int
            How many of its pictures are drawn, and of how many.
        """
        self.conversation.send(protocol.Event(event="frames", frames=[done, of]))

    def unfinished_sender(self, cancel: Cancellation) -> SendUnfinished | None:
        """Return what sends a picture before it is finished; None where the request was answered."""
        number, serial = self.conversation.number_of(cancel), self.serial
        if number is None:
            return None

        def send(result: protocol.PictureResult, buffers: Sequence[bytes]) -> None:
            if not cancel.cancelled and serial == self.serial:
                self.conversation.send(protocol.Partial(id=number, result=result), buffers)

        return send

    def _answer_lost(self, params: protocol.LostParams, cancel: Cancellation) -> Answer:
        return protocol.LostResult(self.conversation.lost(params.ids)), ()

    def _answer_set(self, params: protocol.SetParams, cancel: Cancellation) -> Answer:
        if self.set_traits is None:
            raise BadRequest("there are no traits to set")
        return protocol.SetResult(self.set_traits(params.traits)), ()

    def _answer_retry(self, params: protocol.RetryParams, cancel: Cancellation) -> Answer:
        with self.walker.reading_again():
            node = self.base.hierarchy.refresh(params.path, cancel)
            self._forget(node.path)
            self.walker.set_wanted(True)
        self._show_again()
        return protocol.RetryResult(self._stored.row(node)), ()

    def _answer_walk(self, params: protocol.WalkParams, cancel: Cancellation) -> Answer:
        if params.action == "cancel":
            if self.walker.stop():
                self.walker.wait()
        else:
            self.walker.start()
        return protocol.WalkResult(self.progress), ()

    def show_version(self, kind: str, name: str) -> None:
        """Show another version of a store that has several.

        Parameters
        ----------
        kind, name : str
            ``branch``, ``tag`` or ``snapshot``, and which one.

        Raises
        ------
        SourceError
            If there is none, or nothing in it; what is shown stays.
        """
        if self.history is None:
            raise SourceError(f"{self.hierarchy.source} has no versions")
        reader = self.history.reader
        before, reader.version = reader.version, (kind, name)
        with self.walker.reading_again():
            try:
                self.base.hierarchy.refresh("/")
            except SourceError:
                reader.version = before
                self.base.hierarchy.refresh("/")
                raise
            finally:
                self._forget("/")
                self.walker.set_wanted(True)
        self._show_again()
        self.page_changed("history")

    # --- the background walk ----------------------------------------------------------------

    @property
    def progress(self) -> protocol.Progress:
        """How far the walk is."""
        return self.walker.progress

    def start(self) -> None:
        """Begin, or go on, to walk the hierarchy and evaluate rules in the background."""
        self.walker.start()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the walk to end; return whether it did."""
        return self.walker.wait(seconds)

    def compare(self) -> None:
        """Compare all consolidated entries with the stored documents, in the background."""
        with self.walker.reading_again():
            self.base.compare()
        self.start()

    def read_contents(self, max_bytes: int | None = None) -> None:
        """Read all values and evaluate the rules on them, in the background.

        Parameters
        ----------
        max_bytes : int, optional
            Decoded bytes that may be read; by default what those of the arrays take that are known.
        """
        with self.walker.reading_again():
            self.base.read_contents(max_bytes)
        self.start()

    def leave_contents(self) -> None:
        """Stop reading all values; what was found stays."""
        with self.walker.reading_again():
            self.base.leave_contents()
        self.start()

    def _walk_ended(self) -> None:
        self._happened("walk")
        if self.what_if.steps:
            self.conversation.submit(self._try_again)  # on all that is known by now

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
        with self._showing:
            shown = self.what_if.steps and self._with_edits
            self.tree = Tree(self.what_if.evaluation) if shown else self._stored
            self.serial += 1
            self.outcome = None
        self._notify()

    def show_outcome(self, sentence: str) -> None:
        """Send the outcome of an action on the edits."""
        self.outcome = sentence
        self.page_changed("changes")

    def try_edits(self, edits: Sequence[Edit]) -> None:
        """Try edits that were tried in an earlier session of the same store."""
        try:
            for edit in edits:
                self.what_if.edit(edit.key, edit.after)
        except (CannotEdit, NodeNotFound, ReadError, SourceError) as error:
            self.show_outcome(f"Edits could not be tried again: {error}")

    def _try_again(self) -> None:
        """Make the edits again: more is known of the hierarchy than when they were made, or something else."""
        if said := self.what_if.make_again():
            self.show_outcome(" ".join(said))

    def _show_again(self) -> None:
        """Show what was read again, with the edits."""
        if self.what_if.steps:
            self._try_again()
        else:
            self._notify()

    def _forget(self, path: str) -> None:
        """Forget what is known of a node and all below it, because it was read again."""
        self.base.forget(path)
        self.cache.forget(path, self.base.hierarchy)
        self.scans.forget(path)
        self.prefetch.stop()
        self.trials.forget()
        self.serial += 1

    def _reread(self) -> None:
        """Read the store again, after something was written."""
        with self.walker.reading_again():
            self.base.hierarchy.refresh("/")
            self._forget("/")
            self.walker.set_wanted(False)  # it is walked here
        self.walker.walk_all()

    # --- values -----------------------------------------------------------------------------

    def monotonicity(self, array: Array) -> Monotonicity | None:
        """Return what is known of a coordinate's values, reading them if that is cheap."""
        known = self.evaluation.monotonicity(array.path)
        if known is None and is_candidate(array):
            return self.evaluation.value_rules(array)
        return known

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
        """Return the quick look of an array's slice; `choices` are those of `plots.make`.

        Parameters
        ----------
        array, index, width, height, cancel
            As for `plots.make`.
        **choices
            Further arguments of `plots.make`; ``everything`` by default where the browser shows the slice whole.
        """
        from nz_explorer.plots import make

        whole = choices.pop("everything", self.whole_slice.is_shown(array, index, choices))
        return make(
            array.hierarchy,
            array,
            index,
            width=max(16, width if whole else min(width, MAX_PIXELS)),
            height=max(16, height if whole else min(height, MAX_PIXELS)),
            everything=whole,
            budget=self.budget,
            cancel=cancel,
            cache=self.cache,
            other=None if self.comparison is None else self.comparison.right.evaluation.hierarchy,
            **choices,
        )

    def lines(
        self,
        group: Group,
        dimension: str | None = None,
        *,
        width: int = 800,
        cancel: Cancellation | None = None,
    ) -> Lines:
        """Return the one-dimensional arrays of a group that share a dimension.

        Parameters
        ----------
        group : Group
            The group.
        dimension : str, optional
            The shared dimension; by default the one that most arrays have.
        width : int
            The width in pixels that there is room for.
        cancel : Cancellation, optional
            Ends the reading early.
        """
        from nz_explorer.plots import lines

        look = partial(self.quicklook, index={}, width=width, kind="line", cancel=cancel)
        return lines(self.tree.arrays(group, cancel), look, dimension)

    def forget_values(self) -> None:
        """Forget the chunks that were read, with the edits and without."""
        for hierarchy in {self.base.hierarchy, self.hierarchy}:
            self.cache.forget("/", hierarchy)

    def close(self) -> None:
        """Stop everything; nothing is sent any more. Closing it again does nothing."""
        if self.conversation.closed:
            return  # asked without the lock, which a thread that an ending interpreter stopped may hold for good
        self.conversation.close()
        for worker in (self.walker, self.prefetch, self.scans, self.trials):
            worker.close()
        if self.history is not None:
            self.history.close()
        self.forget_values()
        if self.base.hierarchy.reader.unwritten:  # a file of netCDF: others may write it now
            self.base.hierarchy.close()
