"""The rules as data: complete, selectable, and in step with the code."""

from __future__ import annotations

import pytest

from nz_explorer.conventions import registry, rules
from nz_explorer.conventions.nz import NZ
from nz_explorer.engine.catalogue import COSTS, RuleInfo, has_prefix

SCOPES = {"document", "node", "group", "array", "attribute", "root", "store", "tree", "CMO"}


@pytest.mark.parametrize(
    "rule", [rule for rule in rules().values() if rule.works], ids=lambda rule: rule.id
)
def test_a_rule_that_works_can_be_explained(rule: RuleInfo) -> None:
    for member in ("title", "statement", "rationale", "bad_example", "good_example"):
        assert getattr(rule, member)


@pytest.mark.parametrize("rule", rules().values(), ids=lambda rule: rule.id)
def test_facts_of_a_rule(rule: RuleInfo) -> None:
    assert rule.cost in COSTS
    assert rule.scope in SCOPES
    assert rule.fix in ("none", "suggest", "unsafe", "safe")
    assert rule.works or rule.reason
    assert set(rule.see_also) <= {*rules(), "NZ-FILL-006"}


def test_code_and_data_name_the_same_rules() -> None:
    written = {rule_id for function in registry().functions for rule_id in function.ids} | {
        NZ.summary_rule
    }
    assert written == {rule.id for rule in rules().values() if rule.works}


def test_slugs_are_unique() -> None:
    slugs = [rule.slug for rule in rules().values()]
    assert len(slugs) == len(set(slugs))


def test_what_a_rule_needs_is_provided_before() -> None:
    provided = {"data type", ".zattrs"}  # judged by rules that come later, and before all rules
    provided |= {function.provides for function in registry().functions if function.provides}
    for function in registry().functions:
        assert set(function.needs) <= provided


def test_prefixes_end_at_a_dash() -> None:
    assert has_prefix("NZ-DIM-010", "NZ")
    assert has_prefix("NZ-DIM-010", "nz-dim")
    assert has_prefix("NZ-DIM-010", "NZ-DIM-010")
    assert not has_prefix("NZ-DIM-010", "NZ-D")
    assert not has_prefix("Z3-DIM-001", "Z")


def test_the_longest_prefix_decides() -> None:
    chosen = registry().select(["NZ", "Z3-DIM-001"], ["NZ-DIM", "Z3"])
    assert chosen["NZ-DECL-001"]
    assert not chosen["NZ-DIM-010"]
    assert chosen["Z3-DIM-001"]
    assert not chosen["Z3-DOC-001"]
    assert not chosen["JSON-002"]
    assert not registry().select(["NZ"], ["NZ"])["NZ-DIM-010"]
    with pytest.raises(ValueError, match="no rule"):
        registry().select([], ["NOPE"])


def test_rules_are_found_by_id_prefix_and_slug() -> None:
    assert [rule.id for rule in registry().find("nz/dim-names-present")] == ["NZ-DIM-001"]
    assert {rule.family for rule in registry().find("json")} == {"JSON"}
    assert registry().find("NZ-DIM-999") == []


