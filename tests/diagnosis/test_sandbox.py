"""What the process of a reader cannot do, whatever a store makes the reader do."""

from __future__ import annotations

import json
import os
import pickle
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import zarr

from nz_explorer.diagnosis import trial, try_reader, unsafe_codecs
from nz_explorer.model import open_store
from tests.conftest import REPOSITORY, digest
from tests.hostile.stores import Runs, put

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="Landlock and namespaces are Linux's")

ATTEMPTS = """
import ctypes, json, os, pickle, socket, subprocess, sys
from pathlib import Path
from nz_explorer.diagnosis.sandbox import confine

place, port = Path(sys.argv[1]), int(sys.argv[2])
import numpy as np
before = os.readlink("/proc/self/ns/net") if sys.platform == "linux" else None
confine(network=sys.argv[3] == "network", seconds=20)
c = ctypes.CDLL(None, use_errno=True)
name = lambda what: os.fsencode(place / what)

def connect_in_c():
    address = bytes([2, 0]) + port.to_bytes(2, "big") + bytes([127, 0, 0, 1]) + bytes(8)
    handle = c.socket(2, 1, 0)
    return c.connect(handle, address, 16)

attempts = {
    "namespace": lambda: os.readlink("/proc/self/ns/net") == before,
    "read": lambda: (place / "file").read_text(),
    "write": lambda: (place / "new").write_text("x"),
    "append": lambda: open(place / "file", "a"),
    "descriptor": lambda: os.open(place / "new", os.O_RDWR | os.O_CREAT),
    "remove": lambda: (place / "file").unlink(),
    "rename": lambda: (place / "file").rename(place / "new"),
    "folder": lambda: (place / "new").mkdir(),
    "truncate": lambda: os.truncate(place / "file", 0),
    "program": lambda: subprocess.run(["true"]),
    "shell": lambda: os.system("true"),
    "fork": lambda: os.fork(),
    "unpickle": lambda: pickle.loads(pickle.dumps(Path("x"))),
    "memory": lambda: np.ones(5 * 1024**3, "u1"),
    "connect": lambda: socket.create_connection(("127.0.0.1", port), 5),
    "C connect": connect_in_c,
    "C create": lambda: c.open(name("new"), os.O_RDWR | os.O_CREAT, 0o666),
    "C write": lambda: c.open(name("file"), os.O_RDWR, 0),
    "C remove": lambda: c.unlink(name("file")),
    "C rename": lambda: c.rename(name("file"), name("new")),
    "C truncate": lambda: c.truncate(name("file"), 0),
    "C folder": lambda: c.mkdir(name("new"), 0o777),
}
for what, attempt in attempts.items():
    try:
        result = attempt()
    except Exception as error:
        print(json.dumps([what, type(error).__name__]))
    else:
        print(json.dumps([what, result if isinstance(result, int | str) else "done"]))
"""


