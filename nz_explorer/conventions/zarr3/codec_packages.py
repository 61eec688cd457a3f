"""Which Python package has a codec that stands in no specification, and what misspelled names most likely mean."""

from __future__ import annotations

from difflib import get_close_matches

from nz_explorer.conventions.zarr3.registered_extensions import CODECS

NUMCODECS = frozenset(
    [
        "adler32", "astype", "base64", "bitround", "blosc", "bz2", "categorize", "crc32", "delta",
        "fixedscaleoffset", "fletcher32", "gzip", "jenkins_lookup3", "json2", "lz4", "lzma", "packbits", "pickle",
        "quantize", "shuffle", "vlen-array", "vlen-bytes", "vlen-utf8", "zlib", "zstd",
    ]
)  # fmt: skip
"""Codecs of numcodecs, which zarr-python depends on."""
EXTRAS = {"crc32c": "crc32c", "msgpack2": "msgpack", "pcodec": "pcodec", "zfpy": "zfpy"}
"""Codecs of numcodecs that need another package, and the extra that brings it."""
NOT_WITH_ZARR = frozenset(["pcodec", "zfpy"])
"""Those of them that Zarr v3 can name and that zarr-python does not bring along; it does bring a CRC-32C."""
WRAPPED = (NUMCODECS | set(EXTRAS)) - {
    "base64", "categorize", "json2", "msgpack2", "pickle", "vlen-array", "vlen-bytes", "vlen-utf8"
}  # fmt: skip
"""Those that numcodecs also offers for Zarr v3, with ``numcodecs.`` before the name."""
WITH_SETTINGS = frozenset(["astype", "bitround", "delta", "fixedscaleoffset", "quantize"])
"""Those of them that have no defaults: an empty configuration decodes nothing."""
SETTINGS_UNKNOWN = "only the program that wrote the chunks knows the settings"
PACKAGES = {
    "bitinformation": "xbitinfo",
    "blosc2": "",
    "FITSAscii": "kerchunk",
    "FITSVarBintable": "kerchunk",
    "ffmpeg": "codec-ffmpeg",
    "fill_hdf_strings": "kerchunk",
    "flac": "flac-numcodecs",
    "grib": "kerchunk",
    "gribberish": "gribberish",
    "jpeg2k": "zarr-jpeg2k",
    "mlec_any": "mlec",
    "record_member": "kerchunk",
    "wavpack": "wavpack-numcodecs",
}
"""Ids of other codecs, and the package on PyPI; empty where there is none that registers it."""
IMAGECODECS = "imagecodecs_"
SPELLED = {
    "endian": "bytes",
    "sharding": "sharding_indexed",
    "vlen_bytes": "vlen-bytes",
    "vlen_utf8": "vlen-utf8",
}
"""Names of drafts and of other languages, and those of Zarr v3."""


def what_it_needs(name: str) -> str:
    """Return what a reader in Python needs to decode a codec that is in no specification, and in numcodecs at most.

    Parameters
    ----------
    name : str
        Id of a codec of Zarr v2, or the name of one of v3, without ``numcodecs.``.
    """
    if name.startswith(IMAGECODECS):
        return "pip install imagecodecs, and imagecodecs.numcodecs.register_codecs() before the store is opened"
    if name in EXTRAS:
        return f'pip install "numcodecs[{EXTRAS[name]}]"'
    if name in NUMCODECS:
        return "pip install numcodecs"
    package = PACKAGES.get(name)
    if package:
        return f"pip install {package}"
    return "the program that wrote it: no package is known that has this codec"


def meant_in_v3(name: str) -> str | None:
    """Return the name under which Zarr v3 most likely knows a codec; None where that is not clear.

    Parameters
    ----------
    name : str
        A name that is neither of the core nor of the register, such as ``zarr.codecs.numcodecs.PCodec``.
    """
    plain = _plain(name)
    near = [plain] if _is_known(plain) else get_close_matches(plain, [*CODECS, *WRAPPED], 1, 0.8)
    if not near:
        return None
    return near[0] if near[0] in CODECS else f"numcodecs.{near[0]}"


def is_a_guess(name: str) -> bool:
    """Return whether the name that `meant_in_v3` finds only resembles the one given.

    Parameters
    ----------
    name : str
        The name that was given.
    """
    return not _is_known(_plain(name))


def _plain(name: str) -> str:
    plain = name.rpartition(".")[2].lower().replace("codec", "") if "." in name else name.lower()
    if name.rpartition(".")[2] == "PCodec":
        plain = "pcodec"
    return SPELLED.get(plain, plain)


def _is_known(plain: str) -> bool:
    return plain in CODECS or plain in WRAPPED
