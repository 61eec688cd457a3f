"""Public functions describe what they do, take and raise, in the form of numpydoc."""

from __future__ import annotations

import ast
import inspect
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from pkgutil import resolve_name

import pytest

PACKAGE = Path(__file__).parent.parent / "nz_explorer"
PARTS = sorted(path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists())

Definition = ast.FunctionDef | ast.AsyncFunctionDef


def _decorators(node: Definition) -> Iterator[str]:
    for decorator in node.decorator_list:
        yield ast.unparse(decorator.func if isinstance(decorator, ast.Call) else decorator)


def _is_described_elsewhere(node: Definition) -> bool:
    """Whether arguments are described by what registers the function.

    What rules are given depends on what they are about (`nz_explorer.engine.registry`), what answers requests on
    the method (`nz_explorer.widget.requests.answer`); options of commands have a help text of their own.
    """
    return any(
        name in ("rule", "answers") or name.endswith((".command", "overload", ".setter"))
        for name in _decorators(node)
    )


def _raises(node: Definition) -> bool:
    """Whether a function itself raises something new; a bare ``raise`` passes on what came."""
    left: list[ast.AST] = list(node.body)
    while left:
        one = left.pop()
        if isinstance(one, ast.Raise) and one.exc is not None:
            return True
        if not isinstance(one, Definition | ast.ClassDef | ast.Lambda):
            left += ast.iter_child_nodes(one)
    return False


def _names(text: str, section: str) -> list[str]:
    """Return the names that a section of a docstring describes, without stars."""
    _, _, rest = text.partition(f"{section}\n-----")
    lines = iter(rest.splitlines()[1:])
    found: list[str] = []
    for line, following in pairwise([*lines, ""]):
        if following.startswith("----"):
            break
        if line and not line.startswith(" "):
            found += (name.strip(" `~*") for name in line.split(" : ")[0].split(","))
    return found


def _raised(node: Definition) -> set[str]:
    """Return the exceptions that a function itself raises, as far as they are called by their names."""
    left: list[ast.AST] = list(node.body)
    found = set()
    while left:
        one = left.pop()
        if isinstance(one, ast.Raise) and isinstance(one.exc, ast.Call | ast.Name | ast.Attribute):
            error = one.exc.func if isinstance(one.exc, ast.Call) else one.exc
            found.add(ast.unparse(error).rpartition(".")[2])
        if not isinstance(one, Definition | ast.ClassDef | ast.Lambda):
            left += ast.iter_child_nodes(one)
    return {name for name in found if name[0].isupper() and name != "AssertionError"}


def _differences(node: Definition, text: str) -> Iterator[str]:
    """Yield where the sections of a docstring differ from what a function takes and raises."""
    taken = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
    needed = {one.arg for one in taken if one.arg not in ("self", "cls")}
    others = {one.arg for one in (node.args.vararg, node.args.kwarg) if one}
    if "Parameters\n-----" in text:
        described = set(_names(text, "Parameters"))
        if not needed <= described <= needed | others:
            yield "Parameters as in the signature"
    if "Raises\n-----" in text:
        described = {name.rpartition(".")[2] for name in _names(text, "Raises")}
        if not _raised(node) <= described:
            yield "Raises with every exception"


def _of_function(node: Definition) -> Iterator[str]:
    text = ast.get_docstring(node)
    if text is None:
        yield "docstring"
        return
    if _is_described_elsewhere(node):
        return
    arguments = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
    if sum(one.arg not in ("self", "cls") for one in arguments) > 1:
        for one in arguments:
            if one.arg not in ("self", "cls") and "Parameters\n-----" not in text:
                yield "Parameters"
                break
    if _raises(node) and "Raises\n-----" not in text:
        yield "Raises"
    yield from _differences(node, text)


def _of_body(body: list[ast.stmt], name: str) -> Iterator[tuple[str, str]]:
    for node in body:
        if isinstance(node, ast.If | ast.Try):
            yield from _of_body(node.body, name)
        elif isinstance(node, Definition | ast.ClassDef) and not node.name.startswith("_"):
            inner = f"{name}.{node.name}"
            if not isinstance(node, ast.ClassDef):
                yield from ((inner, what) for what in _of_function(node))
                continue
            if ast.get_docstring(node) is None:
                yield inner, "docstring"
            yield from _of_body(node.body, inner)


