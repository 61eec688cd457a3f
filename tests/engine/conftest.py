"""Rules that do something else than usual."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from nz_explorer.conventions import registry
from nz_explorer.engine import plan

Replace = Callable[[str, Callable[..., Any]], None]


@pytest.fixture
def replace_rule(monkeypatch: pytest.MonkeyPatch) -> Iterator[Replace]:
    """Return what gives a rule another function, until the test ends."""

    def replaced(rule_id: str, check: Callable[..., Any]) -> None:
        functions = registry().functions
        changed = tuple(replace(f, check=check) if f.id == rule_id else f for f in functions)
        monkeypatch.setitem(vars(registry()), "functions", changed)
        plan._steps_for.cache_clear()

    yield replaced
    monkeypatch.undo()
    plan._steps_for.cache_clear()
