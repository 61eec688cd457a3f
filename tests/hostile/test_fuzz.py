"""Some cases of what `tests.hostile.fuzz` runs a hundred thousand of."""

from __future__ import annotations

import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.hostile.cases import CASES
from tests.hostile.fuzz import Chance


class Drawn:
    """Choices of hypothesis."""

    def __init__(self, data: st.DataObject) -> None:
        self._data = data

    def integer(self, low: int, high: int) -> int:
        return self._data.draw(st.integers(low, high))

    def data(self, most: int) -> bytes:
        return self._data.draw(st.binary(max_size=most))


@pytest.mark.parametrize("name", sorted(CASES.keys() - {"talks"}))
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_nothing_hostile_is_our_mistake(name: str, data: st.DataObject) -> None:
    began = time.process_time()
    CASES[name](Drawn(data))
    # No budget, but the sign of a loop; not by the clock, which goes on while other tests have the processor.
    assert time.process_time() - began < 20


@pytest.mark.parametrize("part", range(4))
def test_no_click_is_our_mistake(part: int) -> None:
    # By chance: hypothesis would take minutes to make such a failure small.
    for number in range(part, 32, 4):
        CASES["talks"](Chance(f"click {number}"))