@pytest.fixture(scope="module", params=["local", "network"])
def confined(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, dict[str, Any], Path]:
    """What came of each attempt in a process that is confined."""
    place = tmp_path_factory.mktemp("place")
    (place / "file").write_text("contents")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        done = subprocess.run(
            [sys.executable, "-c", ATTEMPTS, str(place), str(port), request.param],
            capture_output=True, text=True, check=False, cwd=REPOSITORY,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return request.param, dict(map(json.loads, done.stdout.splitlines())), place


def test_it_reads_and_changes_nothing(confined: tuple[str, dict[str, Any], Path]) -> None:
    _, found, place = confined
    assert found["read"] == "contents"
    refused = (
        "write", "append", "descriptor", "remove", "rename", "folder", "truncate", "program", "shell", "fork",
        "unpickle",
    )  # fmt: skip
    assert {what: found[what] for what in refused} == dict.fromkeys(refused, "Confined")
    assert os.listdir(place) == ["file"]
    assert (place / "file").read_text() == "contents"


def test_memory_is_limited(confined: tuple[str, dict[str, Any], Path]) -> None:
    if sys.platform != "linux":
        pytest.skip("other systems do not limit address space")
    assert "Memory" in confined[1]["memory"]


def test_the_network_is_there_for_servers_alone(
    confined: tuple[str, dict[str, Any], Path],
) -> None:
    kind, found, _ = confined
    assert found["connect"] == ("done" if kind == "network" else "Confined")


@LINUX
def test_there_is_no_network_where_the_system_permits_that(
    confined: tuple[str, dict[str, Any], Path],
) -> None:
    kind, found, _ = confined
    own = subprocess.run(["unshare", "--net", "true"], capture_output=True, check=False)
    user = subprocess.run(["unshare", "--user", "--net", "true"], capture_output=True, check=False)
    if own.returncode and user.returncode:
        pytest.skip("this system permits no namespaces")
    assert found["namespace"] == (kind == "network")


@LINUX
def test_libraries_in_c_are_held_as_well(confined: tuple[str, dict[str, Any], Path]) -> None:
    kind, found, place = confined
    if found["C create"] != -1:
        pytest.skip("this kernel has no Landlock")
    held = [what for what in found if what.startswith("C ") and what != "C connect"]
    assert {what: found[what] for what in held} == dict.fromkeys(held, -1)
    assert found["C connect"] == (0 if kind == "network" else -1)
    assert os.listdir(place) == ["file"]


# --- codecs that could run code -------------------------------------------------------------------

V2 = {
    "zarr_format": 2,
    "shape": [1],
    "chunks": [1],
    "dtype": "|O",
    "fill_value": None,
    "order": "C",
    "compressor": None,
}
V3 = {
    "zarr_format": 3,
    "node_type": "array",
    "shape": [1],
    "data_type": "string",
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [1]}},
    "chunk_key_encoding": {"name": "default"},
    "fill_value": "",
}
GROUP = {"zarr_format": 3, "node_type": "group"}
TEXTS = {"id": "vlen-utf8"}
PICKLE = {"id": "pickle", "protocol": 4}
INNER = {"chunk_shape": [1], "codecs": ["numcodecs.pickle"], "index_codecs": [{"name": "bytes"}]}
PLAIN = {**V3, "codecs": [{"name": "vlen-utf8"}]}
HIDDEN = {**V3, "codecs": [{"name": "sharding_indexed", "configuration": INNER}]}
STORES: dict[str, dict[str, Any]] = {
    "second filter": {".zgroup": {"zarr_format": 2}, "a/.zarray": {**V2, "filters": [TEXTS, PICKLE]}},
    "compressor": {".zgroup": {"zarr_format": 2}, "a/.zarray": {**V2, "filters": [TEXTS], "compressor": PICKLE}},
    "inside of shards": {"zarr.json": GROUP, "a/zarr.json": HIDDEN},
    "consolidated alone": {
        "zarr.json": {
            **GROUP,
            "consolidated_metadata": {"kind": "inline", "must_understand": False, "metadata": {"a": HIDDEN}},
        },
        "a/zarr.json": PLAIN,
    },
    "consolidated of v2 alone": {
        ".zgroup": {"zarr_format": 2},
        ".zmetadata": {
            "zarr_consolidated_format": 1,
            "metadata": {".zgroup": {"zarr_format": 2}, "a/.zarray": {**V2, "filters": [TEXTS, PICKLE]}},
        },
        "a/.zarray": {**V2, "filters": [TEXTS]},
    },
    "behind consolidated": {
        "zarr.json": {
            **GROUP,
            "consolidated_metadata": {"kind": "inline", "must_understand": False, "metadata": {"a": PLAIN}},
        },
        "a/zarr.json": HIDDEN,
    },
    "v2 beside v3": {"zarr.json": GROUP, "a/zarr.json": PLAIN, "a/.zarray": {**V2, "filters": [PICKLE]}},
}  # fmt: skip


def bomb(folder: Path, documents: dict[str, Any], trace: Path) -> Path:
    for key, document in documents.items():
        put(folder, key, document)
    for chunk in ("a/0", "a/c/0"):
        (folder / chunk).parent.mkdir(parents=True, exist_ok=True)
        (folder / chunk).write_bytes(pickle.dumps(Runs(trace)))
    return folder


@pytest.fixture
def unstarted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "COMMAND", ["/nothing/of/the/kind"])


@pytest.mark.usefixtures("unstarted")
@pytest.mark.parametrize("reader", ["zarr-python", "xarray"])
@pytest.mark.parametrize("where", STORES)
def test_no_reader_is_started_on_a_codec_that_runs_code(
    tmp_path: Path, where: str, reader: str
) -> None:
    store = bomb(tmp_path / "s.zarr", STORES[where], tmp_path / "pwned")
    found = try_reader(reader, open_store(store))
    assert found.state == "refused"
    assert "pickle, which could run any code" in found.message


@pytest.mark.usefixtures("unstarted")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"pickle"', r'"\u0070ickle"'),
        ('"filters"', '"filters": null, "filters"'),
        ('"filters": [', '"filters": [], "compressor": {"id": "Pickle"}, "filters": [], "x": ['),
    ],
    ids=["escaped", "twice", "spelled otherwise"],
)
def test_spellings_hide_nothing(tmp_path: Path, old: str, new: str) -> None:
    store = bomb(tmp_path / "s.zarr", STORES["second filter"], tmp_path / "pwned")
    text = (store / "a/.zarray").read_text()
    (store / "a/.zarray").write_text(text.replace(old, new))
    assert try_reader("zarr-python", open_store(store)).state == "refused"


@pytest.mark.usefixtures("unstarted")
def test_other_encodings_hide_nothing(tmp_path: Path) -> None:
    """Python's own decoder takes UTF-16, which we do not."""
    store = bomb(tmp_path / "s.zarr", STORES["second filter"], tmp_path / "pwned")
    document = (store / "a/.zarray").read_text()
    (store / "a/.zarray").write_bytes(document.encode("utf-16"))
    assert try_reader("zarr-python", open_store(store)).state == "refused"


