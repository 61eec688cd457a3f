"""The rules as data: what each one says, why, and where it comes from.

Everything that explains a rule – ``nz-explorer explain``, reports, the widget, the documentation – is
made from these entries. What a rule *does* is in the modules beside this package, by the same id.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal, cast

from nz_explorer.rules.findings import Severity

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
    """Where a rule comes from."""

    doc: str
    section: str
    version: str | None = None

    def __str__(self) -> str:
        name = self.doc if self.version is None else f"{self.doc} {self.version}"
        return f"{name}, {self.section}"


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
    readers : dict of str to str
        What programs do with data that break the rule.
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
    rationale: str
    bad_example: str
    good_example: str
    readers: dict[str, str]
    see_also: tuple[str, ...]

    @property
    def required(self) -> bool:
        """Whether breaking it is breaking the convention."""
        return self.severity == "error" and self.level.startswith(("MUST", "DEF"))

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
        source=Source(source["doc"], source["section"], source.get("version")),
        statement=given.get("statement", ""),
        level=given["level"],
        severity=given.get("severity", _severity(given["level"])),
        scope=given["scope"],
        cost=given["cost"],
        fix=given.get("fix", "none"),
        status=given.get("status", "working"),
        reason=given.get("reason", ""),
        yields_to=tuple(given.get("yields_to", ())),
        rationale=given.get("rationale", ""),
        bad_example=given.get("bad_example", ""),
        good_example=given.get("good_example", ""),
        readers=given.get("readers", {}),
        see_also=tuple(given.get("see_also", ())),
    )


@cache
def rules() -> dict[str, RuleInfo]:
    """Return all rules by id, in the order of the catalogue."""
    found: dict[str, RuleInfo] = {}
    for name in ("json", "tree", "z3", "z2", "zcf", "nz", "cs", "gz", "ncz", "planned"):
        text = resources.files(__name__).joinpath(f"{name}.toml").read_text("utf-8")
        for rule_id, given in tomllib.loads(text).items():
            found[rule_id] = _entry(rule_id, cast("dict[str, Any]", given))
    return found


def find(text: str) -> list[RuleInfo]:
    """Return the rules that an id, a prefix of ids or a slug names.

    Parameters
    ----------
    text : str
        Such as ``NZ-DIM-010``, ``nz-dim`` or ``nz/dim-shared-length``.
    """
    wanted = text.strip()
    by_slug = [rule for rule in rules().values() if rule.slug == wanted.lower()]
    return by_slug or [rule for rule in rules().values() if has_prefix(rule.id, wanted)]


def has_prefix(rule_id: str, prefix: str) -> bool:
    """Whether an id is a prefix or starts with it at a boundary: ``NZ`` is no prefix of ``NZX-1``."""
    wanted = prefix.upper().rstrip("-")
    return rule_id == wanted or rule_id.startswith(wanted + "-")


def select(select: Iterable[str], ignore: Iterable[str]) -> dict[str, bool]:
    """Tell for each rule whether it is wanted: the longest prefix decides, as in ruff.

    Parameters
    ----------
    select, ignore : iterable of str
        Ids or prefixes of ids. Without `select` every rule that is not off by default is wanted.

    Raises
    ------
    ValueError
        If a prefix names no rule.
    """
    chosen = [(prefix.strip(), True) for prefix in select]
    chosen += [(prefix.strip(), False) for prefix in ignore]
    for prefix, _ in chosen:
        if not any(has_prefix(rule_id, prefix) for rule_id in rules()):
            raise ValueError(f"no rule is called {prefix!r} or starts with it")
    any_selected = any(wanted for _, wanted in chosen)
    result = {}
    for rule_id, info in rules().items():
        fitting = [(len(p), wanted) for p, wanted in chosen if has_prefix(rule_id, p)]
        # Of equally long prefixes the one to ignore wins, because False sorts first.
        longest = max(fitting, key=lambda item: (item[0], not item[1]), default=None)
        if longest is None:
            result[rule_id] = info.status != "off" and not any_selected
        else:
            # A rule that is off by default has to be named by more than its family.
            result[rule_id] = longest[1] and (info.status != "off" or longest[0] > len(info.family))
    return result
