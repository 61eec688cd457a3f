"""The rules as data: statement, rationale and source of each.

Everything that explains a rule – ``nz-explorer explain``, reports, the widget, the documentation – is
made from these entries, which are beside the rules of each convention, in ``catalogue.toml``. What a
rule *does* is in the modules there, by the same id.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from nz_explorer.engine.findings import Severity
from nz_explorer.engine.impact import Impact

Cost = Literal["S", "J", "M", "G", "T", "L", "K", "V", "N"]
COSTS: tuple[Cost, ...] = ("S", "J", "M", "G", "T", "L", "K", "V", "N")
"""What must be read to decide a rule, the cheapest first.

S the store's address; J one document's text; M one node's metadata; G its siblings'; T the whole
tree's; L listings; K which chunks exist; V values; N the network outside the store.
"""

Status = Literal["working", "off", "delegated", "output", "planned"]
"""``off``: works when selected; ``delegated``: another rule reports it; ``output``: shown, never a finding."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a rule comes from: a document and its heading, or whose ``practice`` it is; and under which heading Zarr v2 says so, too."""

    doc: str
    section: str
    version: str | None = None
    section_v2: str | None = None

    def __str__(self) -> str:
        if self.doc == "practice":
            return f"practice of {self.section}"
        name = self.doc if self.version is None else f"{self.doc} {self.version}"
        also = "" if self.section_v2 is None else f"; Zarr v2, {self.section_v2}"
        return f"{name}, {self.section}{also}"


@dataclass(frozen=True, slots=True)
class RuleInfo:
    """All that is known about a rule.

    Attributes
    ----------
    level : str
        The word of the source: ``MUST``, ``SHOULD``, ``MAY``, ``DEF`` for a definition, ``INFO``, ``derived``.
        A star marks words outside the parts that NZ-1.0 labels as its additions.
    severity : str
        What a failure is reported as, unless the case is milder.
    scope : str
        What the rule is about: document, node, group, array, attribute, root, store.
    cost : str
        What must be read; see `COSTS`.
    fix : str
        The best kind of fix that it may offer.
    status : str
        Whether it works.
    reason : str
        Why it does not, or which rule reports it.
    yields_to : tuple of str
        Rules that report the same fact: where one of them is evaluated, this one is not.
    needs_listing : bool
        Whether it cannot be decided where a store has no listings.
    readers : dict of str to str
        What programs do with data that break the rule.
    impact : str, optional
        What breaking it means, where that does not follow from the level; see `nz_explorer.diagnosis.impact`.
    affects : tuple of str
        The readers that the impact is about.
    noticed : tuple of str
        What people notice where it is broken, in their words.
    """

    id: str
    slug: str
    title: str
    family: str
    source: Source
    statement: str
    level: str
    severity: Severity
    scope: str
    cost: Cost
    fix: str
    status: Status
    reason: str
    yields_to: tuple[str, ...]
    needs_listing: bool
    rationale: str
    bad_example: str
    good_example: str
    readers: dict[str, str]
    see_also: tuple[str, ...]
    impact: Impact | None = None
    affects: tuple[str, ...] = ()
    noticed: tuple[str, ...] = ()

    @property
    def required(self) -> bool:
        """Whether breaking it is breaking the convention."""
        return self.severity == "error" and self.level.startswith(("MUST", "SHALL", "DEF"))

    @property
    def example_titles(self) -> tuple[str, str]:
        """What its bad and its good example are called: what a text leaves open, and what is only noted, breaks nothing."""
        asked = self.level.upper().startswith(("MUST", "SHALL", "SHOULD", "RECOMMENDED"))
        notes = self.level in ("INFO", "MAY") or (self.severity == "info" and not asked)
        return ("Is reported", "Is not reported") if notes else ("Breaks it", "Keeps it")

    @property
    def works(self) -> bool:
        """Whether there is code for it."""
        return self.status in ("working", "off")


def _severity(level: str) -> Severity:
    word = level.rstrip("*").split(" ", 1)[0]
    if word in ("MUST", "SHALL", "REQUIRED"):
        return "error"
    return "warning" if word in ("SHOULD", "RECOMMENDED", "derived") else "info"


def _entry(rule_id: str, given: dict[str, Any]) -> RuleInfo:
    source = given.get("source", {})
    return RuleInfo(
        id=rule_id,
        slug=given["slug"],
        title=given["title"],
        family=rule_id.split("-", 1)[0],
        source=Source(
            source["doc"], source["section"], source.get("version"), source.get("section_v2")
        ),
        statement=given.get("statement", ""),
        level=given["level"],
        severity=given.get("severity", _severity(given["level"])),
        scope=given["scope"],
        cost=given["cost"],
        fix=given.get("fix", "none"),
        status=given.get("status", "working"),
        reason=given.get("reason", ""),
        yields_to=tuple(given.get("yields_to", ())),
        needs_listing=given.get("needs_listing", False),
        rationale=given.get("rationale", ""),
        bad_example=given.get("bad_example", ""),
        good_example=given.get("good_example", ""),
        readers=given.get("readers", {}),
        see_also=tuple(given.get("see_also", ())),
        impact=given.get("impact"),
        affects=tuple(given.get("affects", ())),
        noticed=tuple(given.get("noticed", ())),
    )


def read(file: Path) -> dict[str, RuleInfo]:
    """Return the rules that a TOML file describes, by id, in its order."""
    entries = tomllib.loads(file.read_text("utf-8"))
    return {rule_id: _entry(rule_id, given) for rule_id, given in entries.items()}


def has_prefix(rule_id: str, prefix: str) -> bool:
    """Whether an id is a prefix or starts with it at a boundary: ``NZ`` is no prefix of ``NZX-1``.

    Parameters
    ----------
    rule_id : str
        Id of a rule, such as ``NZ-DIM-010``.
    prefix : str
        Such as ``NZ`` or ``NZ-DIM``.
    """
    wanted = prefix.upper().rstrip("-")
    return rule_id == wanted or rule_id.startswith(wanted + "-")
