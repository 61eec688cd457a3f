"""CF: attributes have the type that CF gives them: those that name or describe are text, limits are numbers."""

from __future__ import annotations

from collections.abc import Iterator
from types import NoneType
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.cf.missing_values import LIMITS
from nz_explorer.conventions.cf.packing import number_in
from nz_explorer.conventions.zarr3.nodes import shown
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.fixes import Draft, set_attribute
from nz_explorer.engine.registry import rule

if TYPE_CHECKING:
    from nz_explorer.engine.findings import FixMaker
    from nz_explorer.model import Array

TEXTS = (
    "units",
    "standard_name",
    "long_name",
    "axis",
    "positive",
    "bounds",
    "climatology",
    "grid_mapping",
    "cell_methods",
    "cell_measures",
    "formula_terms",
    "ancillary_variables",
)
"""Attributes that are text (CF-1.11, Appendix A, type S); of others, rules of their own ask for it."""
_NUMBERS = ("int", "uint", "float")


@rule("CF-ATTR-001", on="array", needs=("attributes", "data type"))
def types_of_attributes(array: Array) -> Iterator[Fail]:
    """Warn of attributes that readers do not understand, and pass over without a word."""
    given, types = array.attributes, array.attribute_types
    is_numeric = array.data_type.kind in _NUMBERS
    for name in TEXTS:
        if types.get(name, str) in (str, NoneType):
            continue
        value = given[name]
        if name == "bounds" and not _is_lone_text(value):
            continue  # a list of numbers has another meaning, in another convention
        times = name == "units" and is_numeric and _is_lone_text(value) and " since " in value[0]
        yield Fail(
            array.attribute_pointer(name),
            f"{name} {shown(value)} is not text, so readers pass over it"
            + (": these times are not decoded" if times else ""),
            severity="warning" if times else None,
            impact="values" if times else None,
            readers={"xarray": "shows numbers in place of dates"} if times else None,
            fix=_setter(name, value[0], "readers use it afterwards")
            if _is_lone_text(value)
            else None,
        )
    yield from _signs(array)
    for name in LIMITS if is_numeric else ():
        if types.get(name) not in (str, list):
            continue
        value = given[name]
        parts = value if isinstance(value, list) else [value]
        if not any(isinstance(part, str) for part in parts):
            continue
        numbers = [number_in(part) if isinstance(part, str) else part for part in parts]
        right = numbers if isinstance(value, list) else numbers[0]
        yield Fail(
            array.attribute_pointer(name),
            f"{name} {shown(value)} is text; a limit of numbers is a number, and readers pass over this one",
            fix=None
            if None in numbers
            else _setter(name, right, "readers mask what is outside afterwards"),
        )


def _signs(array: Array) -> Iterator[Fail]:
    """Warn of an _Unsigned that xarray does not take: it knows "true" and "false", in small letters."""
    given = array.attributes.get("_Unsigned")
    wanted = {"int": "true", "uint": "false"}.get(array.data_type.kind)
    if given == wanted or str(given).lower() != wanted:
        return
    sign = "unsigned" if wanted == "true" else "signed"
    yield Fail(
        array.attribute_pointer("_Unsigned"),
        f'_Unsigned {shown(given)} is not the text "{wanted}", so xarray does not show {sign} values',
        severity="warning",
        impact="values",
        readers={"xarray": f"shows the values as they are stored, not as {sign} ones"},
        fix=_setter("_Unsigned", wanted, f"xarray shows {sign} values afterwards"),
    )


def _is_lone_text(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 1 and isinstance(value[0], str)


def _setter(name: str, value: Any, note: str) -> FixMaker:
    return lambda node: Draft("unsafe", set_attribute(node, name, value), note)
