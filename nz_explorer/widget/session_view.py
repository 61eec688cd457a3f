"""What requests and panels may know of the session: what is shown, and what they may ask it to do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol

from nz_explorer.widget import protocol

if TYPE_CHECKING:
    from nz_explorer.editing.trial_edits.what_if import WhatIf
    from nz_explorer.engine.evaluation import Evaluation
    from nz_explorer.model import Array, Group, Hierarchy
    from nz_explorer.plots import Lines, QuickLook
    from nz_explorer.report.store_diff import Comparison
    from nz_explorer.store import Cancellation
    from nz_explorer.values.coordinates.monotonicity import Monotonicity
    from nz_explorer.values.reading.chunk_cache import ChunkCache
    from nz_explorer.widget.background.prefetch import Prefetch
    from nz_explorer.widget.background.reader_trials import Trials
    from nz_explorer.widget.background.scans import Scans
    from nz_explorer.widget.background.version_history import VersionHistory
    from nz_explorer.widget.search import Searches
    from nz_explorer.widget.slice_limits import SliceLimits
    from nz_explorer.widget.tree import Tree
    from nz_explorer.widget.whole_slice import WholeSlice

ALL_POINTS = 2**40
"""More points along an axis than any slice has that fits in memory."""
MAX_PIXELS = 4096
"""The most points along an axis that a picture has, unless all are asked for."""

Happening = Literal["walk", "limits"]
"""A walk of the hierarchy has ended; other limits of colours hold."""
SetTraits = Callable[[Mapping[str, Any]], dict[str, Any]]
SendUnfinished = Callable[[protocol.PictureResult, Sequence[bytes]], None]


class SessionView(Protocol):
    """One open hierarchy, as requests and panels see it."""

    # --- what is shown ----------------------------------------------------------------------

    @property
    def base(self) -> Evaluation:
        """The verdicts on the hierarchy as it is stored."""

    @property
    def tree(self) -> Tree:
        """What is shown: the hierarchy as it is stored, or with the edits that were tried."""

    @property
    def hierarchy(self) -> Hierarchy:
        """The hierarchy that is shown."""

    @property
    def evaluation(self) -> Evaluation:
        """The verdicts on what is shown."""

    @property
    def serial(self) -> int:
        """Grows as the store is read again or edited, and as it is shown with its edits or without."""

    @property
    def bookmarks(self) -> Sequence[str]:
        """Bookmarked paths."""

    @property
    def comparison(self) -> Comparison | None:
        """With the store that was last compared."""

    @property
    def set_traits(self) -> SetTraits | None:
        """Sets traits of the widget, and returns them as they are then."""

    def summary(self) -> protocol.Summary:
        """Return what the header shows."""

    # --- values -----------------------------------------------------------------------------

    @property
    def cache(self) -> ChunkCache:
        """Decoded chunks."""

    @property
    def budget(self) -> int:
        """The most bytes that a picture decodes."""

    def monotonicity(self, array: Array) -> Monotonicity | None:
        """Return what is known of a coordinate's values, reading them if that is cheap."""

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
        """Return the quick look of an array's slice.

        Parameters
        ----------
        array : Array
            As it is shown, or as it is stored.
        index : mapping of str to int
            At which index dimensions are fixed.
        width, height : int
            How many points there is room for.
        cancel : Cancellation, optional
            Set when it is no longer wanted.
        **choices
            Others of `plots.make`.
        """

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
            What they are in.
        dimension : str, optional
            The dimension, by default that of most arrays.
        width : int
            How many points there is room for.
        cancel : Cancellation, optional
            Set when it is no longer wanted.
        """

    @property
    def history(self) -> VersionHistory | None:
        """The history of the store, where it has one."""

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

    def keep_comparison(self, generation: int, found: Comparison) -> None:
        """Show how the store differs from another.

        Parameters
        ----------
        generation : int
            Of the store, as it was compared.
        found : Comparison
            The comparison.
        """

    def page_changed(self, name: str) -> None:
        """Notify the browser that the content of a page has changed."""

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the walk to end; return whether it did."""

    def compare(self) -> None:
        """Compare all consolidated entries with the stored documents, in the background."""

    def read_contents(self, max_bytes: int | None = None) -> None:
        """Read all values and evaluate the rules on them, in the background.

        Parameters
        ----------
        max_bytes : int, optional
            Decoded bytes that may be read; by default what those of the arrays take that are known.
        """

    def leave_contents(self) -> None:
        """Stop reading all values; what was found stays."""

    # --- edits ------------------------------------------------------------------------------

    @property
    def what_if(self) -> WhatIf:
        """The edits that were tried."""

    @property
    def shows_edits(self) -> bool:
        """Whether the hierarchy is shown with the edits."""

    def show_edits(self, shown: bool) -> None:
        """Show the hierarchy with the edits, or as it is stored."""

    @property
    def outcome(self) -> str | None:
        """What has come of the last thing that was done with the edits, in a sentence."""

    def show_outcome(self, sentence: str) -> None:
        """Send the outcome of an action on the edits."""

    # --- what goes on in the background -----------------------------------------------------

    @property
    def progress(self) -> protocol.Progress:
        """How far the walk is."""

    @property
    def scans(self) -> Scans:
        """Scans of all values of arrays."""

    @property
    def limits(self) -> SliceLimits:
        """What limits of pictures are taken from."""

    @property
    def whole_slice(self) -> WholeSlice:
        """Which slice the browser shows whole."""

    @property
    def trials(self) -> Trials:
        """What readers made of the store."""

    @property
    def prefetch(self) -> Prefetch:
        """Reads ahead."""

    @property
    def searches(self) -> Searches:
        """Finds nodes."""

    def send_frames(self, done: int, of: int) -> None:
        """Send how far an animation is.

        Parameters
        ----------
        done, of : int
            How many of its pictures are drawn, and of how many.
        """

    def unfinished_sender(self, cancel: Cancellation) -> SendUnfinished | None:
        """Return what sends a picture before it is finished; None where the request was answered."""
