"""Its sibling after a bad week: each violation is on purpose, and listed."""

from __future__ import annotations

import base64
import shutil
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import zarr

from nz_explorer.lab.demo_data.documents import (
    Json,
    Writer,
    consolidate,
    edit_document,
    empty_folder,
)
from nz_explorer.lab.demo_data.sample import LAND_FILL, write_hierarchy


@dataclass(frozen=True, slots=True)
class Violation:
    """One deliberate violation of the broken sample.

    Parameters
    ----------
    path
        The node at which it shows.
    rules
        Ids of the rules that a checker should report at that node.
    what
        What was done, in a sentence.
    """

    path: str
    rules: tuple[str, ...]
    what: str


def write_broken(folder: str | Path) -> Path:
    """Write the sample dataset and break it in the ways that `BROKEN_RULES` lists.

    Parameters
    ----------
    folder
        Where the root of the store goes; it must be empty or not exist.

    Returns
    -------
    Path
        The folder.

    Raises
    ------
    FileExistsError
        If there is something in the folder.
    """
    root = empty_folder(folder)
    write_hierarchy(root)
    _break_metadata(root)
    consolidate(root)
    _break_after_consolidation(root)
    return root


BROKEN_RULES: tuple[Violation, ...] = (
    Violation("/", ("NZ-DECL-001",), 'The root declares "NZ-1.01", which is not NZ-1.0.'),
    Violation(
        "/forecast",
        ("NZ-DIM-010",),
        "In /forecast, lat has 73 values for most arrays and 72 for /forecast/humidity.",
    ),
    Violation("/forecast/gusts", ("NZ-DIM-001",), "dimension_names is missing."),
    Violation("/forecast/dew_point", ("NZ-DIM-004",), "A dimension is called null."),
    Violation("/forecast/ozone", ("NZ-DIM-005",), "A dimension has an empty name."),
    Violation("/forecast/albedo", ("Z3-DIM-001",), "Three names for two dimensions."),
    Violation("/forecast/covariance", ("NZ-DIM-008",), "One name for both axes of a square."),
    Violation("/forecast/mixing", ("NZ-DIM-011",), "One name for axes of two lengths."),
    Violation("/forecast/height", ("NZ-SCAL-001",), "A scalar without dimension_names."),
    Violation("/analysis/lon", ("NZ-COORD-002",), "A longitude that goes back once."),
    Violation("/analysis/lat", ("NZ-COORD-003",), "A latitude with NaN in it."),
    Violation("/analysis/surface_pressure", ("NZ-FILL-003",), "_FillValue -99999 on int16."),
    Violation("/analysis/cloud_type", ("NZ-FILL-002",), '_FillValue "missing" on uint8.'),
    Violation("/analysis/quality", ("NZ-FILL-004",), "_FillValue is a list."),
    Violation(
        "/ocean/salinity",
        ("NZ-FILL-005",),
        "_FillValue in the base64 form that xarray writes.",
    ),
    Violation("/ocean/depth", ("NZ-ATTR-001",), "An attribute mixes numbers and text."),
    Violation("/stations/2m_humidity", ("NZ-NAME-001",), "A name that begins with a digit."),
    Violation("/stations/wind speed", ("NZ-NAME-002",), "A name with a blank."),
    Violation("/stations/altitude", ("NZ-NAME-003",), "An attribute name with a slash."),
    Violation("/stations/lat", ("NZ-NAME-004",), '"units" and "Units" in one node.'),
    Violation("/stations/air_temperature", ("JSON-003",), "A bare NaN where JSON has none."),
    Violation("/stations/lon", ("JSON-004",), "One key twice."),
    Violation("/stations/time", ("JSON-005",), "A byte order mark."),
    Violation("/stations/radiation", ("JSON-002",), "A document cut off by a lost connection."),
    Violation("/analysis/snow", ("Z3-CODEC-012",), "A codec that nobody has registered."),
    Violation("/analysis/soil", ("Z3-SHAPE-001",), "A negative length."),
    Violation("/analysis/fog", ("Z3-DOC-003",), "No data type."),
    Violation("/analysis/sunshine", ("CF-PACK-001",), 'A scale_factor "0.1", which is a text.'),
    Violation("/stations/maintenance", ("CF-TIME-002",), 'A calendar "no_leap".'),
    Violation("/analysis/haze", ("CF-REF-001",), "coordinates lists an array that is not there."),
    Violation("/analysis/frost", ("ZCF-SPATIAL-002",), "spatial:dimensions it does not have."),
    Violation("/archive", ("TREE-002",), "A folder of arrays that has no group document."),
    Violation(
        "/ocean/sea_surface_temperature/anomaly",
        ("TREE-003",),
        "An array inside an array.",
    ),
    Violation(
        "/forecast/u_wind",
        ("NZ-CONS-002",),
        "The units changed after the metadata was consolidated.",
    ),
    Violation("/ocean/currents", ("NZ-CONS-003",), "Added after consolidation."),
    Violation("/ocean/ice", ("NZ-CONS-004",), "Deleted after consolidation."),
)
"""What `write_broken` breaks, and the rules that should report it at that node."""


