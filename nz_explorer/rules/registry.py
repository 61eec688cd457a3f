"""How a rule is written: a small function, registered by the id of its catalogue entry.

What a function is given depends on what the rule is about (``on``):

========== ================================ =========================================================
on         arguments                        may use
========== ================================ =========================================================
document   node, document                   the text of one document
node       node                             the node's documents, nothing else: the verdict is shared
array      array                            by all nodes with the same documents
group      group                            (likewise)
root       node                             anything about the root
name       name                             the node's name; shared by all nodes of that name
members    group                            the group with its children
entry      `nz_explorer.rules.compare.Pair` a document and its consolidated copy
values     array, monotonicity              the values of an array named like its dimension
chunks     array, absence                   which chunks of a coordinate or a scalar are stored
contents   array, contents                  all values of an array, and all its chunks
inside     array, `nz_explorer.model.Inside` what lies in the array's folder
========== ================================ =========================================================

It yields `Fail` for each violation, `Undecided` where it cannot tell, and nothing where all is well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Literal

from nz_explorer.rules.findings import Fail, Undecided

if TYPE_CHECKING:
    from nz_explorer.rules.reads import Reads

On = Literal[
    "document",
    "node",
    "array",
    "group",
    "root",
    "name",
    "members",
    "entry",
    "values",
    "chunks",
    "contents",
    "inside",
]
Results = Iterable[Fail | Undecided]
Check = Callable[..., Results]

MODULES = (
    "documents",
    "tree",
    "zarr_v3",
    "zarr_v3_arrays",
    "zarr_v3_codecs",
    "zarr_v2",
    "zarr_v2_types",
    "zarr_v2_ogc",
    "declaration",
    "conventions",
    "dimensions",
    "attributes",
    "array_types",
    "upstream_schema",
    "fill_values",
    "coordinates",
    "chunks",
    "names",
    "consolidated",
    "nczarr",
    "cs",
    "geozarr",
    "geozarr_pyramids",
)
"""Modules with rules, in the order in which verdicts depend on one another."""


@dataclass(frozen=True, slots=True)
class RuleFunction:
    """A function that decides a rule, or a part of it.

    Parameters
    ----------
    ids
        Of the catalogue entries. What it yields is about the first, unless it names another.
    on
        What it is about.
    formats
        The versions of Zarr that it applies to.
    needs
        Facts that must be sound before it makes sense, such as ``shape``. Where one is not, the rule is
        not evaluated, because of the rule that has found so.
    provides
        The fact that is unsound where this rule fails.
    reads
        The part of a node's documents that the verdict depends on. Nodes that agree in it share the
        verdict; see `nz_explorer.rules.reads`. By default rules on documents read what is wrong with
        their text, and rules on nodes the members.
    when
        Whether the rule applies at all.
    check
        The function.
    """

    ids: tuple[str, ...]
    on: On
    formats: tuple[int, ...]
    needs: tuple[str, ...]
    provides: str | None
    reads: Reads
    when: Callable[..., bool] | None
    check: Check

    @property
    def id(self) -> str:
        """The rule that its results are about where they name none."""
        return self.ids[0]


_functions: list[RuleFunction] = []


def rule(
    *rule_ids: str,
    on: On,
    formats: tuple[int, ...] = (2, 3),
    needs: tuple[str, ...] = (),
    provides: str | None = None,
    reads: Reads | None = None,
    when: Callable[..., bool] | None = None,
) -> Callable[[Check], Check]:
    """Register a function under the ids of the rules it decides; see `RuleFunction` for the parameters."""
    part: Reads = reads or ("problems" if on == "document" else "members")

    def register(check: Check) -> Check:
        _functions.append(RuleFunction(rule_ids, on, formats, needs, provides, part, when, check))
        return check

    return register


@cache
def functions() -> tuple[RuleFunction, ...]:
    """Return all registered functions, prerequisites before those that need them."""
    for name in MODULES:
        import_module(f"nz_explorer.rules.{name}")
    return tuple(_functions)


@cache
def ids_on(on: On, zarr_format: int | None = None) -> frozenset[str]:
    """Return the rules that are decided, if only in part, by what is one kind of thing in a version of Zarr."""
    return frozenset(
        rule_id
        for function in functions()
        if function.on == on and (zarr_format is None or zarr_format in function.formats)
        for rule_id in function.ids
    )
