"""What the package imports is what it says that it needs, and zarr's private names stand in one file."""

from __future__ import annotations

import ast
import importlib.metadata
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "nz_explorer"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

INTERNALS = "store/zarr_internals.py"
"""The one file that uses what zarr has no public names for."""
PRIVATE = re.compile(r"zarr\.core\b|zarr(\.\w+)*\._\w+")
PRIVATE_ATTRIBUTES = {
    "_async_array",
    "_get_chunk_spec",
    "_get_loop",
    "_is_open",
    "_decode_shard_index",
    "_shard_index_size",
    "_sync_open",
    "_zf",
}
"""What zarr's objects have behind a public name, and was used here once or is likely to be."""

ONLY_WITH = {"jupyter_lsp", "msgpack", "netCDF4", "pytest"}
"""What is imported only where it is installed: what a codec needs, a reader that is tried, what runs the plugin or the lab."""


def trees() -> Iterator[tuple[str, ast.Module]]:
    for file in sorted(PACKAGE.rglob("*.py")):
        yield file.relative_to(PACKAGE).as_posix(), ast.parse(file.read_text("utf-8"))


def imported(tree: ast.Module) -> Iterator[str]:
    """Yield the modules that a file imports, also inside functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def distributions(requirement: str) -> set[str]:
    """Return the name in a requirement, and those of its extras, which dask calls as what they install."""
    names = re.findall(r"[\w.-]+", re.split(r"[<>=!~;]", requirement)[0])
    return {name.lower().replace("_", "-") for name in names}


def test_every_import_is_a_declared_dependency() -> None:
    extras = PROJECT["optional-dependencies"]
    wanted = [*PROJECT["dependencies"]]
    for extra in ("remote", "dask", "icechunk", "maps", "netcdf", "lab"):
        wanted += extras[extra]
    declared = set().union(*map(distributions, wanted))
    homes = importlib.metadata.packages_distributions()
    found = {name.split(".")[0] for _, tree in trees() for name in imported(tree)}
    third_party = found - set(sys.stdlib_module_names) - {"nz_explorer"} - ONLY_WITH
    undeclared = {
        name
        for name in third_party
        if not declared.intersection(
            home.lower().replace("_", "-") for home in homes.get(name, [name])
        )
    }
    assert undeclared == set()


def private_names(tree: ast.Module) -> Iterator[str]:
    """Yield what a module imports, or uses, of zarr that has no public name."""
    yield from (f"imports {module}" for module in imported(tree) if PRIVATE.match(module))
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            dotted = ast.unparse(node)
            if node.attr in PRIVATE_ATTRIBUTES or re.match(r"zarr\.(core|_)", dotted):
                yield f"line {node.lineno} uses {dotted}"


def test_zarrs_private_names_stand_in_one_file() -> None:
    found = {name: list(private_names(tree)) for name, tree in trees()}
    assert found.pop(INTERNALS)
    assert {name: uses for name, uses in found.items() if uses} == {}


@pytest.mark.parametrize(
    "line",
    [
        "from zarr.core.sync import sync",
        "def f():\n    import zarr.core.buffer",
        "from zarr.codecs._v2 import V2Codec",
        "x = array._async_array.getitem",
        "with zarr.core.config.set({}): pass",
    ],
)
def test_a_private_name_is_seen(line: str) -> None:
    assert list(private_names(ast.parse(line)))


def test_the_version_is_looked_up_when_it_is_asked_for() -> None:
    """Looking it up takes several times as long as all else that the import does."""
    code = """
import sys, nz_explorer
assert "__version__" in dir(nz_explorer) and "importlib.metadata" not in sys.modules
print(nz_explorer.__version__)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == importlib.metadata.version("nz_explorer")
