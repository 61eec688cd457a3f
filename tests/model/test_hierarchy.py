"""Hierarchies: every node is there whatever its documents say, and nothing is read without need."""

from __future__ import annotations

import gc
import json
import os
import weakref
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import nz_explorer as nz
from nz_explorer.conventions import evaluate
from nz_explorer.engine.evaluation import Evaluation
from nz_explorer.model import Array, Group, Inside, NodeNotFound, open_store
from nz_explorer.model.hierarchy import inside_arrays
from nz_explorer.store import Listing, ReadError, SourceError
from nz_explorer.store.local.folder_reader import FolderReader
from tests.corpus.cases import FaultyStore, contents

GROUP = {"zarr_format": 3, "node_type": "group"}


def array(
    shape: list[int], names: list[str | None] | None = None, **members: Any
) -> dict[str, Any]:
    document = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": shape,
        "data_type": "float32",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": shape}},
        "chunk_key_encoding": {"name": "default"},
        "fill_value": 0.0,
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        **members,
    }
    if names is not None:
        document["dimension_names"] = names
    return document


def write(root: Path, documents: dict[str, Any]) -> Path:
    for key, value in documents.items():
        file = root / key
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
    return root


def shape_of(hierarchy: Any) -> dict[str, tuple[str, str]]:
    return {node.path: (node.kind, node.state) for node in hierarchy.walk()}


def test_opening_and_expanding_read_one_level(tmp_path: Path) -> None:
    store = write(
        tmp_path,
        {
            "zarr.json": GROUP,
            "g/zarr.json": GROUP,
            "g/a/zarr.json": array([2], ["x"]),
            "g/h/zarr.json": GROUP,
        },
    )
    hierarchy = open_store(store)
    assert hierarchy.loaded == 1
    assert [node.path for node in hierarchy.children("/")] == ["/g"]
    assert hierarchy.loaded == 2
    root = hierarchy.root
    assert isinstance(root, Group)
    assert root.groups[0].children is None


def test_first_level_takes_three_round_trips(tmp_path: Path) -> None:
    store = write(tmp_path, {"zarr.json": GROUP, **{f"g{i}/zarr.json": GROUP for i in range(50)}})
    hierarchy = open_store(store)
    hierarchy.children("/")
    assert hierarchy.reader.counters.round_trips <= 3


def test_a_walk_asks_level_by_level_and_not_node_by_node(tmp_path: Path) -> None:
    documents = {f"g{i}/a{j}/zarr.json": array([1], ["x"]) for i in range(30) for j in range(3)}
    documents |= {f"g{i}/zarr.json": GROUP for i in range(30)}
    hierarchy = open_store(write(tmp_path, {"zarr.json": GROUP, **documents}))
    assert len(list(hierarchy.walk())) == 1 + 30 + 90
    assert hierarchy.reader.counters.round_trips <= 6


@pytest.mark.parametrize(
    ("document", "kind", "state", "says"),
    [
        (b'{"zarr_format": 3, "node_type": "arr', "unknown", "malformed", "ends too early"),
        (b"\x00\xff\xfe", "unknown", "malformed", "a/zarr.json"),
        (b"", "unknown", "malformed", "empty"),
        (b"[]", "unknown", "malformed", "holds a JSON array"),
        ({}, "group", "malformed", "node_type is missing"),
        ({"zarr_format": 3, "node_type": "table"}, "group", "malformed", "node_type is 'table'"),
        ({"zarr_format": 3, "shape": [1]}, "array", "malformed", "node_type is missing"),
        ({"zarr_format": 3, "node_type": "array"}, "array", "malformed", "lacks shape"),
        (array([-1]), "array", "malformed", "shape"),
        ({**array([1]), "shape": "big"}, "array", "malformed", "shape"),
        ({**array([1]), "shape": [True]}, "array", "malformed", "shape"),
        (array([2], ["x"]), "array", "ok", None),
    ],
)
def test_whatever_a_document_says_there_is_a_node_and_the_rest_goes_on(
    tmp_path: Path, document: Any, kind: str, state: str, says: str | None
) -> None:
    hierarchy = open_store(
        write(
            tmp_path,
            {
                "zarr.json": GROUP,
                "a/zarr.json": document,
                "b/zarr.json": GROUP,
                "b/c/zarr.json": GROUP,
            },
        )
    )
    found = shape_of(hierarchy)
    assert found["/a"] == (kind, state)
    assert found["/b/c"] == ("group", "ok")
    node = hierarchy["/a"]
    assert node.problem is None if says is None else says in (node.problem or "")
    if isinstance(node, Array):  # nothing that is asked of it raises
        assert node.data_type.text
        assert (node.chunk_shape, node.size_bytes, node.fill, node.codecs) is not None


