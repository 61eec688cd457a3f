"""NZ: dimensions have names (NZ-1.0, Array; Dimension)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.axes_of_dimensions import keeper_of_axis, rename_axis
from nz_explorer.conventions.netcdf_c import impact_of_netcdf
from nz_explorer.conventions.suggested_names import add_names, suggested_names, where_from
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, FixMaker
from nz_explorer.engine.fixes import Draft, Operation, add, remove, replace, set_attribute
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Group, codec_name, dimension_table
from nz_explorer.model.dialects.nczarr import SCALAR_DIMENSION
from nz_explorer.model.dialects.tables import is_of_a_table
from nz_explorer.model.paths import all_above

if TYPE_CHECKING:
    from nz_explorer.model import Node

WITHOUT_AXES = frozenset({"bytes", "vlen-utf8", "zstd", "gzip", "blosc", "crc32c"})
"""Codecs that work the same whatever the number of dimensions."""

REFUSES_LENGTHS = {"netCDF-C": "refuses the dataset: invalid dimension size"}


def netcdf_on_name(array: Array, name: str) -> tuple[bool, str | None]:
    """Return whether netCDF-C refuses a dataset for a name of a dimension, and what it does; None where it takes it.

    It puts the name behind the path of the group, and reads that as a path.

    Parameters
    ----------
    array : Array
        The array that has the dimension.
    name : str
        The name.
    """
    group = array.parent or "/"
    if not name:
        above, _, last = group.rpartition("/")
        meant = f"takes it for a dimension {json_text(last)} of {above or '/'}"
        return (False, meant) if last else (True, "refuses the dataset: invalid argument")
    if "/" not in name:
        return False, None
    plain = name.removesuffix("/")
    if plain and "/" not in plain:
        return False, f"calls it {json_text(plain)}"
    if name.startswith("/") or "//" in name:
        return True, "refuses the dataset: Malformed URL"
    return True, "refuses the dataset: it takes what is before the slash for a group"


def names_for_netcdf(array: Array) -> bool:
    """Whether netCDF-C takes the names of dimensions from where xarray does, and not from its own metadata.

    Parameters
    ----------
    array : Array
        The array. Of Zarr v3 that is not known.
    """
    return array.zarr_format == 2 and array.dimension_references is None


def names_pointer(array: Array, axis: int | None = None) -> str:
    """Return the pointer to the names of an array's dimensions, or to one of them.

    Parameters
    ----------
    array : Array
        The array.
    axis : int, optional
        Number of the dimension; by default the pointer leads to all names.
    """
    at = () if axis is None else (axis,)
    if array.zarr_format == 2:
        return array.attribute_pointer("_ARRAY_DIMENSIONS", *at)
    return array.pointer("dimension_names", *at)


def _lacks_names(array: Array) -> bool:
    if array.zarr_format == 2:
        return array.dimension_names is None and "_ARRAY_DIMENSIONS" not in array.attributes
    return "dimension_names" not in array.metadata


@rule("NZ-SCAL-001", on="array", needs=("shape", ".zattrs"))
def scalar_encoding(array: Array) -> Iterator[Fail]:
    """Require a scalar to have an empty list of dimension names."""
    if array.ndim == 0 and _lacks_names(array):
        name = "_ARRAY_DIMENSIONS" if array.zarr_format == 2 else "dimension_names"
        # that xarray needs the attribute of v2 is Z2-OGC-002
        why = (
            "" if array.zarr_format == 2 else " (every reader accepts that, but NZ-1.0 requires it)"
        )
        yield Fail(
            names_pointer(array),
            f'this scalar array has no "{name}": []{why}',
            fix=_name_scalar,
        )


def _name_scalar(node: Node) -> Draft:
    if node.zarr_format == 2:
        return Draft("safe", set_attribute(node, "_ARRAY_DIMENSIONS", []))
    return Draft("safe", (add("/dimension_names", []),))


@rule("NZ-DIM-001", on="array", needs=("shape", ".zattrs"))
def names_present(array: Array) -> Iterator[Fail]:
    """Require every array to name its dimensions. A scalar that does not is NZ-SCAL-001."""
    if array.ndim and _lacks_names(array):
        what = "_ARRAY_DIMENSIONS" if array.zarr_format == 2 else "dimension_names"
        wanted = (
            "a name for its dimension"
            if array.ndim == 1
            else f"a name for each of its {array.ndim} dimensions"
        )
        among = what in array.attributes and array.zarr_format == 3
        place = " beside shape, only among its attributes" if among else ""
        yield Fail(
            names_pointer(array),
            f"this array has no {what}{place}; NZ-1.0 requires {wanted}",
            # that xarray needs it in v2 is Z2-OGC-002; v3 in v2 it does not see: TREE-005
            readers={} if 2 in (array.zarr_format, array.hierarchy.zarr_format) else None,
            # nobody opens a table of anndata with xarray, and no names are meant
            impact="distance" if is_of_a_table(array) else None,
            fix=add_names,
            covers=("CS-ARR-003",),
        )


def _named_axes(array: Array) -> list[tuple[int, Any, int]]:
    """Axis, name and length of each dimension of an array whose names have the right form."""
    names, shape = array.dimension_names, array.shape
    if names is None or shape is None:
        return []
    return [
        (axis, name, length) for axis, (name, length) in enumerate(zip(names, shape, strict=True))
    ]


@rule("NZ-DIM-004", on="array", needs=("shape", ".zattrs", "names"))
def no_null_names(array: Array) -> Iterator[Fail]:
    """Require a name where Zarr allows null."""
    for axis, name, length in _named_axes(array):
        if name is None:
            yield Fail(
                names_pointer(array, axis),
                f"dimension {axis} (length {length}) has no name: null",
                fix=_name_axis(axis),
            )


@rule("NZ-DIM-005", on="array", needs=("shape", ".zattrs", "names"))
def no_empty_names(array: Array) -> Iterator[Fail]:
    """Fail on the empty string, which names nothing."""
    for axis, name, length in _named_axes(array):
        if name == "":
            refused, does = netcdf_on_name(array, name)
            concerned = names_for_netcdf(array) and does is not None
            yield Fail(
                names_pointer(array, axis),
                f"dimension {axis} (length {length}) has an empty name",
                readers={"netCDF-C": str(does)} if concerned else None,
                impact="blocks" if concerned and refused else None,
                fix=_name_axis(axis),
            )


def _name_axis(axis: int) -> FixMaker:
    def fix(node: Node) -> Draft | None:
        if not isinstance(node, Array):
            return None
        names, certain = suggested_names(node)
        note = None if certain else where_from(names[axis : axis + 1], node)
        return Draft("safe" if certain else "suggest", set_name(node, axis, names[axis]), note)

    return fix


def set_name(array: Array, axis: int, name: str) -> tuple[Operation, ...]:
    """Return the operations that give one dimension another name.

    Parameters
    ----------
    array : Array
        The array.
    axis : int
        Number of the dimension.
    name : str
        Its new name.
    """
    # references are best left alone; the attribute goes first
    if array.dimension_names_source == "nczarr":
        names = list(array.dimension_names or ())
        names[axis] = name
        return set_attribute(array, "_ARRAY_DIMENSIONS", names)
    return (replace(names_pointer(array, axis), name), *rename_axis(array, axis, name))


def _repeated(array: Array) -> dict[str, list[tuple[int, int]]]:
    """Axes and lengths of the names that occur more than once."""
    names = array.dimension_names
    if names is None or len(set(names)) == len(names):
        return {}
    axes: dict[str, list[tuple[int, int]]] = {}
    for axis, name, length in _named_axes(array):
        if name:
            axes.setdefault(name, []).append((axis, length))
    return {name: found for name, found in axes.items() if len(found) > 1}


@rule("NZ-DIM-008", on="array", needs=("shape", ".zattrs", "names"))
def distinct_names(array: Array) -> Iterator[Fail]:
    """Require two names for two axes of an array, even where they are equally long."""
    for name, axes in _repeated(array).items():
        if len({length for _, length in axes}) == 1:
            yield Fail(
                names_pointer(array, axes[1][0]),
                f"dimension {json_text(name)} is used for {len(axes)} axes of this array",
                fix=lambda _node: Draft(
                    "suggest",
                    note="give the second axis another name, such as x_2 for a covariance matrix",
                ),
            )


@rule("Z3-DIM-002", on="array", formats=(3,), needs=("shape", "names"))
def recommended_distinct(array: Array) -> Iterator[Fail]:
    """Warn of it also where only Zarr is asked; NZ-DIM-008 and NZ-DIM-011 go first."""
    for name, axes in _repeated(array).items():
        yield Fail(
            names_pointer(array, axes[1][0]),
            f"dimension name {json_text(name)} is used {len(axes)} times",
            fix=lambda _node: Draft("suggest", note="give the second axis another name"),
        )


@rule("Z3-DIM-003", on="array", formats=(3,), needs=("shape", "names"))
def unnamed(array: Array) -> Iterator[Fail]:
    """Note dimensions that Zarr lets go without a name; NZ-DIM-004 and NZ-DIM-005 go first."""
    for axis, name, _ in _named_axes(array):
        if not name:
            yield Fail(
                names_pointer(array, axis), f"dimension {axis} is unnamed", fix=_name_axis(axis)
            )


@rule("NZ-DIM-011", on="array", needs=("shape", ".zattrs", "names"))
def one_length_in_array(array: Array) -> Iterator[Fail]:
    """Require one length of a dimension in an array."""
    for name, axes in _repeated(array).items():
        lengths = list(dict.fromkeys(length for _, length in axes))
        if len(lengths) > 1:
            odd = next(axis for axis, length in axes if length != lengths[0])
            yield Fail(
                names_pointer(array, odd),
                f"this array uses dimension {json_text(name)} for axes of lengths {' and '.join(map(str, lengths))}",
                readers=_refused(array),
                fix=lambda _node: Draft(
                    "suggest", note="use a different dimension for each length"
                ),
            )


def _refused(array: Array) -> dict[str, str]:
    xarray = "raises ValueError: conflicting sizes for dimension, and cannot open the group"
    return {"xarray": xarray, **(REFUSES_LENGTHS if names_for_netcdf(array) else {})}


@rule("NZ-DIM-007", on="array", needs=("shape", ".zattrs", "names"))
def plain_labels(array: Array) -> Iterator[Fail]:
    """Note names of dimensions that no array could have, or that cannot be seen."""
    for axis, name, _ in _named_axes(array):
        if not name:
            continue
        odd = (
            "nothing but spaces"
            if not name.strip()
            else "spaces at an end"
            if name != name.strip()
            else "control characters"
            if not name.isprintable()
            else "a slash"
            if "/" in name
            else None
        )
        if odd is not None:
            refused, does = netcdf_on_name(array, name)
            concerned = names_for_netcdf(array) and does is not None
            yield Fail(
                names_pointer(array, axis),
                f"dimension name {json_text(name)} has {odd}",
                readers={"xarray": "uses the name as it is"}
                | ({"netCDF-C": str(does)} if concerned else {}),
                impact=(impact_of_netcdf(array) or "blocks") if concerned and refused else None,
                stops=("netCDF-C",) if concerned and refused else (),
                fix=_plain_name(axis),
            )


def _is_another(array: Array, axis: int, name: str) -> bool:
    """Whether a name stands for something else already, in the array or, by its length, in the arrays beside it."""
    own, shape = array.dimension_names or (), array.shape or ()
    if name in (*own[:axis], *own[axis + 1 :]):
        return True
    group = None if array.parent is None else array.hierarchy.node_if_loaded(array.parent)
    return any(
        given == name and length != shape[axis]
        for beside in (group.arrays if isinstance(group, Group) else ())
        for given, length in zip(beside.dimension_names or (), beside.shape or (), strict=False)
    )


def _plain_name(axis: int) -> FixMaker:
    def fix(node: Node) -> Draft | None:
        name = (
            node.dimension_names[axis] if isinstance(node, Array) and node.dimension_names else ""
        )
        plain = "_".join(re.findall(r"[^\W_]+", name or ""))
        if not isinstance(node, Array) or not plain:
            return None
        if _is_another(node, axis, plain):
            return Draft(
                "unsafe",
                note=f"rename it in all arrays of the group; {plain} is another dimension of it",
            )
        if (keeper := keeper_of_axis(node, axis)) is not None:
            # of one document alone it would leave the dimension without its axis
            what = f"rename it in all arrays, and the axis of cs that {keeper.path} keeps for them"
            return Draft("unsafe", note=what)
        return Draft("unsafe", set_name(node, axis, plain), "rename it in all arrays of the group")

    return fix


@rule(
    "NZ-DIM-009",
    on="array",
    formats=(3,),
    needs=("shape", "attributes", "names"),
    when=lambda array: "_ARRAY_DIMENSIONS" in array.attributes,
)
def old_attribute(array: Array) -> Iterator[Fail]:
    """Note the attribute that v2 used for the names: superfluous at best."""
    old, names = array.attributes["_ARRAY_DIMENSIONS"], array.metadata.get("dimension_names")
    if names is None:
        return  # NZ-DIM-001 proposes to use the attribute
    same = old == names
    pointer = array.attribute_pointer("_ARRAY_DIMENSIONS")
    verb = "repeats" if same else "contradicts"
    yield Fail(
        pointer,
        f"_ARRAY_DIMENSIONS {json_text(old)} {verb} dimension_names {json_text(names)}",
        severity=None if same else "warning",
        fix=(lambda _node: Draft("safe", (remove(pointer),))) if same else None,
    )


def _lengths(arrays: list[Array]) -> dict[str, int]:
    found: dict[str, int] = {}
    for array in arrays:
        for _, name, length in _named_axes(array):
            if name:
                found.setdefault(name, length)
    return found


@rule("NZ-DIM-012", on="members")
def one_length_in_tree(group: Group) -> Iterator[Fail]:
    """Note a name with another length in a group above, which NZ allows and others do not."""
    own = _lengths(group.arrays)
    for path in all_above(group.path) if own else ():
        above = group.hierarchy.node_if_loaded(path)
        if not isinstance(above, Group):
            continue
        for name, length in _lengths(above.arrays).items():
            if own.get(name, length) != length:
                yield Fail(
                    "",
                    f'dimension "{name}" has length {length} in {path} and {own[name]} in {group.path};'
                    " NZ does not relate them",
                    related=(path,),
                )
                del own[name]


def _labels(group: Group) -> set[str | None]:
    return {name for names, _ in group.layouts for name in names or ()}


@rule("NZ-COORD-005", on="members")
def namesake_of_more(group: Group) -> Iterator[Fail]:
    """Note arrays called like a dimension that have more than that one."""
    labels = _labels(group)
    for (names, _), arrays in group.layouts.items():
        if names is None or len(names) < 2:
            continue
        for array in arrays:
            if array.name in labels:
                yield Fail(
                    "",
                    f"this array is named like dimension {json_text(array.name)} but has dimensions"
                    f" {json_text(list(names))}: it is not a dimension coordinate",
                    path=array.path,
                )


@rule("NZ-COORD-006", on="members")
def every_dimension_has_coordinate(group: Group) -> Iterator[Fail]:
    """Note dimensions without a coordinate, which is no fault."""
    for dimension in dimension_table(group.arrays):
        if dimension.name and dimension.candidate is None:
            yield Fail(
                "",
                f'dimension "{dimension.name}" in {group.path} has no dimension coordinate',
                related=tuple(dict.fromkeys(use.array.path for use in dimension.uses)),
            )


@rule("NZ-COORD-009", on="members")
def named_like_another(group: Group) -> Iterator[Fail]:
    """Note an array along one dimension that is called like another one."""
    labels = _labels(group)
    for (names, _), arrays in group.layouts.items():
        if names is None or len(names) != 1:
            continue
        for array in arrays:
            if array.name in labels and array.name != names[0]:
                yield Fail(
                    "",
                    f"this array is called {json_text(array.name)}, like a dimension of {group.path}, and runs along"
                    f" {json_text(names[0])}: it is the coordinate of neither",
                    path=array.path,
                )


@rule("NZ-SCAL-002", on="members")
def scalar_as_list(group: Group) -> Iterator[Fail]:
    """Note arrays of one value along a dimension that nothing else uses."""
    arrays = group.arrays
    for array in arrays:
        if array.zarr_format == 2 and array.shape == () != array.stored_shape:
            yield Fail(
                "",
                "this scalar is stored as an array of one element (netCDF-C up to 4.10 writes scalars like this)",
                path=array.path,
                fix=_as_scalar(array),
            )
    single = [a for a in arrays if a.shape == (1,) and a.dimension_names is not None]
    if not single:
        return
    uses = Counter(name for array in arrays for name in array.dimension_names or ())
    for array in single:
        (name,) = array.dimension_names or (None,)
        if name == SCALAR_DIMENSION or (
            name is not None and uses[name] == 1 and name != array.name
        ):
            writer = (
                " (netCDF-C up to 4.10 writes scalars like this)"
                if name == SCALAR_DIMENSION
                else ""
            )
            yield Fail(
                "",
                f"this array looks like a scalar stored as an array of one element, along {json_text(name)}{writer}",
                path=array.path,
                fix=_as_scalar(array),
            )


def _as_scalar(array: Array) -> FixMaker:
    """Return the fix of a scalar stored as one element: of metadata alone where its only chunk keeps its key."""
    encoding = array.metadata.get("chunk_key_encoding")
    name = encoding.get("name") if isinstance(encoding, dict) else encoding
    if (
        array.zarr_format == 3
        and name == "v2"
        and WITHOUT_AXES.issuperset(map(codec_name, array.codecs))
    ):
        members = ("shape", "dimension_names", "chunk_grid/configuration/chunk_shape")
        empty = tuple(replace(f"/{member}", []) for member in members)
        by_netcdf = array.dimension_names == (SCALAR_DIMENSION,)
        return lambda _: Draft("safe" if by_netcdf else "unsafe", empty, node=array)
    keys = "; its only chunk is then stored under c, no longer c/0" if name == "default" else ""
    return lambda _: Draft("unsafe", note=f"rewrite it with the shape []{keys}", node=array)
