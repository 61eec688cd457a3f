"""What is typed at a slider leads to an index, or is refused with a reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

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
    ],
)
def test_a_value_as_it_is_shown_or_an_index(
    browse: Any, sample_store: Path, dimension: str, text: str, index: int
) -> None:
    found = browse(sample_store).ask("locate", path=PATH, dimension=dimension, value=text)
    assert found == {"index": index}


@pytest.mark.parametrize(
    ("dimension", "text", "why"),
    [
        ("level", "high", "level is a number"),
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
