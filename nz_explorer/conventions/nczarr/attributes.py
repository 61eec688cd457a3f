"""NCZ: types, fill values and storage, as netCDF-C writes them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.zarr3.nodes import is_integer, shown
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, FixMaker, Undecided
from nz_explorer.engine.fixes import Draft, Operation, remove, replace, set_attribute
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array
from nz_explorer.model.dialects import nczarr
from nz_explorer.model.dialects.nczarr_types import attribute_type
from nz_explorer.text.phrases import listed, plural

if TYPE_CHECKING:
    from nz_explorer.model import Node
    from nz_explorer.model.dialects.nczarr import Place
from nz_explorer.conventions.nczarr.missing_types import with_type, with_types
from nz_explorer.conventions.nczarr.old_names import types_of_today
from nz_explorer.conventions.nczarr.superblock import V2, as_object, read_today, unread, unused

ROUNDED_FILL = 9.96921e36


DEFAULT_FILL = 9.969209968386869e36
"""What netCDF fills unwritten floating-point data with, and what netCDF-C makes of it in JSON."""


@rule("NCZ-MODEL-001", on="array")
def readable_type(array: Array) -> Iterator[Fail]:
    """Note types that netCDF-C has nothing for."""
    data_type = array.data_type
    if data_type.status in ("unknown", "malformed") or has_type(array):
        return  # found by the rules on types
    member = "dtype" if array.zarr_format == 2 else "data_type"
    given = array.metadata.get(member)
    if given in nczarr.OLD_CHARACTERS and data_type.kind == "bytes":
        yield Fail(
            array.pointer(member),
            f"netCDF-C 4.10 cannot read {shown(given)}, which its versions up to 4.9.0 wrote for characters",
        )
    else:
        spelled = data_type.kind in ("bytes", "raw", "string") and array.zarr_format == 2
        what = f"dtype {shown(given)}" if spelled else data_type.text
        yield Fail(array.pointer(member), f"netCDF-C cannot read {what}")


def has_type(array: Array) -> bool:
    """Whether netCDF-C has a type for the values of an array.

    Parameters
    ----------
    array : Array
        The array.
    """
    data_type = array.data_type
    given = array.metadata.get("dtype" if array.zarr_format == 2 else "data_type")
    if data_type.kind == "bytes":
        return given not in nczarr.OLD_CHARACTERS and not str(given).endswith("O")
    return data_type.kind in ("int", "uint") or data_type.name in ("float32", "float64")


QUANTIZED = (
    "_QuantizeBitGroomNumberOfSignificantDigits",
    "_QuantizeGranularBitRoundNumberOfSignificantDigits",
    "_QuantizeBitRoundNumberOfSignificantBits",
)
"""Attributes that netCDF-C 4.10 writes of rounded values, and gives no type."""
STORAGE = ("chunked", "contiguous", "compact", "scalar")
"""Values of ``storage`` in netCDF-C; the last one only up to 4.9."""


@rule("NCZ-VAR-004", on="array")
def storage(array: Array) -> Iterator[Fail]:
    """Require a storage that netCDF knows."""
    place = nczarr.find_object(array, "array")
    if place is not None and "storage" in place.value:
        given = place.value["storage"]
        if given not in STORAGE:
            said = f"storage must be one of {', '.join(STORAGE)}, got {shown(given)}"
            yield Fail(place.at("storage"), said)


@rule("NCZ-VAR-005", on="array", formats=V2, needs=("shape",))
def scalar_fits(array: Array) -> Iterator[Fail]:
    """Require an array marked as scalar to have the shape [1] and no dimensions."""
    place = nczarr.find_object(array, "array")
    if place is None or not place.is_scalar:
        return
    member, given = place.member("dimension_references")
    stored = array.stored_shape
    if stored is not None and stored != (1,):
        # netCDF-C 4.10 goes by the member scalar, and reads the chunk of an array of one dimension; without any it shows nothing
        does = ""
        if stored and "scalar" in place.value:
            first = len(stored) == 1 and stored[0] > 1
            does = (
                f"shows one value, {'the first, and no other' if first else 'which is not stored'}"
            )
        wrong = Fail(
            place.at("scalar" if "scalar" in place.value else "storage"),
            f"this array is marked as a scalar, which has the shape [1], not {list(stored)}",
            impact="values" if does else None,
            readers={"netCDF-C": does} if does else None,
        )
        yield read_today(array, place, wrong)
    elif given:
        mark = "this array is marked as a scalar"
        if place.value.get("scalar", 1) in (0, "0", None):
            mark = f"scalar is {shown(place.value['scalar'])}, which netCDF-C takes for the mark of a scalar whatever it says: the array"
        said = f"{mark} and has dimensions: {shown(given)}"
        yield Fail(place.at(member), said, fix=partial(_scalar_or_not, place))


def _scalar_or_not(place: Place, node: Node) -> Draft | None:
    """Take the mark away that says no, if the dimensions are there, or else the dimensions that nobody declares."""
    if not isinstance(node, Array):
        return None
    references = node.dimension_references or ()
    lost = {reference for reference, _ in nczarr.unresolved(node)}
    meant = place.value.get("scalar", 1) not in (0, "0", None)
    if not meant and not lost:
        return Draft("suggest", (remove(place.at("scalar")),))
    if meant and all(
        one in lost or one.endswith(f"/{nczarr.SCALAR_DIMENSION}") for one in references
    ):
        member, _ = place.member("dimension_references")
        return Draft("suggest", (replace(place.at(member), []),))
    return None


@rule("NCZ-PREC-001", on="array", formats=V2)
def rounded_fill(array: Array) -> Iterator[Fail]:
    """Note the default fill value of netCDF with six of its digits, which are enough for float32 only."""
    if array.data_type.name == "float64" and _is_rounded(array.metadata.get("fill_value")):
        yield Fail(
            array.pointer("fill_value"),
            f"fill_value {shown(array.metadata['fill_value'])} looks rounded; the default of netCDF is {DEFAULT_FILL!r}",
            fix=_full_precision,
        )


def _is_rounded(value: Any) -> bool:
    return isinstance(value, float) and value == ROUNDED_FILL


def _full_precision(node: Node) -> Draft:
    operations: tuple[Operation, ...] = (replace(node.pointer("fill_value"), DEFAULT_FILL),)
    if _is_rounded(node.attributes.get("_FillValue")):
        operations += set_attribute(node, "_FillValue", DEFAULT_FILL)
    note = "written chunks may contain either value; chunks that were never written will read differently"
    return Draft("unsafe", operations, note)


def types_noted(node: Node) -> tuple[Place, dict[str, Any]] | None:
    """Return the types that are noted of a node's attributes, as they are spelled, and where.

    Parameters
    ----------
    node : Node
        The node.
    """
    place = nczarr.find(node, "attr")
    types = None if place is None else place.member("types")[1]
    return (place, types) if place is not None and isinstance(types, dict) else None


@rule("NCZ-ATT-001", on="node", needs=("attributes",))
def types_and_attributes(node: Node) -> Iterator[Fail | Undecided]:
    """Require a type for each attribute, and an attribute for each type."""
    place = nczarr.find(node, "attr")
    own = [key for key in node.attributes if not nczarr.is_hidden(key) and key not in QUANTIZED]
    beside = nczarr.find(node, "array") or nczarr.find(node, "group")
    # up to 4.9.2 it wrote types only where there were attributes
    is_today = beside is not None and beside.era == "attributes" and not beside.is_upper
    if place is None:
        if is_today and not own and nczarr.is_read(node.hierarchy.root, "superblock"):
            yield Fail(
                node.attribute_pointer("_nczarr_attr"),
                "no attribute types are given, which NCZarr has in every .zattrs; there is none to guess here",
                fix=_empty_types,
            )
        if own and beside is not None:
            is_old = beside.era == "objects"
            yield Fail(
                "/.nczattr" if is_old else node.attribute_pointer("_nczarr_attr"),
                f"no attribute types are given, which NCZarr has of every attribute: {_guesses(node, own)}",
                fix=None if is_old or beside.is_upper else partial(with_types, own),
            )
        return
    if not place.read and nczarr.is_read(node.hierarchy.root, "superblock"):
        key = place.pointer.rpartition("/")[2]
        yield Fail(
            place.pointer,
            f"the types are in {key}, which netCDF-C 4.10 does not read: it guesses them, and shows {key} as an attribute",
            fix=partial(_types_of_today, place) if place.era == "attributes" else None,
        )
        return
    types = place.value.get("types", {}) if isinstance(place.value, dict) else None
    if not isinstance(types, dict):
        malformed = Fail(
            place.pointer,
            f"attribute types must be an object, got {shown(place.value)}"
            if types is None
            else f"types of attributes must be an object from names to types, got {shown(types)}",
            impact="blocks",
            readers={"netCDF-C": "cannot open the dataset: NCZarr error"},
            fix=as_object(place.pointer, place.value)
            if types is None
            else as_object(place.at("types"), types),
        )
        yield unread(place) or read_today(node, place, malformed)
        return
    if is_today and isinstance(place.value, dict) and "types" not in place.value and not own:
        yield Fail(
            place.at("types"),
            "there are no types, which NCZarr has in every _nczarr_attr; there is none to guess here",
            fix=_empty_types if place.era == "attributes" and not place.is_upper else None,
        )
    for key in own:
        if key not in types:
            yield Fail(
                node.attribute_pointer(key),
                f"attribute {json_text(key)} has no type, which NCZarr has of every attribute: {_guess(node, key)}",
                fix=partial(with_type, place, key)
                if "types" in place.value
                else partial(with_types, own),
            )
    for key in types:
        if key not in node.attributes and not nczarr.is_hidden(key):
            yield Fail(
                place.at("types", key),
                f"a type is given for {json_text(key)}, which is not an attribute here",
                fix=partial(_without_type, place, key) if place.era == "attributes" else None,
            )


def _without_type(place: Place, key: str, _node: Node) -> Draft:
    note = "if the attribute is not wanted any more"
    return Draft("suggest", (remove(place.at("types", key)),), note)


def _guesses(node: Node, own: list[str]) -> str:
    """Say what netCDF-C does where no attribute of a node has a type."""
    empty = [key for key in own if node.attributes[key] == []]  # Z2-OGC-011
    others = [key for key in own if key not in empty and not _has_type_of_array(node, key)]
    if not empty and not others:
        return "netCDF-C takes that of the array for _FillValue"
    if not empty:
        return f"netCDF-C guesses those of {listed(map(json_text, others))}"
    what = "an empty list" if len(empty) == 1 else "empty lists"
    cannot = f"cannot guess that of {listed(map(json_text, empty))}, {what}"
    if not others:
        return f"netCDF-C {cannot}"
    return f"netCDF-C guesses those of {listed(map(json_text, others))}; it {cannot}"


def _has_type_of_array(node: Node, key: str) -> bool:
    """Whether netCDF-C knows the type of an attribute without being told."""
    return key == "_FillValue" and isinstance(node, Array)


def _guess(node: Node, key: str) -> str:
    """Say what netCDF-C does without a type, which it takes from the first value."""
    if _has_type_of_array(node, key):
        return "netCDF-C takes that of the array"
    if node.attributes[key] == []:  # Z2-OGC-011
        return "netCDF-C cannot guess one of an empty list"
    return "netCDF-C guesses one"


def _empty_types(node: Node) -> Draft:
    """Give the types that netCDF-C writes of its own metadata."""
    own = [key for keys in nczarr.KEYS.values() for key in keys[:1] if key in node.attributes]
    types = dict.fromkeys((*own, "_nczarr_attr"), "|J0")
    return Draft("safe", set_attribute(node, "_nczarr_attr", {"types": types}))


def _types_of_today(place: Place, node: Node) -> Draft | None:
    """Give types under the name that is read today."""
    operations = types_of_today(place, node)
    return Draft("suggest", operations) if operations else None


@rule("NCZ-ATT-002", "NCZ-ATT-006", on="node")
def known_types(node: Node) -> Iterator[Fail]:
    """Require types that netCDF-C knows."""
    found = types_noted(node)
    if found is None:
        return
    place, types = found
    for key, spelled in types.items():
        # Characters were U1 up to 4.9.0, which netCDF-C of today does not take where it keeps types today.
        here = place.era == "attributes" and not place.is_upper
        late = here and isinstance(spelled, str) and "U" in spelled
        if late or nczarr.type_at(place, spelled) is None:
            unknown = Fail(
                place.at("types", key),
                f"the type {shown(spelled)} of {key} is not known",
                fix=_as_characters(place.at("types", key)) if late else None,
            )
            minds = _is_looked_up(node, key) and spelled not in _WITHOUT_LENGTH
            yield read_today(node, place, unknown if minds else unused(unknown))
        elif place.era == "attributes" and attribute_type(spelled) == "json":
            if nczarr.is_hidden(key):
                continue
            outside = Fail(
                place.at("types", key),
                f"the type of {key} is {shown(spelled)}, which is for text that is JSON; netCDF-C 4.10 takes it"
                " for its own metadata only",
                fix=_as_characters(place.at("types", key)),
                rule="NCZ-ATT-006",
            )
            yield outside if _is_looked_up(node, key) else unused(outside)


_WITHOUT_LENGTH = ("S", "|S", "<S", ">S")
"""Types of strings that are none, because the length is missing, and that netCDF-C takes all the same."""


def _is_looked_up(node: Node, key: str) -> bool:
    """Whether netCDF-C wants the type: that of an attribute which is there, and not of its own ones."""
    own = nczarr.is_hidden(key) or (node.is_root and key == nczarr.PROPERTIES)
    return key in node.attributes and not own


def types_are_taken(node: Node) -> bool:
    """Whether netCDF-C takes what is noted of the types of a node's attributes, if anything is.

    Parameters
    ----------
    node : Node
        The node.
    """
    place = nczarr.find(node, "attr")
    if place is None:
        return True
    types = place.value.get("types", {}) if isinstance(place.value, dict) else None
    if not isinstance(types, dict):
        return False
    used = (one for key, one in types.items() if _is_looked_up(node, key))
    return all(
        one in _WITHOUT_LENGTH
        or ("U" not in str(one) and nczarr.type_at(place, one) not in (None, "json"))
        for one in used
    )


def _as_characters(pointer: str) -> FixMaker:
    return lambda _node: Draft("suggest", (replace(pointer, ">S1"),))


@rule("NCZ-ATT-005", on="node", needs=("attributes",))
def length_of_strings(node: Node) -> Iterator[Fail]:
    """Require the maximum string length to be a positive integer, where it means something, and that of the strings."""
    of_root, of_array = nczarr.MAX_LENGTHS
    for key in filter(node.attributes.__contains__, nczarr.MAX_LENGTHS):
        given, pointer = node.attributes[key], node.attribute_pointer(key)
        strings = isinstance(node, Array) and node.data_type.kind == "bytes" and not _is_char(node)
        if key == of_array and isinstance(node, Array) and strings:
            cut = _cut_otherwise(node, key)
            if cut is not None:
                yield cut
                continue
        if not is_integer(given) or given < 1:
            yield Fail(pointer, f"{key} must be a positive integer, got {shown(given)}")
        elif key == of_root and not node.is_root:
            yield Fail(pointer, f"{key} is an attribute of the root, and says nothing elsewhere")
        elif key == of_array and not strings and not _is_unclear(node):
            yield Fail(
                pointer, f"{key} is an attribute of arrays of strings, and says nothing here"
            )


def _is_unclear(node: Node) -> bool:
    """Whether nothing is known of the type of an array."""
    return isinstance(node, Array) and node.data_type.kind == "unknown"


def _is_char(array: Array) -> bool:
    """Whether netCDF-C takes the bytes of an array for characters, and not for strings of one byte."""
    return array.metadata.get("dtype") == ">S1"


def _cut_otherwise(array: Array, key: str) -> Fail | None:
    """Return that netCDF-C takes another number of bytes for a string than is stored."""
    given, size = array.attributes[key], array.data_type.itemsize
    length = given[0] if isinstance(given, list) and given else given
    is_read = nczarr.attribute_types(array).get(key, "int32") == "int32"
    if not is_read or not is_integer(length) or length == size:
        return None
    does = f"takes {plural(length, 'byte')} for each string, and shows wrong ones"
    if length == 0:
        does += ", or crashes the process (4.10)"
    elif length < 0:  # it makes room for the strings and their ends, of which -1 leaves nothing
        crashes = "shows wrong ones of the strings that are stored, or crashes the process (4.10)"
        fails = "cannot read the strings that are stored: memory allocation failure (4.10)"
        does = crashes if length == -1 else fails
    pointer = array.attribute_pointer(key)
    return Fail(
        pointer,
        f"{key} is {shown(given)}, and the strings of dtype {shown(array.metadata.get('dtype'))} have {plural(size or 0, 'byte')}:"
        f" netCDF-C {does}",
        severity="warning",
        impact="blocks" if length < -1 else "values",
        readers={"netCDF-C": does},
        fix=lambda _node: Draft("suggest", (replace(pointer, size),), "if dtype is right"),
    )
