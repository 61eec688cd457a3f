"""The examples of the rules, put where they belong: a bad one breaks its rule, a good one does not."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import zarr_cm

import nz_explorer as nz
from nz_explorer.conventions import rules
from nz_explorer.engine.catalogue import RuleInfo
from tests.corpus.cases import FaultyStore, contents

DOCUMENT = {"shape", "data_type", "dimension_names", "fill_value", "codecs", "chunk_grid"}
DOCUMENT |= {"chunk_key_encoding", "storage_transformers", "attributes", "node_type"}
BYTES = {"name": "bytes", "configuration": {"endian": "little"}}
ON_ROOT = ("NZ-DECL", "NZ-REG", "NZ-DOM", "NZ-PROP", "OME")
CODECS = ("Z3-CODEC", "NZ-CODEC", "Z3-EXT")
MEMBERS = {"Z3-GRID": "chunk_grid", "Z3-KEY": "chunk_key_encoding"}
"""Members that the examples of some rules are values of."""


def _parsed(example: str) -> Any:
    """Return an example as JSON, without the dots for what is left out and the words after it."""
    text = re.sub(r",? *…", "", re.sub(r" {3}\(.*\)$", "", example))
    try:
        return json.loads(text)
    except ValueError:
        return None


def _document(rule: RuleInfo, given: dict[str, Any], array: dict[str, Any]) -> dict[str, Any]:
    """Return an array that is sound apart from what the example says of it."""
    document = {**array, **given}
    document["attributes"] = given.get("attributes", {})
    if "shape" in given:
        rank = len(given["shape"])
        chunks = [max(1, int(length)) for length in given["shape"]]
        if "chunk_grid" not in given:
            document["chunk_grid"] = {"name": "regular", "configuration": {"chunk_shape": chunks}}
        if "dimension_names" not in given:
            document["dimension_names"] = [f"d{axis}" for axis in range(rank)]
    elif "dimension_names" in given:
        rank = len(given["dimension_names"])
        document["shape"] = list(range(2, 2 + rank))
        document["chunk_grid"] = {
            "name": "regular",
            "configuration": {"chunk_shape": document["shape"]},
        }
    if rule.id in ("NZ-DIM-001", "NZ-SCAL-001", "Z3-DIM-001") and "dimension_names" not in given:
        del document["dimension_names"]
    if rule.id == "Z3-DOC-003" and "fill_value" not in given:
        del document["fill_value"]
    elif "data_type" in given and "fill_value" not in given:
        document["fill_value"] = {"bool": False, "string": ""}.get(str(given["data_type"]), 0)
    if given.get("data_type") == "string" and "codecs" not in given:
        document["codecs"] = [{"name": "vlen-utf8"}]
    return document


def _chain(given: dict[str, Any]) -> list[Any]:
    """Return a chain of codecs with the one of an example."""
    if "index_codecs" in given:
        inner = {"chunk_shape": [1, 3], "codecs": [BYTES], **given}
        return [{"name": "sharding_indexed", "configuration": inner}]
    if given["name"] == "bytes":
        return [given]
    return [given, BYTES] if given["name"] == "transpose" else [BYTES, given]


def _root(rule: RuleInfo, given: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    """Return a root group that says what the example says."""
    if given.keys() & {"node_type", "consolidated_metadata"}:
        return root | given
    attributes = dict(given.get("attributes", given))
    if rule.id.startswith("NZ-REG"):
        attributes.setdefault("conventions", "NZ-1.0")
    return root | {"attributes": attributes}


def _array(rule: RuleInfo, given: Any, array: dict[str, Any]) -> Any:
    """Return an array that says what the example says."""
    attributes: dict[str, Any] = {}
    if rule.id.startswith("ZCF") and (isinstance(given, list) or "uuid" in given):
        attributes["zarr_conventions"] = given if isinstance(given, list) else [given]
    elif isinstance(given, list):
        return given
    elif "index_codecs" in given or ("name" in given and rule.id.startswith(CODECS)):
        return array | {"codecs": _chain(given)}
    elif "name" in given:
        return array | {MEMBERS[rule.id.rpartition("-")[0]]: given}
    elif given.keys() & DOCUMENT or "must_understand" in json.dumps(given):
        return _document(rule, given, array)
    elif "zarr_format" in given:
        return array | given
    else:
        attributes |= given
        if rule.id == "ZCF-SCHEMA-001":
            attributes["zarr_conventions"] = [dict(zarr_cm.proj.CMO)]
    return array | {"attributes": attributes}


def _store(rule: RuleInfo, given: Any) -> dict[str, bytes]:
    """Return a store with an example in the place that it speaks of."""
    documents = contents({"base": "plain"})
    root, array = json.loads(documents["zarr.json"]), json.loads(documents["a/zarr.json"])
    of_group = isinstance(given, dict) and (
        given.get("node_type") == "group" or "consolidated_metadata" in given
    )
    if rule.id.startswith(ON_ROOT) or of_group:
        root = _root(rule, given, root)
    else:
        array = _array(rule, given, array)
    name = given["dimension_names"][0] if rule.id.startswith("NZ-COORD") else "a"
    written = {"zarr.json": root, f"{name}/zarr.json": array}
    return {**documents, **{key: json.dumps(value).encode() for key, value in written.items()}}


IN_JSON = [
    rule
    for rule in rules().values()
    if rule.works
    and not rule.id.startswith(("JSON-00", "TREE", "Z2", "GZ", "CS", "REF", "NCZ"))
    and _parsed(rule.bad_example) is not None
    and _parsed(rule.good_example) is not None
]


def _found(rule: RuleInfo, example: str) -> list[nz.Finding]:
    store = FaultyStore(_store(rule, _parsed(example)), [], listable=True)
    return nz.check(store, select=[rule.id], progress=False).findings


def test_most_examples_are_tried() -> None:
    assert len(IN_JSON) > 80


@pytest.mark.parametrize("rule", IN_JSON, ids=lambda rule: rule.id)
def test_examples_of_a_rule(rule: RuleInfo) -> None:
    assert rule.id in {finding.rule for finding in _found(rule, rule.bad_example)}
    assert _found(rule, rule.good_example) == []
