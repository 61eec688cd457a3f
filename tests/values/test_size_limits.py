"""Sizes in words."""

from __future__ import annotations

import pytest

from nz_explorer.values.reading.size_limits import bytes_text


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 bytes"),
        (1023, "1023 bytes"),
        (1024, "1 KiB"),
        (12.5 * 2**20, "12.5 MiB"),
        (2**80, "1048576 EiB"),
        (10**400, "over 10^308 bytes"),
    ],
)
def test_bytes_are_told_in_the_unit_that_fits(count: float, text: str) -> None:
    assert bytes_text(count) == text
