"""Z3: extension points, their names and configurations."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.zarr3.arrays import all_codecs
from nz_explorer.conventions.zarr3.codec_settings import ANY, SELF_DESCRIBING, settings_of
from nz_explorer.conventions.zarr3.nodes import V3, may_be_ignored, refusal, set_to, shown
from nz_explorer.conventions.zarr3.registered_extensions import (
    CODECS,
    EXTENSION_NAME,
    URI_NAME,
)
from nz_explorer.conventions.zarr_versions import in_versions
from nz_explorer.documents import pointers
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.fixes import Draft, add, move, remove, replace
from nz_explorer.engine.registry import rule
from nz_explorer.model import codec_name, configuration_of

if TYPE_CHECKING:
    from nz_explorer.engine.findings import FixMaker
    from nz_explorer.engine.impact import Impact
    from nz_explorer.model import Array
from nz_explorer.conventions.zarr3.discouraged import POINTS

_AS_IF_THERE_WERE_NONE = {
    "zarr-python": "raises ValueError where the array is opened by itself; from its group it ignores the transformer,"
    " and reads what that has made of the chunks as chunks",
    "xarray": "reads what zarr-python reads from the group",
}
_NOT_SUPPORTED = {
    "zarr-python": "raises ValueError: arrays with storage transformers are not supported",
}
"""What happens with an array that is in no group."""
_AS_TEXT = in_versions("since 3.4", "raises TypeError")


@rule("Z3-ST-001", on="array", formats=V3)
def transformers(array: Array) -> Iterator[Fail]:
    """Require a list, empty in nearly all data."""
    given, alone = array.metadata.get("storage_transformers", []), array.is_root
    pointer = "/storage_transformers"
    impact: Impact = "blocks" if alone else "values"
    readers = _NOT_SUPPORTED if alone else _AS_IF_THERE_WERE_NONE
    if not isinstance(given, list):
        nothing = given in (None, {}, "")
        text = isinstance(given, str)
        # to zarr-python an object is as good as a list
        listed = isinstance(given, dict) and not nothing
        yield Fail(
            pointer,
            f"storage_transformers must be a list, got {shown(given)}",
            impact=impact if listed else None,
            readers=_AS_TEXT if text else {} if nothing else readers if listed else None,
            fix=set_to(pointer, []) if nothing else None,
        )
        return
    for i, entry in enumerate(given):
        if codec_name(entry) is None:
            yield Fail(
                f"{pointer}/{i}",
                f"storage transformer {i} must be an extension, got {shown(entry)}",
                impact=impact,
                readers=readers,
            )
        elif isinstance(entry, dict) and entry.get("must_understand") is False:
            message = f"storage transformer {codec_name(entry)} may be ignored by readers"
            yield Fail(
                f"{pointer}/{i}",
                message,
                severity="info",
                impact="blocks" if alone else "advice",
                readers=_NOT_SUPPORTED if alone else {},
            )
        else:
            yield Fail(
                f"{pointer}/{i}",
                f"storage transformer {codec_name(entry)} is not registered, so readers must not open the array"
                + (
                    ""
                    if alone
                    else "; from its group zarr-python reads the chunks as if it were not there"
                ),
                impact=impact,
                readers=readers,
            )


def _extensions(array: Array) -> Iterator[tuple[str, Any]]:
    """Yield everything that is written as an extension, with its pointer."""
    for point in POINTS:
        if point in array.metadata:
            yield f"/{point}", array.metadata[point]
    yield from all_codecs(array.codecs, "/codecs")
    transformers = array.metadata.get("storage_transformers")
    if isinstance(transformers, list):
        yield from ((f"/storage_transformers/{i}", entry) for i, entry in enumerate(transformers))


@rule("Z3-EXT-001", on="array", formats=V3)
def extension_names(array: Array) -> Iterator[Fail]:
    """Require names of the agreed form. A URI was allowed once."""
    for pointer, given in _extensions(array):
        name = codec_name(given)
        if name is None or EXTENSION_NAME.fullmatch(name):
            continue
        if pointer == "/data_type" and (
            array.data_type.status == "core" or not URI_NAME.fullmatch(name)
        ):
            continue  # one that is not registered is Z3-DT-002
        at = f"{pointer}/name" if isinstance(given, dict) else pointer
        if URI_NAME.fullmatch(name):
            message = f"{json_text(name)} is a URI, which only older extensions have for a name"
            yield Fail(at, message, severity="warning")
        else:
            unread = pointer.startswith("/storage_transformers")  # zarr-python passes over them
            yield Fail(
                at,
                f"{json_text(name)} is not a valid extension name, which is a lower-case letter and after it one or more lower-case letters, digits, -, _ or .",
                readers={} if unread else None,
            )


@rule("Z3-EXT-002", on="array", formats=V3)
def extension_configurations(array: Array) -> Iterator[Fail]:
    """Require an object where there is a configuration. Of a data type this is Z3-DT-001."""
    for pointer, given in _extensions(array):
        if not isinstance(given, dict) or pointer == "/data_type" or _has_own_rule(pointer, given):
            continue
        configuration = given.get("configuration", {})
        if not isinstance(configuration, dict):
            at = f"{pointer}/configuration"
            yield Fail(
                at,
                f"configuration of {codec_name(given) or 'an extension'} must be an object, got {shown(configuration)}",
                fix=_configured(array, at, codec_name(given)) if configuration is None else None,
            )


def _configured(array: Array, at: str, name: str | None) -> FixMaker | None:
    """Return the fix that makes an object of null: with the settings that an extension cannot do without."""
    if name == "bytes" and array.data_type.itemsize != 1:
        note = "if that is the byte order of the chunks"
        return set_to(at, {"endian": "little"}, "suggest", note)
    if name in SELF_DESCRIBING:
        return set_to(at, settings_of(array, name, {}), note=ANY)
    known = CODECS.get(name or "")
    needs = name in ("transpose", "sharding_indexed") or (known is not None and known.required)
    return None if needs else set_to(at, {})


SETTINGS = {
    "regular": ("chunk_shape",),
    "rectilinear": ("kind", "chunk_shapes"),
    "default": ("separator",),
    "v2": ("separator",),
    "bytes": ("endian",),
    "gzip": ("level",),
    "blosc": ("cname", "clevel", "shuffle", "typesize", "blocksize"),
    "transpose": ("order",),
    "sharding_indexed": ("chunk_shape", "codecs", "index_codecs", "index_location"),
}
"""What chunk grids, chunk keys and the codecs of the specification may be configured with; other codecs are Z3-CODEC-011."""
TYPE_SETTINGS = {
    **dict.fromkeys(("numpy.datetime64", "numpy.timedelta64"), ("unit", "scale_factor")),
    **dict.fromkeys(("struct", "structured"), ("fields",)),
    **dict.fromkeys(
        ("fixed_length_utf32", "null_terminated_bytes", "fixed_length_ascii", "raw_bytes"),
        ("length_bytes",),
    ),
}
"""The same of data types. Core types have none, which Z3-DT-001 says."""
PARTS = ("name", "configuration", "must_understand")


_OF_GRIDS = in_versions("before 3.2", "raises TypeError: got an unexpected keyword argument")
"""What readers do about a setting that a regular grid does not have."""


@rule("Z3-EXT-003", on="array", formats=V3)
def no_unknown_settings(array: Array) -> Iterator[Fail]:
    """Fail on settings that readers must understand and cannot."""
    for pointer, given in _extensions(array):
        if not isinstance(given, dict):
            continue
        for member in [one for one in given if one not in PARTS] if given.get("name") else ():
            at, skipped = pointers.join(pointer, member), may_be_ignored(given[member])
            if member in _settings(pointer, codec_name(given)):
                yield _misplaced(pointer, given, member)
                continue
            refused = pointer == "/data_type"  # of which zarr-python takes no more than the two
            yield Fail(
                at,
                f"{json_text(member)} is not a part of an extension, which has a name and a configuration"
                + (
                    "; readers may ignore this one"
                    if skipped
                    else ", so readers must not open the array"
                    + ("" if refused else ", although zarr-python does")
                ),
                severity="info" if skipped else None,
                impact="blocks" if refused else "convention",
                readers=refusal(array, "ValueError: Invalid data_type") if refused else {},
                fix=_without(at),
            )
        configuration, name = given.get("configuration"), codec_name(given)
        is_type = pointer == "/data_type"
        known = (TYPE_SETTINGS if is_type else SETTINGS).get(name or "")
        if not isinstance(configuration, dict):
            continue
        if known is None:
            if name and configuration.get("name") == name and _called(pointer) == "codec":
                at = f"{pointer}/configuration/name"
                yield Fail(
                    at,
                    f"the configuration of the codec {name} repeats its name, which is no setting",
                    fix=_without(at),
                )
            continue
        for member in [one for one in configuration if one not in known]:
            at, value = pointers.join(f"{pointer}/configuration", member), configuration[member]
            skipped = may_be_ignored(value)
            so = "; readers may ignore this one, but zarr-python does not"
            yield Fail(
                at,
                f"{_called(pointer)} {name} has no setting {json_text(member)}"
                f"{so if skipped else ', so readers must not open the array'}",
                severity="info" if skipped else None,
                readers=_of_unknown(array, pointer, name),
                # which is that of a regular grid, and what is known of the chunks
                fix=None if (name, member) == ("rectilinear", "chunk_shape") else _without(at),
            )


def _of_unknown(array: Array, pointer: str, name: str | None) -> dict[str, str] | None:
    """Return what readers do with a setting that nobody knows, where the rule's entry does not say it."""
    if pointer == "/data_type":
        return refusal(array, "ValueError: No Zarr data type found")
    if pointer == "/chunk_grid":  # a rectilinear grid they refuse for itself, as Z3-GRID-007 says
        return _OF_GRIDS if name == "regular" else {}
    return None


