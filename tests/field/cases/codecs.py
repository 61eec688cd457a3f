"""Codecs that a reader does not have, or does not find under the name that was written."""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np
import zarr
from numcodecs import Blosc
from zarr.codecs import BytesCodec, ShardingCodec

from tests.field.case import fails, opens, reported, sees
from tests.field.readers import xarray, zarr_python
from tests.field.stores import array, edit, group, put


def _v2(folder: Path, name: str, codec: object, member: str = "compressor") -> Path:
    array(
        group(folder, 2), name, np.arange(6, dtype="u1").reshape(2, 3), ["y", "x"], fill_value=None
    )
    put(folder / name / ".zarray", codec, member)
    return folder


@reported(
    "zarr-developers/numcodecs#547",
    "ValueError: codec not available: 'imagecodecs_jpegxl' when the images are read again",
    finding=("Z2-CODEC-001", "/camera0_rgb", "imagecodecs_jpegxl", "imagecodecs"),
    before=fails(xarray, Exception, "imagecodecs_jpegxl"),
)
def images_as_jpegxl(folder: Path) -> Path:
    return _v2(folder, "camera0_rgb", {"id": "imagecodecs_jpegxl", "level": 5})


@reported(
    "cgohlke/imagecodecs#82",
    "codec not available: 'imagecodecs_jpegxl' – nobody had said that codecs must be registered",
    finding=("Z2-CODEC-001", "/data", "register_codecs"),
    before=fails(xarray, Exception, "imagecodecs_jpegxl"),
)
def codecs_not_registered(folder: Path) -> Path:
    return _v2(folder, "data", {"id": "imagecodecs_jpegxl"})


@reported(
    "zarr-developers/numcodecs#73",
    "Chunks compressed as JPEG 2000 by a package of its own",
    finding=("Z2-CODEC-001", "/image", "jpeg2k", "zarr-jpeg2k"),
    before=fails(xarray, Exception, "jpeg2k"),
)
def jpeg_2000(folder: Path) -> Path:
    return _v2(folder, "image", {"id": "jpeg2k", "level": 10})


@reported(
    "zarr-developers/zarr-python#1637",
    "ValueError: codec not available: 'blosc2' from xr.open_zarr",
    finding=("Z2-CODEC-001", "/t2m", "blosc2"),
    before=fails(xarray, Exception, "blosc2"),
)
def blosc_2(folder: Path) -> Path:
    return _v2(folder, "t2m", {"id": "blosc2"})


@reported(
    "zarr-developers/VirtualiZarr#514",
    "codec not available: 'None' – the compressor was written in the form of Zarr v3",
    finding=("Z2-ARR-007", "/air", '"name"', '"id"'),
    before=fails(xarray, Exception, "None"),
    after=opens(xarray),
)
def compressor_in_the_form_of_v3(folder: Path) -> Path:
    _v2(folder, "air", {"name": "zstd", "configuration": {"level": 0, "checksum": False}})
    for chunk in (folder / "air").glob("[0-9]*"):
        chunk.unlink()
    return folder


def _serializer(folder: Path, name: str) -> Path:
    array(group(folder), "my_variable", np.zeros((2, 3)), ["lat", "lon"])
    (folder / "my_variable" / "c" / "0" / "0").unlink()
    put(folder / "my_variable" / "zarr.json", [{"name": name, "configuration": {}}], "codecs")
    return folder


@reported(
    "zarr-developers/zarr-python#3548",
    "UnknownCodecError: Unknown codec: 'zarr.codecs.numcodecs.PCodec'",
    finding=("Z3-CODEC-012", "/my_variable", "zarr.codecs.numcodecs.PCodec", "numcodecs.pcodec"),
    before=fails(xarray, Exception, "PCodec"),
    after=sees(zarr_python, lambda found: found["my_variable"].shape == (2, 3)),
)
def name_of_a_class(folder: Path) -> Path:
    return _serializer(folder, "zarr.codecs.numcodecs.PCodec")


@reported(
    "zarr-developers/zarr-python#3384",
    "The message for an unknown codec does not help: the array is not recognized as a component of a hierarchy",
    finding=("Z3-CODEC-012", "/baz", "custom_codec"),
    before=fails(zarr_python, Exception, "custom_codec"),
)
def unknown_codec(folder: Path) -> Path:
    array(group(folder), "baz", np.zeros((2, 2), "i4"), ["y", "x"])
    put(folder / "baz" / "zarr.json", "custom_codec", "codecs", 0, "name")
    return folder


@reported(
    "OSGeo/gdal#14833",
    "GDAL leaves out an array whose codec it does not have, numcodecs.zlib, from what it lists",
    finding=("Z3-CODEC-012", "/zlibbed", "numcodecs.zlib", "numcodecs"),
    before=opens(zarr_python),
)
def codec_that_gdal_lacks(folder: Path) -> Path:
    from numcodecs.zarr3 import Zlib

    made = group(folder).create_array(
        "zlibbed", shape=(8,), chunks=(8,), dtype="i4", compressors=[Zlib()], dimension_names=["x"]
    )
    made[:] = np.arange(8)
    return folder


