"""Imports point one way, and only the widget knows of Jupyter (DESIGN: the house)."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "nz_explorer"

# Each part of the package, with the parts whose modules it may import.
ALLOWED = {
    "store": set(),
    "model": {"store"},
    "values": {"store", "model"},
    "rules": {"store", "model"},
    "readers": {"store", "model", "rules"},
    "quicklook": {"store", "model", "values"},
    "netcdf": {"store", "model", "rules", "values"},
    "widget": {"store", "model", "rules", "readers", "values", "quicklook", "netcdf"},
}
NARROW = {
    "rules": {
        "nz_explorer.values.cache",
        "nz_explorer.values.contents",
        "nz_explorer.values.coordinates",
    }
}
"""Single modules beyond the above, through which rules ask for values, and say where they are kept."""

TOP = {"__init__", "cli", "demo", "launch", "outline"}
"""Modules at the top, which may import any part."""

JUPYTER = {"anywidget", "IPython", "ipykernel", "ipywidgets", "jupyter_client", "traitlets"}


def imports(file: Path) -> Iterator[tuple[int, str]]:
    """Yield line and dotted name of all that a module imports, also inside functions."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}:{node.lineno}: imports are absolute here"
            assert node.module is not None
            # `from nz_explorer import rules` imports the part as well.
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def modules(part: str) -> list[Path]:
    folder = PACKAGE / part
    return sorted(folder.rglob("*.py"))


def part_of(name: str) -> str | None:
    """Return the part of the package that a dotted name belongs to; None for other packages."""
    words = name.split(".")
    return words[1] if words[0] == "nz_explorer" and len(words) > 1 else None


def test_every_module_belongs_to_a_known_part() -> None:
    found = {path.name for path in PACKAGE.iterdir() if path.is_dir() and any(path.glob("*.py"))}
    assert found == set(ALLOWED)
    assert {path.stem for path in PACKAGE.glob("*.py")} <= TOP


@pytest.mark.parametrize("part", ALLOWED)
def test_imports_point_one_way(part: str) -> None:
    wrong = []
    for file in modules(part):
        for line, name in imports(file):
            other = part_of(name)
            narrow = any(name == own or name.startswith(f"{own}.") for own in NARROW.get(part, ()))
            if other not in {None, part, *ALLOWED[part]} and not narrow:
                wrong.append(f"{file.relative_to(PACKAGE)}:{line} imports {name}")
    assert not wrong


@pytest.mark.parametrize("part", sorted(set(ALLOWED) - {"widget"}))
def test_the_core_knows_nothing_of_jupyter(part: str) -> None:
    wrong = [
        f"{file.relative_to(PACKAGE)}:{line} imports {name}"
        for file in modules(part)
        for line, name in imports(file)
        if name.split(".")[0] in JUPYTER
    ]
    assert not wrong


@pytest.mark.parametrize("part", ALLOWED)
def test_each_part_can_be_imported_on_its_own(part: str) -> None:
    """A cycle shows only when a part is the first to be imported."""
    core = "" if part == "widget" else f"; assert not {JUPYTER!r} & set(sys.modules)"
    code = f"import sys, nz_explorer.{part}{core}"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=PACKAGE.parent,
    )
    assert done.returncode == 0, done.stderr
