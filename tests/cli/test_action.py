"""The shell step of the GitHub Action, as GitHub runs it, with a program in the place of ours."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.conftest import REPOSITORY

PROGRAM = """#!/bin/sh
printf '%s\\n' "$@" "" >> "$CALLS"
case "$*" in *sarif*) [ -n "$UNREADABLE" ] || echo '{}' > "$REPORT";; *) exit 1;; esac
"""


@pytest.mark.parametrize("unreadable", ["", "yes"])
def test_the_check_of_the_action(tmp_path: Path, unreadable: str) -> None:
    action = yaml.safe_load((REPOSITORY / "action.yml").read_text("utf-8"))
    (step,) = (one for one in action["runs"]["steps"] if one.get("id") == "check")
    program, report, calls, told = (tmp_path / n for n in ("nz-explorer", "sarif", "calls", "told"))
    program.write_text(PROGRAM)
    program.chmod(0o755)
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        env={
            "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
            "SOURCES": "  a b.zarr \r\n\n$(touch x);c.zarr\n",
            "VALUES": "none",
            "FAIL_ON": "values",
            "REPORT": str(report),
            "CALLS": str(calls),
            "GITHUB_OUTPUT": str(told),
            "UNREADABLE": unreadable,
        },
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 1  # that of the second call
    first, second = (one.split("\n") for one in calls.read_text().strip().split("\n\n"))
    assert first[-3:] == second[-3:] == ["--", "a b.zarr", "$(touch x);c.zarr"]
    assert "never" in first
    assert "values" in second
    assert (told.read_text() if told.exists() else "") == (
        "" if unreadable else f"sarif={report}\n"
    )
    assert not (tmp_path / "x").exists()
