"""CF: bounds lie around their coordinate (CF-1.11, 7.1 Cell Boundaries)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from nz_explorer.engine.findings import Fail, Undecided
from nz_explorer.engine.fixes import Draft
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, is_candidate
from nz_explorer.model.paths import below

if TYPE_CHECKING:
    from nz_explorer.engine.findings import FixMaker
    from nz_explorer.model import Node
    from nz_explorer.values.contents import BoundsFit, Contents
    from nz_explorer.values.coordinates.monotonicity import Monotonicity

MOST_OUTSIDE = 0.5
"""Where fewer of the values are outside of their cells, they may be meant so, as times that stand for a season are."""


def _may_be_bounds(array: Array) -> bool:
    return len(array.shape or ()) == 2 and (array.shape or ())[-1] == 2


def _names_bounds(array: Array, _: Monotonicity) -> bool:
    return isinstance(array.attributes.get("bounds"), str) and bool(array.attributes["bounds"])


@rule("CF-COORD-005", on="values", when=_names_bounds)
def bounds_of_a_coordinate(array: Array, found: Monotonicity) -> Iterator[Fail | Undecided]:
    """Warn of bounds that lie elsewhere than the values of their coordinate, which are read anyway."""
    name = array.attributes["bounds"]
    bounds = array.hierarchy.get(below(array.parent or "/") + name) if "/" not in name else None
    if not isinstance(bounds, Array) or not _may_be_bounds(bounds):
        return
    from nz_explorer.values.contents import bounds_fit, has_few_chunks

    if found.result == "unreadable":
        yield Undecided(f"unreadable: {found.note}" if found.note else "unreadable")
    elif not has_few_chunks(bounds):
        yield Undecided("budget")
    else:
        fit = bounds_fit(bounds)
        if fit is not None and fit.coordinate == array.path:
            yield from _misfits(bounds, fit)


@rule("CF-COORD-005", on="contents", when=lambda array, _: _may_be_bounds(array))
def bounds_lie_around(array: Array, contents: Contents) -> Iterator[Fail | Undecided]:
    """Warn of the same with other arrays that name bounds, and with bounds of many chunks."""
    if contents.scan is None:
        yield Undecided(contents.problem)
        return
    from nz_explorer.values.contents import has_few_chunks

    found = contents.bounds
    named = None if found is None else array.hierarchy.get(found.coordinate)
    if not (isinstance(named, Array) and is_candidate(named) and has_few_chunks(array)):
        yield from _misfits(array, found)


def _misfits(array: Array, found: BoundsFit | None) -> Iterator[Fail]:
    if found is not None and found.exchanged:
        yield Fail(
            "",
            path=array.path,
            message=f"the bounds of {found.coordinate} begin where those of the next cell end, such as {found.low:.10g} and {found.high:.10g} of"
            f" {found.value:.10g}: CF wants the bound that two cells share second in the one and first in the next",
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
        "with the bounds in reverse order all of them are: one of the two was turned round"
        if found.turned
        else "they may belong to another grid"
    )
    yield Fail(
        "",
        path=array.path,
        message=f"{found.outside:,} of {found.cells:,} values of {found.coordinate} are not within their bounds, such as"
        f" value[{found.index}] = {found.value:.10g}, whose bounds are {found.low:.10g} and {found.high:.10g}; {why}",
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
