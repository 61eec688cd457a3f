"""Finds nodes: by words of their path and attributes, and by what they have, are and break.

A query is made of words that all must hold. A word is looked for in the path, and in the values of attributes
such as ``long_name`` and ``units``; shorter than three letters it is a whole value. With a colon it asks for one thing:
``dim:time``, ``attr:units``, ``attr:units=K``, ``attr:=K`` (any attribute), ``rule:NZ-DIM``, ``is:error``. ``*`` and ``?``
stand for any characters; quotes keep words together.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Collection, Hashable, Mapping
from fnmatch import fnmatchcase
from typing import Any, get_args

from nz_explorer.conventions import rules
from nz_explorer.diagnosis.impact import IMPACTS
from nz_explorer.engine.findings import SEVERITIES
from nz_explorer.model import Array, Node
from nz_explorer.model.roles import Role
from nz_explorer.store import Cancellation
from nz_explorer.widget.tree import Tree

Test = Callable[[str], bool]
"""Tells of a path whether the node is meant."""

ROLES = frozenset(get_args(Role))
MARKED = IMPACTS[:3]
"""The impacts that the tree marks; the others only keep a dataset from what it does not declare, or advise."""
KINDS = {*SEVERITIES, *IMPACTS, *ROLES, "finding", "group", "array", "broken", "bookmark"}
OFTEN = 1000
"""Nodes between two looks at whether the answer is still wanted."""


class BadQuery(ValueError):
    """A query that is not valid; the message gives the reason."""


class Searches:
    """Finds nodes, and remembers what was found last: its pages are asked for one by one."""

    def __init__(self) -> None:
        self._last: tuple[Hashable, list[str]] | None = None

    def find(
        self,
        tree: Tree,
        query: str,
        *,
        bookmarks: Collection[str],
        state: Hashable,
        cancel: Cancellation | None = None,
    ) -> list[str]:
        """Return what `search` finds.

        Parameters
        ----------
        tree, query, bookmarks, cancel
            As for `search`.
        state : hashable
            What is known of the hierarchy: the answer is remembered as long as it stays so.

        Returns
        -------
        list of str
            Paths.
        """
        asked = (query, tuple(bookmarks), state)
        last = self._last
        if last is not None and last[0] == asked:
            return last[1]
        found = search(tree, query, bookmarks=bookmarks, cancel=cancel)
        self._last = (asked, found)
        return found


def search(
    tree: Tree,
    query: str,
    *,
    bookmarks: Collection[str] = (),
    cancel: Cancellation | None = None,
) -> list[str]:
    """Return the paths of the nodes that a query means.

    Parameters
    ----------
    tree : Tree
        The hierarchy as it is shown.
    query : str
        Words that all must hold.
    bookmarks : collection of str
        The paths that ``is:bookmark`` means.
    cancel : Cancellation, optional
        Set when the answer is no longer wanted.

    Returns
    -------
    list of str
        Sorted; a node of exactly this path comes first, then those whose paths have the words.

    Raises
    ------
    BadQuery
        If ``is:`` is asked of something that nodes are not.
    """
    words = _words(query)
    # the path of a node that was not read yet, or that nothing lists
    unlisted = not tree.hierarchy.reader.listable and len(words) == 1 and ":" not in query
    exact = "/" + query.strip().strip("/")
    if query.startswith("/") or unlisted:
        tree.hierarchy.get(exact, cancel)
    # What costs least is asked first.
    tests = sorted((_test(tree, word, bookmarks) for word in words), key=lambda test: test[0])
    found = []
    for number, path in enumerate(tree.hierarchy.known_paths):
        if cancel is not None and number % OFTEN == 0:
            cancel.check()
        if all(test(path) for _, test in tests):
            found.append(path)
    plain = [word.casefold() for word in words if ":" not in word]

    def order(path: str) -> tuple[bool, bool, str]:
        return path != exact, not all(word in path.casefold() for word in plain), path

    return sorted(found, key=order)


def _words(query: str) -> list[str]:
    try:
        return shlex.split(query)
    except ValueError:  # a quote that is not closed yet
        return query.split()


def _test(tree: Tree, word: str, bookmarks: Collection[str]) -> tuple[int, Test]:
    """Return a predicate for nodes, and roughly its cost."""
    key, colon, value = word.partition(":")
    value = value.casefold()
    match key if colon else None:
        case "dim":
            return 2, _of_node(tree, lambda node: _has_dimension(node, value))
        case "attr":
            name, equals, text = value.partition("=")
            return 2, _of_node(tree, lambda node: _has_attribute(node, name, equals, text))
        case "rule":
            meant = {one for one in rules() if fnmatchcase(one.casefold(), f"{value}*")}
            return 0, tree.evaluation.failing(
                lambda violation: violation.rule.id in meant
            ).__contains__
        case "is":
            return _is(tree, value, bookmarks)
    wanted = word.casefold()
    said = _of_node(tree, lambda node: _says(node, wanted))
    return 1, lambda path: wanted in path.casefold() or said(path)


def _is(tree: Tree, value: str, bookmarks: Collection[str]) -> tuple[int, Test]:
    meant = [kind for kind in sorted(KINDS) if kind.startswith(value)]
    if not meant:
        raise BadQuery(f"is:{value} is nothing that a node can be: {', '.join(sorted(KINDS))}")
    if value == "":
        return 0, lambda path: True
    kind = meant[0]
    if kind == "bookmark":
        return 0, set(bookmarks).__contains__
    if kind in SEVERITIES:
        return 0, tree.evaluation.failing(lambda violation: violation.severity == kind).__contains__
    if kind == "finding" or kind in IMPACTS:
        meant_by = MARKED if kind == "finding" else (kind,)
        evaluation = tree.evaluation
        return 0, evaluation.failing(lambda one: evaluation.impact(one) in meant_by).__contains__
    if kind == "broken":
        return 2, _of_node(tree, lambda node: node.state != "ok")
    if kind in ROLES:
        return 3, _of_node(
            tree, lambda node: isinstance(node, Array) and tree.role(node).role == kind
        )
    return 2, _of_node(tree, lambda node: node.kind == kind)


def _of_node(tree: Tree, test: Callable[[Node], bool]) -> Test:
    """Return a test of the node at a path; one that has gone since is none that is meant."""

    def of_path(path: str) -> bool:
        node = tree.hierarchy.get(path)
        return node is not None and test(node)

    return of_path


def _has_dimension(node: Node, pattern: str) -> bool:
    names = node.dimension_names if isinstance(node, Array) else None
    return any(fnmatchcase((name or "").casefold(), pattern) for name in names or ())


def _has_attribute(node: Node, name: str, equals: str, text: str) -> bool:
    attributes: Mapping[str, Any] = node.attributes
    return any(
        (not name or fnmatchcase(key.casefold(), name)) and (not equals or _is_value(value, text))
        for key, value in attributes.items()
    )


def _says(node: Node, wanted: str) -> bool:
    """Tell whether an attribute's text holds a word, or a number is written so."""
    return any(
        _is_value(value, wanted)
        for value in node.attributes.values()
        if isinstance(value, str | int | float)
    )


def _is_value(value: Any, pattern: str) -> bool:
    """Tell whether a value reads like this, or where it is long holds it."""
    given = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = given.casefold()
    return fnmatchcase(text, pattern) or (len(pattern) > 2 and pattern in text)
