"""A plain reader of NZ-1.0: strict JSON, named dimensions of one length, a fill value of the data type."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from nz_explorer.diagnosis.probes.answers import Answers, Asked, Step, corners, text_of
from nz_explorer.model import Array, Group, Node, dimension_table, open_store
from nz_explorer.model.fill_values import FillProblem, matches
from nz_explorer.values.reading.chunks import read_chunks
from nz_explorer.values.reading.opening import open_for_reading


def run(asked: Asked, answers: Answers) -> None:
    """Read as NZ-1.0 says and no more.

    Parameters
    ----------
    asked : Asked
        What is to be read.
    answers : Answers
        Where the answers are written.
    """
    options = {"follow_links": asked.follow_links}
    source: Any = asked.location
    if asked.references is not None:
        source, options = asked.references["source"], asked.references["options"]
    hierarchy = open_store(source, storage_options=options).stored
    for path in asked.nodes():
        with answers.step(path) as step:
            node = hierarchy[path]
            _check(node)
            if isinstance(node, Array):
                _read(node, step)


def _check(node: Node) -> None:
    if node.state != "ok":
        raise ValueError(node.problem)
    for document in node.documents:
        json.loads(document.raw or b"", parse_constant=_refuse, object_pairs_hook=_unique)
    if isinstance(node, Group):
        conflict = next((d for d in dimension_table(node.arrays) if d.conflict), None)
        if conflict is not None:
            lengths = ", ".join(str(length) for length in conflict.lengths)
            raise ValueError(f"dimension {conflict.name} has several lengths: {lengths}")
    if isinstance(node, Array):
        if node.dimension_names is None or not all(node.dimension_names):
            raise ValueError("not every dimension has a name")
        fill = node.nz_fill
        if fill is not None and (problem := next(filter(_refused, fill.problems), None)):
            raise ValueError(f"_FillValue: {problem.why}")


def _refused(problem: FillProblem) -> bool:
    """Whether a ``_FillValue`` is none; one that is rounded or spelled as a float still has its value."""
    return problem.kind not in ("rounding", "spelling")


def _read(array: Array, step: Step) -> None:
    step.during = "reading the first chunk"
    opened = open_for_reading(array)
    for number, corner in enumerate(corners(opened.shape)):
        step.during = "reading the last chunk" if number else "reading the first chunk"
        place = tuple(opened.number(axis, at) for axis, at in enumerate(corner))
        chunk = read_chunks(opened, [place])[place]
        if chunk.fault is not None:
            raise ValueError(chunk.fault.text)
        if number == 0 and chunk.values is not None:
            value = chunk.values[(0,) * len(corner)]
            step.raw = text_of(value)
            fill = array.nz_fill
            missing = fill is not None and bool(matches(np.asarray(value), fill))
            step.shown = "missing" if missing else step.raw


def _refuse(token: str) -> Any:
    raise ValueError(f"{token} is no JSON number")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a member is there twice")
    return found
