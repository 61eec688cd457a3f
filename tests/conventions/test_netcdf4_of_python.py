"""What is said of netCDF4 for Python, which masks and scales by itself, is what it does."""

from __future__ import annotations

import multiprocessing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr

import nz_explorer as nz


def _read(store: str) -> None:
    import netCDF4

    with netCDF4.Dataset(f"file://{store}#mode=zarr,file") as dataset:
        dataset["a"][...]


def _fails(store: Path) -> bool:
    """Whether it fails, in a process of its own: netCDF-C ends the process on some stores."""
    process = multiprocessing.get_context("spawn").Process(target=_read, args=(str(store),))
    process.start()
    process.join()
    return process.exitcode != 0


@pytest.mark.parametrize(
    ("attributes", "fails"),
    [
        ({"valid_min": [1, 2]}, True),
        ({"valid_min": "0"}, False),
        ({"valid_range": [1, 2, 3]}, False),
        ({"scale_factor": "2.0"}, True),
        ({"add_offset": " 2.0"}, True),
        ({"scale_factor": "0,5"}, False),
        ({"scale_factor": [1.0, 2.0]}, False),
    ],
    ids=str,
)
def test_it_is_said_where_values_cannot_be_read(
    attributes: dict[str, Any], fails: bool, tmp_path: Path
) -> None:
    group = zarr.open_group(tmp_path, mode="w", zarr_format=2)
    array = group.create_array("a", data=np.arange(3, dtype="i4"), compressors=None)
    array.attrs.update(_ARRAY_DIMENSIONS=["x"], **attributes)
    report = nz.check(tmp_path, progress=False)
    said = [one.readers.get("netCDF-C", "") for one in report.findings]
    assert any("netCDF4 raises" in one for one in said) is fails
    assert _fails(tmp_path) is fails
