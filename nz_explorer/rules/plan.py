"""Which rules apply to a node, worked out once for each kind of node, and how they are run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import chain, groupby
from typing import TYPE_CHECKING, Any

from nz_explorer.model import Array, is_candidate
from nz_explorer.rules.catalogue import RuleInfo, rules
from nz_explorer.rules.findings import SEVERITIES, Hit, Severity, Undecided
from nz_explorer.rules.reads import KEYS, OF_DOCUMENTS, ORDER, Reads, whole
from nz_explorer.rules.registry import On, RuleFunction, functions

if TYPE_CHECKING:
    from nz_explorer.model import Document, Node


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What some rules say of one thing. What is in neither list has passed.

    Attributes
    ----------
    rules : tuple of str
        The rules that were asked.
    hits : tuple of Hit
        Failures.
    undecided : tuple of (str, str)
        Rules that could not be decided, and why.
    absent : tuple of str
        Rules that do not apply.
    counts : tuple of int
        How many failures of each severity there are.
    local : bool
        Whether all failures sit on the thing itself.
    clean : bool
        Whether all rules that apply have passed.
    """

    rules: tuple[str, ...] = ()
    hits: tuple[Hit, ...] = ()
    undecided: tuple[tuple[str, str], ...] = ()
    absent: tuple[str, ...] = ()
    counts: tuple[int, int, int] = field(init=False, compare=False)
    local: bool = field(init=False, compare=False)
    clean: bool = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "counts", count(self.hits))
        object.__setattr__(self, "local", all(hit.fail.path is None for hit in self.hits))
        object.__setattr__(self, "clean", not self.hits and not self.undecided)


def count(hits: Iterable[Hit]) -> tuple[int, int, int]:
    """Return how many errors, warnings and notes there are."""
    found = [hit.severity for hit in hits]
    error, warning, info = map(found.count, SEVERITIES)
    return error, warning, info


NOTHING = Verdicts()
MEMO_ENTRIES = 20_000
"""Verdicts that are remembered of each part; a store that repeats itself needs far fewer."""


@dataclass(frozen=True, slots=True)
class _Step:
    """Functions that apply under the same condition."""

    on: On
    when: Callable[..., bool] | None
    functions: tuple[RuleFunction, ...]
    absent: tuple[str, ...]
    """The rules that are said not to apply where the condition does not hold."""


class _Run:
    """Verdicts in the making."""

    __slots__ = ("absent", "broken", "cap", "hits", "undecided", "wanted")

    def __init__(self, wanted: frozenset[str], cap: bool) -> None:
        self.wanted = wanted
        self.cap = cap
        self.hits: list[Hit] = []
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
        except Exception as error:  # noqa: BLE001  # told below; one rule must not take down the others
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
                    info = rules()[rule_id]
                    severity = result.severity or info.severity
                    self.hits.append(Hit(info, result, self._capped(info, severity)))
                # A note on what the rule allows leaves the fact sound.
                if function.provides is not None and result.severity in (None, "error"):
                    self.broken.setdefault(function.provides, function.id)
        except Exception as error:  # noqa: BLE001  # told in the report; one rule must not take down the others
            self._crashed(function, error)

    def _crashed(self, function: RuleFunction, error: Exception) -> None:
        for rule_id in function.ids:
            self._undecide(rule_id, f"internal error: {type(error).__name__}: {error}")

    def _capped(self, info: RuleInfo, severity: Severity) -> Severity:
        """NZ defines no profile for v2: what it asks for is good advice there, and no more."""
        return "warning" if self.cap and info.family == "NZ" and severity == "error" else severity

    def block(self, function: RuleFunction, cause: str) -> None:
        """Leave a rule undecided because another one has failed, and so what needs it."""
        for rule_id in function.ids:
            self._undecide(rule_id, f"dependency: {cause}")
        if function.provides is not None:
            self.broken.setdefault(function.provides, cause)

    def _undecide(self, rule_id: str, reason: str) -> None:
        if rule_id in self.wanted and all(known != rule_id for known, _ in self.undecided):
            self.undecided.append((rule_id, reason))


