"""Z2: whether readers have the codecs that compressors and filters name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from difflib import get_close_matches
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.netcdf_c import impact_of_netcdf
from nz_explorer.conventions.zarr2.filters import scaled_by_0, unfit
from nz_explorer.conventions.zarr3.codec_packages import EXTRAS, NUMCODECS, what_it_needs
from nz_explorer.conventions.zarr3.nodes import is_integer, shown
from nz_explorer.documents import pointers
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, FixMaker
from nz_explorer.engine.fixes import Draft, add, remove, replace
from nz_explorer.engine.registry import rule

if TYPE_CHECKING:
    from nz_explorer.model import Array, Inside, Node

V2 = (2,)
COMMON = frozenset(
    [
        "blosc", "bz2", "crc32", "delta", "fixedscaleoffset", "fletcher32", "gzip", "lz4", "lzma", "quantize",
        "shuffle", "vlen-bytes", "vlen-utf8", "zlib", "zstd",
    ]
)  # fmt: skip
"""Codecs that programs in other languages have, too."""
IN_NETCDF = frozenset(["blosc", "bz2", "fletcher32", "shuffle", "zlib", "zstd"])
"""Codecs that netCDF-C has, by itself or with the plugins that come with it."""
NETCDF_ALONE = frozenset(["szip"])
"""Codecs that netCDF-C writes and reads, and numcodecs has not."""
SETTINGS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "adler32": ((), ("location",)),
    "astype": (("encode_dtype", "decode_dtype"), ()),
    "base64": ((), ()),
    "bitround": (("keepbits",), ()),
    "blosc": ((), ("cname", "clevel", "shuffle", "blocksize", "typesize")),
    "bz2": ((), ("level",)),
    "categorize": (("labels", "dtype"), ("astype",)),
    "crc32": ((), ("location",)),
    "delta": (("dtype",), ("astype",)),
    "fixedscaleoffset": (("offset", "scale", "dtype"), ("astype",)),
    "fletcher32": ((), ()),
    "gzip": ((), ("level",)),
    "lz4": ((), ("acceleration",)),
    "lzma": ((), ("format", "check", "preset", "filters")),
    "packbits": ((), ()),
    "quantize": (("digits", "dtype"), ("astype",)),
    "shuffle": ((), ("elementsize",)),
    "vlen-array": (("dtype",), ()),
    "vlen-bytes": ((), ()),
    "vlen-utf8": ((), ()),
    "zlib": ((), ("level",)),
    "zstd": ((), ("level", "checksum")),
}
"""What numcodecs asks of the settings of its codecs: those that there must be, and those that there may be."""
MADE_OF_TYPES = (
    "adler32",
    "astype",
    "bitround",
    "categorize",
    "crc32",
    "delta",
    "fixedscaleoffset",
    "quantize",
)
"""Codecs that numcodecs does not make of some values of their settings, such as dtype; others fail when they encode."""
LATE = {
    "blosc": (
        "typesize",
        "numcodecs before 0.16, which zarr-python 2 uses, and TensorStore, and MATLAB by way of it, refuse",
        "chunks say themselves how long an element is",
    ),
    "zstd": (
        "checksum",
        "TensorStore, zarrs and numcodecs before 0.13 refuse",
        "chunks say themselves whether they have a checksum",
    ),
}
"""Settings that numcodecs has got later: who refuses an array with them, and why they can be left out."""
REFUSE_LATE = {
    "blosc": {
        "tensorstore": "refuses the array: Object includes extra members",
        "MATLAB": 'reads with TensorStore: Error parsing object member "compressor": Object includes extra members: "typesize"',
    },
    "zstd": {
        "tensorstore": "refuses the array: Object includes extra members",
        "zarrs": "refuses the array: unknown field checksum",
    },
}
"""What programs that refuse such settings say."""
SHUFFLES = ("noshuffle", "shuffle", "bitshuffle")


def _named(array: Array) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield pointer and settings of the compressor and the filters; what has no id is Z2-ARR-007 and Z2-ARR-008."""
    filters = array.metadata.get("filters")
    codecs = [("/.zarray/compressor", array.metadata.get("compressor"))]
    if isinstance(filters, list):
        codecs += [(f"/.zarray/filters/{i}", codec) for i, codec in enumerate(filters)]
    for pointer, codec in codecs:
        if isinstance(codec, dict) and isinstance(codec.get("id"), str):
            yield pointer, codec


