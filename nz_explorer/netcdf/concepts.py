"""The concepts of netCDF's classic and enhanced model, and what they become in Zarr under NZ.

The table is data; `concepts` fills it with the names of a real group, because an abstract table
teaches little.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from nz_explorer.model import Array, Dimension, Group, dimension_table
from nz_explorer.model.dialects import nczarr
from nz_explorer.model.roles import Role


@dataclass(frozen=True, slots=True)
class Place:
    """A node that shows a concept."""

    path: str
    label: str


@dataclass(frozen=True, slots=True)
class Concept:
    """A concept of the NUG, its counterpart in NZ, and where this dataset has it.

    Attributes
    ----------
    nug, nz : str or None
        What it is called there; None where there is no equivalent.
    note : str or None
        What is different.
    here : list of Place
        The first nodes that show it.
    total : int
        How many nodes show it.
    """

    nug: str | None
    nz: str | None
    note: str | None = None
    here: list[Place] = field(default_factory=list)
    total: int = 0


@dataclass(frozen=True, slots=True)
class View:
    """What a group holds, as the finders below need it."""

    group: Group
    groups: Sequence[Group]
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


def _attributes(view: View) -> list[Place]:
    """Return how many arrays and groups have; those of the root are global, and a row of their own."""
    own = [] if view.group.path == "/" else [view.group]
    return [
        Place(node.path, f"{node.name}: {len(node.attributes)}")
        for node in (*own, *view.groups, *view.arrays)
        if node.attributes
    ]


def _dimensions(view: View) -> list[Place]:
    return [
        Place(
            dimension.uses[0].array.parent or "/",
            f"{dimension.name or '(no name)'} = {dimension.uses[0].length}{' (unlimited)' * dimension.unlimited}",
        )
        for dimension in view.dimensions
    ]


def _shared(view: View) -> list[Place]:
    found = []
    for dimension in view.dimensions:
        names = list(dict.fromkeys(use.array.name for use in dimension.uses))
        if dimension.name and len(names) > 1:
            more = f"{len(names) - 1} more" if len(names) > 2 else names[1]
            label = f"{dimension.name}: {names[0]} and {more}"
            found.append(Place(dimension.uses[0].array.path, label))
    return found


def _conventions(view: View) -> list[Place]:
    root = view.group.hierarchy.root
    return [
        Place("/", f"{key}: {root.attributes[key]}")
        for key in ("conventions", "Conventions")
        if key in root.attributes
    ]


def _unlimited(view: View) -> list[Place]:
    """Only netCDF-C marks dimensions that can grow."""
    notes = nczarr.group_notes(view.group)
    declared = () if notes is None else notes.dimensions.values()
    return [Place(view.group.path, d.name) for d in declared if d.unlimited]


def _outer(view: View) -> list[Place]:
    """Return dimensions that netCDF would share with a group above: by NCZarr's reference, or by name."""
    above = {dimension for group in _above(view.group) for dimension in _named(group)}
    found = []
    for array in view.arrays:
        references = array.dimension_references
        names = array.dimension_names or ()
        for axis, name in enumerate(names):
            if references is None:
                outer = name in above
            else:
                outer = (references[axis].rpartition("/")[0] or "/") != view.group.path
            if outer and name:
                found.append(Place(array.path, f"{array.name}: {name}"))
    return found


def _above(group: Group) -> list[Group]:
    found = []
    parent = group.parent
    while parent is not None:
        node = group.hierarchy.node_if_loaded(parent)
        if isinstance(node, Group):
            found.append(node)
        parent = None if node is None else node.parent
    return found


def _named(group: Group) -> set[str]:
    if group.child_names is None:
        return set()
    return {name for array in group.arrays for name in array.dimension_names or () if name}


def _with_any(*keys: str) -> Finder:
    def find(view: View) -> list[Place]:
        return [
            Place(array.path, f"{array.name}: {', '.join(used)}")
            for array in view.arrays
            if (used := [key for key in keys if key in array.attributes])
        ]

    return find


def _narrow_attributes(view: View) -> list[Place]:
    """Return numeric attributes whose type netCDF would have taken from the variable."""
    return [
        Place(array.path, f"{array.name}: {', '.join(used)}")
        for array in view.arrays
        if array.data_type.name not in ("int64", "float64")
        and (
            used := [
                key
                for key in ("valid_min", "valid_max", "valid_range", "flag_values", "missing_value")
                if key in array.attributes
            ]
        )
    ]


Row = tuple[str | None, str | None, str | None, Finder]

