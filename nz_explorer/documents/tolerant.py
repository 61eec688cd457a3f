"""Decoding with Python's own decoder, which accepts what Python programs write; what is wrong is told with its place."""

from __future__ import annotations

import codecs
import json
import operator
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from nz_explorer.documents import pointers, positions
from nz_explorer.documents.json_types import json_type
from nz_explorer.documents.positions import ScanError, scan, with_quotes
from nz_explorer.documents.problems import DocumentProblem
from nz_explorer.text.phrases import plural

OTHER_ENCODINGS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)
BLOCK = 2**24
MAX_NESTING = 400
"""Levels of values in values: newer versions of Python decode more than a function that calls itself can walk."""


def is_utf8(raw: bytes) -> bool:
    """Whether a text is UTF-8, also where an index does not look; most texts are ASCII, which is seen quickly."""
    if raw.isascii():
        return True
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for begin in range(0, len(raw), BLOCK):
            decoder.decode(raw[begin : begin + BLOCK], begin + BLOCK >= len(raw))
    except UnicodeDecodeError:
        return False
    return True


def text_of(raw: bytes) -> tuple[str, DocumentProblem | None]:
    """Return bytes as text, and what is wrong with its encoding."""
    for mark, encoding in (
        (codecs.BOM_UTF32_LE, "UTF-32"),
        (codecs.BOM_UTF32_BE, "UTF-32"),
        (codecs.BOM_UTF16_LE, "UTF-16"),
        (codecs.BOM_UTF16_BE, "UTF-16"),
    ):
        if raw.startswith(mark):
            text = raw.decode(encoding, errors="replace")
            return text, DocumentProblem(
                "utf8", f"is not UTF-8 but {encoding}", offset=0, detail={"encoding": encoding}
            )
    if raw.startswith(codecs.BOM_UTF8):
        text, problem = text_of(raw[len(codecs.BOM_UTF8) :])
        return text, problem or DocumentProblem("bom", "starts with a byte order mark", offset=0)
    try:
        return raw.decode("utf-8"), None
    except UnicodeDecodeError as error:
        return raw.decode("utf-8", errors="replace"), DocumentProblem(
            "utf8",
            f"is not UTF-8 (byte {error.start})",
            offset=error.start,
            detail={"byte": error.start},
        )


def decode_tolerantly(raw: bytes, key: str) -> tuple[Any, tuple[DocumentProblem, ...]]:
    """Decode a document, and say what is wrong with its text.

    Parameters
    ----------
    raw : bytes
        Its bytes.
    key : str
        Its key, for the messages.
    """
    label = key or "the document"
    text, encoding_problem = text_of(raw)
    problems: list[DocumentProblem] = []
    if encoding_problem is not None:
        problems.append(
            DocumentProblem(
                encoding_problem.kind,
                f"{label} {encoding_problem.message}",
                offset=encoding_problem.offset,
                detail=encoding_problem.detail,
            )
        )
    if not text.strip():
        problems.append(
            DocumentProblem(
                "empty", f"{label} is empty ({plural(len(raw), 'byte')})", line=1, column=1
            )
        )
        return None, tuple(problems)
    repeated: list[str] = []
    bare: list[str] = []

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) != len(pairs):
            times = Counter(name for name, _ in pairs)
            repeated.extend(name for name, number in times.items() if number > 1)
        return value

    def constant(token: str) -> float:
        bare.append(token)
        return float(token.replace("Infinity", "inf"))

    try:
        value = _load(text, label, problems, object_pairs_hook=members, parse_constant=constant)
    except json.JSONDecodeError as error:
        problems.append(_syntax(label, text, error))
        return None, tuple(problems)
    except RecursionError:
        problems.append(_too_deep(label))
        return None, tuple(problems)
    except ValueError as error:  # an integer of more digits than Python converts
        problems.append(DocumentProblem("limit", f"{label}: {error}"))
        return None, tuple(problems)
    if _is_deep(value):
        problems.append(_too_deep(label))
        return None, tuple(problems)
    if repeated or bare:
        problems.extend(_located(label, text, repeated, bare))
    if not isinstance(value, dict):
        problems.append(not_object(value, label))
    return value, tuple(problems)


def _too_deep(label: str) -> DocumentProblem:
    return DocumentProblem("limit", f"{label} is nested too deeply to be read")


