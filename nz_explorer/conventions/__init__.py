"""What must hold: one folder for each convention, with its rules, its catalogue and its `Convention` object.

Other packages add conventions of their own through the entry point ``nz_explorer.conventions``.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.metadata import entry_points
from typing import Any

from nz_explorer.conventions.cf import CF
from nz_explorer.conventions.cs import CS
from nz_explorer.conventions.geozarr import GEOZARR
from nz_explorer.conventions.nczarr import NCZARR
from nz_explorer.conventions.nz import NZ
from nz_explorer.conventions.ome import OME
from nz_explorer.conventions.zarr import ZARR
from nz_explorer.conventions.zarr2 import ZARR2
from nz_explorer.conventions.zarr3 import ZARR3
from nz_explorer.conventions.zcf import ZCF
from nz_explorer.engine.catalogue import RuleInfo
from nz_explorer.engine.convention import Convention
from nz_explorer.engine.evaluation import Evaluation
from nz_explorer.engine.registry import Registry
from nz_explorer.model import Hierarchy

__all__ = ["Convention", "evaluate", "registry", "rules"]

GROUP = "nz_explorer.conventions"
"""The entry point that other packages register conventions under."""

BUILT_IN = (ZARR, ZARR3, ZARR2, ZCF, CF, NZ, NCZARR, CS, GEOZARR, OME)
"""Those that others build on first."""


@cache
def registry(*profiles: str) -> Registry:
    """Return all conventions that are installed.

    Parameters
    ----------
    *profiles : str
        Other readings of their texts, such as ``strict_marked``.

    Raises
    ------
    TypeError
        If an entry point leads to something that is no convention.
    ValueError
        If two conventions have the same key, or describe the same rule, or if a profile is not known.
    """
    found = list(BUILT_IN)
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        convention = entry.load()
        if not isinstance(convention, Convention):
            raise TypeError(
                f"the entry point {entry.name} of {GROUP} must be a Convention, not {type(convention).__name__}"
            )
        found.append(convention)
    return Registry(found, profiles)


def rules() -> dict[str, RuleInfo]:
    """Return all rules of all conventions that are installed, by id."""
    return registry().rules


def evaluate(
    hierarchy: Hierarchy,
    conventions: str | Iterable[str] = "auto",
    *,
    profile: Iterable[str] = (),
    **options: Any,
) -> Evaluation:
    """Return an evaluation against the conventions that are installed, with nothing fed to it yet.

    Parameters
    ----------
    hierarchy : Hierarchy
        What is evaluated.
    conventions : str or iterable of str
        ``auto``, or keys of conventions.
    profile : iterable of str
        Other readings of their texts.
    **options
        See `Evaluation`.

    Raises
    ------
    ValueError
        If a convention, a rule or a profile is not known.
    """
    return Evaluation(hierarchy, registry(*profile), conventions, **options)
