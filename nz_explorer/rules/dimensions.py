"""NZ: dimensions have names, and a name has one length in a group (NZ-1.0, Array; Dimension)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from nz_explorer.model import Array, Group, dimension_table
from nz_explorer.model.json_text import json_text
from nz_explorer.model.paths import all_above
from nz_explorer.rules.findings import Fail, FixMaker
from nz_explorer.rules.fixes import Draft, Operation, add, remove, replace, set_attribute
from nz_explorer.rules.registry import rule
from nz_explorer.rules.wording import listed

if TYPE_CHECKING:
    from nz_explorer.model import Node
    from nz_explorer.model.dimensions import Dimension, Use


def names_pointer(array: Array, axis: int | None = None) -> str:
    """Return the pointer to the names of an array's dimensions, or to one of them."""
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
    """Want a scalar to say that it has no dimensions, instead of saying nothing."""
    if array.ndim == 0 and _lacks_names(array):
        name = "_ARRAY_DIMENSIONS" if array.zarr_format == 2 else "dimension_names"
        yield Fail(
            names_pointer(array),
            f'this scalar array lacks "{name}": [] (every reader copes, but NZ-1.0 asks for it)',
            fix=_name_scalar,
        )


def _name_scalar(node: Node) -> Draft:
    if node.zarr_format == 2:
        return Draft("safe", set_attribute(node, "_ARRAY_DIMENSIONS", []))
    return Draft("safe", (add("/dimension_names", []),))


@rule("NZ-DIM-001", on="array", needs=("shape", ".zattrs"))
def names_present(array: Array) -> Iterator[Fail]:
    """Want every array to name its dimensions. A scalar that does not is NZ-SCAL-001."""
    if array.ndim and _lacks_names(array):
        what = "_ARRAY_DIMENSIONS" if array.zarr_format == 2 else "dimension_names"
        count = f"{array.ndim} dimension{'s' if array.ndim > 1 else ''}"
        yield Fail(
            names_pointer(array),
            f"this array has no {what}; NZ-1.0 wants a name for each of its {count}",
            fix=_add_names,
        )


def _add_names(node: Node) -> Draft | None:
    if not isinstance(node, Array) or node.shape is None:
        return None
    names, certain = suggested_names(node)
    note = None if certain else "guessed from the arrays beside it: check the names"
    if node.zarr_format == 2:
        return Draft("suggest", set_attribute(node, "_ARRAY_DIMENSIONS", names), note)
    return Draft("safe" if certain else "suggest", (add("/dimension_names", names),), note)


def suggested_names(array: Array) -> tuple[list[str], bool]:
    """Return names for the dimensions of an array, and whether its own metadata give them.

    Looked for in its attribute ``_ARRAY_DIMENSIONS``, in what netCDF-C noted, in an array beside it of the same
    shape, and in the one-dimensional arrays beside it of the right lengths.
    """
    shape = array.shape or ()
    own = array.attributes.get("_ARRAY_DIMENSIONS")
    if (
        isinstance(own, list)
        and len(own) == len(shape)
        and all(isinstance(n, str) and n for n in own)
    ):
        return own, True
    noted = [reference.rpartition("/")[2] for reference in array.dimension_references or ()]
    if noted and all(noted):
        return noted, True
    group = None if array.parent is None else array.hierarchy.node_if_loaded(array.parent)
    siblings = group.arrays if isinstance(group, Group) else []
    for sibling in siblings:
        names = sibling.dimension_names
        if sibling.shape == shape and names is not None and all(names):
            return [str(name) for name in names], False
    coordinates = [s for s in siblings if s.dimension_names == (s.name,) and s.shape is not None]
    names_by_length: dict[int, list[str]] = {}
    for sibling in coordinates:
        names_by_length.setdefault((sibling.shape or (0,))[0], []).append(sibling.name)
    return [
        found[0]
        if len(found := names_by_length.get(length, [])) == 1 and shape.count(length) == 1
        else f"dim_{axis}"
        for axis, length in enumerate(shape)
    ], False


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
    """Want a name where Zarr allows null."""
    for axis, name, length in _named_axes(array):
        if name is None:
            yield Fail(
                names_pointer(array, axis),
                f"dimension {axis} (length {length}) has the name null",
                fix=_name_axis(axis),
            )