TABLE: tuple[Row, ...] = (
    (
        "dataset, file",
        "hierarchy in a store",
        "A folder, a zip file or a bucket. NZ is declared on the root group only.",
        lambda view: [Place("/", view.group.hierarchy.source.rstrip("/").rpartition("/")[2])],
    ),
    (
        "group",
        "group",
        "A node with node_type group; NZ names may hold letters, digits and underscores.",
        lambda view: [Place(group.path, group.name) for group in view.groups],
    ),
    (
        "dimension",
        "name in dimension_names",
        "It is declared nowhere: arrays of a group that use a name share the dimension, and must agree on its length.",
        _dimensions,
    ),
    (
        "shared dimension",
        "the same name in several arrays of a group",
        "That is all that ties variables to one another.",
        _shared,
    ),
    (
        "dimension of an enclosing group",
        None,
        "A netCDF dimension is visible in all groups below. A name in dimension_names belongs to the group of its arrays; the same name above is another dimension.",
        _outer,
    ),
    (
        "unlimited dimension",
        None,
        "Every Zarr array can be resized, and nothing marks the dimension that grows. Only NCZarr notes it, in an attribute of its own.",
        _unlimited,
    ),
    ("variable", "array", None, lambda view: _arrays(view, _any, lambda a: a.name)),
    (
        "coordinate variable",
        "dimension coordinate array",
        "One dimension, named like it; values that all rise or all fall, none missing.",
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
        "global attribute",
        "root group attribute",
        "Attributes of other groups are those of netCDF's groups.",
        lambda view: [Place("/", name) for name in view.group.hierarchy.root.attributes],
    ),
    (
        "attribute",
        "member of attributes",
        "JSON types: string, int64, float64, bool and arrays of one type.",
        _attributes,
    ),
    (
        "attribute of type byte, short, float …",
        None,
        "A number in JSON is int64 or float64. Readers convert it to the type of the array where that matters; these attributes would have had another type.",
        _narrow_attributes,
    ),
    (
        "_FillValue",
        "_FillValue in attributes",
        "One value of the array's data type; cells equal to it are missing.",
        _with_attribute("_FillValue"),
    ),
    (
        "missing_value, valid_min, valid_max, valid_range",
        "attributes without a meaning in NZ",
        "NZ masks by _FillValue alone; these are left to CF.",
        _with_any("missing_value", "valid_min", "valid_max", "valid_range"),
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
        "packing: scale_factor, add_offset",
        "the same attributes, or a codec scale_offset",
        "CF says what the attributes mean; NZ asks readers to apply them where no codec does, and prefers the codec. _FillValue is looked for among the packed values.",
        _with_any("scale_factor", "add_offset"),
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
        "enum type",
        None,
        "CF's flag_values and flag_meanings on an integer array serve for it.",
        _with_attribute("flag_meanings"),
    ),
    (
        "compound, opaque and vlen types",
        None,
        "Extension data types can hold records and bytes; no NZ reader needs to know them.",
        lambda view: _arrays(
            view, lambda a: a.data_type.kind in ("struct", "raw"), lambda a: a.name
        ),
    ),
    (
        None,
        "bool, complex64, complex128",
        "Three of the 13 data types of NZ that netCDF does not have.",
        lambda view: _arrays(
            view, lambda a: a.data_type.kind in ("bool", "complex"), lambda a: a.name
        ),
    ),
    (
        None,
        "consolidated metadata",
        "All documents once more in that of the root, so that one request returns everything.",
        lambda view: [Place("/", "zarr.json")] if view.group.hierarchy.consolidated else [],
    ),
    (
        "Conventions",
        "conventions on the root group",
        "A string of identifiers, the most general first; NZ-1.0 among them.",
        _conventions,
    ),
)
"""Concept of the NUG, its counterpart in NZ, what is different, and what finds it."""

SHOWN = 8
"""Places listed per concept."""


MOST_GROUPS = 200
"""Groups below the root that are gone through."""


def groups_below(group: Group) -> list[Group]:
    """Return the groups that the table for a group is about: for the root those below it, too, as far as they were read.

    Parameters
    ----------
    group : Group
        The group; it comes first.
    """
    found = [group]
    if group.path == "/":
        for one in found:
            if len(found) < MOST_GROUPS and one.child_names is not None:
                found += one.groups
    return found[:MOST_GROUPS]


def _told_apart(places: list[Place], view: View) -> list[Place]:
    """Put the group before names that several groups have: lat of one is not lat of another."""
    groups = {group.path for group in view.groups}
    named = [(place, re.split(r": | = ", place.label, maxsplit=1)[0]) for place in places]
    often = Counter(name for _, name in named)
    told = []
    for place, name in named:
        above, _, last = place.path.rpartition("/")
        home = place.path if place.path in groups and name != last else above
        prefix = f"{home.strip('/')}/" if often[name] > 1 and home.strip("/") else ""
        told.append(Place(place.path, prefix + place.label))
    return told


def concepts(group: Group, roles: dict[str, Role]) -> list[Concept]:
    """Return the table, filled with the nodes directly in a group; for the root with all below it.

    Parameters
    ----------
    group : Group
        A group whose children were read.
    roles : dict of str to str
        Role of each array by path.
    """
    groups = groups_below(group)
    held = [one.arrays for one in groups if one.child_names is not None]
    view = View(
        group,
        groups[1:] if group.path == "/" else group.groups,
        [array for arrays in held for array in arrays],
        [dimension for arrays in held for dimension in dimension_table(arrays)],
        roles,
    )
    rows = []
    for nug, nz, note, find in TABLE:
        places = _told_apart(find(view), view)
        rows.append(Concept(nug, nz, note, places[:SHOWN], len(places)))
    return rows
