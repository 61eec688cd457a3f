"""Conformance in summary: the conventions that a hierarchy declares, uses and conforms to, and the steps to NZ-1.0.

Nothing is evaluated here: the results are those of an `Evaluation`, as far as it has come.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions import registry
from nz_explorer.conventions.nz.identifier import tokens
from nz_explorer.conventions.zcf import known_conventions
from nz_explorer.conventions.zcf.declarations import entries
from nz_explorer.diagnosis.impact import steps
from nz_explorer.model import Array, Group, Node
from nz_explorer.model.dialects import crs, cs, cs_revisions, images, multiscales, nczarr
from nz_explorer.text.identifiers import IDENTIFIER, KEYS, fold

if TYPE_CHECKING:
    from nz_explorer.engine.evaluation import Evaluation
    from nz_explorer.engine.findings import Finding

MOST_NODES = 20_000
"""Nodes that are looked at for traces of conventions; a store that has more repeats itself."""
MOST_PATHS = 20
MOST_FIXES = 1000
"""Findings of a rule of which it is worked out whether their fix is safe."""
CF_NAMES = ("standard_name", "grid_mapping", "cell_methods", "bounds", "formula_terms")
_TAG = re.compile(r"/(?:refs/tags/|tags/|blob/|)(v\d[\w.-]*)/")


@dataclass(slots=True)
class ConventionSummary:
    """One convention, and whether a hierarchy declares it, uses it and conforms to it.

    Attributes
    ----------
    name : str
        The convention.
    declared : dict of str to None
        Where it is declared: attribute and node.
    uses : dict of str to int
        By what it is evidently used, and on how many nodes.
    versions : dict of str to None
        Versions, revisions or dialects that are declared or seen.
    conforms : bool or None
        Whether it is kept; None where that was not, or not wholly, evaluated.
    errors_beyond : int
        Errors in a hierarchy that keeps it of which its text does not speak.
    problems : list of (str, str)
        What its own validator reports, with the node.
    paths : dict of str to None
        Some of the nodes that use it.
    """

    name: str
    declared: dict[str, None] = field(default_factory=dict)
    uses: dict[str, int] = field(default_factory=dict)
    versions: dict[str, None] = field(default_factory=dict)
    conforms: bool | None = None
    errors_beyond: int = 0
    problems: list[tuple[str, str]] = field(default_factory=list)
    paths: dict[str, None] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "name": self.name,
            "declared": list(self.declared),
            "uses": dict(self.uses),
            "versions": list(self.versions),
            "conforms": self.conforms,
            "errors_beyond": self.errors_beyond,
            "problems": [{"path": path, "message": message} for path, message in self.problems],
            "paths": list(self.paths),
        }


@dataclass(frozen=True, slots=True)
class Step:
    """What separates a hierarchy from NZ-1.0: the findings of one rule.

    Attributes
    ----------
    rule, title : str
        The rule.
    findings : tuple of Finding
        Where it is broken.
    safe : tuple of Finding
        Those of them, or of the first `MOST_FIXES`, whose fix is safe and can be tried.
    """

    rule: str
    title: str
    findings: tuple[Finding, ...]
    safe: tuple[Finding, ...]

    @property
    def is_safe(self) -> bool:
        """Whether nothing of it needs a person to decide, as far as was worked out."""
        return len(self.safe) == min(len(self.findings), MOST_FIXES)

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "rule": self.rule,
            "title": self.title,
            "nodes": len({finding.path for finding in self.findings}),
            "safe": len(self.safe),
            "message": self.findings[0].message,
            "paths": list(dict.fromkeys(f.path for f in self.findings))[:MOST_PATHS],
        }


@dataclass(frozen=True, slots=True)
class ConformanceSummary:
    """The conformance of a hierarchy in summary.

    Attributes
    ----------
    standings : list of Standing
        By convention, NZ-1.0 and Zarr first.
    steps : list of Step
        What separates it from NZ-1.0; what can be done safely first.
    undecided : int
        Checks that could not be made, so that more may separate it.
    looked_at, nodes : int
        Nodes that were looked at, of all that are known.
    why_not : str or None
        Why NZ-1.0 cannot be kept at all, or is not known to be.
    pyramids : dict
        Levels by the group that describes them.
    """

    conventions: list[ConventionSummary]
    steps: list[Step]
    undecided: int
    looked_at: int
    nodes: int
    why_not: str | None
    pyramids: dict[str, list[multiscales.Level]]

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "schema": "nz-explorer/conventions/1",
            "conventions": [convention.to_dict() for convention in self.conventions],
            "to_do": [step.to_dict() for step in self.steps],
            "undecided": self.undecided,
            "looked_at": self.looked_at,
            "nodes": self.nodes,
            "why_not": self.why_not,
            "pyramids": {
                path: [
                    {"name": level.name, "path": level.path, "arrays": level.arrays}
                    for level in levels
                ]
                for path, levels in self.pyramids.items()
            },
        }


def conformance_summary(evaluation: Evaluation) -> ConformanceSummary:
    """Return the conformance of a hierarchy, as far as its evaluation has come.

    Parameters
    ----------
    evaluation : Evaluation
        Its results; only nodes that were visited are looked at.
    """
    hierarchy = evaluation.hierarchy
    nodes = evaluation.visited
    made = _Summaries()
    beyond = errors_beyond(evaluation, evaluation.findings())
    for name, holds in evaluation.conforms.items():
        made.of(name).conforms = holds
        made.of(name).errors_beyond = beyond[name]
    found: dict[str, list[multiscales.Level]] = {}
    for path in nodes[:MOST_NODES]:
        node = hierarchy.peek(path)  # consolidated entries are judged without becoming nodes
        if node is None:
            continue
        made.look_at(node)
        if isinstance(node, Group) and multiscales.level_names(node.attributes):
            found[path] = multiscales.levels(node)
        if path != "/":
            node.release()
    if made.knows("ref"):
        made.of("ref").conforms = _keeps_ref(evaluation)
    zarr_format = hierarchy.zarr_format
    why_not = None
    if "nz" not in evaluation.conventions:
        why_not = "its rules were not asked for, so none of them was evaluated"
    elif zarr_format == 2:
        why_not = "NZ-1.0 is written for Zarr v3; what follows are its rules by analogy"
    elif isinstance(hierarchy.root, Array):
        why_not = "NZ-1.0 is declared on a root group, and the root is an array"
    return ConformanceSummary(
        made.all(),
        _steps(evaluation),
        evaluation.not_evaluated_total,
        min(len(nodes), MOST_NODES),
        len(nodes),
        why_not,
        found,
    )


def errors_beyond(evaluation: Evaluation, findings: Iterable[Finding]) -> dict[str, int]:
    """Return by convention how many errors there are of what it builds on, or by practice only; 0 where it is not kept.

    Parameters
    ----------
    evaluation : Evaluation
        The results.
    findings : iterable of Finding
        Findings of the evaluation.
    """
    errors = Counter(one.info.family for one in findings if one.severity == "error")
    known = {one.name: one for one in evaluation.registry.conventions.values()}
    return {
        name: sum(
            errors[family] for family in {*known[name].deciding, *known[name].summary_families}
        )
        if holds
        else 0
        for name, holds in evaluation.conforms.items()
    }


def _keeps_ref(evaluation: Evaluation) -> bool | None:
    """Return whether references keep the ref convention, whose rules are evaluated with those of cs."""
    found = [finding for finding in evaluation.findings() if finding.rule.startswith("REF-")]
    if any(finding.severity == "error" for finding in found):
        return False
    astray = any(f.rule == "REF-002" and f.severity == "warning" for f in found)
    decided = "cs" in evaluation.conventions and evaluation.complete and not astray
    open_questions = any(one.rule.startswith("REF-") for one in evaluation.not_evaluated())
    return True if decided and not open_questions else None


def _steps(evaluation: Evaluation) -> list[Step]:
    by_rule = steps(evaluation.findings(), zarr_format=evaluation.hierarchy.zarr_format)
    found = [
        Step(rule, those[0].info.title, tuple(those), tuple(filter(_is_safe, those[:MOST_FIXES])))
        for rule, those in by_rule.items()
    ]
    return sorted(found, key=lambda step: not step.is_safe)


def _is_safe(finding: Finding) -> bool:
    fix = finding.fix
    return fix is not None and fix.safety == "safe" and fix.can_be_applied


class _Summaries:
    """Conventions by name, filled node by node."""

    def __init__(self) -> None:
        self._found: dict[str, ConventionSummary] = {}

    def of(self, name: str) -> ConventionSummary:
        """Return what is known of a convention so far."""
        return self._found.setdefault(name, ConventionSummary(name))

    def knows(self, name: str) -> bool:
        """Return whether a convention is declared, used or judged."""
        return name in self._found

    def all(self) -> list[ConventionSummary]:
        """Return those that are declared, used or judged, what is judged first."""
        order = _names()
        known = [s for s in self._found.values() if s.declared or s.uses or s.name in order]
        return sorted(known, key=lambda s: order.index(s.name) if s.name in order else len(order))

    def look_at(self, node: Node) -> None:
        """Note what a node declares and uses."""
        if node.path == "/":
            self._declaration(node)
        self._framework(node)
        for trace in TRACES:
            for name, what, version in trace(node):
                self._use(node, name, what, version)

    def _use(
        self, node: Node, name: str, what: str, version: str | None = None
    ) -> ConventionSummary:
        convention = self.of(name)
        convention.uses[what] = convention.uses.get(what, 0) + 1
        if version is not None:
            convention.versions[version] = None
        if len(convention.paths) < MOST_PATHS:
            convention.paths[node.path] = None
        return convention

    def _declaration(self, root: Node) -> None:
        """Note what the root names in ``conventions`` and ``Conventions``."""
        for key in KEYS:
            for token in tokens(root.attributes.get(key), key):
                if fold(token) == fold(IDENTIFIER):
                    name, version = IDENTIFIER, "1.0"
                else:
                    word, _, rest = token.partition("-")
                    name = next((n for n in _names() if fold(n) == fold(word)), word)
                    version = rest if rest[:1].isdigit() else ""
                    name = name if version or not rest else token
                convention = self.of(name)
                convention.declared[f"{key} of /"] = None
                if version:
                    convention.versions[version] = None

    def _framework(self, node: Node) -> None:
        """Note what a node lists in ``zarr_conventions``, and what it uses of those conventions."""
        for _, entry in entries(node):
            name = known_conventions.identity(entry)
            if name is None:
                continue
            convention = self.of(name)
            if len(convention.declared) < MOST_PATHS:
                convention.declared[f"zarr_conventions of {node.path}"] = None
            for member in ("schema_url", "spec_url"):
                tag = _TAG.search(str(entry.get(member, "")))
                if tag is not None:
                    convention.versions[tag[1]] = None
        for known, names in known_conventions.used(node.attributes).items():
            convention = self._use(node, known.name, ", ".join(names))
            error = known_conventions.property_error(known, node.attributes)
            if error is not None:
                convention.problems.append((node.path, error))
            convention.conforms = not convention.problems


def _names() -> list[str]:
    """Return what the conventions are called that can be evaluated, in the order of reports."""
    return [convention.name for convention in registry().askable.values()]


Trace = Callable[[Node], Iterator[tuple[str, str, str | None]]]


def _cf(node: Node) -> Iterator[tuple[str, str, str | None]]:
    for name in CF_NAMES:
        if name in node.attributes:
            yield "CF", f"attribute {name}", None


def _dialects(node: Node) -> Iterator[tuple[str, str, str | None]]:
    if "_ARRAY_DIMENSIONS" in node.attributes:
        yield "xarray", "attribute _ARRAY_DIMENSIONS", None
    if "_CRS" in node.attributes:
        yield "GDAL", "attribute _CRS", crs.described_code(node)
    for name in ("spatial_ref", "GeoTransform"):
        if name in node.attributes:
            yield "GDAL", f"attribute {name}", crs.described_code(node)
    if nczarr.is_marked(node):
        yield "NCZarr", "what netCDF-C notes", nczarr.library_version(node)


def _systems(node: Node) -> Iterator[tuple[str, str, str | None]]:
    if isinstance(node, Array) and cs.is_cs(node.attributes.get("cs")):
        system = cs.coordinate_system(node)
        crss = () if system is None else system.crs
        yield "cs", "attribute cs", _revisions(crss)
        if any(map(_refers, crss)):
            yield "ref", "references of cs", None
    if isinstance(node, Group) and cs.is_shared(node.attributes.get("crs")):
        shared = [one for _, one in cs.shared_systems(node)]
        yield "cs", "attribute crs", _revisions(shared)


def _refers(one: cs.Crs) -> bool:
    """Whether a reference system is one that is referred to, or refers to arrays with its coordinates."""
    return one.reference is not None or any(
        held.kind == "external" for axis in one.axes for held in axis.sets
    )


def _revisions(systems: Sequence[cs.Crs]) -> str | None:
    """Return which revisions of cs reference systems follow, what those look like, and whether there is a newer one."""
    found = sorted({revision for one in systems for revision in cs_revisions.revision(one)})
    shown = [f"{revision} ({cs_revisions.REVISIONS[revision]})" for revision in found]
    newest = max(cs_revisions.REVISIONS)
    if shown and newest not in found:
        shown.append(f"the newest is {newest} ({cs_revisions.REVISIONS[newest]})")
    return "; ".join(shown) or None


def _pyramids(node: Node) -> Iterator[tuple[str, str, str | None]]:
    if multiscales.family(node.attributes) == "GeoZarr":
        yield "GeoZarr", "attribute multiscales", None
    found = images.ome(node.attributes) if isinstance(node, Group) else None
    if found is not None:
        yield "OME-Zarr", found.kind, found.version
    if any(name.startswith("/") for name in getattr(node, "dimension_names", None) or () if name):
        yield "GeoZarr", "dimensions of groups above", None


TRACES: tuple[Trace, ...] = (_cf, _dialects, _systems, _pyramids)
"""What gives a convention away: its name, the trace, and a version where one shows."""
