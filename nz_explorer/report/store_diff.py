"""Two hierarchies compared: nodes, dimensions, metadata, attributes, and findings.

What is compared is what the documents mean, so a Zarr v2 store and its conversion to v3 can be equal in all
but their format. Values are not compared.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.entry_comparison import ABSENT
from nz_explorer.engine.evaluation import Evaluation
from nz_explorer.engine.findings import Finding
from nz_explorer.model import Array, Group, Hierarchy, Node, dimension_table
from nz_explorer.report.check import check
from nz_explorer.report.report import Report
from nz_explorer.text.preformatted import preformatted
from nz_explorer.text.printable import printable

SCHEMA = "nz-explorer/comparison/1"
Kind = Literal["store", "node", "dimension", "metadata", "attribute", "finding"]
KINDS: tuple[Kind, ...] = ("store", "node", "dimension", "metadata", "attribute", "finding")
MAX_VALUE = 120
MAX_LINE = 1000
LAYOUT_NAMES = ("_ARRAY_DIMENSIONS",)
"""Attributes that hold in v2 what v3 has members for."""


@dataclass(frozen=True, slots=True)
class Change:
    """A place where two hierarchies differ.

    Attributes
    ----------
    kind : str
        What differs: ``store``, ``node``, ``dimension``, ``metadata``, ``attribute`` or ``finding``.
    path : str
        The node.
    name : str
        The dimension, member, attribute or rule; empty for a node.
    left, right : str or None
        What is there, as text; None where there is nothing.
    """

    kind: Kind
    path: str
    name: str
    left: str | None
    right: str | None

    def to_dict(self) -> dict[str, Any]:
        """Return the change as JSON has it."""
        return {
            "kind": self.kind,
            "path": self.path,
            "name": self.name,
            "left": self.left,
            "right": self.right,
        }


class Comparison:
    """How two hierarchies differ.

    Parameters
    ----------
    left, right : Report
        What was found in each; both must have been walked whole.
    """

    def __init__(self, left: Report, right: Report) -> None:
        self.left = left
        self.right = right
        a, b = left.evaluation, right.evaluation
        self.changes: list[Change] = [
            *_stores(a.hierarchy, b.hierarchy),
            *_hierarchies(_documents(a), _documents(b)),
            *_findings(a.findings(), b.findings()),
        ]

    @property
    def equal(self) -> bool:
        """Whether nothing differs."""
        return not self.changes

    def of(self, kind: Kind) -> list[Change]:
        """Return the changes of one kind."""
        return [change for change in self.changes if change.kind == kind]

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as JSON has it."""
        return {
            "schema": SCHEMA,
            "left": self.left.source,
            "right": self.right.source,
            "equal": self.equal,
            "complete": self.left.complete and self.right.complete,
            "changes": [change.to_dict() for change in self.changes],
        }

    def to_json(self, indent: int | None = 2) -> str:
        """Return the comparison as JSON text, in ASCII as reports are."""
        return json.dumps(self.to_dict(), indent=indent, allow_nan=False)

    def to_text(self) -> str:
        """Return the comparison for a terminal: what only the left one has with ``-``, the right one with ``+``."""
        lines = [f"- {self.left.source}", f"+ {self.right.source}"]
        for kind in KINDS:
            changes = self.of(kind)
            if changes:
                lines += ["", f"{HEADINGS[kind]} ({len(changes)})"]
            for change in changes:
                lines.append(f"  {change.path}" + (f"  {change.name}" if change.name else ""))
                lines += [f"    - {change.left}"] if change.left is not None else []
                lines += [f"    + {change.right}"] if change.right is not None else []
        if self.equal:
            lines += ["", "no differences in nodes, dimensions, metadata, attributes and findings"]
        return "\n".join(printable(line, MAX_LINE) for line in lines)

    def _repr_html_(self) -> str:
        return preformatted(self.to_text(), "to_text() has all")

    def __repr__(self) -> str:
        counts = Counter(change.kind for change in self.changes)
        said = ", ".join(f"{counts[kind]} × {kind}" for kind in KINDS if counts[kind])
        return f"<Comparison {self.left.source} | {self.right.source}: {said or 'equal'}>"


HEADINGS: dict[Kind, str] = {
    "store": "Store",
    "node": "Nodes",
    "dimension": "Dimensions",
    "metadata": "Metadata",
    "attribute": "Attributes",
    "finding": "Findings",
}