def omissions(source: str, name: str) -> list[tuple[str, str]]:
    """Return what the docstrings of a module lack, as qualified name and section."""
    tree = ast.parse(source)
    lacking = [(name, "docstring")] if ast.get_docstring(tree) is None else []
    return [*lacking, *_of_body(tree.body, name)]


@cache
def _sections_of_base(method: str) -> str:
    """Return the docstrings of the methods that a method overrides, as far as they have the same arguments."""
    module, _, rest = f"nz_explorer.{method}".replace(".__init__.", ".").rpartition(".")
    owner = resolve_name(module)
    own = vars(owner).get(rest)
    if not (inspect.isclass(owner) and inspect.isfunction(own)):
        return ""
    names = [*inspect.signature(own).parameters]
    overridden = [vars(base).get(rest) for base in owner.__mro__[1:]]
    return "\n\n".join(
        inspect.getdoc(one) or ""
        for one in overridden
        if inspect.isfunction(one) and [*inspect.signature(one).parameters] == names
    )


def is_described_by_base(method: str, section: str) -> bool:
    """Return whether a method overrides one that has the section.

    What an override is given and raises is what its base promises; `help()` of the base has it.
    """
    return section != "docstring" and f"{section}\n-----" in _sections_of_base(method)


def of_part(part: str) -> list[tuple[str, str]]:
    """Return what the docstrings of a part of the package lack."""
    return [
        omission
        for path in sorted((PACKAGE / part).rglob("*.py"))
        for omission in omissions(
            path.read_text("utf-8"),
            ".".join(path.relative_to(PACKAGE).with_suffix("").parts),
        )
        if not is_described_by_base(*omission)
    ]


@pytest.mark.parametrize("part", PARTS)
def test_docstrings_lack_nothing(part: str) -> None:
    found = of_part(part)
    assert not found, "\n".join(f"{name}: {what}" for name, what in found)


def test_the_public_face_is_described() -> None:
    assert omissions((PACKAGE / "__init__.py").read_text("utf-8"), "nz_explorer") == []


def test_omissions_are_noticed() -> None:
    source = '''
class A:
    def one(self, x): "Do it."
    def two(self, x, y): "Do it."
    def raises(self):
        "Do it."
        if self: raise ValueError
    def passes_on(self):
        "Do it."
        try: self.one(1)
        except ValueError: raise
    def _own(self, x, y): pass
@rule("A-1", on="node")
def a_rule(node, document): "Want it."
def f(x, *, y):
    """Do it.

    Parameters
    ----------
    x, y : int
        Numbers.
    """
def g(x, **y):
    """Do it.

    Parameters
    ----------
    z : int
        What is not there.

    Raises
    ------
    KeyError
        Never.
    """
    raise zarr.ValueError(x)
'''
    found = Counter(omissions(source, "m"))
    assert found == Counter(
        [
            ("m", "docstring"),
            ("m.A", "docstring"),
            ("m.A.two", "Parameters"),
            ("m.A.raises", "Raises"),
            ("m.g", "Parameters as in the signature"),
            ("m.g", "Raises with every exception"),
        ]
    )


def test_overrides_may_leave_their_sections_to_the_base() -> None:
    assert is_described_by_base("plots.line.__init__.Line.draw", "Parameters")
    assert is_described_by_base("store.writing.FolderWriter.write", "Raises")
    assert not is_described_by_base("plots.line.__init__.Line.draw", "docstring")
    assert not is_described_by_base("plots.line.__init__.Line.suits", "Parameters")
    assert not is_described_by_base("plots.line.draw.draw_line", "Raises")


def test_documents_that_nobody_can_open_are_not_cited() -> None:
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text("utf-8")
        for name in ("rule catalogue", "DESIGN", "shared/"):
            assert name not in text, f"{path.name} cites {name}"
