"""Z2: what OGC 21-050r1 adds to Zarr v2: dimension names and coordinate reference systems."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.netcdf_c import impact_of_netcdf
from nz_explorer.conventions.suggested_names import (
    MADE_UP,
    names_given,
    names_left,
    suggested_names,
    where_from,
)
from nz_explorer.conventions.times_as_numbers import REFUSED, TIMES, as_numbers, in_multiples
from nz_explorer.conventions.zarr2.members import NCZARR, V2
from nz_explorer.conventions.zarr2.netcdf.array_dimensions import lengths_beside, readers_of_names
from nz_explorer.conventions.zarr3.nodes import NCZARR_ERROR, set_to, shown
from nz_explorer.documents.json_text import json_text
from nz_explorer.documents.json_types import json_type
from nz_explorer.engine.findings import Fail, FixMaker, Undecided
from nz_explorer.engine.fixes import Draft, move, set_attribute
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Group
from nz_explorer.model.dialects import crs
from nz_explorer.model.dialects.multiscales import levels_above
from nz_explorer.model.dialects.nczarr import MAX_LENGTHS, SCALAR_DIMENSION
from nz_explorer.model.dialects.tables import is_of_a_table
from nz_explorer.model.hierarchy import renamed_document
from nz_explorer.store import ReadError
from nz_explorer.text.phrases import listed, plural

if TYPE_CHECKING:
    from nz_explorer.model import Node

_NUMBERED = re.compile(r"[A-Za-z]*[_-]?\d+")
"""Names that levels of a pyramid have."""
_LEVELS = (1.5, 4.5)
"""By how much one level of a pyramid is shorter than the next."""

_MULTISCALES = re.compile(r"multi[ _-]?scales?", re.IGNORECASE)
"""Names that are nearly multiscales."""

FLOATS = ("float32", "float64")


def _has_no_names(array: Array) -> bool:
    """Whether dimensions have no names; those that only netCDF-C knows are NCZ-XR-001."""
    return "_ARRAY_DIMENSIONS" not in array.attributes and array.dimension_references is None


@rule(
    "Z2-OGC-002",
    on="array",
    formats=V2,
    needs=("shape", ".zattrs"),
    when=_has_no_names,
)
def has_array_dimensions(array: Array) -> Iterator[Fail]:
    """Require names for the dimensions where netCDF-like tools look for them."""
    if array.ndim is not None:
        # OME-NGFF asks for no such names, and levels that had them would conflict (NZ-DIM-010)
        aside = _is_level(array) or is_of_a_table(array)
        given = names_given(array) if array.ndim else None
        beside = "" if given is None else f": they do not look at {given[0]}, which names them"
        meant = (
            "to netCDF-like tools its dimensions are anonymous"
            if array.ndim
            else "[] tells netCDF-like tools that it is a scalar"
        )
        yield Fail(
            "/.zattrs/_ARRAY_DIMENSIONS",
            f"this array has no _ARRAY_DIMENSIONS; {meant}{beside}",
            readers={}
            if array.hierarchy.zarr_format == 3
            else None,  # they do not see it: TREE-005
            impact="advice" if aside else None,
            severity="info" if aside else None,
            fix=_name_dimensions,
        )


def _is_level(array: Array) -> bool:
    """Whether an array is one of several levels of an image."""
    return any(len(names) > 1 and name in names for name, names in levels_above(array))


def _name_dimensions(node: Node) -> Draft | None:
    if not isinstance(node, Array) or node.shape is None:
        return None
    given, right = names_given(node), node.attribute_pointer("_ARRAY_DIMENSIONS")
    if given is not None and given[0].lower() == right.lower():
        return Draft("suggest", (move(given[0], right),))  # names that differ by case confuse
    if given is None and _are_misnamed(node):
        return None  # TREE-013 puts them back, and made-up ones would hide them
    names, certain = suggested_names(node)
    note = None if certain or not names else where_from(names, node)
    return Draft(
        "suggest" if names else "safe", set_attribute(node, "_ARRAY_DIMENSIONS", names), note
    )


def _are_misnamed(array: Array) -> bool:
    """Whether the attributes of an array lie beside it under another name, or in a folder of theirs."""
    if array.document(".zattrs") is not None:
        return False
    here = array.hierarchy.reader.list_many([array.path[1:]], limit=100)[0]
    return not isinstance(here, ReadError) and any(
        ".zattrs" in (name, renamed_document(name)) for name in here.names
    )


@rule(
    "Z2-OGC-003",
    on="array",
    formats=V2,
    needs=("attributes",),
    when=lambda array: "_ARRAY_DIMENSIONS" in array.attributes,
    provides="names",
)
def array_dimensions(array: Array) -> Iterator[Fail]:
    """Require a name for each dimension in the attribute that v2 uses for it."""
    given = array.attributes["_ARRAY_DIMENSIONS"]
    well_formed = isinstance(given, list) and all(isinstance(name, str) for name in given)
    stored = array.stored_shape  # other than the shape where netCDF-C stores a scalar
    if not well_formed or (stored is not None and len(given) != len(stored)):
        lengths = "" if stored is None else f" for shape {list(stored)}"
        yield Fail(
            "/.zattrs/_ARRAY_DIMENSIONS",
            f"_ARRAY_DIMENSIONS must be a list with one string per dimension{lengths}, got {shown(given)}",
            readers=readers_of_names(array, given),
            fix=_as_list if isinstance(given, str) else _name_each,
        )


def _as_list(node: Node) -> Draft | None:
    """Make a list of a text: of the list that it is in JSON, of the names in it, or of the one name that it is."""
    given = node.attributes["_ARRAY_DIMENSIONS"]
    rank = len(node.shape or ()) if isinstance(node, Array) else 0
    try:
        names = json.loads(given)
    except (ValueError, RecursionError):
        names = given.replace(",", " ").split() if rank > 1 else None
    if isinstance(names, list) and len(names) == rank and all(isinstance(n, str) for n in names):
        return Draft("suggest", set_attribute(node, "_ARRAY_DIMENSIONS", names))
    if isinstance(node, Array) and given and not isinstance(names, list) and rank == 1:
        operations = set_attribute(node, "_ARRAY_DIMENSIONS", [given])
        # where the dimension has two lengths then, netCDF-C refuses the dataset, which it opens as it is
        length = (node.shape or (0,))[0]
        has_two = lengths_beside(node).get(given, length) != length
        return Draft("suggest" if has_two else "safe", operations)
    return _name_each(node)


def _name_each(node: Node) -> Draft | None:
    if isinstance(node, Array) and node.shape == () and node.stored_shape == (1,):
        return Draft("safe", set_attribute(node, "_ARRAY_DIMENSIONS", [SCALAR_DIMENSION]))
    if not isinstance(node, Array) or not node.shape:
        return Draft("suggest", note="name each dimension once, in the order of shape")
    given = node.attributes["_ARRAY_DIMENSIONS"]
    names, _ = suggested_names(node)
    if not isinstance(given, list) or len(given) <= len(node.shape):
        note = where_from(names, node)
    elif rest := names_left(node, given):
        names, note = rest, f"without what is too many: check {'it' if len(rest) == 1 else 'them'}"
    elif any(name.startswith(MADE_UP) for name in names):  # while names are there to choose from
        some = plural(len(given) - len(node.shape), "name")
        return Draft("suggest", note=f"leave out {some}: the array has the shape {[*node.shape]}")
    else:
        note = where_from(names, node)
    return Draft("suggest", set_attribute(node, "_ARRAY_DIMENSIONS", names), note)


def _is_taken(array: Array) -> bool:
    """Whether netCDF-C has a type for integers and bytes; it has none for objects, whatever their filter makes of them."""
    objects = str(array.metadata.get("dtype")).endswith("O")
    return array.data_type.kind in ("int", "uint", "bytes") and not objects


@rule("Z2-OGC-004", on="array", formats=V2)
def no_user_types(array: Array) -> Iterator[Fail]:
    """Note a type that netCDF has no mapping for."""
    kind = array.data_type
    if kind.kind == "struct":
        said = f"{kind.text}: the standard maps no user-defined types to netCDF"
    elif kind.known and kind.name not in FLOATS and not _is_taken(array):
        dtype = shown(array.metadata.get("dtype"))
        in_words = "" if kind.kind in ("bytes", "raw") else f" ({kind.text})"
        said = (
            f"netCDF-C reads no texts of dtype {dtype}, though netCDF has a type for texts"
            if kind.kind == "string"
            else f"netCDF has no type for dtype {dtype}{in_words}"
        )
    else:
        return
    # xarray makes a _FillValue of it, and none that NumPy can compare
    decoded = kind.kind in ("struct", "raw") and array.metadata.get("fill_value") is not None
    xarray = {"xarray": "raises TypeError: unhashable type when it decodes the group"}
    multiples = in_multiples(kind)
    if multiples:
        said += ", and xarray does not load times in multiples of a unit"
    yield Fail(
        "/.zarray/dtype",
        said,
        readers={
            **(xarray if decoded else {}),
            **(REFUSED if multiples else {}),
            **NCZARR_ERROR,
        },
        impact=None if decoded or multiples else impact_of_netcdf(array),
        fix=as_numbers if kind.kind in TIMES else None,
    )


@rule("Z2-OGC-010", on="array", formats=V2)
def no_scalars(array: Array) -> Iterator[Fail]:
    """Note an array that netCDF-C passes over."""
    if array.stored_shape == ():
        yield Fail(
            "/.zarray/shape",
            "netCDF-C up to 4.10 does not show arrays with the shape []",
            impact=impact_of_netcdf(array),
        )


@rule("Z2-OGC-005", on="root", formats=V2)
def nczarr(node: Node) -> Iterator[Fail]:
    """Note a store that netCDF-C wrote with metadata of its own, which the standard leaves out."""
    known = (*NCZARR, *MAX_LENGTHS)
    documents = [document.name for document in node.documents]
    marks = {name: f"/{name}" for name in documents if name.startswith(".ncz")}
    marks |= {name: node.pointer(name) for name in node.metadata if name in known}
    marks |= {name: node.attribute_pointer(name) for name in node.attributes if name in known}
    if marks:
        yield Fail(
            next(iter(marks.values())),
            f"metadata of NCZarr, which is outside OGC 21-050r1: {listed(marks)}",
        )


# --- where things are on Earth -------------------------------------------------------------------


@rule("Z2-OGC-006", on="members", formats=V2)
def spatial_arrays_have_a_crs(group: Group) -> Iterator[Fail]:
    """Note arrays over x and y without a coordinate reference system."""
    names = {child.name for child in group.arrays}
    for array in group.arrays:
        if not crs.spatial_axes(array) or array.name in (array.dimension_names or ()):
            continue
        attributes = {**group.attributes, **array.attributes}
        known = any(
            key in ("_CRS", "grid_mapping") or key.startswith("proj:") for key in attributes
        )
        if not known and not {"lat", "lon"} <= names and not {"latitude", "longitude"} <= names:
            yield Fail(
                "",
                f"{array.path} has no coordinate reference system: neither grid_mapping, _CRS or proj: attributes,"
                " nor latitude and longitude beside it",
                path=array.path,
            )


@rule(
    "Z2-OGC-007",
    on="array",
    formats=V2,
    needs=("attributes",),
    when=lambda array: "_CRS" in array.attributes,
    provides="_CRS",
)
def crs_object(array: Array) -> Iterator[Fail]:
    """Require the object that GDAL reads."""
    given = array.attributes["_CRS"]
    if not isinstance(given, dict) or not set(crs.GDAL_MEMBERS) & given.keys():
        yield Fail(
            "/.zattrs/_CRS",
            "_CRS must be an object with url, wkt or projjson, got "
            + (shown(given) if isinstance(given, Mapping) else json_type(given)),
            severity="warning",
            fix=_as_wkt if isinstance(given, str) and crs.names_a_system(given) else None,
        )
        return
    for member in crs.GDAL_MEMBERS:
        wanted = "an object" if member == "projjson" else "a string"
        if member in given and not isinstance(given[member], dict if member == "projjson" else str):
            yield Fail(
                f"/.zattrs/_CRS/{member}",
                f"{member} of _CRS must be {wanted}, got {shown(given[member])}",
                severity="warning",
                fix=_as_object(given[member]) if member == "projjson" else None,
            )
        elif member in given and not _may_be_read(given[member]):
            what = "names no reference system" if member == "url" else f"is no {_FORMS[member]}"
            yield Fail(
                f"/.zattrs/_CRS/{member}",
                f"{member} of _CRS is {shown(given[member])}, which {what}: GDAL finds none in it",
                severity="warning",
            )


_FORMS = {"wkt": "well-known text", "projjson": "PROJJSON, which has a type and a name"}


def _may_be_read(given: str | dict[str, Any]) -> bool:
    return crs.names_a_system(given) if isinstance(given, str) else crs.is_projjson(given)


def _as_object(given: Any) -> FixMaker | None:
    """Return the fix of PROJJSON that is a text."""
    right = crs.projjson_in(given) if isinstance(given, str) else None
    return set_to("/.zattrs/_CRS/projjson", right, "unsafe") if right is not None else None


def _as_wkt(node: Node) -> Draft:
    given = node.attributes["_CRS"]
    if (right := crs.projjson_in(given)) is not None:
        return Draft("unsafe", set_attribute(node, "_CRS", {"projjson": right}))
    member = "url" if given.startswith(("http://", "https://")) else "wkt"
    return Draft("unsafe", set_attribute(node, "_CRS", {member: given}))


@rule("Z2-OGC-008", on="members", formats=V2)
def one_crs(group: Group) -> Iterator[Fail | Undecided]:
    """Note arrays whose encodings of the reference system name different ones."""
    beside = {array.name: array for array in group.arrays}
    for array in beside.values():
        found = dict(_encodings(array, beside))
        codes = {name: crs.code(value) for name, value in found.items()}
        names = [name for name, own in codes.items() if own is not None]
        alike = len({codes[name] for name in names}) < 2
        if len(found) > 1 and alike and len(names) < len(found):
            yield Undecided("unsupported: not every encoding of a reference system names its code")
            continue
        for name in names[1:]:
            if codes[name] != codes[names[0]]:
                yield Fail(
                    array.attribute_pointer("_CRS")
                    if "_CRS" in array.attributes
                    else array.attribute_pointer("grid_mapping"),
                    f"{names[0]} ({codes[names[0]]}) and {name} ({codes[name]}) describe different CRSs",
                    path=array.path,
                )
                break


def _encodings(array: Array, beside: Mapping[str, Array]) -> Iterator[tuple[str, Any]]:
    """Yield the encodings of an array's reference system: GDAL's and CF's."""
    own = array.attributes.get("_CRS")
    if isinstance(own, dict):
        for member in crs.GDAL_MEMBERS:
            if member in own:
                yield f"_CRS.{member}", own[member]
    mapping = array.attributes.get("grid_mapping")
    target = beside.get(mapping) if isinstance(mapping, str) else None
    for member in crs.WKT_ATTRIBUTES:
        if target is not None and isinstance(wkt := target.attributes.get(member), str):
            yield f"{target.name}:{member}", wkt


