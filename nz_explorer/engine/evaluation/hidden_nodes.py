"""What readers do with documents of a node that they do not see: nothing."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from nz_explorer.engine.impact import HARMS, affected, readers_of

if TYPE_CHECKING:
    from collections.abc import Container

    from nz_explorer.engine.findings import Violation
    from nz_explorer.engine.plan import RuleResults


def as_seen(results: RuleResults) -> RuleResults:
    """Return the results on a node's documents, of which one may say that readers do not see the node.

    What else is wrong with the documents then does not hurt these readers.

    Parameters
    ----------
    results : RuleResults
        The results on the documents of one node.
    """
    unaware = {name for one in results.violations for name in one.fail.hidden_from}
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