def test_words_that_are_no_codec_are_let_through(tmp_path: Path) -> None:
    array = {**PLAIN, "attributes": {"title": "pickle"}, "dimension_names": ["pickle"], "fill_value": "pickle"}  # fmt: skip
    put(tmp_path / "s.zarr", "zarr.json", GROUP)
    put(tmp_path / "s.zarr", "a/zarr.json", array)
    hierarchy = open_store(tmp_path / "s.zarr")
    assert unsafe_codecs.could_run_code(hierarchy, [node.path for node in hierarchy.walk()]) is None


def test_codecs_of_other_packages_are_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A package is really there, and says that it has a codec: naming it would import the package."""
    package = tmp_path / "packages" / "strange-1.0.dist-info"
    package.mkdir(parents=True)
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: strange\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text("[numcodecs.codecs]\nstrange = strange:Codec\n")
    trace = tmp_path / "pwned"
    (package.parent / "strange.py").write_text(f"open({str(trace)!r}, 'w')")
    monkeypatch.syspath_prepend(package.parent)
    unsafe_codecs.foreign.cache_clear()
    documents = {".zgroup": {"zarr_format": 2}, "a/.zarray": {**V2, "dtype": "<f4", "filters": None, "compressor": {"id": "strange"}}}  # fmt: skip
    store = bomb(tmp_path / "s.zarr", documents, trace)
    try:
        found = try_reader("zarr-python", open_store(store))
    finally:
        unsafe_codecs.foreign.cache_clear()
    assert found.state == "refused"
    assert "the codec strange of the package strange" in found.message
    assert not trace.exists()


@pytest.mark.parametrize("where", ["second filter", "compressor"])
@pytest.mark.parametrize("reader", ["zarr-python", "xarray"])
def test_the_process_itself_unpickles_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str, reader: str
) -> None:
    """A server can show us other documents than the reader."""
    monkeypatch.setattr(trial, "could_run_code", lambda *_: None)
    store = bomb(tmp_path / "s.zarr", STORES[where], tmp_path / "pwned")
    before = digest(store)
    try_reader(reader, open_store(store))
    assert not (tmp_path / "pwned").exists()
    assert digest(store) == before


# --- what the process is given --------------------------------------------------------------------


def test_modules_that_lie_in_the_store_are_not_imported(
    sample_copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = tmp_path / "pwned"
    for name in ("zarr", "json", "sitecustomize", "usercustomize"):
        (sample_copy / f"{name}.py").write_text(f"open({str(trace)!r}, 'w')")
    monkeypatch.chdir(sample_copy)
    monkeypatch.setenv("HOME", str(sample_copy))
    found = try_reader("zarr-python", open_store(sample_copy))
    assert found.state == "reads", found
    assert not trace.exists()


def test_home_is_an_empty_folder_that_is_removed(
    sample_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "kept"
    script = tmp_path / "reader.py"
    script.write_text(
        "import json, os, sys\n"
        f"open({str(kept)!r}, 'w').write(json.dumps([os.environ['HOME'], os.listdir(os.environ['HOME']), os.getcwd()]))\n"
    )
    monkeypatch.setattr(trial, "COMMAND", [sys.executable, str(script)])
    try_reader("xarray", open_store(sample_store))
    home, inside, folder = json.loads(kept.read_text())
    assert (inside, os.path.realpath(home)) == ([], os.path.realpath(folder))
    assert Path(home) != Path.home()
    assert not Path(home).exists()


def test_a_reader_that_does_not_stop_talking_is_ended(
    sample_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "reader.py"
    script.write_text(
        'import json\nwhile True: print(json.dumps({"path": "/a", "error": "x" * 600}))'
    )
    monkeypatch.setattr(trial, "COMMAND", [sys.executable, str(script)])
    monkeypatch.setattr(trial, "MAX_OUTPUT", 100_000)
    found = try_reader("xarray", open_store(sample_store))
    assert found.state == "crashed"
    assert len(found.failures) < 300


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit of the processor")
def test_time_on_the_processor_is_limited(
    sample_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "reader.py"
    script.write_text(
        "from nz_explorer.diagnosis.sandbox import confine\nconfine(network=False, seconds=1)\nwhile True: pass"
    )
    monkeypatch.setattr(trial, "COMMAND", [sys.executable, str(script)])
    found = try_reader("xarray", open_store(sample_store), seconds=60)
    assert found.state == "timed out"
    assert "CPU time" in found.message


def test_a_store_in_v2_is_read_as_before(tmp_path: Path) -> None:
    group = zarr.open_group(tmp_path / "s.zarr", mode="w", zarr_format=2)
    group.create_array("a", shape=(3,), dtype="f4")[:] = 1
    assert try_reader("zarr-python", open_store(tmp_path / "s.zarr")).state == "reads"
