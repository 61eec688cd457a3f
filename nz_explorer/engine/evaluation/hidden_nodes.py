"""What readers do with documents of a node that they do not see: nothing."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from nz_explorer.engine.impact import HARMS, affected, readers_of
from nz_explorer.model.dialects.nczarr_lists import is_reached

if TYPE_CHECKING:
    from collections.abc import Container

    from nz_explorer.engine.findings import Violation
    from nz_explorer.engine.plan import RuleResults
    from nz_explorer.model import Node


BY_LISTS = "netCDF-C"
"""The reader that goes by lists of what is there, in a dataset of its own."""


def as_seen(results: RuleResults, node: Node) -> RuleResults:
    """Return the results on a node's documents, of which one may say that readers do not see the node.

    What else is wrong with the documents then does not hurt these readers, nor the one whose lists leave the node out.

    Parameters
    ----------
    results : RuleResults
        The results on the documents of one node.
    node : Node
        The node.
    """
    unaware = {name for one in results.violations for name in one.fail.hidden_from}
    if any(BY_LISTS in affected(one) for one in results.violations) and not is_reached(node):
        unaware.add(BY_LISTS)
    if not unaware:
        return results
    kept = tuple(_without(one, unaware) for one in results.violations)
    return dataclasses.replace(results, violations=kept)


def _without(one: Violation, unaware: Container[str]) -> Violation:
    fail = one.fail
    if fail.hidden_from or not any(name in unaware for name in affected(one)):
        return one
    does = readers_of(one)
    readers = {name: does.get(name, "") for name in affected(one) if name not in unaware}
    impact = fail.impact if readers or fail.impact not in HARMS else None
    return dataclasses.replace(one, fail=dataclasses.replace(fail, readers=readers, impact=impact))
