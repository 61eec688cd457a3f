"""How a rule is written: a small function, registered by the id of its catalogue entry.

What a function is given depends on what the rule is about (``on``):

========== ================================ =========================================================
on         arguments                        may use
========== ================================ =========================================================
document   node, document                   the text of one document
node       node                             the node, and what it holds of others by itself; nodes that agree
array      array                            in all that is read of them share the result, so it must come
group      group                            from the node that is given, and from nothing remembered
root       node                             anything about the root
name       name                             the node's name; shared by all nodes of that name
members    group                            the group with its children
entry      `nz_explorer.engine.entry_comparison.Pair` a document and its consolidated copy
values     array, monotonicity              the values of an array named like its dimension
chunks     array, absence                   which chunks of a coordinate or a scalar are stored
contents   array, contents                  all values of an array, and all its chunks
totals     `nz_explorer.engine.totals.Totals` what was counted over all arrays, once the walk has ended
inside     array, `nz_explorer.model.Inside` what lies in the array's folder
========== ================================ =========================================================

It yields `Fail` for each violation, `Undecided` where it cannot decide, and nothing where all is well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from nz_explorer.engine.catalogue import RuleInfo, has_prefix, read
from nz_explorer.engine.findings import Fail, Undecided

if TYPE_CHECKING:
    from nz_explorer.engine.convention import Convention
    from nz_explorer.model import Hierarchy

On = Literal[
    "document",
    "node",
    "array",
    "group",
    "root",
    "name",
    "members",
    "entry",
    "values",
    "chunks",
    "contents",
    "inside",
    "totals",
]
Results = Iterable[Fail | Undecided]
Check = Callable[..., Results]


@dataclass(frozen=True, slots=True)
class RuleFunction:
    """A function that decides a rule, or a part of it.

    Parameters
    ----------
    ids
        Of the catalogue entries. What it yields is about the first, unless it names another.
    on
        What it is about.
    formats
        The versions of Zarr that it applies to.
    needs
        Facts that must be sound before it makes sense, such as ``shape``. Where one is not, the rule is
        not evaluated, because of the rule that has found so.
    provides
        The fact that is unsound where this rule fails.
    when
        Whether the rule applies at all.
    check
        The function.
    """

    ids: tuple[str, ...]
    on: On
    formats: tuple[int, ...]
    needs: tuple[str, ...]
    provides: str | None
    when: Callable[..., bool] | None
    check: Check

    @property
    def id(self) -> str:
        """The rule that its results are about where they name none."""
        return self.ids[0]


_functions: dict[str, list[RuleFunction]] = {}
"""Module → the functions that it registers, in their order."""


def rule(
    *rule_ids: str,
    on: On,
    formats: tuple[int, ...] = (2, 3),
    needs: tuple[str, ...] = (),
    provides: str | None = None,
    when: Callable[..., bool] | None = None,
) -> Callable[[Check], Check]:
    """Register a function under the ids of the rules it decides; see `RuleFunction` for the parameters.

    Parameters
    ----------
    *rule_ids : str
        Ids of the rules; what the function yields is about the first, unless it names another.
    on : On
        What the function is given.
    formats : tuple of int, optional
        The versions of Zarr that the rules apply to.
    needs : tuple of str, optional
        Facts that must be sound before the rules make sense.
    provides : str, optional
        The fact that is unsound where the rules fail.
    when : callable, optional
        Whether the rules apply at all.
    """

    def register(check: Check) -> Check:
        function = RuleFunction(rule_ids, on, formats, needs, provides, when, check)
        _functions.setdefault(check.__module__, []).append(function)
        return check

    return register


class Registry:
    """Conventions that can be evaluated together, with all their rules.

    Parameters
    ----------
    conventions : iterable of Convention
        Those that others build on first.
    profiles : iterable of str
        Other readings of their texts; see `Convention.profiles`.

    Raises
    ------
    ValueError
        If two of them have the same key, or describe the same rule, or if a profile is not known.
    """

    def __init__(self, conventions: Iterable[Convention], profiles: Iterable[str] = ()) -> None:
        self.conventions: dict[str, Convention] = {}
        self._profiles = tuple(profiles)
        for convention in conventions:
            if convention.key in self.conventions:
                raise ValueError(f"two conventions are called {convention.key!r}")
            self.conventions[convention.key] = convention
        known = [name for one in self.conventions.values() for name in one.profiles]
        for name in self._profiles:
            if name not in known:
                raise ValueError(f"unknown profile {name!r}; known are {', '.join(known)}")

    @cached_property
    def rules(self) -> dict[str, RuleInfo]:
        """All rules by id.

        Raises
        ------
        ValueError
            If two conventions describe the same rule.
        """
        found: dict[str, RuleInfo] = {}
        for convention in self.conventions.values():
            described = [info for file in convention.catalogue for info in read(file).values()]
            for info in (*described, *convention.infos):
                if info.id in found:
                    raise ValueError(f"rule {info.id} is described twice")
                for name in self._profiles:
                    if name in convention.profiles:
                        info = convention.profiles[name](info)  # noqa: PLW2901
                found[info.id] = info
        return found

    @cached_property
    def functions(self) -> tuple[RuleFunction, ...]:
        """All functions, prerequisites before those that need them."""
        found: list[RuleFunction] = []
        for convention in self.conventions.values():
            for module in convention.rules:
                import_module(module)
                found += _functions.get(module, ())
            found += convention.functions
        return tuple(found)

    @cached_property
    def askable(self) -> dict[str, Convention]:
        """The conventions that can be asked for, in the order in which reports name them."""
        found = [one for one in self.conventions.values() if not one.basic]
        return {one.key: one for one in sorted(found, key=lambda one: one.order)}

    def ids_on(self, on: On, zarr_format: int | None = None) -> frozenset[str]:
        """Return the rules that are decided, if only in part, by what is one kind of thing in a version of Zarr.

        Parameters
        ----------
        on : On
            The kind of thing.
        zarr_format : int, optional
            The version of Zarr, 2 or 3; both by default.
        """
        known = self._ids_on.get((on, zarr_format))
        if known is None:
            known = self._ids_on[on, zarr_format] = frozenset(
                rule_id
                for function in self.functions
                if function.on == on and (zarr_format is None or zarr_format in function.formats)
                for rule_id in function.ids
            )
        return known

    def ids_that_read_all(self) -> frozenset[str]:
        """Return the rules of which nothing is decided unless all values of an array are read.

        What a listing or a coordinate tells of an array is found without that.
        """
        return self.ids_on("contents") - self.ids_on("inside") - self.ids_on("values")

    @cached_property
    def _ids_on(self) -> dict[tuple[On, int | None], frozenset[str]]:
        return {}

    @cached_property
    def summarised(self) -> Convention | None:
        """The convention with a rule that sums up those on which it builds."""
        return next((one for one in self.conventions.values() if one.summary_rule), None)

    def of_family(self, family: str) -> Convention | None:
        """Return the convention that a family of rules belongs to."""
        return next((one for one in self.conventions.values() if one.family == family), None)

    def advisory(self, zarr_format: int | None) -> frozenset[str]:
        """Return the families whose conventions define nothing for a version of Zarr.

        What they ask for there is good advice, and no more.
        """
        return frozenset(
            one.family
            for one in self.conventions.values()
            if zarr_format is not None
            and one.zarr_format not in (None, zarr_format)
            and one.in_other_formats is None
        )

    def families(self, keys: Iterable[str]) -> set[str]:
        """Return the families of rules of some conventions, and of those that they build on."""
        return {family for one in self._with_bases(keys) for family in one.families}

    def rules_of(self, keys: Iterable[str]) -> set[str]:
        """Return the ids of the rules that are evaluated for some conventions."""
        families = self.families(keys)
        compared_by = {rule_id for one in self._with_bases(keys) for rule_id in one.compared_by}
        return {r.id for r in self.rules.values() if r.family in families or r.id in compared_by}

    def _with_bases(self, keys: Iterable[str]) -> Iterator[Convention]:
        waiting = list(keys)
        while waiting:
            convention = self.conventions[waiting.pop()]
            yield convention
            waiting += convention.builds_on

    def find(self, text: str) -> list[RuleInfo]:
        """Return the rules that an id, a prefix of ids or a slug names.

        Parameters
        ----------
        text : str
            Such as ``NZ-DIM-010``, ``nz-dim`` or ``nz/dim-shared-length``.
        """
        wanted = text.strip()
        by_slug = [rule for rule in self.rules.values() if rule.slug == wanted.lower()]
        return by_slug or [rule for rule in self.rules.values() if has_prefix(rule.id, wanted)]

    def select(self, select: Iterable[str], ignore: Iterable[str]) -> Mapping[str, bool]:
        """Return for each rule whether it is selected: the longest prefix decides, as in ruff.

        Parameters
        ----------
        select, ignore : iterable of str
            Ids or prefixes of ids. Without `select` every rule that is not off by default is wanted.

        Raises
        ------
        ValueError
            If a prefix names no rule.
        """
        return _selected(self, tuple(select), tuple(ignore))

    def choose(
        self, given: str | Iterable[str], hierarchy: Hierarchy, select: tuple[str, ...] = ()
    ) -> tuple[str, ...]:
        """Return the keys of the conventions to evaluate, in the order in which reports name them.

        Parameters
        ----------
        given : str or iterable of str
            ``auto``, or some keys, as a list or separated by commas.
        hierarchy : Hierarchy
            What is evaluated, for ``auto``.
        select : tuple of str
            Rules that were selected by name, for ``auto``.

        Raises
        ------
        ValueError
            If a convention is not known.
        """
        names = [name.strip() for name in (given.split(",") if isinstance(given, str) else given)]
        unknown = [name for name in names if name not in self.askable and name != "auto"]
        if unknown or not names:
            raise ValueError(
                f"unknown convention {', '.join(map(repr, unknown))}; known are auto, {', '.join(self.askable)}"
            )
        return tuple(
            key
            for key, one in self.askable.items()
            if key in names
            or ("auto" in names and (one.wanted is None or one.wanted(hierarchy, select)))
        )


@lru_cache(maxsize=64)  # the same is asked for whenever a store is checked
def _selected(
    registry: Registry, select: tuple[str, ...], ignore: tuple[str, ...]
) -> Mapping[str, bool]:
    chosen = [(prefix.strip(), True) for prefix in select]
    chosen += [(prefix.strip(), False) for prefix in ignore]
    for prefix, _ in chosen:
        if not any(has_prefix(rule_id, prefix) for rule_id in registry.rules):
            raise ValueError(f"no rule is called {prefix!r} or starts with it")
    any_selected = any(wanted for _, wanted in chosen)
    result = {}
    for rule_id, info in registry.rules.items():
        fitting = [(len(p), wanted) for p, wanted in chosen if has_prefix(rule_id, p)]
        # Of equally long prefixes the one to ignore wins, because False sorts first.
        longest = max(fitting, key=lambda item: (item[0], not item[1]), default=None)
        if longest is None:
            result[rule_id] = info.status != "off" and not any_selected
        else:
            # A rule that is off by default has to be named by more than its family.
            named = info.status != "off" or longest[0] > len(info.family)
            result[rule_id] = longest[1] and named
    return MappingProxyType(result)
