"""Values of what netCDF-C wrote, against the same data read from a netCDF file."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray
import zarr

from nz_explorer.model import open_store
from nz_explorer.netcdf import cdl
from nz_explorer.plots import make
from nz_explorer.values.coordinates.axes import axis_coordinates, text_attribute
from nz_explorer.values.points import Points
from nz_explorer.values.reading.opening import open_for_reading
from nz_explorer.values.to_xarray import to_xarray


def dataset(store: Path, group: str) -> xarray.Dataset:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a group below has another dimension of the same name
        found = to_xarray(open_store(store)[group])
    return found.to_dataset(inherit=False) if isinstance(found, xarray.DataTree) else found


def same(ours: Any, theirs: Any) -> bool:
    both = isinstance(theirs, np.ndarray) and theirs.dtype.kind == "f"
    return type(ours) is type(theirs) and np.array_equal(ours, theirs, equal_nan=both)


@pytest.mark.parametrize("group", ["/", "/g1", "/g1/sub group"])
def test_to_xarray_gives_what_xarray_reads_from_netcdf(netcdf_c: Path, group: str) -> None:
    ours = dataset(netcdf_c / "everything", group)
    with xarray.open_dataset(netcdf_c / "twin.nc", group=group) as theirs:
        assert {
            name: same(ours.attrs.get(name), value) for name, value in theirs.attrs.items()
        } == (dict.fromkeys(theirs.attrs, True))
        assert set(ours.attrs) == set(theirs.attrs)
        assert theirs.sizes.items() <= ours.sizes.items()
        for name, variable in theirs.variables.items():
            found = ours.variables[name]
            assert found.dims == variable.dims
            assert set(found.attrs) == set(variable.attrs)
            assert all(same(found.attrs[key], value) for key, value in variable.attrs.items())
            if variable.dtype.kind in "iufM" and "_FillValue" in variable.encoding:
                np.testing.assert_array_equal(found.values, variable.values)


def test_unwritten_integers_are_masked_as_zarr_has_no_other_fill_value(netcdf_c: Path) -> None:
    array = open_store(netcdf_c / "everything")["/g1/sub group/w"]
    assert to_xarray(array).dtype == np.float64
    assert to_xarray(array).values.tolist() == [1, 1, 1, 1]


def test_a_scalar_has_no_dimensions(netcdf_c: Path) -> None:
    array = open_store(netcdf_c / "everything")["/scalar"]
    assert array.shape == ()
    assert array.dimension_names == ()
    assert to_xarray(array).shape == ()
    assert float(to_xarray(array)) == 4
    assert make(array.hierarchy, array).text == "4.0"


def test_strings_are_text(netcdf_c: Path) -> None:
    hierarchy = open_store(netcdf_c / "everything")
    assert to_xarray(hierarchy["/strings"]).values.tolist() == ["ä", "bb", "c c"]
    assert to_xarray(hierarchy["/characters"]).item() == b"ab"


def test_shuffled_values_come_back_although_their_size_is_not_noted(netcdf_c: Path) -> None:
    array = open_store(netcdf_c / "everything")["/g1/r"]
    assert array.codecs[0] == {"id": "shuffle", "elementsize": 0}
    assert np.asarray(open_for_reading(array).zarr[...]).tolist() == [[1, 1, 1], [1, 1, 1]]


def test_coordinates_of_groups_above_come_with_the_arrays(netcdf_c: Path) -> None:
    array = open_store(netcdf_c / "everything")["/g1/sub group/name with (brackets)"]
    assert axis_coordinates(array, Points(0, 0, 1, 4, 4)).path == "/time"
    assert to_xarray(array).coords["time"].dt.day.values.tolist() == [2, 3, 4, 5]


def test_a_unit_that_became_a_number_is_a_unit(tmp_path: Path) -> None:
    array = zarr.create_array(
        tmp_path / "a", data=np.arange(3.0), zarr_format=2, attributes={"units": 1}
    )
    assert text_attribute(open_store(tmp_path / "a").root, "units") is None
    array.attrs["_nczarr_attr"] = {"types": {"units": ">S1"}}
    found = open_store(tmp_path / "a").root
    assert text_attribute(found, "units") == "1"
    assert to_xarray(found).attrs == {"units": "1"}


def test_what_is_noted_wrongly_takes_nothing_from_the_values(tmp_path: Path) -> None:
    folder = tmp_path / "a"
    zarr.create_array(folder, data=np.arange(1, 4), zarr_format=2)
    for noted in (
        {"_nczarr_array": 5},
        {"_nczarr_array": {"dimension_references": "x"}},
        {"_nczarr_attr": []},
        {"_nczarr_array": {"scalar": 1, "dimension_references": []}},
    ):
        (folder / ".zattrs").write_text(json.dumps(noted))
        assert to_xarray(open_store(folder).root).values.tolist() == [1, 2, 3]


@pytest.mark.parametrize("beside", ["", ".nczvar", ".nczarray"])
def test_characters_of_netcdf_c_up_to_4_9_0_are_of_one_byte(tmp_path: Path, beside: str) -> None:
    document = {
        "zarr_format": 2,
        "shape": [3],
        "dtype": "<U1",
        "chunks": [3],
        "fill_value": "",
        "order": "C",
        "compressor": None,
        "filters": None,
    }
    noted = {"dimrefs": ["/y"], "storage": "chunked"}
    key = {} if beside else {"_NCZARR_ARRAY": noted}
    folder = tmp_path / "a"
    folder.mkdir()
    (tmp_path / ".zgroup").write_text('{"zarr_format": 2}')
    (folder / ".zarray").write_text(json.dumps({**document, **key}))
    if beside:
        (tmp_path / ".nczarr").write_text('{"zarr_format": 2, "nczarr_version": "1.0.0"}')
        (folder / beside).write_text(json.dumps(noted))
    (folder / "0").write_bytes(b"abc")
    array = open_store(tmp_path)["a"]
    assert to_xarray(array).item() == b"abc"
    assert make(array.hierarchy, array).text == "0  a\n1  b\n2  c"
    assert "char" in [line.text.split()[0] for line in cdl(array) if line.text.startswith("\t")]