@reported(
    "OSGeo/gdal#14407",
    "ERROR 1: Filter bitround not handled, though nothing has to be done to decode it",
    finding=("Z2-CODEC-002", "/dem", "bitround"),
    before=opens(zarr_python),
)
def filter_that_gdal_lacks(folder: Path) -> Path:
    array(group(folder, 2), "dem", np.zeros((2, 2), "f4"), ["y", "x"], fill_value=None)
    put(folder / "dem" / ".zarray", [{"id": "bitround", "keepbits": 14}], "filters")
    return folder


@reported(
    "SpikeInterface/spikeinterface#3875",
    "read_zarr fails with codec not available: 'wavpack'; installing wavpack-numcodecs solves it",
    finding=("Z2-CODEC-001", "/traces_seg0", "wavpack", "pip install wavpack-numcodecs"),
    before=fails(xarray, Exception, "wavpack"),
)
def recording_in_wavpack(folder: Path) -> Path:
    return _v2(folder, "traces_seg0", {"id": "wavpack", "level": 3})


@reported(
    "SpikeInterface/spikeinterface#3618",
    "A recording that was saved with WavPack cannot be sorted in a container: codec not available: 'wavpack'",
    finding=("Z2-CODEC-001", "/traces_seg0", "wavpack-numcodecs"),
    before=fails(zarr_python, Exception, "wavpack"),
)
def recording_in_a_container(folder: Path) -> Path:
    return _v2(folder, "traces_seg0", {"id": "wavpack", "level": 3, "bps": None})


@reported(
    "zarr-developers/VirtualiZarr#770",
    "The codec is silently dropped when references are written, and the chunks are of the wrong size",
    finding=("Z2-CHUNK-004", "/a", "look like zlib", "no compressor"),
    before=fails(xarray, ValueError, "When changing to a larger dtype"),
    after=opens(xarray),
    values="all",
)
def codec_silently_dropped(folder: Path) -> Path:
    values = np.arange(8, dtype="f8")
    array(group(folder, 2), "a", values, ["x"])
    (folder / "a" / "0").write_bytes(zlib.compress(values.tobytes()))
    return folder


@reported(
    "casangi/xradio#480",
    'TensorStore: Error parsing object member "compressor": Object includes extra members: "checksum"',
    finding=("Z2-CODEC-002", "/VISIBILITY", "checksum", "TensorStore"),
    after=sees(xarray, lambda ds: ds["VISIBILITY"].values.tolist() == [1, 2, 3]),
)
def checksum_that_tensorstore_does_not_know(folder: Path) -> Path:
    return _with_checksum(folder, "VISIBILITY")


@reported(
    "zarrs/zarrs#445",
    "configuration is unsupported: unknown field `checksum`, expected `level`",
    finding=("Z2-CODEC-002", "/s5", "checksum", "zarrs"),
    after=sees(zarr_python, lambda found: found["s5"].tolist() == [1, 2, 3]),
    kind="pull",
)
def checksum_that_rust_does_not_know(folder: Path) -> Path:
    return _with_checksum(folder, "s5")


def _with_checksum(folder: Path, name: str) -> Path:
    from numcodecs import Zstd

    made = group(folder, 2).create_array(
        name,
        shape=(3,),
        chunks=(3,),
        dtype="i4",
        compressors=Zstd(level=2),
        fill_value=None,
        attributes={"_ARRAY_DIMENSIONS": ["time"]},
    )
    made[:] = [1, 2, 3]
    put(folder / name / ".zarray", False, "compressor", "checksum")
    return folder


@reported(
    "mathworks/MATLAB-support-for-Zarr-files#21",
    'Error parsing object member "compressor": Object includes extra members: "typesize"; Python reads it',
    finding=("Z2-CODEC-002", "/my_array", "typesize", "MATLAB"),
    before=opens(xarray),
    after=opens(xarray),
)
def blosc_with_typesize(folder: Path) -> Path:
    values = np.arange(6, dtype="f4").reshape(2, 3)
    array(group(folder, 2), "my_array", values, ["y", "x"], fill_value=None)
    settings = Blosc().get_config()
    put(folder / "my_array" / ".zarray", {**settings, "typesize": 4}, "compressor")
    (folder / "my_array" / "0.0").write_bytes(Blosc().encode(values))
    return folder


@reported(
    "zarr-developers/zarr-python#2508",
    "ValueError: codec not available: 'imagecodecs_jpeg2k', where the environment is not that of the writer",
    finding=("Z2-CODEC-001", "/image", "imagecodecs_jpeg2k", "pip install imagecodecs"),
    before=fails(zarr_python, Exception, "imagecodecs_jpeg2k"),
)
def images_as_jpeg2000(folder: Path) -> Path:
    return _v2(folder, "image", {"id": "imagecodecs_jpeg2k", "level": 0})