@rule("Z2-CODEC-004", on="array", formats=V2)
def netcdf_takes_settings(array: Array) -> Iterator[Fail]:
    """Note settings that netCDF-C cannot take; and codecs that it lacks, where the store does not tell what is stored."""
    if str(array.metadata.get("dtype")).endswith("O"):
        return  # Z2-OGC-004
    for pointer, codec in _named(array):
        for member, does in _refused_by_netcdf(codec):
            given = json_text(codec[member]) if member in codec else "missing"
            yield Fail(
                pointers.join(pointer, member),
                f"the setting {member} of {codec['id']} is {given}: netCDF-C up to 4.10 {does}",
                impact=impact_of_netcdf(array),
                readers={"netCDF-C": does},
                fix=_usual(pointers.join(pointer, member), member),
            )
    if not array.hierarchy.reader.listable:
        yield from _lacks_codecs(array, stored=True)


@rule("Z2-CODEC-004", on="inside", formats=V2)
def netcdf_has_it(array: Array, inside: Inside) -> Iterator[Fail]:
    """Note codecs that netCDF-C lacks, of arrays that it would read otherwise. Of one without chunks it reads the fill value."""
    yield from _lacks_codecs(array, stored=bool(inside.chunk_names) or not inside.complete)


def _lacks_codecs(array: Array, *, stored: bool) -> Iterator[Fail]:
    if str(array.metadata.get("dtype")).endswith("O"):
        return  # Z2-OGC-004
    for pointer, codec in _named(array):
        name = codec["id"]
        # that a codec is nobody's is Z2-CODEC-001, and enough where netCDF-C does not need it
        if name in IN_NETCDF | NETCDF_ALONE or not (stored or name in NUMCODECS):
            continue
        rest = "read the values" if stored else "read chunks, of which none is stored"
        yield Fail(
            f"{pointer}/id",
            f"netCDF-C up to 4.10 has no codec {json_text(name)}, and cannot {rest}",
            impact=impact_of_netcdf(array) if stored else "advice",
            readers=None if stored else {},
        )


