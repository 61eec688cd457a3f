"""Fixtures that all tests share: stores of every kind, local and served."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import math
import shutil
import struct
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from nz_explorer.lab import demo_data
from tests.data import reanalysis
from tests.network import Network, folder, no_fault, serve

REPOSITORY = Path(__file__).parent.parent

NETCDF = {
    "ostia": "ostia_monthly.nc",
    "e1": "E1_north_america.nc",
    "nemo": "nemo_1m_20150101-20150201_grid-T.nc",
}
"""Short names of the netCDF files of ``tests/data``; ``eraint`` is one more, which is made."""

NCZARR = {
    "v1": "nczarr-1.0.0-keys.zip",
    "v2": "nczarr-2.0.0-in-zarray.zip",
    "attributes": "nczarr-2.0.0-attributes.zip",
    "quotes": "quotes-and-bare-nan.zip",
    "unsigned": "unsigned-byte.zip",
}
"""Short names of the stores that netCDF-C wrote."""


@pytest.hookimpl(tryfirst=True)  # xdist reads the groups in a hook of the same name
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the browser last: what fails in a unit test need not be looked for there.

    With several processes one of them has the browser and all of its tests; those may wait long for
    each thing that must come while others keep the machine busy.
    """
    items.sort(key=lambda item: "e2e" in item.path.parts)
    for item in items:
        if "e2e" in item.path.parts:
            item.add_marker(pytest.mark.xdist_group("browser"))
            item.add_marker(pytest.mark.timeout(300))


# --- folders ------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data."""
    return REPOSITORY / "tests" / "data"


def digest(folder: Path) -> str:
    """Return a hash of the names, times and bytes of all files of a folder."""
    found = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        found.update(f"{file.relative_to(folder)}\0{file.lstat().st_mtime_ns}\0".encode())
        if file.is_file():
            found.update(file.read_bytes())
    return found.hexdigest()


@contextlib.contextmanager
def unchanged(folder: Path) -> Iterator[Path]:
    """Let the whole suite read a store: at its end nothing may be another than before."""
    before = digest(folder)
    yield folder
    assert digest(folder) == before, f"a session that only reads has written to {folder}"


@pytest.fixture(scope="session")
def sample_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The sample dataset. Read only: use ``sample_copy`` to change it."""
    with unchanged(
        demo_data.write_sample(tmp_path_factory.mktemp("sample") / "sample.zarr")
    ) as store:
        yield store


@pytest.fixture(scope="session")
def broken_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The broken sibling of the sample dataset. Read only: use ``broken_copy`` to change it."""
    with unchanged(
        demo_data.write_broken(tmp_path_factory.mktemp("broken") / "broken.zarr")
    ) as store:
        yield store


@pytest.fixture
def sample_copy(sample_store: Path, tmp_path: Path) -> Path:
    """A copy of the sample dataset that a test may change."""
    return Path(shutil.copytree(sample_store, tmp_path / "sample.zarr"))


@pytest.fixture
def broken_copy(broken_store: Path, tmp_path: Path) -> Path:
    """A copy of the broken dataset that a test may change."""
    return Path(shutil.copytree(broken_store, tmp_path / "broken.zarr"))


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """Mount a file system of a size such as "64k", which can be filled."""
    with contextlib.ExitStack() as mounted:

        def mount(size: str) -> Path:
            place = tmp_path / "small"
            place.mkdir()
            command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)]
            if subprocess.run(command, capture_output=True, check=False).returncode:
                pytest.skip("file systems cannot be mounted here")
            mounted.callback(subprocess.run, ["umount", str(place)], check=True)
            return place

        yield mount


# --- real data ----------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def netcdf_file(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Give the path of a netCDF file by its short name in ``NETCDF``, or ``eraint``."""

    @cache
    def file(name: str) -> Path:
        if name == "eraint":
            return reanalysis.write(tmp_path_factory.mktemp("reanalysis") / "eraint_uvz.nc")
        return data / "netcdf" / NETCDF[name]

    return file


@pytest.fixture(scope="session")
def nczarr_zip(data: Path) -> Callable[[str], Path]:
    """Give the path of a store that netCDF-C wrote by its short name in ``NCZARR``."""
    return lambda name: data / "nczarr" / NCZARR[name]


