"""Conventions made for a test: a few rules, each a function of one line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from nz_explorer.engine.catalogue import RuleInfo, Source
from nz_explorer.engine.convention import Convention
from nz_explorer.engine.findings import Fail, Undecided
from nz_explorer.engine.registry import On, Registry, RuleFunction
from nz_explorer.model import Hierarchy, open_store
from tests.corpus.cases import FaultyStore, contents

V3 = contents({"base": "plain"})
V2 = contents({"base": "v2"})


def info(rule_id: str, **given: Any) -> RuleInfo:
    """Return what a catalogue says of a rule: an error, unless something else is given."""
    described = dict.fromkeys(("title", "statement", "reason", "rationale"), "")
    described |= {"bad_example": "", "good_example": "", "slug": rule_id.lower().replace("-", "/")}
    usual: dict[str, Any] = {
        **described,
        "id": rule_id,
        "family": rule_id.partition("-")[0],
        "source": Source("T", "1"),
        "level": "MUST",
        "severity": "error",
        "scope": "node",
        "cost": "M",
        "fix": "none",
        "status": "working",
        "yields_to": (),
        "needs_listing": False,
        "readers": {},
        "see_also": (),
    }
    return RuleInfo(**(usual | given))


def says(*results: Fail | Undecided) -> Callable[..., Iterator[Fail | Undecided]]:
    """Return what always yields the same."""
    return lambda *_: iter(results)


FAILS = says(Fail("", "it is so"))
PASSES = says()


def crashes(*_: Any) -> Any:
    """Raise, as a mistake of ours does."""
    raise RuntimeError("boom")


def function(
    *ids: str,
    check: Callable[..., Any] = FAILS,
    on: On = "node",
    formats: tuple[int, ...] = (2, 3),
    needs: tuple[str, ...] = (),
    provides: str | None = None,
    when: Callable[..., bool] | None = None,
) -> RuleFunction:
    """Return a rule function; it fails, unless something else is given."""
    return RuleFunction(ids, on, formats, needs, provides, when, check)


def convention(*functions: RuleFunction, key: str = "t", **given: Any) -> Convention:
    """Return a convention with these functions, and with a rule for each of their ids that is not given as one of `infos`."""
    ids = dict.fromkeys(rule_id for one in functions for rule_id in one.ids)
    described = {one.id: one for one in given.pop("infos", ())}
    infos = tuple(described.get(rule_id) or info(rule_id) for rule_id in ids)
    infos += tuple(one for one in described.values() if one.id not in ids)
    usual: dict[str, Any] = {"name": key, "title": key, "families": (key.upper(),)}
    return Convention(key=key, functions=functions, infos=infos, **(usual | given))


def registry(*functions: RuleFunction, **given: Any) -> Registry:
    """Return a registry with one convention of these functions."""
    return Registry([convention(*functions, **given)])


def hierarchy(documents: dict[str, bytes]) -> Hierarchy:
    """Return a hierarchy in memory."""
    return open_store(FaultyStore(documents, [], listable=True))
