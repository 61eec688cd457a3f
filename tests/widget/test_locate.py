"""What is typed at a slider leads to an index, or is refused with a reason."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr

import nz_explorer as nz

PATH = "/forecast/temperature"


@pytest.mark.parametrize(
    ("dimension", "text", "index"),
    [
        ("level", "850", 1),
        ("level", "850 hPa", 1),
        ("level", "[2]", 2),
        ("level", "[-1]", 3),
        ("time", "2026-01-04", 12),
        ("time", "2026-01-01 06:00", 1),
        # as above pictures, and as people write it
        ("time", "1 January 2026, 06:00", 1),
        ("time", "4 jan 2026", 12),
        ("time", "January 2026", 0),
        ("time", "2026/01/04", 12),
    ],
)
def test_a_value_as_it_is_shown_or_an_index(
    browse: Any, sample_store: Path, dimension: str, text: str, index: int
) -> None:
    found = browse(sample_store).ask("locate", path=PATH, dimension=dimension, value=text)
    assert found == {"index": index}


@pytest.mark.parametrize(
    ("dimension", "text", "index"),
    [
        ("lat", "60° S", 0),
        ("lat", "60s", 0),
        ("lat", "-60", 0),
        ("lat", "60 degrees_north", 2),
        ("lat", "60°N", 2),
        ("lon", "90 W", 3),
        ("lon", "-90", 3),
        ("lon", "90° E", 1),
        ("lon", "450", 1),
        ("lon", "-0.5", 0),
        ("lat", "60 W", "lat is counted towards N and S, not W"),
        ("lon", "350", 3),
    ],
)
def test_degrees_with_the_side_of_the_earth(
    browse: Any, tmp_path: Path, dimension: str, text: str, index: int | str
) -> None:
    group = zarr.open_group(tmp_path / "s.zarr")
    group.create_array("t", data=np.zeros((3, 4, 2, 2)), dimension_names=("lat", "lon", "y", "x"))
    for name, units, values in (
        ("lat", "degrees_north", [-60, 0, 60]),
        ("lon", "degrees_east", [0, 90, 180, 270]),
    ):
        made = group.create_array(name, data=np.array(values, "f4"), dimension_names=(name,))
        made.attrs["units"] = units
    browser = browse(tmp_path / "s.zarr")
    shown = {one["dimension"]: one["label"] for one in browser.ask("picture", path="/t")["sliders"]}
    assert shown == {"lat": "60° S", "lon": "0°"}
    if isinstance(index, str):
        why = browser.refused("locate", path="/t", dimension=dimension, value=text)
        assert why["message"] == index
    else:
        found = browser.ask("locate", path="/t", dimension=dimension, value=text)
        assert found == {"index": index}


@pytest.mark.parametrize("steps", [np.arange(4) * 6, (np.arange(4) * 6).astype("m8[h]")])
def test_a_length_of_time_in_any_unit(tmp_path: Path, steps: Any) -> None:
    group = zarr.open_group(tmp_path / "s.zarr")
    group.create_array("t", data=np.zeros((4, 2)), dimension_names=("step", "x"))
    step = group.create_array("step", data=steps, dimension_names=("step",))
    if steps.dtype.kind == "i":
        step.attrs["units"] = "hours"
    ex = nz.explore(tmp_path / "s.zarr", path="/t")
    for given in ("12h", "0.5 days", "12", np.timedelta64(720, "m"), dt.timedelta(hours=12)):
        assert ex.sel(step=given).index == {"step": 2}
    with pytest.raises(TypeError, match="write it as 12h"):
        ex.sel(step="soon")
    ex.close()


@pytest.mark.parametrize(
    ("dimension", "text", "index"),
    [
        ("step", "1 day", 4),
        ("step", "12h", 2),
        ("step", "12 hours", 2),
        ("step", "18 hour", 3),
        ("depth", "20 m", 2),
        ("depth", "20 metres", 2),
        ("depth", "20 km", "depth is a number of m; '20 km' is none"),
        ("level", "850 mb", 1),
        ("level", "850 K", "level is a number of hPa; '850 K' is none"),
        ("temp", "10 degC", 1),
        ("bare", "2", 2),
        ("bare", "2 m", "bare is a number; '2 m' is none"),
    ],
)
def test_what_is_typed_with_other_units_is_not_taken_for_the_number_alone(
    browse: Any, tmp_path: Path, dimension: str, text: str, index: int | str
) -> None:
    group = zarr.open_group(tmp_path / "s.zarr")
    along = {
        "step": ("hours", [0, 6, 12, 18, 24]),
        "depth": ("m", [5, 10, 20]),
        "level": ("hPa", [1000, 850]),
        "temp": ("degC", [0, 10]),
        "bare": (None, [0, 1, 2]),
    }
    shape = [len(values) for _, values in along.values()]
    group.create_array("t", data=np.zeros((*shape, 2)), dimension_names=(*along, "x"))
    for name, (units, values) in along.items():
        made = group.create_array(name, data=np.array(values, "f4"), dimension_names=(name,))
        if units:
            made.attrs["units"] = units
    browser = browse(tmp_path / "s.zarr")
    given = {"path": "/t", "dimension": dimension, "value": text}
    if isinstance(index, str):
        assert browser.refused("locate", **given)["message"] == index
    else:
        assert browser.ask("locate", **given) == {"index": index}


@pytest.mark.parametrize(
    ("dimension", "text", "why"),
    [
        ("level", "high", "level is a number"),
        ("time", "Ma 2026", "'Ma 2026' is none"),
        ("time", "31 June 2026", "'2026-06-31' is no date"),
        ("level", "[4]", "level has no index 4: it runs 0 … 3"),
        ("time", "2031", "it runs 2026-01-01"),
        ("depth", "1", "has no dimension depth"),
    ],
)
def test_what_is_not_there_is_refused(
    browse: Any, sample_store: Path, dimension: str, text: str, why: str
) -> None:
    browser = browse(sample_store)
    browser.send("locate", path=PATH, dimension=dimension, value=text)
    reply, _ = browser.answer()
    assert reply["ok"] is False
    assert why in reply["error"]["message"]


@pytest.fixture
def dated(browse: Any, tmp_path: Path) -> Any:
    """Asks where a text leads from an index, along times of a calendar of 360 days, twice a month but for May."""
    import numpy as np
    import zarr

    group = zarr.create_group(tmp_path / "s.zarr")
    days = np.array([day for day in range(0, 720, 15) if day // 30 % 12 != 4], "f8")
    group.create_array("a", data=np.zeros((len(days), 2)), dimension_names=("time", "x"))
    time = group.create_array("time", data=days, dimension_names=("time",))
    time.attrs.update({"units": "days since 2000-01-01", "calendar": "360_day"})
    browser = browse(tmp_path / "s.zarr")
    return lambda value, method="locate", **more: browser.ask(
        method, path="/a", dimension="time", value=value, **more
    )


@pytest.mark.parametrize(
    ("text", "start", "expected"),
    [
        ("first", 7, 0),
        ("last", 7, 43),
        ("+1 month", 0, 2),
        ("+1 month", 1, 3),
        ("+1 month", 7, 9),  # from the middle of April to that of June: there is no May
        ("-1 month", 9, 7),
        ("+2 months", 0, 4),
        ("+1 year", 1, 23),
        ("\u22121 year", 43, 21),
    ],
)
def test_steps_lead_to_the_ends_and_along_the_calendar(
    dated: Any, text: str, start: int, expected: int
) -> None:
    assert dated(text, index=start) == {"index": expected}


def test_beyond_the_ends_there_is_nothing(browse: Any, sample_store: Path) -> None:
    browser = browse(sample_store)
    why = browser.refused("locate", path=PATH, dimension="time", value="+1 year")
    assert why["message"].startswith("time ends 2026-01-05")
    why = browser.refused("locate", path=PATH, dimension="level", value="+1 year")
    assert why["message"] == "level has no dates to step by"


def test_what_is_typed_is_completed(dated: Any) -> None:
    assert dated("2001-06", "complete") == {"labels": ["2001-06-01", "2001-06-16"]}
    assert len(dated("2", "complete")["labels"]) == 12
    assert dated("1999", "complete") == {"labels": []}