def test_a_folder_without_document_above_nodes_is_a_missing_group(tmp_path: Path) -> None:
    hierarchy = open_store(
        write(
            tmp_path,
            {"zarr.json": GROUP, "lost/deep/zarr.json": GROUP, "plain/readme.txt": b"no node"},
        )
    )
    assert shape_of(hierarchy) == {
        "/": ("group", "ok"),
        "/lost": ("group", "missing"),
        "/lost/deep": ("group", "ok"),
    }
    assert "no metadata document" in (hierarchy["/lost"].problem or "")


def test_a_node_called_like_a_document(tmp_path: Path) -> None:
    """On a disk it takes the document's place; in a zip file, as on object stores, there is room for both."""
    documents = {"zarr.json": GROUP, "g/zarr.json": GROUP, "g/zarr.json/zarr.json": GROUP}
    with zipfile.ZipFile(tmp_path / "s.zip", "w") as file:
        for key, document in documents.items():
            file.writestr(key, json.dumps(document))
    hierarchy = open_store(tmp_path / "s.zip")
    assert [node.path for node in hierarchy.walk()] == ["/", "/g", "/g/zarr.json"]
    assert hierarchy["/g"].state == "ok"
    del documents["g/zarr.json"]
    hierarchy = open_store(write(tmp_path / "s", documents))
    assert [node.path for node in hierarchy.walk()] == ["/", "/g", "/g/zarr.json"]
    assert hierarchy["/g"].state == "missing"


def test_chunks_are_no_nodes_and_arrays_are_not_listed(tmp_path: Path) -> None:
    store = write(
        tmp_path, {"zarr.json": GROUP, "a/zarr.json": array([2], ["x"]), "a/c/0": b"1234"}
    )
    hierarchy = open_store(store)
    list(hierarchy.walk())
    node = hierarchy["/a"]
    assert isinstance(node, Array)
    assert hierarchy.children(node) == []
    assert inside_arrays(hierarchy, [node]) == [Inside([], ("c",), ("zarr.json",), complete=True)]
    write(store, {"a/inner/zarr.json": GROUP})
    assert inside_arrays(hierarchy, [node]) == [
        Inside(["/a/inner"], ("c",), ("zarr.json",), complete=True)
    ]
    (inside,) = inside_arrays(hierarchy, [node], limit=1)
    assert isinstance(inside, Inside)
    assert not inside.complete


@pytest.mark.parametrize(
    ("documents", "says"),
    [
        ({}, "is empty"),
        ({"readme.txt": b"hello"}, "there is no Zarr hierarchy at"),
        ({"meta": b"{}", "attrs": b"{}", "0.0": b""}, "an array of Zarr v1"),
        ({"attributes.json": b"{}", "a/attributes.json": b"{}"}, "data in N5"),
        ({"__schema/1": b"", "__fragments/1": b""}, "an array of TileDB"),
        ({".zattrs": b"{}", "0.0": b"", "0.1": b""}, '"0.0", "0.1" there are named like chunks'),
        ({"2024/readme.txt": b""}, "looked for zarr.json"),
    ],
)
def test_what_holds_no_hierarchy_is_refused_in_a_sentence(
    tmp_path: Path, documents: dict[str, Any], says: str
) -> None:
    with pytest.raises(SourceError, match=says):
        open_store(write(tmp_path, documents))


def test_a_root_without_document_above_nodes_is_opened(tmp_path: Path) -> None:
    hierarchy = open_store(write(tmp_path, {"g/zarr.json": GROUP}))
    assert hierarchy.root.state == "missing"
    assert [node.path for node in hierarchy.walk()] == ["/", "/g"]


def test_a_broken_root_is_opened(tmp_path: Path) -> None:
    hierarchy = open_store(write(tmp_path, {"zarr.json": b"{"}))
    assert (hierarchy.root.kind, hierarchy.root.state) == ("unknown", "malformed")


def test_an_array_can_be_the_root(tmp_path: Path) -> None:
    hierarchy = open_store(write(tmp_path, {"zarr.json": array([2], ["x"])}))
    assert [node.kind for node in hierarchy.walk()] == ["array"]


