"""What is installed contains the front end; it is built only when it has to be."""

from __future__ import annotations

import gzip
import importlib.util
import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

from tests.conftest import REPOSITORY


@pytest.fixture(scope="module")
def hook() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "hatch_build", REPOSITORY / "js" / "hatch_build.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The files that a build reads, without what earlier builds left, and a front end of two lines."""
    for name in (
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "nz_explorer",
        "notebooks",
        "tests/corpus",
    ):
        source, target = REPOSITORY / name, tmp_path / name
        if source.is_dir():
            shutil.copytree(
                source,
                target,
                ignore=shutil.ignore_patterns("static", "labextensions", "__pycache__"),
            )
        else:
            shutil.copy2(source, target)
    (tmp_path / "js" / "src").mkdir(parents=True)
    shutil.copy2(REPOSITORY / "js" / "hatch_build.py", tmp_path / "js")
    source = tmp_path / "js" / "src" / "index.ts"
    source.write_text("export default {}\n")
    os.utime(source, (0, 0))  # older than what is built, however clocks are set
    return tmp_path


def write_static(root: Path) -> Path:
    static = root / "nz_explorer" / "widget" / "static"
    static.mkdir()
    (static / "widget.js").write_text("// built\n")
    (static / "widget.css").write_text("/* built */\n")
    (static / "saved.js").write_text("// built\n")
    extension = root / "nz_explorer" / "lab" / "labextensions" / "nz-explorer"
    (extension / "static").mkdir(parents=True)
    (extension / "static" / "remoteEntry.js").write_text("// built\n")
    (extension / "package.json").write_text("{}\n")
    return static


def build(root: Path, target: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(root / "dist")],
        cwd=root,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_wheel_contains_the_front_end_and_the_notebook(checkout: Path) -> None:
    write_static(checkout)
    # No npm on the path: what is built already must be enough.
    done = build(checkout, "wheel", PATH=str(checkout))
    assert done.returncode == 0, done.stderr
    (wheel,) = (checkout / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert {
        "nz_explorer/widget/static/widget.js",
        "nz_explorer/widget/static/widget.css",
        "nz_explorer/notebooks/debug.ipynb",
        "nz_explorer/notebooks/explore.ipynb",
        "nz_explorer/notebooks/teach.ipynb",
        "nz_explorer/py.typed",
        "nz_explorer/testing/corpus/FORMAT.md",
        "nz_explorer/testing/corpus/definitions/bases.json",
        "nz_explorer/testing/corpus/definitions/nz-dim.json",
    } <= names
    found = {name.partition(".data/data/")[2] for name in names}
    assert {
        "share/jupyter/labextensions/nz-explorer/package.json",
        "share/jupyter/labextensions/nz-explorer/static/remoteEntry.js",
    } <= found
    assert not any(
        "node_modules" in name or name.startswith(("js/", "tests/", "docs/", "build/"))
        for name in names
    )


def test_an_installation_from_the_source_distribution_needs_no_npm(
    checkout: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    write_static(checkout)
    assert build(checkout, "sdist", PATH=str(checkout)).returncode == 0
    (source,) = (checkout / "dist").glob("*.tar.gz")
    elsewhere = tmp_path_factory.mktemp("unpacked")
    # Debian's Python 3.11.2 has no filter for what is unpacked, newer ones ask for one
    subprocess.run(["tar", "-xzf", source, "-C", elsewhere], check=True)
    (unpacked,) = elsewhere.iterdir()
    done = build(unpacked, "wheel", PATH=str(checkout))
    assert done.returncode == 0, done.stderr


def test_without_npm_and_front_end_the_error_names_npm(checkout: Path) -> None:
    done = build(checkout, "wheel", PATH=str(checkout))
    assert done.returncode != 0
    assert "npm was not found" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_failing_build_ends_the_installation(checkout: Path) -> None:
    npm = checkout / "bin" / "npm"
    npm.parent.mkdir()
    npm.write_text('#!/bin/sh\necho "$@" >> "$(dirname "$0")/calls"\nexit 3\n')
    npm.chmod(0o755)
    done = build(checkout, "wheel", PATH=f"{npm.parent}{os.pathsep}/bin{os.pathsep}/usr/bin")
    assert done.returncode != 0
    assert "ci --no-audit --no-fund` failed" in done.stderr
    assert not (checkout / "dist").exists() or not list((checkout / "dist").glob("*.whl"))


def test_fresh_means_newer_than_every_source(hook: ModuleType, checkout: Path) -> None:
    js = checkout / "js"
    static = write_static(checkout)
    built = [static / "widget.js", static / "widget.css"]
    for file in built:
        os.utime(file, (2000, 2000))
    for file in (js / "src" / "index.ts", js / "hatch_build.py"):
        os.utime(file, (1000, 1000))
    assert hook.is_fresh(js, built)
    os.utime(js / "src" / "index.ts", (3000, 3000))
    assert not hook.is_fresh(js, built)
    os.utime(js / "src" / "index.ts", (2000, 2000))
    # As in an unpacked source distribution, where all times are one.
    assert hook.is_fresh(js, built)
    (js / "node_modules").mkdir()
    (js / "node_modules" / "new.js").write_text("")
    assert hook.is_fresh(js, built)
    (js / "src" / "index.test.ts").write_text("")
    assert hook.is_fresh(js, built)
    built[1].unlink()
    assert not hook.is_fresh(js, built)


def test_the_front_end_keeps_its_budget() -> None:
    static = REPOSITORY / "nz_explorer" / "widget" / "static"
    files = [static / "widget.js", static / "widget.css"]
    if not all(file.exists() for file in files):
        pytest.skip("the front end is not built")
    assert sum(len(gzip.compress(file.read_bytes())) for file in files) <= 75_000


def test_the_conda_recipe_needs_what_the_package_needs() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    recipe = (REPOSITORY / "recipe" / "recipe.yaml").read_text("utf-8")
    run = recipe.partition("  run:\n")[2].partition("\n\n")[0]
    called = {"matplotlib": "matplotlib-base"}
    wanted = {"python >=${{ python_min }}"}
    for requirement in project["dependencies"]:
        name, mark, version = requirement.partition(">=")
        wanted.add(f"{called.get(name, name)} {mark}{version}")
    assert {line.strip().removeprefix("- ") for line in run.splitlines()} == wanted
    assert f'version: "{project["version"]}"' in recipe
    assert f'python_min: "{project["requires-python"].removeprefix(">=")}"' in recipe