def compare(
    left: Any,
    right: Any,
    *,
    conventions: str | Iterable[str] = "auto",
    storage_options: dict[str, Any] | None = None,
) -> Comparison:
    """Compare two Zarr hierarchies.

    Parameters
    ----------
    left, right
        Whatever `open_store` takes, a `Hierarchy`, or a `Report` of one.
    conventions : str or iterable of str
        As for `check`.
    storage_options : dict, optional
        For remote sources.

    Returns
    -------
    Comparison
        It prints as a list of differences.

    Raises
    ------
    SourceError
        If one of them is no hierarchy, or its root cannot be read.
    """
    reports = [
        one
        if isinstance(one, Report)
        else Report(one)
        if isinstance(one, Evaluation)
        else check(one, conventions, storage_options=storage_options)
        for one in (left, right)
    ]
    return Comparison(*reports)


def _stores(a: Hierarchy, b: Hierarchy) -> Iterator[Change]:
    formats = (f"Zarr v{one.zarr_format}" for one in (a, b))
    yield from _change("store", "/", "format", *formats)
    held = ("yes" if one.consolidated is not None else "no" for one in (a, b))
    yield from _change("store", "/", "consolidated metadata", *held)


def _documents(evaluation: Evaluation) -> Hierarchy:
    """Return the hierarchy as its documents have it, where they were read beside their consolidated copies."""
    hierarchy = evaluation.hierarchy
    return hierarchy.stored if evaluation.on_documents else hierarchy


def _hierarchies(a: Hierarchy, b: Hierarchy) -> Iterator[Change]:
    left, right = ({node.path: node for node in one.walk()} for one in (a, b))
    same_format = a.zarr_format == b.zarr_format
    for path in sorted({*left, *right}):
        x, y = left.get(path), right.get(path)
        yield from _change("node", path, "", _node(x), _node(y))
        if x is None or y is None:
            continue
        if isinstance(x, Group) and isinstance(y, Group):
            yield from _mappings("dimension", path, _dimensions(x), _dimensions(y))
        if isinstance(x, Array) and isinstance(y, Array):
            yield from _mappings("metadata", path, _metadata(x), _metadata(y))
        yield from _mappings(
            "attribute", path, _attributes(x, same_format), _attributes(y, same_format)
        )


def _node(node: Node | None) -> str | None:
    if node is None:
        return None
    return node.kind if node.state == "ok" else f"{node.kind}, {node.state}: {node.problem}"


def _dimensions(group: Group) -> dict[str, Any]:
    return {
        dimension.name: sorted(dimension.lengths)
        for dimension in dimension_table(group.arrays)
        if dimension.name
    }


def _metadata(array: Array) -> dict[str, Any]:
    """Return what the documents of an array mean, in words that both formats share."""
    fill = array.storage_fill
    found = {
        "data type": array.data_type.text,
        "shape": array.shape,
        "dimensions": array.dimension_names,
        "chunks": array.chunk_shape,
        "shards": array.shard_shape,
        "fill_value": None if fill is None else fill.text,
        "codecs": array.codecs,
    }
    return {name: value for name, value in found.items() if value is not None}


def _attributes(node: Node, same_format: bool) -> dict[str, Any]:
    return {
        name: value
        for name, value in node.attributes.items()
        if same_format or name not in LAYOUT_NAMES
    }


def _mappings(
    kind: Kind, path: str, left: Mapping[str, Any], right: Mapping[str, Any]
) -> Iterator[Change]:
    """Compare what two nodes have under the same names."""
    for name in (*left, *(name for name in right if name not in left)):
        a, b = (side.get(name, ABSENT) for side in (left, right))
        if _canonical(a) != _canonical(b):
            yield Change(kind, path, name, _shown(a), _shown(b))


def _canonical(value: Any) -> str:
    """Return a text that is the same for values that are, also for NaN."""
    return json.dumps(value, sort_keys=True, default=list)


def _shown(value: Any) -> str | None:
    return None if value is ABSENT else json_text(value, MAX_VALUE)


def _change(
    kind: Kind, path: str, name: str, left: str | None, right: str | None
) -> Iterator[Change]:
    if left != right:
        yield Change(kind, path, name, left, right)


def _findings(left: list[Finding], right: list[Finding]) -> Iterator[Change]:
    a, b = (Counter(map(_fact, found)) for found in (left, right))
    for rule, path, message in sorted((a - b).elements()):
        yield Change("finding", path, rule, message, None)
    for rule, path, message in sorted((b - a).elements()):
        yield Change("finding", path, rule, None, message)


def _fact(finding: Finding) -> tuple[str, str, str]:
    return finding.rule, finding.path, finding.message
