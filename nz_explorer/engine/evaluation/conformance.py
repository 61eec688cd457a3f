"""What follows from all results together: which conventions are kept, and what was not evaluated."""

from __future__ import annotations

import copy
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from nz_explorer.engine.evaluation.budget import TIME_LIMIT
from nz_explorer.engine.evaluation.records import Records, in_tree_order
from nz_explorer.engine.findings import Fail, NotEvaluated, Violation
from nz_explorer.engine.impact import Impact, impact_of
from nz_explorer.text.phrases import plural

if TYPE_CHECKING:
    from nz_explorer.engine.catalogue import RuleInfo
    from nz_explorer.engine.convention import Convention
    from nz_explorer.engine.evaluation.convention_usage import ConventionUsage
    from nz_explorer.engine.evaluation.coverage import Coverage
    from nz_explorer.engine.registry import Registry
    from nz_explorer.model import Hierarchy


NOT_ASKED_FOR = "not asked for"
"""Why a convention was not evaluated that a node suggests to ask for."""

ONLY_COPIES = "only the consolidated metadata were read, not the documents that they are copies of"
"""Why it is not known whether a convention is kept where none of the rules was asked for that read the documents."""


def _decides(info: RuleInfo, convention: Convention) -> bool:
    """Whether breaking a rule is breaking a convention."""
    if info.family not in convention.deciding:
        return False
    if convention.decides == "error":
        return info.required
    if convention.decides == "info":
        own = info.family == convention.family
        return info.level in ("DEF", "derived") if own else info.required
    demanded = info.level.upper().startswith(("MUST", "SHALL", "REQUIRE"))
    return demanded and info.severity == convention.decides


@lru_cache(maxsize=64)
def _deciding(registry: Registry, key: str) -> tuple[str, ...]:
    """Return the rules that decide whether a convention is kept."""
    convention = registry.conventions[key]
    rules = registry.rules.values()
    return tuple(info.id for info in rules if info.works and _decides(info, convention))


@lru_cache(maxsize=16)
def _summed_up_by(registry: Registry) -> tuple[str, ...]:
    """Return the rules that are summed up by another."""
    families = () if registry.summarised is None else registry.summarised.summary_families
    rules = registry.rules.values()
    return tuple(
        info.id for info in rules if info.required and info.works and info.family in families
    )


