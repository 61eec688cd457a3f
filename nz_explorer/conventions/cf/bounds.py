"""CF: bounds lie around their coordinate (CF-1.11, 7.1 Cell Boundaries)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from nz_explorer.engine.findings import Fail, Undecided
from nz_explorer.engine.fixes import Draft
from nz_explorer.engine.registry import rule

if TYPE_CHECKING:
    from nz_explorer.engine.findings import FixMaker
    from nz_explorer.model import Array, Node
    from nz_explorer.values.contents import Contents

MOST_OUTSIDE = 0.5
"""Where fewer of the values are outside of their cells, they may be meant so, as times that stand for a season are."""


def _may_be_bounds(array: Array, _: Contents) -> bool:
    return len(array.shape or ()) == 2 and (array.shape or ())[-1] == 2


@rule("CF-COORD-005", on="contents", when=_may_be_bounds)
def bounds_lie_around(array: Array, contents: Contents) -> Iterator[Fail | Undecided]:
    """Warn of bounds that lie elsewhere than the values of their coordinate."""
    if contents.scan is None:
        yield Undecided(contents.problem)
        return
    found = contents.bounds
    if found is not None and found.exchanged:
        yield Fail(
            "",
            f"the bounds of {found.coordinate} begin where those of the next cell end, such as {found.low:g} and {found.high:g} of"
            f" {found.value:g}: CF wants the bound that two cells share second in the one and first in the next",
            severity="info",
            impact="advice",
            readers={
                "xcube": "takes the first and the last bound for the extent, and is off by a cell at both ends"
            },
            fix=_exchange(array.name),
        )
        return
    if found is None or not (found.turned or found.outside > found.cells * MOST_OUTSIDE):
        return
    why = (
        "with the cells from the last to the first, all of them are within: one of the two was turned round"
        if found.turned
        else "they may belong to another grid"
    )
    yield Fail(
        "",
        f"{found.outside:,} of {found.cells:,} values of {found.coordinate} are not within their bounds, such as"
        f" value[{found.index}] = {found.value:g}, whose bounds are {found.low:g} and {found.high:g}; {why}",
        fix=_turn_round(array.name) if found.turned else _make_again,
    )


def _turn_round(name: str) -> FixMaker:
    def fix(node: Node) -> Draft:
        first = (getattr(node, "dimension_names", None) or (None,))[0] or "its first dimension"
        return Draft(
            "suggest",
            note=f"write the bounds again in the order of the coordinate: ds[{name!r}][::-1], along {first}",
        )

    return fix


def _exchange(name: str) -> FixMaker:
    def fix(node: Node) -> Draft:
        last = (getattr(node, "dimension_names", None) or (None,))[-1] or "its second dimension"
        return Draft(
            "suggest",
            note=f"write the two ends the other way round: reverse ds[{name!r}] along {last}",
        )

    return fix


def _make_again(_node: Node) -> Draft:
    return Draft(
        "suggest", note="compute the bounds of this grid, or take the attribute bounds out"
    )
