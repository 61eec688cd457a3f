"""CS: what looks like a coordinate set and is read by nobody."""

from __future__ import annotations

from functools import partial

from nz_explorer.conventions.cs.forms import has_systems, into_set
from nz_explorer.conventions.zcf import known_conventions
from nz_explorer.conventions.zcf.declarations import declared_here
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, FixMaker, RuleOutput
from nz_explorer.engine.fixes import Draft, move
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Node
from nz_explorer.model.dialects.cs import is_cs, is_shared, is_system

NAMES = ("cs", "crs")


@rule("CS-REG-003", on="node", formats=(3,), needs=("attributes",))
def declared_and_not_there(node: Node) -> RuleOutput:
    """Warn of attributes in other letters than cs and crs, and of arrays that declare cs and have none."""
    declared = known_conventions.CS in declared_here(node)
    right = "cs" if isinstance(node, Array) else "crs"
    for name in node.attributes:
        meant = name.lower()
        if name in NAMES or meant not in NAMES:
            continue  # without a look at its value, in which most arrays differ
        if not declared and not _has_the_form(node.attributes[name]):
            continue
        if meant == "crs" and isinstance(node, Array) and has_systems(node, name):
            yield Fail(
                node.attribute_pointer(name),
                f"reference systems of an array are in the list crs of its attribute cs, not in {json_text(name)}",
                fix=partial(into_set, name=name),
            )
            return
        free = meant not in node.attributes
        yield Fail(
            node.attribute_pointer(name),
            f"the attribute is called {json_text(name)}, and readers look for {json_text(meant)}"
            + ("" if free else ", which is there as well"),
            fix=_renamed(name, meant) if free else None,
        )
        return
    if (
        declared
        and isinstance(node, Array)
        and "cs" not in node.attributes
        and not has_systems(node)  # which is CS-ARR-009
    ):
        yield Fail(
            node.attribute_pointer(right),
            "this array declares cs, and has no attribute cs: it gets no coordinates from the convention",
        )


def _has_the_form(given: object) -> bool:
    return is_cs(given) or is_shared(given) or is_system(given)


def _renamed(name: str, meant: str) -> FixMaker:
    return lambda node: Draft(
        "suggest", (move(node.attribute_pointer(name), node.attribute_pointer(meant)),)
    )


@rule("CS-REG-004", on="node", formats=(2,), needs=("attributes",))
def in_zarr_v2(node: Node) -> RuleOutput:
    """Note a coordinate set in a format that the convention was not written for."""
    of_array = isinstance(node, Array)
    name = "cs" if of_array else "crs"
    given = node.attributes.get(name)
    if is_cs(given) if of_array else is_shared(given):
        yield Fail(
            node.attribute_pointer(name),
            f"{name} is in Zarr v2; the convention has its names in dimension_names and its references in zarr.json, which are of v3",
        )
