"""What the rules say: failures, findings, what was not evaluated, and how to count them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from nz_explorer.model import Node
    from nz_explorer.rules.catalogue import RuleInfo
    from nz_explorer.rules.fixes import Draft, Fix

Severity = Literal["error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")

FixMaker = Callable[["Node"], "Draft | None"]
"""Makes the fix of a failure for the node that has it.

Nodes with the same document share one verdict, so a fix is made for a node only when it is looked
at. It must not close over the node that was evaluated first.
"""


@dataclass(frozen=True, slots=True)
class Fail:
    """A rule is broken here.

    Parameters
    ----------
    pointer
        What breaks it, as RFC 6901 pointer into the node's document; for v2 the document's name
        comes first (``/.zattrs/units``). A member that is missing is pointed at where it should be.
    message
        What is wrong, with the actual values.
    related
        Paths of the other nodes involved.
    fix
        Makes the fix.
    severity
        Where it differs from that of the rule.
    path
        The node the failure sits on, where that is not the one looked at.
    rule
        The rule that is broken, where the function decides more than one.
    """

    pointer: str
    message: str
    related: tuple[str, ...] = ()
    fix: FixMaker | None = None
    severity: Severity | None = None
    path: str | None = None
    rule: str | None = None


@dataclass(frozen=True, slots=True)
class Undecided:
    """The rule could not be decided here; the reason begins with one of a few words.

    ``cost``, ``listing``, ``budget``, ``dependency: <rule>``, ``unreadable``, ``unsupported``,
    ``unordered``, ``internal error``.
    """

    reason: str
    rule: str | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A failure with its rule, shared by all nodes that have the same document."""

    rule: RuleInfo
    fail: Fail
    severity: Severity


@dataclass(frozen=True, slots=True)
class NotEvaluated:
    """A rule that could not be decided on a node."""

    rule: str
    path: str
    reason: str

    def to_dict(self) -> dict[str, str]:
        """Return what the JSON report holds."""
        return {"rule": self.rule, "path": self.path, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Counts:
    """Findings of a node and of everything below it.

    Attributes
    ----------
    error, warning, info : int
        How many of each severity.
    complete : bool
        Whether nothing is left to be evaluated on the node and below it.
    """

    error: int = 0
    warning: int = 0
    info: int = 0
    complete: bool = False

    @property
    def total(self) -> int:
        """How many findings there are."""
        return self.error + self.warning + self.info


class Finding:
    """A rule that a node breaks.

    Attributes
    ----------
    path : str
        The node, as absolute path.
    tags : tuple of str
        ``undeclared``: the dataset does not declare the convention of the rule;
        ``v2-analogue``: the rule is written for Zarr v3 and applied here by analogy.
    """

    __slots__ = ("_hit", "_make_fix", "path", "tags")

    def __init__(
        self,
        hit: Hit,
        path: str,
        tags: tuple[str, ...],
        make_fix: Callable[[], Fix | None],
    ) -> None:
        self._hit = hit
        self._make_fix = make_fix
        self.path = path
        self.tags = tags

    @property
    def info(self) -> RuleInfo:
        """Everything known about the rule."""
        return self._hit.rule

    @property
    def rule(self) -> str:
        """The id of the rule, such as ``NZ-DIM-010``."""
        return self._hit.rule.id

    @property
    def level(self) -> str:
        """The word of the convention, such as ``MUST``."""
        return self._hit.rule.level

    @property
    def severity(self) -> Severity:
        """How bad it is here."""
        return self._hit.severity

    @property
    def pointer(self) -> str:
        """RFC 6901 pointer into the node's own document."""
        return self._hit.fail.pointer

    @property
    def message(self) -> str:
        """What is wrong, with the actual values."""
        return self._hit.fail.message

    @property
    def related(self) -> tuple[str, ...]:
        """Paths of the other nodes involved."""
        return self._hit.fail.related

    @property
    def fix(self) -> Fix | None:
        """What would cure it, computed when asked for."""
        return self._make_fix()

    @property
    def hit(self) -> Hit:
        """The shared part."""
        return self._hit

    def __repr__(self) -> str:
        return f"<{self.severity} {self.rule} {self.path}{self.pointer and ' ' + self.pointer}: {self.message}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Finding) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[str, str, str, str, str]:
        return (self.rule, self.path, self.pointer, self.severity, self.message)

    def to_dict(self) -> dict[str, Any]:
        """Return what the JSON report holds."""
        fix = self.fix
        return {
            "rule": self.rule,
            "level": self.level,
            "severity": self.severity,
            "path": self.path,
            "pointer": self.pointer,
            "message": self.message,
            "related": list(self.related),
            "fix": None if fix is None else fix.to_dict(),
        }
