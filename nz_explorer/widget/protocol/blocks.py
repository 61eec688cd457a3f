"""Pages: explanations that Python composes of blocks, and the front end draws."""

from __future__ import annotations

from typing import Any, Literal

from nz_explorer.widget.protocol.message import Message
from nz_explorer.widget.protocol.parts import Mark

Tone = Literal["good", "info", "warning", "error"]


class Span(Message):
    """A piece of a line: text, or a way to a node."""

    text: str
    kind: Literal[
        "", "code", "strong", "quiet", "type", "term", "good", "info", "warning", "error"
    ] = ""
    path: str | None = None
    """The node that it leads to."""
    pointer: str | None = None
    """The place in the node's document that is lit up there."""
    rule: str | None = None
    """The finding that is lit up there."""
    panel: str | None = None
    """The panel to open; by default the one in front, with a pointer the metadata."""
    title: str | None = None


Text = list[str | Span]
"""Text, piece by piece."""


class Heading(Message, tag="heading"):
    """A line above others."""

    text: Text


class Paragraph(Message, tag="paragraph"):
    """Text."""

    text: Text
    tone: Tone | None = None


class Item(Message):
    """What a term means."""

    label: Text
    text: Text


class Definitions(Message, tag="definitions"):
    """Terms, and what each means."""

    items: list[Item]


class Listing(Message, tag="list"):
    """Lines, one below the other."""

    items: list[Text]
    label: str | None = None


class TableRow(Message):
    """Cells; the first is the head of the row."""

    cells: list[Text]
    tone: Tone | None = None
    inside: list[Block] = []
    """What unfolds below the row."""


class TableBlock(Message, tag="table"):
    """A table."""

    label: str
    columns: list[str]
    rows: list[TableRow]


class CodeLine(Message):
    """A line of an excerpt."""

    number: int | None
    """Its number in the document, None for what is left out."""
    kind: Literal["", "lit", "add", "remove"] = ""
    """``lit`` is what is spoken of."""


class CodeBlock(Message, tag="code"):
    """Code, or a difference between documents."""

    text: str
    language: Literal["json", "cdl", "python", "diff", "text"]
    label: str
    title: Text = []
    """Its title, beside a button that copies it; without a title there is no button."""
    marks: list[Mark] = []
    numbers: bool = False
    lines: list[CodeLine] = []
    """What each line is, where the code is an excerpt."""


class Picture(Message, tag="picture"):
    """A picture that the kernel has drawn."""

    src: str
    """A ``data:`` URL."""
    label: str


class Action(Message):
    """A button, and what it asks the kernel to do."""

    label: str
    name: str
    """See `ActParams`."""
    params: dict[str, Any] = {}
    title: str | None = None
    disabled: bool = False


class Actions(Message, tag="actions"):
    """Buttons beside each other."""

    actions: list[Action]


class Columns(Message, tag="columns"):
    """Blocks beside each other, as far as there is room."""

    columns: list[list[Block]]


class Section(Message, tag="section"):
    """Blocks that can be folded away."""

    title: Text
    blocks: list[Block]
    open: bool = False


Block = (
    Heading
    | Paragraph
    | Definitions
    | Listing
    | TableBlock
    | CodeBlock
    | Picture
    | Actions
    | Columns
    | Section
)
