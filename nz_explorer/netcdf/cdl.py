"""A hierarchy as CDL, the text that ``ncdump -h`` prints, each line with the place it was made from.

Zarr v2 is read as netCDF-C reads it: what it noted of dimensions and types counts, and where it noted
nothing they are inferred in its way. Zarr v3 it does not read; there the types are those of NZ. What
netCDF has not (unnamed dimensions, booleans, complex numbers, nested attributes) is written as close to
CDL as possible, with a comment on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from nz_explorer.model import Array, Group, Node
from nz_explorer.model.dialects import nczarr, netcdf_json
from nz_explorer.model.paths import all_above
from nz_explorer.netcdf import cdl_text
from nz_explorer.netcdf.cdl_types import CdlValue, attribute_value, fill_text
from nz_explorer.text.printable import printable
from nz_explorer.values.coordinates.image_axes import described_coordinates
from nz_explorer.values.coordinates.metadata_coordinates import MetadataCoordinates

NETCDF_TYPES = {
    "int8": "byte",
    "uint8": "ubyte",
    "int16": "short",
    "uint16": "ushort",
    "int32": "int",
    "uint32": "uint",
    "int64": "int64",
    "uint64": "uint64",
    "float32": "float",
    "float64": "double",
    "string": "string",
}
DEFLATE = ("zlib", "gzip", "numcodecs.zlib", "numcodecs.gzip")
SHUFFLE = ("shuffle", "numcodecs.shuffle")


@dataclass(frozen=True, slots=True)
class CdlLine:
    """A line of CDL.

    Attributes
    ----------
    text : str
        The line.
    path : str or None
        The node it speaks of.
    pointer : str or None
        Where in the node's document it is, as in reports.
    also : tuple of (str, str)
        Nodes and pointers that say the same: the name and the length of a dimension in each array along it.
    """

    text: str
    path: str | None = None
    pointer: str | None = None
    also: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class _Dimension:
    """A dimension as it is printed, in the group that declares it."""

    name: str
    size: int
    path: str
    pointer: str
    unlimited: bool = False
    note: str = ""
    others: list[int] = field(default_factory=list)
    """Other lengths that arrays give it."""
    uses: list[tuple[str, str]] = field(default_factory=list)
    """Path and pointer of its name and its length in each array along it."""

    @property
    def text(self) -> str:
        """The text after the equals sign."""
        if self.others:
            note = f"also used with length {', '.join(map(str, self.others))}"
        else:
            note = self.note
        if self.unlimited:
            return f"UNLIMITED ; // ({self.size} currently){note and '; ' + note}"
        return f"{self.size} ;{note and ' // ' + note}"


def _computed(array: Array) -> dict[int, str]:
    """Return by axis the coordinates that metadata describe, for which netCDF would have a variable."""
    sets: dict[int, list[MetadataCoordinates]] = {}
    for one in described_coordinates(array):
        if one.axis is not None and one.array is None and one.length:
            sets.setdefault(one.axis, []).append(one)
    return {
        axis: printable(
            "; ".join(
                f"coordinates {'' if one.title is None else f'{one.title} '}{one.ends()}"
                for one in found
            )
            + f", {found[0].source}"
        )
        for axis, found in sets.items()
    }


def cdl(
    node: Node,
    name: str | None = None,
    *,
    below: bool = True,
    special: bool = False,
    limit: int | None = None,
) -> list[CdlLine]:
    """Return a group, and all below it, as CDL.

    Parameters
    ----------
    node : Node
        A group whose hierarchy is read as far as needed, or an array.
    name : str, optional
        The name after ``netcdf``; by default that of the source.
    below : bool
        Whether to write out the groups in it; else they are only named.
    special : bool
        Whether to add the special attributes that ``ncdump -s`` adds, such as ``_ChunkSizes``.
    limit : int, optional
        Values of one attribute that are written out; all by default.
    """
    title = name or _title(node.hierarchy.source)
    return [
        CdlLine(f"netcdf {cdl_text.name(title)} {{", node.path, ""),
        *_Writer(node, below, special, limit).lines(),
        CdlLine("}"),
    ]


def _title(source: str) -> str:
    last = source.partition("#")[0].rstrip("/").rsplit("/", 1)[-1]
    return re.sub(r"(\.(zarr|zip|nc|file))+$", "", last) or "data"


class _Writer:
    """Writes a node as CDL."""

    def __init__(self, top: Node, below: bool, special: bool, limit: int | None) -> None:
        self.top = top
        self.below = below
        self.special = special
        self.limit = limit
        self.noted = nczarr.counts(top.hierarchy)
        """Whether the dimensions that netCDF-C noted are meant."""
        self.shares = self.noted and nczarr.find(top.hierarchy.root, "group") is not None
        """Whether dimensions can be seen from groups below, as netCDF has it."""
        self.dimensions: dict[str, dict[str, _Dimension]] = {}
        """Group → name → dimension that is declared there."""
        self.used: dict[tuple[str, int], tuple[str, _Dimension]] = {}
        """Array and axis → group that declares its dimension, and the dimension."""

    def lines(self) -> Iterator[CdlLine]:
        """Yield the text between the braces."""
        if isinstance(self.top, Array):
            self._use(self.top, self.top.path)
            yield from self._dimensions(self.top.path, "")
            yield CdlLine("variables:")
            yield from self._variable(self.top, "")
            if self.top.path == "/" and self.special:
                yield from self._global_specials("")
        elif isinstance(self.top, Group):
            self._collect(self.top)
            yield from self._group(self.top, "")

    # --- dimensions -------------------------------------------------------------------------

    def _collect(self, group: Group) -> None:
        """Find the dimensions of a group and those below, in the order in which netCDF-C meets them."""
        declared = self.dimensions.setdefault(group.path, {})
        notes = nczarr.group_notes(group) if self.noted else None
        for found in () if notes is None else notes.dimensions.values():
            declared[found.name] = _Dimension(
                found.name, found.size, group.path, found.pointer, found.unlimited
            )
        arrays, groups = _children(group)
        for array in arrays:
            self._use(array, group.path)
        if self.below:
            for child in groups:
                if isinstance(child, Group):
                    self._collect(child)

    def _use(self, array: Array, group: str) -> None:
        references = array.dimension_references if self.noted else None
        computed = _computed(array)
        for axis, length in enumerate(array.shape or ()):
            home, found = self._find(array, axis, group, references)
            found.note = found.note or computed.get(axis, "")
            grown_less = found.unlimited and length <= found.size
            if found.size != length and not grown_less and length not in found.others:
                found.others.append(length)
            self.used[array.path, axis] = home, found
            pointers = (_name_pointer(array, axis), array.pointer("shape", axis))
            found.uses += [(array.path, pointer) for pointer in dict.fromkeys(pointers)]

    def _find(
        self, array: Array, axis: int, group: str, references: tuple[str, ...] | None
    ) -> tuple[str, _Dimension]:
        """Return the dimension of an axis, making one where none is declared."""
        length = (array.shape or ())[axis]
        if references is not None:
            home, _, name = references[axis].rpartition("/")
            home = home or "/"
            known = self.dimensions.get(home, {}).get(name)
            if known is not None:
                return home, known
            found = nczarr.dimension(array.hierarchy, references[axis])
            if found is not None:  # by a group outside of what is printed
                declared = found[1]
                dimension = _Dimension(
                    name, declared.size, home, declared.pointer, declared.unlimited
                )
                dimension.note = f"of {home}"
                return self._add(self.top.path, dimension)
            pointer, note = _name_pointer(array, axis), "is not declared in the store"
            return self._add(group, _Dimension(name, length, array.path, pointer, note=note))
        names = array.dimension_names
        name = (None if names is None else names[axis]) or ""
        pointer = _name_pointer(array, axis)
        if name:
            for home in (group, *all_above(group)) if self.shares else (group,):
                known = self.dimensions.get(home, {}).get(name)
                if known is not None and (home == group or known.size == length):
                    return home, known
            return self._add(group, _Dimension(name, length, array.path, pointer))
        anonymous = _Dimension(f"_Anonymous_Dim_{length}", length, array.path, pointer)
        if array.zarr_format == 2:  # netCDF-C declares them all in the root group
            return self._add(self.top.path, anonymous)
        anonymous.note = "has no name in the store"
        return self._add(group, anonymous)

    def _add(self, home: str, dimension: _Dimension) -> tuple[str, _Dimension]:
        return home, self.dimensions.setdefault(home, {}).setdefault(dimension.name, dimension)

    def _dimensions(self, group: str, indent: str) -> Iterator[CdlLine]:
        declared = self.dimensions.get(group)
        if not declared:
            return
        yield CdlLine(f"{indent}dimensions:")
        for dimension in declared.values():
            text = f"{indent}\t{cdl_text.name(dimension.name)} = {dimension.text}"
            yield CdlLine(text, dimension.path, dimension.pointer, tuple(dimension.uses))

    def _dimension_name(self, array: Array, axis: int, group: str) -> str:
        """Return the name of an axis, with its group where the name alone would mean another one."""
        home, dimension = self.used[array.path, axis]
        name = cdl_text.name(dimension.name)
        nearest = next(
            (
                path
                for path in (group, *all_above(group))
                if dimension.name in self.dimensions.get(path, {})
            ),
            None,
        )
        if nearest == home or isinstance(self.top, Array):
            return name
        return "/" + "".join(f"{cdl_text.name(part)}/" for part in home.split("/") if part) + name

    # --- groups -----------------------------------------------------------------------------

    def _group(self, group: Group, indent: str) -> Iterator[CdlLine]:
        arrays, groups = _children(group)
        yield from self._dimensions(group.path, indent)
        if arrays:
            yield CdlLine(f"{indent}variables:")
            for array in arrays:
                yield from self._variable(array, indent)
        shown = [key for key in group.attributes if _is_shown(group, key)]
        if shown or self.special:
            yield CdlLine("")
            where = "global" if group.path == "/" else "group"
            pointer = group.attribute_pointer() if shown else None
            yield CdlLine(f"{indent}// {where} attributes:", group.path, pointer)
            yield from self._attributes(group, "", shown, indent)
        if group.path == "/" and self.special:
            yield from self._global_specials(indent)
        for child in groups:
            yield from self._subgroup(child, indent)
        notes = nczarr.group_notes(group)
        if group.listing_problem and (notes is None or notes.children is None):
            yield CdlLine(f"{indent}// {_comment(group.listing_problem)}", group.path, "")

    def _subgroup(self, child: Node, indent: str) -> Iterator[CdlLine]:
        yield CdlLine("")
        name = cdl_text.name(child.name)
        opening = f"{indent}group: {name} {{"
        if not self.below and child.problem is None:
            yield CdlLine(f"{opening} ... }}", child.path, "")
            return
        yield CdlLine(opening, child.path, "")
        if self.below and isinstance(child, Group):
            yield from self._group(child, f"{indent}  ")
        if child.problem is not None:
            yield CdlLine(f"{indent}  // {_comment(child.problem)}", child.path, "")
        yield CdlLine(f"{indent}  }} // group {name}", child.path, "")

    # --- variables --------------------------------------------------------------------------

    def _variable(self, array: Array, indent: str) -> Iterator[CdlLine]:
        type_name, remark = netcdf_type(array)
        group = array.path if isinstance(self.top, Array) else array.parent or "/"
        axes = range(len(array.shape or ()))
        names = ", ".join(self._dimension_name(array, axis, group) for axis in axes)
        notes = [note for note in (remark, array.problem) if note]
        comment = f" // {_comment('; '.join(notes))}" if notes else ""
        member = "dtype" if array.zarr_format == 2 else "data_type"
        yield CdlLine(
            f"{indent}\t{type_name} {cdl_text.name(array.name)}{names and f'({names})'} ;{comment}",
            array.path,
            array.pointer(member),
        )
        shown = [key for key in array.attributes if _is_shown(array, key)]
        yield from self._attributes(array, array.name, shown, indent)
        if self.special:
            yield from self._specials(array, indent)

    def _attributes(
        self, node: Node, owner: str, keys: list[str], indent: str
    ) -> Iterator[CdlLine]:
        types = nczarr.attribute_types(node)
        for key in keys:
            noted = types.get(key)
            value = _fill_value(node, noted) if key == "_FillValue" else None
            if value is None:
                value = attribute_value(node, key, noted, self.limit)
            kind = "string " if value.type == "string" else ""
            label = f"{cdl_text.owner(owner)}:{cdl_text.name(key)}"
            note = f" // {value.note}" if value.note else ""
            yield CdlLine(
                f"{indent}\t\t{kind}{label} = {value.text} ;{note}",
                node.path,
                node.attribute_pointer(key),
            )

    # --- special attributes -----------------------------------------------------------------

    def _specials(self, array: Array, indent: str) -> Iterator[CdlLine]:
        """Yield the attributes that are not stored but follow from how an array is."""

        def line(key: str, value: str, pointer: str) -> CdlLine:
            text = f"{indent}\t\t{cdl_text.name(array.name)}:{key} = {value} ;"
            return CdlLine(text, array.path, pointer)

        grid = array.pointer("chunks" if array.zarr_format == 2 else "chunk_grid")
        codecs = array.pointer("compressor" if array.zarr_format == 2 else "codecs")
        yield line("_Storage", '"chunked"', grid)
        if array.chunk_shape:
            yield line("_ChunkSizes", ", ".join(map(str, array.chunk_shape)), grid)
        configurations = dict(_codecs(array))
        if any(name in configurations for name in SHUFFLE):
            yield line("_Shuffle", '"true"', codecs)
        for name in DEFLATE:
            level = configurations.get(name, {}).get("level")
            if level is not None:
                yield line("_DeflateLevel", str(level), codecs)
        if array.codecs and array.zarr_format == 2:
            yield line(
                "_Codecs", cdl_text.quote_plainly(netcdf_json.json_text(array.codecs)), codecs
            )
        endian = _endianness(array)
        if endian is not None and (array.data_type.itemsize or 0) > 1:
            member = array.pointer("dtype") if array.zarr_format == 2 else codecs
            yield line("_Endianness", cdl_text.quote(endian), member)

    def _global_specials(self, indent: str) -> Iterator[CdlLine]:
        root = self.top
        properties = root.attributes.get(nczarr.PROPERTIES)
        if isinstance(properties, str):
            yield CdlLine(
                f"{indent}\t\t:{nczarr.PROPERTIES} = {cdl_text.quote(properties)} ;",
                root.path,
                root.attribute_pointer(nczarr.PROPERTIES),
            )
        yield CdlLine(f'{indent}\t\t:_Format = "netCDF-4" ;')


def netcdf_type(array: Array) -> tuple[str, str | None]:
    """Return the CDL type of an array and a remark where netCDF has none that fits."""
    data_type = array.data_type
    if data_type.name in NETCDF_TYPES:
        return NETCDF_TYPES[data_type.name], None
    if _is_char(array):
        return "char", None
    if data_type.kind == "string" or (data_type.kind == "bytes" and array.zarr_format == 2):
        return "string", None
    if data_type.kind == "bool":
        return "ubyte", "bool: netCDF has no such type"
    return "opaque", f"{_comment(data_type.text)}: netCDF has no such type"


def _is_char(array: Array) -> bool:
    """Whether an array holds characters.

    netCDF-C distinguishes them from strings of one byte by a byte order that means nothing (``>S1``), and only where
    it noted that it wrote the array. Up to 4.9.0 it called them ``<U1`` and had no strings.
    """
    if array.zarr_format != 2:
        return array.data_type.kind == "bytes" and array.data_type.itemsize == 1
    place = nczarr.find(array, "array")
    if place is None or not nczarr.counts(array.hierarchy):
        return False
    given = array.metadata.get("dtype")
    return given in (">S1", "|U1", *nczarr.OLD_CHARACTERS) or (
        given == "|S1" and place.era == "objects"
    )


def _fill_value(array: Node, noted: str | None) -> CdlValue | None:
    """Return ``_FillValue`` in the type of the array; None on groups, and where NCZarr gives that type."""
    if not isinstance(array, Array) or array.fill is None or noted == array.data_type.name:
        return None
    type_name = "char" if _is_char(array) else array.data_type.name
    return fill_text(array.fill, type_name)


def _children(group: Group) -> tuple[list[Array], list[Node]]:
    """Return the arrays and the groups in a group, in the order in which netCDF-C noted them, if it did."""
    children = group.hierarchy.children(group)
    notes = nczarr.group_notes(group)
    if notes is not None and notes.children is not None:
        order = {name: i for i, name in enumerate(notes.children)}
        children = sorted(children, key=lambda child: order.get(child.name, len(order)))
    arrays = [child for child in children if isinstance(child, Array)]
    return arrays, [child for child in children if not isinstance(child, Array)]


def _is_shown(node: Node, key: str) -> bool:
    """Whether an attribute is one of the dataset, not of how a dialect stores it."""
    return not nczarr.is_hidden(key) and not (node.path == "/" and key == nczarr.PROPERTIES)


def _name_pointer(array: Array, axis: int) -> str:
    """Return the pointer to the name of an axis, else to its length."""
    source = array.dimension_names_source
    if source == "_ARRAY_DIMENSIONS":
        return array.attribute_pointer("_ARRAY_DIMENSIONS", axis)
    if source == "nczarr" and (place := nczarr.find(array, "array")) is not None:
        return place.at(place.member("dimension_references")[0], axis)
    if source == "dimension_names":
        return array.pointer("dimension_names", axis)
    return array.pointer("shape", axis)


def _codecs(array: Array) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield the codecs of an array by name, with what they are set to."""
    for codec in array.codecs:
        if not isinstance(codec, dict):
            continue
        name = codec.get("id", codec.get("name"))
        configuration = codec if "id" in codec else codec.get("configuration")
        if isinstance(name, str):
            yield name, configuration if isinstance(configuration, dict) else {}


def _endianness(array: Array) -> str | None:
    if array.zarr_format == 2:
        order = str(array.metadata.get("dtype"))[:1]
        return {"<": "little", ">": "big"}.get(order)
    endian = dict(_codecs(array)).get("bytes", {}).get("endian")
    return endian if isinstance(endian, str) else None


def _comment(text: str) -> str:
    return " ".join(text.split())
