"""References as kerchunk and VirtualiZarr write them, made here from real netCDF files."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest

import nz_explorer as nz
from nz_explorer.diagnosis import try_reader
from nz_explorer.model import Array, open_store
from nz_explorer.store import ReadError, SourceError
from nz_explorer.store.references.readers import ReferenceReader
from nz_explorer.values.masks.cell_states import UNREADABLE
from nz_explorer.values.reading.chunk_cache import ChunkCache
from nz_explorer.values.window import read_window

kerchunk_hdf = pytest.importorskip("kerchunk.hdf")
fsspec_reference = pytest.importorskip("fsspec.implementations.reference")
LazyReferenceMapper = fsspec_reference.LazyReferenceMapper
ReferenceFileSystem = fsspec_reference.ReferenceFileSystem
pytest.importorskip("pyarrow")

NAME, ARRAY = "ostia_monthly", "surface_temperature"


@pytest.fixture(scope="module")
def made(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a netCDF file and its references, by kerchunk, as JSON and as Parquet."""
    folder = tmp_path_factory.mktemp("references")
    file = folder / f"{NAME}.nc"
    shutil.copy(data / "netcdf" / file.name, file)
    references = kerchunk_hdf.SingleHdf5ToZarr(str(file), inline_threshold=300).translate()
    (folder / "refs.json").write_text(json.dumps(references))
    parquet = str(folder / "refs.parq")
    written = LazyReferenceMapper.create(parquet, record_size=20, engine="pyarrow")
    for key, value in sorted(references["refs"].items()):
        written[key] = value
    written.flush()
    return folder


def values(source: Any, **options: Any) -> Any:
    ex = nz.explore(source, path=f"/{ARRAY}", **options)
    try:
        return ex.to_xarray().to_numpy()
    finally:
        ex.close()


def in_the_file(folder: Path) -> Any:
    with netCDF4.Dataset(folder / f"{NAME}.nc") as file:
        return np.ma.filled(file[ARRAY][:], np.nan)


@pytest.mark.parametrize("name", ["refs.json", "refs.parq"])
def test_what_kerchunk_writes(made: Path, name: str) -> None:
    np.testing.assert_array_equal(values(made / name), in_the_file(made))
    report = nz.check(made / name, values="all", progress=False)
    assert report.complete
    assert report.nodes == {"groups": 1, "arrays": 9, "unreadable": 0}
    assert report.readers["netCDF-C"].opens is None
    assert "references" in report.readers["netCDF-C"].reason
    assert "fsspec" in report.readers["xarray"].reason


def test_parquet_with_the_bare_nan_that_virtualizarr_writes(made: Path, tmp_path: Path) -> None:
    folder = tmp_path / "refs.parq"
    shutil.copytree(made / "refs.parq", folder)
    text = (folder / ".zmetadata").read_text("utf-8")
    known = json.loads(text)
    known["metadata"][f"{ARRAY}/.zattrs"]["_FillValue"] = float("nan")
    (folder / ".zmetadata").write_text(json.dumps(known), "utf-8")
    shutil.copy(made / f"{NAME}.nc", tmp_path)
    report = nz.check(folder, progress=False)
    assert [f.path for f in report.findings if f.rule == "JSON-003"] == [f"/{ARRAY}"]
    assert report.nodes == {"groups": 1, "arrays": 9, "unreadable": 0}


def test_keys_and_bytes_are_those_of_fsspec(made: Path) -> None:
    theirs = ReferenceFileSystem(str(made / "refs.json"), remote_protocol="file")
    readers = [open_store(made / name).reader for name in ("refs.json", "refs.parq")]
    json_keys, parquet_keys = ([*one.store.references.below("")] for one in readers)  # type: ignore[attr-defined]
    assert {*json_keys} == {*parquet_keys} == {*theirs.references}
    mapper = LazyReferenceMapper(str(made / "refs.parq"), engine="pyarrow")
    assert {*parquet_keys} == {*mapper} - {".zmetadata"}
    for reader in readers:
        assert {*reader.list_level("").names} == {key.split("/")[0] for key in json_keys}
        chunks = [key for key in json_keys if not key.rsplit("/", 1)[-1].startswith(".z")]
        assert [reader.get(key) for key in chunks] == [theirs.cat_file(key) for key in chunks]


def test_what_fsspec_is_asked_with(made: Path) -> None:
    options = {"fo": str(made / "refs.json"), "remote_protocol": "file"}
    assert np.array_equal(
        values("reference://", storage_options=options), in_the_file(made), equal_nan=True
    )
    written = json.loads((made / "refs.json").read_text())
    assert np.array_equal(
        values(written, storage_options={"targets": str(made)}), in_the_file(made), equal_nan=True
    )


@pytest.mark.filterwarnings("ignore:Numcodecs codecs are not in the Zarr version 3")
def test_a_virtual_dataset(made: Path) -> None:
    virtualizarr = pytest.importorskip("virtualizarr")
    from obspec_utils.registry import ObjectStoreRegistry
    from obstore.store import LocalStore
    from virtualizarr.parsers import HDFParser

    dataset = virtualizarr.open_virtual_dataset(
        f"file://{made / NAME}.nc",
        registry=ObjectStoreRegistry({"file://": LocalStore()}),
        parser=HDFParser(),
    )
    np.testing.assert_array_equal(values(dataset), in_the_file(made))
    dataset.vz.to_kerchunk(str(made / "virtual.json"), format="json")
    np.testing.assert_array_equal(values(made / "virtual.json"), in_the_file(made))


