"""Chunks that are lost, cut short, or stored under other keys than the metadata say."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.field.case import fails, reported, sees
from tests.field.readers import xarray, zarr_python
from tests.field.stores import array, group, put, without


def _nested(folder: Path, separator: str | None, dtype: str = "u1") -> Path:
    """Write chunks with slashes in their keys; the metadata say another separator, or none."""
    root = group(folder, 2)
    made = root.create_array(
        "0",
        shape=(4, 6),
        chunks=(2, 3),
        dtype=dtype,
        fill_value=0,
        compressors=None,
        chunk_key_encoding={"name": "v2", "separator": "/"},
        attributes={"_ARRAY_DIMENSIONS": ["y", "x"]},
    )
    made[:] = 7
    document = folder / "0" / ".zarray"
    if separator is None:
        without(document, "dimension_separator")
    else:
        put(document, separator, "dimension_separator")
    return folder


def _zeros(found: dict[str, object]) -> bool:
    return not np.asarray(found["0"]).any()


def _sevens(found: dict[str, object]) -> bool:
    return bool((np.asarray(found["0"]) == 7).all())


@reported(
    "ome/ome-zarr-py#201",
    "A YX image opens, and is all zeros",
    finding=("Z2-ARR-010", "/0", "dimension_separator", "missing"),
    before=sees(zarr_python, _zeros),
    after=sees(zarr_python, _sevens),
)
def image_is_all_zeros(folder: Path) -> Path:
    return _nested(folder, ".")


@reported(
    "ome/ome-zarr-py#343",
    "parse_url expects / between the indices, so an array written with the default reads as zeros",
    finding=("Z2-ARR-010", "/0", '"/"', '"."'),
    before=sees(zarr_python, _zeros),
    after=sees(zarr_python, _sevens),
)
def separator_that_a_tool_enforces(folder: Path) -> Path:
    made = group(folder, 2).create_array(
        "0",
        shape=(2, 3),
        chunks=(1, 3),
        dtype="u1",
        fill_value=0,
        compressors=None,
        attributes={"_ARRAY_DIMENSIONS": ["y", "x"]},
    )
    made[:] = 7
    put(folder / "0" / ".zarray", "/", "dimension_separator")
    return folder


@reported(
    "ome/ome-zarr-py#245",
    "A multiscale image is only the fill value when it is read back",
    finding=("Z2-ARR-010", "/0", "named with"),
    before=sees(zarr_python, _zeros),
    after=sees(zarr_python, _sevens),
)
def only_the_fill_value(folder: Path) -> Path:
    return _nested(folder, ".", "f8")


@reported(
    "dask/dask#7673",
    "da.from_zarr finds no data where the chunks have / in their keys",
    finding=("Z2-ARR-010", "/0", '"."'),
    before=sees(zarr_python, _zeros),
    after=sees(zarr_python, _sevens),
)
def separator_is_not_written(folder: Path) -> Path:
    return _nested(folder, None)


@reported(
    "ome/napari-ome-zarr#91",
    "The plugin opens the image and everything is 0; it must have / as its separator",
    finding=("Z2-ARR-010", "/0", "missing"),
    before=sees(zarr_python, _zeros),
    after=sees(zarr_python, _sevens),
)
def plugin_shows_zeros(folder: Path) -> Path:
    return _nested(folder, ".", "u2")


def _lost(folder: Path, *keys: str) -> Path:
    root = group(folder)
    array(root, "x", np.arange(4), ["x"])
    array(root, "myarr", np.arange(1.0, 9.0).reshape(2, 4), ["time", "x"], chunks=(1, 4))
    for key in keys:
        (folder / "myarr" / "c" / key).unlink()
    return folder


@reported(
    "pydata/xarray#9701",
    "A chunk file is missing, and the data come back filled: nobody can tell them from real ones",
    finding=("Z3-CHUNK-004", "/myarr", "1 of 2 chunks"),
    values="all",
    before=sees(xarray, lambda ds: not ds["myarr"].values[1].any()),
    after=sees(
        xarray, lambda ds: np.isnan(ds["myarr"].values).any(axis=1).tolist() == [False, True]
    ),
)
def a_chunk_is_missing(folder: Path) -> Path:
    return _lost(folder, "1/0")


@reported(
    "hytest-org/hytest#395",
    "Numerous chunks without data in one variable; the same dates are complete elsewhere",
    finding=("Z3-CHUNK-004", "/U10", "chunks"),
    values="all",
    before=sees(xarray, lambda ds: int((ds["U10"].values == 0).sum()) == 2),
    after=sees(xarray, lambda ds: int(np.isnan(ds["U10"].values).sum()) == 2),
)
def chunks_lost_on_the_way(folder: Path) -> Path:
    array(group(folder), "U10", np.arange(1.0, 7.0), ["time"], chunks=(1,))
    for key in ("1", "4"):
        (folder / "U10" / "c" / key).unlink()
    return folder


@reported(
    "abTEM/abTEM#363",
    "After a write that failed the file opens, with the right shape and nothing but zeros",
    finding=("Z3-CHUNK-004", "/array0", "the only chunk is not written"),
    values="all",
    before=sees(zarr_python, lambda found: not found["array0"].any()),
    after=sees(zarr_python, lambda found: bool(np.isnan(found["array0"]).all())),
    kind="pull",
)
def only_metadata(folder: Path) -> Path:
    array(group(folder), "array0", np.ones((2, 2)), ["x", "y"])
    (folder / "array0" / "c" / "0" / "0").unlink()
    return folder


def _deleted(folder: Path, *keys: str) -> Path:
    for key in keys:
        (folder / key).unlink()
    return folder


@reported(
    "czbiohub-sf/iohub#415",
    "RuntimeError: the checksum is invalid, for chunks that a job had not written to the end",
    finding=("Z3-CHUNK-003", "/0", "1 of 2 chunks", "does not decode"),
    before=fails(zarr_python, Exception, ""),
    values="all",
    beside=("Z3-CHUNK-002",),
    after=sees(zarr_python, lambda found: found["0"].tolist() == [1, 2, 0, 0]),
    by_hand=lambda folder: _deleted(folder, "0/c/1"),
)
def chunk_cut_short(folder: Path) -> Path:
    made = group(folder).create_array(
        "0", shape=(4,), chunks=(2,), dtype="u2", dimension_names=["x"], compressors="auto"
    )
    made[:] = [1, 2, 3, 4]
    chunk = folder / "0" / "c" / "1"
    chunk.write_bytes(chunk.read_bytes()[:6])
    return folder


@reported(
    "zarr-developers/numcodecs#810",
    "RuntimeError: error during blosc decompression: -1, because the answer was cut short on its way",
    finding=("Z2-CHUNK-004", "/t", "1 of 2 chunks"),
    before=fails(zarr_python, Exception, ""),
    after=sees(zarr_python, lambda found: found["t"][:200].tolist() == list(range(200))),
    by_hand=lambda folder: _deleted(folder, "t/1"),
    values="all",
)
def blosc_cannot_decode(folder: Path) -> Path:
    from numcodecs import Blosc

    made = group(folder, 2).create_array(
        "t",
        shape=(400,),
        chunks=(200,),
        dtype="f4",
        compressors=Blosc(),
        fill_value=None,
        attributes={"_ARRAY_DIMENSIONS": ["x"]},
    )
    made[:] = np.arange(400)
    chunk = folder / "t" / "1"
    chunk.write_bytes(chunk.read_bytes()[:40])
    return folder


@reported(
    "zarrs/zarrs#274",
    "invalid inner chunk shape [1024, 1024], it must evenly divide [256, 256]",
    finding=("Z3-CODEC-008", "/t2m", "do not divide"),
    before=fails(xarray, Exception, ""),
)
def inner_chunks_larger_than_the_shard(folder: Path) -> Path:
    return _sharded(folder, "t2m", [4, 4], [8, 8])


@reported(
    "fideus-labs/ngff-zarr#156",
    "Writing a sharded array of unusual dimensions produces an error about the chunk shape",
    finding=("Z3-CODEC-008", "/image", "do not divide"),
    before=fails(xarray, Exception, ""),
    after=sees(xarray, lambda ds: (ds["image"].values == 7).all()),
)
def inner_chunks_that_do_not_divide(folder: Path) -> Path:
    return _sharded(folder, "image", [6, 4], [4, 4])


def _sharded(folder: Path, name: str, shard: list[int], inner: list[int]) -> Path:
    made = group(folder).create_array(
        name,
        shape=(12, 8),
        shards=tuple(shard),
        chunks=(2, 4),
        dtype="f4",
        dimension_names=["y", "x"],
    )
    made[:] = 7
    put(folder / name / "zarr.json", inner, "codecs", 0, "configuration", "chunk_shape")
    return folder


@reported(
    "zarr-developers/zarr-python#2111",
    "After the attributes were updated the separator of the keys is another: an array of tensorstore is all zeros",
    finding=("Z3-CHUNK-005", "/a", "c/0/0", "c.0.0"),
    before=sees(zarr_python, lambda found: not found["a"].any()),
    after=sees(zarr_python, lambda found: found["a"].all()),
    beside=("Z3-CHUNK-004",),
)
def separator_lost_in_v3(folder: Path) -> Path:
    array(group(folder), "a", np.ones((4, 4), "u2"), ["y", "x"], chunks=(2, 2))
    encoding = {"name": "default", "configuration": {"separator": "."}}
    put(folder / "a" / "zarr.json", encoding, "chunk_key_encoding")
    return folder


@reported(
    "acquire-project/acquire-zarr#158",
    "ValueError: stored and computed checksums do not match, for the chunks of the last shard",
    finding=("Z3-CHUNK-003", "/0", "2 of 4 chunks", "checksum"),
    before=fails(zarr_python, ValueError, "checksum"),
    after=sees(zarr_python, lambda found: found["0"].tolist() == [1, 2, 3, 4, 0, 0, 0, 0]),
    by_hand=lambda folder: _deleted(folder, "0/c/1"),
    values="all",
)
def index_of_the_last_shard(folder: Path) -> Path:
    made = group(folder).create_array(
        "0",
        shape=(8,),
        shards=(4,),
        chunks=(2,),
        dtype="u2",
        fill_value=0,
        dimension_names=["t"],
        compressors=None,
    )
    made[:] = np.arange(1, 9)
    shard = folder / "0" / "c" / "1"
    shard.write_bytes(shard.read_bytes()[:-4] + b"\x7f\x1d`\x01")
    return folder


@reported(
    "fsspec/kerchunk#368",
    "siglay(siglay, node) has lost a dimension in the references, and its chunk has 12 MB where 160 bytes are meant",
    finding=("Z2-CHUNK-003", "/siglay", "480 bytes", "16"),
    before=fails(zarr_python, ValueError, "cannot reshape"),
    values="all",
)
def chunk_of_two_dimensions(folder: Path) -> Path:
    array(group(folder, 2), "siglay", np.arange(4, dtype="f4"), ["siglay"], fill_value=None)
    (folder / "siglay" / "0").write_bytes(np.ones((4, 30), "f4").tobytes())
    return folder


@reported(
    "JuliaIO/Zarr.jl#97",
    "With fill_value null Julia raises an error about Nothing where a chunk is not stored",
    finding=("Z2-FV-005", "/a", "1 chunk is missing", "null"),
    before=sees(zarr_python, lambda found: found["a"].tolist() == [1.0, 0.0]),
    after=sees(zarr_python, lambda found: np.isnan(found["a"]).tolist() == [False, True]),
)
def nothing_where_no_chunk_is(folder: Path) -> Path:
    array(group(folder, 2), "a", np.array([1.0, 2.0], "f4"), ["x"], chunks=(1,), fill_value=None)
    return _deleted(folder, "a/1")


@reported(
    "carbonplan/cmip6-downscaling#339",
    "Stores have correct coordinates and attributes, and arrays of nothing but NaN: no chunk was uploaded",
    finding=("Z3-CHUNK-004", "/tasmax", "none of the 2 chunks is written"),
    values="all",
    before=sees(xarray, lambda ds: bool(np.isnan(ds["tasmax"].values).all())),
    beside=("NZ-FILL-006",),
)
def metadata_without_data(folder: Path) -> Path:
    root = group(folder)
    array(root, "time", [0, 1], ["time"], units="days since 2000-01-01")
    array(root, "tasmax", [280.0, 281.0], ["time"], chunks=(1,), fill_value=np.nan)
    for key in ("0", "1"):
        (folder / "tasmax" / "c" / key).unlink()
    return folder


@reported(
    "xcube-dev/xcube#128",
    "The demo cube is corrupt: only the first time is set, and selecting a time fails",
    finding=("NZ-COORD-008", "/time", "4 of the 5 chunks"),
    before=sees(xarray, lambda ds: len(set(ds["time"].values)) == 2),
    beside=("NZ-COORD-002",),
)
def times_that_were_not_written(folder: Path) -> Path:
    times = np.arange(5) * 86400.0 + 1.4e9
    since = "seconds since 1970-01-01"
    array(group(folder, 2), "time", times, ["time"], chunks=(1,), fill_value=None, units=since)
    return _deleted(folder, *(f"time/{n}" for n in range(1, 5)))


@reported(
    "czbiohub-sf/iohub#442",
    "Torn shards: a writer was stopped amid a shard, and what is left of it cannot be read",
    finding=("Z3-CHUNK-003", "/image", "4 of 4 chunks do not decode"),
    before=fails(zarr_python, Exception, "checksum"),
    values="all",
)
def half_of_a_shard(folder: Path) -> Path:
    made = group(folder).create_array(
        "image", shape=(64,), dtype="u2", chunks=(16,), shards=(64,), dimension_names=["x"]
    )
    made[...] = np.arange(64)
    shard = folder / "image" / "c" / "0"
    shard.write_bytes(shard.read_bytes()[: shard.stat().st_size // 2])
    return folder


@reported(
    "zarr-developers/zarr-python#530",
    "open_array does not recognise the chunks of a NestedDirectoryStore, and reads none of them",
    finding=("Z2-ARR-010", "/x", '"."', '"/"'),
    before=sees(zarr_python, lambda found: not found["x"].any()),
    after=sees(zarr_python, lambda found: found["x"].tolist() == [[7, 7], [7, 7]]),
)
def nested_directory_store(folder: Path) -> Path:
    made = group(folder, 2).create_array(
        "x",
        shape=(2, 2),
        chunks=(1, 2),
        dtype="u1",
        fill_value=0,
        compressors=None,
        attributes={"_ARRAY_DIMENSIONS": ["y", "x"]},
        chunk_key_encoding={"name": "v2", "separator": "/"},
    )
    made[:] = 7
    put(folder / "x" / ".zarray", ".", "dimension_separator")
    return folder


@reported(
    "pangeo-data/pangeo#196",
    "Errors during blosc decompression of chunks, when a large dataset on cloud storage is reduced",
    finding=("Z2-CHUNK-004", "/temp", "1 of 2 chunks"),
    before=fails(zarr_python, Exception, ""),
    after=sees(zarr_python, lambda found: found["temp"][:200].tolist() == list(range(200))),
    by_hand=lambda folder: _deleted(folder, "temp/1"),
    values="all",
)
def chunk_that_blosc_cannot_read(folder: Path) -> Path:
    from numcodecs import Blosc

    made = group(folder, 2).create_array(
        "temp",
        shape=(400,),
        chunks=(200,),
        dtype="f4",
        compressors=Blosc(),
        fill_value=None,
        attributes={"_ARRAY_DIMENSIONS": ["time"]},
    )
    made[:] = np.arange(400)
    chunk = folder / "temp" / "1"
    chunk.write_bytes(chunk.read_bytes()[:40])
    return folder


@reported(
    "zarr-developers/VirtualiZarr#968",
    "ValueError: Shuffle buffer is not an integer multiple of elementsize, for the bounds of times in a virtual dataset",
    finding=("Z2-CHUNK-004", "/time_bnds", "integer multiple of elementsize"),
    before=fails(zarr_python, ValueError, "integer multiple of elementsize"),
    values="all",
)
def chunk_of_odd_length_behind_a_filter(folder: Path) -> Path:
    array(group(folder, 2), "time_bnds", np.ones((12, 2)), ["time", "bnds"], fill_value=None)
    put(folder / "time_bnds" / ".zarray", [{"id": "shuffle", "elementsize": 8}], "filters")
    (folder / "time_bnds" / "0.0").write_bytes(bytes(93))
    return folder


@reported(
    "cubed-dev/cubed#859",
    "Rechunking ends without an error, and some chunks were not written: values are empty along rlon",
    finding=("Z3-CHUNK-004", "/P", "not written"),
    before=sees(xarray, lambda ds: np.isnan(ds["P"].values[:, 2]).all()),
    values="all",
)
def chunks_lost_in_rechunking(folder: Path) -> Path:
    rain = np.ones((2, 4), "f4")
    array(group(folder), "P", rain, ["time", "rlon"], chunks=[2, 1], fill_value=np.nan)
    (folder / "P" / "c" / "0" / "2").unlink()
    return folder


@reported(
    "zarr-developers/numcodecs#228",
    "The decoder of blosc reads memory outside of a damaged chunk, and crashes, or returns what was there",
    finding=("Z2-CHUNK-004", "/a", "cut off", "20 of 28 bytes"),
    values="all",
)
def blosc_reads_beyond_the_chunk(folder: Path) -> Path:
    from numcodecs import Blosc

    root = group(folder, 2)
    made = root.create_array(
        "a",
        shape=(3,),
        chunks=(3,),
        dtype="f4",
        compressors=Blosc(),
        attributes={"_ARRAY_DIMENSIONS": ["x"]},
    )
    made[:] = [1, 2, 3]
    chunk = folder / "a" / "0"
    chunk.write_bytes(chunk.read_bytes()[:20])
    return folder