@rule("Z2-OGC-009", on="members", formats=V2)
def pyramids_are_described(group: Group) -> Iterator[Fail]:
    """Require multiscales on a group whose children look like zoom levels."""
    given = group.attributes.get("multiscales")
    if (isinstance(given, dict | list) and given) or _is_described_above(group):
        return
    groups = group.groups
    levels: Sequence[Node] = groups or group.arrays
    if not (_is_pyramid_of(groups) if groups else _are_numbered_levels(group.arrays)):
        return
    has = "no attribute multiscales"
    fix: FixMaker | None = None
    near = next(filter(_MULTISCALES.fullmatch, group.attributes), None)
    if "multiscales" in group.attributes:
        has = f"{shown(given)} as multiscales, which describes none"
    elif near is not None:
        has += f"; did you mean it by {json_text(near)}?"
        wrong, right = (group.attribute_pointer(name) for name in (near, "multiscales"))
        fix = partial(_renamed, wrong, right)
    yield Fail(
        group.attribute_pointer("multiscales"),
        f"{listed(level.name for level in levels)} look like the levels of a pyramid, but the group has {has}",
        related=tuple(level.path for level in levels),
        fix=fix,
    )


def _renamed(wrong: str, right: str, _node: Node) -> Draft:
    return Draft("suggest", (move(wrong, right),))


