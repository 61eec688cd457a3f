"""CF's `missing_value` is missing wherever values are shown, counted or handed out; NZ knows `_FillValue` alone."""

import numpy as np
import pytest
import xarray
import zarr

import nz_explorer as nz
from nz_explorer.values.masks.cell_states import FILL, MISSING_VALUE, VALUE

ROWS = [[1.0, -9999, 3], [4, 5, 1e20], [7, 8, 9]]


@pytest.fixture
def explored(tmp_path):
    """Return a function that explores an array of those rows with attributes, its last row in a chunk that is absent."""

    def explore(zarr_format=3, fill_value=0, dtype="f4", **attributes):
        group = zarr.open_group(tmp_path / "s.zarr", mode="w", zarr_format=zarr_format)
        named = {"dimension_names": ("y", "x")} if zarr_format == 3 else {}
        array = group.create_array(
            "v", shape=(3, 3), chunks=(1, 3), dtype=dtype, fill_value=fill_value, **named
        )
        array[:2] = np.array(ROWS[:2]).clip(-9999, 127 if dtype == "i2" else None).astype(dtype)
        old = {"_ARRAY_DIMENSIONS": ["y", "x"]} if zarr_format == 2 else {}
        array.attrs.update({**old, **attributes})
        return nz.explore(tmp_path / "s.zarr", path="/v")

    return explore


def mask(ex, **options):
    return np.ma.getmaskarray(ex.values(**options)).tolist()


NONE = [[False] * 3] * 3
MARKED = [[False, True, False], [False] * 3, [False] * 3]


@pytest.mark.filterwarnings("ignore:variable 'v' has multiple fill values")
@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("given", [-9999, -9999.0, [-9999], [-9999, -1]])
def test_what_equals_missing_value_is_masked_as_xarray_masks_it(
    explored, tmp_path, zarr_format, given
):
    # xarray opens no plain number as _FillValue on Zarr v3
    fill = {"_FillValue": 1e5} if zarr_format == 2 else {}
    ex = explored(zarr_format, fill_value=1e5, missing_value=given, **fill)
    gone = [*MARKED[:2], [zarr_format == 2] * 3]  # what was never written is fill_value
    assert mask(ex) == gone
    opened = xarray.open_zarr(tmp_path / "s.zarr", consolidated=False)
    assert np.isnan(opened["v"].values).tolist() == gone


def test_it_is_nearest_in_the_type_of_the_array(explored):
    assert mask(explored(missing_value=1e20)) == [[False] * 3, [False, False, True], [False] * 3]


def test_a_chunk_that_was_never_written_is_missing_where_its_fill_value_is(explored):
    ex = explored(fill_value=-9999, missing_value=-9999)
    assert mask(ex) == [*MARKED[:2], [True] * 3]
    assert mask(ex, packed=True) == NONE
    ex.view = {"reduce": {"y": "mean"}}
    assert ex.values().tolist() == [2.5, 5.0, pytest.approx((3 + 1e20) / 2)]


@pytest.mark.parametrize("view", [{"cf": False}, {"mask": "raw"}])
def test_the_view_can_show_it(explored, view):
    ex = explored(missing_value=-9999)
    ex.view = view
    assert mask(ex) == NONE
    ex.view = {**view, "mask": "storage"} if "cf" in view else {"mask": "storage"}
    assert mask(ex)[0][1] is ("cf" not in view)


@pytest.mark.parametrize("given", ["-9999", None, True, [[-9999]], {"a": 1}, 1e400])
def test_what_is_no_number_marks_nothing(explored, given):
    ex = explored(missing_value=given)
    assert mask(ex) == NONE


def test_integers_are_marked_by_whole_numbers_of_their_range(explored):
    given = [-9999.0, 4.5, 10**30, 5]
    assert mask(explored(dtype="i2", missing_value=given)) == [
        *MARKED[:1],
        [False, True, False],
        [False] * 3,
    ]


def test_statistics_leave_it_out_and_count_it(explored):
    ex = explored(missing_value=[-9999, 1e20])
    found = nz.scan(ex.node)
    assert (found.minimum, found.maximum, found.count) == (1.0, 5.0, 4)
    assert found.states["missing_value"] == 2


def test_pictures_tell_it_from_fill_values(explored):
    ex = explored(missing_value=-9999, _FillValue=4.0)
    look = ex._look()
    assert look.cell_states.tolist()[:2] == [
        [VALUE, MISSING_VALUE, VALUE],
        [FILL, VALUE, VALUE],
    ]
    assert look.low == 1.0
    legend = [t.get_text().split("  ")[0] for one in ex.figure().legends for t in one.texts]
    assert legend == ["_FillValue", "chunk not in the store", "missing_value"]


def test_a_rule_calls_it_by_its_name(explored):
    ex = explored(fill_value=-9999, missing_value=-9999)
    found = [
        one
        for one in nz.check(ex.node.hierarchy, values="all").findings
        if "not written" in one.message
    ]
    assert [one.message for one in found] == [
        "1 of 3 chunks is not written: it reads as -9999.0, which is missing_value; nothing is written for y 2"
    ]
