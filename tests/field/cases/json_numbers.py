"""Numbers that JSON does not have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import zarr

from tests.field.case import fails, opens, reported
from tests.field.readers import xarray
from tests.field.stores import array, group


def _refused(token: str) -> NoReturn:
    raise ValueError(f"Unexpected token '{token[0]}', \"{token}\" is not valid JSON")


def _strictly(source: Path) -> list[Any]:
    """Read all documents as JavaScript and Julia do."""
    documents = (file for file in source.rglob(".z*") if file.is_file())
    return [json.loads(file.read_text("utf-8"), parse_constant=_refused) for file in documents]


@reported(
    "zarr-developers/zarr-python#2741",
    "The fill_value of an array of Zarr v2 is NaN without quotes when zarr-python 3 writes it, and .zarray is no JSON",
    finding=("JSON-003", "/a", "fill_value", "bare NaN"),
    before=fails(_strictly, ValueError, "is not valid JSON"),
    after=(opens(_strictly), opens(xarray)),
)
def fill_value_without_quotes(folder: Path) -> Path:
    array(group(folder, 2), "a", np.ones(3), ["x"], fill_value=np.nan)
    document = folder / "a" / ".zarray"
    document.write_text(document.read_text("utf-8").replace('"NaN"', "NaN"), "utf-8")
    return folder


@reported(
    "xpublish-community/xpublish#303",
    "NaN as missing_value leads to invalid JSON from the endpoint zarr/.zmetadata",
    finding=("JSON-003", "/a", "missing_value", "bare NaN"),
    before=fails(_strictly, ValueError, "is not valid JSON"),
)
def missing_value_without_quotes(folder: Path) -> Path:
    array(group(folder, 2), "a", np.ones(3), ["x"], fill_value=None, missing_value=np.nan)
    zarr.consolidate_metadata(folder)
    return folder