HEADINGS = {
    "NZ-1.0": (
        "Description",
        "Relationship to the Zarr v3 Specification",
        "Relationship to Zarr v2",
        "Relationship to Domain Conventions",
        "Convention Registration",
        "Convention Declaration",
        "Node",
        "Group",
        "Array",
        "Dimension",
        "Dimension Coordinate Array",
        "Auxiliary Array",
        "Scalar Array",
        "Array Data Types",
        "Attribute Value Types",
        "The _FillValue Attribute",
        "Properties",
        "Root Group Attributes",
        "Array Attributes",
        "Array Structural Requirements",
        "Naming Rules",
        "Consolidated Metadata",
        "Codec Interoperability (Informative)",
        "Recommended Baseline",
        "Broadly Supported Codecs",
        "Sharding",
        "Out of Scope (Informative)",
        "Normative Summary",
        "Appendix A: Differences from the Zarr v3 Specification",
        "Appendix B: Differences from the NetCDF Users Guide",
    ),
    "ref": (
        "Description",
        "Convention Registration",
        "Application",
        "Properties",
        "Ref object",
        "uri",
        "node",
        "attribute",
        "schema.json",
    ),
    "geolocation": (
        "Description",
        "Convention Registration",
        "Applicable To",
        "Properties",
        "Geolocation object",
        "geodetic",
        "planar",
        "Arrays object",
        "x / y",
        "crs",
        "schema.json",
    ),
    "Zarr core": (
        "Concepts and terminology",
        "Stored representation",
        "Metadata",
        "Array metadata",
        "Array metadata, Mandatory",
        "Array metadata, shape",
        "Array metadata, data_type",
        "Array metadata, chunk_grid",
        "Array metadata, chunk_key_encoding",
        "Array metadata, fill_value",
        "Array metadata, codecs",
        "Array metadata, Optional",
        "Array metadata, dimension_names",
        "Group metadata",
        "Additional fields",
        "Node names",
        "Data types",
        "Chunk grids",
        "Codecs",
        "Determination of encoded representations",
        "Encoding procedure",
        "Decoding procedure",
        "Core codecs",
        "Extension codecs",
        "Stores",
        "Abstract store interface",
        "Operations",
        "Storage transformers",
        "Extension definition",
        "must_understand",
        "Extension naming",
        "Extension versioning",
        "Extension specifications",
        "Resizing",
        "Comparison with Zarr v2",
        "Regular chunk grid",
        "Default chunk key encoding",
        "v2 chunk key encoding",
        "Bytes codec",
        "Gzip codec",
        "Blosc codec",
        "Transpose codec",
        "CRC32C checksum codec",
        "Sharding codec",
        "Permitted fill values",
    ),
    "ZCF": (
        "Definition",
        "Requirements",
        "Specification",
        "Convention Registration via zarr_conventions",
        "Convention Identity",
        "Versioning",
        "Convention Properties",
        "Namespace Prefixes",
        "Composability",
        "FAQ",
    ),
}
"""Headings of the texts, as they are printed there; of Zarr with the member below, and of its parts with the title."""


@pytest.mark.parametrize("rule", rules().values(), ids=lambda rule: rule.id)
def test_a_rule_cites_a_heading_of_its_text(rule: RuleInfo) -> None:
    headings = HEADINGS.get(rule.source.doc)
    assert headings is None or set(rule.source.section.split("; ")) <= set(headings)


def test_what_is_no_more_than_a_practice_is_cited_as_one() -> None:
    assert str(rules()["NZ-FILL-006"].source) == "practice of xarray up to 2026.9"
    assert str(rules()["NZ-FILL-003"].source) == "NZ-1.0, The _FillValue Attribute"


def test_a_rule_on_both_formats_cites_both_texts() -> None:
    assert str(rules()["TREE-002"].source) == "Zarr core 3.1, Group metadata; Zarr v2, Groups"
    older = "Zarr v2 as printed in OGC 21-050r1, Arrays, Metadata"
    assert str(rules()["Z2-ARR-003"].source) == older


@pytest.mark.parametrize(
    ("rule", "breaks"),
    [
        ("NZ-DIM-010", True),
        ("CF-MAP-001", True),  # recommended
        ("NZ-PACK-001", True),  # SHOULD, and for information here
        ("NZ-DIM-012", False),
        ("TREE-008", False),
        ("NZ-REG-001", False),
        ("CS-AX-006", False),
        ("NZ-CODEC-001", False),
    ],
)
def test_what_a_text_allows_is_not_said_to_break_it(rule: str, breaks: bool) -> None:
    assert (rules()[rule].example_titles == ("Breaks it", "Keeps it")) == breaks
