"""The assertion for other projects' tests, in a pytest of its own."""

from __future__ import annotations

import sys
from pathlib import Path
from subprocess import run

import numpy as np
import pytest
import xarray as xr

from nz_explorer.testing import assert_conforms

SUITE = """
import numpy as np, xarray as xr

def test_good(assert_conforms):
    report = assert_conforms(xr.Dataset({"a": ("x", np.arange(3))}))
    assert report.complete

def test_bad(assert_conforms):
    assert_conforms(SOURCE)
"""


def test_what_follows_it_is_reported_and_what_breaks_it_is_told(broken_store: Path) -> None:
    assert assert_conforms(xr.Dataset({"a": ("x", np.arange(3))})).complete
    with pytest.raises(AssertionError, match=r"does not conform to NZ-1\.0\n(.*\n)*error"):
        assert_conforms(broken_store)
    with pytest.raises(AssertionError, match=r"cs was not checked \(checked: NZ-1.0"):
        assert_conforms(broken_store, "cs")


def test_the_fixture_is_there_after_installation(tmp_path: Path, broken_store: Path) -> None:
    file = tmp_path / "test_suite.py"
    file.write_text(SUITE.replace("SOURCE", repr(str(broken_store))), "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(file)]
    found = run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "1 failed, 1 passed" in found.stdout, found.stdout + found.stderr
    assert "AssertionError: " + str(broken_store) in found.stdout
    assert "conformance.py" not in found.stdout  # the failure is shown where the test calls
