"""What the rules yield: failures, findings, what was not evaluated, and how to count them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from nz_explorer.engine.impact import Impact, readers_of

if TYPE_CHECKING:
    from nz_explorer.engine.catalogue import RuleInfo
    from nz_explorer.engine.fixes import Draft, Fix
    from nz_explorer.model import Node

Severity = Literal["error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")

FixMaker = Callable[["Node"], "Draft | None"]
"""Makes the fix of a failure for the node that has it.

Nodes with the same document share one result, so a fix is made for a node only when it is looked
at. It must not close over the node that was evaluated first.
"""


@dataclass(frozen=True, slots=True)
class Place:
    """One of the places that a finding is about.

    Attributes
    ----------
    path : str
        A node, as absolute path.
    pointer : str
        RFC 6901 pointer into its document.
    """

    path: str
    pointer: str = ""

    def to_dict(self) -> dict[str, str]:
        """Return what the JSON report holds."""
        return {"path": self.path, "pointer": self.pointer}


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
    impact
        The impact in this case, where it differs from the rule's entry; see `nz_explorer.diagnosis.impact`.
    readers
        What readers do in this case, by name, where it differs from the rule's entry: those that are
        named are those that mind.
    places
        Where it is, for a failure that several documents make together.
    alternatives
        Other ways out than `fix`.
    stops
        Those of the readers that cannot open or read it at all, where its impact on the others is wrong values, or none.
    hidden_from
        Readers that for this reason do not see the node, so that nothing else that is wrong with its documents hurts them.
    covers
        Rules whose failures, of the same thing, this one says as well and explains: they are left out beside it. A rule on
        all values of an array may name those on its documents.
    beside
        Whether it is about a document that no text asks for, so that it decides on no convention.
    """

    pointer: str
    message: str
    related: tuple[str, ...] = ()
    fix: FixMaker | None = None
    severity: Severity | None = None
    path: str | None = None
    rule: str | None = None
    impact: Impact | None = None
    readers: Mapping[str, str] | None = None
    places: tuple[Place, ...] = ()
    alternatives: tuple[FixMaker, ...] = ()
    stops: tuple[str, ...] = ()
    hidden_from: tuple[str, ...] = ()
    covers: tuple[str, ...] = ()
    beside: bool = False


@dataclass(frozen=True, slots=True)
class Undecided:
    """The rule could not be decided here; the reason begins with one of a few words.

    ``cost``, ``listing``, ``budget``, ``dependency: <rule>``, ``unreadable``, ``unsupported``,
    ``unordered``, ``internal error``.
    """

    reason: str
    rule: str | None = None


RuleOutput = Iterator[Fail | Undecided]
"""What a rule function yields; nothing where all is well."""


@dataclass(frozen=True, slots=True)
class Violation:
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
        Absolute path of the node.
    tags : tuple of str
        ``undeclared``: the dataset does not declare the convention of the rule;
        ``v2-analogue``: the rule is written for Zarr v3 and applied here by analogy.
    impact : str
        What it means for the people who read the data.
    """

    __slots__ = ("_make_fixes", "_violation", "impact", "path", "tags")

    def __init__(
        self,
        violation: Violation,
        path: str,
        tags: tuple[str, ...],
        impact: Impact,
        make_fixes: Callable[[], list[Fix]],
    ) -> None:
        self._violation = violation
        self._make_fixes = make_fixes
        self.path = path
        self.tags = tags
        self.impact = impact

    @property
    def info(self) -> RuleInfo:
        """Everything known about the rule."""
        return self._violation.rule

    @property
    def rule(self) -> str:
        """The id of the rule, such as ``NZ-DIM-010``."""
        return self._violation.rule.id

    @property
    def level(self) -> str:
        """The word of the convention, such as ``MUST``."""
        return self._violation.rule.level

    @property
    def severity(self) -> Severity:
        """How bad it is here."""
        return self._violation.severity

    @property
    def pointer(self) -> str:
        """RFC 6901 pointer into the node's own document."""
        return self._violation.fail.pointer

    @property
    def message(self) -> str:
        """What is wrong, with the actual values."""
        return self._violation.fail.message

    @property
    def related(self) -> tuple[str, ...]:
        """Paths of the other nodes involved."""
        return self._violation.fail.related

    @property
    def readers(self) -> Mapping[str, str]:
        """What readers do with it, by name; those that behave as if all were well are left out."""
        return readers_of(self._violation)

    @property
    def places(self) -> tuple[Place, ...]:
        """Each place that it is about, where these are several."""
        fail = self._violation.fail
        if fail.places or not fail.related:
            return fail.places
        return (Place(self.path, fail.pointer), *(Place(path) for path in fail.related))

    @property
    def fixes(self) -> list[Fix]:
        """All ways out, computed when asked for; the one that loses least comes first."""
        return self._make_fixes()

    @property
    def fix(self) -> Fix | None:
        """What would cure it, computed when asked for; the first of `fixes`."""
        return next(iter(self.fixes), None)

    @property
    def violation(self) -> Violation:
        """The shared part."""
        return self._violation

    def __repr__(self) -> str:
        return f"<{self.severity} {self.rule} {self.path}{self.pointer and ' ' + self.pointer}: {self.message}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Finding) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    @property
    def said(self) -> tuple[str, str, str, str]:
        """What is said of which place: all that identifies it but the severity, which a profile may set."""
        return (self.rule, self.path, self.pointer, self.message)

    def _key(self) -> tuple[str, ...]:
        return (*self.said, self.severity)

    def to_dict(self) -> dict[str, Any]:
        """Return what the JSON report holds."""
        fixes, places = [fix.to_dict() for fix in self.fixes], self.places
        found: dict[str, Any] = {
            "rule": self.rule,
            "level": self.level,
            "severity": self.severity,
            "impact": self.impact,
            "path": self.path,
            "pointer": self.pointer,
            "message": self.message,
            "related": list(self.related),
            "readers": dict(self.readers),
            "fix": fixes[0] if fixes else None,
        }
        if fixes[1:]:
            found["alternatives"] = fixes[1:]
        if places:
            found["places"] = [place.to_dict() for place in places]
        return found
