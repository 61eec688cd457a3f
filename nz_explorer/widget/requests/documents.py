"""Documents as text, with the lines that findings speak of, and CDL beside them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from typing import Any

from nz_explorer.documents import Document
from nz_explorer.documents.json_layout import indented
from nz_explorer.documents.json_pieces import PatchError
from nz_explorer.engine.entry_comparison import differences
from nz_explorer.engine.findings import Finding
from nz_explorer.model import Group, Hierarchy, Node, nz_type
from nz_explorer.netcdf import CdlLine, cdl
from nz_explorer.store import Cancellation
from nz_explorer.widget import protocol
from nz_explorer.widget.requests.answer import Answer, answers
from nz_explorer.widget.session_view import SessionView
from nz_explorer.widget.text import on_screen

MAX_TEXT = 256 * 1024
MAX_SOURCES_TEXT = 1024 * 1024
MAX_VALUE = 2000
MAX_ATTRIBUTES = 500
MAX_ONE_LINE = 100
"""Characters of a document on one line that is shown so beside CDL."""
MAX_ALSO = 200
"""Lines that are lit with that of a dimension."""
MAX_CDL_LINES = 4000
MAX_CDL_VALUES = 100
"""Values of one attribute that are written out."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute as JSON text, shortened where it is long, with its type under NZ."""

    name: str
    value: str
    nz_type: str
    pointer: str
    note: str | None


@answers("document")
def answer(session: SessionView, params: protocol.DocumentParams, cancel: Cancellation) -> Answer:
    """Return the documents of a node."""
    node = session.tree.node(params.path)
    own = session.evaluation.findings(node.path, below=False)
    return protocol.DocumentResult(node.path, documents(node, own, params.pointer)), ()


@answers("netcdf")
def answer_netcdf(
    session: SessionView, params: protocol.NetcdfParams, cancel: Cancellation
) -> Answer:
    """Return a node as netCDF has it, and where each part of that comes from."""
    node = session.tree.node(params.path)
    return protocol.NetcdfResult(node.path, cdl_spans(node), sources(node)), ()


def documents(
    node: Node, findings: Sequence[Finding], pointer: str | None = None
) -> list[protocol.DocumentText]:
    """Return the documents of a node as stored, as consolidated where there is a copy, and how these differ.

    Parameters
    ----------
    node : Node
        The node as the hierarchy shows it.
    findings : sequence of Finding
        The node's own findings, whose lines are marked.
    pointer : str, optional
        A pointer into the node's metadata.
    """
    hierarchy = node.hierarchy
    stored, copies = node.documents, _consolidated(hierarchy, node)
    if hierarchy.metadata_source == "consolidated":
        there = hierarchy.stored.peek(node.path)
        stored = () if there is None else there.documents
    texts = [_text(node, document, findings, _other(copies, document)) for document in stored]
    texts += [_text(node, document, findings, _other(stored, document)) for document in copies]
    for text, document in zip(texts, stored, strict=False):
        copy = _other(copies, document)
        if text.differs and copy is not None:
            texts.append(_difference(document, copy))
    if pointer is not None:
        about, inner = node.locate(pointer)
        for text, document in zip(texts, (*stored, *copies), strict=False):
            if about is not None and about.name == document.name:
                text.place = _place(_laid_out(document, text.text), inner)
    return texts


def _difference(document: Document, copy: Document) -> protocol.DocumentText:
    """Return the unified diff from a stored document to its consolidated copy, members in one order."""
    stored = {k: v for k, v in document.value.items() if k != "consolidated_metadata"}
    before, after = (
        json.dumps(value, indent=2, ensure_ascii=False).splitlines()
        for value in (stored, _in_order_of(copy.value, stored))
    )
    lines = unified_diff(before, after, "as stored", "as consolidated", lineterm="")
    text = "\n".join(lines)[:MAX_TEXT]
    return protocol.DocumentText(document.key, "difference", text, len(text), cut=False)


def _in_order_of(value: Any, model: Any) -> Any:
    """Return a value with the members of its objects in the order that another has them."""
    if not isinstance(value, dict) or not isinstance(model, dict):
        return value
    keys = [key for key in model if key in value] + [key for key in value if key not in model]
    return {key: _in_order_of(value[key], model.get(key)) for key in keys}


def sources(node: Node) -> list[protocol.DocumentText]:
    """Return the documents that the CDL of a node was made from, as many as a page can hold."""
    nodes = [node, *(node.arrays if isinstance(node, Group) else ())]
    found: list[protocol.DocumentText] = []
    room = MAX_SOURCES_TEXT
    for source in nodes:
        for document in source.documents:
            text = _text(source, document, (), None, beside_cdl(document))
            room -= len(text.text)
            if found and room < 0:
                return found
            found.append(text)
    return found


def _consolidated(hierarchy: Hierarchy, node: Node) -> tuple[Document, ...]:
    consolidated = hierarchy.consolidated
    return () if consolidated is None else consolidated.documents(node.path)


def _other(documents: Iterable[Document], document: Document) -> Document | None:
    return next((other for other in documents if other.name == document.name), None)


