"""CF: attributes by which readers find axes and reference systems have values that they know."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher, get_close_matches
from functools import lru_cache
from typing import TYPE_CHECKING

from nz_explorer.conventions.zarr3.nodes import shown
from nz_explorer.engine.findings import Fail, FixMaker
from nz_explorer.engine.fixes import Draft, set_attribute
from nz_explorer.engine.registry import rule
from nz_explorer.model.dialects.crs import X_NAMES, Y_NAMES
from nz_explorer.text.units import LATITUDES, LONGITUDES, hemispheres

if TYPE_CHECKING:
    from nz_explorer.model import Array

STANDARD_NAMES = (
    "latitude",
    "longitude",
    "grid_latitude",
    "grid_longitude",
    "projection_x_coordinate",
    "projection_y_coordinate",
    "projection_x_angular_coordinate",
    "projection_y_angular_coordinate",
    "forecast_reference_time",
    "forecast_period",
    "air_pressure",
    "altitude",
    "realization",
)
"""Standard names of coordinates by which readers find them, those that are long enough to be told from others."""
DEGREES = ("degrees_north", "degree_north", "degrees_east", "degree_east")
"""Units of latitudes and longitudes as most write them."""
WEST = ("degrees_west", "degree_west")
"""Units that UDUNITS has with the other sign: those of longitudes that grow westwards, such as on maps of planets."""
GRID_MAPPINGS = (
    "albers_conical_equal_area",
    "azimuthal_equidistant",
    "geostationary",
    "healpix",
    "lambert_azimuthal_equal_area",
    "lambert_conformal_conic",
    "lambert_cylindrical_equal_area",
    "latitude_longitude",
    "mercator",
    "oblique_mercator",
    "orthographic",
    "polar_stereographic",
    "rotated_latitude_longitude",
    "sinusoidal",
    "stereographic",
    "transverse_mercator",
    "vertical_perspective",
)
"""Values of grid_mapping_name (CF-1.11, Appendix F, and HEALPix of CF-1.13)."""
AXES = ("X", "Y", "Z", "T")
ACROSS = {
    name: (other, axis, units)
    for first, second, units_of in (
        ("latitude", "longitude", ("degrees_north", "degrees_east")),
        ("grid_latitude", "grid_longitude", ("", "")),
        ("projection_y_coordinate", "projection_x_coordinate", ("", "")),
        ("projection_y_angular_coordinate", "projection_x_angular_coordinate", ("", "")),
    )
    for name, other, axis, units in zip(
        (first, second), (second, first), "YX", units_of, strict=True
    )
}
"""The standard name of the other coordinate of a map, which axis one is along, and its units, by standard name."""
OF_MAPS = ("latitude", "longitude", "projection_x_coordinate", "projection_y_coordinate")
"""Standard names by which rioxarray finds x and y, in whatever letters."""
UNPLACED = {
    "rioxarray": "does not find the dimension by it, unless it is called x, y, longitude or latitude"
}
DIRECTIONS = ("up", "down")
GROWS = {"depth": "down", "altitude": "up", "height": "up"}
"""Which way vertical coordinates grow by what their standard names mean."""
NEAR = 0.88
"""How like a name has to be to be taken for a misspelled one: those that CF has are less like each other."""
NEAR_WORD = 0.6
"""How like each of its words has to be: ``projection_range_coordinate`` of radar data is no misspelled y."""
_USED = ("standard_name", "units", "axis", "positive", "grid_mapping_name")


def _has_any(array: Array) -> bool:
    return any(isinstance(array.attributes.get(name), str) for name in _USED)


@rule("CF-ATTR-003", on="array", needs=("attributes",), when=_has_any)
def values_that_readers_know(array: Array) -> Iterator[Fail]:
    """Warn of values that are nearly right, and of those that contradict each other."""
    given = {name: array.attributes.get(name) for name in _USED}
    texts = {name: value for name, value in given.items() if isinstance(value, str)}
    units = texts.get("units", "")
    # the shorter forms of CF are too like degrees_C to look for what is only like them
    degrees = LATITUDES + LONGITUDES if hemispheres(units) else DEGREES
    for name, spelled in (("standard_name", STANDARD_NAMES), ("units", degrees)):
        meant = _meant(texts.get(name, ""), spelled)
        if meant is not None:
            lost = UNPLACED if meant in OF_MAPS and texts[name].lower() != meant else {}
            why = f"is not known to readers; it seems to be {meant}"
            yield _fail(array, name, why, meant, lost)
    if "axis" in texts and texts["axis"] not in AXES:
        upper = texts["axis"].upper()
        known = upper in AXES  # to rioxarray, which takes a small letter for a capital
        why = "is none of X, Y, Z and T"
        yield _fail(array, "axis", why, upper if known else None, {} if known else UNPLACED)
    yield from _axis_by_name(array, texts)
    yield from _direction(array, texts)
    yield from _grid_mapping(array, texts)


def _axis_by_name(array: Array, texts: dict[str, str]) -> Iterator[Fail]:
    """Warn of an axis, and of units, that are those of another coordinate than the standard name is, as copied attributes have them.

    Where the array is called like the other one, it is the standard name that is to be changed.
    """
    name = texts.get("standard_name", "")
    if name not in ACROSS:
        return
    other, axis, degrees = ACROSS[name]
    sides = hemispheres(texts.get("units", ""))
    for attribute, wrong, right in (
        ("axis", texts.get("axis") == ACROSS[other][1], axis),
        ("units", sides != "" and sides == hemispheres(ACROSS[other][2]), degrees),
    ):
        if wrong:
            lower = array.name.lower()
            renamed = lower in (X_NAMES if axis == "Y" else Y_NAMES)
            given = shown(array.attributes[attribute])
            yield _fail(
                array,
                "standard_name" if renamed else attribute,
                f"contradicts {attribute} {given}"
                if renamed
                else f"contradicts the standard name {name}",
                other if renamed else right,
                {"cf-xarray": "takes it for another coordinate, or for both, and raises KeyError"},
            )
            return


def _direction(array: Array, texts: dict[str, str]) -> Iterator[Fail]:
    positive = texts.get("positive")
    if positive is None:
        return
    way = GROWS.get(texts.get("standard_name", ""))
    if positive.lower() not in DIRECTIONS:
        yield _fail(array, "positive", 'is neither "up" nor "down"', way, {})
    elif way is not None and positive.lower() != way:
        name = texts["standard_name"]
        yield _fail(
            array,
            "positive",
            f"contradicts the standard name {name}, which grows {way}wards: programs that go by"
            " either of them draw it the other way round",
            way,
            {},
        )


def _grid_mapping(array: Array, texts: dict[str, str]) -> Iterator[Fail]:
    """Warn of a projection that no reader knows, where nothing else says what it is."""
    name = texts.get("grid_mapping_name")
    if name is None or name in GRID_MAPPINGS:
        return
    if isinstance(array.attributes.get("crs_wkt") or array.attributes.get("spatial_ref"), str):
        return
    meant = next(iter(get_close_matches(name.lower(), GRID_MAPPINGS, 1, 0.75)), None)
    yield _fail(
        array,
        "grid_mapping_name",
        "is no grid mapping of CF, so readers know no reference system"
        + (f"; it seems to be {meant}" if meant else ""),
        meant,
        None,
    )


@lru_cache(1024)  # most arrays of a store have some of the same few values
def _meant(given: str, known: tuple[str, ...]) -> str | None:
    """Return the value that is spelled nearly as a given one, None where it is right or something else."""
    if not given or given in known or given.casefold() in WEST:
        return None
    same = next((one for one in known if one.casefold() == given.casefold()), None)
    near = get_close_matches(given, known, 3, NEAR)
    return same or next((one for one in near if _has_words_of(given, one)), None)


def _has_words_of(given: str, meant: str) -> bool:
    """Whether no word stands where the other name has quite another."""
    words = (given.split("_"), meant.split("_"))
    return len(words[0]) != len(words[1]) or all(
        SequenceMatcher(None, a, b).ratio() >= NEAR_WORD for a, b in zip(*words, strict=True)
    )


def _fail(
    array: Array, name: str, why: str, meant: str | None, readers: dict[str, str] | None
) -> Fail:
    return Fail(
        array.attribute_pointer(name),
        f"{name} {shown(array.attributes[name])} {why}",
        readers=readers,
        fix=_setter(name, meant),
    )


def _setter(name: str, meant: str | None) -> FixMaker:
    note = "write one of the values that CF has for it, or take it out"
    return lambda node: (
        Draft("suggest", note=note)
        if meant is None
        else Draft("suggest", set_attribute(node, name, meant), "if that is what is meant")
    )
