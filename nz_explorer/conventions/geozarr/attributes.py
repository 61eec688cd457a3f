"""GZ: names and values of attributes, one by one."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.zarr3.nodes import is_number
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.fixes import Draft, move, replace
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Node
from nz_explorer.model.dialects.cs import numbers
from nz_explorer.model.dialects.transforms import of_affine
from nz_explorer.model.fill_values import decode_fill
from nz_explorer.text.printable import encodable

if TYPE_CHECKING:
    from nz_explorer.engine.findings import FixMaker
    from nz_explorer.model.fill_values import FillProblem

TEXTS = ("standard_name", "long_name", "units", "grid_mapping")
AXES = ("X", "Y", "Z", "T")
NUMBERS = ("scale_factor", "add_offset")
"""Attributes that section 8.1.6 names, of which CF says what type they have."""
OF_GDAL = ("spatial_ref", "AREA_OR_POINT")
"""Attributes that section 8.1.6 names, and that GDAL writes as text."""
PLAIN = (*TEXTS, "axis", "AREA_OR_POINT", "Conventions", "_FillValue", "missing_value")
"""Attributes whose text is what it says, though it begins with a bracket: `[1]` are units, and a value of strings."""
SPELLED = {
    "gridmapping": "grid_mapping",
    "spatialref": "spatial_ref",
    "geotransform": "GeoTransform",
    "areaorpoint": "AREA_OR_POINT",
}
"""Names without case, dashes and underscores, and how they are spelled."""


@rule(
    "GZ-ATT-003",
    "GZ-ATT-001",
    "GZ-ATT-005",
    "GZ-ATT-007",
    "GZ-META-002",
    on="node",
    needs=("attributes",),
)
def attribute_values(node: Node) -> Iterator[Fail]:
    """Judge the names and values of attributes."""
    for name, value in node.attributes.items():
        pointer = node.attribute_pointer(name)
        if encodable(name) != name:
            yield Fail(
                pointer,
                f"the name {json_text(name)} has half of a surrogate pair, which UTF-8 does not have",
            )
        if name != "multiscales" and _is_no_value(value):  # which is GZ-MS-007
            within = "has a list with" if isinstance(value, list) else "is"
            yield Fail(
                pointer,
                f"attribute {json_text(name)} {within} {json_text(_first_of_none(value))};"
                " allowed are strings, numbers, booleans, arrays and objects",
            )
        elif name == "grid_mapping" and isinstance(node, Array):
            continue  # GZ-CRS-001, GZ-COORD-003
        elif (kind := _wrong_type(name, value)) is not None:
            yield Fail(
                pointer,
                f"{name} must be {kind}, got {json_text(value)}",
                rule="GZ-ATT-001",
            )
        elif isinstance(node, Array) and (why := _never_equal(node, name, value)) is not None:
            yield Fail(
                pointer,
                f"{name}: {why}",
                rule="GZ-ATT-007" if name == "_FillValue" else "GZ-ATT-001",
            )
        yield from _serialised(pointer, name, value)
        yield from _key_metadata(node, name, value)


def _serialised(pointer: str, name: str, value: Any) -> Iterator[Fail]:
    """Note structured metadata that are text."""
    if not isinstance(value, str) or name in PLAIN:
        return
    as_xml, as_json = _is_xml(value), _is_json(value)
    if (as_xml or as_json) and encodable(
        value
    ) != value:  # of other texts the draft does not ask it
        yield Fail(
            pointer,
            f"the text of attribute {json_text(name)} has half of a surrogate pair, which UTF-8 does not have",
            rule="GZ-ATT-003",
        )
    if as_xml:
        yield Fail(pointer, f"attribute {json_text(name)} contains XML as text", rule="GZ-ATT-005")
    if as_json:
        yield Fail(
            pointer,
            f"attribute {json_text(name)} contains JSON as text",
            fix=_parse(pointer, value) if says_the_same(value) else None,
            rule="GZ-ATT-005",
        )


def _key_metadata(node: Node, name: str, value: Any) -> Iterator[Fail]:
    """Judge the metadata whose names are to be preserved, as GDAL writes them."""
    pointer = node.attribute_pointer(name)
    spelled = SPELLED.get(re.sub(r"[\s_-]", "", name).lower())
    if spelled is not None and name != spelled:
        yield Fail(
            pointer,
            f"{json_text(name)} should be spelled {spelled}",
            fix=_rename(name, spelled),
            rule="GZ-META-002",
        )
    elif name == "GeoTransform" and value is not None and not _is_geotransform(value):
        yield Fail(
            pointer,
            f"GeoTransform must be six numbers, as a text or a list, got {json_text(value)}",
            rule="GZ-META-002",
        )
    elif name == "GeoTransform" and (right := of_affine(value)) is not None:
        yield Fail(
            pointer,
            f"GeoTransform is {json_text(value)}, which is in the order of Affine; that of GDAL is {json_text(right)}",
            fix=lambda _node: Draft("unsafe", (replace(pointer, right),)),
            rule="GZ-META-002",
            covers=("CF-MAP-008",),
        )
    elif name in OF_GDAL and isinstance(value, int | float | list):
        # structured metadata may be an object, such as PROJJSON
        yield Fail(pointer, f"{name} must be a text, got {json_text(value)}", rule="GZ-META-002")
    elif (
        name == "AREA_OR_POINT"
        and isinstance(value, str)
        and value.lower() not in ("area", "point")
    ):
        yield Fail(
            pointer,
            f"AREA_OR_POINT must be Area or Point, got {json_text(value)}",
            rule="GZ-META-002",
        )


def _is_no_value(value: Any) -> bool:
    if isinstance(value, list):
        return any(map(_is_no_value, value))
    return value is None or (isinstance(value, float) and not math.isfinite(value))


def _first_of_none(value: Any) -> Any:
    """Return what in a value is none, which `_is_no_value` has found."""
    while isinstance(value, list):
        value = next(filter(_is_no_value, value))
    return value


def _wrong_type(name: str, value: Any) -> str | None:
    """Return what an attribute is by the conventions of its community, where it is something else."""
    if name == "axis":
        return None if isinstance(value, str) and value.upper() in AXES else "X, Y, Z or T"
    if name in TEXTS:
        return None if isinstance(value, str) else "a text"
    if name in NUMBERS:  # a list of one is how netCDF has it
        one = value[0] if isinstance(value, list) and len(value) == 1 else value
        return None if is_number(one) else "a number"
    return None


def _never_equal(array: Array, name: str, value: Any) -> str | None:
    """Return why no value of an array can equal what is to mark missing data; None where one can."""
    if not array.data_type.known:
        return None
    if name == "missing_value":
        marks = value if isinstance(value, list) else [value]
        return next((p.why for one in marks if (p := _problem(array, one, "type"))), None)
    if name != "_FillValue":
        return None
    kinds = ("type", "list") if "_Unsigned" in array.attributes else ("type", "list", "range")
    problem = _problem(array, value, *kinds)
    if problem is not None and isinstance(value, list) and len(value) == 1:
        problem = _problem(array, value[0], *kinds)  # a list of one is how netCDF has it
    return None if problem is None else problem.why


def _problem(array: Array, value: Any, *kinds: str) -> FillProblem | None:
    problems = decode_fill(value, array.data_type).problems
    return next((problem for problem in problems if problem.kind in kinds), None)


def _is_json(text: str) -> bool:
    if text.strip()[:1] not in ("{", "["):
        return False
    try:
        return isinstance(json.loads(text), dict | list)
    except (ValueError, RecursionError):
        return False


def says_the_same(text: str) -> bool:
    """Whether a text can be put in the document as it is: without NaN and null in lists, and names that are there twice."""

    def whole(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError
        return dict(pairs)

    try:
        return not _has_no_value(json.loads(text, object_pairs_hook=whole))
    except ValueError:
        return False


def _has_no_value(value: Any) -> bool:
    """Whether there is anything in it that an attribute may not be, or that JSON does not have."""
    if isinstance(value, dict):
        return any(one is not None and _has_no_value(one) for one in value.values())
    if isinstance(value, str):
        return encodable(value) != value
    return any(map(_has_no_value, value)) if isinstance(value, list) else _is_no_value(value)


_XML = re.compile(r"\s*(<\?xml\s|<(?=[^\s>]*[A-Z:])([A-Za-z_][\w.:-]*)[\s>].*</\2>\s*$)", re.DOTALL)
"""A document of XML, which says so, or whose outermost element is none of HTML, as texts for people may have."""


def _is_xml(text: str) -> bool:
    return _XML.match(text) is not None


def _parse(pointer: str, text: str) -> FixMaker:
    return lambda _node: Draft("unsafe", (replace(pointer, json.loads(text)),))


def _rename(name: str, right: str) -> FixMaker:
    def fix(node: Node) -> Draft | None:
        if right in node.attributes:
            return None
        return Draft("unsafe", (move(node.attribute_pointer(name), node.attribute_pointer(right)),))

    return fix


def _is_geotransform(value: Any) -> bool:
    if not isinstance(value, str):
        return numbers(value, 6) is not None
    parts = value.split()
    try:
        return len(parts) == 6 and all(math.isfinite(float(part)) for part in parts)
    except ValueError:
        return False
