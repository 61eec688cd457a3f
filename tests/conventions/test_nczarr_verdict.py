"""Whether a dataset keeps NCZarr, whose text describes and has no word of duty."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import nz_explorer as nz

ARRAY = {
    "zarr_format": 2,
    "shape": [3],
    "chunks": [3],
    "dtype": "<f4",
    "order": "C",
    "compressor": None,
    "fill_value": None,
    "filters": None,
}
LISTS = {"dimensions": {"x": 3}, "arrays": ["a"], "groups": ["g"]}


def _noted(**types: str) -> dict[str, Any]:
    return {"_nczarr_attr": {"types": {"_nczarr_attr": "|J0", **types}}}


def _documents(**root: Any) -> dict[str, Any]:
    """Return what netCDF-C writes of an array and a group in which nothing is."""
    of_array = {"dimension_references": ["/x"], "storage": "chunked"}
    empty = {"dimensions": {}, "arrays": [], "groups": []}
    return {
        ".zgroup": {"zarr_format": 2},
        ".zattrs": {
            "_nczarr_superblock": {"version": "2.0.0"},
            "_nczarr_group": LISTS,
            **_noted(),
            **root,
        },
        "a/.zarray": ARRAY,
        "a/.zattrs": {"_ARRAY_DIMENSIONS": ["x"], "_nczarr_array": of_array, **_noted()},
        "g/.zgroup": {"zarr_format": 2},
        "g/.zattrs": {"_nczarr_group": empty, **_noted()},
    }


def _verdict(folder: Path, documents: Mapping[str, Any]) -> bool | None:
    for key, document in documents.items():
        (folder / key).parent.mkdir(parents=True, exist_ok=True)
        (folder / key).write_text(json.dumps(document), "utf-8")
    return nz.check(folder, conventions="nczarr", progress=False).conforms["NCZarr"]


KEPT = {
    "as netCDF-C writes it": _documents(),
    "a type that netCDF-C does not read, as Zarr may have it": {
        **_documents(),
        "a/.zarray": {**ARRAY, "dtype": "|b1"},
    },
    "the type that the text gives to JSON": _documents(settings={"a": 1}, **_noted(settings="|J0")),
    "as netCDF-C 4.9.2 writes a group and an array without attributes": {
        ".zgroup": {
            "zarr_format": 2,
            "_nczarr_superblock": {"version": "2.0.0"},
            "_nczarr_group": {"dims": {}, "vars": [], "groups": ["g"]},
        },
        ".zattrs": _noted(),
        "g/.zgroup": {
            "zarr_format": 2,
            "_nczarr_group": {"dims": {"x": 3}, "vars": ["a"], "groups": []},
        },
        "g/a/.zarray": {**ARRAY, "_nczarr_array": {"dimrefs": ["/g/x"], "storage": "chunked"}},
    },
    "pure Zarr": {".zgroup": {"zarr_format": 2}, "a/.zarray": {**ARRAY, "dtype": "<c8"}},
}
BROKEN = {
    "no types of attributes": _documents(_nczarr_attr={}, title="t"),
    "no lists": _documents(_nczarr_group={}),
    "lists under a name of Zarr v3": _documents(
        _nczarr_group={"dimensions": {"x": 3}, "arrays": ["a"], "subgroups": ["g"]}
    ),
    "nothing noted of an empty group": {**_documents(), "g/.zattrs": {}},
    "no attributes of a group": {
        key: document for key, document in _documents().items() if key != "g/.zattrs"
    },
    "a name that has two lengths": {
        ".zgroup": {"zarr_format": 2},
        "a/.zarray": {**ARRAY, "shape": [3, 2], "chunks": [3, 2]},
        "a/.zattrs": {"_ARRAY_DIMENSIONS": ["x", "x"]},
    },
    "too few names in _ARRAY_DIMENSIONS": {
        **_documents(),
        "a/.zattrs": {**_documents()["a/.zattrs"], "_ARRAY_DIMENSIONS": []},
    },
    "_ARRAY_DIMENSIONS that is no list, in pure Zarr": {
        ".zgroup": {"zarr_format": 2},
        "a/.zarray": ARRAY,
        "a/.zattrs": {"_ARRAY_DIMENSIONS": "x"},
    },
    "a path in _ARRAY_DIMENSIONS, in pure Zarr": {
        ".zgroup": {"zarr_format": 2},
        "a/.zarray": ARRAY,
        "a/.zattrs": {"_ARRAY_DIMENSIONS": ["n/x"]},
    },
    "no Zarr v2": {
        **_documents(),
        "a/.zarray": {key: value for key, value in ARRAY.items() if key != "chunks"},
    },
}


def test_zarr_v3_is_not_defined(tmp_path: Path) -> None:
    group = {"zarr_format": 3, "node_type": "group", "attributes": {"_nczarr_superblock": {}}}
    assert _verdict(tmp_path, {"zarr.json": group}) is None


@pytest.mark.parametrize("documents", KEPT.values(), ids=list(KEPT))
def test_datasets_that_keep_the_text(tmp_path: Path, documents: dict[str, Any]) -> None:
    assert _verdict(tmp_path, documents) is True


@pytest.mark.parametrize("documents", BROKEN.values(), ids=list(BROKEN))
def test_datasets_that_do_not(tmp_path: Path, documents: dict[str, Any]) -> None:
    assert _verdict(tmp_path, documents) is False