def test_a_missing_node_is_a_key_error(tmp_path: Path) -> None:
    hierarchy = open_store(write(tmp_path, {"zarr.json": GROUP}))
    with pytest.raises(NodeNotFound, match="there is no node at /a/b"):
        hierarchy["a/b/"]
    assert "/a" not in hierarchy


def with_entries(entries: dict[str, Any]) -> dict[str, Any]:
    return {
        **GROUP,
        "consolidated_metadata": {"kind": "inline", "must_understand": False, "metadata": entries},
    }


def test_consolidated_metadata_is_preferred_and_the_documents_stay_in_view(tmp_path: Path) -> None:
    entries = {"a": array([2], ["x"]), "ghost": array([3], ["y"]), "g/deep/b": array([1], ["z"])}
    store = write(
        tmp_path,
        {
            "zarr.json": with_entries(entries),
            "a/zarr.json": array([5], ["x"]),
            "new/zarr.json": GROUP,
        },
    )
    hierarchy = open_store(store)
    requests = hierarchy.reader.counters.requests
    assert hierarchy.metadata_source == "consolidated"
    assert shape_of(hierarchy) == {
        "/": ("group", "ok"),
        "/a": ("array", "ok"),
        "/g": ("group", "missing"),
        "/g/deep": ("group", "missing"),
        "/g/deep/b": ("array", "ok"),
        "/ghost": ("array", "ok"),
    }
    assert hierarchy.reader.counters.requests == requests
    assert hierarchy["/a"].shape == (2,)
    stored = hierarchy.stored
    assert stored.metadata_source == "documents"
    assert stored["/a"].shape == (5,)
    assert stored.get("/ghost") is None
    assert "/new" in stored


def test_v2_consolidated_metadata(tmp_path: Path) -> None:
    zarray = {
        "zarr_format": 2,
        "shape": [3],
        "chunks": [3],
        "dtype": "<f4",
        "compressor": None,
        "fill_value": -1.0,
        "order": "C",
        "filters": None,
    }
    entries = {
        ".zgroup": {"zarr_format": 2},
        "a/.zarray": zarray,
        "a/.zattrs": {"_ARRAY_DIMENSIONS": ["x"]},
    }
    store = write(
        tmp_path,
        {
            ".zgroup": {"zarr_format": 2},
            ".zmetadata": {"zarr_consolidated_format": 1, "metadata": entries},
        },
    )
    hierarchy = open_store(store)
    node = hierarchy["/a"]
    assert isinstance(node, Array)
    assert (hierarchy.metadata_source, hierarchy.zarr_format) == ("consolidated", 2)
    assert (node.dimension_names, node.dimension_names_source) == (("x",), "_ARRAY_DIMENSIONS")
    assert node.fill is not None
    assert node.fill.value == -1


@pytest.mark.parametrize("broken", [None, [], {"metadata": []}, {"metadata": None}, "inline"])
def test_unusable_consolidated_metadata_is_left_aside(tmp_path: Path, broken: Any) -> None:
    hierarchy = open_store(
        write(
            tmp_path,
            {"zarr.json": {**GROUP, "consolidated_metadata": broken}, "a/zarr.json": GROUP},
        )
    )
    assert hierarchy.metadata_source == "documents"
    assert "/a" in hierarchy


@pytest.mark.parametrize("key", ["../out", "a//b", "/", "", "a/../b"])
def test_entries_that_can_be_no_node_are_left_aside(tmp_path: Path, key: str) -> None:
    hierarchy = open_store(
        write(tmp_path, {"zarr.json": with_entries({key: GROUP, "good": GROUP})})
    )
    assert [node.path for node in hierarchy.walk()] == ["/", "/good"]
    assert hierarchy.consolidated is not None
    assert key in ("", "/") or key in hierarchy.consolidated.rejected


def test_a_store_that_cannot_be_listed_lives_from_consolidated_metadata(
    tmp_path: Path, http_server
) -> None:
    store = write(
        tmp_path,
        {"zarr.json": with_entries({"a": array([2], ["x"])}), "a/zarr.json": array([2], ["x"])},
    )
    hierarchy = open_store(http_server(store).url)
    assert [node.path for node in hierarchy.walk()] == ["/", "/a"]
    assert [node.path for node in hierarchy.stored.walk()] == ["/", "/a"]


