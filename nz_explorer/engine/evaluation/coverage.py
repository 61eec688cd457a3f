"""What an evaluation leaves out, and for which reasons."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import TYPE_CHECKING

from nz_explorer.engine.evaluation.budget import NOT_COMPARED, TIME_LIMIT

if TYPE_CHECKING:
    from nz_explorer.engine.evaluation.budget import Budget, Values
    from nz_explorer.engine.registry import Registry
    from nz_explorer.model import Hierarchy


class Coverage:
    """Which rules are wanted, and how far they were evaluated.

    Parameters
    ----------
    wanted : frozenset of str
        Ids of the rules that are to be evaluated.
    skipped : dict of str to str
        Rules that are evaluated nowhere, or not everywhere, for a reason that concerns the store.

    Attributes
    ----------
    unseen : set of str
        Nodes that could not be read or listed: there may be more in them and below them.
    complete : bool
        Whether the whole hierarchy has been visited and read, and nothing was cut short.
    out_of_time : bool
        Whether the last visit ended because it took too long.
    """

    def __init__(self, wanted: frozenset[str], skipped: dict[str, str]) -> None:
        self.wanted = wanted
        self.skipped = skipped
        self.unseen: set[str] = set()
        self.complete = False
        self.out_of_time = False

    def copy(self) -> Coverage:
        """Return the same, which changes independently."""
        twin = copy.copy(self)
        vars(twin).update(skipped=self.skipped.copy(), unseen=self.unseen.copy())
        return twin

    @property
    def unfinished(self) -> str | None:
        """The reason for which not all nodes were evaluated, None where they were."""
        if self.complete:
            return None
        return TIME_LIMIT if self.out_of_time else "unreadable" if self.unseen else "budget"

    @property
    def not_compared(self) -> frozenset[str]:
        """The rules on consolidated entries that are left out because there are many of them."""
        return frozenset(rule for rule, reason in self.skipped.items() if reason == NOT_COMPARED)

    def cut_short(self) -> None:
        """Note that rules were not evaluated everywhere because the budget was spent."""
        self.leave_out(self.wanted, "budget")

    def leave_out(self, rules: Iterable[str], reason: str) -> None:
        """Note that some rules were not evaluated everywhere.

        Parameters
        ----------
        rules : iterable of str
            Their ids.
        reason : str
            Why.
        """
        for rule_id in rules:
            self.skipped.setdefault(rule_id, reason)


def skipped_rules(
    registry: Registry,
    hierarchy: Hierarchy,
    wanted: frozenset[str],
    values: Values,
    budget: Budget,
) -> dict[str, str]:
    """Return the rules that cannot be evaluated, or may not, and the reason for each.

    Parameters
    ----------
    registry : Registry
        The rules that are known.
    hierarchy : Hierarchy
        What is to be evaluated.
    wanted : frozenset of str
        Ids of the rules that are asked for.
    values : {"none", "coordinates", "all"}
        Which values may be read.
    budget : Budget
        How much may be read.

    Returns
    -------
    dict of str to str
        ``cost``, ``listing`` or ``not compared`` for the id of each such rule.
    """
    skipped: dict[str, str] = {}
    of_contents = registry.ids_that_read_all()
    of_entries = registry.ids_on("entry")
    # What the documents alone say is found without a listing, too.
    listed = registry.ids_on("inside") - registry.ids_on("array")
    version = hierarchy.zarr_format or 0
    older = {
        one.family
        for one in registry.conventions.values()
        if one.zarr_format is not None and one.zarr_format < version
    }
    compared = budget.compares(hierarchy)
    for rule_id in wanted:
        info = registry.rules[rule_id]
        if rule_id in of_entries and hierarchy.consolidated is None:
            continue  # there is nothing to compare
        if info.family in older:
            continue  # there is nothing that it could be about
        left_out = rule_id in of_contents and values != "all"
        if left_out or not budget.allows(info.cost):
            skipped[rule_id] = "cost"
        elif (rule_id in listed or info.needs_listing) and not hierarchy.reader.listable:
            skipped[rule_id] = "listing"
        elif rule_id in of_entries and not compared:
            skipped[rule_id] = NOT_COMPARED
    return skipped