def _break_metadata(root: Path) -> None:
    """Break rules in ways that consolidation carries along."""
    writer = Writer(root)

    def set_root(meta: Json) -> None:
        meta["attributes"]["conventions"] = "NZ-1.01 CF-1.12"
        meta["attributes"]["title"] = "Sample weather archive, broken on purpose"

    edit_document(root, "", set_root)
    _break_dimensions(root, writer)
    _break_coordinates(root)
    _break_attributes(root)

    for name in ("2m_humidity", "wind speed", "radiation"):
        writer.array(f"stations/{name}", ["station"], np.linspace(0, 1, 8, dtype=np.float32))
    small = np.zeros((4, 3), np.float32) + 1
    for name in ("snow", "soil", "fog"):
        writer.array(f"analysis/{name}", ["row", "column"], small)
    edit_document(
        root,
        "analysis/snow",
        lambda meta: meta["codecs"].append({"name": "wavelet9", "configuration": {"order": 4}}),
    )
    _break_conventions(writer)
    edit_document(root, "analysis/soil", lambda meta: meta.update(shape=[4, -3]))
    edit_document(root, "analysis/fog", lambda meta: meta.pop("data_type"))
    writer.array("ocean/ice", ["rlat", "rlon"], np.zeros((96, 140), np.float32), units="1")


SPATIAL = {
    "schema_url": "https://raw.githubusercontent.com/zarr-conventions/spatial/refs/tags/v0.1/schema.json",
    "uuid": "689b58e2-cf7b-45e0-9fff-9cfc0883d6b4",
    "name": "spatial",
}
"""How an array declares the convention spatial."""


def _break_conventions(writer: Writer) -> None:
    """Break what CF and spatial say; each of these arrays keeps NZ-1.0."""
    small = np.ones((4, 3), np.float32)
    packed, days = np.ones((4, 3), np.int16), np.arange(8, dtype=np.int32)
    writer.array("analysis/sunshine", ["row", "column"], packed, units="h", scale_factor="0.1")
    times: dict[str, Any] = {"units": "days since 2024-01-01", "calendar": "no_leap"}
    writer.array("stations/maintenance", ["station"], days, **times)
    writer.array("analysis/haze", ["row", "column"], small, coordinates="haze_height")
    names: dict[str, Any] = {"spatial:dimensions": ["y", "x"], "zarr_conventions": [SPATIAL]}
    writer.array("analysis/frost", ["row", "column"], small, **names)


def _break_dimensions(root: Path, writer: Writer) -> None:
    ones = np.ones
    for name, dims, shape in (
        ("humidity", ["lat", "lon"], (72, 144)),
        ("gusts", ["lat", "lon"], (73, 144)),
        ("dew_point", ["lat", "lon"], (73, 144)),
        ("ozone", ["lat", "lon"], (73, 144)),
        ("albedo", ["lat", "lon"], (73, 144)),
        ("covariance", ["mode", "mode"], (5, 5)),
        ("mixing", ["layer", "layer"], (4, 5)),
    ):
        writer.array(f"forecast/{name}", dims, ones(shape, np.float32), units="1")

    def set_names(names: Any) -> Callable[[Json], None]:
        return lambda meta: meta.update(dimension_names=names)

    edit_document(root, "forecast/gusts", lambda meta: meta.pop("dimension_names"))
    edit_document(root, "forecast/dew_point", set_names(["lat", None]))
    edit_document(root, "forecast/ozone", set_names(["lat", ""]))
    edit_document(root, "forecast/albedo", set_names(["time", "lat", "lon"]))
    edit_document(root, "forecast/height", lambda meta: meta.pop("dimension_names"))


def _break_coordinates(root: Path) -> None:
    lon = zarr.open_array(root / "analysis" / "lon", mode="r+")
    values = np.asarray(lon[:])
    values[40] = values[38]
    lon[:] = values
    lat = zarr.open_array(root / "analysis" / "lat", mode="r+")
    lat[17] = np.nan


def _break_attributes(root: Path) -> None:
    def set_attributes(path: str, **attributes: Any) -> None:
        edit_document(root, path, lambda meta: meta["attributes"].update(attributes))

    set_attributes("analysis/surface_pressure", _FillValue=-99999)
    set_attributes("analysis/cloud_type", _FillValue="missing")
    set_attributes("analysis/quality", _FillValue=[-1, -2])
    # xarray writes a float _FillValue as base64 of the little-endian double.
    dialect = base64.b64encode(struct.pack("<d", LAND_FILL)).decode("ascii")
    set_attributes("ocean/salinity", _FillValue=dialect)
    set_attributes("ocean/depth", valid_range=[0, "unknown"])
    set_attributes("stations/altitude", **{"geo/datum": "EGM96"})
    set_attributes("stations/lat", Units="deg")


def _break_after_consolidation(root: Path) -> None:
    """Change documents behind the back of the consolidated metadata."""
    writer = Writer(root)
    edit_document(root, "forecast/u_wind", lambda meta: meta["attributes"].update(units="knots"))
    writer.array("ocean/currents", ["rlat", "rlon"], np.ones((96, 140), np.float32), units="m s-1")
    shutil.rmtree(root / "ocean" / "ice")

    writer.array("archive/monthly_mean", ["month"], np.arange(12, dtype=np.float32))
    (root / "archive" / "zarr.json").unlink(missing_ok=True)
    writer.array("anomaly", ["y", "x"], np.ones((3, 4), np.float32))
    (root / "anomaly").rename(root / "ocean" / "sea_surface_temperature" / "anomaly")

    def rewrite(path: str, change: Callable[[str], str], encoding: str = "utf-8") -> None:
        document = root / path / "zarr.json"
        document.write_text(change(document.read_text("utf-8")), encoding, newline="\n")

    rewrite("stations/radiation", lambda text: text[: int(len(text) * 0.6)])
    rewrite("stations/time", str, encoding="utf-8-sig")
    rewrite(
        "stations/lon", lambda text: text.replace('"units":', '"units": "degrees", "units":', 1)
    )
    rewrite(
        "stations/air_temperature",
        lambda text: text.replace('"_FillValue": "NaN"', '"_FillValue": NaN'),
    )
