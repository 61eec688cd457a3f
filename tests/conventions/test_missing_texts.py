"""A _FillValue of text or bytes, of which xarray opens nothing: the fix makes it open the group."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
import zarr

import nz_explorer as nz
from nz_explorer.conventions import evaluate
from nz_explorer.editing.trial_edits.what_if import WhatIf

TEXT = np.dtypes.StringDType()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("dtype", "given", "rule", "shown"),
    [
        (TEXT, "M2", "NZ-FILL-006", ["nan", "S2"]),
        ("<U2", "M2", "NZ-FILL-006", ["nan", "S2"]),
        ("S2", "M2", "NZ-FILL-006", ["b'M2'", "b'S2'"]),
        (TEXT, -1, "NZ-FILL-002", ["M2", "S2"]),
        ("S2", None, "NZ-FILL-004", ["b'M2'", "b'S2'"]),
    ],
)
def test_xarray_opens_the_group_afterwards(
    tmp_path: Path, dtype: Any, given: Any, rule: str, shown: list[str]
) -> None:
    zarr.open_group(tmp_path, mode="w").create_array(
        "x",
        data=np.array(["M2", "S2"], dtype),
        dimension_names=["n"],
        attributes={"_FillValue": given},
    )
    with pytest.raises(ValueError, match="Unsupported dtype"):
        xr.open_zarr(tmp_path, consolidated=False)
    evaluation = evaluate(nz.open_store(tmp_path, mode="r+"))
    evaluation.run()
    (finding,) = [one for one in evaluation.findings() if one.rule == rule]
    assert finding.impact == "blocks"
    edits = WhatIf(evaluation)
    edits.apply(finding)
    nz.apply(edits).write()
    with xr.open_zarr(tmp_path, consolidated=False, chunks=None) as ds:
        assert [str(value) for value in ds["x"].values] == shown
    assert not nz.check(tmp_path, progress=False).by_impact["blocks"]
