"""What can be wrong with the text of a document."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

ProblemKind = Literal[
    "utf8",
    "syntax",
    "bare-token",
    "duplicate",
    "bom",
    "not-object",
    "empty",
    "truncated",
    "limit",
    "io",
]


@dataclass(frozen=True, slots=True)
class DocumentProblem:
    """Something wrong with the text of a document, whatever its content."""

    kind: ProblemKind
    message: str
    pointer: str = ""
    line: int | None = None
    column: int | None = None
    offset: int | None = None
    detail: dict[str, Any] = field(default_factory=dict)
