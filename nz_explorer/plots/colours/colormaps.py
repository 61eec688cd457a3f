"""The colormaps that a picture can have: those of matplotlib, and of cmocean and cmcrameri where they are installed."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.colors import Colormap

NAMES: tuple[str, ...] = (
    "viridis",
    "cividis",
    "magma",
    "plasma",
    "turbo",
    "RdBu_r",
    "coolwarm",
    "BrBG",
    "PuOr",
    "Blues",
    "YlGnBu",
    "YlGn",
    "terrain",
    "gray",
    "twilight",
)
"""Sequential ones that stay readable without colour vision first, then diverging, then others."""
OCEAN = (
    "thermal", "haline", "ice", "deep", "dense", "algae", "matter", "speed", "rain", "amp",
    "balance", "delta", "curl", "diff", "topo", "phase",
)  # fmt: skip
"""Colormaps of cmocean."""
SCIENTIFIC = ("batlow", "lapaz", "lajolla", "davos", "oslo", "vik", "roma", "cork", "romaO")
"""Colormaps of cmcrameri."""
_DIVERGING = frozenset(
    [
        "RdBu",
        "coolwarm",
        "BrBG",
        "PuOr",
        "PiYG",
        "PRGn",
        "RdGy",
        "RdYlBu",
        "RdYlGn",
        "Spectral",
        "bwr",
        "seismic",
        "berlin",
        "managua",
        "vanimo",
        "balance",
        "delta",
        "curl",
        "diff",
        "topo",
        "tarn",
        "vik",
        "roma",
        "cork",
        "broc",
        "bam",
        "lisbon",
        "tofino",
    ]
)


def is_diverging(name: str) -> bool:
    """Return whether a colormap has a middle that stands for something."""
    return name.rpartition(".")[2].removesuffix("_r") in _DIVERGING


@cache
def installed(package: str) -> bool:
    """Return whether a package of colormaps is there; matplotlib then knows its colormaps.

    Parameters
    ----------
    package
        ``cmocean`` or ``cmcrameri``.
    """
    with suppress(ImportError):
        importlib.import_module(f"{package}.cm")
        return True
    return False


def colormap(name: str, *, levels: int | None = None) -> Colormap:
    """Return a colormap by name.

    Parameters
    ----------
    name
        As matplotlib knows it; those of cmocean begin with ``cmo.``, those of cmcrameri with ``cmc.``.
    levels
        Into how many colours it is divided; None for a continuous one.

    Raises
    ------
    ValueError
        If there is no such colormap.
    """
    from matplotlib import colormaps

    for prefix, package in (("cmo.", "cmocean"), ("cmc.", "cmcrameri")):
        if name.startswith(prefix) and not installed(package):
            raise ValueError(f"there is no colormap {name!r}: {package} is not installed")
    if name not in colormaps:
        near = difflib.get_close_matches(name, colormaps, 1, cutoff=0.5)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"there is no colormap {name!r} in matplotlib{hint}")
    found: Colormap = colormaps[name]
    return found if levels is None else found.resampled(levels)


def colormap_tables(
    others: Iterable[str] = (),
) -> tuple[tuple[str, ...], np.ndarray[Any, np.dtype[np.uint8]]]:
    """Return the colormaps as tables.

    Parameters
    ----------
    others
        Names of further ones; those that do not exist are left out.

    Returns
    -------
    names : tuple of str
        The first is the default.
    tables : ndarray of uint8, shape (len(names), 256, 3)
        Red, green and blue from low to high.
    """
    names = [*NAMES]
    if installed("cmocean"):
        names += [f"cmo.{name}" for name in OCEAN]
    if installed("cmcrameri"):
        names += [f"cmc.{name}" for name in SCIENTIFIC]
    for name in others:
        with suppress(ValueError):
            colormap(name)
            names += [] if name in names else [name]
    return tuple(names), np.stack([_table(name) for name in names])


@cache
def _table(name: str) -> np.ndarray[Any, np.dtype[np.uint8]]:
    table: np.ndarray[Any, np.dtype[np.uint8]] = colormap(name)(np.linspace(0, 1, 256), bytes=True)[
        :, :3
    ]
    table.setflags(write=False)  # everyone gets the same array
    return table