@rule("NZ-DIM-005", on="array", needs=("shape", ".zattrs", "names"))
def no_empty_names(array: Array) -> Iterator[Fail]:
    """Fail on the empty string, which names nothing."""
    for axis, name, length in _named_axes(array):
        if name == "":
            yield Fail(
                names_pointer(array, axis),
                f"dimension {axis} (length {length}) has an empty name",
                fix=_name_axis(axis),
            )


def _name_axis(axis: int) -> FixMaker:
    def fix(node: Node) -> Draft | None:
        if not isinstance(node, Array):
            return None
        names, certain = suggested_names(node)
        note = None if certain else "guessed from the arrays beside it: check the name"
        return Draft("safe" if certain else "suggest", _set_name(node, axis, names[axis]), note)

    return fix


def _set_name(array: Array, axis: int, name: str) -> tuple[Operation, ...]:
    """Return the operations that give one dimension another name."""
    if (
        array.dimension_names_source == "nczarr"
    ):  # references are best left alone; the attribute goes first
        names = list(array.dimension_names or ())
        names[axis] = name
        return set_attribute(array, "_ARRAY_DIMENSIONS", names)
    return (replace(names_pointer(array, axis), name),)


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
    """Want two names for two axes of an array, even where they are equally long."""
    for name, axes in _repeated(array).items():
        if len({length for _, length in axes}) == 1:
            yield Fail(
                names_pointer(array, axes[1][0]),
                f"dimension {json_text(name)} is used {len(axes)} times in this array",
                fix=lambda _node: Draft(
                    "suggest",
                    note="give the second axis a name of its own, such as x and x_2 of a covariance matrix",
                ),
            )


