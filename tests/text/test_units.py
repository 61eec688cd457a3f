"""Units as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nz_explorer.text.units import LATITUDES, LONGITUDES, hemispheres, units_text, with_units


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("degree_Celsius", "°C"),
        ("degC", "°C"),
        ("degrees_north", "°N"),
        ("degree_N", "°N"),
        ("degreesE", "°E"),
        ("Degrees_North", "°N"),
        ("m s-1", "m s⁻¹"),
        ("kg m-2 s-1", "kg m⁻² s⁻¹"),
        ("kg m**-2", "kg m⁻²"),
        ("m^2", "m²"),
        ("mg m-3 day-1", "mg m⁻³ day⁻¹"),
        ("W/m2", "W/m²"),
    ],
)
def test_units_that_are_known_are_written_as_people_write_them(stored, shown):
    assert units_text(stored) == shown
    assert units_text(shown) == shown


@pytest.mark.parametrize(
    "stored",
    ["K", "1", "1e-3", "psu", "mol CO2", "sigma-2", "m-20", "days since 1970-01-01", "hours since 2000-1-1 0:0 GMT-5",
     "m/s", "10 m", "0.01 mm", "<script>", "m-2.5", ""],
)  # fmt: skip
def test_what_is_not_known_for_sure_stays_as_it_is(stored):
    assert units_text(stored) == stored


def test_latitudes_and_longitudes_are_known_by_every_spelling_of_cf_in_any_case():
    for units in LATITUDES:
        assert hemispheres(units) == hemispheres(units.upper()) == hemispheres(f" {units} ") == "NS"
    for units in LONGITUDES:
        assert hemispheres(units) == hemispheres(units.title()) == "EW"
    for units in ("degrees", "degrees_C", "north", "degrees north", "", None, 5):
        assert hemispheres(units) == ""
    assert with_units("-40", "Degrees_North") == "40° S"


@given(st.text())
def test_any_text_is_taken(stored):
    assert units_text(units_text(stored)) == units_text(stored)
