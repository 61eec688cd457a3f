"""A convention that is a JSON Schema: violations are findings with pointers, and nothing is fetched."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nz_explorer.conventions import BUILT_IN
from nz_explorer.engine.evaluation import Evaluation
from nz_explorer.engine.registry import Registry
from nz_explorer.engine.schema_convention import MOST_VIOLATIONS, schema_convention
from nz_explorer.model import open_store

SCHEMA = {
    "type": "object",
    "required": ["port"],
    "properties": {
        "port": {"type": "string"},
        "masts": {"type": "array", "items": {"type": "integer"}},
    },
}


def findings(folder: Path, attributes: dict[str, Any], **options: Any) -> Evaluation:
    """Return an evaluation of a store with one group against a schema for its attribute ``ship``."""
    folder.mkdir(exist_ok=True)
    root = {"zarr_format": 3, "node_type": "group", "attributes": attributes}
    (folder / "zarr.json").write_text(json.dumps(root), "utf-8")
    given = {"schema": SCHEMA, "place": "ship", **options}
    convention = schema_convention(key="ship", name="Ships", title="Ships", family="SHIP", **given)
    evaluation = Evaluation(open_store(folder), Registry([*BUILT_IN, convention]), "ship")
    evaluation.run()
    return evaluation


def test_each_violation_is_a_finding_with_its_pointer(tmp_path: Path) -> None:
    evaluation = findings(tmp_path / "s.zarr", {"ship": {"masts": [1, "two"]}})
    found = {(f.rule, f.pointer): f.message for f in evaluation.findings()}
    assert found == {
        ("SHIP-SCHEMA-001", "/attributes/ship"): "port is missing",
        ("SHIP-SCHEMA-001", "/attributes/ship/masts/1"): 'must be an integer, got "two"',
    }
    assert evaluation.conforms == {"Ships": False}


def test_what_fits_conforms_and_what_does_not_use_it_is_not_judged(tmp_path: Path) -> None:
    assert findings(tmp_path / "a.zarr", {"ship": {"port": "Hull"}}).conforms == {"Ships": True}
    assert findings(tmp_path / "b.zarr", {"train": 1}).conforms == {}


def test_a_schema_may_be_a_file_and_describe_all_attributes(tmp_path: Path) -> None:
    file = tmp_path / "schema.json"
    file.write_text(json.dumps({"properties": {"ship": {"const": "Beagle"}}}), "utf-8")
    options = {"schema": file, "place": None, "used_where": ("ship",)}
    evaluation = findings(tmp_path / "a.zarr", {"ship": "Titanic"}, **options)
    assert [f.pointer for f in evaluation.findings()] == ["/attributes/ship"]


def test_what_a_schema_refers_to_elsewhere_is_not_fetched(tmp_path: Path) -> None:
    schema = {"$ref": "http://127.0.0.1:9/schema.json"}
    evaluation = findings(tmp_path / "a.zarr", {"ship": 1}, schema=schema)
    assert not evaluation.findings()
    (entry,) = [e for e in evaluation.not_evaluated() if e.rule == "SHIP-SCHEMA-001"]
    assert "internal error" in entry.reason
    assert evaluation.conforms == {"Ships": None}


def test_a_document_with_endless_violations_is_cut_short(tmp_path: Path) -> None:
    evaluation = findings(tmp_path / "a.zarr", {"ship": {"port": "", "masts": ["x"] * 1000}})
    assert len(evaluation.findings()) == MOST_VIOLATIONS


def test_it_says_where_it_is_used() -> None:
    with pytest.raises(ValueError, match="needs a place"):
        schema_convention(key="a", name="A", title="A", family="A", schema=SCHEMA)
