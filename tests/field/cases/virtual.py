"""References to what is in other files, as kerchunk writes them."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path

import numpy as np
import xarray as xr

from tests.field.case import reported, sees


def _as_advised(file: Path) -> Path:
    """Change a document in references in the way that is told where they cannot be written to."""
    refs = json.loads(file.read_text())
    document = json.loads(refs["refs"]["Rainf/.zarray"])
    refs["refs"]["Rainf/.zarray"] = json.dumps({**document, "fill_value": -9999.0})
    file.write_text(json.dumps(refs))
    return file


def _by_reference(file: Path) -> list[float]:
    """Open references with xarray, and return the values."""
    with xr.open_dataset(str(file), engine="kerchunk", chunks=None) as ds:
        return [float(value) for value in ds["Rainf"].values]


@reported(
    "NASAWaterInsight/NLDAS-3#42",
    "Values of zero are decoded as NaN from the references of kerchunk",
    finding=("Z2-FV-006", "/Rainf", "_FillValue is -9999.0", "fill_value is 0.0"),
    before=sees(_by_reference, lambda values: np.isnan(values[0]) and values[2] == -9999),
    after=sees(_by_reference, lambda values: values[0] == 0 and np.isnan(values[2])),
    by_hand=_as_advised,
    kind="pull",
)
def zeros_in_references(folder: Path) -> Path:
    rain = np.array([0, 1, -9999], "<f4")
    document = {
        "zarr_format": 2,
        "shape": [3],
        "chunks": [3],
        "dtype": "<f4",
        "fill_value": 0.0,
        "order": "C",
        "filters": None,
        "compressor": None,
    }
    refs = {
        ".zgroup": '{"zarr_format": 2}',
        "Rainf/.zarray": json.dumps(document),
        "Rainf/.zattrs": json.dumps({"_ARRAY_DIMENSIONS": ["x"], "_FillValue": -9999.0}),
        "Rainf/0": "base64:" + b64encode(rain.tobytes()).decode(),
    }
    file = folder.with_suffix(".json")
    file.write_text(json.dumps({"version": 1, "refs": refs}))
    return file