USUAL = {"level": 1, "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0}
WITH_LEVEL = ("zlib", "bz2", "zstd")
"""Codecs at which netCDF-C crashes where they have no level."""
BLOSC_OF_NETCDF = ("blosclz", "lz4", "lz4hc", "zlib", "zstd")
_FILTER_ERROR = "refuses the dataset: Filter error"


def _refused_by_netcdf(codec: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield settings that netCDF-C does not take, and what it does; other readers go by the chunks alone."""
    name, members = codec["id"], [one for one in USUAL if one in codec]
    if name == "blosc":
        if codec.get("cname", "lz4") not in BLOSC_OF_NETCDF:
            yield "cname", _FILTER_ERROR
        for member in members:
            below = member in ("clevel", "blocksize") and _is_below_0(codec[member])
            if member not in ("cname", "level") and (below or _is_no_number(codec[member])):
                yield member, _FILTER_ERROR
    elif name in WITH_LEVEL:
        if "level" not in codec:
            yield "level", "crashes the process"
        elif _is_no_number(level := codec["level"]):
            yield "level", _FILTER_ERROR
        elif _is_below_0(level):
            yield "level", "refuses the dataset: invalid argument"
        elif name == "zlib" and isinstance(level, int | float) and level > 9:
            yield "level", "fails when it reads a stored chunk: Filter error"


def _is_no_number(given: Any) -> bool:
    return given is None or isinstance(given, list | dict)


def _is_below_0(given: Any) -> bool:
    return isinstance(given, int | float) and given < 0


def _usual(pointer: str, member: str) -> FixMaker:
    note = "the chunks say themselves how they were compressed: to read them, any value does"
    return lambda _node: Draft("safe", (add(pointer, USUAL[member]),), note)


NOT_REGISTERED = {"tensorstore": "refuses the array: the id is not registered"}
WITHOUT_FILTERS = {
    "tensorstore": "refuses the array: filters are not supported",
    "GDAL": "does not list an array with a filter that it does not have",
}


_UNAVAILABLE = {
    "zarr-python": "raises UnknownCodecError: codec not available",
    "xarray": "raises UnknownCodecError: codec not available, and opens nothing of the group",
}
"""What readers without a codec do."""


@rule("Z2-CODEC-001", "Z2-CODEC-002", on="array", formats=V2)
def readers_have_it(array: Array) -> Iterator[Fail]:
    """Require codecs that readers have: of numcodecs at least, and best those of other languages, too."""
    for pointer, codec in _named(array):
        name = codec["id"]
        if (late := LATE.get(name)) is not None and late[0] in codec:
            yield _late_setting(pointer, codec, *late)
        if name in COMMON:
            continue
        if name in NUMCODECS:
            yield Fail(
                f"{pointer}/id",
                f"the codec {json_text(name)} is in numcodecs; programs in other languages, GDAL among them, may lack it",
                rule="Z2-CODEC-002",
                readers=WITHOUT_FILTERS if "/filters/" in pointer else NOT_REGISTERED,
            )
            continue
        plain = name.removeprefix("numcodecs.").lower()
        right = plain if plain != name and plain in NUMCODECS | EXTRAS.keys() else None
        needs = f"its id in Zarr v2 is {json_text(right)}" if right else what_it_needs(name)
        how = ": " if right or needs.startswith("pip ") else "; decoding needs "
        alone = name in NETCDF_ALONE
        if alone:
            how, needs = (
                "; ",
                "netCDF-C reads it where it was built with the library, as in the wheels of netCDF4-python",
            )
        yield Fail(
            f"{pointer}/id",
            f"zarr-python does not have the codec {json_text(name)} by itself{how}{needs}",
            readers=_UNAVAILABLE if alone else None,
            fix=_call_it(f"{pointer}/id", right) if right else None if alone else _install(needs),
        )


@rule("Z2-CODEC-003", on="array", formats=V2)
def settings_are_known(array: Array) -> Iterator[Fail]:
    """Require the settings that numcodecs makes a codec of, and no others."""
    for pointer, codec in _named(array):
        name = codec["id"]
        needed, optional = SETTINGS.get(name, ((), None))
        if optional is None:
            continue
        missing = [one for one in needed if one not in codec]
        for member in missing:
            yield Fail(
                pointers.join(pointer, member),
                f"the codec {name} lacks its setting {member}, without which zarr-python cannot make it",
            )
        known = ("id", *needed, *optional)
        others = [one for one in codec if one not in known]
        for member in others:
            meant = next(iter(get_close_matches(member, known[1:], 1)), None)
            yield Fail(
                pointers.join(pointer, member),
                f"the codec {name} has no setting {json_text(member)}, and zarr-python refuses it"
                + (f"; did you mean {meant}?" if meant and meant not in codec else ""),
                fix=_without(pointers.join(pointer, member)),
            )
        yield from _odd_values(pointer, codec)
        yield from scaled_by_0(pointer, codec)
        told = missing or others
        if not told and name in MADE_OF_TYPES and (why := _refusal(json.dumps(codec))):
            yield Fail(
                pointer,
                f"zarr-python cannot make the codec {name} with these settings: {why}",
                readers={
                    "zarr-python": "raises an error when it opens the array",
                    "xarray": "raises the same, and opens nothing of the group",
                },
            )
        elif not told and pointer == "/.zarray/filters/0":
            yield from unfit(array, codec)


RANGES = {
    "blosc": {"clevel": (0, 9), "shuffle": (-1, 2)},
    "bz2": {"level": (1, 9)},
    "gzip": {"level": (-1, 9)},
    "zlib": {"level": (-1, 9)},
    "zstd": {"level": (-(2**31), 2**31 - 1)},
}
"""Integers with which numcodecs compresses; it hands those of zstd on, and this makes them fit."""
_NUMBERS = {
    "blosc": ("blocksize",),
    "fixedscaleoffset": ("offset", "scale"),
    "lz4": ("acceleration",),
    "quantize": ("digits",),
    "shuffle": ("elementsize",),
}
"""Settings that are numbers of any size."""
_ASKED_WHEN_READ = ("fixedscaleoffset", "shuffle")
"""Codecs that do not decode without them; of the others they are asked for where a chunk is written."""


def no_chunk_can_be_read(array: Array) -> bool:
    """Return whether a setting is such that no chunk can be read for this reason alone, whatever is in it.

    Parameters
    ----------
    array : Array
        An array of Zarr v2.
    """
    return any(
        codec["id"] in _ASKED_WHEN_READ and next(_odd_values(pointer, codec), None) is not None
        for pointer, codec in _named(array)
    )


def _odd_values(pointer: str, codec: dict[str, Any]) -> Iterator[Fail]:
    """Yield settings with which nothing can be compressed; to decompress it, hardly a codec asks for them."""
    must = {
        member: f"an integer{'' if name == 'zstd' else f' from {low} to {high}'}"
        for name, members in RANGES.items()
        if name == codec["id"]
        for member, (low, high) in members.items()
        if member in codec and not (is_integer(codec[member]) and low <= codec[member] <= high)
    }
    numbers = _NUMBERS.get(codec["id"], ())
    must |= {one: "a number" for one in numbers if not isinstance(codec.get(one, 0), int | float)}
    if codec["id"] == "blosc" and codec.get("cname", "lz4") not in (*BLOSC_OF_NETCDF, "snappy"):
        must["cname"] = f"one of {', '.join(BLOSC_OF_NETCDF)}"
    for member, kind in must.items():
        at, given = pointers.join(pointer, member), codec[member]
        if codec["id"] in _ASKED_WHEN_READ:
            fails = "opens the array, and raises TypeError or ValueError when it reads a chunk"
            yield Fail(
                at,
                f"the setting {member} of {codec['id']} is {shown(given)}, and must be {kind}",
                readers={"zarr-python": fails, "xarray": fails},
            )
            continue
        does = "" if isinstance(given, bool) else ": zarr-python reads the chunks, and writes none"
        whole = isinstance(given, float) and member != "shuffle" and given in range(1, 10)
        yield Fail(
            at,
            f"the setting {member} of {codec['id']} is {json_text(given)}, and must be {kind}{does}",
            severity="warning",
            impact="convention",
            readers={}
            if whole or "/filters/" in pointer
            else {"tensorstore": "refuses the array: Error parsing object member"},
            fix=_usual(at, member) if member in USUAL else None,
        )


@lru_cache(1024)
def _refusal(codec: str) -> str:
    """Return why numcodecs makes nothing of a codec, given as JSON; empty where it does."""
    import numcodecs  # type: ignore[import-untyped]

    try:
        numcodecs.get_codec(json.loads(codec))
    except Exception as error:  # noqa: BLE001  # NumPy and the codecs raise what they like
        return " ".join(f"{type(error).__name__}: {error}".split())[:200]
    return ""


def _late_setting(
    pointer: str, codec: dict[str, Any], setting: str, refuse: str, when_set: str
) -> Fail:
    """Return that a codec has a setting which not every reader knows."""
    given = codec[setting]
    where, note = pointers.join(pointer, setting), "" if given is False else when_set
    return Fail(
        where,
        f"the codec {codec['id']} has the setting {setting} ({json_text(given)}), which is newer than Zarr v2: {refuse} the array",
        rule="Z2-CODEC-002",
        readers=REFUSE_LATE[codec["id"]],
        fix=lambda _node: Draft("suggest" if note else "safe", (remove(where),), note or None),
    )


def _without(pointer: str) -> FixMaker:
    return lambda _node: Draft("suggest", (remove(pointer),), "if the chunks do not depend on it")


def _call_it(pointer: str, right: str) -> Any:
    return lambda _node: Draft("suggest", (replace(pointer, right),))


def _install(needs: str) -> Any:
    return lambda _node: Draft("suggest", note=needs)


def in_form_of_v2(codec: Any) -> dict[str, Any] | None:
    """Return a codec that is written as Zarr v3 has it, in the form of v2; None where it is not one, or lacks settings.

    Parameters
    ----------
    codec : object
        Such as ``{"name": "zstd", "configuration": {"level": 0}}``.
    """
    name = codec.get("name") if isinstance(codec, dict) else codec
    configuration = codec.get("configuration", {}) if isinstance(codec, dict) else {}
    if not isinstance(name, str) or not isinstance(configuration, dict):
        return None
    name = name.removeprefix("numcodecs.")
    if name not in NUMCODECS | EXTRAS.keys():
        return None
    settings = dict(configuration)
    if name == "blosc":
        settings.pop("typesize", None)
        if settings.get("shuffle") in SHUFFLES:
            settings["shuffle"] = SHUFFLES.index(settings["shuffle"])
    if name in WITH_LEVEL:
        settings.setdefault("level", USUAL["level"])
    if any(needed not in settings for needed in SETTINGS.get(name, ((), ()))[0]):
        return None
    return {"id": name, **settings}


def unidentified(pointer: str, codec: Any, message: str) -> Fail:
    """Return that a codec has no id, with the fix that gives it the form of Zarr v2 where it has that of v3.

    Parameters
    ----------
    pointer : str
        Where it stands.
    codec : object
        The value there.
    message : str
        What is wrong.
    """
    right = in_form_of_v2(codec)
    if right is None:
        return Fail(pointer, f"{message}, got {shown(codec)}")
    form = ", which has the form of Zarr v3" if isinstance(codec, dict) else ""

    def fix(_node: Node) -> Draft:
        return Draft("suggest", (replace(pointer, right),))

    return Fail(pointer, f"{message}, got {shown(codec)}{form}", fix=fix)