def _is_deep(value: Any) -> bool:
    """Whether there are more than `MAX_NESTING` levels in a value."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(MAX_NESTING):
        lists = [one.values() if isinstance(one, dict) else one for one in level]
        level = [inner for held in lists for inner in held if isinstance(inner, dict | list)]
        if not level:
            return False
    return True


def _load(text: str, label: str, problems: list[DocumentProblem], **hooks: Any) -> Any:
    """Decode JSON, and add a problem where it is only what netCDF-C writes.

    That has control characters in strings, and in attributes words without quotes that are almost numbers.
    """
    try:
        return json.loads(text, **hooks)
    except json.JSONDecodeError as error:
        attributes = label.endswith(".zattrs")
        if not attributes and not error.msg.startswith("Invalid control character"):
            raise
        mark = _MARK
        while mark in text:
            mark += _MARK
        quoted = with_quotes(text, mark) if attributes else text
        value = _unmarked(json.loads(quoted, strict=False, **hooks), mark)
        problems.append(_syntax(label, text, error))
        return value


_MARK = "\ue000"


def _unmarked(value: Any, mark: str) -> Any:
    """Return a value without marks: a marked word in a list of numbers is a number, else it is text."""
    if isinstance(value, str):
        return value.removeprefix(mark)
    if isinstance(value, dict):
        return {_unmarked(name, mark): _unmarked(one, mark) for name, one in value.items()}
    if not isinstance(value, list):
        return value
    numbers = [type(one) in (int, float) for one in value]
    marked = [isinstance(one, str) and one.startswith(mark) for one in value]
    if any(numbers) and any(marked) and all(map(operator.or_, numbers, marked)):
        with suppress(ValueError):  # C knows numbers in base 16
            return [float(one.removeprefix(mark)) if isinstance(one, str) else one for one in value]
    return [_unmarked(one, mark) for one in value]


def _located(
    label: str, text: str, repeated: list[str], bare: list[str]
) -> Iterator[DocumentProblem]:
    try:
        places = scan(text) if len(text) <= positions.SCAN_LIMIT else None
    except ScanError:
        places = None  # nested beyond MAX_DEPTH, though Python decodes it: reported without places
    if places is None:
        for token in sorted(set(bare)):
            yield DocumentProblem(
                "bare-token", f"{label}: bare {token} is not JSON", detail={"token": token}
            )
        for name in sorted(set(repeated)):
            yield DocumentProblem(
                "duplicate",
                f"{label}: key {name!r} occurs more than once",
                detail={"key": name, "count": 2},
            )
        return
    for pointer, token in places.bare.items():
        start, _ = places.places[pointer]
        line, column = _position(text, start)
        yield DocumentProblem(
            "bare-token",
            f"{pointer}: bare {token} is not JSON",
            pointer,
            line,
            column,
            start,
            {"token": token},
        )
    for pointer, count in places.repeated.items():
        start = places.keys[pointer]
        line, column = _position(text, start)
        name = pointers.split(pointer)[-1]
        yield DocumentProblem(
            "duplicate",
            f"{pointer}: key {name!r} occurs {count} times",
            pointer,
            line,
            column,
            start,
            {"key": name, "count": count},
        )


def _position(text: str, offset: int) -> tuple[int, int]:
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def not_object(value: Any, key: str) -> DocumentProblem:
    """Return the problem of a document that is well-formed, but no object.

    Parameters
    ----------
    value
        What it holds.
    key : str
        Its key, for the message.
    """
    kind = json_type(value)
    return DocumentProblem(
        "not-object",
        f"{key or 'the document'} holds a JSON {kind}, expected an object",
        line=1,
        detail={"json_type": kind},
    )


def _syntax(label: str, text: str, error: json.JSONDecodeError) -> DocumentProblem:
    begin = error.pos - error.colno + 1
    start = max(0, error.colno - 41)
    excerpt = text[begin + start : begin + error.colno + 39].partition("\n")[0].replace("\t", " ")
    caret = " " * (error.colno - 1 - start) + "^"
    truncated = not text[error.pos :].strip() or error.msg.startswith("Unterminated string")
    what = f"{error.msg.removesuffix(' at')} at line {error.lineno}, column {error.colno}"
    message = (
        f"{label} ends too early ({plural(len(text), 'character')}; {what})"
        if truncated
        else f"{label} is not JSON: {what}"
    )
    return DocumentProblem(
        "truncated" if truncated else "syntax",
        message,
        line=error.lineno,
        column=error.colno,
        offset=error.pos,
        detail={"error": error.msg, "excerpt": f"{excerpt}\n{caret}"},
    )