@rule("Z3-DIM-002", on="array", formats=(3,), needs=("shape", "names"))
def recommended_distinct(array: Array) -> Iterator[Fail]:
    """Warn of it also where only Zarr is asked; NZ-DIM-008 and NZ-DIM-011 go first."""
    for name, axes in _repeated(array).items():
        yield Fail(
            names_pointer(array, axes[1][0]),
            f"dimension name {json_text(name)} is used {len(axes)} times",
            fix=lambda _node: Draft("suggest", note="give the second axis a name of its own"),
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
    """Want one length of a dimension in an array."""
    for name, axes in _repeated(array).items():
        lengths = list(dict.fromkeys(length for _, length in axes))
        if len(lengths) > 1:
            odd = next(axis for axis, length in axes if length != lengths[0])
            yield Fail(
                names_pointer(array, odd),
                f"this array uses dimension {json_text(name)} for axes of lengths {' and '.join(map(str, lengths))}",
                fix=lambda _node: Draft("suggest", note="give each length a dimension of its own"),
            )


@rule("NZ-DIM-010", on="members")
def one_length_in_group(group: Group) -> Iterator[Fail]:
    """Want all arrays of a group that share a dimension to agree on its length.

    Arrays whose names are missing or wrong have their own findings and are left out, as is an array
    that only disagrees with itself (NZ-DIM-011).
    """
    arrays = group.arrays
    if _agree(arrays):
        return
    for dimension in dimension_table([a for a in arrays if all(a.dimension_names or ())]):
        if (
            dimension.name
            and dimension.conflict
            and len({use.array.path for use in dimension.uses}) > 1
        ):
            yield _conflict(group, dimension)


def _agree(arrays: list[Array]) -> bool:
    """Whether every name has one length, told without making a table of them."""
    lengths: dict[str | None, int] = {}
    for array in arrays:
        names, shape = array.dimension_names, array.shape
        if names is not None and shape is not None:
            for name, length in zip(names, shape, strict=True):
                if lengths.setdefault(name, length) != length and name:
                    return False
    return True


def _conflict(group: Group, dimension: Dimension) -> Fail:
    by_length = dimension.lengths
    order = dict(sorted(by_length.items()))
    lengths = "; ".join(
        f"{length}: {listed(a.name for a in arrays)}" for length, arrays in order.items()
    )
    odd = _odd_one(dimension)
    source = (
        "" if group.hierarchy.metadata_source == "documents" else " (in the consolidated metadata)"
    )
    label, new = dimension.name, f"{dimension.name}_{odd.length}"
    return Fail(
        names_pointer(odd.array, odd.axis),
        f'dimension "{label}" has {len(by_length)} lengths in {group.path}: {lengths}{source}',
        related=tuple(dict.fromkeys(use.array.path for use in dimension.uses)),
        fix=lambda node: _rename_dimension(node, odd.array.path, odd.axis, new),
    )


def _odd_one(dimension: Dimension) -> Use:
    """Return the use that most likely is the wrong one.

    What the coordinate of the dimension says is taken for right, else what most arrays say.
    """
    by_length = dimension.lengths
    if dimension.candidate is not None and dimension.candidate.shape:
        right: int | None = dimension.candidate.shape[0]
    else:
        counts = [len(arrays) for arrays in by_length.values()]
        right = next(iter(by_length)) if len(counts) > 1 and counts[0] > counts[1] else None
    return next((use for use in dimension.uses if use.length != right), dimension.uses[0])


def _rename_dimension(node: Node, path: str, axis: int, name: str) -> Draft | None:
    """Propose another name for the odd dimension; the patch is on the array's document."""
    array = node.hierarchy.node_if_loaded(path)
    if not isinstance(array, Array):
        return None
    return Draft(
        "suggest",
        _set_name(array, axis, name),
        "rename the dimension where it is another one, or correct the shape where the length is wrong",
        node=array,
    )


@rule("NZ-DIM-007", on="array", needs=("shape", ".zattrs", "names"))
def plain_labels(array: Array) -> Iterator[Fail]:
    """Note names of dimensions that no array could have, or that cannot be seen."""
    for axis, name, _ in _named_axes(array):
        if not name:
            continue
        odd = (
            "nothing but blanks"
            if not name.strip()
            else "blanks at an end"
            if name != name.strip()
            else "control characters"
            if not name.isprintable()
            else "a slash"
            if "/" in name
            else None
        )
        if odd is not None:
            yield Fail(
                names_pointer(array, axis),
                f"dimension name {json_text(name)} has {odd}",
                fix=_plain_name(axis),
            )


def _plain_name(axis: int) -> FixMaker:
    def fix(node: Node) -> Draft | None:
        name = (
            node.dimension_names[axis] if isinstance(node, Array) and node.dimension_names else ""
        )
        plain = "_".join(re.findall(r"[^\W_]+", name or ""))
        if not isinstance(node, Array) or not plain:
            return None
        return Draft("unsafe", _set_name(node, axis, plain), "rename it in all arrays of the group")

    return fix


@rule(
    "NZ-DIM-009",
    on="array",
    formats=(3,),
    needs=("shape", "attributes", "names"),
    reads="rare",
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


def _labels(arrays: list[Array]) -> set[str | None]:
    return {name for array in arrays for name in array.dimension_names or ()}


@rule("NZ-COORD-005", on="members")
def namesake_of_more(group: Group) -> Iterator[Fail]:
    """Note arrays called like a dimension that have more than that one."""
    arrays = group.arrays
    labels = _labels(arrays)
    for array in arrays:
        names = array.dimension_names
        if names is not None and len(names) > 1 and array.name in labels:
            own = array.name in names
            yield Fail(
                "",
                f"this array is named like dimension {json_text(array.name)} but has dimensions"
                f" {json_text(list(names))}: it is not a dimension coordinate",
                path=array.path,
                severity="warning" if own else None,
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
    arrays = group.arrays
    labels = _labels(arrays)
    for array in arrays:
        names = array.dimension_names
        if (
            names is not None
            and len(names) == 1
            and array.name in labels
            and names[0] != array.name
        ):
            yield Fail(
                "",
                f"this array runs along {json_text(names[0])} although {group.path} has a dimension"
                f" called {json_text(array.name)}",
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
                "this scalar is stored as a list of one (netCDF-C up to 4.10 writes scalars so)",
                path=array.path,
                fix=lambda _node: Draft("unsafe", note="write it again with the shape []"),
            )
    single = [a for a in arrays if a.shape == (1,) and a.dimension_names is not None]
    if not single:
        return
    uses = Counter(name for array in arrays for name in array.dimension_names or ())
    for array in single:
        (name,) = array.dimension_names or (None,)
        if name == "_scalar_" or (name is not None and uses[name] == 1 and name != array.name):
            writer = " (netCDF-C up to 4.10 writes scalars so)" if name == "_scalar_" else ""
            yield Fail(
                "",
                f"this array looks like a scalar stored as a list of one, along {json_text(name)}{writer}",
                path=array.path,
                fix=lambda _node: Draft("unsafe", note="write it again with the shape []"),
            )
