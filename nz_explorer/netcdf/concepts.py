"""The concepts of netCDF's classic and enhanced model, and what they become in Zarr under NZ.

The table is data; `concepts` fills it with the names of a real group, because an abstract table
teaches little.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from nz_explorer.model import Array, Dimension, Group, dimension_table, nczarr
from nz_explorer.model.roles import Role


@dataclass(frozen=True, slots=True)
class Place:
    """A node that shows a concept."""

    path: str
    label: str


@dataclass(frozen=True, slots=True)
class Concept:
    """A concept of the NUG, its counterpart in NZ, and where this dataset has it."""

    nug: str
    nz: str
    note: str | None = None
    here: list[Place] = field(default_factory=list)
    total: int = 0


@dataclass(frozen=True, slots=True)
class View:
    """What a group holds, as the finders below need it."""

    group: Group
    arrays: Sequence[Array]
    dimensions: Sequence[Dimension]
    roles: dict[str, Role]


Finder = Callable[[View], list[Place]]


def _arrays(
    view: View, wanted: Callable[[Array], bool], label: Callable[[Array], str]
) -> list[Place]:
    return [Place(array.path, label(array)) for array in view.arrays if wanted(array)]


def _any(_: Array) -> bool:
    return True


def _with_role(role: Role) -> Finder:
    return lambda view: _arrays(view, lambda a: view.roles.get(a.path) == role, lambda a: a.name)


def _with_attribute(key: str) -> Finder:
    return lambda view: _arrays(view, lambda a: key in a.attributes, lambda a: a.name)


def _dimensions(view: View) -> list[Place]:
    return [
        Place(
            view.group.path,
            f"{dimension.name or '(no name)'} = {dimension.uses[0].length}{' (unlimited)' * dimension.unlimited}",
        )
        for dimension in view.dimensions
    ]


def _shared(view: View) -> list[Place]:
    return [
        Place(
            dimension.uses[0].array.path,
            f"{dimension.name}: {', '.join(dict.fromkeys(u.array.name for u in dimension.uses))}",
        )
        for dimension in view.dimensions
        if dimension.name and len({use.array.path for use in dimension.uses}) > 1
    ]


def _conventions(view: View) -> list[Place]:
    root = view.group.hierarchy.root
    return [
        Place("/", f"{key}: {root.attributes[key]}")
        for key in ("conventions", "Conventions")
        if key in root.attributes
    ]


def _unlimited(view: View) -> list[Place]:
    """Only netCDF-C says which dimensions can grow."""
    notes = nczarr.group_notes(view.group)
    declared = () if notes is None else notes.dimensions.values()
    return [Place(view.group.path, d.name) for d in declared if d.unlimited]


_NZ_NONE = "no equivalent"

TABLE: tuple[tuple[str, str, str | None, Finder], ...] = (
    (
        "group",
        "group",
        "A node with node_type group; NZ names may hold letters, digits and underscores.",
        lambda view: [Place(child.path, child.name) for child in view.group.groups],
    ),
    (
        "dimension",
        "label in dimension_names",
        "A dimension is declared nowhere: arrays of a group that use a label share it, and must agree on its length.",
        _dimensions,
    ),
    (
        "shared dimension",
        "the same label in several arrays of a group",
        "Labels are scoped to the group that contains the arrays; netCDF dimensions are visible in the groups below too.",
        _shared,
    ),
    (
        "unlimited dimension",
        _NZ_NONE,
        "Every Zarr array can be resized; nothing marks a dimension as the one that grows.",
        _unlimited,
    ),
    ("variable", "array", None, lambda view: _arrays(view, _any, lambda a: a.name)),
    (
        "coordinate variable",
        "dimension coordinate array",
        "One dimension, named like it, values strictly monotonic, none missing.",
        _with_role("coordinate"),
    ),
    (
        "auxiliary coordinate and other helpers",
        "array; NZ has no attribute that ties it to others",
        "CF's coordinates, bounds, grid_mapping and ancillary_variables do that.",
        _with_role("auxiliary"),
    ),
    (
        "scalar variable",
        'array with "shape": [] and "dimension_names": []',
        None,
        _with_role("scalar"),
    ),
    (
        "attribute",
        "member of attributes",
        "JSON types: string, int64, float64, boolean and arrays of one type.",
        lambda view: _arrays(
            view, lambda a: bool(a.attributes), lambda a: f"{a.name}: {len(a.attributes)}"
        ),
    ),
    (
        "_FillValue",
        "_FillValue in attributes",
        "One value of the array's data type; cells equal to it are missing.",
        _with_attribute("_FillValue"),
    ),
    (
        "default fill of unwritten data",
        "storage fill_value",
        "What a chunk that was never written reads as. It masks nothing.",
        lambda view: _arrays(
            view,
            lambda a: a.storage_fill is not None,
            lambda a: f"{a.name}: {a.storage_fill.text if a.storage_fill else ''}",
        ),
    ),
    (
        "chunking, deflate, filters",
        "chunk_grid and codecs",
        None,
        lambda view: _arrays(
            view,
            lambda a: a.chunk_shape is not None,
            lambda a: f"{a.name}: {' × '.join(map(str, a.chunk_shape or ())) or 'one value'}",
        ),
    ),
    (
        "char and string",
        "string (an extension data type)",
        "Outside the 13 types that every NZ reader decodes.",
        lambda view: _arrays(
            view, lambda a: a.data_type.kind in ("string", "bytes"), lambda a: a.name
        ),
    ),
    (
        "user-defined types (compound, enum, opaque, vlen)",
        _NZ_NONE,
        "CF's flag_values and flag_meanings serve where enum did.",
        lambda view: _arrays(
            view, lambda a: a.data_type.kind in ("struct", "raw"), lambda a: a.name
        ),
    ),
    (
        "(none)",
        "bool, complex64, complex128",
        "Data types of NZ that netCDF has not.",
        lambda view: _arrays(
            view, lambda a: a.data_type.kind in ("bool", "complex"), lambda a: a.name
        ),
    ),
    (
        "Conventions",
        "conventions on the root group",
        "A string of identifiers, the most general first; NZ-1.0 among them.",
        _conventions,
    ),
)

SHOWN = 8
"""Places listed per concept."""


def concepts(group: Group, roles: dict[str, Role]) -> list[Concept]:
    """Return the table, filled with the nodes directly in a group.

    Parameters
    ----------
    group : Group
        A group whose children were read.
    roles : dict of str to str
        Role of each array by path.
    """
    view = View(group, group.arrays, dimension_table(group.arrays), roles)
    rows = []
    for nug, nz, note, find in TABLE:
        places = find(view)
        rows.append(Concept(nug, nz, note, places[:SHOWN], len(places)))
    return rows
