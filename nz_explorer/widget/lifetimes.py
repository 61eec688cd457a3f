"""When an explorer lets go of its session: no output shows it any more, and no variable holds it.

ipywidgets keeps every widget until it is closed, and IPython every result in ``Out``: references alone never
tell. A notebook cell that is run again loses its output, though, and pages tell when they show a widget no
more. Letting go too early costs a walk, not an error: an explorer that is used again opens its session again.
"""

from __future__ import annotations

import ctypes
import gc
import re
import sys
import weakref
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any, Protocol

KEPT_BY_IPYTHON = re.compile(r"_+|_\d+|_oh|Out")
"""Names of variables under which IPython keeps results that nobody has named."""
MOST_LOOKED_AT = 10_000
MOST_ITEMS = 1000
DEEPEST = 5
"""How far into the user's variables an explorer is looked for."""


class Explorer(Protocol):
    """What of an explorer matters here."""

    @property
    def is_open(self) -> bool:
        """Whether it has a session."""

    def forget_values(self) -> None:
        """Forget the chunks that were read; they are read again when they are needed."""

    def release(self) -> None:
        """Let go of the session."""

    def __hash__(self) -> int: ...


class _Use:
    """Where an explorer is used, as far as the kernel knows."""

    def __init__(self, made_in: str | None) -> None:
        self.made_in = made_in
        """The cell that made it, until that is run again."""
        self.displayed_in: set[str] = set()
        """The cells whose output shows it."""
        self.has_messages = False
        """Whether a page has ever asked it for something; inside of other widgets nothing else tells that it is
        displayed."""
        self.pages: set[str] = set()
        """The pages that show it."""


class Lifetimes:
    """The explorers of a kernel, and where they are used."""

    def __init__(self) -> None:
        self._uses: weakref.WeakKeyDictionary[Explorer, _Use] = weakref.WeakKeyDictionary()
        self._shells: weakref.WeakSet[Any] = weakref.WeakSet()
        self._cell: str | None = None
        """The cell that runs."""

    def add(self, explorer: Explorer) -> None:
        """Take notice of a new explorer."""
        shell = _shell()
        if shell is not None and shell not in self._shells:
            self._shells.add(shell)
            shell.events.register("pre_run_cell", self._before_cell)
            shell.events.register("post_run_cell", self._after_cell)
            self._cell = _running(shell)
        self._uses[explorer] = _Use(self._cell)

    def displayed(self, explorer: Explorer) -> None:
        """Note that the cell that runs shows an explorer in its output."""
        if self._cell is not None:
            self._uses[explorer].displayed_in.add(self._cell)

    def note_message(self, explorer: Explorer) -> None:
        """Note that a page has asked an explorer for something."""
        self._uses[explorer].has_messages = True

    def shown(self, explorer: Explorer, page: str, *, shown: bool) -> bool:
        """Note that a page shows an explorer, or does so no more; return whether any page does.

        Parameters
        ----------
        explorer : Explorer
            The explorer.
        page : str
            Identifier of the page in the browser.
        shown : bool
            Whether the page shows the explorer now.
        """
        pages = self._uses[explorer].pages
        if shown:
            pages.add(page)
        else:
            pages.discard(page)
        return bool(pages)

    def release_unseen(self, explorer: Explorer) -> None:
        """Let go of a session that no page shows any more, unless a variable holds the explorer."""
        if not self._uses[explorer].pages and explorer not in _held([explorer]):
            explorer.release()

    # --- cells ------------------------------------------------------------------------------

    def _before_cell(self, info: Any) -> None:
        # Front ends that do not name their cells are believed to run the same cell if its code is the same.
        self._cell = getattr(info, "cell_id", None) or str(info.raw_cell)
        for explorer, use in self._uses.items():
            if use.made_in == self._cell or self._cell in use.displayed_in:
                # What the cell reads now takes the place of what it read before.
                explorer.forget_values()
            use.displayed_in.discard(self._cell)
            if use.made_in == self._cell:
                use.made_in = None

    def _after_cell(self, _: Any) -> None:
        unused = [
            explorer
            for explorer, use in self._uses.items()
            if explorer.is_open
            and not use.displayed_in
            and (use.made_in is None or not (use.has_messages or use.made_in == self._cell))
        ]
        self._cell = None
        held = _held(unused) if unused else set()
        released = [explorer for explorer in unused if explorer not in held]
        for explorer in released:
            explorer.release()
        if released:
            # A hierarchy and its nodes refer to each other, and the collector may not come for long.
            gc.collect()
            _trim()


def _trim() -> None:
    """Give memory that was freed back to the system, where the C library keeps it for each thread (glibc)."""
    if sys.platform == "linux" and (trim := getattr(ctypes.CDLL(None), "malloc_trim", None)):
        trim(0)


def _shell() -> Any:
    """Return the shell of IPython that runs, None outside of it."""
    try:
        from IPython import get_ipython
    except ImportError:
        return None
    return get_ipython()


def _running(shell: Any) -> str | None:
    """Return the cell that runs already, when the first explorer is made in it."""
    parent = shell.get_parent() if hasattr(shell, "get_parent") else {}
    cell = parent.get("metadata", {}).get("cellId") or parent.get("content", {}).get("code")
    return None if cell is None else str(cell)


def _held(explorers: Iterable[Explorer]) -> set[Explorer]:
    """Return the explorers that the user's variables hold: themselves, in containers, or in attributes."""
    wanted = {id(explorer): explorer for explorer in explorers}
    shell = _shell()
    if shell is None:
        return set()
    hidden = shell.user_ns_hidden
    values = [
        value
        for name, value in list(shell.user_ns.items())
        if not KEPT_BY_IPYTHON.fullmatch(name) and (name not in hidden or value is not hidden[name])
    ]
    found, seen = set(), set[int]()
    for _ in range(DEEPEST):
        inside: list[Any] = []
        for value in values:
            if id(value) in seen:
                continue
            seen.add(id(value))
            if id(value) in wanted:
                found.add(wanted[id(value)])
            elif len(seen) < MOST_LOOKED_AT:
                inside.extend(_inside(value))
        values = inside
    return found


def _inside(value: Any) -> Iterator[Any]:
    """Yield what a container holds, or an object in its attributes; no code of the user's is run for it."""
    kind = type(value)
    if issubclass(kind, (ModuleType, type)):
        return
    if not issubclass(kind, (list, tuple, set, frozenset, dict)):
        try:
            value = object.__getattribute__(value, "__dict__")
        except AttributeError:
            return
    if len(value) <= MOST_ITEMS:
        yield from list(value.values() if issubclass(type(value), dict) else value)


lifetimes = Lifetimes()
