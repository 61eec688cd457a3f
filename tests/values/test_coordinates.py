import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nz_explorer.store import Cancellation, Cancelled
from nz_explorer.values.coordinates.axes import axis_coordinates, coordinate_label, number_text
from nz_explorer.values.coordinates.monotonicity import check_monotonic
from nz_explorer.values.points import Points
from nz_explorer.values.reading.chunk_cache import ChunkCache

PLENTY = 2**24


def check(store, values, chunks=3, budget=PLENTY, dtype=None, **options):
    values = np.asarray(values, dtype)
    options.setdefault("fill_value", None if store.zarr_format == 2 else 0)
    store.array("x", values, dims=("x",), chunks=(min(chunks, max(1, len(values))),), **options)
    return check_monotonic(store["x"], budget=budget)


@pytest.mark.parametrize(
    ("values", "result", "step"),
    [
        ([0, 1, 2, 3, 4, 5, 6, 7], "increasing", 1),
        ([7, 5, 3, 1], "decreasing", -2),
        ([0.1, 0.2, 0.3, 0.4], "increasing", 0.1),
        ([1, 2, 4, 8, 16], "increasing", None),
        ([-np.inf, 0.0, np.inf], "increasing", None),
    ],
)
def test_monotonic(any_store, values, result, step):
    found = check(any_store, values)
    assert found.result == result
    assert found.strict
    assert (found.first, found.last) == (values[0], values[-1])
    assert found.step == step
    assert found.missing_count == 0
    assert found.bytes_read == -(-len(values) // 3) * 3 * 8


@pytest.mark.parametrize(
    ("values", "index"),
    [([0, 0, 1], 1), ([0, 1, 2, 3, 3], 4), ([0, 1, 2, 1], 3), ([3, 2, 1, 2], 3), ([0, 1, 2, 2], 3)],
)
def test_where_it_breaks(any_store, values, index):
    found = check(any_store, values)
    assert found.result == "not"
    assert found.strict is False
    assert (found.index, found.before, found.after) == (index, values[index - 1], values[index])


@pytest.mark.parametrize(
    ("values", "jump"),
    [
        ([0, 1, 2, 40, 41, 42, 43], (3, 2, 40)),
        ([0, 1, 2, 3, 4, 5, 60], (6, 5, 60)),
        ([9.0, 8.5, 8.0, 2.0], (3, 8.0, 2.0)),
    ],
)
def test_the_widest_step(any_store, values, jump):
    assert check(any_store, values).jump == jump


def test_neighbours_are_compared_never_subtracted(store):
    big = [2**64 - 1, 2**63, 1, 0]
    assert check(store, big, dtype="u8").result == "decreasing"
    assert check(store, [5, 4, 3], dtype="u1", overwrite=True).result == "decreasing"
    wide = [-(2**63) + 1, 0, 2**63 - 1]
    assert check(store, wide, dtype="i8", overwrite=True).result == "increasing"


def test_it_stops_at_the_first_violation(store):
    found = check(store, [0, 1, 1, *range(3, 300)], chunks=3)
    assert found.index == 2
    assert found.bytes_read == 3 * 8


@pytest.mark.parametrize(
    ("values", "repeated"),
    [
        ([0, 1, 1, 2], (2, 1, 1, False)),
        ([0, 1, 2, 1], (3, 1, 1, False)),
        ([0, 1, 2, 3, 1, 2], (4, 1, 1, True)),
        # three chunks after the one where the order breaks
        ([5, 9, 2, 7, 1, 3, 4, 9], (7, 1, 9, False)),
        ([5, 9, 2, 7], None),
    ],
)
def test_a_value_that_stands_twice(any_store, values, repeated):
    assert check(any_store, values, chunks=2).repeated == repeated
    short = check(any_store, values, chunks=2, budget=2 * 2 * 8, overwrite=True)
    assert short.bytes_read <= 2 * 2 * 8
    assert short.repeated in (repeated, None)


def test_missing_values(any_store):
    found = check(any_store, [0.0, 1.0, 2.0, np.nan, 4.0])
    assert (found.result, found.index) == ("missing", 3)
    found = check(any_store, [0, 1, 9, 10], attributes={"_FillValue": 9}, overwrite=True)
    assert (found.result, found.index, found.after) == ("missing", 2, 9)
    # in order by value, yet missing
    found = check(
        any_store, [-9999.0, 1.0, 2.0], attributes={"_FillValue": -9999.0}, overwrite=True
    )
    assert (found.result, found.index) == ("missing", 0)


def test_not_a_time(store):
    times = np.array(["2001-01-01", "2001-01-02", "NaT"], "M8[D]")
    assert check(store, times).result == "missing"
    found = check(store, times[:2], overwrite=True)
    assert found.result == "increasing"
    assert (found.first, found.last, found.step) == ("2001-01-01", "2001-01-02", "1 days")


@pytest.mark.parametrize("values", [[True, False], [1j, 2j]])
def test_types_without_an_order(any_store, values):
    found = check(any_store, values)
    assert found.result == "unordered"
    assert found.strict is None
    assert found.bytes_read == 0


def test_strings_by_code_point(store):
    array = store.array("x", shape=(3,), dtype="string", dims=("x",))
    array[:] = np.array(["Z", "a", "é"], dtype=object)
    found = check_monotonic(store["x"], budget=PLENTY)
    assert found.result == "increasing"
    assert "code point" in found.note
    array[:] = np.array(["a", "b", "B"], dtype=object)
    assert check_monotonic(store["x"], budget=PLENTY).result == "not"


@pytest.mark.parametrize("values", [[], [5.0]])
def test_too_short_to_have_a_direction(any_store, values):
    found = check(any_store, values, dtype="f8")
    assert found.result == "trivial"
    assert found.strict
    assert "direction undefined" in found.note


def test_chunks_never_written_are_told_without_reading(store):
    array = store.array("x", shape=(9,), dtype="f8", chunks=(3,), dims=("x",), fill_value=0.0)
    array[0:3] = [1, 2, 3]
    array[6:9] = [7, 8, 9]
    found = check_monotonic(store["x"], budget=0)
    assert (found.result, found.bytes_read) == ("budget", 0)
    found = check_monotonic(store["x"], budget=PLENTY)
    assert (found.result, found.index, found.bytes_read) == ("not", 4, 24)
    array.attrs["_FillValue"] = 0.0
    assert check_monotonic(store["x"], budget=PLENTY).result == "missing"
    store.array("y", shape=(9,), dtype="f8", chunks=(9,), dims=("y",), fill_value=0.0)
    found = check_monotonic(store["y"], budget=0)
    assert (found.result, found.bytes_read) == ("not", 0)


def test_one_element_never_written_is_just_a_value(store):
    array = store.array("x", shape=(3,), dtype="f8", chunks=(1,), dims=("x",), fill_value=0.0)
    array[1:] = [1, 2]
    assert check_monotonic(store["x"], budget=PLENTY).result == "increasing"


def test_the_budget(store):
    found = check(store, np.arange(30.0), chunks=3, budget=100)
    assert found.result == "budget"
    assert found.bytes_read <= 100
    assert found.strict is None
    cache = ChunkCache()
    check_monotonic(store["x"], budget=PLENTY, cache=cache)
    array = store["x"]
    check_monotonic(array, budget=PLENTY, cache=cache)
    assert check_monotonic(array, budget=0, cache=cache).result == "increasing"  # it is kept


def test_what_values_have_decided_is_not_decided_again(store):
    cache = ChunkCache()
    for values in (np.arange(40.0), np.arange(40.0) % 30):
        check(store, values, overwrite=True)
        array = store["x"]
        first = check_monotonic(array, budget=PLENTY, cache=cache)
        asked = cache.hits + cache.misses
        assert check_monotonic(array, budget=0, cache=cache) == replace(first, bytes_read=0)
        assert cache.hits + cache.misses == asked
        assert first.bytes_read > 0
        assert first.strict is bool((np.diff(values) > 0).all())


def test_packed_coordinates(store):
    for scale, result in [(2.0, "increasing"), (-0.5, "decreasing"), (0, "not")]:
        found = check(store, [1, 2, 3], attributes={"scale_factor": scale}, overwrite=True)
        assert found.result == result


def test_data_that_cannot_be_read(store):
    store.array("x", np.arange(9.0), chunks=(3,), dims=("x",))
    store.chunk("x", 1).write_bytes(b"?")
    found = check_monotonic(store["x"], budget=PLENTY)
    assert (found.result, found.strict) == ("unreadable", None)
    assert "chunk 1" in found.note
    store.edit("x", codecs=[{"name": "rot13"}])
    assert check_monotonic(store["x"], budget=PLENTY).result == "unreadable"
    store.edit("x", shape=[3, 3])
    assert check_monotonic(store["x"], budget=PLENTY).result == "unreadable"


def test_cancelled(store):
    store.array("x", np.arange(9.0), dims=("x",))
    cancel = Cancellation()
    cancel.cancel()
    with pytest.raises(Cancelled):
        check_monotonic(store["x"], budget=PLENTY, cancel=cancel)


@settings(
    deadline=None, max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    values=st.lists(st.integers(-4, 4) | st.just(9), min_size=2, max_size=9)
    | st.lists(st.integers(-99, 99), unique=True, min_size=2, max_size=9).map(sorted),
    chunk=st.integers(1, 9),
    flip=st.booleans(),
)
def test_as_plain_python_says(tmp_path_factory, values, chunk, flip):
    import zarr

    from nz_explorer.model import open_store

    values = values[::-1] if flip else values
    pairs = list(itertools.pairwise(values))
    expected = "not"
    if 9 in values:
        expected = "missing"
    elif all(a < b for a, b in pairs):
        expected = "increasing"
    elif all(a > b for a, b in pairs):
        expected = "decreasing"
    folder = tmp_path_factory.mktemp("any")
    array = zarr.create_array(
        folder, data=np.array(values), chunks=(min(chunk, len(values)),), fill_value=77
    )
    array.attrs["_FillValue"] = 9
    found = check_monotonic(open_store(folder)["/"], budget=PLENTY)
    if expected == "missing":  # what comes first is reported
        assert found.result in ("missing", "not")
        assert found.index <= values.index(9) or found.result == "not"
        if found.result == "not":
            assert 9 not in values[: found.index + 1]
    else:
        assert found.result == expected


# --- along the axes of a picture ----------------------------------------------------------------


def along(store, name="a", axis=0, points=None):
    array = store[name]
    points = points or Points(axis, 0, 1, array.shape[axis], array.shape[axis])
    return axis_coordinates(array, points)


def test_numbers(any_store):
    any_store.array("a", np.zeros((3, 2)), dims=("lat", "lon"))
    any_store.array(
        "lat", np.array([60, 50, 40], "i2"), dims=("lat",), attributes={"units": "degrees_north"},
        fill_value=-1,
    )  # fmt: skip
    found = along(any_store)
    assert (found.kind, found.units, found.decreasing) == ("number", "degrees_north", True)
    assert found.coordinates.tolist() == [60, 50, 40]
    assert along(any_store, points=Points(0, 1, 2, 1, 3)).coordinates.tolist() == [50]
    missing = along(any_store, axis=1)
    assert missing.kind == "index"
    assert "lon" in missing.why


@pytest.mark.parametrize(
    ("units", "calendar", "values", "labels"),
    [
        ("days since 2001-01-01", "standard", [0, 31], ["2001-01-01", "2001-02-01"]),
        ("hours since 2001-01-01", None, [0.0, 6.5], ["2001-01-01 00:00", "2001-01-01 06:30"]),
        ("days since 2001-02-28", "360_day", [0, 2], ["2001-02-28", "2001-02-30"]),
        ("days since 0001-01-01", "noleap", [0, 365], ["0001-01-01", "0002-01-01"]),
        ("seconds since 1900-01-01", "standard", [1, 60], ["1900-01-01 00:00:01", "1900-01-01 00:01:00"]),
    ],
)  # fmt: skip
def test_times_of_cf(any_store, units, calendar, values, labels):
    attributes = {"units": units} | ({} if calendar is None else {"calendar": calendar})
    any_store.array("a", np.zeros(2), dims=("t",))
    any_store.array("t", np.array(values), dims=("t",), attributes=attributes, fill_value=-1)
    found = along(any_store)
    assert found.kind == "time"
    assert found.labels == labels
    label, units = coordinate_label(any_store["a"], 0, 1)
    assert labels[1].startswith(label)  # by itself it may need fewer digits
    assert units is None


@pytest.mark.parametrize("units", ["fortnights since 2001-01-01", "days since yesterday", 3])
def test_units_that_are_no_time(store, units):
    store.array("a", np.zeros(2), dims=("t",))
    store.array("t", np.array([0.0, 1.0]), dims=("t",), attributes={"units": units})
    assert along(store).kind == "number"


def test_datetime64(store):
    store.array("a", np.zeros(2), dims=("t",))
    store.array("t", np.array(["2001-01-01", "2001-01-02"], "M8[s]"), dims=("t",))
    assert along(store).labels == ["2001-01-01", "2001-01-02"]


def test_names_label_even_where_they_are_in_no_order(store):
    store.array("a", np.zeros(3), dims=("s",))
    names = store.array("s", shape=(3,), dtype="string", dims=("s",))
    names[:] = np.array(["Oslo", "Bern", "Rome"], dtype=object)
    found = along(store)
    assert (found.kind, found.labels) == ("category", ["Oslo", "Bern", "Rome"])
    assert coordinate_label(store["a"], 0, 2) == ("Rome", None)


def test_packed_coordinates_are_unpacked(store):
    store.array("a", np.zeros(2), dims=("z",))
    packed = {"scale_factor": 0.5, "add_offset": [10.0], "units": "m"}
    store.array("z", np.array([1, 3], "i2"), dims=("z",), attributes=packed)
    assert along(store).coordinates.tolist() == [10.5, 11.5]
    assert coordinate_label(store["a"], 0, 1) == ("11.5", "m")


@pytest.mark.parametrize(
    ("values", "options", "word"),
    [
        (np.array([1.0, 1.0, 2.0]), {}, "not its coordinate"),
        (np.array([1.0, np.nan, 2.0]), {}, "missing"),
        (np.array([1.0, 2.0]), {}, "2 values, not 3"),
        (np.zeros((3, 1)), {"dims": ("x", "y")}, "not one-dimensional"),
        (np.array([True, False, True]), {}, "no order"),
    ],
)
def test_arrays_that_are_no_coordinates(store, values, options, word):
    store.array("a", np.zeros(3), dims=("x",))
    store.array("x", values, **({"dims": ("x",)} | options))
    found = along(store)
    assert found.kind == "index"
    assert word in found.why


def test_dimensions_of_netcdf_are_seen_from_groups_below(nczarr_zip):
    from nz_explorer.model import open_store

    array = open_store(nczarr_zip("v1"))["/g1/pos"]
    assert array.dimension_names[0] == "lat"
    points = Points(0, 0, 1, array.shape[0], array.shape[0])
    assert axis_coordinates(array, points).path == "/lat"


def test_numbers_as_people_write_them():
    assert number_text(float(np.float32(0.1))) == "0.1"
    assert number_text(850.0) == "850"
    assert number_text(0.1) == "0.1"
    assert number_text(1234567.25) == "1234567.25"
    assert number_text(float("nan")) == "nan"
    assert number_text(1e300) == "1e+300"


@pytest.mark.parametrize(
    ("number", "kind", "text"),
    [
        (-4.9999881744384766, "f4", "-5"),  # computed in float32
        (-4.9999881744384766, "f8", "-4.99998817444"),
        (59.994999, "f4", "59.995"),
        (0.1, "f4", "0.1"),
        (12.34567, "f4", "12.34567"),
        (7.6e-06, "f8", "0"),
    ],
)
def test_degrees_that_were_computed(any_store, number, kind, text):
    any_store.array("a", np.zeros(2), dims=("lat",))
    degrees = np.array([number, 9], kind)
    any_store.array("lat", degrees, dims=("lat",), attributes={"units": "degrees_north"})
    label, units = coordinate_label(any_store["a"], 0, 0)
    assert (label, units) == (text, "degrees_north")