class _Section:
    """Steps whose verdict depends on one part of a node's documents, and the verdicts known so far."""

    __slots__ = ("known", "reads", "steps")

    def __init__(
        self, reads: Reads | None, chosen: Iterable[RuleFunction], wanted: frozenset[str]
    ) -> None:
        self.reads = reads
        self.steps = []
        for (on, when), group in groupby(chosen, key=lambda f: (f.on, f.when)):
            functions = tuple(group)
            told = [rule_id for function in functions for rule_id in function.ids]
            # Of a document without problems there is nothing to say but "pass".
            absent = () if on == "document" else tuple(r for r in told if r in wanted)
            self.steps.append(_Step(on, when, functions, absent))
        self.known: dict[Any, tuple[Verdicts, dict[str, str]]] = {}


def joined(*parts: Verdicts) -> Verdicts:
    """Return the verdicts of several plans on one thing as one."""
    return Verdicts(
        *(
            tuple(chain.from_iterable(getattr(part, name) for part in parts))
            for name in ("rules", "hits", "undecided", "absent")
        )
    )


class Plan:
    """The rules of one kind of node, in the order in which they depend on each other.

    Parameters
    ----------
    on
        What the rules are about.
    zarr_format
        Version of the node's documents, None where it has none.
    wanted
        Rules whose verdicts are asked for. Those that others depend on run as well, unheard.
    """

    def __init__(self, on: Iterable[On], zarr_format: int | None, wanted: frozenset[str]) -> None:
        subjects = tuple(on)
        chosen = [
            function
            for function in functions()
            if function.on in subjects
            and (zarr_format is None or zarr_format in function.formats)
            and (
                not wanted.isdisjoint(function.ids)
                or function.provides is not None
                or function.on == "document"
            )
        ]
        self.cap = zarr_format == 2
        self.wanted = wanted
        told = [rule_id for function in chosen for rule_id in function.ids]
        self.rules = tuple(dict.fromkeys(rule_id for rule_id in told if rule_id in wanted))
        of_nodes = [f for f in chosen if f.on not in ("document", "root")]
        of_documents = [f for f in chosen if f.on == "document"]
        self.documents = [
            _Section(reads, found, wanted)
            for reads in OF_DOCUMENTS
            if (found := [f for f in of_documents if f.reads == reads])
        ]
        self.sections = [
            _Section(reads, found, wanted)
            for reads in ORDER
            if (found := [f for f in of_nodes if f.reads == reads])
        ]
        self.root = _Section(None, [f for f in chosen if f.on == "root"], wanted)
        self.passed = Verdicts(self.rules)
        """What is said of something that breaks none of them."""
        self._undecided: dict[str, Verdicts] = {}
        self._whole: dict[Any, Verdicts] = {}
        self._equal: dict[tuple[bytes, bool], Verdicts] = {}
        """Verdicts on nodes by their documents, and by whether they are named like their dimension."""
        self._shares = all(section.reads in KEYS for section in (*self.documents, *self.sections))
        """Whether verdicts on whole nodes can be shared, because none of the rules needs all of them."""
        self._clean: dict[tuple[int, ...], Verdicts] = {}
        self._merged: dict[tuple[int, ...], tuple[list[Verdicts], Verdicts]] = {}

    def undecided(self, reason: str) -> Verdicts:
        """Return that none of them could be decided, for one reason."""
        known = self._undecided.get(reason)
        if known is None:
            undecided = tuple((rule_id, reason) for rule_id in self.rules)
            known = self._undecided[reason] = Verdicts(self.rules, undecided=undecided)
        return known

    def run(self, *args: Any) -> Verdicts:
        """Return what the rules say of something that is no node's document."""
        run = _Run(self.wanted, self.cap)
        for section in self.sections:
            for step in section.steps:
                run.step(step, args)
        return self._verdicts(run)

    def run_node(self, node: Node) -> Verdicts:
        """Return what the rules say of a node's documents."""
        if not self._shares or node.path == "/":
            return self._run_node(node)
        text = node.text
        same = None if text is None else (text, isinstance(node, Array) and is_candidate(node))
        if same is not None and (verdicts := self._equal.get(same)) is not None:
            return verdicts
        key = whole(node)
        if key is None:
            return self._run_node(node)
        verdicts = self._whole.get(key)
        if verdicts is None:
            verdicts = self._run_node(node)
            if len(self._whole) < MEMO_ENTRIES:
                self._whole[key] = verdicts
        if same is not None and len(self._equal) < MEMO_ENTRIES:
            self._equal[same] = verdicts
        return verdicts

    def _run_node(self, node: Node) -> Verdicts:
        parts: list[Verdicts] = []
        broken: dict[str, str] = {}
        for section in self.documents:
            verdicts, broken = self._section(section, node, broken)
            parts.append(verdicts)
        cause = _block(node)
        if cause is not None:
            run = _Run(self.wanted, self.cap)
            for section in (*self.sections, self.root):
                for step in section.steps:
                    for function in step.functions:
                        run.block(function, cause)
            return self._merge([*parts, self._verdicts(run)])
        if (attributes := _unusable_attributes(node)) is not None:
            # In v2 alone; there the names of dimensions are attributes, too.
            broken = {**broken, "attributes": attributes, ".zattrs": attributes}
        for section in self.sections:
            verdicts, broken = self._section(section, node, broken)
            parts.append(verdicts)
        if node.path == "/":
            parts.append(self._section(self.root, node, broken)[0])
        return self._merge(parts)

    def _section(
        self, section: _Section, node: Node, broken: dict[str, str]
    ) -> tuple[Verdicts, dict[str, str]]:
        """Return what one section says, and the facts known to be unsound after it."""
        make_key = None if section.reads is None else KEYS.get(section.reads)
        key = None if make_key is None else make_key(node)
        if key is not None:
            if broken:
                key = (key, tuple(broken.items()))
            known = section.known.get(key)
            if known is not None:
                return known
        run = _Run(self.wanted, self.cap)
        run.broken.update(broken)
        for step in section.steps:
            if step.on == "document":
                for document in node.documents:
                    run.step(step, (node, document))
            else:
                run.step(step, (node,))
        result = (self._verdicts(run), run.broken)
        if key is not None and len(section.known) < MEMO_ENTRIES:
            section.known[key] = result
        return result

    def _merge(self, parts: list[Verdicts]) -> Verdicts:
        """Return several verdicts as one; the same one for the same parts."""
        key = tuple(map(id, parts))
        known = self._merged.get(key)
        if known is not None:
            return known[1]
        merged = Verdicts(
            self.rules,
            tuple(hit for part in parts for hit in part.hits),
            tuple(item for part in parts for item in part.undecided),
            tuple(rule_id for part in parts for rule_id in part.absent),
        )
        if len(self._merged) < MEMO_ENTRIES:
            self._merged[key] = (
                parts,
                merged,
            )  # the parts are kept so that no other gets their ids
        return merged

    def _verdicts(self, run: _Run) -> Verdicts:
        if run.hits or run.undecided:
            # A rule that reports one document is not absent because it has nothing to say of another.
            told = {hit.rule.id for hit in run.hits} | {rule_id for rule_id, _ in run.undecided}
            absent = tuple(rule_id for rule_id in _absent(run.absent) if rule_id not in told)
            return Verdicts(self.rules, tuple(run.hits), tuple(run.undecided), absent)
        key = tuple(map(id, run.absent))  # the steps live as long as the plan
        known = self._clean.get(key)
        if known is None:
            known = self._clean[key] = Verdicts(self.rules, absent=tuple(_absent(run.absent)))
        return known


def _absent(steps: Iterable[_Step]) -> dict[str, None]:
    """Return the rules of steps whose condition does not hold."""
    return dict.fromkeys(chain.from_iterable(step.absent for step in steps))


def _block(node: Node) -> str | None:
    """Return the rule because of which nothing can be said of a node."""
    main = node.main_document
    if main is None:
        return (
            "TREE-001" if node.path == "/" and node.hierarchy.consolidated is None else "TREE-002"
        )
    return None if main.ok else _cause(main)


def _unusable_attributes(node: Node) -> str | None:
    """Return the rule because of which nothing can be said of a node's attributes."""
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
