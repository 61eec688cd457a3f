"""CS: references in a reference system that a group keeps, as arrays of other groups follow them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from nz_explorer.conventions.cs.references import from_the_group
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, RuleOutput
from nz_explorer.model import Array
from nz_explorer.model.dialects.cs import CoordinateSystem, Crs
from nz_explorer.model.dialects.ref import resolve


def shared_references(system: CoordinateSystem) -> RuleOutput:
    """Note paths that lead to something else, or nothing, from the group of an array that refers to them.

    Parameters
    ----------
    system : CoordinateSystem
        That of an array.
    """
    array = system.array
    for i, crs in enumerate(system.crs):
        if crs.is_shared and crs.problem is None:
            lost = (found for given in _within(crs) if (found := _lost(array, crs, given)))
            if (first := next(lost, None)) is not None:
                path, meant, end = first
                there = "another node" if array.hierarchy.get(end) is not None else "nothing"
                yield Fail(
                    array.attribute_pointer("cs", "crs", i),
                    f"{json_text(path)} in {crs.home.path} leads to {meant}; from the group of this array, where the reader of"
                    f" the author of cs begins, it leads to {end}, where {there} is",
                    related=(meant,),
                    rule="REF-008",
                )


def _lost(array: Array, crs: Crs, given: Any) -> tuple[str, str, str] | None:
    """Return a path, where it leads to, and where it leads to from the group of an array; None if that is the same."""
    reference = resolve(given, crs.home)
    path = reference.path
    if path is None or path.startswith("/") or not reference.targets or reference.strayed:
        return None
    meant, end = [target.node.path for target in reference.targets], from_the_group(array, path)
    return None if end in meant else (path, meant[0], end)


def _within(crs: Crs) -> Iterator[Any]:
    """Yield the references of a reference system: of values, boundaries and terms, and of positions."""
    for one in (one for axis in crs.axes for one in axis.sets):
        formula = one.given.get("parametric")
        terms = formula.get("terms") if isinstance(formula, Mapping) else None
        held = [one.given.get("values"), one.given.get("boundaries")]
        held += terms.values() if isinstance(terms, Mapping) else ()
        yield from (
            each["external"] for each in held if isinstance(each, Mapping) and "external" in each
        )
    given = crs.given.get("geolocation") if isinstance(crs.given, Mapping) else None
    for kind, direction in product(("geodetic", "planar"), ("x", "y")):
        pair = given.get(kind) if isinstance(given, Mapping) else None
        if isinstance(pair, Mapping) and direction in pair:
            yield pair[direction]
