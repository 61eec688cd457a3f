"""Imports point one way, and only the widget knows of Jupyter."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "nz_explorer"

BASE = {"text", "store", "documents"}
MODEL = BASE | {"model"}
VALUES = MODEL | {"values"}
ENGINE = MODEL | {"engine"}
RULES = ENGINE | {"conventions"}

# Each part of the package, with the parts whose modules it may import.
ALLOWED: dict[str, set[str]] = {
    "text": set(),
    "store": {"text"},
    "documents": {"text", "store"},
    "model": BASE,
    "values": MODEL,
    "engine": MODEL,
    "conventions": ENGINE,
    "diagnosis": RULES | VALUES,
    "report": RULES | {"diagnosis"},
    "editing": RULES | {"diagnosis", "report"},
    "plots": VALUES,
    "netcdf": RULES | VALUES,
    "widget": RULES | VALUES | {"diagnosis", "editing", "report", "plots", "netcdf"},
    "lab": MODEL | {"plots"},
    "testing": {"report"},
    "cli": RULES | VALUES | {"diagnosis", "editing", "report", "plots", "netcdf", "lab", "testing"},
}
NARROW = {
    part: {
        "nz_explorer.values.contents",
        "nz_explorer.values.coordinates.monotonicity",
        "nz_explorer.values.reading.chunk_cache",
    }
    for part in ("engine", "conventions")
}
NARROW["conventions"].add("nz_explorer.values.cf_decoding")
"""Single modules beyond the above, through which rules ask for values, and say where they are kept."""

TOP = {"__init__"}
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


@pytest.mark.parametrize("part", sorted(set(ALLOWED) - {"widget", "lab"}))
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
    core = "" if part in {"widget", "lab"} else f"; assert not {JUPYTER!r} & set(sys.modules)"
    code = f"import sys, nz_explorer.{part}{core}"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=PACKAGE.parent,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("folder", ["background", "panels", "requests"])
def test_requests_and_panels_do_not_see_the_whole_session(folder: str) -> None:
    """They see a `SessionView`, which `Session` satisfies where it answers requests: mypy proves that."""
    wrong = [
        f"{file.name}:{line} imports {name}"
        for file in modules(f"widget/{folder}")
        for line, name in imports(file)
        if f"{name}.".startswith(("nz_explorer.widget.session.", "nz_explorer.widget.explorer."))
    ]
    assert not wrong


MOST_MODULES = 16
"""Modules in one folder; more and nobody sees at a glance where something is."""
MOST_LINES = 500
"""Lines of a module whose docstring has no line that begins with "Long because"."""


@pytest.mark.parametrize("part", ALLOWED)
def test_no_folder_holds_too_many_modules(part: str) -> None:
    sizes = Counter(file.parent for file in modules(part) if file.name != "__init__.py")
    assert not {str(folder): size for folder, size in sizes.items() if size > MOST_MODULES}


def is_long(file: Path) -> bool:
    """Whether a module has too many lines, and gives no reason."""
    text = file.read_text("utf-8")
    if text.count("\n") <= MOST_LINES:
        return False
    described = ast.get_docstring(ast.parse(text)) or ""
    return not any(line.startswith("Long because") for line in described.splitlines())


def test_a_long_module_gives_a_reason() -> None:
    long = {
        str(file.relative_to(PACKAGE))
        for part in ALLOWED
        for file in modules(part)
        if is_long(file)
    }
    assert not long
