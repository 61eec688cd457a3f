"""Declarations are taken apart where an identifier ends, whoever writes them again."""

from __future__ import annotations

import pytest

from nz_explorer.text.identifiers import with_nz


@pytest.mark.parametrize(
    ("attributes", "declared"),
    [
        ({}, "NZ-1.0"),
        ({"Conventions": "CF-1.8/ACDD-1.3, UGRID-1.0"}, "NZ-1.0 CF-1.8 ACDD-1.3 UGRID-1.0"),
        ({"conventions": "CF-1.8 nz-1.0", "Conventions": "COARDS"}, "NZ-1.0 CF-1.8"),
    ],
)
def test_nz_stands_before_what_was_declared(attributes: dict[str, str], declared: str) -> None:
    assert with_nz(attributes) == declared