class Conformance:
    """Whether a hierarchy keeps each convention.

    One rule of the registry's `summarised` convention sums up others: it is broken where one of them is.
    Not safe to use from several threads; `Evaluation` has a lock.

    Parameters
    ----------
    hierarchy : Hierarchy
        What is evaluated.
    registry : Registry
        The conventions that are known.
    conventions : tuple of str
        Keys of those that are evaluated.
    records : Records
        The results of the nodes.
    coverage : Coverage
        What is not evaluated.
    usage : ConventionUsage
        Which nodes use the conventions that are evaluated only where they are used.

    Attributes
    ----------
    declared : bool or None
        Whether the root declares the convention that sums up others; None before the root was evaluated.
    """

    def __init__(
        self,
        hierarchy: Hierarchy,
        registry: Registry,
        conventions: tuple[str, ...],
        records: Records,
        coverage: Coverage,
        usage: ConventionUsage,
    ) -> None:
        self._hierarchy = hierarchy
        self._registry = registry
        self._conventions = conventions
        self._records = records
        self._coverage = coverage
        self._usage = usage
        self._summarised = registry.summarised
        self._rule = "" if self._summarised is None else self._summarised.summary_rule or ""
        self.declared: bool | None = None
        self._summary: Violation | None = None
        self._summary_of = -1
        """The number of changes of the records that the summary was made after."""

    def fork(
        self,
        hierarchy: Hierarchy,
        records: Records,
        coverage: Coverage,
        usage: ConventionUsage,
    ) -> Conformance:
        """Return the same for copies of what it is made from.

        Parameters
        ----------
        hierarchy : Hierarchy
            The copy of the hierarchy.
        records : Records
            The copy of the results.
        coverage : Coverage
            The copy of what has been visited.
        usage : ConventionUsage
            The copy of which conventions are used where.
        """
        twin = copy.copy(self)
        vars(twin).update(_hierarchy=hierarchy, _records=records, _coverage=coverage, _usage=usage)
        return twin

    def note_root(self, attributes: dict[str, Any]) -> None:
        """Note whether the attributes of the root declare the convention that sums up others."""
        how = None if self._summarised is None else self._summarised.declared_how
        self.declared = how is not None and how(attributes)
        advisory = self._registry.advisory(self._hierarchy.zarr_format)
        self._records.take_as_advice(frozenset() if self.declared else advisory)

    def by_convention(self) -> dict[str, bool | None]:
        """Return by title whether the dataset keeps each convention; None where that is not known."""
        unused = self._usage.unused
        return {
            self._registry.conventions[key].name: self._conforms(key)
            for key in self._conventions
            if key not in unused and self._registry.conventions[key].has_verdict
        }

    def _conforms(self, key: str) -> bool | None:
        convention = self._registry.conventions[key]
        own = _deciding(self._registry, key)
        zarr_format = convention.zarr_format
        if zarr_format is not None and self._hierarchy.zarr_format not in (zarr_format, None):
            return convention.in_other_formats
        summed_up = convention is self._summarised
        broken = (*own, *convention.delegates)
        failed, told = self._records.failed, self._records.told
        if any(failed[one] or told[one] for one in broken) or (summed_up and self.summary()):
            return False
        known = self._coverage.complete and bool(own) and all(map(self._decided, own))
        if known and summed_up:
            known = not self._summary_unknown()
        if known and not self._reads_documents():
            known = False  # they may say something else than their copies
        if known and convention.root is not None:
            known = self._hierarchy.root.kind == convention.root
        return True if known else None

    def _reads_documents(self) -> bool:
        """Whether the stored documents are read, and not their copies in consolidated metadata alone."""
        return self._hierarchy.metadata_source == "documents" or any(
            rule_id not in self._coverage.skipped for rule_id in self._comparisons()
        )

    def _comparisons(self) -> frozenset[str]:
        """Return the rules that compare copies with documents, of those that are asked for."""
        known = self._registry.ids_on("entry", self._hierarchy.zarr_format)
        return known & self._coverage.wanted

    def _decided(self, rule_id: str) -> bool:
        """Whether a rule was evaluated wherever it applies, as far as the hierarchy was visited."""
        if not self._coverage.wanted.isdisjoint(self._registry.rules[rule_id].yields_to):
            return True  # another rule has reported the same
        return (
            rule_id in self._coverage.wanted
            and rule_id not in self._coverage.skipped
            and not self._records.undecided[rule_id]
        )

    # --- the rule that sums up others -------------------------------------------------------

    def summary(self) -> Violation | None:
        """Return the sum of all errors of plain Zarr, None where there are none."""
        if self._summary_of != self._records.changes:
            self._summary_of = self._records.changes
            self._summary = self._summed_up()
        return self._summary

    def summed_errors(self) -> int:
        """Return how many errors of plain Zarr there are."""
        if self._rule not in self._coverage.wanted or self._hierarchy.zarr_format == 2:
            return 0
        failed = self._records.failed
        return sum(failed[rule_id] for rule_id in _summed_up_by(self._registry))

    def _summed_up(self) -> Violation | None:
        count = self.summed_errors()
        if not count:
            return None
        summed_up = set(_summed_up_by(self._registry))
        first = next(
            (
                (place, violation)
                for place in in_tree_order(self._records.places)
                for _, violations in self._records.parts_at(place)
                for violation in violations
                if violation.rule.id in summed_up
                and (violation.fail.severity or "error") == "error"
            ),
            None,
        )
        rule = self._registry.rules[self._rule]
        message = f"not a valid Zarr v3 hierarchy: {plural(count, 'error')}"
        if first is None:  # the configuration hides them all
            return Violation(rule, Fail("", message), "error")
        place, violation = first
        message += f", first {violation.rule.id} at {place}"
        return Violation(rule, Fail("", message, related=(place,)), "error")

    def _summary_unknown(self) -> str | None:
        """Return the reason for which it is not known whether the hierarchy is valid Zarr."""
        if self._hierarchy.zarr_format == 2:
            return None
        for rule_id in _summed_up_by(self._registry):
            if not self._decided(rule_id):
                return f"dependency: {rule_id}"
        return self._coverage.unfinished

    def tags(self, violation: Violation, owner: str) -> tuple[str, ...]:
        """Return what is to be known of a finding beside its rule.

        Parameters
        ----------
        violation : Violation
            What was found.
        owner : str
            Path of the node that was evaluated.

        Returns
        -------
        tuple of str
            ``undeclared`` where the dataset does not declare the convention, ``v2-analogue`` where the rule
            of a convention for Zarr v3 is asked of a node of Zarr v2.
        """
        tags: list[str] = []
        convention = self._summarised
        if convention is not None and violation.rule.family == convention.family:
            record = self._records.nodes.get(owner)
            softened = not violation.rule.id.startswith(convention.declaration_rules)
            if not self.declared and softened:
                tags.append("undeclared")
            if record is not None and record.zarr_format == 2:
                tags.append("v2-analogue")
        return tuple(tags)

    def impact(self, violation: Violation) -> Impact:
        """Return what a violation means in this dataset.

        Parameters
        ----------
        violation : Violation
            What was found.
        """
        convention = self._summarised
        of_convention = convention is not None and violation.rule.family == convention.family
        undeclared = of_convention and not self.declared
        found = impact_of(violation, undeclared=undeclared)
        required = violation.rule.required and violation.fail.severity != "info"
        return "distance" if undeclared and required and found == "advice" else found

    # --- what was evaluated -----------------------------------------------------------------

    def not_evaluated(self) -> list[NotEvaluated]:
        """Return the rules that were not decided for a reason that concerns the whole store."""
        skipped = sorted(self._coverage.skipped.items())
        found = [NotEvaluated(rule_id, "/", reason) for rule_id, reason in skipped]
        if self._coverage.out_of_time:
            rest = sorted(self._coverage.wanted - self._coverage.skipped.keys() - {self._rule})
            found += [NotEvaluated(rule_id, "/", TIME_LIMIT) for rule_id in rest]
        rules = self._registry.rules.values()
        found += [
            NotEvaluated(family, "/", "no rules yet")
            for family in (self._registry.conventions[key].family for key in self._conventions)
            if not any(info.works for info in rules if info.family == family)
        ]
        found += [
            # of the whole dataset: which of its nodes came first says nothing
            NotEvaluated(self._registry.conventions[key].family, "/", NOT_ASKED_FOR)
            for key in self._usage.suggested
            if key not in self._conventions
        ]
        if not (self._reads_documents() or self._comparisons()):
            found += [
                NotEvaluated(self._registry.conventions[key].family, "/", ONLY_COPIES)
                for key in self._conventions
                if self._registry.conventions[key].has_verdict
                and key not in self._usage.unused
                and self._conforms(key) is None
            ]
        if (
            self._rule in self._coverage.wanted
            and self.summary() is None
            and (reason := self._summary_unknown())
        ):
            found.append(NotEvaluated(self._rule, "/", reason))
        return found

    def tallies(self) -> dict[str, Counter[str]]:
        """Return for each rule how often each verdict was given."""
        given = [v for record in self._records.nodes.values() for v in record.parts.values()]
        shared = Counter(map(id, given))
        known = {id(results): results for results in given}
        tallies: dict[str, Counter[str]] = {
            rule_id: Counter() for rule_id in sorted(self._coverage.wanted)
        }
        for key, times in shared.items():
            results = known[key]
            failed = {*results.told, *(violation.rule.id for violation in results.violations)}
            undecided = {rule_id for rule_id, _ in results.undecided}
            for rule_id in {*results.rules, *failed, *undecided}:
                verdict = (
                    "fail"
                    if rule_id in failed
                    else "not_evaluated"
                    if rule_id in undecided
                    else "not_applicable"
                    if rule_id in results.absent
                    else "pass"
                )
                tallies[rule_id][verdict] += times
        for rule_id in self._coverage.skipped:
            tallies[rule_id]["not_evaluated"] += 1
        if self._rule in self._coverage.wanted:
            verdict = (
                "fail" if self.summary() else "not_evaluated" if self._summary_unknown() else "pass"
            )
            tallies[self._rule][verdict] += 1
        return tallies
