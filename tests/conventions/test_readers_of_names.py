"""What is said of the readers of names that are none of a store."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import nz_explorer as nz
from tests.corpus.cases import CASES, source

CALLED = {case["name"]: case for case in CASES}
UNSEEN = "does not see the node"
FILLED = "returns the fill value for a chunk of such a name"
SHOWN = "shows the node, by the name with the backslash"


@pytest.mark.skipif(os.sep == "\\", reason="a backslash is no part of a name here")
@pytest.mark.parametrize(
    ("name", "readers"),
    [
        (
            "TREE-015: v2: an array in a folder of such a name, which netCDF-C shows",
            {"zarr-python": UNSEEN, "xarray": UNSEEN, "netCDF-C": SHOWN},
        ),
        (
            "TREE-015: v2: a chunk",
            {"zarr-python": FILLED, "xarray": FILLED, "netCDF-C": FILLED},
        ),
        (
            "TREE-016: an empty part in all names of an array, which nobody sees",
            {"zarr-python": UNSEEN, "xarray": UNSEEN},
        ),
    ],
)
def test_readers_see_what_they_see(name: str, readers: dict[str, str], tmp_path: Path) -> None:
    """As zarr-python 3.1.6, xarray 2026.9 and netCDF-C 4.10.1 do."""
    case = CALLED[name]
    report = nz.check(source(case, tmp_path), select=[case["rule"]], progress=False)
    assert [finding.readers for finding in report.findings] == [readers]
