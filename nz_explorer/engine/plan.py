"""Which rules apply to a node, worked out once for each kind of node, and how they are run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import chain, groupby
from typing import TYPE_CHECKING, Any

from nz_explorer.engine.findings import SEVERITIES, Fail, Severity, Undecided, Violation
from nz_explorer.engine.memo_keys import Memo
from nz_explorer.store import Cancelled
from nz_explorer.store.cancellation import check_cancelled
from nz_explorer.text.phrases import plural

if TYPE_CHECKING:
    from nz_explorer.documents import Document
    from nz_explorer.engine.catalogue import RuleInfo
    from nz_explorer.engine.registry import On, Registry, RuleFunction
    from nz_explorer.model import Node


@dataclass(frozen=True, slots=True)
class RuleResults:
    """Results of some rules for one subject. What is in neither list has passed.

    Attributes
    ----------
    rules : tuple of str
        The rules that were asked.
    violations : tuple of Violation
        Failures.
    undecided : tuple of (str, str)
        Rules that could not be decided, and why.
    absent : tuple of str
        Rules that do not apply.
    told : tuple of str
        Rules that are broken as well: other failures say so, and theirs are left out.
    counts : tuple of int
        How many failures of each severity there are.
    local : bool
        Whether all failures sit on the thing itself.
    clean : bool
        Whether all rules that apply have passed.
    """

    rules: tuple[str, ...] = ()
    violations: tuple[Violation, ...] = ()
    undecided: tuple[tuple[str, str], ...] = ()
    absent: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    counts: tuple[int, int, int] = field(init=False, compare=False)
    local: bool = field(init=False, compare=False)
    clean: bool = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "counts", count(self.violations))
        object.__setattr__(
            self, "local", all(violation.fail.path is None for violation in self.violations)
        )
        clean = not self.violations and not self.undecided and not self.told
        object.__setattr__(self, "clean", clean)


def count(violations: Iterable[Violation]) -> tuple[int, int, int]:
    """Return how many errors, warnings and notes there are."""
    found = [violation.severity for violation in violations]
    error, warning, info = map(found.count, SEVERITIES)
    return error, warning, info


def breaks(violation: Violation) -> bool:
    """Whether a failure breaks its rule; at a milder severity it is a note on what the rule allows."""
    if violation.fail.beside:
        return False
    return SEVERITIES.index(violation.severity) <= SEVERITIES.index(violation.rule.severity)


def broken_by(violations: Iterable[Violation]) -> tuple[str, ...]:
    """Return the rules that failures break, each once."""
    return tuple(sorted({one.rule.id for one in violations if breaks(one)}))


NOTHING = RuleResults()

MAX_FAILURES = 1000
"""Failures of one rule, of one severity and on one node, that are listed one by one."""


def _unlisted(violation: Violation, number: int) -> Violation:
    """Return one violation for all those like another one that are not listed."""
    fail, are = violation.fail, "is" if number == 1 else "are"
    message = f"{plural(number, 'more finding')} of this rule on this node {are} not listed"
    left_out = Fail("", message, severity=fail.severity, path=fail.path, rule=fail.rule)
    return Violation(violation.rule, left_out, violation.severity)


@dataclass(frozen=True, slots=True)
class _Step:
    """Functions that apply under the same condition."""

    on: On
    when: Callable[..., bool] | None
    functions: tuple[RuleFunction, ...]
    absent: tuple[str, ...]
    """The rules reported as not applicable where the condition does not hold."""


class _Run:
    """The results of a run, while it is under way."""

    __slots__ = (
        "absent",
        "broken",
        "cap",
        "numbers",
        "rules",
        "undecided",
        "unlisted",
        "violations",
        "wanted",
    )

    def __init__(
        self, rules: Mapping[str, RuleInfo], wanted: frozenset[str], cap: frozenset[str]
    ) -> None:
        self.rules = rules
        self.wanted = wanted
        self.cap = cap
        self.violations: list[Violation] = []
        self.numbers: dict[tuple[str, str | None, Severity], int] = {}
        """How many failures there are, by rule, node and severity."""
        self.unlisted: dict[tuple[str, str | None, Severity], Violation] = {}
        """For each of these, the first failure that is one too many."""
        self.undecided: list[tuple[str, str]] = []
        self.absent: list[_Step] = []
        """Steps whose condition does not hold."""
        self.broken: dict[str, str] = {}
        """Facts that are unsound, and the rule that has found so."""

    def step(self, step: _Step, args: tuple[Any, ...]) -> None:
        """Run functions that share a condition."""
        if not self._applies(step, args):
            self.absent.append(step)
            return
        for function in step.functions:
            check_cancelled()  # each may take a while where a group has very many nodes
            if self.broken and function.needs:
                cause = next(
                    (self.broken[need] for need in function.needs if need in self.broken), None
                )
                if cause is not None:
                    self.block(function, cause)
                    continue
            self._call(function, args)

    def _applies(self, step: _Step, args: tuple[Any, ...]) -> bool:
        try:
            return step.when is None or step.when(*args)
        except Cancelled:
            raise
        except Exception as error:  # noqa: BLE001  # reported below; one rule must not take down the others
            for function in step.functions:
                self._crashed(function, error)
            return False

    def _call(self, function: RuleFunction, args: tuple[Any, ...]) -> None:
        try:
            for result in function.check(*args):
                rule_id = result.rule or function.id
                if isinstance(result, Undecided):
                    self._undecide(rule_id, result.reason)
                    because, _, cause = result.reason.partition(": ")
                    if function.provides is not None and because == "dependency":
                        self.broken.setdefault(function.provides, cause)
                    continue
                if rule_id in self.wanted:
                    info = self.rules[rule_id]
                    severity = self._capped(info, result.severity or info.severity)
                    self._add(Violation(info, result, severity))
                # A note on what the rule allows leaves the fact sound.
                if function.provides is not None and result.severity in (None, "error"):
                    self.broken.setdefault(function.provides, function.id)
        except Cancelled:
            raise
        except Exception as error:  # noqa: BLE001  # named in the report; one rule must not take down the others
            self._crashed(function, error)

    def _add(self, violation: Violation) -> None:
        """Take a failure in, unless there are too many like it."""
        place = (violation.rule.id, violation.fail.path, violation.severity)
        number = self.numbers[place] = self.numbers.get(place, 0) + 1
        if number <= MAX_FAILURES:
            self.violations.append(violation)
        else:
            self.unlisted.setdefault(place, violation)

    def listed(self) -> tuple[Violation, ...]:
        """Return the failures, and how many are left out of them."""
        if not self.unlisted:
            return tuple(self.violations)
        left_out = (
            _unlisted(violation, self.numbers[place] - MAX_FAILURES)
            for place, violation in self.unlisted.items()
        )
        return (*self.violations, *left_out)

    def uncover(self) -> list[Violation]:
        """Leave out what other failures say as well, and return it."""
        covered = {rule_id for one in self.violations for rule_id in one.fail.covers}
        left_out = [one for one in self.violations if one.rule.id in covered]
        self.violations = [one for one in self.violations if one.rule.id not in covered]
        return left_out

    def _crashed(self, function: RuleFunction, error: Exception) -> None:
        for rule_id in function.ids:
            self._undecide(rule_id, f"internal error: {type(error).__name__}: {error}")

    def _capped(self, info: RuleInfo, severity: Severity) -> Severity:
        """Soften what a convention asks of another version of Zarr than its own to good advice."""
        return "warning" if severity == "error" and info.family in self.cap else severity

    def block(self, function: RuleFunction, cause: str) -> None:
        """Leave a rule undecided because another one has failed, and so what needs it."""
        for rule_id in function.ids:
            self._undecide(rule_id, f"dependency: {cause}")
        if function.provides is not None:
            self.broken.setdefault(function.provides, cause)

    def _undecide(self, rule_id: str, reason: str) -> None:
        if rule_id in self.wanted and all(known != rule_id for known, _ in self.undecided):
            self.undecided.append((rule_id, reason))


def joined(*parts: RuleResults, rules: tuple[str, ...] | None = None) -> RuleResults:
    """Return the results of several plans on one thing as one, or of one plan that has its rules given."""
    asked, *found = (
        tuple(chain.from_iterable(getattr(part, name) for part in parts))
        for name in ("rules", "violations", "undecided", "absent", "told")
    )
    return RuleResults(asked if rules is None else rules, *found)


@dataclass(frozen=True, slots=True)
class _Steps:
    """What a plan runs: for the documents of a node, for nodes and for the root, and the rules that are decided so."""

    rules: tuple[str, ...]
    documents: tuple[_Step, ...]
    nodes: tuple[_Step, ...]
    root: tuple[_Step, ...]


@lru_cache(maxsize=256)  # the same for every store that is checked with the same options
def _steps_for(
    registry: Registry, on: tuple[On, ...], zarr_format: int | None, wanted: frozenset[str]
) -> _Steps:
    """Return what is run for kinds of nodes; see `Plan`."""
    chosen = [
        function
        for function in registry.functions
        if function.on in on
        and (zarr_format is None or zarr_format in function.formats)
        and (not wanted.isdisjoint(function.ids) or function.provides is not None)
    ]
    reported = [rule_id for function in chosen for rule_id in function.ids]
    return _Steps(
        tuple(dict.fromkeys(rule_id for rule_id in reported if rule_id in wanted)),
        _grouped((f for f in chosen if f.on == "document"), wanted),
        _grouped((f for f in chosen if f.on not in ("document", "root")), wanted),
        _grouped((f for f in chosen if f.on == "root"), wanted),
    )


def _grouped(chosen: Iterable[RuleFunction], wanted: frozenset[str]) -> tuple[_Step, ...]:
    """Return steps, of which each asks once whether its functions apply."""
    steps = []
    for (on, when), group in groupby(chosen, key=lambda f: (f.on, f.when)):
        functions = tuple(group)
        reported = [rule_id for function in functions for rule_id in function.ids]
        # For a document without problems the result is always "pass".
        absent = () if on == "document" else tuple(r for r in reported if r in wanted)
        steps.append(_Step(on, when, functions, absent))
    return tuple(steps)


class Plan:
    """The rules of one kind of node, in the order in which they depend on each other.

    Parameters
    ----------
    registry
        The rules.
    on
        What the rules are about.
    zarr_format
        Version of the node's documents, None where it has none.
    wanted
        Rules whose results are asked for. Those that others depend on run as well, unheard.
    """

    def __init__(
        self,
        registry: Registry,
        on: Iterable[On],
        zarr_format: int | None,
        wanted: frozenset[str],
    ) -> None:
        self._infos = registry.rules
        self._cap = registry.advisory(zarr_format)
        self.wanted = wanted
        steps = _steps_for(registry, tuple(on), zarr_format, wanted)
        self.rules = steps.rules
        self._documents, self._nodes, self._root = steps.documents, steps.nodes, steps.root
        self.passed = RuleResults(self.rules)
        """The results of a subject that breaks none of them."""
        self._undecided: dict[str, RuleResults] = {}
        self._clean: dict[tuple[int, ...], RuleResults] = {}
        self._memo = Memo()

    def undecided(self, reason: str) -> RuleResults:
        """Return that none of them could be decided, for one reason."""
        known = self._undecided.get(reason)
        if known is None:
            undecided = tuple((rule_id, reason) for rule_id in self.rules)
            known = self._undecided[reason] = RuleResults(self.rules, undecided=undecided)
        return known

    def run(self, *args: Any) -> RuleResults:
        """Return the results for a subject that is not a node's document."""
        run = _Run(self._infos, self.wanted, self._cap)
        for step in self._nodes:
            run.step(step, args)
        return self._verdicts(run)

    def run_node(self, node: Node) -> RuleResults:
        """Return the results for a node's documents."""
        # one document, with nothing wrong with it
        if node.structure_key is not None and node.path != "/":
            known: RuleResults | None = self._memo.known(node)
            return self._memo.result(node, self._judge_all) if known is None else known
        run = _Run(self._infos, self.wanted, self._cap)
        self._judge_documents(node, run)
        if (cause := _block(node)) is not None:
            for step in (*self._nodes, *self._root):
                for function in step.functions:
                    run.block(function, cause)
            return self._verdicts(run)
        if (attributes := _unusable_attributes(node)) is not None:
            # In v2 alone; there the names of dimensions are attributes, too.
            run.broken |= {"attributes": attributes, ".zattrs": attributes}
        if node.is_root:
            for step in (*self._nodes, *self._root):
                run.step(step, (node,))
            return self._verdicts(run)
        broken = tuple(run.broken.items())
        judged = self._memo.result(node, partial(self._judge_members, broken), (broken,))
        if not run.violations and not run.undecided:
            return judged
        return joined(self._verdicts(run), judged, rules=self.rules)

    def _judge_all(self, node: Node) -> RuleResults:
        run = _Run(self._infos, self.wanted, self._cap)
        self._judge_documents(node, run)
        for step in self._nodes:
            run.step(step, (node,))
        return self._verdicts(run)

    def _judge_documents(self, node: Node, run: _Run) -> None:
        for step in self._documents:
            for document in node.documents:
                run.step(step, (node, document))

    def _judge_members(self, broken: Iterable[tuple[str, str]], node: Node) -> RuleResults:
        """Return the results for a node apart from the text of its documents."""
        run = _Run(self._infos, self.wanted, self._cap)
        run.broken.update(broken)
        for step in self._nodes:
            run.step(step, (node,))
        return self._verdicts(run)

    def _verdicts(self, run: _Run) -> RuleResults:
        if run.violations or run.undecided:
            # A rule that reports one document is not absent because it does not report another.
            covered = run.uncover()
            reported = {violation.rule.id for violation in run.violations} | {
                rule_id for rule_id, _ in run.undecided
            }
            told = broken_by(covered)
            absent = (
                *(rule_id for rule_id in _absent(run.absent) if rule_id not in reported),
                *sorted({one.rule.id for one in covered} - {*told}),
            )
            return RuleResults(self.rules, run.listed(), tuple(run.undecided), absent, told)
        key = tuple(map(id, run.absent))  # the steps live as long as the plan
        known = self._clean.get(key)
        if known is None:
            known = self._clean[key] = RuleResults(self.rules, absent=tuple(_absent(run.absent)))
        return known


def _absent(steps: Iterable[_Step]) -> dict[str, None]:
    """Return the rules of steps whose condition does not hold."""
    return dict.fromkeys(chain.from_iterable(step.absent for step in steps))


def _block(node: Node) -> str | None:
    """Return the rule whose failure prevents the evaluation of a node."""
    main = node.main_document
    if main is None:
        return (
            "TREE-001" if node.path == "/" and node.hierarchy.consolidated is None else "TREE-002"
        )
    return None if main.ok else _cause(main)


def _unusable_attributes(node: Node) -> str | None:
    """Return the rule whose failure prevents the evaluation of a node's attributes."""
    document = node.attributes_document
    if document is None or document is node.main_document or document.ok:
        return None
    return _cause(document)


def _cause(document: Document) -> str:
    if document.error is not None:
        return "TREE-007"
    kinds = {problem.kind for problem in document.problems}
    if kinds & {"syntax", "truncated", "empty"}:
        return "JSON-002"
    if "not-object" in kinds:
        return "Z2-ATT-001" if document.name == ".zattrs" else "JSON-006"
    return "JSON-007" if "limit" in kinds else "JSON-001"
