"""Where a change of a module does nothing."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

Place = tuple[int, int]
"""A line, from 1, and a column, from 0."""


def without_effect(source: str) -> Iterator[tuple[Place, Place]]:
    """Yield where a change cannot be seen: in annotations, options of dataclasses, imports for the type checker.

    And the star after which parameters are given by name, which is no product.
    """
    for number, line in enumerate(source.splitlines(), 1):
        for star in re.finditer(r"(?<=[(\s])\*(?=,)", line):
            yield (number, star.start()), (number, star.end())
    for node in ast.walk(ast.parse(source)):
        places: list[ast.AST | None] = []
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            every = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
            places = [node.returns, *(argument.annotation for argument in every)]
        elif isinstance(node, ast.AnnAssign):
            places = [node.annotation]
        elif isinstance(node, ast.ClassDef):
            places = [
                one for one in node.decorator_list if ast.unparse(one).startswith("dataclass(")
            ]
        elif isinstance(node, ast.If) and ast.unparse(node.test) in (
            "TYPE_CHECKING",
            "sys.platform == 'win32'",
        ):
            places = [node]
        for place in places:
            if isinstance(place, ast.expr | ast.stmt):
                end = (place.end_lineno or place.lineno, place.end_col_offset or 0)
                yield (place.lineno, place.col_offset), end
