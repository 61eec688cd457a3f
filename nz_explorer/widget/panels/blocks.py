"""What pages are made of: short ways to write the blocks of `protocol`."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from nz_explorer.widget.protocol import (
    Action,
    Actions,
    Block,
    CodeBlock,
    Columns,
    Definitions,
    Heading,
    Item,
    Listing,
    Paragraph,
    Picture,
    Section,
    Span,
    TableBlock,
    TableRow,
    Text,
    Tone,
)

Blocks = list[Block]
Words = str | Span | Sequence[str | Span]
"""Text as it is given: a string, a span, or several of them."""


def text(words: Words) -> Text:
    """Return text as a list of its pieces."""
    return [words] if isinstance(words, (str, Span)) else list(words)


def code(words: str) -> Span:
    """Return text as code."""
    return Span(words, "code")


def strong(words: str) -> Span:
    """Return emphasized text."""
    return Span(words, "strong")


def quiet(words: str) -> Span:
    """Return de-emphasized text."""
    return Span(words, "quiet")


def chip(words: str, tone: Tone, title: str | None = None) -> Span:
    """Return a word in a frame: a verdict.

    Parameters
    ----------
    words : str
        The text.
    tone : str
        Its colour, by meaning.
    title : str, optional
        What is shown on hover.
    """
    return Span(words, tone, title=title)


def link(
    path: str,
    label: str | None = None,
    *,
    pointer: str | None = None,
    rule: str | None = None,
    panel: str | None = None,
) -> Span:
    """Return the way to a node, or with a pointer to the very line of its document.

    Parameters
    ----------
    path : str
        The node that it leads to.
    label : str, optional
        The text; the path if absent.
    pointer : str, optional
        RFC 6901 pointer into the node's document, to be highlighted.
    rule : str, optional
        The rule whose finding is meant.
    panel : str, optional
        The panel to be shown.
    """
    return Span(
        path if label is None else label, path=path, pointer=pointer, rule=rule, panel=panel
    )


def name_of(path: str) -> str:
    """Return the last part of a path."""
    return path.rsplit("/", 1)[-1] or "/"


def links(
    paths: Sequence[str],
    most: int = 10,
    *,
    short: bool = False,
    notes: Mapping[str, str] | None = None,
) -> Text:
    """Return the ways to nodes, and how many more there are.

    Parameters
    ----------
    paths : sequence of str
        The nodes.
    most : int
        How many are linked; the number of the others is added.
    short : bool
        Show names instead of paths.
    notes : mapping of str to str, optional
        By path what is said of a node in brackets.
    """
    known = notes or {}
    # Between names a space that is seen: a comma could begin a line, as links do not keep what follows them.
    found = [
        piece
        for path in paths[:most]
        for piece in (
            "\u2002",
            link(path, name_of(path) if short else None),
            *([quiet(f" ({known[path]})")] if path in known else ()),
        )
    ][1:]
    return [*found, quiet(f" and {len(paths) - most} more")] if len(paths) > most else found


def joined(spans: Iterable[Span]) -> Text:
    """Return spans with commas between them."""
    return [piece for span in spans for piece in (", ", span)][1:]


def heading(words: Words) -> Heading:
    """Return a heading."""
    return Heading(text(words))


def paragraph(words: Words, tone: Tone | None = None) -> Paragraph:
    """Return a paragraph.

    Parameters
    ----------
    words : str, Span or sequence of them
        The text.
    tone : str, optional
        Its colour, by meaning.
    """
    return Paragraph(text(words), tone)


def definitions(items: Iterable[tuple[Words, Words]]) -> Definitions:
    """Return terms with what they mean."""
    return Definitions([Item(text(label), text(meaning)) for label, meaning in items])


def listing(items: Iterable[Words], label: str | None = None) -> Listing:
    """Return a list.

    Parameters
    ----------
    items : iterable of str, Span or sequences of them
        The entries.
    label : str, optional
        The accessible name.
    """
    return Listing([text(item) for item in items], label)


def row(*cells: Words, tone: Tone | None = None, inside: Blocks | None = None) -> TableRow:
    """Return a row of a table, with what unfolds below it.

    Parameters
    ----------
    *cells : str, Span or sequence of them
        The cells, as many as there are columns.
    tone : str, optional
        The colour, by meaning.
    inside : list of Block, optional
        What unfolds below the row.
    """
    return TableRow([text(cell) for cell in cells], tone, inside or [])


def table(label: str, columns: Sequence[str], rows: Iterable[TableRow]) -> TableBlock:
    """Return a table.

    Parameters
    ----------
    label : str
        The accessible name.
    columns : sequence of str
        The headings.
    rows : iterable of TableRow
        The rows, as `row` makes them.
    """
    return TableBlock(label, list(columns), list(rows))


def listed_code(
    source: str,
    language: Literal["json", "cdl", "python", "diff", "text"],
    label: str,
    title: Words = (),
) -> CodeBlock:
    """Return code; with a title it can be copied.

    Parameters
    ----------
    source : str
        The code.
    language : {"json", "cdl", "python", "diff", "text"}
        How it is highlighted.
    label : str
        The accessible name.
    title : str, Span or sequence of them
        What is above it.
    """
    return CodeBlock(source, language, label, text(title))


def png(data: bytes, label: str) -> Picture:
    """Return a picture.

    Parameters
    ----------
    data : bytes
        The content of a PNG file.
    label : str
        The accessible name.
    """
    return Picture(f"data:image/png;base64,{base64.b64encode(data).decode()}", label)


def action(
    label: str, name: str, *, title: str | None = None, disabled: bool = False, **params: Any
) -> Action:
    """Return a button.

    Parameters
    ----------
    label : str
        The text of the button.
    name : str
        The action, as it is registered.
    title : str, optional
        What is shown on hover.
    disabled : bool
        Whether it cannot be pressed.
    **params
        Parameters of the action; JSON values.
    """
    return Action(label, name, params, title, disabled)


def actions(*buttons: Action) -> Actions:
    """Return buttons beside each other."""
    return Actions(list(buttons))


def columns(*parts: Blocks) -> Columns:
    """Return blocks beside each other."""
    return Columns(list(parts))


def section(title: Words, blocks: Blocks, *, opened: bool = False) -> Section:
    """Return blocks that can be folded away.

    Parameters
    ----------
    title : str, Span or sequence of them
        The heading, which folds and unfolds the blocks.
    blocks : list of Block
        The content.
    opened : bool
        Whether it is unfolded at first.
    """
    return Section(text(title), blocks, opened)