def _text(
    node: Node,
    document: Document,
    findings: Sequence[Finding],
    other: Document | None,
    text: str | None = None,
) -> protocol.DocumentText:
    text = readable(document) if text is None else text
    cut = len(text) > MAX_TEXT
    problem = next((p.message for p in document.problems if p.kind != "bare-token"), None)
    differs: list[protocol.Place] = []
    if other is not None and document.ok and other.ok:
        stored, copy = (document, other) if document.origin == "stored" else (other, document)
        shown = _laid_out(document, text)
        differs = [_place(shown, one.pointer) for one in differences(stored, copy.value)]
    return protocol.DocumentText(
        key=document.key,
        origin=document.origin,
        text=text[:MAX_TEXT],
        size=len(document.raw or b""),
        cut=cut,
        problem=problem,
        marks=list(_marks(node, document, text, findings)) if not cut else [],
        differs=differs,
    )


def readable(document: Document) -> str:
    """Return a stored document as it is, a consolidated one laid out anew."""
    if document.origin == "consolidated" and document.ok:
        return json.dumps(document.value, indent=2, ensure_ascii=False)
    return document.text


def beside_cdl(document: Document) -> str:
    """Return a document as it is shown beside CDL, one that is stored on one line laid out: lines are what is pointed at."""
    text = readable(document)
    on_one_line = len(text) > MAX_ONE_LINE and "\n" not in text.strip()
    return in_lines(text) if on_one_line and document.ok else text


def in_lines(text: str) -> str:
    """Return JSON with a line for each member, and what is no JSON as it is."""
    try:
        return indented(text)
    except PatchError:
        return text


def _laid_out(document: Document, text: str) -> Document:
    """Return the document whose positions are those of the text that is shown."""
    if text == document.text:
        return document
    return Document(document.name, document.key, text.encode(), origin=document.origin)


def _marks(
    node: Node, document: Document, text: str, findings: Sequence[Finding]
) -> Iterable[protocol.Mark]:
    shown = _laid_out(document, text)
    for finding in findings:
        about, pointer = node.locate(finding.pointer)
        if about is None or about.name != document.name:
            continue
        first, last = line_span(shown, pointer)
        yield protocol.Mark(first, last, finding.rule, finding.impact, on_screen(finding.message))


def _place(document: Document, pointer: str) -> protocol.Place:
    return protocol.Place(pointer, *line_span(document, pointer))


def line_span(document: Document, pointer: str) -> tuple[int, int]:
    """Lines of a pointer, or of the nearest value around it: a missing member has no place itself.

    Parameters
    ----------
    document : Document
        The document.
    pointer : str
        RFC 6901 pointer into it.

    Returns
    -------
    tuple of int
        The first and the last line, 1-based and inclusive.
    """
    for problem in document.problems:
        if problem.line is not None and problem.pointer == pointer:
            return problem.line, problem.line
    while True:
        span = document.span(pointer)
        if span is not None:
            # A whole object is shown by the line that opens it.
            return span.first_line, span.first_line if pointer == "" else span.last_line
        if not pointer:
            return 1, 1
        pointer = pointer.rpartition("/")[0]


def attributes(node: Node) -> list[Attribute]:
    """Return a node's attributes as text with their NZ types."""
    found = []
    for name, value in list(node.attributes.items())[:MAX_ATTRIBUTES]:
        text = json.dumps(value, ensure_ascii=False)
        kind = nz_type(value)
        found.append(
            Attribute(
                name=name,
                value=text if len(text) <= MAX_VALUE else text[: MAX_VALUE - 1] + "…",
                nz_type=kind.name,
                pointer=node.attribute_pointer(name),
                note=kind.note,
            )
        )
    return found


def cdl_spans(node: Node) -> list[protocol.CdlSpan]:
    """Return a node as CDL, each line with the lines of the document it was made from.

    A group is shown with its own arrays; the groups below it are not read for this.
    """
    spans = []
    places: dict[str, tuple[Node, dict[str, Document]] | None] = {}

    def place(path: str, pointer: str) -> protocol.CdlPlace | None:
        if path not in places:
            about = node.hierarchy.node_if_loaded(path)
            places[path] = (
                None
                if about is None
                else (about, {d.name: _laid_out(d, beside_cdl(d)) for d in about.documents})
            )
        if (found := places[path]) is None:
            return None
        about, shown = found
        document, inside = about.locate(pointer)
        if document is None:
            return None
        return protocol.CdlPlace(path, document.key, *line_span(shown[document.name], inside))

    lines: list[CdlLine] = cdl(node, below=False, limit=MAX_CDL_VALUES)
    for line in lines[:MAX_CDL_LINES]:
        span = protocol.CdlSpan(line.text, line.path)
        if line.path is not None and line.pointer is not None:
            at = place(line.path, line.pointer)
            if at is not None:
                span.key, span.pointer = at.key, line.pointer
                span.first_line, span.last_line = at.first_line, at.last_line
                also = (place(*one) for one in line.also[:MAX_ALSO])
                span.also = [one for one in also if one is not None]
        spans.append(span)
    if len(lines) > MAX_CDL_LINES:
        spans.append(protocol.CdlSpan(f"// and {len(lines) - MAX_CDL_LINES} more lines"))
    return spans