def test_over_http_files_of_the_same_host_are_read(
    made: Path, tmp_path: Path, http_server: Callable[..., Any]
) -> None:
    server = http_server(made)
    text = (made / "refs.json").read_text()
    shutil.copy(made / f"{NAME}.nc", tmp_path)
    (tmp_path / "web.json").write_text(text.replace(str(made), server.url))
    served = http_server(tmp_path)
    allowed = {"targets": [server.url]}
    np.testing.assert_array_equal(
        values(tmp_path / "web.json", storage_options=allowed), in_the_file(made)
    )
    (tmp_path / "relative.json").write_text(text.replace(f"{made}/", ""))
    np.testing.assert_array_equal(values(f"{served.url}/relative.json"), in_the_file(made))
    np.testing.assert_array_equal(values(tmp_path / "relative.json"), in_the_file(made))
    # another host, and a file of this machine, are not what someone's references may ask for
    for elsewhere in ("web.json", "local.json"):
        (tmp_path / "local.json").write_text(text)
        with pytest.raises(ReadError, match="references read only files beside them"):
            open_store(f"{served.url}/{elsewhere}").reader.get(f"{ARRAY}/0.0.0")


def test_other_files_are_not_read(made: Path, tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "store" / "link").symlink_to(tmp_path / "secret")
    urls = [str(tmp_path / "secret"), "../secret", "link", f"file://{tmp_path}/secret"]
    urls += ["https://example.org/x", "s3://bucket/x", "https://example.org/../x"]
    keys = {f"a/{number}": [url, 0, 3] for number, url in enumerate(urls)}
    document = {"shape": [9], "chunks": [1], "dtype": "|u1", "fill_value": 0, "order": "C"}
    array = {"zarr_format": 2, "compressor": None, "filters": None, **document}
    references = {".zgroup": '{"zarr_format": 2}', "a/.zarray": array, **keys}
    (tmp_path / "store" / "refs.json").write_text(json.dumps(references))
    reader = open_store(tmp_path / "store" / "refs.json").reader
    for key in keys:
        with pytest.raises(ReadError, match="read only files beside them"):
            reader.get(key)
    trusting = {"targets": [str(tmp_path)]}
    reader = open_store(tmp_path / "store" / "refs.json", storage_options=trusting).reader
    assert [reader.get(key) for key in list(keys)[:4]] == [b"sec"] * 4


def test_a_missing_file_is_an_unreadable_chunk_that_says_so(made: Path, tmp_path: Path) -> None:
    text = (made / "refs.json").read_text().replace(str(made), str(tmp_path))
    (tmp_path / "refs.json").write_text(text)
    hierarchy = open_store(tmp_path / "refs.json")
    array = hierarchy[f"/{ARRAY}"]
    assert isinstance(array, Array)
    window = read_window(array, (1, 2), {0: 0}, (9, 9), cache=ChunkCache())
    assert (window.states == UNREADABLE).all()
    assert f"it is in {tmp_path}/{NAME}.nc, which is not there" in window.errors[0].message
    where = (f"{tmp_path}/{NAME}.nc, bytes 12,849 to 26,029", "the file is not there")
    assert hierarchy.reader.target_of(f"{ARRAY}/0.0.0") == where
    whole = (made / f"{NAME}.nc").read_bytes()
    (tmp_path / f"{NAME}.nc").write_bytes(whole[:20_000])
    with pytest.raises(ReadError, match=r"ends before byte 26,029"):
        open_store(tmp_path / "refs.json").reader.get(f"{ARRAY}/0.0.0")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1}', "neither references of kerchunk or VirtualiZarr nor a Zarr document"),
        ('{"zarr_format": 3, "node_type": "array", "shape": [2]}', "is the document of one array"),
        ("[1, 2]", "is no folder, zip file or JSON object"),
        ("{", "is no folder, zip file or JSON object"),
        ('{"version": 1, "refs": [1]}', "its references"),
        ('{"version": 1, "refs": {".zgroup": "{}"}, "gen": [{}]}', "computed from templates"),
    ],
)
def test_other_json(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(SourceError, match=said):
        open_store(tmp_path / "a.json")


def test_odd_references_are_read_errors(tmp_path: Path) -> None:
    refs = {".zgroup": "{}", "a": [1], "b": "base64:@", "c": ["x", -1, 2], "d": {"x": 1}, "e": "é"}
    given = {"version": 1, "templates": {"u": "b.bin"}, "refs": {**refs, "f": ["{{u}}", 1, 2]}}
    (tmp_path / "a.json").write_text(json.dumps(given))
    (tmp_path / "b.bin").write_bytes(b"0123")
    answers = open_store(tmp_path / "a.json").reader.get_many(["a", "b", "c", "d", "e", "f", "g"])
    assert [isinstance(answer, ReadError) for answer in answers[:3]] == [True] * 3
    assert answers[3:] == [b'{"x":1}', "é".encode(), b"12", None]


def test_readers_are_given_what_references_lead_to(made: Path) -> None:
    hierarchy = open_store(made / "refs.json")
    trial = try_reader("xarray", hierarchy)
    assert (trial.state, trial.failures) == ("reads", [])
    assert trial.values[f"/{ARRAY}"].shown is not None
    assert try_reader("GDAL", hierarchy).message == "references are not given to it"


def test_how_another_process_opens_references(made: Path) -> None:
    def again(source: Any, **options: Any) -> Any:
        reader = open_store(source, storage_options=options).reader
        assert isinstance(reader, ReferenceReader)
        return reader.again

    place = str(made / "refs.parq")
    assert again(place) == {"source": place, "options": {}, "network": False}
    refs = json.loads((made / "refs.json").read_text())
    found = again(refs, targets=["s3://bucket/"])
    assert (found["source"], found["network"]) == (refs, True)
    assert again(place, remote_options={"key": "secret"}) is None
    assert again({**refs, "refs": {**refs["refs"], "b": b"bytes"}}) is None