@reported(
    "zarr-developers/zarr-python#2806",
    "codec not available: 'pcodec', of arrays that numcodecs.zarr3 wrote",
    finding=("Z2-CODEC-001", "/x", "pcodec"),
    before=fails(zarr_python, Exception, "pcodec"),
)
def numbers_as_pcodec(folder: Path) -> Path:
    return _v2(folder, "x", {"id": "pcodec", "level": 8})


@reported(
    "zarr-developers/zarr-python#3482",
    "PCodec is broken, UnknownCodecError: what was written with it cannot be opened where pcodec is not installed",
    finding=("Z3-CODEC-012", "/x", "numcodecs.pcodec", "pip install"),
    before=fails(zarr_python, Exception, "pcodec"),
)
def numbers_as_pcodec_of_v3(folder: Path) -> Path:
    array(group(folder), "x", np.ones(2), ["n"])
    codec = {"name": "numcodecs.pcodec", "configuration": {"level": 8}}
    put(folder / "x" / "zarr.json", [codec], "codecs")
    return folder


def _as_tensorstore(source: Path) -> str:
    """Return the data type as TensorStore reads it, which takes a name alone."""
    given = zarr.open_group(source, mode="r")["polarization"].metadata.to_dict()["data_type"]
    if not isinstance(given, str):
        raise TypeError(
            f'Error parsing object member "data_type": Expected string, but received: {given}'
        )
    return given


@reported(
    "casangi/xradio#587",
    'Error parsing object member "data_type": Expected string, but received: {"configuration":{"length_bytes":4},"name":"fixed_length_utf32"}',
    finding=("NZ-TYPE-002", "/polarization", "fixed_length_utf32"),
    before=fails(_as_tensorstore, TypeError, "Expected string"),
)
def polarization_of_an_image(folder: Path) -> Path:
    made = group(folder)
    made.create_array("polarization", data=np.array(["I", "Q"]), dimension_names=["polarization"])
    return folder


@reported(
    "zarr-developers/zarr-python#3016",
    "What zarr-python 3 writes as Zarr v2 raises TypeError in zarr-python 2: unexpected keyword argument 'typesize'",
    finding=("Z2-CODEC-002", "/a", "typesize", "numcodecs before 0.16"),
    before=opens(zarr_python),
    after=opens(zarr_python),
)
def size_of_elements_in_the_settings(folder: Path) -> Path:
    values, codec = np.ones(4, "f4"), Blosc("lz4", 5)
    array(group(folder, 2), "a", values, ["x"], fill_value=None)
    settings = {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0}
    put(folder / "a" / ".zarray", {**settings, "typesize": 4}, "compressor")
    (folder / "a" / "0").write_bytes(codec.encode(values))
    return folder


@reported(
    "OSGeo/gdal#15170",
    "ERROR 6: Unsupported codec: scale_offset, and cast_value: GDAL opens no array of this product of Sentinel-2",
    finding=("NZ-CODEC-002", "/b02", "scale_offset", "broadly supported"),
    beside=("NZ-CODEC-004",),
)
def codecs_that_scale(folder: Path) -> Path:
    array(group(folder), "b02", np.ones((2, 2), "f4"), ["y", "x"], fill_value=np.nan)
    scale = {"name": "scale_offset", "configuration": {"scale": 10000, "offset": -0.1}}
    missing = {"encode": [["NaN", 0]], "decode": [[0, "NaN"]]}
    settings = {"data_type": "uint16", "scalar_map": missing}
    cast = {"name": "cast_value", "configuration": settings}
    stored = {"name": "bytes", "configuration": {"endian": "little"}}
    put(folder / "b02" / "zarr.json", [scale, cast, stored], "codecs")
    (folder / "b02" / "c" / "0" / "0").write_bytes(np.full(4, 11000, "<u2").tobytes())
    return folder


@reported(
    "manzt/zarrita.js#426",
    "Reads of shards whose index_codecs have no crc32c are corrupt: zarrita takes the last 4 bytes of data for the index",
    finding=("Z3-CODEC-009", "/a", "not protected by crc32c"),
    before=opens(zarr_python),
    kind="pull",
)
def index_without_a_checksum(folder: Path) -> Path:
    shards = ShardingCodec(chunk_shape=(2,), index_codecs=[BytesCodec()])
    made = group(folder).create_array(
        "a", shape=(4,), chunks=(4,), dtype="u2", serializer=shards, compressors=None
    )
    made[...] = np.arange(4)
    put(folder / "a" / "zarr.json", ["x"], "dimension_names")
    return folder


@reported(
    "zarr-developers/zarr-python#490",
    "Creating an array of records with objects raises an error, and leaves an array behind that cannot be opened",
    finding=("Z2-DT-003", "/throws_error", "|O", "cannot be in a struct"),
    before=fails(zarr_python, (ValueError, TypeError)),
)
def record_of_objects(folder: Path) -> Path:
    array(group(folder, 2), "throws_error", np.zeros(3, "u1"), ["x"], fill_value=None)
    edit(
        folder / "throws_error" / ".zarray",
        lambda doc: doc.update(dtype=[["a", "|O"], ["b", "|O"]]),
    )
    (folder / "throws_error" / "0").unlink()
    return folder
