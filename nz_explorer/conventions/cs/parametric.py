"""CS: coordinates that a formula gives, such as those of a terrain-following vertical axis."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from difflib import get_close_matches
from typing import Any

from nz_explorer.conventions.cs.axis_coordinates import (
    has_no_numbers,
    is_keyed,
    of_one_type,
    values_object,
)
from nz_explorer.conventions.uris import is_uri
from nz_explorer.documents.json_text import json_text
from nz_explorer.documents.pointers import join
from nz_explorer.engine.findings import Fail, FixMaker, RuleOutput
from nz_explorer.engine.fixes import Draft, move, replace
from nz_explorer.model.dialects.cs import Axis, CoordinateSet
from nz_explorer.model.dialects.ref import resolve
from nz_explorer.text.phrases import listed, plural

FORMULAS: dict[str, tuple[frozenset[str], ...]] = {
    name: tuple(frozenset(terms.split()) for terms in ways)
    for name, ways in {
        "atmosphere_ln_pressure_coordinate": ("p0 lev",),
        "atmosphere_sigma_coordinate": ("sigma ps ptop",),
        "atmosphere_hybrid_sigma_pressure_coordinate": ("a b ps p0", "ap b ps"),
        "atmosphere_hybrid_height_coordinate": ("a b orog",),
        "atmosphere_sleve_coordinate": ("a b1 b2 ztop zsurf1 zsurf2",),
        "ocean_sigma_coordinate": ("sigma eta depth",),
        "ocean_s_coordinate": ("s eta depth a b depth_c",),
        "ocean_s_coordinate_g1": ("s C eta depth depth_c",),
        "ocean_s_coordinate_g2": ("s C eta depth depth_c",),
        "ocean_sigma_z_coordinate": (
            "sigma eta depth depth_c nsigma zlev",
            "sigma eta depth depth_c zlev",
        ),
        "ocean_double_sigma_coordinate": ("sigma depth z1 z2 a href k_c",),
    }.items()
}
"""The terms of each formula, in the ways in which it can be written (CF Conventions 1.12, Appendix D)."""

_OF_LEVELS = {
    "atmosphere_ln_pressure_coordinate": "lev",
    "atmosphere_sigma_coordinate": "sigma",
    "atmosphere_hybrid_sigma_pressure_coordinate": "a ap b",
    "atmosphere_hybrid_height_coordinate": "a b",
    "atmosphere_sleve_coordinate": "a b1 b2",
    "ocean_sigma_coordinate": "sigma",
    "ocean_s_coordinate": "s",
    "ocean_s_coordinate_g1": "s C",
    "ocean_s_coordinate_g2": "s C",
    "ocean_sigma_z_coordinate": "sigma zlev",
    "ocean_double_sigma_coordinate": "sigma",
}
"""The terms of each formula that have a value for each level, there written as (k)."""

_OF_ROMS = {
    "h": "depth",
    "hc": "depth_c",
    "zeta": "eta",
    "cs_r": "C",
    "cs_w": "C",
    "s_rho": "s",
    "s_w": "s",
}
"""Names of the arrays that the ocean model ROMS writes, in lower case → the terms that they are."""

_PRINCIPAL = {name: {"lev", "sigma", "s"} for name in FORMULAS} | {
    # by Appendix D that is the hybrid height, and CMIP6 has it as the levels: "a: lev b: b orog: orog"
    "atmosphere_hybrid_height_coordinate": {"a"}
}
"""The terms of each formula that are the coordinates themselves, which `values` may give instead."""


def parametric(axis: Axis, one: CoordinateSet) -> RuleOutput:
    """Judge the formula of a set of coordinates, and its terms.

    Parameters
    ----------
    axis : Axis
        The axis.
    one : CoordinateSet
        One of its sets.
    """
    if "parametric" not in one.given:
        return
    given = one.given["parametric"]
    pointer = one.pointer("parametric")
    if not isinstance(given, Mapping):
        yield Fail(
            pointer,
            f"parametric must be an object with formula and terms, got {json_text(given)}",
            rule="CS-PAR-001",
        )
        return
    formula, terms = given.get("formula"), given.get("terms")
    if not isinstance(formula, str):
        got = "it is missing" if formula is None else f"got {json_text(formula)}"
        yield Fail(
            f"{pointer}/formula", f"formula must be the name of a formula: {got}", rule="CS-PAR-001"
        )
    elif formula not in FORMULAS and not is_uri(formula):
        near = _near(formula, FORMULAS)
        yield Fail(
            f"{pointer}/formula",
            f"{json_text(formula)} is neither a formula of CF nor the URI of one{_hint(near)}",
            fix=(lambda _node: Draft("suggest", (replace(f"{pointer}/formula", near),)))
            if near
            else None,
            rule="CS-PAR-002",
        )
    if not isinstance(terms, Mapping):
        got = "they are missing" if terms is None else f"got {json_text(terms)}"
        yield Fail(
            f"{pointer}/terms",
            f"terms must be an object with the values of each term: {got}",
            rule="CS-PAR-001",
        )
        return
    known = formula if isinstance(formula, str) and formula in FORMULAS else None
    if not terms and known is None:
        yield Fail(f"{pointer}/terms", "terms has no values", rule="CS-PAR-001")
    for name, values in terms.items():
        at = join(f"{pointer}/terms", name)
        yield from values_object(json_text(name), one.home, values, at, keyed=is_keyed(axis))
        external = values.get("external") if isinstance(values, Mapping) else None
        explicit = values.get("explicit") if isinstance(values, Mapping) else None
        if isinstance(explicit, list) and of_one_type(explicit):
            yield from _explicit(name, explicit, known, one, f"{at}/explicit", keyed=is_keyed(axis))
        reference = None if external is None else resolve(external, one.home)
        held = None if reference is None else reference.array
        if held is not None and has_no_numbers(held):
            yield Fail(
                f"{at}/external",
                f"the term {json_text(name)} of a formula must be numbers, and {held.path} has {held.data_type.text}",
                related=(held.path,),
                rule="CS-VAL-004",
            )
        if reference is not None and reference.no_array is not None:
            yield Fail(
                f"{at}/external",
                f"{reference.no_array}, which should have the values of {json_text(name)}, is not an array",
                related=tuple(target.node.path for target in reference.targets[:1]),
                rule="CS-VAL-004",
            )
    if known is not None:
        yield from _terms(known, terms.keys(), f"{pointer}/terms")


def _explicit(
    name: str,
    explicit: list[Any],
    formula: str | None,
    one: CoordinateSet,
    at: str,
    *,
    keyed: bool,
) -> RuleOutput:
    """Judge a term that is a list: of texts, or one without levels that the reader of the author of cs takes along the axis."""
    if not explicit or isinstance(explicit[0], str):
        yield Fail(
            at,
            f"the term {json_text(name)} of a formula must be numbers, got {json_text(explicit)}",
            rule="CS-VAL-005",
        )
        return
    levels = _count(one)
    of_formula = formula is not None and any(name in way for way in FORMULAS[formula])
    if not keyed or levels in (None, len(explicit)) or not of_formula or name in of_levels(one):
        return
    yield Fail(
        at,
        f"the term {json_text(name)} has {plural(len(explicit), 'value')}, and the axis {levels}: that is right, and the reader of"
        " the author of cs takes all explicit values along the axis; it reads an array without dimensions",
        severity="info",
        readers={"xarray-zarr-xgroup": "raises ValueError: conflicting sizes for dimension"},
        rule="CS-VAL-005",
    )


def _count(one: CoordinateSet) -> int | None:
    """Return how many values a set of coordinates has, None where it does not say so itself."""
    values = one.given.get("values")
    explicit = values.get("explicit") if isinstance(values, Mapping) else None
    held = one.external()
    if held is not None and held.shape is not None and len(held.shape) == 1:
        return held.shape[0]
    return len(explicit) if isinstance(explicit, list) else None


def of_levels(one: CoordinateSet) -> dict[str, Any]:
    """Return the values of the terms that have one for each level.

    Parameters
    ----------
    one : CoordinateSet
        A set of coordinates.

    Returns
    -------
    dict of str to Any
        By name of the term; nothing where there is no formula that is known.
    """
    levels, _ = _split(one)
    return levels


def terms_without_levels(one: CoordinateSet) -> dict[str, Any]:
    """Return the values of the other terms of a formula that is known, such as those of a surface.

    Parameters
    ----------
    one : CoordinateSet
        A set of coordinates.
    """
    _, others = _split(one)
    return others


def _split(one: CoordinateSet) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the terms that have a value for each level, and the others; none where there is no formula that is known."""
    given = one.given.get("parametric")
    formula, terms = (
        (given.get("formula"), given.get("terms")) if isinstance(given, Mapping) else (None, None)
    )
    if not isinstance(formula, str) or formula not in FORMULAS or not isinstance(terms, Mapping):
        return {}, {}
    levels = {name: terms[name] for name in _OF_LEVELS[formula].split() if name in terms}
    return levels, {name: value for name, value in terms.items() if name not in levels}


