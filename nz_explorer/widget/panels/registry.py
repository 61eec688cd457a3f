"""Pages by name, and what their buttons do.

A page is a function that composes blocks about a node; a function that does something belongs to each name of
an action. Neither needs a line of JavaScript: the front end draws the blocks and sends the actions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nz_explorer.widget import protocol
from nz_explorer.widget.panels.blocks import Blocks

if TYPE_CHECKING:
    from nz_explorer.model import Node
    from nz_explorer.store import Cancellation
    from nz_explorer.widget.session_view import SessionView


class CannotDo(Exception):
    """A page or an action that is not available; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class Context:
    """What a page or an action is about.

    Attributes
    ----------
    session : SessionView
        The open hierarchy.
    path : str
        The node that it is about, which need not exist: a finding may report just that.
    params : mapping
        What the page or the button carries.
    cancel : Cancellation
        Set when nobody waits for the answer any more.
    """

    session: SessionView
    path: str
    params: Mapping[str, Any]
    cancel: Cancellation

    @property
    def node(self) -> Node:
        """The node that it is about."""
        return self.session.tree.node(self.path)

    @property
    def index(self) -> dict[str, int]:
        """At which index dimensions are fixed, by name.

        Raises
        ------
        CannotDo
            If they are not an object of integers.
        """
        given = self.params.get("index", {})
        if not isinstance(given, Mapping) or not all(
            isinstance(at, int) and not isinstance(at, bool) for at in given.values()
        ):
            raise CannotDo(f"index must be an object of integers, not {given!r:.200}")
        return {str(name): at for name, at in given.items()}

    def text(self, name: str) -> str:
        """Return a parameter that must be text.

        Raises
        ------
        CannotDo
            If it is not a string.
        """
        value = self.params.get(name)
        if not isinstance(value, str):
            raise CannotDo(f"{name} must be text, not {value!r}")
        return value


@dataclass(frozen=True, slots=True)
class Outcome:
    """What has come of an action.

    Attributes
    ----------
    message : str, optional
        One sentence for the person who asked.
    path, panel : str, optional
        Where to go.
    file : tuple of str, str and bytes, optional
        Name, media type and content of a file for that person's disk.
    """

    message: str | None = None
    path: str | None = None
    panel: str | None = None
    file: tuple[str, str, bytes] | None = None


Page = Callable[[Context], Blocks]
Act = Callable[[Context], Outcome]

PAGES: dict[str, Page] = {}
ACTIONS: dict[str, Act] = {}


def page(name: str) -> Callable[[Page], Page]:
    """Register the function that composes a page."""

    def register(function: Page) -> Page:
        PAGES[name] = function
        return function

    return register


def action(name: str) -> Callable[[Act], Act]:
    """Register the function of a button's action."""

    def register(function: Act) -> Act:
        ACTIONS[name] = function
        return function

    return register


def compose(name: str, context: Context) -> protocol.PageResult:
    """Return a page.

    Parameters
    ----------
    name : str
        The page, as it is registered.
    context : Context
        What it is about.

    Raises
    ------
    CannotDo
        If there is no such page, or it cannot be made of the node.
    """
    function = PAGES.get(name)
    if function is None:
        raise CannotDo(f"there is no page {name!r}")
    return protocol.PageResult(name, context.path, function(context))


def perform(name: str, context: Context) -> tuple[protocol.ActResult, list[bytes]]:
    """Perform the action of a button.

    Parameters
    ----------
    name : str
        The action, as it is registered.
    context : Context
        What it is about.

    Returns
    -------
    tuple of ActResult and list of bytes
        The message, and the file that it refers to, if there is one.

    Raises
    ------
    CannotDo
        If there is no such action, or it cannot be done.
    """
    function = ACTIONS.get(name)
    if function is None:
        raise CannotDo(f"there is no action {name!r}")
    outcome = function(context)
    result = protocol.ActResult(outcome.message, outcome.path, outcome.panel)
    if outcome.file is None:
        return result, []
    result.file, result.media_type, content = outcome.file
    result.file_buffer = 0
    return result, [content]