def test_without_listing_and_consolidated_metadata_paths_still_open(
    tmp_path: Path, http_server
) -> None:
    store = write(
        tmp_path, {"zarr.json": GROUP, "g/zarr.json": GROUP, "g/a/zarr.json": array([2], ["x"])}
    )
    hierarchy = open_store(http_server(store).url)
    assert [node.path for node in hierarchy.walk()] == ["/"]
    assert isinstance(hierarchy.root, Group)
    assert "cannot be listed" in (hierarchy.root.listing_problem or "")
    assert isinstance(hierarchy["/g/a"], Array)


def test_what_is_not_there_is_not_asked_for_at_each_step_where_nothing_is_listed(
    tmp_path: Path, http_server: Any
) -> None:
    store = write(tmp_path, {"zarr.json": GROUP, "g/zarr.json": GROUP})
    hierarchy = open_store(http_server(store).url)
    assert hierarchy.get("/g/a") is None
    before = hierarchy.reader.counters.requests
    assert hierarchy.get("/g/a") is None
    assert hierarchy.reader.counters.requests == before
    write(tmp_path, {"g/a/zarr.json": array([2], ["x"])})
    hierarchy.refresh("/g")
    assert isinstance(hierarchy.get("/g/a"), Array)


def test_images_that_nothing_lists_are_found_by_their_numbers(tmp_path: Path, http_server) -> None:
    def image(**ome: Any) -> dict[str, Any]:
        return {**GROUP, "attributes": {"ome": {"version": "0.5", **ome}}}

    level = image(multiscales=[{"datasets": [{"path": "s0"}]}])
    documents = {
        "zarr.json": image(**{"bioformats2raw.layout": 3}),
        "OME/zarr.json": GROUP,
        "0/zarr.json": level,
        "0/s0/zarr.json": array([2], ["x"]),
        "1/zarr.json": level,
    }
    hierarchy = open_store(http_server(write(tmp_path, documents)).url)
    assert [node.path for node in hierarchy.walk()] == ["/", "/0", "/1", "/OME", "/0/s0"]


def test_s3_walks_like_a_folder(sample_store: Path, s3) -> None:
    url = s3.upload(sample_store, prefix="walk.zarr")
    local = open_store(sample_store, consolidated=False)
    remote = open_store(url, storage_options=s3.options, consolidated=False)
    assert shape_of(remote) == shape_of(local)


def test_refresh_reads_again_what_changed(tmp_path: Path) -> None:
    store = write(
        tmp_path, {"zarr.json": GROUP, "a/zarr.json": b"{", "b/zarr.json": array([1], ["x"])}
    )
    hierarchy = open_store(store)
    list(hierarchy.walk())
    assert hierarchy["/a"].state == "malformed"
    write(store, {"a/zarr.json": GROUP, "a/c/zarr.json": GROUP})
    hierarchy.refresh("/a")
    assert hierarchy["/a"].state == "ok"
    assert "/a/c" in hierarchy
    (store / "b" / "zarr.json").unlink()
    with pytest.raises(NodeNotFound):
        hierarchy.refresh("/b")
    assert [node.path for node in hierarchy.children("/")] == ["/a"]


def test_what_a_group_says_of_its_arrays_follows_them(tmp_path: Path) -> None:
    held = {"grid_mapping": "crs", "units": "m"}
    store = write(
        tmp_path,
        {
            "zarr.json": GROUP,
            "x/zarr.json": array([3], ["x"]),
            "v/zarr.json": array([3], ["x"], attributes=held),
        },
    )
    hierarchy = open_store(store)

    def told() -> tuple[list[str], list[str], int]:
        group = hierarchy.refresh("/")
        assert isinstance(group, Group)
        hierarchy.children("/")
        by_either = [one.name for one in group.with_attribute("units", "grid_mapping")]
        return list(group.coordinates), by_either, len(group.layouts)

    assert told() == (["x"], ["v"], 1)
    write(store, {"x/zarr.json": array([4], ["y"], attributes={"units": "m"})})
    assert told() == ([], ["v", "x"], 2)


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    store = write(tmp_path, {"zarr.json": GROUP, "g/zarr.json": GROUP})
    (store / "g" / "loop").symlink_to(store / "g", target_is_directory=True)
    hierarchy = open_store(store)
    states = {node.path: node.state for node in hierarchy.walk()}
    assert states == {"/": "ok", "/g": "ok", "/g/loop": "unreadable"}


NCZARR_TREES = {
    "keys": {"/": "group", "/g1": "group", "/lat": "array", "/g1/pos": "array"},
    "attributes": {"/": "group", "/g1": "group", "/lat": "array", "/g1/pos": "array"},
    "in-zarray": {"/": "group", "/v": "array"},
}


