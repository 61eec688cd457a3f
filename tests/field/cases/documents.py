"""Documents that are not what JSON, or Zarr, wants them to be."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from tests.field.case import fails, opens, reported, sees
from tests.field.readers import xarray, zarr_python
from tests.field.stores import array, group, put, without


def _strict(path: Path) -> dict[str, object]:
    """Read all documents as JavaScript, Julia and C++ do."""

    def refuse(token: str) -> object:
        raise ValueError(f"Unexpected token {token}")

    names = (".zattrs", ".zarray", "zarr.json")
    return {
        str(file): json.loads(file.read_text("utf-8"), parse_constant=refuse)
        for file in path.rglob("*")
        if file.name in names
    }


@reported(
    "esa-esdl/esdl-core#75",
    "The Julia API cannot read the cube: there is a bare NaN in .zattrs",
    finding=("JSON-003", "/Rg", "NaN"),
    before=(fails(_strict, ValueError, "NaN"), opens(xarray)),
    after=opens(_strict),
)
def bare_nan_in_attributes(folder: Path) -> Path:
    array(
        group(folder, 2),
        "Rg",
        np.ones(2, "f4"),
        ["time"],
        fill_value=None,
        esa_cci_path=float("nan"),
    )
    return folder


@reported(
    "zarr-developers/zarr-python#412",
    "NaN in user attributes is written as it is, which is not JSON",
    finding=("JSON-003", "/", "NaN"),
    before=fails(_strict, ValueError, "NaN"),
    after=opens(_strict),
)
def bare_nan_of_a_group(folder: Path) -> Path:
    group(folder, 2, att1=float("nan"))
    return folder


@reported(
    "EOPF-Explorer/data-model#67",
    'zarr.json holds "fill_value": NaN, which JavaScript refuses',
    finding=("JSON-003", "/b02", "NaN"),
    before=fails(_strict, ValueError, "NaN"),
    after=opens(_strict),
)
def bare_nan_as_fill_value(folder: Path) -> Path:
    array(group(folder), "b02", np.ones(2, "f4"), ["x"])
    put(folder / "b02" / "zarr.json", float("nan"), "fill_value")
    return folder


def _cut(file: Path, at: int) -> None:
    file.write_text(file.read_text("utf-8")[:at], "utf-8")


@reported(
    "MannLabs/scPortrait#300",
    "JSONDecodeError after the disk was full while the project was written",
    finding=("JSON-002", "/", "zarr.json"),
    before=fails(zarr_python, ValueError, ""),
)
def document_cut_short(folder: Path) -> Path:
    array(group(folder), "a", [1.0], ["x"])
    _cut(folder / "zarr.json", 20)
    return folder


@reported(
    "zarr-developers/zarr-python#2729",
    "JSONDecodeError in one process while another one writes the array",
    finding=("JSON-002", "/text_data", "zarr.json", "empty"),
    before=fails(zarr_python, ValueError, ""),
)
def empty_document(folder: Path) -> Path:
    array(group(folder), "text_data", [1.0], ["x"])
    _cut(folder / "text_data" / "zarr.json", 0)
    return folder


def _cut_behind_the_end(folder: Path) -> Path:
    file = folder / "zarr.json"
    text = file.read_text("utf-8")
    file.write_text(text[: text.index('ers"}')], "utf-8")
    return folder


@reported(
    "acquire-project/acquire-zarr#139",
    "JSONDecodeError: Extra data – the end of an older, longer document is still there",
    finding=("JSON-002", "/", "zarr.json"),
    before=fails(zarr_python, ValueError, "Extra data"),
    after=opens(zarr_python),
    by_hand=_cut_behind_the_end,
)
def rest_of_an_older_document(folder: Path) -> Path:
    group(folder)
    file = folder / "zarr.json"
    file.write_text(file.read_text("utf-8") + 'ers"}\n', "utf-8")
    return folder


@reported(
    "Unidata/netcdf-c#2059",
    "KeyError: 'fill_value' – nccopy wrote .zarray without it",
    finding=("Z2-ARR-002", "/dset1", "fill_value"),
    before=fails(zarr_python, Exception, ""),
    after=opens(zarr_python),
)
def fill_value_not_written(folder: Path) -> Path:
    array(group(folder, 2), "dset1", np.ones((3, 3), ">i4"), ["y", "x"])
    without(folder / "dset1" / ".zarray", "fill_value")
    return folder


@reported(
    "JuliaIO/Zarr.jl#146",
    "MethodError: Cannot convert Nothing to UInt8 – fill_value is null, and chunks are missing",
    finding=("Z2-FV-005", "/cea", "missing"),
    before=sees(zarr_python, lambda found: found["cea"].shape == (4,)),
)
def null_as_fill_value(folder: Path) -> Path:
    array(group(folder, 2), "cea", np.ones(4, "u1"), ["x"], chunks=(2,), fill_value=None)
    (folder / "cea" / "1").unlink()
    return folder


@reported(
    "scverse/anndata#2576",
    "read_zarr fails where two columns differ only by case",
    finding=("NZ-NAME-004", "/obs", "case"),
    before=sees(zarr_python, lambda found: {"obs/Leiden", "obs/leiden"} <= set(found)),
)
def columns_that_differ_by_case(folder: Path) -> Path:
    obs = group(folder).create_group("obs")
    array(obs, "Leiden", [1, 2], ["cell"])
    array(obs, "leiden", [3, 4], ["cell"])
    return folder
