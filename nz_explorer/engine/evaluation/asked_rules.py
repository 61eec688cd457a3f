"""Which rules an evaluation is asked for; the same for every store that is checked with the same options."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nz_explorer.engine.registry import Registry


@dataclass(frozen=True, slots=True)
class AskedRules:
    """Ids of the rules that are evaluated, and what follows from the choice.

    Attributes
    ----------
    wanted : frozenset of str
        All of them.
    untold : frozenset of str
        Readers of which nothing can be predicted: rules that tell what they refuse are not evaluated.
    of_contents : frozenset of str
        Those that look at all values of an array, or at all its chunks.
    of_entries : frozenset of str
        Those that compare documents with their consolidated copies.
    """

    wanted: frozenset[str]
    untold: frozenset[str]
    of_contents: frozenset[str]
    of_entries: frozenset[str]


@lru_cache(maxsize=64)
def asked_rules(
    registry: Registry,
    conventions: tuple[str, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    zarr_format: int | None,
) -> AskedRules:
    """Return the rules that options ask for.

    Parameters
    ----------
    registry : Registry
        The rules that are known.
    conventions : tuple of str
        Keys of conventions.
    select, ignore : tuple of str
        Ids of rules, or prefixes of them; the longest prefix decides.
    zarr_format : int or None
        Version of the root's documents.

    Raises
    ------
    ValueError
        If a prefix names no rule.
    """
    rules = registry.rules
    chosen = registry.select(select, ignore)
    given = {
        rule_id
        for rule_id in registry.rules_of(conventions)
        if chosen[rule_id] and rules[rule_id].works
    }
    wanted = frozenset(rule_id for rule_id in given if given.isdisjoint(rules[rule_id].yields_to))
    return AskedRules(
        wanted,
        _untold(registry, given, registry.select((), ()), zarr_format),
        wanted & registry.ids_on("contents", zarr_format),
        wanted & registry.ids_on("entry", zarr_format),
    )


def _untold(
    registry: Registry, given: set[str], usual: Mapping[str, bool], zarr_format: int | None
) -> frozenset[str]:
    """Return readers that are affected by rules which were not asked for and which none stands in for."""
    told = given | {other for rule_id in given for other in registry.rules[rule_id].yields_to}
    needed = {"JSON", "TREE", f"Z{zarr_format}", "NZ", "CF"}
    return frozenset(
        reader
        for info in registry.rules.values()
        if info.family in needed
        and info.works
        and usual[info.id]
        and (info.impact == "blocks" or info.family not in ("NZ", "CF"))
        and info.id not in told
        for reader in info.affects
    )