def _terms(formula: str, given: AbstractSet[str], pointer: str) -> RuleOutput:
    """Judge whether the terms are those of a formula, in the way that it is written in most likely."""
    wanted = min(FORMULAS[formula], key=lambda terms: (len(terms ^ given), -len(terms)))
    unknown = {name: _near(name, wanted - given) for name in sorted(given - wanted)}
    missing = sorted(wanted - given - _PRINCIPAL[formula] - set(unknown.values()))
    if missing:
        also = "also " if given else ""
        yield Fail(pointer, f"{formula} {also}needs {listed(missing)}", rule="CS-PAR-003")
    for name, near in unknown.items():
        wrong, right = join(pointer, name), join(pointer, near or "")
        other = next((way for way in FORMULAS[formula] if name in way), None)
        yield Fail(
            wrong,
            f"{json_text(name)} is not a term of {formula}{_hint(near)}"
            if other is None
            else f"{json_text(name)} is a term of {formula} only where it is written with {listed(sorted(other))};"
            f" beside {listed(sorted(given & (wanted - other)))} it is one too many",
            fix=_call_it(wrong, right) if near else None,
            rule="CS-PAR-003",
        )


def _call_it(wrong: str, right: str) -> FixMaker:
    return lambda _node: Draft("suggest", (move(wrong, right),))


def _near(name: str, known: Iterable[str]) -> str | None:
    """Return what a name is nearly or is called in ROMS, None where it is nothing known."""
    small = {one.lower(): one for one in known}
    if (term := _OF_ROMS.get(name.lower())) is not None and term.lower() in small:
        return term
    close = get_close_matches(name.lower(), small, 1)
    return small[close[0]] if close else None


def _hint(near: str | None) -> str:
    return "" if near is None else f"; did you mean {near}?"
