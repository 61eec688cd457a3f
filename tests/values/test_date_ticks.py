"""Dates along an axis are written where years, months, days and hours begin."""

from __future__ import annotations

import datetime as dt

from hypothesis import given
from hypothesis import strategies as st

from nz_explorer.values.coordinates.date_ticks import MOST, date_ticks


def taken(labels: list[str], most: int) -> list[tuple[int, str]]:
    return next(ticks for ticks in date_ticks(labels) if len(ticks) <= most)


def test_days_begin_at_midnight() -> None:
    start = dt.datetime(2020, 1, 1)  # noqa: DTZ001  # labels have no time zone
    labels = [(start + dt.timedelta(hours=6 * n)).isoformat(timespec="minutes") for n in range(240)]
    ticks = taken(labels, 6)
    assert ticks[0] == (0, "2020-01-01")
    assert all(labels[at].endswith("T00:00") for at, _ in ticks)


def test_months_are_told_with_their_year() -> None:
    labels = [f"{2019 + n // 12}-{n % 12 + 1:02d}" for n in range(36)]
    texts = [text for _, text in taken(labels, 8)]
    assert texts == ["2019-01", "2019-07", "2020-01", "2020-07", "2021-01", "2021-07"]


def test_a_day_is_said_once() -> None:
    labels = ["2020-01-01 00:00", "2020-01-01 00:30", "2020-01-01 01:00", "2020-01-01 01:30"]
    assert [text for _, text in taken(labels, 4)] == ["2020-01-01 00:00", "00:30", "01:00", "01:30"]


def test_what_is_no_date_has_no_ticks() -> None:
    assert date_ticks(["2020-01-01", "winter"]) == []
    assert date_ticks([]) == []


@given(st.lists(st.datetimes(), min_size=2, max_size=60).map(sorted))
def test_every_way_is_in_order_and_bounded(times: list[dt.datetime]) -> None:
    for ticks in date_ticks([time.isoformat(" ", timespec="minutes") for time in times]):
        numbers = [at for at, _ in ticks]
        assert numbers == sorted(set(numbers))
        assert 2 <= len(ticks) <= MOST
        assert numbers[-1] < len(times)