@pytest.fixture(scope="session")
def netcdf_c(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with a dataset as netCDF-C writes it.

    ``everything`` is NCZarr, ``pure`` Zarr with names of dimensions, ``anonymous`` Zarr without, ``twin.nc`` a
    netCDF-4 file. Read only.
    """
    pytest.importorskip("netCDF4")
    folder = tmp_path_factory.mktemp("netcdf-c")
    program = REPOSITORY / "tests" / "netcdf" / "stores.py"
    for name, words in (
        ("everything#mode=nczarr,file", ()),
        ("pure#mode=zarr,file", ("plain",)),
        ("anonymous#mode=nczarr,file,noxarray", ("plain",)),
        ("twin.nc", ()),
    ):
        url = str(folder / name) if name == "twin.nc" else f"{folder.as_uri()}/{name}"
        # In a process of its own: netCDF-C has been seen to end the one that it runs in.
        subprocess.run([sys.executable, str(program), "write", url, *words], check=True, timeout=60)
    return folder


@pytest.fixture(scope="session")
def zarr_from_netcdf(
    netcdf_file: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., Path]]:
    """Give a netCDF file as xarray writes it to Zarr.

    The function takes the short name, ``zarr_format`` (2 or 3) and ``literal``: whether
    ``_FillValue`` is rewritten from xarray's base64 to the plain number that NZ asks for (v3 only).
    Each store is written once; it is read only.
    """
    folder = tmp_path_factory.mktemp("netcdf")
    watched = contextlib.ExitStack()

    def convert(name: str, zarr_format: int = 3, *, literal: bool = False) -> Path:
        import xarray

        source = netcdf_file(name)
        target = folder / f"{name}-v{zarr_format}{'-literal' if literal else ''}.zarr"
        if target.exists():
            return target
        with warnings.catch_warnings():
            # xarray and zarr-python warn of consolidated metadata and string types; people see
            # those warnings too and go on.
            warnings.simplefilter("ignore")
            with xarray.open_dataset(source) as dataset:
                dataset.to_zarr(target, zarr_format=zarr_format)
        if literal:
            _make_fill_values_literal(target)
        return watched.enter_context(unchanged(target))

    with watched:
        yield convert


def _make_fill_values_literal(root: Path) -> None:
    """Rewrite xarray's base64 ``_FillValue`` in every document and in the consolidated copies."""
    for document in root.rglob("zarr.json"):
        meta = json.loads(document.read_text("utf-8"))
        entries = meta.get("consolidated_metadata", {}).get("metadata", {})
        for node in (meta, *entries.values()):
            encoded = node["attributes"].get("_FillValue")
            if isinstance(encoded, str):
                (value,) = struct.unpack("<d", base64.b64decode(encoded))
                node["attributes"]["_FillValue"] = "NaN" if math.isnan(value) else value
        document.write_text(json.dumps(meta), "utf-8")


# --- served over a network ----------------------------------------------------------------------


@dataclass(frozen=True)
class HttpServer:
    """A folder served over plain HTTP: nothing can be listed."""

    url: str
    network: Network


@pytest.fixture
def http_server() -> Iterator[Callable[..., HttpServer]]:
    """Serve folders over HTTP: ``http_server(folder, latency=0.05).url``; options as of `Network`."""
    with contextlib.ExitStack() as running:

        def start(root: Path, **options: Any) -> HttpServer:
            network = Network(folder(root), **options)
            return HttpServer(running.enter_context(serve(network)), network)

        yield start


@dataclass(frozen=True)
class S3:
    """A local S3 server."""

    endpoint: str
    client: Any
    network: Network

    def upload(self, folder: Path, bucket: str = "bucket", prefix: str = "store.zarr") -> str:
        """Put a folder into a bucket and return its ``s3://`` URL."""
        if bucket not in {known["Name"] for known in self.client.list_buckets()["Buckets"]}:
            self.client.create_bucket(Bucket=bucket)
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                key = f"{prefix}/{path.relative_to(folder).as_posix()}"
                self.client.put_object(Bucket=bucket, Key=key, Body=path.read_bytes())
        return f"s3://{bucket}/{prefix}"

    @property
    def options(self) -> dict[str, Any]:
        """The ``storage_options`` with which the server is reached."""
        return {"endpoint_url": self.endpoint, "key": "testing", "secret": "testing"}


@pytest.fixture(scope="session")
def s3_server() -> Iterator[S3]:
    """Run moto's S3 server on a free port."""
    import boto3
    from moto.moto_server.werkzeug_app import (
        DomainDispatcherApplication,
        MotoRequestHandler,
        create_backend_app,
    )

    network = Network(DomainDispatcherApplication(create_backend_app))
    with serve(network, MotoRequestHandler) as endpoint:
        client = boto3.client(
            "s3",
            endpoint_url=endpoint,
            region_name="us-east-1",
            aws_access_key_id="testing",
            aws_secret_access_key="testing",
        )
        yield S3(endpoint, client, network)
        client.close()


@pytest.fixture
def s3(s3_server: S3) -> Iterator[S3]:
    """The S3 server, over a network as it should be; a test may make it worse for itself."""
    yield s3_server
    network = s3_server.network
    network.latency, network.quiet, network.bandwidth, network.failures = 0.0, 0.0, None, 0
    network.fault = no_fault