def _settings(pointer: str, name: str | None) -> Collection[str]:
    """Return what an extension may be configured with, as far as that is known."""
    if pointer == "/data_type":
        return TYPE_SETTINGS.get(name or "", ())
    codec = CODECS.get(name or "")
    return SETTINGS.get(name or "") or (codec.members if codec is not None else None) or ()


def _misplaced(pointer: str, given: dict[str, Any], member: str) -> Fail:
    """Return what is wrong with a setting beside the name of what it is a setting of, as Zarr v2 has it."""
    name, configuration = codec_name(given), given.get("configuration", {})
    at, place = pointers.join(pointer, member), f"{pointer}/configuration"
    fix = None
    if isinstance(configuration, dict) and member not in configuration:
        others = [one for one in given if one not in PARTS and one not in (member, *configuration)]
        moved = [member, *(one for one in others if one in _settings(pointer, name))]
        steps = [move(pointers.join(pointer, one), pointers.join(place, one)) for one in moved]
        whole = (*([] if "configuration" in given else [add(place, {})]), *steps)
        fix = lambda _node: Draft("suggest", whole)  # noqa: E731
    misread = name == "bytes" and given[member] == "big" and fix is not None
    unseen = dict.fromkeys(("zarr-python", "xarray"), "does not see it, and takes little-endian")
    return Fail(
        at,
        f"{json_text(member)} is a setting of {name} and belongs into its configuration; beside the name it is no part of an extension, so readers must not open the array",
        impact="values" if misread else "convention",
        readers=unseen if misread else {},
        fix=fix,
    )


