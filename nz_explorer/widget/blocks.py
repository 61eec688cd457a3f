"""What pages are made of: short ways to write the blocks of `protocol`."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
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
    """Return text that stands out."""
    return Span(words, "strong")


def quiet(words: str) -> Span:
    """Return text that stands back."""
    return Span(words, "quiet")


def chip(words: str, tone: Tone, title: str | None = None) -> Span:
    """Return a word in a frame: a verdict."""
    return Span(words, tone, title=title)


def link(
    path: str,
    label: str | None = None,
    *,
    pointer: str | None = None,
    rule: str | None = None,
    panel: str | None = None,
) -> Span:
    """Return the way to a node, or with a pointer to the very line of its document."""
    return Span(
        path if label is None else label, path=path, pointer=pointer, rule=rule, panel=panel
    )


def name_of(path: str) -> str:
    """Return the last part of a path."""
    return path.rsplit("/", 1)[-1] or "/"


def links(paths: Sequence[str], most: int = 10, *, short: bool = False) -> Text:
    """Return the ways to nodes, and how many more there are."""
    found: Text = []
    for path in paths[:most]:
        found += [link(path, name_of(path) if short else None), " "]
    return [*found, quiet(f"and {len(paths) - most} more")] if len(paths) > most else found


def joined(spans: Iterable[Span]) -> Text:
    """Return spans with commas between them."""
    return [piece for span in spans for piece in (", ", span)][1:]


def heading(words: Words) -> Heading:
    """Return a heading."""
    return Heading(text(words))


def paragraph(words: Words, tone: Tone | None = None) -> Paragraph:
    """Return a paragraph."""
    return Paragraph(text(words), tone)


def definitions(items: Iterable[tuple[Words, Words]]) -> Definitions:
    """Return terms with what they mean."""
    return Definitions([Item(text(label), text(meaning)) for label, meaning in items])


def listing(items: Iterable[Words], label: str | None = None) -> Listing:
    """Return a list."""
    return Listing([text(item) for item in items], label)


def row(*cells: Words, tone: Tone | None = None) -> TableRow:
    """Return a row of a table."""
    return TableRow([text(cell) for cell in cells], tone)


def table(label: str, columns: Sequence[str], rows: Iterable[TableRow]) -> TableBlock:
    """Return a table."""
    return TableBlock(label, list(columns), list(rows))


def listed_code(
    source: str,
    language: Literal["json", "cdl", "python", "diff", "text"],
    label: str,
    title: Words = (),
) -> CodeBlock:
    """Return code; with a title it can be copied."""
    return CodeBlock(source, language, label, text(title))


def png(data: bytes, label: str) -> Picture:
    """Return a picture."""
    return Picture(f"data:image/png;base64,{base64.b64encode(data).decode()}", label)


def action(
    label: str, name: str, *, title: str | None = None, disabled: bool = False, **params: Any
) -> Action:
    """Return a button."""
    return Action(label, name, params, title, disabled)


def actions(*buttons: Action) -> Actions:
    """Return buttons beside each other."""
    return Actions(list(buttons))


def columns(*parts: Blocks) -> Columns:
    """Return blocks beside each other."""
    return Columns(list(parts))


def section(title: Words, blocks: Blocks, *, opened: bool = False) -> Section:
    """Return blocks that can be folded away."""
    return Section(text(title), blocks, opened)