@pytest.mark.parametrize(
    ("file", "names"),
    [
        ("nczarr-1.0.0-keys.zip", {"/lat": ("lat",), "/g1/pos": ("lat", "lon")}),
        ("nczarr-2.0.0-attributes.zip", {"/lat": ("_Anonymous_Dim_8",)}),
        ("nczarr-2.0.0-in-zarray.zip", {"/v": ("d0", "d1", "d2")}),
    ],
)
def test_stores_of_netcdf_c_open_with_their_dimensions(
    data: Path, file: str, names: dict[str, tuple[str, ...]]
) -> None:
    hierarchy = open_store(data / "nczarr" / file)
    kind = file.removesuffix(".zip").split("-", 2)[2]
    assert {node.path: node.kind for node in hierarchy.walk()} == NCZARR_TREES[kind]
    for path, expected in names.items():
        node = hierarchy[path]
        assert isinstance(node, Array)
        assert node.dimension_names == expected


def test_chunks_shards_and_labels(tmp_path: Path) -> None:
    inner = {
        "name": "sharding_indexed",
        "configuration": {"chunk_shape": [1, 2], "codecs": [], "index_codecs": []},
    }
    store = write(
        tmp_path,
        {
            "zarr.json": array(
                [4, 4],
                ["x", "x"],
                codecs=[inner],
                chunk_grid={"name": "regular", "configuration": {"chunk_shape": [2, 4]}},
            )
        },
    )
    node = open_store(store).root
    assert isinstance(node, Array)
    assert (node.chunk_shape, node.shard_shape) == ((1, 2), (2, 4))
    assert [node.dimension_label(axis) for axis in (0, 1)] == ["dim_0", "dim_1"]


@pytest.mark.skipif(os.sep == "\\", reason="a backslash is no part of a name here")
def test_names_with_a_backslash_are_told_of_and_not_read(tmp_path: Path) -> None:
    store = write(
        tmp_path / "s.zarr",
        {"zarr.json": GROUP, "g/zarr.json": GROUP, "a\\b/zarr.json": GROUP},
    )
    with zipfile.ZipFile(tmp_path / "s.zip", "w") as packed:
        for file in store.rglob("zarr.json"):
            packed.write(file, file.relative_to(store))
    for source in (store, tmp_path / "s.zip"):
        hierarchy = open_store(source)
        assert [node.path for node in hierarchy.walk()] == ["/", "/g"]
        assert isinstance(hierarchy.root, Group)
        assert "a\\\\b" in (hierarchy.root.listing_problem or "")
        assert not nz.check(source, progress=False).complete


# --- groups of which not all was seen --------------------------------------------------------------


BELOW = {
    "zarr.json": GROUP,
    "p/zarr.json": GROUP,
    "p/g/zarr.json": GROUP,
    "p/g/a/zarr.json": array([2], ["x"]),
}


class Failing(FolderReader):
    """A folder in which one group cannot be listed."""

    def list_many(
        self, prefixes: Sequence[str], cancel: Any = None, limit: int | None = None
    ) -> list[Listing | ReadError]:
        found = super().list_many(prefixes, cancel, limit)
        return [
            ReadError(prefix, "denied", "access denied") if prefix == "p/g" else answer
            for prefix, answer in zip(prefixes, found, strict=True)
        ]


def _judged(reader: FolderReader) -> tuple[Group, Evaluation]:
    hierarchy = open_store(reader)
    evaluation = evaluate(hierarchy)
    evaluation.run()
    group = hierarchy["/p/g"]
    assert isinstance(group, Group)
    return group, evaluation