def _is_pyramid_of(levels: Sequence[Group]) -> bool:
    """Whether groups hold the same arrays, in lengths such as those of levels."""
    if len(levels) < 2 or not all(_NUMBERED.fullmatch(level.name) for level in levels):
        return False
    shapes = [_shapes(level) for level in levels]
    if not shapes[0] or any(shape.keys() != shapes[0].keys() for shape in shapes):
        return False
    return any(
        _shrink(sorted((shape[name] for shape in shapes), reverse=True)) for name in shapes[0]
    )


def _are_numbered_levels(arrays: Sequence[Array]) -> bool:
    """Whether all arrays of a group are levels: called by numbers alone, which bands are not, each smaller than the one before."""
    found = sorted(
        (int(array.name), array.shape) for array in arrays if array.shape and array.name.isdecimal()
    )
    in_a_row = len(arrays) > 1 and [number for number, _ in found] == list(range(len(arrays)))
    alike = {(array.data_type.name, array.dimension_names) for array in arrays}
    return in_a_row and len(alike) == 1 and _shrink([shape for _, shape in found])


def _is_described_above(group: Group) -> bool:
    """Whether multiscales of a group above names levels in a group."""
    return any(
        level.startswith(f"{name}/") for name, names in levels_above(group) for level in names
    )


def _shrink(sizes: Sequence[tuple[int, ...]]) -> bool:
    """Whether each shape is smaller than the one before, as levels of a pyramid are."""
    return all(len(size) >= 2 and len(size) == len(sizes[0]) for size in sizes) and all(
        _LEVELS[0] <= large / small <= _LEVELS[1]
        for first, second in pairwise(sizes)
        for large, small in zip(first[-2:], second[-2:], strict=True)
        if small
    )


def _shapes(level: Group) -> dict[str, tuple[int, ...]]:
    children = level.hierarchy.children(level)
    return {
        child.name: child.shape
        for child in children
        if isinstance(child, Array) and child.shape is not None
    }
