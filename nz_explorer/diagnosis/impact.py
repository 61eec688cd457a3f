"""What readers will make of a store, predicted from findings; nothing is run.

How a rule states what it means
-------------------------------
In its entry of ``catalogue.toml``, for all that break it::

    impact = "blocks"                # or values; convention, distance and advice follow from the level
    affects = ["xarray"]             # the readers that the impact is about, of READERS
    [ID.readers]                     # what each does, as a predicate in the third person
    xarray = "raises ValueError: conflicting sizes for dimension 'x', and cannot open the group"
    zarr-python = "does not mind"    # behaves as if all were well: shown on the page of the rule only

``blocks``
    A reader in ``affects`` cannot open or read the node or something in it.
``values``
    It opens it and gives wrong, silently missing or undecoded values.

``impact`` ``blocks`` or ``values`` needs ``affects``, and ``readers`` for each of these. Where it depends on
the case, the rule states it in the `Fail` that it yields:

``Fail(..., impact="values")``
    instead of the catalogue's impact;
``Fail(..., readers={"xarray": "raises TypeError: …"})``
    what readers do in this case. It takes the place of both ``affects`` and ``readers``: those that it
    names are those that mind;
``Fail(..., impact="advice", readers={"xarray": …})``
    what readers do is said of them, but nothing is wrong: the levels of a pyramid are what their format
    prescribes, and xarray opens one at a time;
``Fail(..., impact="distance")``
    the same of what a convention wants that these data are not made for; it is ``convention`` where they declare it;
``Fail(..., readers={})``
    no reader is affected: its impact follows from the level of the rule.

What the texts allow, and one reader alone stops at or misunderstands, is ``advice`` with ``readers``: nothing is wrong with
the data, and most are never read with it. In a dataset that is made for this reader, as those with metadata of NCZarr are for
netCDF-C, it is ``blocks`` or ``values`` (`impact_of_netcdf`). What the texts forbid, and what other readers mind as well, is
``blocks`` or ``values`` everywhere.

``tests/diagnosis/test_predictions.py`` runs the readers on the corpus and compares.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from nz_explorer.conventions.nz import NZ
from nz_explorer.engine.findings import SEVERITIES, Finding, Severity
from nz_explorer.engine.impact import (
    HARMS,
    IMPACTS,
    Impact,
    affected,
    impact_of,
    impact_of_rule,
)

__all__ = [
    "HARMS",
    "IMPACTS",
    "QUIET",
    "READERS",
    "Forecast",
    "Harm",
    "affected",
    "by_impact",
    "forecasts",
    "harms",
    "impact_of",
    "impact_of_rule",
    "in_sections",
    "is_step",
    "order_of",
    "refusals",
    "steps",
]

READERS = ("xarray", "zarr-python", "netCDF-C")
"""The readers that are predicted."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """The predicted result of a reader for a store, as far as findings go.

    Attributes
    ----------
    reader : str
        One of `READERS`.
    opens : bool, optional
        Whether it opens and reads everything; None where that is not known.
    blocked_by : tuple of str
        Rules that keep it from opening or reading something.
    misled_by : tuple of str
        Rules that make it give wrong, missing or undecoded values.
    reason : str
        Why that is not known, or what is to be known where it opens it.
    """

    reader: str
    opens: bool | None
    blocked_by: tuple[str, ...] = ()
    misled_by: tuple[str, ...] = ()
    reason: str = ""

    @property
    def is_affected(self) -> bool:
        """Whether it cannot open or read something, or gives wrong values."""
        return bool(self.blocked_by or self.misled_by)

    def to_dict(self) -> dict[str, object]:
        """Return what the JSON report holds."""
        found: dict[str, object] = {"opens": self.opens, "why": list(self.blocked_by)}
        if self.misled_by:
            found["values"] = list(self.misled_by)
        if self.reason:
            found["reason"] = self.reason
        return found


Harm = tuple[str, str, str]
"""A rule, ``blocks`` or ``values``, and the reader that it is about."""


def harms(finding: Finding) -> Iterator[Harm]:
    """Yield what a finding does to readers.

    Parameters
    ----------
    finding : Finding
        The finding.
    """
    violation = finding.violation
    how = finding.impact if finding.impact in HARMS else finding.info.impact
    if how in HARMS and (how == finding.impact or violation.fail.impact is not None):
        for reader in affected(violation):
            yield finding.rule, "blocks" if reader in violation.fail.stops else how, reader
    else:  # of what most readers do not mind, those that stop there
        yield from ((finding.rule, "blocks", reader) for reader in violation.fail.stops)


def forecasts(
    found: Iterable[Harm],
    *,
    complete: bool,
    untold: Collection[str] = (),
    unwritten: bool = False,
    unknown: Mapping[str, str] | None = None,
    known: Mapping[str, str] | None = None,
) -> Iterator[Forecast]:
    """Yield what each reader will make of a store.

    Parameters
    ----------
    found : iterable of tuple
        What the findings do to readers; see `harms`.
    complete : bool
        Whether every node was checked: until then, the absence of findings means nothing.
    untold : collection of str
        Readers of which the rules that are needed for this were not all asked for.
    unwritten : bool
        Whether there is no store yet that a reader could open; see `Reader`.
    unknown : dict of str to str, optional
        Why that is not known of a reader; see `hints.doubts`.
    known : dict of str to str, optional
        What is to be known of how a reader opens it; see `hints.hints`.
    """
    found = dict.fromkeys(found)
    for reader in READERS:
        blocked = tuple(rule for rule, how, who in found if (how, who) == ("blocks", reader))
        misled = tuple(rule for rule, how, who in found if (how, who) == ("values", reader))
        reason = ""
        if unwritten:
            yield Forecast(reader, None, reason="nothing is written: this is how NZ would store it")
            continue
        if unknown is not None and reader in unknown:
            reason = unknown[reader]
        elif not complete:
            reason = "not everything has been checked yet"
        elif reader in untold:
            reason = "the rules that tell this were not all asked for"
        opens = False if blocked else None if reason else True
        if opens and known is not None:
            reason = known.get(reader, "")
        yield Forecast(reader, opens, blocked, misled, "" if blocked else reason)


def by_impact(findings: Iterable[Finding]) -> dict[Impact, list[Finding]]:
    """Return findings by their impact, the gravest first.

    Parameters
    ----------
    findings : iterable of Finding
        Some findings; among those of one impact come last those that hurt netCDF-C alone, before them errors come
        first, and else they stay in order.
    """
    found: dict[Impact, list[Finding]] = {impact: [] for impact in IMPACTS}
    for finding in sorted(findings, key=_rank):
        found[finding.impact].append(finding)
    return found


def _rank(finding: Finding) -> tuple[bool, int]:
    """Return what findings of one impact are sorted by: most people who read Zarr do so in Python."""
    alone = finding.impact in HARMS and set(affected(finding.violation)) == {"netCDF-C"}
    return alone, SEVERITIES.index(finding.severity)


def in_sections(
    findings: Iterable[Finding],
) -> Iterator[tuple[Impact, bool, list[Finding]]]:
    """Yield findings as reports list them: by impact, but advice on what may be why a reader fails before the steps to a convention.

    Parameters
    ----------
    findings : iterable of Finding
        Some findings.

    Yields
    ------
    str, bool and list of Finding
        The impact, whether these are those for which a reader may fail, and the findings, which are some.
    """
    found = by_impact(findings)
    advice: tuple[list[Finding], list[Finding]] = ([], [])
    for finding in found["advice"]:
        advice[_may_be_why(finding)].append(finding)
    found["advice"], refused = advice
    for impact, those in found.items():
        if impact == "distance" and refused:
            yield "advice", True, refused
        if those:
            yield impact, False, those


def refusals(finding: Finding) -> dict[str, str]:
    """Return by reader how it gives up on what is worth knowing; what NZ and netCDF advise is left aside.

    Parameters
    ----------
    finding : Finding
        The finding.
    """
    if finding.impact != "advice" or finding.rule.startswith(_FOREIGN):
        return {}
    return {name: does for name, does in finding.readers.items() if _REFUSES.search(does)}


def _may_be_why(finding: Finding) -> bool:
    """Whether a reader may fail for a finding that is worth knowing: documents that are lost or broken are why much else is wrong."""
    return finding.rule.startswith(_DOCUMENTS) or bool(refusals(finding))


_DOCUMENTS = ("JSON-", "TREE-")
_FOREIGN = ("NZ-", "Z2-OGC-")
_REFUSES = re.compile(r"\b(raises|refuses|throws|stops|cannot)\b")
"""How the catalogue says of a reader that it gives up."""
QUIET: tuple[Impact, ...] = ("distance", "advice")
"""Impacts that are about no harm and no promise."""


def order_of(rule: str, severity: Severity, impact: Impact) -> tuple[bool, int, bool, str]:
    """Return what kinds of findings of one impact are sorted by where rules come one after the other.

    Parameters
    ----------
    rule : str
        Id of a rule.
    severity, impact : str
        Of the findings.
    """
    # documents that are lost or broken are why much else is wrong
    follows = not rule.startswith(_DOCUMENTS)
    # what the formats of the store itself say is worth more than how NZ and netCDF would have it
    foreign = impact in QUIET and rule.startswith(_FOREIGN)
    return follows, SEVERITIES.index(severity), foreign, rule


def is_step(finding: Finding, *, zarr_format: int | None) -> bool:
    """Whether a finding is in the way of NZ-1.0.

    Parameters
    ----------
    finding : Finding
        The finding.
    zarr_format : int, optional
        The format of the store. To v2 the rules apply by analogy, and those of plain Zarr not at all.
    """
    info = finding.info
    if not info.required or info.id == NZ.summary_rule:  # which only counts the others
        return False
    if zarr_format == 2:
        return info.family == NZ.family and finding.violation.fail.severity != "info"
    return finding.severity == "error" and info.family in (NZ.family, *NZ.summary_families)


def steps(findings: Iterable[Finding], *, zarr_format: int | None) -> dict[str, list[Finding]]:
    """Return what separates a dataset from NZ-1.0: findings by rule, which is a step.

    Parameters
    ----------
    findings : iterable of Finding
        The findings of the dataset.
    zarr_format : int, optional
        The format of the store.
    """
    found: dict[str, list[Finding]] = {}
    for finding in findings:
        if is_step(finding, zarr_format=zarr_format):
            found.setdefault(finding.rule, []).append(finding)
    return found
