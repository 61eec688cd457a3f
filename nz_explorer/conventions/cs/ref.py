"""REF: references in attributes called ``ref``, at the top or further down where the node declares ref."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from nz_explorer.conventions.cs.declared import undeclared
from nz_explorer.conventions.cs.references import judge_reference
from nz_explorer.conventions.zarr3.nodes import set_to
from nz_explorer.conventions.zcf import known_conventions
from nz_explorer.conventions.zcf.declarations import declare, declared_here, pointer_to_entry
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, FixMaker, RuleOutput
from nz_explorer.engine.fixes import Draft
from nz_explorer.engine.registry import rule
from nz_explorer.model import Node
from nz_explorer.model.dialects.ref import DEEPEST, MEMBERS, Reference, is_reference, resolve

OTHERS = ("cs", "crs", "geolocation", "zarr_conventions")
"""Attributes whose references other conventions judge, or begin somewhere else."""


@rule(
    "REF-001",
    "REF-002",
    "REF-003",
    "REF-004",
    "REF-005",
    "REF-007",
    "CS-REG-002",
    on="node",
    formats=(3,),
    needs=("attributes",),
    when=lambda node: "ref" in node.attributes or known_conventions.REF in declared_here(node),
)
def references(node: Node) -> RuleOutput:
    """Judge the references in the attributes of a node."""
    declared = known_conventions.REF in declared_here(node)
    told = any(
        len(place) == 1 or is_reference(given) or _is_list(given)
        for place, given in _refs(node.attributes)
    )
    others = {name.lower() for name in node.attributes} & {*OTHERS[:-1]}
    if declared and not (others or told):
        yield Fail(
            pointer_to_entry(node, known_conventions.REF),
            "ref is declared, and nothing in the attributes of this node is a reference",
            severity="info",
            rule="REF-001",
        )
    if not declared and _has_the_form(node.attributes["ref"]):
        # of another convention, perhaps, which names what it refers to in the same way
        found = undeclared(node, "ref", "ref", known_conventions.REF, "CS-REG-002")
        yield dataclasses.replace(found, severity="warning", fix=_declared_if_meant)
    for place, given in (
        _refs(node.attributes) if declared else [(("ref",), node.attributes["ref"])]
    ):
        at = node.attribute_pointer(*place)
        if declared and _is_list(given):
            yield Fail(
                at,
                f"reference: it must be an object, got {json_text(given)}; of several, each is in a ref of its own",
                fix=_each_in_its_own(node, place, given),
                rule="REF-001",
            )
            continue
        if len(place) > 1 and not is_reference(given):
            continue  # of something else that is called so, such as a citation
        if isinstance(given, Mapping) and isinstance(given.get("ref"), Mapping) and len(given) == 1:
            inner = given["ref"]
            if declared or _has_the_form(inner):
                yield Fail(
                    at,
                    "reference: ref is inside ref, and node has to be in the outer one",
                    fix=set_to(at, inner, "suggest") if "ref" not in inner else None,
                    rule="REF-001",
                )
        elif isinstance(given, Mapping) and (declared or _has_the_form(given)):
            reference = resolve(given, node, text="ref")
            yield from judge_reference(node, reference, at)
            if _comes_back(reference):
                yield Fail(
                    at, "reference: it leads back to itself, and to nothing else", rule="REF-007"
                )
        elif declared:
            right = {"node": given}
            leads = isinstance(given, str) and resolve(right, node, text="ref").targets
            yield Fail(
                at,
                f"reference: it must be an object, got {json_text(given)}",
                fix=set_to(at, right, "suggest") if leads else None,
                rule="REF-001",
            )


def _is_list(given: Any) -> bool:
    """Whether something is a list of what a reference has in it."""
    listed = given if isinstance(given, list) else []
    return bool(listed) and all(isinstance(one, Mapping) and "node" in one for one in listed)


def _each_in_its_own(node: Node, place: tuple[str | int, ...], given: list[Any]) -> FixMaker | None:
    """Return the fix of a list of references: the only one by itself, several as a list around it where nothing is beside it."""
    if len(given) == 1:
        return set_to(node.attribute_pointer(*place), given[0], "suggest")
    above: Any = node.attributes
    for name in place[:-1]:
        above = above[name]
    if len(place) == 1 or len(above) > 1:
        return None
    return set_to(node.attribute_pointer(*place[:-1]), [{"ref": one} for one in given], "suggest")


def _declared_if_meant(node: Node) -> Draft | None:
    draft = declare(known_conventions.REF)(node)
    return None if draft is None else dataclasses.replace(draft, safety="suggest")


def _has_the_form(given: Any) -> bool:
    """Whether an attribute of a node that does not declare ref is likely one of ref all the same."""
    return isinstance(given, Mapping) and "node" in given and given.keys() <= {*MEMBERS}


def _refs(
    given: Any, place: tuple[str | int, ...] = ()
) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Yield each member called ref in attributes, with its place."""
    if isinstance(given, Mapping):
        for name, value in given.items():
            if not place and name.lower() in OTHERS:
                continue  # what is called CRS is meant to be crs, which is CS-REG-003
            if name == "ref":
                yield (*place, name), value
            else:
                yield from _refs(value, (*place, name))
    elif isinstance(given, list):
        for number, value in enumerate(given):
            yield from _refs(value, (*place, number))


def _comes_back(found: Reference) -> bool:
    """Whether a reference leads to references only, and at last to one where it was before."""
    seen: set[tuple[str, str]] = set()
    for _ in range(DEEPEST):
        if not found.targets:
            return False
        target = found.targets[0]
        if not target.pointer or not is_reference(target.value):
            return False
        if (target.node.path, target.pointer) in seen:
            return True
        seen.add((target.node.path, target.pointer))
        found = resolve(target.value, target.node, text="ref")
    return False