def _called(pointer: str) -> str:
    """Return what an extension at a pointer is: a codec, also one in another, unless it has a member of its own."""
    member = pointer[1:]
    return member.replace("_", " ") if member in POINTS else "codec"


def _without(pointer: str) -> FixMaker:
    return lambda _node: Draft("suggest", (remove(pointer),), "if the chunks do not depend on it")


def _has_own_rule(pointer: str, given: dict[str, Any]) -> bool:
    return pointer == "/chunk_grid" and given.get("name") == "regular"


@rule("Z3-DT-001", on="array", formats=V3, needs=("data type",))
def settings_of_times(array: Array) -> Iterator[Fail]:
    """Require both settings of times: what the unit is multiplied by has no default. Warn of no unit."""
    given = array.metadata.get("data_type")
    configuration = given.get("configuration") if isinstance(given, dict) else None
    if array.data_type.kind not in ("datetime", "timedelta") or not isinstance(configuration, dict):
        return
    if "scale_factor" not in configuration:
        at = "/data_type/configuration/scale_factor"
        yield Fail(
            at,
            f"{array.data_type.name} needs a scale_factor, such as 1",
            fix=lambda _node: Draft("suggest", (add(at, 1),), "if the values count single units"),
        )
    if configuration.get("unit") == "generic":
        refused = array.data_type.kind == "datetime" and array.metadata.get("fill_value") != "NaT"
        yield Fail(
            "/data_type/configuration/unit",
            "the unit is generic, so nothing tells what the values count",
            severity="warning",
            impact=None if refused else "values",
            readers=in_versions("before 3.4.1", "raises TypeError: Invalid fill_value")
            if refused
            else {
                "xarray": "opens the group, and raises TypeError when values are loaded: they must have a unit"
            },
        )


