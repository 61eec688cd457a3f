"""Colours of categories: the same in the browser, in figures and in programs."""

from __future__ import annotations

from collections.abc import Iterable


def category_colour(number: int) -> tuple[float, float, float]:
    """Return the colour of a category: the same as in the browser."""
    import colorsys

    hue = (210 + number * 137.5) % 360
    light = 0.48 + (number % 3 - 1) * 0.13
    return colorsys.hls_to_rgb(hue / 360, light, 0.58)


def category_hex(number: int) -> str:
    """Return the colour of a category as programs write it."""
    return hex_of(category_colour(number))


def hex_of(colour: Iterable[float]) -> str:
    """Return the parts of a colour, from 0 to 1, as programs write them."""
    return "#" + "".join(f"{round(255 * part):02x}" for part in colour)
