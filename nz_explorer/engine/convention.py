"""A convention as an object: what it is called, which rules it has, where it is used, and how it is declared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nz_explorer.engine.catalogue import RuleInfo
    from nz_explorer.engine.findings import Severity
    from nz_explorer.engine.registry import RuleFunction
    from nz_explorer.model import Hierarchy

Wanted = Callable[["Hierarchy", tuple[str, ...]], bool]
Profile = Callable[["RuleInfo"], "RuleInfo"]
"""Given a hierarchy and the rules that were selected by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Convention:
    """A convention that datasets can be checked against.

    Everything that the engine, the command line and the widget know about a convention is asked of
    this object, and nothing else lists conventions. A package of its own registers one through the
    entry point ``nz_explorer.conventions``.

    Parameters
    ----------
    key : str
        What it is asked for by, such as ``nz``; unique.
    name : str
        What reports call it, such as ``NZ-1.0``.
    title : str
        The name in full.
    families : tuple of str
        Prefixes of its rules' ids; the first is its own.
    rules : tuple of str
        Modules with its rules, in the order in which they depend on each other. They are imported when
        an evaluation first needs them.
    catalogue : tuple of Path
        TOML files that describe its rules.
    functions : tuple of RuleFunction
        Rules that are in no module, because they are made from something else, such as a schema.
    infos : tuple of RuleInfo
        What describes those.
    builds_on : tuple of str
        Keys of conventions whose rules are evaluated with it.
    compared_by : tuple of str
        Rules of another convention that compare consolidated metadata with the documents they are copies of. They are
        evaluated with this one, as otherwise the copies alone are read, and whatever is wrong with the documents is missed.
    decided_by : tuple of str
        Families whose required rules decide whether it is kept, by default its own.
    delegates : tuple of str
        Other rules that report what its own text demands: it is broken where one of them is, and need not be evaluated to be kept.
    zarr_format : int or None
        The version of Zarr that it is written for; None for any.
    in_other_formats : bool or None
        Whether a dataset of another version keeps it: it does not, or that is not defined.
    wanted : callable, optional
        Whether it is evaluated unless conventions are chosen; by default always.
    suggested_by : callable, optional
        Whether the attributes of a node suggest to ask for it; where it is not evaluated, that is told.
    decides : {"error", "warning", "info"}
        The severity at which a broken rule with a MUST breaks it; a convention that has been withdrawn warns. With ``info``
        its text has no MUST: what breaks a definition in it breaks it, or what another family requires.
    used_where : tuple of str
        Attributes without which a node does not use it. It is left out of the results where no node has
        one of them.
    refers_by : tuple of str
        Other attributes by which a node is judged by what other nodes say: it is evaluated again when these change.
    declared_how : callable, optional
        Whether the attributes of a root declare it.
    declaration_rules : tuple of str
        Prefixes of the rules on the declaration itself, which are not softened where it is missing.
    summary_rule : str or None
        A rule that counts the errors of all families in `summary_families`, without which the
        convention cannot be kept.
    summary_families : tuple of str
        Those families.
    root : str or None
        The kind of node that the root has to be.
    has_verdict : bool
        Whether it is said if a dataset keeps it.
    basic : bool
        Whether it cannot be selected by itself: others build on it.
    profiles : mapping of str to callable
        Other readings of the text that can be asked for: what each makes of a rule.
    order : int
        Where reports name it; small numbers first.
    """

    key: str
    name: str
    title: str
    families: tuple[str, ...]
    rules: tuple[str, ...] = ()
    catalogue: tuple[Path, ...] = ()
    functions: tuple[RuleFunction, ...] = ()
    infos: tuple[RuleInfo, ...] = ()
    builds_on: tuple[str, ...] = ()
    compared_by: tuple[str, ...] = ()
    decided_by: tuple[str, ...] | None = None
    delegates: tuple[str, ...] = ()
    zarr_format: int | None = None
    in_other_formats: bool | None = False
    wanted: Wanted | None = None
    suggested_by: Callable[[Mapping[str, Any]], bool] | None = None
    decides: Severity = "error"
    used_where: tuple[str, ...] = ()
    refers_by: tuple[str, ...] = ()
    declared_how: Callable[[Mapping[str, Any]], bool] | None = None
    declaration_rules: tuple[str, ...] = ()
    summary_rule: str | None = None
    summary_families: tuple[str, ...] = ()
    root: str | None = None
    has_verdict: bool = True
    basic: bool = False
    profiles: Mapping[str, Profile] = field(default_factory=dict)
    order: int = 100

    @property
    def family(self) -> str:
        """The prefix of its own rules."""
        return self.families[0]

    @property
    def deciding(self) -> tuple[str, ...]:
        """Families whose required rules decide whether it is kept."""
        return self.families if self.decided_by is None else self.decided_by
