"""What the person with the symptom reads: sentences that were hard to understand, and how they are now."""

from __future__ import annotations

from pathlib import Path

import pytest
import zarr

import nz_explorer as nz
from tests.conventions.test_corpus import CASES, source

SENTENCES = {
    "Z3-DIM-001: null": "dimension_names is null; write a list with one name per dimension (here 2)",
    "NZ-COORD-002: hours that became days, where nobody asks for CF": "value[0] and value[1] are both 0",
    "NZ-DIM-010: the coordinate is right, whatever the others say": "dimension x is 3 long in x and 4 long in a, b",
    "Z3-DOC-004: a member that is misspelt": "did you mean fill_value?",
    "Z3-DOC-004: an attribute one level too high, in a group": 'as an attribute it belongs in "attributes"',
    "CS-TIME-002: neither a reference nor a unit and an epoch": "the time object has no reference",
    "CS-CO-003: the same name": "two coordinate sets of x are named m",
    "CS-ARR-005: two heights": "such an axis must have exactly one value",
    "REF-006: no attribute, so that a node is meant": "the reference names no attribute, so it leads to node /g, which is no reference system",
    "REF-002: two nodes": '".." is ambiguous: relative to the node it leads to /g, to its group to /',
    "REF-002: ref begins at the group of the node": '"t" leads to a node from its group only, /g/t; within a store it is relative to the node that refers, here "../t"',
    "CS-ID-004: a text": 'id must be an object such as {"proj:code": …}, got "EPSG:4326"',
    "CS-VAL-004: too short": "/xs has 2 values, this array needs 3",
    "CS-VAL-004: a member of the document of an array": "/shape/0 of /xs, which should have the values of",
    "CS-ARR-001: axes in cs itself, as in the first form of the convention": "as in its first form",
    "NCZ-MODE-001: no word for the format, without which netCDF-C finds nothing": "finds no dataset by it: it needs nczarr or zarr",
    "NCZ-MODE-001: capital letters, which netCDF-C does not know": "in lower case, as in #mode=nczarr,file",
    "NCZ-VAR-001: the references under another name": 'there is no dimension_references, only "storage", "dimension_reference"',
    "NCZ-ATT-001: no type": "which NCZarr has of every attribute: netCDF-C guesses one",
    "NCZ-ATT-001: no types at all": "which NCZarr has of every attribute: netCDF-C guesses",
    "NCZ-ATT-001: the types are a list of names": 'must be an object from names to types, got ["units"]',
    "NCZ-MODE-001: the version of Zarr, which is a word of the text": "was understood as nczarr, file, v2; read from",
    "NCZ-MODE-001: a word that means nothing": "the fragment #mode=nczar names no mode of Zarr; mode nczar is not known; ignored; read",
    "GZ-MS-017: columns that begin in the middle of a tile": 'no edge of a tile of "0", whichever number of pointOfOrigin',
    "CF-MAP-008: coordinates of corners in the north, where half a cell is few of the digits": "at 4999995, and /y at 5000000",
    "Z3-CHUNK-006: other rows in each chunk": "chunk a/c/0/0 holds only the fill value at step 0 along t",
    "CF-TIME-011: seconds after hours": "in seconds since 2021-02-21 it would be 2021-02-21 04:00, the next time",
    "CS-REG-001: addresses of cs, and the uuid of another convention": "is that of another convention, and counts for more",
    "Z2-CHUNK-004: no compressor where the metadata say zlib": "chunk a/0.0: zlib.error: Error -3",
    "NZ-DECL-007: CF in one only": 'only one of them names "ACDD-1.3"',
    "TREE-001: a zip file in whose top folder there is no root": 'in whose top folder "foo.zarr" everything is',
    "TREE-013: a folder that is called .zarray, with the document in it": "a/.zarray is a folder and no document",
    "Z2-OGC-002: a scalar, which has no dimensions to name": "[] tells netCDF-like tools that it is a scalar",
    "Z2-OGC-009: Multiscales": 'no attribute multiscales; did you mean it by "Multiscales"?',
    "Z2-GRP-002: the document of an array under the name of a group's": "all the keys of a .zarray",
    "Z3-GRID-004: no name": 'chunk_grid has no name, such as "regular"',
    "Z3-KEY-001: no name": 'chunk_key_encoding has no name, such as "default"',
    "Z3-CM-001: no kind": 'kind is missing; it must be "inline"',
    "CS-ARR-002: the name of a reference system that the group has": 'such as {"ref": {"node": "..", "attribute": "/attributes/crs/w"}}',
    "CS-ARR-002: an axis is null": 'axis "x" is null, not an object',
    "CS-REG-001: an entry with no more than the name": "entry 0 of zarr_conventions has only the name cs",
    "REF-001: array, of an earlier form of ref": '"array" is of an earlier form of ref, which has node instead',
    "CS-TIME-002: a blank in place of the T": "here 1850-01-01T00:00:00",
    "CS-TIME-002: neither unit nor epoch, where axes are an object": "the time object has neither unit nor epoch",
    "CS-NAME-001: reserved": '"__w" is reserved in Zarr',
    "CS-GEO-001: x without y": "geodetic has no y",
    "CS-PAR-003: a term with capitals": "did you mean ps?",
    "CS-PAR-003: names of ROMS, and no eta": "ocean_s_coordinate_g2 also needs eta",
    "CS-CO-004: the unit is at the axis": 'that of the axis, "m", belongs in them',
}
"""A part of a message, by the case of the corpus that it is about."""


@pytest.mark.parametrize("name", SENTENCES)
def test_a_finding_says_what_is_wrong(name: str, tmp_path: Path) -> None:
    (case,) = (case for case in CASES if case["name"] == name)
    report = nz.check(
        source(case, tmp_path),
        conventions=case.get("conventions", "auto"),
        values=case.get("values", "coordinates"),
        select=case.get("select", ()),
        progress=False,
    )
    messages = [finding.message for finding in report.findings if finding.rule == case["rule"]]
    assert any(SENTENCES[name] in message for message in messages), messages


def test_a_number_as_text_comes_with_what_xarray_still_does_not_read(tmp_path: Path) -> None:
    root = zarr.create_group(tmp_path / "a.zarr")
    attributes = {"_FillValue": "1e+20"}
    root.create_array(
        "a", shape=(2,), dtype="f4", dimension_names=["x"], attributes=attributes, fill_value=0
    )
    report = nz.check(tmp_path / "a.zarr", progress=False, values="none")
    (finding,) = (one for one in report.findings if one.rule == "NZ-FILL-002")
    assert finding.fix is not None
    assert "xarray (up to 2026.9) still cannot open the group" in (finding.fix.note or "")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("2m", {"xarray": 'opens it; ds.2m is a syntax error, ds["2m"] works'}),
        ("_tmp", {}),
    ],
)
def test_what_xarray_does_with_a_name_is_said_of_the_name(
    name: str, said: dict[str, str], tmp_path: Path
) -> None:
    group = zarr.open_group(tmp_path, mode="w")
    group.create_array(name, shape=(2,), dtype="i4", attributes={"_level": 1})
    found = nz.check(tmp_path, select=["NZ-NAME-001"], progress=False).findings
    assert {one.pointer: dict(one.readers) for one in found} == {"": said, "/attributes/_level": {}}
