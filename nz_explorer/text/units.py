"""Units as people write them: °C, m s⁻¹."""

from __future__ import annotations

import re

LATITUDES = ("degrees_north", "degree_north", "degrees_N", "degree_N", "degreesN", "degreeN")
LONGITUDES = ("degrees_east", "degree_east", "degrees_E", "degree_E", "degreesE", "degreeE")
"""Units by which CF tells latitudes and longitudes (CF-1.11, 4.1 and 4.2)."""
PRESSURES = (
    *("Pa", "hPa", "kPa", "mbar", "millibar", "millibars", "bar", "bars", "dbar", "decibar"),
    *("decibars", "pascal", "pascals"),
)
"""Units by which CF knows a vertical coordinate without a stated direction."""
_SIDES = {
    units.lower(): sides
    for sides, all_ in (("NS", LATITUDES), ("EW", LONGITUDES))
    for units in all_
}
_NAMES = {
    **dict.fromkeys(
        ("degree_Celsius", "degrees_Celsius", "degree_C", "degrees_C", "deg_C", "degC", "Celsius",
         "celsius", "degree_celsius", "degrees_celsius", "deg C", "degrees Celsius", "degrees C"),
        "°C",
    ),
    **dict.fromkeys(("degree_Fahrenheit", "degrees_Fahrenheit", "degF", "deg_F"), "°F"),
    **dict.fromkeys(("degrees", "degree"), "°"),
}  # fmt: skip
_SPELLINGS = {
    spelling: names[0]
    for names in (
        ("degree", "degrees", "deg", *LATITUDES, *LONGITUDES),
        ("radian", "radians", "rad"),
        ("m", "metre", "metres", "meter", "meters"),
        ("km", "kilometre", "kilometres", "kilometer", "kilometers"),
        ("cm", "centimetre", "centimetres", "centimeter", "centimeters"),
        ("Pa", "pascal", "pascals"),
        ("hPa", "hectopascal", "hectopascals", "mbar", "mb", "millibar", "millibars"),
        ("kPa", "kilopascal", "kilopascals"),
        ("dbar", "decibar", "decibars"),
        ("bar", "bars"),
        ("K", "kelvin"),
        ("nm", "nanometre", "nanometres", "nanometer", "nanometers"),
        ("um", "µm", "μm", "micrometre", "micrometres", "micrometer", "micrometers", "micron"),
        ("day", "days", "d"),
        ("hour", "hours", "hr", "hrs", "h"),
        ("minute", "minutes", "min", "mins"),
        ("second", "seconds", "sec", "secs", "s"),
        ("ms", "millisecond", "milliseconds"),
        ("us", "µs", "μs", "microsecond", "microseconds"),
        ("ns", "nanosecond", "nanoseconds"),
    )
    for spelling in names
}
"""Units that coordinates often have, and their names in other spellings."""
_LETTERS = {"NS": "°N", "EW": "°E"}
_POWER = re.compile(
    r"(?<![\w.])((?:da|[YZEPTGMkhdcmuµnpfazy])?(?:m|g|s|A|K|mol|N|J|W|Pa|V|Hz|sr|rad|L|l|bar|eV|T|C|F)"
    r"|day|d|hour|hr|h|min|month|year|yr|a|sec|second|meter|metre|degree|deg|ha)"
    r"(?:\^|\*\*)?(-[1-9]|[23])(?![\w.^*-])"
)
"""A unit that is known, and its power: what stands before a number may be another word, such as CO2."""
_RAISED = str.maketrans("-123456789", "⁻¹²³⁴⁵⁶⁷⁸⁹")


def hemispheres(units: object) -> str:
    """Return the letters that degrees have on both sides of zero; none where units are not those of latitudes or longitudes.

    Small and capital letters are the same here; CF has one spelling, so CF-ATTR-003 tells of ``Degrees_North``.

    Parameters
    ----------
    units : object
        The value of the attribute of that name.
    """
    return _SIDES.get(units.strip().lower(), "") if isinstance(units, str) else ""


def known_unit(units: object) -> str | None:
    """Return the one name of a unit that coordinates often have, however it is spelled; None of any other.

    Parameters
    ----------
    units : object
        The value of an attribute that names it.
    """
    return _SPELLINGS.get(units.strip()) if isinstance(units, str) else None


def units_text(units: str) -> str:
    """Return units as a person writes them, as far as they are known for sure; else as they are.

    Parameters
    ----------
    units : str
        As they are stored, in the spelling of UDUNITS (CF-1.11, 3.1).
    """
    if " since " in units:
        return units
    if sides := hemispheres(units):
        return _LETTERS[sides]
    return _NAMES.get(units) or _POWER.sub(lambda m: m[1] + m[2].translate(_RAISED), units)


def with_units(label: str, units: str | None) -> str:
    """Return the value of a coordinate with its units: ``850 hPa``, and degrees as on a map.

    Parameters
    ----------
    label
        The value.
    units
        Of the coordinate, if it has any.
    """
    if units is not None and units.lower().startswith("degree"):
        return degrees_text(label, units)
    return f"{label} {units_text(units or '')}".strip()


def degrees_text(label: str, units: str) -> str:
    """Return degrees as on a map, ``40° N``, where their units say which way they go.

    Parameters
    ----------
    label
        The number.
    units
        Such as ``degrees_north``.
    """
    sides = hemispheres(units)
    if not sides:
        return f"{label} {units_text(units)}"
    try:
        degrees = round(float(label), 5)
    except ValueError:  # a name, of a category of them
        return f"{label} {units}"
    if sides == "EW":
        degrees = (degrees + 180) % 360 - 180
    side = sides[degrees < 0] if degrees not in (0, -180) else ""
    return f"{abs(degrees):.6g}° {side}".rstrip()