@rule("Z3-DT-001", on="array", formats=V3, needs=("data type",))
def fields_are_objects(array: Array) -> Iterator[Fail]:
    """Require fields of a struct to be objects: pairs are those of its predecessor, structured."""
    if array.data_type.kind == "struct":
        yield from _pairs(array.metadata.get("data_type"), "/data_type")


def _pairs(given: Any, pointer: str) -> Iterator[Fail]:
    fields = configuration_of(given).get("fields")
    for i, field in enumerate(fields if isinstance(fields, list) else ()):
        at = f"{pointer}/configuration/fields/{i}"
        if isinstance(field, dict):
            yield from _pairs(field.get("data_type"), f"{at}/data_type")
        elif given["name"] == "struct" and isinstance(field, list) and len(field) == 2:
            as_object = {"name": field[0], "data_type": field[1]}
            yield Fail(
                at,
                f"a field of struct must be an object with name and data_type, got {shown(field)};"
                " pairs are the form of structured",
                fix=set_to(at, as_object),
            )


_VARIABLE = {
    **dict.fromkeys(("string", "variable_length_utf8"), "vlen-utf8"),
    **dict.fromkeys(("bytes", "variable_length_bytes"), "vlen-bytes"),
}
"""The codec of each type whose elements vary in length."""
_SERIALIZERS = frozenset(("bytes", *_VARIABLE.values()))
_CASTS = frozenset(("cast_value", "numcodecs.astype"))
"""Codecs after which the type is another one."""


@rule("Z3-CODEC-014", on="array", formats=V3, needs=("codecs", "data type"))
def codec_of_the_type(array: Array) -> Iterator[Fail]:
    """Require the codec that turns elements of this type into bytes."""
    given = array.metadata.get("data_type")
    name = given.get("name") if isinstance(given, dict) else given
    if array.data_type.kind == "unknown" or _CASTS & {codec_name(c) for c in array.codecs}:
        return
    of_one_length = array.data_type.kind in ("string", "bytes", "raw") and name not in _VARIABLE
    wanted = _VARIABLE.get(name, "bytes") if isinstance(name, str) else "bytes"
    for pointer, codec in all_codecs(array.codecs, "/codecs"):
        found = codec_name(codec)
        if found not in _SERIALIZERS or found == wanted or "/index_codecs/" in pointer:
            continue
        why = (
            "it is for elements of varying length, which these are not"
            if wanted == "bytes"
            else f"it has elements of varying length, which {wanted} writes"
        )
        yield Fail(
            pointer,
            f"the codec {found} cannot write the data type {array.data_type.text}: {why}",
            readers={} if of_one_length else None,
            fix=_serializer(pointer, wanted),
        )


def _serializer(pointer: str, wanted: str) -> FixMaker:
    codec: dict[str, Any] = {"name": wanted}
    if wanted == "bytes":
        codec["configuration"] = {"endian": "little"}
    note = "unless it is the data type that is wrong: the chunks tell which of them"
    return lambda _node: Draft("suggest", (replace(pointer, codec),), note)