@pytest.mark.parametrize("why", ["listed", "denied", "too deep", "odd name"])
def test_where_nodes_may_not_have_been_seen_nothing_is_said_to_conform(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    from nz_explorer.model.hierarchy import children as module

    write(tmp_path, BELOW)
    if why == "odd name":
        (tmp_path / "p" / "g" / "b\\c").mkdir()
    if why == "too deep":
        monkeypatch.setattr(module, "MAX_DEPTH", 2)
    group, evaluation = _judged((Failing if why == "denied" else FolderReader)(tmp_path))
    if why == "listed":
        assert (group.unlisted, group.listing_problem) == (False, None)
        assert evaluation.complete
        assert evaluation.conforms["Zarr v3"] is True
        return
    assert group.unlisted
    assert group.listing_problem
    assert not evaluation.complete
    assert evaluation.conforms["Zarr v3"] is None
    # reading its document again does not tell what is in it
    again = group.hierarchy.reread("/p/g")
    assert isinstance(again, Group)
    assert again.unlisted
    assert again.listing_problem == group.listing_problem
    if why != "odd name":
        told = {e.reason for e in evaluation.not_evaluated("/p/g", below=False)}
        assert told == {f"unreadable: {group.listing_problem}"}


def test_a_group_that_could_not_be_listed_and_now_can_is_listed(tmp_path: Path) -> None:
    write(tmp_path, BELOW)
    group, evaluation = _judged(Failing(tmp_path))
    hierarchy = group.hierarchy
    hierarchy.reader = FolderReader(tmp_path)
    again = hierarchy.refresh("/p/g")
    evaluation.forget("/p/g")
    evaluation.run()
    assert isinstance(again, Group)
    assert not again.unlisted
    assert [node.name for node in again.children or ()] == ["a"]
    assert evaluation.complete


def test_a_store_that_is_not_to_be_listed_has_not_failed(tmp_path: Path, http_server: Any) -> None:
    write(tmp_path, {"zarr.json": GROUP})
    root = open_store(http_server(tmp_path).url).root
    assert isinstance(root, Group)
    root.hierarchy.children(root)
    assert not root.unlisted
    assert "cannot be listed" in (root.listing_problem or "")


def _refused(folder: Path) -> Any:
    return FaultyStore(contents({"base": "plain"}), ["a/zarr.json"], listable=True)


def _linked(folder: Path) -> Path:
    store = folder / "linked.zarr"
    for key, raw in contents({"base": "plain"}).items():
        (store / key).parent.mkdir(parents=True, exist_ok=True)
        (store / key).write_bytes(raw)
    (folder / "outside.json").write_bytes((store / "a" / "zarr.json").read_bytes())
    (store / "a" / "zarr.json").unlink()
    (store / "a" / "zarr.json").symlink_to(folder / "outside.json")
    return store


def _damaged_zip(folder: Path) -> Path:
    with zipfile.ZipFile(folder / "damaged.zip", "w") as archive:
        for key, raw in contents({"base": "plain"}).items():
            archive.writestr(key, raw)
        at = archive.getinfo("a/zarr.json").header_offset + len("a/zarr.json") + 40
    raw = bytearray((folder / "damaged.zip").read_bytes())
    raw[at] ^= 0xFF
    (folder / "damaged.zip").write_bytes(raw)
    return folder / "damaged.zip"


@pytest.mark.parametrize("source", [_refused, _linked, _damaged_zip])
def test_a_hierarchy_with_what_could_not_be_read_goes_with_its_last_reference(
    source: Callable[[Path], Any], tmp_path: Path
) -> None:
    """Errors that are kept must not keep the frames that they came through."""
    hierarchy = open_store(source(tmp_path))
    assert [node.state for node in hierarchy.walk() if node.path == "/a"] == ["unreadable"]
    gone = weakref.ref(hierarchy)
    del hierarchy
    gc.collect()
    assert gone() is None


def test_nodes_that_a_walk_did_not_keep_are_had_again(tmp_path: Path) -> None:
    entries = {"g": {"zarr_format": 3, "node_type": "group"}}
    entries |= {f"{stem}{name}": array([3]) for stem in ("", "g/") for name in "ab"}
    hierarchy = open_store(write(tmp_path, {"zarr.json": with_entries(entries)}))
    whole = open_store(tmp_path)
    before = {node.path: repr(node.documents) for node in whole.walk()}
    kept = hierarchy["/a"]
    for _ in hierarchy.walk_groups(keep=False):
        pass
    assert hierarchy.loaded == whole.loaded == 6
    assert hierarchy["/a"] is hierarchy.node_if_loaded("/a") is kept  # somebody had asked for it
    one = hierarchy.node_if_loaded("/g/b")
    assert one is not None
    assert hierarchy.node_if_loaded("/g/c") is hierarchy.node_if_loaded("/h/a") is None
    assert hierarchy.loaded == 6
    assert hierarchy["/g"].arrays == [hierarchy["/g/a"], one]
    assert {node.path: repr(node.documents) for node in hierarchy.walk()} == before
    assert hierarchy.loaded == 6
    assert [n.generation for n in hierarchy.walk()] == [hierarchy.root.generation] * 6
